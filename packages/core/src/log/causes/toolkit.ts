import { firstToolkitFor } from "../../knowledge/host-compilers.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { cudaToolkits } from "../../knowledge/texts/cuda-toolkits.generated.ts";
import { torchBuildFor } from "../../knowledge/torch-builds.ts";
import { architecture, smOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, selectToolkit, whyLine, withFolderOf } from "../fixes.ts";
import { smIn } from "./architecture.ts";

/** Compilers of a toolkit: too old for the GPU or the PTX, absent, or of another CUDA than the framework. */
export default function toolkit(facts: Facts, context: Context): Problem[] {
  return [
    ...refusedArchitecture(facts, context),
    ...refusedOption(facts),
    ...outdated(facts),
    ...unknownProcessor(facts),
    ...gaveUp(facts),
    ...ptx(facts),
    ...ages(facts, context),
    ...headers(facts, context),
    ...builds(facts, context),
    ...home(facts, context),
  ];
}

const ptxasLine = (cuda: string) => `export TRITON_PTXAS_PATH=/usr/local/cuda-${cuda}/bin/ptxas`;

const toolkitWithPtx = (version: string) => cudaToolkits().toolkits.find((each) => each.ptx === version)?.cuda;

function refusedArchitecture(facts: Facts, context: Context): Problem[] {
  return facts
    .all("arch-refused")
    .slice(0, 3)
    .map((fact): Problem => {
      const seen = smIn(facts);
      const sm = (fact.architecture === undefined ? undefined : smOf(fact.architecture)) ?? seen?.sm;
      const known = sm === undefined ? undefined : architecture(sm);
      const torch = context.framework("torch");
      const has = torch.cuda !== undefined && fact.tool === "nvrtc" ? torch.cuda : context.toolkits[0]?.version;
      const found = has === undefined ? `an older ${fact.tool}` : `CUDA ${has}`;
      const evidence = [fact, ...(seen ? [seen.fact] : []), ...(context.toolkits[0] ? [context.toolkits[0]] : [])];
      const required = known ? `CUDA ${known.first} or newer (for ${sm})` : `a ${fact.tool} that knows ${sm ?? "this GPU"}`;
      const gone =
        known?.last !== undefined && (has === undefined ? Number(known.last.split(".")[0]) < 12 : compareDotted(known.last, has) < 0);
      // Fermi and older went before the list of architectures begins.
      if (known === undefined && sm !== undefined && Number(/\d{2,3}/.exec(sm)?.[0] ?? 99) < 30)
        return tooOldToBuild(fact, sm, found, evidence);
      const base = {
        name: fact.tool,
        found,
        evidence,
        next: [`${fact.tool === "nvrtc" ? "nvcc" : fact.tool} --version`, "echo $CUDA_HOME; which -a nvcc"],
      };
      if (gone)
        return {
          weight: weights.said,
          suspects: [
            {
              ...base,
              cause: "arch-unsupported",
              required: `CUDA ${known.last} or older (for ${sm})`,
              certainty: "likely",
              message: `${fact.tool} builds no code for ${sm} any more: ${known.name} went with CUDA ${known.last}`,
              fixes: [fix(`take ${sm} out of the list of architectures, or use CUDA ${known.last}`)],
            },
            {
              ...base,
              cause: "upstream-bug",
              name: "the build's list of architectures",
              required: `an nvcc that still knows ${sm}`,
              certainty: "possible",
              message: `or the sources are older than this nvcc: their build files name ${sm} for everybody`,
              fixes: [fix(`take a newer release of the sources, or take ${sm} out of their setup.py or CMakeLists.txt`)],
            },
            {
              ...base,
              cause: "cuda-home-wrong",
              required: `CUDA ${known.last} or older`,
              certainty: "possible",
              message: "or another toolkit is meant, and CUDA_HOME or PATH selects this one",
              fixes: [],
            },
          ],
        };
      const old: Suspect = {
        ...base,
        cause: "toolkit-too-old",
        required,
        certainty: "likely",
        message: `${fact.tool}${has === undefined ? "" : ` of CUDA ${has}`} does not know ${sm ?? "this GPU"}${known ? `, which came with CUDA ${known.first}` : ""}`,
        fixes: [selectToolkit(`install CUDA ${known?.first ?? "of this GPU's generation"} or newer, and put it first`, known?.first)],
      };
      // A newer toolkit stands in the text: it is not the one that ran.
      const newer = context.toolkits.find(({ version, from }) => from !== "nvcc" && known && compareDotted(version, known.first) >= 0);
      const homeWrong: Suspect = {
        ...base,
        cause: "cuda-home-wrong",
        required: newer && fact.tool === "nvcc" ? `the nvcc of CUDA ${newer.version}` : required,
        certainty: "possible",
        message:
          newer && fact.tool === "nvcc"
            ? `CUDA ${newer.version} is spoken of, which knows ${sm ?? "this GPU"}, and CUDA_HOME or PATH selects an older nvcc`
            : "or a newer toolkit is installed, and CUDA_HOME or PATH selects the old one",
        fixes: [selectToolkit("select the newer toolkit", newer?.version)],
      };
      const arch: Suspect = {
        ...base,
        cause: "arch-unsupported",
        required,
        certainty: "likely",
        message: `the NVRTC that ${torch.version === undefined ? "the program" : `PyTorch ${torch.version}`} brings${has === undefined ? "" : ` (CUDA ${has})`} does not know ${sm ?? "this GPU"}`,
        fixes: [fix(`install a build with CUDA ${known?.first ?? "of this GPU's generation"} or newer`)],
      };
      if (fact.tool === "nvrtc") return { weight: weights.said, suspects: [arch, { ...old, certainty: "possible" }] };
      return {
        weight: weights.said,
        suspects:
          newer && fact.tool === "nvcc"
            ? [
                { ...homeWrong, certainty: "likely" },
                { ...old, certainty: "possible" },
              ]
            : [old, homeWrong],
      };
    });
}

function tooOldToBuild(fact: Fact<"arch-refused">, sm: string, found: string, evidence: Fact[]): Problem {
  const base = { name: fact.tool, found, evidence, next: [`${fact.tool} --version`, "nvidia-smi -L"] };
  return {
    weight: weights.said,
    suspects: [
      {
        ...base,
        cause: "arch-unsupported",
        required: `CUDA 8.0 or older (for ${sm})`,
        certainty: "likely",
        message: `${fact.tool} builds no code for ${sm} any more: CUDA 9 dropped Fermi`,
        fixes: [fix(`take ${sm} out of the list of architectures, and put in that of your GPU`)],
      },
      {
        ...base,
        cause: "cuda-home-wrong",
        required: "CUDA 8.0 or older",
        certainty: "possible",
        message: "or an older toolkit is meant, and CUDA_HOME or PATH selects this one",
        fixes: [],
      },
    ],
  };
}

/** A program that compiles its kernels with NVRTC on the spot refuses an old one. */
function outdated(facts: Facts): Problem[] {
  const [fact] = facts.notices("hashcat-toolkit");
  if (!fact) return [];
  const base = {
    name: "libnvrtc.so",
    library: "nvrtc",
    required: "a newer CUDA toolkit",
    found:
      fact.found!.length < 4
        ? fact.found!
        : `CUDA ${Math.floor(Number(fact.found) / 1000)}.${Math.floor((Number(fact.found) % 1000) / 10)}`,
    evidence: [fact],
    next: ["ldconfig -p | grep nvrtc", "nvcc --version"],
    fixes: [fix("install a newer CUDA toolkit, and see that no older NVRTC is found before it")],
  };
  return [
    {
      weight: weights.said,
      suspects: [
        { ...base, cause: "toolkit-too-old", certainty: "likely", message: "the toolkit's NVRTC is older than the program takes" },
        { ...base, cause: "library-wrong-version", certainty: "possible", message: "or an older NVRTC is found before the right one" },
      ],
    },
  ];
}

/** NVRTC refused an option, and the program tells for which architecture it asked. */
function refusedOption(facts: Facts): Problem[] {
  const [fact] = facts.notices("nvrtc-invalid-option");
  if (!fact || facts.has("arch-refused")) return [];
  const asked = facts.notices("nvrtc-architecture")[0];
  const known = asked && architecture(asked.subject!);
  const evidence = [fact, ...(asked ? [asked] : [])];
  const base = { name: "libnvrtc.so", library: "nvrtc", evidence, next: ["ldconfig -p | grep nvrtc", "culprit why libnvrtc"] };
  const old: Suspect = {
    ...base,
    cause: "toolkit-too-old",
    ...(known ? { required: `NVRTC of CUDA ${known.first} or newer (for ${known.sm})` } : {}),
    certainty: known ? "likely" : "possible",
    message: known
      ? `NVRTC refuses an option, most likely the architecture ${known.sm}, which came with CUDA ${known.first}: an older NVRTC is loaded`
      : "NVRTC refuses an option: it may be older than the program or the GPU",
    fixes: [fix("let the program find the NVRTC of the toolkit that it was built with")],
  };
  return [
    {
      weight: known ? weights.failed : weights.hint,
      suspects: [
        old,
        { ...old, cause: "library-wrong-version", certainty: "possible", message: "or an NVRTC of another release is found first" },
        { ...base, cause: "not-a-mismatch", certainty: "possible", message: "or the program gives an option that no NVRTC has", fixes: [] },
      ],
    },
  ];
}

/** Triton's own LLVM does not know the GPU: what it makes without knowing fails later, or is for a GPU of long ago. */
function unknownProcessor(facts: Facts): Problem[] {
  const [fact] = facts.notices("llvm-processor");
  if (!fact || facts.has("arch-refused")) return [];
  const known = architecture(smOf(fact.subject!) ?? "");
  const base = {
    name: "triton",
    required: known
      ? `a compiler of the time of CUDA ${known.first} or newer (for ${fact.subject})`
      : `a compiler that knows ${fact.subject}`,
    evidence: [fact],
  };
  return [
    {
      weight: weights.failed,
      suspects: [
        {
          ...base,
          cause: "toolkit-too-old",
          found: "an older LLVM",
          certainty: "likely",
          message: `the LLVM inside Triton or the program does not know ${fact.subject}: it is older than this GPU`,
          next: ["pip list | grep -i triton"],
          fixes: [fix("install a newer Triton, and the PyTorch that goes with it", "pip install --upgrade torch triton")],
        },
        {
          ...base,
          cause: "arch-unsupported",
          certainty: "possible",
          message: `or the whole build is older than ${fact.subject}`,
          fixes: [fix("install a build of the framework for this GPU")],
        },
      ],
    },
  ];
}

function gaveUp(facts: Facts): Problem[] {
  const [fact] = facts.notices("ptxas-gave-up");
  if (!fact || facts.has("arch-refused") || facts.has("ptx-version")) return [];
  const known = architecture(smOf(fact.subject!) ?? "");
  return [
    {
      weight: weights.failed,
      suspects: [
        {
          cause: "toolkit-too-old",
          name: "ptxas",
          required: known ? `CUDA ${known.first} or newer (for ${fact.subject})` : `a ptxas that knows ${fact.subject}`,
          certainty: "possible",
          message: `ptxas gave up on code for ${fact.subject}: the ptxas that ran may be older than this GPU`,
          evidence: [fact],
          next: ["run the command again alone: its own words say what it does not know", "which -a ptxas; echo $TRITON_PTXAS_PATH"],
          fixes: [
            fix("install a newer Triton and the PyTorch that goes with it", "pip install --upgrade torch triton"),
            ...(known ? [fix("or name a newer ptxas, where that toolkit is installed", ptxasLine(known.first))] : []),
          ],
        },
      ],
    },
  ];
}

function ptx(facts: Facts): Problem[] {
  // The driver has a ptxas of its own; with its error code beside it, that one spoke.
  if (facts.all("cuda-error").some(({ code }) => code === 222)) return [];
  return facts
    .all("ptx-version")
    .filter(({ linker }) => !linker)
    .slice(0, 1)
    .map((fact): Problem => {
      const [wanted, known] = [toolkitWithPtx(fact.wanted), toolkitWithPtx(fact.known)];
      const evidence = [fact, ...facts.notices("triton-ptxas")];
      const old: Suspect = {
        cause: "toolkit-too-old",
        name: "ptxas",
        required: `PTX ${fact.wanted}${wanted === undefined ? "" : ` (CUDA ${wanted})`}`,
        found: `PTX ${fact.known}${known === undefined ? "" : ` (CUDA ${known})`}`,
        certainty: "likely",
        message: `ptxas${known === undefined ? "" : ` of CUDA ${known}`} reads PTX up to ${fact.known} and was given ${fact.wanted}`,
        evidence,
        next: ["which -a ptxas; ptxas --version", "echo $TRITON_PTXAS_PATH"],
        fixes: [
          fix("where TRITON_PTXAS_PATH is set, let Triton's own ptxas run", "unset TRITON_PTXAS_PATH"),
          fix(
            `or use ptxas of CUDA ${wanted ?? "a newer release"} or newer${wanted === undefined ? "" : ", where that toolkit is installed"}`,
            ...(wanted === undefined ? [] : [ptxasLine(wanted)]),
          ),
        ],
      };
      // Triton computed a PTX version that its own ptxas never had: no published toolkit has it.
      const never =
        wanted === undefined && known !== undefined && 0 < facts.notices("triton-ptxas").length && compareDotted(fact.known, "8.0") > 0;
      const bug: Suspect = {
        ...old,
        cause: "upstream-bug",
        name: "triton",
        certainty: "likely",
        message: `Triton asked for PTX ${fact.wanted}, which no published toolkit reads: its table from CUDA to PTX releases is wrong`,
        fixes: [fix("install a release of Triton (and PyTorch) with a corrected table", "pip install --upgrade triton")],
      };
      return { weight: weights.said, suspects: never ? [bug, { ...old, certainty: "possible" }] : [old] };
    });
}

function ages(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  for (const fact of facts.all("tool-age")) {
    if (compareDotted(fact.found, fact.minimum) >= 0) {
      problems.push({
        weight: weights.harmless + 1,
        suspects: [
          {
            cause: "benign-warning",
            name: fact.tool,
            certainty: "certain",
            message: `${fact.found} is not older than ${fact.minimum}: the warning compares wrongly, nothing is to be done`,
            evidence: [fact],
          },
        ],
      });
      continue;
    }
    problems.push({
      weight: weights.warned,
      suspects: [
        {
          cause: "toolkit-too-old",
          name: `${fact.tool} ${fact.found}`,
          required: `${fact.tool} ${fact.minimum} or newer`,
          found: fact.found,
          certainty: "certain",
          message:
            fact.tool === "ptxas"
              ? `${fact.tool} ${fact.found} is first on PATH, and is known to compile some kernels wrongly; ${fact.minimum} or newer is needed`
              : `${fact.tool} ${fact.found} is found, and ${fact.minimum} or newer is needed`,
          evidence: [fact],
          next: [fact.tool === "ptxas" ? "which -a ptxas; ptxas --version" : "nvcc --version; conda list | grep -i cuda"],
          fixes: [
            fix("install a newer ptxas alone", "pip install nvidia-cuda-nvcc-cu12"),
            selectToolkit("or put a newer toolkit first", undefined),
          ],
        },
      ],
    });
  }
  const old = facts.notices("ptxas-too-old");
  // What the driver then could not load is the consequence.
  const stopped = facts.all("cuda-error").filter(({ code }) => code === 200 || code === 218 || code === 222);
  if (0 < old.length)
    problems.push({
      weight: 0 < stopped.length ? weights.said + 1 : weights.warned,
      suspects: [
        {
          cause: "toolkit-too-old",
          name: "ptxas",
          required:
            old[0]!.required === undefined ? "a ptxas that knows this GPU" : `a ptxas that knows compute capability ${old[0]!.required}`,
          ...(context.toolkits[0] ? { found: `CUDA ${context.toolkits[0].version}` } : {}),
          certainty: "certain",
          message:
            0 < stopped.length
              ? "ptxas of the toolkit is too old for this GPU; the driver compiled instead, and refused the code"
              : "ptxas of the toolkit is too old for this GPU; the driver compiles instead, more slowly",
          evidence: [...old, ...stopped],
          next: ["which -a ptxas; ptxas --version"],
          fixes: [fix("install a newer toolkit, or its ptxas alone", "pip install nvidia-cuda-nvcc-cu12")],
        },
      ],
    });
  const nvvm = facts.notices("numba-nvvm");
  if (0 < nvvm.length) problems.push(withoutNvvm(nvvm));
  const missing = facts.notices("ptxas-missing", "libdevice-missing", "triton-ptxas-missing");
  if (0 < missing.length && old.length === 0 && nvvm.length === 0) {
    const harmless = missing.every((fact) => fact.id === "ptxas-missing");
    const base = {
      name: missing.some((fact) => fact.id === "libdevice-missing") ? "libdevice.10.bc" : "ptxas",
      required: "the compiler parts of a CUDA toolkit",
      found: "none found",
      evidence: missing,
      next: ["which ptxas; echo $CUDA_HOME $XLA_FLAGS"],
      fixes: [
        fix("install the compiler parts", "pip install nvidia-cuda-nvcc-cu12"),
        fix("or say where the toolkit is", "export XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda"),
      ],
    };
    problems.push({
      weight: harmless ? weights.hint : weights.failed,
      suspects: [
        {
          ...base,
          cause: "library-not-on-path",
          certainty: "possible",
          message: "the compiler parts of CUDA are not found: they may be installed elsewhere",
        },
        { ...base, cause: "library-missing", certainty: "possible", message: "or they are not installed" },
        {
          ...base,
          cause: "cuda-home-wrong",
          certainty: "possible",
          message: "or CUDA_HOME or --xla_gpu_cuda_data_dir names the wrong folder",
        },
      ],
    });
  }
  const table = facts.notices("triton-ptx-table")[0];
  if (table)
    problems.push({
      weight: weights.said,
      suspects: [
        {
          cause: "toolkit-too-old",
          name: "ptxas",
          required: `CUDA ${table.required}`,
          ...(table.found === undefined ? {} : { found: table.found }),
          certainty: "certain",
          message: "Triton was given a ptxas that is too old",
          evidence: [table],
          fixes: [fix("unset TRITON_PTXAS_PATH, or name a newer ptxas")],
        },
      ],
    });
  const builtins = facts.notices("nvrtc-builtins")[0];
  if (builtins) {
    const dll = builtins.subject?.endsWith(".dll") ? builtins.subject : undefined;
    const base = {
      name: builtins.subject ?? "libnvrtc-builtins.so",
      library: "nvrtc",
      required: builtins.subject ?? "",
      evidence: [builtins],
      next: dll === undefined ? [whyLine("libnvrtc", context), "echo $LD_LIBRARY_PATH"] : [`where ${dll}`],
    };
    const digits = /_(\d{2})(\d)/.exec(dll ?? "");
    const release = digits ? `${digits[1]}.${digits[2]}` : /(\d{1,2}\.\d{1,2})$/.exec(builtins.subject ?? "")?.[1];
    problems.push({
      weight: weights.refused,
      symptom: `NVRTC does not find \`${builtins.subject}\``,
      suspects: [
        {
          ...base,
          cause: "library-not-on-path",
          certainty: "possible",
          message: `NVRTC opens \`${builtins.subject}\` by name, and its folder is not searched`,
          fixes: [
            dll !== undefined
              ? fix(`put the \`bin\` folder of ${release === undefined ? "the toolkit" : `CUDA ${release}`}, where \`${dll}\` is, on PATH`)
              : withFolderOf(builtins.subject ?? "libnvrtc-builtins.so*"),
          ],
        },
        {
          ...base,
          cause: "library-missing",
          certainty: "possible",
          message: "or it is not installed beside NVRTC",
          fixes: [
            dll !== undefined
              ? fix(`install CUDA ${release ?? "of this release"} as a whole`)
              : fix(
                  "install NVRTC of the same release",
                  release === undefined
                    ? "pip install --force-reinstall nvidia-cuda-nvrtc-cu12"
                    : `pip install "nvidia-cuda-nvrtc-cu${release.split(".")[0]}==${release}.*"`,
                ),
          ],
        },
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: "or NVRTC and its built-ins are of different releases",
          fixes: [],
        },
      ],
    });
  }
  return problems;
}

// Numba compiles with libNVVM, which is part of the toolkit and of no wheel of PyTorch.
function withoutNvvm(evidence: Fact<"notice">[]): Problem {
  const base = {
    name: "libnvvm.so",
    library: "nvvm",
    required: "libNVVM, libdevice and the CUDA runtime of one toolkit",
    found: "none that Numba finds",
    evidence,
    next: ["numba -s | grep -i -A12 cuda", "echo $CUDA_HOME"],
    fixes: [
      fix("install the compiler parts beside Numba", "conda install -c conda-forge cuda-nvcc cuda-nvrtc", 'pip install "numba-cuda[cu12]"'),
      fix("or say where the toolkit is", "export CUDA_HOME=/usr/local/cuda"),
    ],
  };
  return {
    weight: weights.failed,
    suspects: [
      {
        ...base,
        cause: "library-missing",
        certainty: "likely",
        message: "Numba does not find libNVVM: no CUDA toolkit is installed for it",
      },
      { ...base, cause: "library-not-on-path", certainty: "possible", message: "or the toolkit lies where Numba does not look" },
      { ...base, cause: "cuda-home-wrong", certainty: "possible", message: "or CUDA_HOME names a folder without a toolkit" },
      {
        ...base,
        cause: "library-wrong-version",
        certainty: "possible",
        message: "or the toolkit is of a release that this Numba does not know",
      },
    ],
  };
}

// Headers that came with a later CUDA, by the release that brought them.
const since: { [header: string]: string } = {
  "cuda_fp8.h": "11.8",
  "cuda_bf16.h": "11.0",
  "cuda_fp4.h": "12.8",
  "cuda_fp6.h": "12.8",
  "cuda_pipeline.h": "11.0",
};

/** A program is to be compiled, and the compiler finds no header of CUDA or of a library on top. */
function headers(facts: Facts, context: Context): Problem[] {
  const [fact] = facts.notices("header-missing");
  if (!fact) return [];
  const header = fact.subject!;
  const first = since[header];
  const base = {
    name: header,
    required: first === undefined ? `${header} where the compiler looks` : `${header} (CUDA ${first} or newer)`,
    found: context.toolkits[0] ? `CUDA ${context.toolkits[0].version}` : "not found",
    evidence: [fact],
    next: [`find / -name ${header.split("/").at(-1)} 2>/dev/null`, "echo $CUDA_HOME $CPATH; which -a nvcc"],
  };
  const old: Suspect = {
    ...base,
    cause: "toolkit-too-old",
    certainty: "likely",
    message: `\`${header}\` came with CUDA ${first}: the toolkit that is used is older`,
    fixes: [selectToolkit(`install CUDA ${first} or newer, and put it first`, first)],
  };
  const missing: Suspect = {
    ...base,
    cause: "library-missing",
    certainty: first === undefined ? "likely" : "possible",
    message: `\`${header}\` is not found: what brings it is not installed for building; packages of libraries alone hold no headers`,
    fixes: [
      /cudnn/.test(header)
        ? fix("install cuDNN with its headers", "sudo apt-get install libcudnn9-dev-cuda-12")
        : /nccl/.test(header)
          ? fix("install NCCL with its headers", "sudo apt-get install libnccl-dev")
          : fix("install the toolkit with its headers", "sudo apt-get install cuda-toolkit-12-6", "conda install -c nvidia cuda-toolkit"),
    ],
  };
  const home: Suspect = {
    ...base,
    cause: "cuda-home-wrong",
    certainty: "possible",
    message: "or it is installed, and CUDA_HOME or CPATH does not name its folder",
    fixes: [fix("say where it is", "export CUDA_HOME=/usr/local/cuda CPATH=/usr/local/cuda/include:$CPATH")],
  };
  return [{ weight: weights.failed, suspects: first === undefined ? [missing, home] : [old, missing, home] }];
}

function builds(facts: Facts, context: Context): Problem[] {
  const other = facts.notices("extension-other-cuda");
  const told = other.find(({ required }) => required !== undefined)?.required;
  const compiler = context.toolkits.find(({ from, version }) => from === "nvcc" && version !== told);
  const old = facts.notices("nvcc-too-old");
  const found: Problem[] = [];
  if (0 < other.length)
    found.push({
      weight: weights.said,
      suspects: [
        {
          cause: "toolkit-vs-framework-at-build",
          name: "nvcc",
          required: told === undefined ? "the CUDA that PyTorch was built with" : `CUDA ${told}, with which PyTorch was built`,
          ...(compiler === undefined ? {} : { found: `CUDA ${compiler.version}` }),
          certainty: "certain",
          message: "an extension is built with another CUDA than PyTorch was",
          evidence: [...other, ...(compiler === undefined ? [] : [compiler])],
          next: ["nvcc --version", 'python -c "import torch; print(torch.version.cuda)"'],
          fixes: [selectToolkit("build with the toolkit of PyTorch's CUDA", told)],
        },
      ],
    });
  if (old[0])
    found.push({
      weight: weights.said,
      suspects: [
        {
          cause: "toolkit-too-old",
          name: "nvcc",
          required: `CUDA ${old[0].required ?? ""} or newer`,
          certainty: "likely",
          message: "nvcc is older than the extension needs",
          evidence: old,
          next: ["nvcc --version"],
          fixes: [selectToolkit("install a newer toolkit, and put it first", old[0].required)],
        },
        {
          cause: "cuda-home-wrong",
          name: "CUDA_HOME",
          certainty: "possible",
          message: "or a newer toolkit is installed, and CUDA_HOME or PATH selects the old one",
          evidence: old,
        },
      ],
    });
  return [...found, ...otherMajor(facts, context), ...buildPairs(facts, context)];
}

// The build of an extension broke, and the toolkit that is spoken of is of another major than PyTorch's CUDA.
function otherMajor(facts: Facts, context: Context): Problem[] {
  const failed = facts.notices("extension-build-failed");
  const { cuda, facts: known } = context.framework("torch");
  const compiler = context.toolkits.find(({ from }) => from === "nvcc");
  if (failed.length === 0 || cuda === undefined || compiler === undefined || majorOf(cuda) === majorOf(compiler.version)) return [];
  const base = {
    required: `CUDA ${cuda}`,
    found: `CUDA ${compiler.version}`,
    evidence: [...failed, compiler, ...known.slice(0, 1)],
    next: ["echo $CUDA_HOME; which -a nvcc", "read the compiler's first error: it says what it does not know"],
    fixes: [fix(`build with CUDA ${cuda}`, `export CUDA_HOME=/usr/local/cuda-${cuda} PATH=/usr/local/cuda-${cuda}/bin:$PATH`)],
  };
  return [
    {
      weight: weights.hint,
      suspects: [
        {
          ...base,
          cause: "toolkit-vs-framework-at-build",
          name: "nvcc",
          certainty: "possible",
          message: `an extension is compiled with nvcc of CUDA ${compiler.version}, and PyTorch was built with CUDA ${cuda}`,
        },
        {
          ...base,
          cause: "cuda-home-wrong",
          name: "CUDA_HOME",
          certainty: "possible",
          message: `or CUDA ${cuda} is installed too, and CUDA_HOME or PATH selects ${compiler.version}`,
        },
      ],
    },
  ];
}

// PyTorch has builds for some releases of CUDA only; one for an earlier release of the same major does.
function torchFor(cuda: string): ReturnType<typeof fix>[] {
  const build = torchBuildFor(cuda);
  if (!build || majorOf(build.cuda) !== majorOf(cuda)) return [];
  return [
    fix(
      `or install a PyTorch built with CUDA ${build.cuda}`,
      `pip install torch --index-url https://download.pytorch.org/whl/${build.variant}`,
    ),
  ];
}

function buildPairs(facts: Facts, context: Context): Problem[] {
  const torch = context.framework("torch").version;
  return facts.all("built-with").map((fact): Problem => {
    if (fact.other === "nvcc")
      return {
        weight: weights.said,
        suspects: [
          {
            cause: "toolkit-vs-framework-at-build",
            name: "nvcc",
            required: fact.built,
            found: fact.otherBuilt,
            certainty: "certain",
            message: `an extension is built with nvcc of CUDA ${fact.otherBuilt}, and PyTorch was built with CUDA ${fact.built}`,
            evidence: [fact],
            next: ["echo $CUDA_HOME; which -a nvcc", 'python -c "import torch; print(torch.version.cuda)"'],
            fixes: [
              fix(
                `build with CUDA ${fact.built}`,
                `export CUDA_HOME=/usr/local/cuda-${fact.built} PATH=/usr/local/cuda-${fact.built}/bin:$PATH`,
              ),
              ...torchFor(fact.otherBuilt),
            ],
          },
          {
            cause: "cuda-home-wrong",
            name: "CUDA_HOME",
            required: fact.built,
            found: fact.otherBuilt,
            certainty: "possible",
            message: `or CUDA ${fact.built} is installed too, and CUDA_HOME or PATH selects ${fact.otherBuilt}`,
            evidence: [fact],
            fixes: [],
          },
        ],
      };
    return {
      weight: weights.said,
      suspects: [
        {
          cause: "wrong-wheel-cuda-version",
          name: fact.what,
          ...(fact.otherBuilt === "" ? {} : { required: `CUDA ${fact.otherBuilt}` }),
          ...(fact.built === "" ? {} : { found: `CUDA ${fact.built}` }),
          certainty: "certain",
          message: `${fact.what} was built for ${fact.built === "" ? "another CUDA" : `CUDA ${fact.built}`}, PyTorch for ${fact.otherBuilt === "" ? "another" : `CUDA ${fact.otherBuilt}`}`,
          evidence: [fact],
          next: ["pip list | grep -i torch"],
          fixes: [
            fix(
              `install the ${fact.what} that belongs to this PyTorch`,
              ...(torch === undefined || fact.otherBuilt === ""
                ? []
                : [
                    `pip install --force-reinstall --no-cache-dir ${fact.what.replaceAll("_", "-")} -f https://data.pyg.org/whl/torch-${torch.replace(/\+.*$/, "")}+cu${fact.otherBuilt.replace(".", "")}.html`,
                  ]),
            ),
          ],
        },
        {
          cause: "package-conflict",
          name: fact.what,
          certainty: "possible",
          message: "the two packages come from different sources or releases",
          evidence: [fact],
          fixes: [],
        },
      ],
    };
  });
}

const knownCompiler = ({ found, subject, required }: Fact<"notice">) =>
  found !== undefined
    ? `gcc up to ${found}`
    : subject !== undefined
      ? `Visual Studio ${subject}`
      : `clang before ${required ?? "this one"}`;

/** Of a gcc that is refused no more is known than that it is newer than the last one that is not. */
function newerToolkit({ found }: Fact<"notice">): string {
  const refused = found === undefined ? undefined : Number(found.split(".")[0]) + 1;
  const first = refused === undefined ? undefined : firstToolkitFor(refused);
  return first === undefined ? "" : `: CUDA ${first} or newer takes gcc ${refused}`;
}

function home(facts: Facts, context: Context): Problem[] {
  const unset = facts.notices("cuda-home-unset", "no-cuda-toolset", "nvcc-missing", "cuda-path-missing");
  // CuPy warns of it and works with the libraries of wheels all the same.
  const onlyWarned = unset.every(({ id }) => id === "cuda-path-missing");
  if (unset.length === 0)
    return facts
      .notices("host-compiler")
      .slice(0, 1)
      .map((fact) => ({
        weight: weights.refused,
        suspects: [
          {
            cause: "toolkit-too-old",
            name: "nvcc",
            required: "a toolkit that knows this compiler",
            found: `a toolkit that knows ${knownCompiler(fact)}`,
            certainty: "likely",
            message: `the host compiler is newer than nvcc knows (${knownCompiler(fact)})`,
            evidence: [fact],
            next: [fact.subject === undefined ? "gcc --version; nvcc --version" : "cl; nvcc --version"],
            fixes: [
              fact.found === undefined
                ? fix("use an older compiler")
                : fix(`use an older compiler`, `export CC=gcc-${fact.found} CXX=g++-${fact.found}`),
              fix(`or a newer toolkit${newerToolkit(fact)}`),
            ],
          },
        ],
      }));
  const wheel = context.framework("torch").cuda ?? context.toolkits[0]?.version;
  const base = {
    name: "nvcc",
    required: wheel === undefined ? "a CUDA toolkit with nvcc, and CUDA_HOME" : `the CUDA ${wheel} toolkit with nvcc, and CUDA_HOME`,
    found: "no CUDA_HOME and no nvcc",
    evidence: unset,
    next: ["which -a nvcc; ls -d /usr/local/cuda*"],
  };
  const minor = wheel === undefined ? "" : `-${wheel.split(".").slice(0, 2).join("-")}`;
  return [
    {
      weight: onlyWarned ? weights.hint : weights.refused,
      suspects: [
        {
          ...base,
          cause: "library-missing",
          certainty: "likely",
          message:
            "an extension is to be compiled, and no CUDA toolkit with nvcc is found; wheels and conda's cudatoolkit bring only the libraries",
          fixes: [
            fix("install the toolkit", `sudo apt-get install cuda-toolkit${minor}`, `conda install -c nvidia cuda-nvcc cuda-toolkit`),
          ],
        },
        {
          ...base,
          cause: "cuda-home-wrong",
          certainty: "possible",
          message: "or a toolkit is installed, and CUDA_HOME does not name it",
          fixes: [fix("say where it is", `export CUDA_HOME=/usr/local/cuda${wheel === undefined ? "" : `-${wheel}`}`)],
        },
      ],
    },
  ];
}
