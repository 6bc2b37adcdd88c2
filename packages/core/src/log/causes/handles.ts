import { compareDotted } from "../../knowledge/dotted.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { gpuNamed } from "../../knowledge/gpus.ts";
import { architecture } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { isTooOld, majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, whyLine, withoutSearchPath } from "../fixes.ts";

/** What a program would say with a variable set. */
const again = (variable: string, says: string) => `run it again with ${variable} set: ${says}`;

const startsNot = /NOT_INITIALIZED|INTERNAL_ERROR|ALLOC_FAILED|EXECUTION_FAILED|MAPPING_ERROR/;

function startsNotIn(facts: Facts): Fact[] {
  const isStarted = facts.notices("cudnn-not-initialized").length === 0;
  return [
    ...facts.all("cudnn-status").filter(({ status }) => startsNot.test(status)),
    ...facts.all("cublas-status").filter(({ status }) => /NOT_INITIALIZED|ALLOC_FAILED/.test(status)),
    ...facts.notices("no-convolution-algorithm", "cudnn-not-initialized"),
    // TensorFlow says of what did not start that it is not found.
    ...(isStarted ? [] : facts.all("unable-to-load").filter(({ library, by }) => library === "cudnn" && by === "tensorflow")),
  ];
}

/** cuDNN and cuBLAS often fail to start because the memory is gone. */
export default function handles(facts: Facts, context: Context): Problem[] {
  const evidence = startsNotIn(facts);
  const driver = facts.notices("maybe-driver");
  // cuBLAS that refuses what is right is cuBLAS of one release over cuBLASLt of another.
  const refused = facts.all("cublas-status").filter(({ status }) => /INVALID_VALUE|NOT_SUPPORTED|EXECUTION_FAILED/.test(status));
  if (evidence.length === 0 && 0 < refused.length) return [otherCublas(refused, context)];
  if (evidence.length === 0) return [];
  const library = evidence.some((fact) => fact.kind === "cublas-status")
    ? { name: "libcublas.so", library: "cublas" }
    : { name: "libcudnn.so", library: "cudnn" };
  const base = { evidence, next: ["nvidia-smi", whyLine(library.name, context)] };
  const title = library.library === "cudnn" ? "cuDNN" : "cuBLAS";
  const free = enough(facts);
  if (free) return [withMemory(free, { ...base, ...library, evidence: [...evidence, free] }, title, facts, context)];
  return [
    {
      weight: weights.hint,
      symptom: `${title} could not start`,
      suspects: [
        ...newerGpu(evidence, facts, context),
        {
          ...base,
          cause: "not-a-mismatch",
          name: "GPU memory",
          // A framework that is installed as a whole has libraries that fit; of another program nothing is known.
          certainty: context.elf ? "possible" : "likely",
          message: `${context.elf ? "" : `${title} could not start: `}most often the GPU's memory is used up, by this program or another`,
          fixes: [memoryFix(context), fix("end other programs on the GPU; this lists them:", "nvidia-smi")],
        },
        {
          ...base,
          ...library,
          cause: "library-wrong-version",
          certainty: "possible",
          message: `or a release that does not fit ${context.speaker === undefined ? "the program" : "the framework"} is loaded`,
          fixes: [],
        },
        ...(0 < driver.length
          ? [
              {
                ...base,
                cause: "driver-too-old" as const,
                name: "libcuda.so.1",
                found: driver[0]!.found ?? "",
                certainty: "possible" as const,
                message: "or the driver is too old for it",
                fixes: [],
              },
            ]
          : []),
        { ...base, ...library, cause: "library-shadowed", certainty: "possible", message: "or another copy is found first", fixes: [] },
      ],
    },
  ];
}

/** The program itself printed how much memory was free, and it was more than cuDNN ever needs to start. */
function enough(facts: Facts): Fact<"notice"> | undefined {
  return facts.notices("gpu-memory-free").find(({ found, required }) => {
    const [free, total] = [Number(found), Number(required)];
    return leastFree < free && total * leastShare < free;
  });
}
const leastFree = 1e9;
const leastShare = 0.1;

type Base = Pick<Suspect, "name" | "library" | "next"> & { evidence: Fact[] };

/** Memory is there: what does not start is of another release than the framework, or than the driver. */
function withMemory(free: Fact<"notice">, base: Base, title: string, facts: Facts, context: Context): Problem {
  const gib = (bytes: string | undefined) => `${(Number(bytes) / 2 ** 30).toFixed(1)} GiB`;
  const because = [`${gib(free.found)} of ${gib(free.required)} were free: memory is not what is missing`];
  const [told] = facts.notices("maybe-driver");
  const driver = context.driver?.version ?? told?.found;
  const cuda = cudaOf(context);
  const tooOld = driver !== undefined && isTooOld(driver, cuda ?? "12.0", facts.on("windows")) === true;
  const older: Suspect = {
    ...base,
    cause: "driver-too-old",
    name: "libcuda.so.1",
    library: "libcuda",
    required: `a driver for CUDA ${cuda ?? "12"}`,
    ...(driver === undefined ? {} : { found: `driver ${driver}` }),
    certainty: tooOld && cuda !== undefined ? "likely" : "possible",
    because,
    message: tooOld ? `driver ${driver} is older than CUDA ${cuda ?? "12"} needs` : "or the driver is too old for it",
    fixes: [fix("install a newer NVIDIA driver"), fix("or install a build of the framework for the CUDA that nvidia-smi shows")],
  };
  const wrong: Suspect = {
    ...base,
    cause: "library-wrong-version",
    certainty: "possible",
    because,
    message: `the ${title} that is loaded is of another release than the framework was built with`,
    fixes: ownLibraries(context),
  };
  const others: Suspect[] = [
    { ...base, cause: "library-shadowed", certainty: "possible", message: "or another copy is found first", fixes: [withoutSearchPath()] },
    ...(title === "cuDNN"
      ? [
          {
            ...base,
            cause: "mixed-cudnn-sublibraries" as const,
            certainty: "possible" as const,
            message: "or its parts are of two releases",
            fixes: [],
          },
        ]
      : []),
    {
      ...base,
      cause: "library-missing",
      certainty: "possible",
      message: "or a part that it opens as it starts is not installed",
      fixes: [],
    },
    { ...base, cause: "upstream-bug", certainty: "possible", message: "or it is a defect of this build", fixes: [] },
  ];
  const old = driver === undefined ? [] : [older];
  return {
    weight: weights.hint,
    symptom: `${title} could not start, with memory free`,
    suspects: [...newerGpu(base.evidence, facts, context), ...(tooOld ? [older, wrong] : [wrong, ...old]), ...others],
  };
}

/** The CUDA that the framework of the text was built for, where its packages or its releases tell. */
function cudaOf({ packages, framework }: Context): string | undefined {
  const label = packages(/^(?:jaxlib|jax-cuda\d{2}-(?:plugin|pjrt))$/)
    .map(({ name, version }) => /\+cuda(\d{2})/.exec(version)?.[1] ?? /cuda(\d{2})/.exec(name)?.[1])
    .find((major) => major !== undefined);
  if (label !== undefined) return `${label}.0`;
  const { version } = framework("tensorflow");
  return version === undefined ? undefined : frameworkRelease("tensorflow", version)?.release.cuda;
}

const ownLibraries = ({ speaker }: Context) =>
  speaker === "jax"
    ? [
        fix(
          "let JAX bring its own libraries, and start it without LD_LIBRARY_PATH",
          'pip install -U "jax[cuda12]"',
          "unset LD_LIBRARY_PATH",
        ),
      ]
    : speaker === "tensorflow"
      ? [
          fix(
            "let TensorFlow bring its own libraries, and start it without LD_LIBRARY_PATH",
            'pip install -U "tensorflow[and-cuda]"',
            "unset LD_LIBRARY_PATH",
          ),
        ]
      : [];

function memoryFix({ speaker }: Context): ReturnType<typeof fix> {
  if (speaker === "tensorflow")
    return fix("let TensorFlow take memory as it needs it, or use less", "export TF_FORCE_GPU_ALLOW_GROWTH=true");
  if (speaker === "jax") return fix("let JAX take memory as it needs it, or use less", "export XLA_PYTHON_CLIENT_PREALLOCATE=false");
  return fix("use less of the GPU's memory: a smaller batch or model");
}

// Without code for the GPU, a library of an older CUDA fails in its first call, and not always with the right words.
function newerGpu(evidence: Fact[], facts: Facts, context: Context): Suspect[] {
  const torch = context.framework("torch");
  const version = torch.version ?? context.packages(/^(?:torch|pytorch)$/)[0]?.version;
  const cuda =
    torch.cuda ??
    (version === undefined ? undefined : frameworkRelease("torch", version)?.release.cuda) ??
    context.toolkits.find(({ from }) => from !== "path")?.version;
  if (cuda === undefined) return [];
  const named = [...facts.all("gpu"), ...facts.notices("gpu-said")].map((fact) => ({
    fact,
    gpu: gpuNamed((fact.kind === "gpu" ? (fact.name ?? fact.capability) : fact.subject) ?? ""),
  }));
  const newer = named.find(({ gpu }) => {
    const first = gpu && architecture(gpu.sm)?.first;
    return first !== undefined && compareDotted(majorOf(first), majorOf(cuda)) > 0;
  });
  if (!newer?.gpu) return [];
  const first = architecture(newer.gpu.sm)!.first;
  return [
    {
      cause: "arch-unsupported",
      name: newer.gpu.name ?? newer.gpu.sm,
      required: `code for ${newer.gpu.sm} (CUDA ${first} or newer)`,
      found: `a build for CUDA ${cuda}`,
      certainty: "likely",
      message: `${newer.gpu.name ?? newer.gpu.sm} came with CUDA ${first}, and a build for CUDA ${cuda} holds no code for it`,
      evidence: [...evidence, newer.fact],
      next: ['python -c "import torch; print(torch.version.cuda, torch.cuda.get_arch_list())"'],
      fixes: [fix(`install a build for CUDA ${first} or newer`)],
    },
    {
      cause: "toolkit-too-old",
      name: `CUDA ${cuda}`,
      required: `CUDA ${first} or newer`,
      found: `CUDA ${cuda}`,
      certainty: "possible",
      message: "where the program is built here: with a toolkit that does not know the GPU",
      evidence: [...evidence, newer.fact],
      fixes: [],
    },
  ];
}

function otherCublas(evidence: Fact[], context: Context): Problem {
  const base = {
    name: "libcublasLt.so",
    library: "cublaslt",
    evidence,
    next: [whyLine("libcublasLt", context), "echo $LD_LIBRARY_PATH"],
  };
  return {
    weight: weights.hint,
    symptom: "cuBLAS refuses a call",
    suspects: [
      {
        ...base,
        cause: "library-shadowed",
        certainty: "possible",
        message: "a cuBLASLt of another release is found before its own",
        fixes: [withoutSearchPath()],
      },
      {
        ...base,
        cause: "library-wrong-version",
        certainty: "possible",
        message: "or cuBLAS is of another release than the framework was built with",
      },
      {
        ...base,
        cause: "not-a-mismatch",
        certainty: "possible",
        message: "or the shapes or types of the call are not supported, or an earlier kernel failed",
        next: [again("CUDA_LAUNCH_BLOCKING=1", "the call that fails is then the one that is named")],
      },
    ],
  };
}
