import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, selectToolkit } from "../fixes.ts";

/** A build that failed, and the text says with which toolkit, or only that it failed. */
export default function builds(facts: Facts, context: Context): Problem[] {
  return [...otherToolkit(facts, context), ...withoutCupti(facts)];
}

// What a compiler says about a mismatch itself has steps of its own.
const explained = ["arch-refused", "built-with", "tool-age", "ptx-version"] as const;

function otherToolkit(facts: Facts, context: Context): Problem[] {
  const refused = facts.notices("host-compiler-refused");
  const evidence: Fact[] = [...facts.notices("nvcc-failed"), ...refused];
  if (evidence.length === 0 || explained.some((kind) => facts.has(kind))) return [];
  const met = meeting(context);
  const build = otherCuda(evidence, met, context);
  const home: Suspect = {
    ...build,
    cause: "cuda-home-wrong",
    certainty: met.others ? "likely" : "possible",
    message: met.others
      ? `CUDA_HOME or PATH selects CUDA ${met.toolkit!.version}, and another toolkit is there`
      : "or CUDA_HOME or PATH selects another toolkit than the one that is meant",
  };
  const old: Suspect = {
    ...build,
    cause: "toolkit-too-old",
    certainty: "possible",
    message: "or nvcc, or the C++ compiler behind it, is older than these headers need",
    fixes: [fix("build with a newer compiler that this nvcc takes; conda-forge has `gxx_linux-64`")],
  };
  const order = met.others ? [home, build, old] : met.apart ? [build, home, old] : [build, ofSources(build, 0 < refused.length), old, home];
  return [{ weight: met.apart ? weights.refused : weights.hint, symptom: "the build with nvcc failed", suspects: order }];
}

interface Meeting {
  wanted?: string;
  toolkit?: Fact<"toolkit">;
  /** The compiler is of another CUDA than PyTorch. */
  apart: boolean;
  /** And another toolkit, which would do, is there. */
  others: boolean;
}

function meeting(context: Context): Meeting {
  const torch = context.framework("torch");
  const built = torch.version === undefined ? undefined : frameworkRelease("torch", torch.version)?.release.cuda;
  const wanted = torch.cuda ?? built ?? context.framework("program").cuda;
  const toolkit = context.toolkits.find(({ from }) => from === "nvcc") ?? context.toolkits.find(({ from }) => from === "path");
  if (wanted === undefined || toolkit === undefined) return { apart: false, others: false, ...(toolkit ? { toolkit } : {}) };
  const apart = majorOf(wanted) !== majorOf(toolkit.version) || (toolkit.from === "nvcc" && wanted !== toolkit.version);
  const others = context.toolkits.some(({ version }) => version !== toolkit.version && majorOf(version) === majorOf(wanted));
  return { wanted, toolkit, apart, others: apart && others };
}

function otherCuda(evidence: Fact[], { wanted, toolkit, apart }: Meeting, context: Context): Suspect {
  return {
    cause: "toolkit-vs-framework-at-build",
    name: "nvcc",
    ...(wanted === undefined ? {} : { required: `the CUDA that PyTorch was built with (${wanted})` }),
    ...(toolkit === undefined ? {} : { found: `nvcc of CUDA ${toolkit.version}` }),
    certainty: apart ? "likely" : "possible",
    message: apart
      ? `the extension is compiled with CUDA ${toolkit!.version}, and PyTorch was built with ${wanted}`
      : "the toolkit or compiler does not fit the PyTorch whose headers are compiled",
    evidence: [...evidence, ...(toolkit ? [toolkit] : []), ...context.framework("torch").facts.slice(0, 1)],
    next: ["echo $CUDA_HOME; which nvcc; nvcc --version", 'python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
    fixes: [selectToolkit("build with the toolkit of PyTorch's CUDA", wanted)],
  };
}

const ofSources = (build: Suspect, compiler: boolean): Suspect => ({
  ...build,
  cause: "not-a-mismatch",
  name: compiler ? "the C++ compiler" : "the sources",
  certainty: "possible",
  message: compiler
    ? "or the compiler that the environment selects is none that nvcc takes: a module of the cluster sets it"
    : "or the sources do not fit this release of PyTorch: the first `error:` of the compiler says where",
  fixes: compiler ? [fix("let nvcc use GCC: unload the compiler's module, or name it", "export CC=gcc CXX=g++ CUDAHOSTCXX=g++")] : [],
});

function withoutCupti(facts: Facts): Problem[] {
  const evidence = facts.notices("cupti-not-found-at-build");
  if (evidence.length === 0) return [];
  const base = {
    name: "libcupti.so",
    library: "cupti",
    required: "CUPTI where the build looks",
    found: "not found",
    evidence,
    next: ["find /usr/local/cuda/ -name 'libcupti*'"],
  };
  return [
    {
      weight: weights.warned,
      suspects: [
        {
          ...base,
          cause: "library-not-on-path",
          certainty: "likely",
          message: "the build does not find CUPTI, and goes on without profiling the GPU: the toolkit keeps it in `extras/CUPTI`",
          fixes: [
            fix(
              "name its folder to CMake, then configure again from an empty build folder",
              "export CMAKE_PREFIX_PATH=/usr/local/cuda/extras/CUPTI:$CMAKE_PREFIX_PATH",
            ),
          ],
        },
        {
          ...base,
          cause: "library-missing",
          certainty: "possible",
          message: "or it is not installed: NVIDIA's packages have it apart",
          fixes: [
            fix(
              "install the package `cuda-cupti-dev` of the toolkit's release; this shows the releases:",
              "apt-cache search cuda-cupti-dev",
            ),
          ],
        },
      ],
    },
  ];
}
