import { compareDotted } from "../knowledge/dotted.ts";
import { frameworkRelease } from "../knowledge/frameworks.ts";
import { weights, type Problem, type Suspect } from "./cause.ts";
import { majorOf, type Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { fix, whyLine, withoutSearchPath, withWheelFolder } from "./fixes.ts";
import { cuptiFixesForTensorflow, findsWheelOfCudnn, ofOtherToolkit } from "./for-tensorflow.ts";

/*
 * Somebody asks why a library is of another release than it should be, and no program's own words are there: what fits, and how to find out.
 * What the framework of the text was built with is known by its release.
 */

type Fixes = NonNullable<Suspect["fixes"]>;

export function askedAbout(fact: Fact<"notice">, facts: Facts, context: Context): Problem {
  if (fact.subject === "cupti") return askedOfCupti(fact, context);
  return fact.subject === "cudnn" ? askedOfCudnn(fact, facts, context) : askedOfOther(fact, facts);
}

function askedOfCupti(fact: Fact<"notice">, context: Context): Problem {
  const program = context.framework("program");
  const toolkit = context.toolkits.find(({ version }) => version !== program.cuda);
  const base = {
    name: "libcupti.so",
    library: "cupti",
    certainty: "possible" as const,
    ...(program.cuda === undefined ? {} : { required: `CUPTI of CUDA ${program.cuda}` }),
    ...(toolkit === undefined ? {} : { found: `CUPTI of CUDA ${toolkit.version}` }),
    evidence: [fact, ...program.facts.slice(0, 1), ...(toolkit ? [toolkit] : [])],
    next: ["culprit list", whyLine("libcupti", context, "profile")],
    fixes: cuptiFixesForTensorflow(context),
  };
  const wrong: Suspect = { ...base, cause: "library-wrong-version", message: "another CUPTI is found than the framework was built with" };
  return {
    weight: weights.hint,
    symptom: "the text asks about CUPTI",
    suspects: [
      ofOtherToolkit(wrong, context)[0] ?? wrong,
      {
        ...base,
        cause: "library-shadowed",
        message: "another CUPTI stands earlier in the search than the right one",
        fixes: [withoutSearchPath()],
      },
      {
        ...base,
        cause: "cupti-too-old-for-driver",
        message: "or the CUPTI that is found is older than the driver or the GPU, and records nothing of it",
      },
    ],
  };
}

/** What prints both numbers, of the framework and of what is loaded. */
const numbers: { [framework: string]: string } = {
  torch: `python -c "import torch; print(torch.__version__, torch.backends.cudnn.version())"`,
  tensorflow: `python -c "import tensorflow as tf; print(tf.__version__, tf.sysconfig.get_build_info())"`,
};

function askedOfCudnn(fact: Fact<"notice">, facts: Facts, context: Context): Problem {
  const program = context.framework("program");
  const built = builtWith(context);
  const required = program.cudnn ?? built?.cudnn;
  const installed = context.packages(/cudnn/)[0];
  const found = installed?.version.replace(/-.*/, "");
  const base = {
    name: required === undefined ? "libcudnn.so" : `libcudnn.so.${majorOf(required)}`,
    library: "cudnn",
    certainty: "possible" as const,
    ...(required === undefined ? {} : { required: `cuDNN ${required} or a newer one of the same major` }),
    ...(found === undefined ? {} : { found: `cuDNN ${found}` }),
    evidence: [fact, ...program.facts.slice(0, 1), ...(installed ? [installed] : [])],
    next: [
      ...Object.entries(numbers).flatMap(([id, line]) => (context.speaker === id ? [line] : [])),
      whyLine("libcudnn", context, "convolution"),
    ],
    fixes: cudnnFixes(required, built, facts, context),
  };
  const wrong: Suspect = { ...base, cause: "library-wrong-version", message: "another cuDNN is found than the framework was built with" };
  const shadowed: Suspect = {
    ...base,
    fixes: [withoutSearchPath(), ...(built?.wheel === undefined ? [] : base.fixes)],
    cause: "library-shadowed",
    message:
      context.speaker === "torch"
        ? `PyTorch brings ${built ? `cuDNN ${built.cudnn}` : "a cuDNN of its own"}, and another one is found before it: by LD_LIBRARY_PATH, or by a package that replaced it`
        : "another cuDNN stands earlier in the search than the right one",
  };
  const serves =
    required !== undefined && found !== undefined && majorOf(required) === majorOf(found) && 0 <= compareDotted(found, required);
  const fine: Suspect = {
    ...base,
    cause: "not-a-mismatch",
    message: `cuDNN ${found} serves what was built with ${required}: a newer release of the same major fits`,
    fixes: [],
  };
  const first = context.speaker === "torch" ? [shadowed, wrong] : [wrong, shadowed];
  return { weight: weights.hint, symptom: "the text asks about cuDNN", suspects: [...first, ...(serves ? [fine] : [])] };
}

interface Built {
  framework: "torch" | "tensorflow";
  version: string;
  cudnn: string;
  cuda: string;
  /** The wheel that brings it, as the framework asks for it. */
  wheel?: string;
}

/** With which cuDNN the framework of the text was built, where its release is told and known. */
function builtWith(context: Context): Built | undefined {
  const { speaker } = context;
  if (speaker !== "torch" && speaker !== "tensorflow") return undefined;
  const { version } = context.framework(speaker);
  const release = version === undefined ? undefined : frameworkRelease(speaker, version)?.release;
  if (version === undefined || release?.cudnn === undefined || release.cuda === undefined) return undefined;
  const pin = Object.entries(release.pins ?? {}).find(([name]) => name.startsWith("nvidia-cudnn-cu"));
  const cudnn = release.cudnn.split(".").slice(0, 3).join(".");
  return { framework: speaker, version, cudnn, cuda: release.cuda, ...(pin ? { wheel: pin.join("") } : {}) };
}

function cudnnFixes(required: string | undefined, built: Built | undefined, facts: Facts, context: Context): Fixes {
  // There its wheel holds cuDNN itself, and looks into no other.
  if (context.speaker === "torch" && facts.on("windows") && !facts.on("wsl2"))
    return [fix(`install PyTorch${built ? ` ${built.version}` : ""} again, which brings its cuDNN within itself on Windows`)];
  if (built?.wheel !== undefined)
    return [
      fix(
        `put back the cuDNN that ${built.framework === "torch" ? "PyTorch" : "TensorFlow"} ${built.version} asks for`,
        `pip install --force-reinstall --no-deps "${built.wheel}"`,
      ),
    ];
  if (required === undefined || Number(majorOf(required)) < 8)
    return [
      fix(
        `install the cuDNN that the framework was built with${required === undefined ? "" : ` (${required})`}, or a newer one of the same major`,
      ),
    ];
  const cuda = majorOf(built?.cuda ?? context.toolkits[0]?.version ?? (Number(majorOf(required)) < 9 ? "11" : "12"));
  const blind = context.speaker === "tensorflow" && !findsWheelOfCudnn(required, context);
  return [
    fix(
      `install a cuDNN that is at least what the framework was built with (${required})${blind ? ", and let the loader look in its folder" : ""}`,
      `pip install "nvidia-cudnn-cu${cuda}>=${required},<${Number(majorOf(required)) + 1}"`,
      ...(blind ? [withWheelFolder("nvidia/cudnn/lib")] : []),
    ),
  ];
}

/** A library of which no framework says what it was built with: another release of it is told of. */
function askedOfOther(fact: Fact<"notice">, facts: Facts): Problem {
  const subject = fact.subject!;
  const title = { nvjpeg: "nvJPEG", nccl: "NCCL", tensorrt: "TensorRT", cutensor: "cuTENSOR" }[subject] ?? subject;
  const stem = subject === "tensorrt" ? "libnvinfer" : `lib${subject}`;
  const seen = new RegExp(`${stem}\\.so\\.(\\d{1,3}(?:\\.\\d{1,4}){1,3})`);
  const found = [fact, ...facts.all("file")].flatMap(({ at }) => seen.exec(at.text)?.[1] ?? [])[0];
  const base = {
    name: `${stem}.so`,
    library: subject,
    certainty: "possible" as const,
    required: `the ${title} that the program was written for`,
    ...(found === undefined ? {} : { found: `${title} ${found}` }),
    evidence: [fact],
    next: [`ldconfig -p | grep ${stem}`],
  };
  return {
    weight: weights.hint,
    symptom: `the text asks about ${title}`,
    suspects: [
      {
        ...base,
        cause: "library-wrong-version",
        message: `the ${title} that is found is of another release than the program wants`,
        fixes: [
          fix(`install the ${title} of the CUDA release that the program asks for; it comes with the toolkit, or as a package of its own`),
        ],
      },
      { ...base, cause: "library-shadowed", message: `or another ${title} stands earlier in the search than the right one`, fixes: [] },
      { ...base, cause: "upstream-bug", message: "or this release of the program asks for what no release of it has", fixes: [] },
    ],
  };
}
