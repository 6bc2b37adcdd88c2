import { nameOf } from "../../lib/path.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

const ofStack =
  /torch|tensorflow|jax|gpu|cuda|cudnn|cublas|cufft|cusolver|cusparse|curand|nvrtc|nvinfer|tensorrt|cupti|onnxruntime|ggml|llama|ctranslate2|bitsandbytes|triton|cupy|numba|paddle|mxnet|xformers|flash|c10|caffe2/i;

// "Cannot load onnxruntime.capi. Error: 'DLL load failed…": who tried is named in the line.
const loadedIn = /\b(?:load|import|loading|importing) ["'`]?([A-Za-z]\w{1,60}(?:\.\w{1,60}){0,4})/;

// Microsoft's runtime is what most of such DLLs miss; winget is part of Windows since 10.
const runtime = fix(
  "install Microsoft's newest Visual C++ runtime (x64), and start a new terminal",
  "winget install --id Microsoft.VCRedist.2015+.x64 -e",
);

/** Windows does not load a DLL of the stack, and does not say which of those that it needs is not there. */
export default function dll(facts: Facts, context: Context): Problem[] {
  // A box of Windows, of which somebody tells: the names of the files stand on lines of their own.
  const told =
    0 < facts.notices("entry-point-told").length ? facts.notices("cudnn-part-named").map((fact) => ({ ...fact, id: "dll-refused" })) : [];
  const refused = [...facts.notices("dll-not-found", "dll-refused", "dll-load-failed", "dll-not-started"), ...told]
    // Windows says the same of every library: one of another program is not our affair.
    .filter(
      ({ subject, at }) =>
        ofStack.test(subject ?? "") ||
        ofStack.test(loadedIn.exec(at.text)?.[1] ?? "") ||
        0 < facts.notices("native-runtime").length ||
        facts.all("traceback").some(({ package: name }) => ofStack.test(name)),
    );
  const explained = facts.has("not-found") || facts.has("undefined-symbol") || facts.has("damaged") || facts.has("cuda-error");
  if (refused.length === 0 || explained) return [];
  const subject = refused.find((each) => each.subject !== undefined)?.subject;
  const name = subject === undefined ? undefined : nameOf(subject.replaceAll("\\", "/"));
  const isFile = name !== undefined && /\.(?:dll|pyd)$/i.test(name);
  const base = {
    name: name ?? context.speaker ?? "a DLL",
    evidence: refused.slice(0, 3),
    required: "all libraries that it depends on",
    next: isFile ? [`dumpbin /dependents ${name}`, `where ${name}`] : [],
    certainty: "possible" as const,
  };
  return [
    {
      weight: weights.refused,
      symptom: `${name === undefined ? (context.speaker ?? "a DLL") : `\`${name}\``} cannot be loaded`,
      suspects: refused.some(({ id }) => id === "dll-not-started")
        ? notStarted(base, context)
        : refused.some(({ id }) => id === "dll-refused")
          ? withoutFunction(base, facts)
          : 0 < facts.notices("of-zluda").length
            ? withoutHip(base)
            : notFound(base, context),
    },
  ];
}

type Base = Pick<Suspect, "name" | "required" | "next" | "certainty"> & { evidence: Fact[] };

/** ZLUDA puts its own files in the place of CUDA's, and these open HIP's. */
function withoutHip(base: Base): Suspect[] {
  return [
    {
      ...base,
      cause: "library-not-on-path",
      certainty: "likely",
      required: "HIP's DLLs and ZLUDA's on PATH",
      message: "ZLUDA's stand-ins for CUDA's DLLs open those of AMD's HIP, and do not find them",
      fixes: [
        fix(
          "install AMD's HIP SDK in the release that this ZLUDA is for, and put its `bin` folder (%HIP_PATH%bin) and ZLUDA's own on PATH; then start a new terminal",
          "echo %HIP_PATH%",
        ),
        fix("and let the project patch its PyTorch anew: an update of PyTorch brings CUDA's own files back"),
      ],
    },
    { ...base, cause: "wrong-vendor", message: "or PyTorch's own files for NVIDIA are there again, which no AMD GPU serves", fixes: [] },
  ];
}

/** Its file is there, with all that it needs, and its start fails. */
function notStarted(base: Base, { speaker }: Context): Suspect[] {
  return [
    {
      ...base,
      cause: "library-wrong-version",
      message: "the Visual C++ runtime that is found is older than the one it was built with",
      fixes: [runtime],
    },
    {
      ...base,
      cause: "package-conflict",
      message: "or another package brought a DLL of the same name, and it is loaded first (conda's MKL and OpenMP, another framework)",
      next: ["pip check"],
      fixes: [
        fix(
          `make a new environment with ${speaker === undefined ? "this package" : speaker} alone; that tells whether another package is to blame`,
          "python -m venv fresh",
        ),
      ],
    },
    {
      ...base,
      cause: "library-missing",
      message: "or a library that it opens as it starts is missing",
      fixes: [],
    },
    {
      ...base,
      cause: "not-a-mismatch",
      name: "the processor",
      message: "or the processor does not have the instructions that it was built for (AVX, AVX2)",
      next: [],
      fixes: [fix("look the processor up; builds without AVX come from other people, or from sources")],
    },
  ];
}

/** Its libraries are there, and one lacks a function (ERROR_PROC_NOT_FOUND): it is of another release. */
function withoutFunction(base: Base, facts: Facts): Suspect[] {
  const left = ofExtension.test(base.name ?? "") ? leftOver(base, facts) : undefined;
  const said = left?.certainty === "likely";
  return [
    ...(cudnnPart.test(base.name ?? "") ? twoCudnns(base) : []),
    ...(left && said ? [left] : []),
    {
      ...base,
      cause: "library-wrong-version",
      required: "libraries of the release that it was built with",
      message: "a library that it depends on is found in another release, without a function that it calls",
      fixes: [
        fix("take folders of other CUDA toolkits, and DLLs that were copied to System32, off PATH while the program runs"),
        fix("or install the package and its nvidia packages again, in one step"),
      ],
    },
    { ...base, cause: "library-shadowed", message: "or another copy of it stands earlier on PATH", fixes: [] },
    {
      ...base,
      cause: "package-conflict",
      message: "or two packages brought releases that do not fit together",
      next: ["pip check"],
      fixes: [],
    },
    ...(left && !said ? [left] : []),
    { ...base, cause: "upstream-bug", message: "or the package names libraries that it does not fit", fixes: [] },
  ];
}

/** A module that was compiled beside a PyTorch; likely where somebody says that he replaced that. */
function leftOver(base: Base, facts: Facts): Suspect {
  const [replaced] = facts.notices("extension-outlived", "torch-replaced-told");
  return {
    ...base,
    cause: "stale-artefact",
    ...(replaced ? { certainty: "likely", evidence: [...base.evidence, replaced] } : {}),
    required: "an extension compiled for the PyTorch that is installed",
    message: replaced
      ? `\`${base.name}\` was compiled beside the PyTorch of before, and was left there when that was replaced`
      : "or it was compiled beside a PyTorch that was replaced since",
    next: ["pip list"],
    fixes: [fix("build the extension again, or install the wheel that names this torch, this CUDA and this Python")],
  };
}

const cudnnPart = /^cudnn_(?:ops|cnn|adv|graph|engines|heuristic)\w*64_\d/i;

/** A part of cuDNN that lacks a function met a part of another release. */
const twoCudnns = (base: Base): Suspect[] => [
  {
    ...base,
    cause: "mixed-cudnn-sublibraries",
    library: "cudnn",
    certainty: "likely",
    required: "all parts of one cuDNN",
    found: "parts of two releases",
    message: `\`${base.name}\` is of another release than the part of cuDNN that was loaded before it`,
    fixes: [
      fix(
        "keep one cuDNN: two packages that bring it (another framework, nvidia-cudnn-cu11 or -cu12) do not go into one environment",
        "pip list | findstr cudnn",
      ),
    ],
  },
  { ...base, cause: "two-copies", message: "so two copies of cuDNN meet in the process", fixes: [] },
];

/** Modules that setup.py of some package compiled against PyTorch. */
const ofExtension = /^(?:_C|_ext|ext_module|\w{2,40}_(?:cuda|C|ext|cpp|ops))(?:\.|$)/;

// TensorFlow for Windows has had no CUDA since 2.11: then only the Visual C++ runtime can be missing.
function notFound(base: Base, context: Context): Suspect[] {
  const tensorflow = context.speaker === "tensorflow" ? context.framework("tensorflow").version : undefined;
  const [major = 0, minor = 0] = (tensorflow ?? "").split(".").map(Number);
  const withCuda = tensorflow !== undefined && (major < 2 || minor <= 10);
  return [
    {
      ...base,
      cause: "library-missing",
      message: "a library that it depends on is missing, most often one of the Visual C++ runtime",
      fixes: [runtime, fix("or install the package again")],
    },
    {
      ...base,
      cause: "library-not-on-path",
      message: withCuda
        ? "or the DLLs of CUDA and cuDNN that this release was built with lie in a folder that is not on PATH"
        : "or a library that it depends on lies where the loader does not look",
      fixes: [fix("put its folder on PATH, and from Python 3.8 on name it with `os.add_dll_directory`")],
    },
    { ...base, cause: "library-wrong-version", message: "or one of another release is found", fixes: [] },
  ];
}
