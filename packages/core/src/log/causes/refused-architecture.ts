import { compareDotted } from "../../knowledge/dotted.ts";
import { isTegra } from "../../knowledge/gpu-code.ts";
import { cudaToolkits } from "../../knowledge/texts/cuda-toolkits.generated.ts";
import { architecture, smOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, selectToolkit } from "../fixes.ts";
import { torchBuildLine, torchForGpu } from "../torch-lines.ts";
import { smIn } from "./architecture.ts";

/** A compiler does not know the architecture that it is to build for. */
export default function refusedArchitecture(facts: Facts, context: Context): Problem[] {
  return facts
    .all("arch-refused")
    .slice(0, 3)
    .map((fact): Problem => {
      const seen = smIn(facts);
      const sm = (fact.architecture === undefined ? undefined : smOf(fact.architecture)) ?? seen?.sm;
      const known = sm === undefined ? undefined : architecture(sm);
      const torch = context.framework("torch");
      const has = torch.cuda !== undefined && fact.tool === "nvrtc" ? torch.cuda : context.toolkits[0]?.version;
      const evidence = [fact, ...(seen ? [seen.fact] : []), ...(context.toolkits[0] ? [context.toolkits[0]] : [])];
      const required = known ? `CUDA ${known.first} or newer (for ${sm})` : `a ${fact.tool} that knows ${sm ?? "this GPU"}`;
      // An nvcc that is older than a GPU of ten years ago is hardly met: where none is named, it is newer.
      const gone = known?.last !== undefined && (has === undefined || compareDotted(known.last, has) < 0);
      const isFermi = known === undefined && sm !== undefined && Number(/\d{2,3}/.exec(sm)?.[0] ?? 99) < 30;
      const found = has === undefined ? `${gone || isFermi ? "a newer" : "an older"} ${fact.tool}` : `CUDA ${has}`;
      // Fermi and older went before the list of architectures begins.
      if (isFermi) return tooOldToBuild(fact, sm, found, evidence);
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
              fixes:
                fact.tool === "nvrtc"
                  ? [
                      fix(
                        `let the program compile with CUDA ${known.last}, the last that knows this GPU: in a conda environment`,
                        `conda install -c conda-forge cudatoolkit=${known.last}`,
                      ),
                    ]
                  : [fix(`take ${sm} out of the list of architectures, or use CUDA ${known.last}`)],
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
        fixes: isOfTriton(fact, facts)
          ? tritonsFixes(sm, known?.first, facts, context)
          : ofBoth(
              selectToolkit(`install CUDA ${known?.first ?? "of this GPU's generation"} or newer, and put it first`, known?.first),
              fact.tool === "nvcc" && sm !== undefined && has !== undefined ? olderCode(sm, has, facts) : undefined,
              context,
            ),
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

/** Triton brings a ptxas of its own, and takes another one where a variable names it. */
const isOfTriton = ({ tool }: Fact<"arch-refused">, facts: Facts): boolean =>
  tool === "ptxas" &&
  (0 < facts.all("traceback").filter(({ package: name }) => name === "triton").length ||
    facts.everything().some(({ at }) => /triton/i.test(at.text)));

/** Its own ptxas came with the PyTorch: a newer one brings a newer one. A toolkit helps who has it. */
function tritonsFixes(sm: string | undefined, first: string | undefined, facts: Facts, { toolkits }: Context): ReturnType<typeof fix>[] {
  const build = sm === undefined ? undefined : torchForGpu(sm, facts);
  const newer =
    build &&
    fix(`take a PyTorch that was built for this GPU (${build.version}): its Triton brings a ptxas that knows it`, torchBuildLine(build));
  const has = first !== undefined && toolkits.some(({ version }) => 0 <= compareDotted(version, first));
  const own = tritonsPtxas(first);
  if (!newer) return [own];
  return has ? [own, { ...newer, fix: `or ${newer.fix}` }] : [newer, { ...own, fix: `or ${own.fix}` }];
}

const tritonsPtxas = (first: string | undefined) =>
  fix(
    `let Triton use the ptxas of a toolkit${first === undefined ? " that knows the GPU" : ` of CUDA ${first} or newer`} (this is the usual place; newer Triton releases read the second variable on Blackwell)`,
    "export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas",
    "export TRITON_PTXAS_BLACKWELL_PATH=/usr/local/cuda/bin/ptxas",
  );

/** Code of the newest architecture that this toolkit knows runs on the GPU too: as it is within one major, else through its PTX. */
function olderCode(sm: string, has: string, facts: Facts): ReturnType<typeof fix> | undefined {
  const numberOf = (name: string) => Number(/\d{2,3}/.exec(name)?.[0] ?? 0);
  const release = has.split(".").slice(0, 2).join(".");
  const newest = cudaToolkits()
    .architectures.filter((each) => compareDotted(each.first, release) <= 0 && numberOf(each.sm) < numberOf(sm) && !isTegra(each.sm))
    .map((each) => numberOf(each.sm))
    .sort((a, b) => b - a)[0];
  if (newest === undefined) return undefined;
  const isSame = Math.floor(newest / 10) === Math.floor(numberOf(sm) / 10);
  const dotted = `${Math.floor(newest / 10)}.${newest % 10}`;
  // Build scripts in Rust ask for one capability, and without the variable for that of the GPU.
  const rust = facts.all("arch-refused").some(({ at }) => /cannot target gpu arch/.test(at.text));
  if (rust)
    return fix(
      `build for sm_${newest}, the newest that nvcc of CUDA ${release} knows: ${isSame ? `its code runs on ${sm}` : `the driver translates its PTX for ${sm}`}`,
      `export CUDA_COMPUTE_CAP=${newest}`,
    );
  const tiny = facts.everything().some(({ at }) => /tiny[-_]?cuda[-_]?nn|tcnn/i.test(at.text));
  return fix(
    `build for sm_${newest}, the newest that nvcc of CUDA ${release} knows: ${isSame ? `its code runs on ${sm}` : `the driver translates its PTX for ${sm}`}. Extensions of PyTorch take it from this variable, others as an option of nvcc or CMake`,
    tiny ? `export TCNN_CUDA_ARCHITECTURES=${newest}` : `export TORCH_CUDA_ARCH_LIST="${dotted}${isSame ? "" : "+PTX"}"`,
  );
}

/** What leaves the toolkit as it is comes first where PyTorch is what is built for. */
function ofBoth(toolkit: ReturnType<typeof fix>, code: ReturnType<typeof fix> | undefined, { framework, speaker }: Context) {
  if (!code) return [toolkit];
  const torch =
    speaker === "torch" || framework("torch").version !== undefined || code.commands.some((line) => line.includes("COMPUTE_CAP"));
  return torch ? [code, { ...toolkit, fix: `or ${toolkit.fix}` }] : [toolkit, { ...code, fix: `or ${code.fix}` }];
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
