import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** Something is to be compiled, and no toolkit is found. */
export default function home(facts: Facts, context: Context): Problem[] {
  const within = partOfToolkit(facts);
  if (within) return [within];
  const studio = withoutIntegration(facts);
  if (studio) return [studio];
  const unset = facts.notices("cuda-home-unset", "no-cuda-toolset", "nvcc-missing", "cmake-no-nvcc", "cuda-path-missing");
  // CuPy warns of it and works with the libraries of wheels all the same.
  const onlyWarned = unset.every(({ id }) => id === "cuda-path-missing");
  if (unset.length === 0) return [];
  const rocm = facts.all("framework").find(({ version }) => /rocm/.test(version ?? ""));
  if (rocm) return [forRocm(unset, rocm)];
  const cmake = unset.every(({ id }) => id === "cmake-no-nvcc" || id === "no-cuda-toolset");
  const wheel = context.framework("torch").cuda ?? context.toolkits[0]?.version;
  const base = {
    name: "nvcc",
    required: `${wheel === undefined ? "a CUDA toolkit" : `the CUDA ${wheel} toolkit`} with nvcc, ${cmake ? "where CMake looks" : "and CUDA_HOME"}`,
    found: cmake ? "no nvcc" : "no CUDA_HOME and no nvcc",
    evidence: unset,
    next: ["which -a nvcc; ls -d /usr/local/cuda*"],
  };
  const minor = wheel === undefined ? "" : `-${wheel.split(".").slice(0, 2).join("-")}`;
  const missing: Suspect = {
    ...base,
    cause: "library-missing",
    certainty: "likely",
    message: cmake
      ? "CMake finds no CUDA compiler: no toolkit with nvcc is installed, or its `bin` is not on PATH"
      : "an extension is to be compiled, and no CUDA toolkit with nvcc is found; wheels and conda's cudatoolkit bring only the libraries",
    fixes: [
      ...(cmake && !facts.on("windows") ? [toldToCmake] : []),
      fix(
        `${cmake && !facts.on("windows") ? "or " : ""}install the toolkit`,
        `sudo apt-get install cuda-toolkit${minor}`,
        `conda install -c nvidia cuda-nvcc cuda-toolkit`,
      ),
    ],
  };
  const unnamed: Suspect = {
    ...base,
    cause: "cuda-home-wrong",
    certainty: "possible",
    message: `or a toolkit is installed, and ${cmake ? "is not on PATH" : "CUDA_HOME does not name it"}`,
    fixes: [fix("say where it is", `export CUDA_HOME=/usr/local/cuda${wheel === undefined ? "" : `-${wheel}`}`)],
  };
  return [
    {
      weight: onlyWarned ? weights.hint : weights.refused,
      suspects: isThere(unset, facts, context) ? homeUnnamed(missing, unnamed, context, facts) : [missing, unnamed],
    },
  ];
}

/** PyTorch is one for AMD's GPUs, and what is to be compiled asks for CUDA. */
const forRocm = (unset: Fact<"notice">[], rocm: Fact<"framework">): Problem => ({
  weight: weights.said,
  suspects: [
    {
      cause: "wrong-vendor",
      name: "nvcc",
      required: "a package, or a branch of it, for ROCm",
      found: `torch ${rocm.version}, and a build that asks for CUDA`,
      certainty: "likely",
      message:
        "PyTorch is built for ROCm, and this package compiles for CUDA: no CUDA toolkit is wanted, but the package's own way to build for AMD",
      evidence: [rocm, ...unset],
      next: ["pip list"],
      fixes: [
        fix(
          "see whether its project has a branch, an option or a fork for ROCm; flash-attn builds its part in Triton with this variable:",
          "export FLASH_ATTENTION_TRITON_AMD_ENABLE=TRUE",
        ),
        fix("or do without it: PyTorch's own attention runs on ROCm"),
      ],
    },
  ],
});

/** CMake asks its own variable, then PATH, and keeps what it has found. */
const toldToCmake = fix(
  "where one is installed (`ls -d /usr/local/cuda*`): name its compiler, and start again with an empty build folder",
  "export CUDACXX=/usr/local/cuda/bin/nvcc",
);

/** A project of Visual Studio builds with the part of the toolkit that its installer adds to each Visual Studio that is there. */
function withoutIntegration(facts: Facts): Problem | undefined {
  const said = facts.notices("no-studio-integration");
  const generator = facts.notices("of-visual-studio");
  const unnamed = facts.notices("cmake-no-nvcc");
  if (said.length === 0 && (generator.length === 0 || unnamed.length === 0)) return undefined;
  const base = {
    name: "CUDA's part for Visual Studio",
    required: "a CUDA toolkit that was installed after this Visual Studio",
    ...(generator[0]?.found === undefined ? {} : { found: `Visual Studio ${generator[0].found} without it` }),
    evidence: [...said, ...unnamed, ...generator],
    next: ["where nvcc"],
  };
  return {
    weight: weights.refused,
    suspects: [
      {
        ...base,
        cause: "library-missing",
        certainty: "likely",
        message: "Visual Studio has no part for CUDA: the toolkit's installer adds it only to a Visual Studio that is there before it",
        fixes: [
          fix(
            'run the installer of the CUDA toolkit again, with its component "Visual Studio Integration", then remove the build folder and start again',
          ),
          fix(
            "or copy its files by hand: from `extras\\visual_studio_integration\\MSBuildExtensions` of the toolkit to `MSBuild\\Microsoft\\VC\\…\\BuildCustomizations` of Visual Studio",
          ),
          fix('or build with Ninja from the "x64 Native Tools" prompt, which needs nvcc alone', "cmake -G Ninja -B build"),
        ],
      },
      {
        ...base,
        cause: "cuda-home-wrong",
        certainty: "possible",
        message: "or this Visual Studio is newer than the toolkit knows",
        fixes: [],
      },
    ],
  };
}

/** CUDA_HOME names the folder above bin and lib64: one of these in its place makes `bin/bin/nvcc` of what a build asks for. */
function partOfToolkit(facts: Facts): Problem | undefined {
  const set = facts
    .all("variable")
    .find(({ name, value }) => /^CUDA_(?:HOME|PATH)$/.test(name) && /[\\/](?:bin|lib64|lib|include)[\\/]?$/.test(value));
  if (!set) return undefined;
  const right = set.value.replace(/[\\/](?:bin|lib64|lib|include)[\\/]?$/, "");
  return {
    weight: weights.said,
    suspects: [
      {
        cause: "cuda-home-wrong",
        name: set.name,
        required: right,
        found: set.value,
        certainty: "certain",
        message: `${set.name} names a folder within the toolkit, and must name the toolkit itself: a build looks for \`${set.value}/bin/nvcc\``,
        evidence: [set],
        next: [`ls ${right}/bin/nvcc`],
        fixes: [fix("name the toolkit's own folder", `export ${set.name}=${right}`)],
      },
    ],
  };
}

/** nvcc printed its release, or JetPack brought it: the toolkit is there, whatever the build finds. */
const isThere = (unset: Fact<"notice">[], facts: Facts, { toolkits }: Context): boolean =>
  facts.on("jetson") ||
  toolkits.some(({ from, at }) => from === "path" && /\b(?:is there|exists?|is installed|(?:I|we) (?:do )?have)\b/i.test(at.text)) ||
  (toolkits.some(({ from }) => from === "nvcc") && !unset.some(({ id }) => id === "nvcc-missing"));

function homeUnnamed(missing: Suspect, unnamed: Suspect, { toolkits }: Context, facts: Facts): Suspect[] {
  const nvcc = toolkits.find(({ from }) => from === "nvcc");
  const evidence = [...unnamed.evidence, ...(nvcc ? [nvcc] : [])];
  const cmake = unnamed.evidence.every((fact) => fact.kind === "notice" && (fact.id === "cmake-no-nvcc" || fact.id === "no-cuda-toolset"));
  const found = nvcc ? `nvcc of CUDA ${nvcc.version}${cmake ? "" : ", and no CUDA_HOME"}` : "no CUDA_HOME, and no nvcc on PATH";
  const here = cmake
    ? fix("name the nvcc that answers, and start again with an empty build folder", 'export CUDACXX="$(which nvcc)"')
    : fix("name the folder of the nvcc that answers", 'export CUDA_HOME="$(dirname "$(dirname "$(readlink -f "$(which nvcc)")")")"');
  return [
    {
      ...unnamed,
      certainty: "likely",
      found,
      evidence,
      message: nvcc
        ? cmake
          ? `nvcc of CUDA ${nvcc.version} is there, and CMake does not take it: it looks elsewhere, or a first test with the host compiler failed`
          : `nvcc of CUDA ${nvcc.version} is there, and CUDA_HOME does not name its toolkit where the extension is built`
        : "the toolkit is not named: CUDA_HOME is not set, and nvcc is not on PATH",
      fixes: nvcc && !facts.on("jetson") && !facts.on("windows") ? [here] : (unnamed.fixes ?? []),
    },
    { ...missing, found, evidence, certainty: "possible", message: "or it is not installed with its compiler" },
  ];
}
