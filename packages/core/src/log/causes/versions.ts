import { askedAbout } from "../asked-about.ts";
import { cudnnFor } from "../../knowledge/cudnn.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { libraries } from "../../knowledge/libraries.generated.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, whyLine, withoutSearchPath, withWheelFolder } from "../fixes.ts";
import { findsWheelOfCudnn } from "../for-tensorflow.ts";

const sonames: { [library: string]: string } = {
  cudnn: "libcudnn.so",
  cudart: "libcudart.so",
  cublas: "libcublas.so",
  cusparse: "libcusparse.so",
  cusolver: "libcusolver.so",
  cufft: "libcufft.so",
  cupti: "libcupti.so",
  nvrtc: "libnvrtc.so",
  tensorrt: "libnvinfer.so",
};

/** A program compared the version it was built with and the one it found: which copy is to blame? */
export default function versions(facts: Facts, context: Context): Problem[] {
  const pairs = facts.all("version-pair").filter(({ required, found }) => required !== found);
  // TensorFlow calls a cuDNN that did not start not found: it was opened all the same.
  const isOpened = 0 < facts.notices("cudnn-not-initialized").length;
  const unable = facts
    .all("unable-to-load")
    .filter(
      ({ library, by }) => !pairs.some((pair) => pair.library === library) && !(isOpened && library === "cudnn" && by === "tensorflow"),
    );
  const told = 0 < pairs.length || facts.has("not-found") || facts.has("cupti-error");
  const [asked] = told ? [] : facts.notices("said-mismatch");
  return [
    ...(asked ? [askedAbout(asked, facts, context)] : []),
    ...pairs.map((pair) => (serves(pair) ? servedProblem(pair, context) : withWarning(problemOf(pair, facts, context), pair))),
    ...unable.map((fact) => unableProblem(fact, facts, context)),
  ];
}

/** TensorRT warns of any other release, and goes on with those of the same major. */
function withWarning(problem: Problem, pair: Fact<"version-pair">): Problem {
  if (pair.by !== "tensorrt" || majorOf(pair.required) !== majorOf(pair.found)) return problem;
  const harmless: Suspect = {
    cause: "benign-warning",
    name: "TensorRT",
    certainty: "possible",
    message: "or it means nothing for this run: where no error follows, TensorRT works with the release that it found",
    evidence: [pair],
    fixes: [],
  };
  return { ...problem, suspects: [...problem.suspects, harmless] };
}

// These refuse whatever is not the very same.
const exact = new Set(["caffe2", "paddle", "MXNet"]);

/**
 * cuDNN's own promise, which TensorFlow (IsSourceCompatibleWithCudnnLibrary) and PyTorch (backends/cudnn) hold it to: the same major, and
 * since 7 a minor that is not older. JAX compares the whole number.
 */
function serves({ library, required, found, by, hint }: Fact<"version-pair">): boolean {
  if (library !== "cudnn" || hint === "same-minor" || exact.has(by) || majorOf(required) !== majorOf(found)) return false;
  if (by === "jax") return 0 <= compareDotted(found, required);
  const [needs = 0, has = 0] = [required, found].map((version) => Number(version.split(".")[1] ?? 0));
  return Number(majorOf(required)) < 7 ? needs === has : needs <= has;
}

const whoSays = (by: string) => ({ torch: "PyTorch", tensorflow: "TensorFlow", jax: "JAX", sample: "the program" })[by] ?? by;

// The numbers are said as a fault, and are none: what stopped the program stands in another line.
function servedProblem(pair: Fact<"version-pair">, context: Context): Problem {
  const { library, required, found, by } = pair;
  const who = whoSays(by);
  const name = `libcudnn.so.${majorOf(required)}`;
  const base = { name, library, required: `cuDNN ${required} or a newer one of the same major`, found: `cuDNN ${found}`, evidence: [pair] };
  return {
    weight: weights.other,
    suspects: [
      {
        ...base,
        cause: "not-a-mismatch",
        certainty: "likely",
        message: `cuDNN ${found} serves ${who}, which was compiled with ${required}: a newer minor of the same major fits`,
        because: [
          ...(by === "tensorflow" || by === "torch"
            ? [`${who} refuses another major or an older minor only: with these two numbers it goes on`]
            : []),
          "so what fails is something else: the lines before and after this one say what",
        ],
        next: [whyLine(name, context, "convolution")],
        fixes: [],
      },
      {
        ...base,
        cause: "mixed-cudnn-sublibraries",
        certainty: "possible",
        message: `or parts of cuDNN ${found} and of ${required} meet in one process`,
        fixes: [withoutSearchPath()],
      },
    ],
  };
}

function problemOf(pair: Fact<"version-pair">, facts: Facts, context: Context): Problem {
  const { library, required, found, by, hint } = pair;
  const title = libraries.find(({ id }) => id === library)?.name ?? library;
  const stem = sonames[library] ?? `lib${library}.so`;
  const said = library === "cudnn" ? required : found;
  // A number alone is one of the interface, and of no file.
  const name = said.includes(".") ? `${stem}.${majorOf(said)}` : stem;
  const who = whoSays(by);
  const base = {
    name,
    library,
    required,
    found,
    message: `${who} was compiled with ${title} ${required} and ${title} ${found} is loaded`,
    next: [whyLine(name, context), "echo $LD_LIBRARY_PATH", `pip list | grep -i ${library === "cudart" ? "cuda" : library}`],
  };
  // Another copy that would serve is spoken of: it is there, and not the one that is loaded.
  const better = betterCopy(pair, facts, context);
  const folders = context.searched.filter(({ folder }) => /cuda|cudnn|nvidia|conda|\/envs\//i.test(folder));
  const evidence: Fact[] = [pair, ...(better ? [better] : []), ...(folders[0] ? [folders[0].fact] : [])];
  const pinned = context.packages(/^nvidia-cudnn-cu\d{2}$/).find(({ version }) => sameThree(version, found));
  const suspect = (cause: Suspect["cause"], certainty: Suspect["certainty"], because: string, fixes: Suspect["fixes"]): Suspect => ({
    ...base,
    cause,
    certainty,
    because: [because],
    evidence,
    fixes: fixes ?? [],
  });
  const shadowed = (certainty: Suspect["certainty"]) =>
    suspect(
      "library-shadowed",
      certainty,
      hint === "ld-library-path" || 0 < folders.length
        ? "LD_LIBRARY_PATH names folders with another copy, and is searched before the program's own folders"
        : "a copy in another folder is found before the right one",
      [
        withoutSearchPath(),
        fix(
          `take the folder with ${title} ${found} out of LD_LIBRARY_PATH`,
          "echo $LD_LIBRARY_PATH | tr : '\\n' | grep -n -i 'cuda\\|cudnn'",
        ),
      ],
    );
  const wrong = (certainty: Suspect["certainty"]) =>
    suspect(
      "library-wrong-version",
      certainty,
      majorOf(found) === majorOf(required)
        ? `${title} ${found} is ${compareDotted(found, required) < 0 ? "older" : hint === "same-minor" ? "of another minor, which this release refuses," : "another"} than ${required}`
        : `${title} ${majorOf(found)} is another major than ${majorOf(required)}, and cannot stand in for it`,
      installFixes(pair, facts, context),
    );
  const conflict = (certainty: Suspect["certainty"]) =>
    suspect("package-conflict", certainty, `another package has brought ${title} ${found} into the same environment`, [
      fix(
        `install the packages in one step, so that one ${title} serves all, or give each framework an environment of its own`,
        "pip check",
        ...(installFixes(pair, facts, context)[0]?.commands ?? []),
      ),
    ]);
  if (by === "torch") {
    const old = (!hint || hint === "same-minor") && Number(majorOf(required)) < 8;
    if (pinned) return { weight: weights.said, suspects: [conflict("likely"), shadowed("possible"), wrong("possible")] };
    if (hint === "ld-library-path" || 0 < folders.length)
      return { weight: weights.said, suspects: [shadowed("likely"), wrong("possible"), conflict("possible")] };
    return {
      weight: weights.said,
      suspects:
        old && !better
          ? [wrong("likely"), shadowed("possible"), conflict("possible")]
          : [shadowed("likely"), conflict("possible"), wrong("possible")],
    };
  }
  if (better || hint === "header") return { weight: weights.said, suspects: [shadowed("likely"), wrong("possible")] };
  if (pinned || context.packages(/^torch$/).length > 0)
    return { weight: weights.said, suspects: [conflict(pinned ? "likely" : "possible"), wrong("possible"), shadowed("possible")] };
  return { weight: weights.said, suspects: [wrong("likely"), shadowed("possible"), conflict("possible")] };
}

/** pip lists a newer one than was found: what is loaded came from somewhere else. Of cuFFT and others the wheels count as the files do. */
function newerWheel(library: string, required: string, found: string, context: Context): Fact | undefined {
  if (library !== "cublas" && library !== "cusparse" && library !== "cudart") return undefined;
  return context
    .packages(new RegExp(`^nvidia-${library === "cudart" ? "cuda-runtime" : library}(?:-cu${majorOf(required)})?$`))
    .find(({ version }) => majorOf(version) === majorOf(required) && 0 <= compareDotted(version, required) && !sameThree(version, found));
}

const sameThree = (a: string, b: string) => a.split(".").slice(0, 3).join(".") === b.split(".").slice(0, 3).join(".");

function betterCopy({ library, required, found }: Fact<"version-pair">, facts: Facts, context: Context): Fact | undefined {
  if (library !== "cudnn") return newerWheel(library, required, found, context);
  const fits = (version: string) =>
    majorOf(version) === majorOf(required) && compareDotted(version, required) >= 0 && !sameThree(version, found);
  const parts = facts.all("header-version");
  const [major, minor, patch] = (["major", "minor", "patch"] as const).map((part) => parts.find((fact) => fact.part === part)?.value);
  if (major !== undefined && minor !== undefined && fits(`${major}.${minor}.${patch ?? 0}`)) return parts[0];
  const file = facts.all("file").find(({ path, target }) => {
    const version = /libcudnn\.so\.(\d{1,2}\.\d{1,2}\.\d{1,2})/.exec(`${path} ${target ?? ""}`)?.[1];
    return version !== undefined && fits(version);
  });
  return file ?? context.packages(/cudnn/).find(({ version }) => fits(version.replace(/[^\d.].*$/, "")));
}

function installFixes(
  { library, required, by, hint }: Fact<"version-pair">,
  facts: Facts,
  context: Context,
): NonNullable<Suspect["fixes"]> {
  if (library === "cudnn") {
    const release = cudnnFor(required)?.release;
    const major = context.toolkits[0]
      ? majorOf(context.toolkits[0].version)
      : release?.cudaMajors.at(-1) === 13 && Number(majorOf(required)) >= 9
        ? "12"
        : String(release?.cudaMajors.at(-1) ?? 12);
    const [first, second] = required.split(".");
    const limit = `${first}.${Number(second) + 1}`;
    const fixes = [];
    const blind = by === "tensorflow" && !findsWheelOfCudnn(required, context);
    if (8 <= Number(first))
      fixes.push(
        fix(
          `install cuDNN ${first}.${second} or newer of the same major${blind ? ", and let the loader look in its folder: this TensorFlow does not by itself" : ""}`,
          `pip install "nvidia-cudnn-cu${Number(major) < 11 ? 11 : major}>=${required}${by === "torch" ? `,<${limit}` : `,<${Number(first) + 1}`}"`,
          ...(blind ? [withWheelFolder("nvidia/cudnn/lib")] : []),
        ),
      );
    // What compares minors takes this one only; conda-forge has none before 7.6, Anaconda's own channel has.
    const wanted = hint === "same-minor" ? `cudnn=${first}.${second}` : `cudnn>=${required},<${Number(first) + 1}`;
    const channel = Number(first) < 8 ? "" : "-c conda-forge ";
    if (context.conda || Number(first) < 8)
      fixes.push(fix(fixes.length === 0 ? "install it with conda" : "or with conda", `conda install ${channel}"${wanted}"`));
    if (facts.on("colab"))
      fixes.push(
        fix(
          "on Colab, use the framework that the runtime brings, which fits its cuDNN; after any installation restart the runtime before the first import",
        ),
      );
    fixes.push(fix("or take a release of the framework that was built with the cuDNN that is there"));
    return fixes;
  }
  return ofToolkit(library, required);
}

function ofToolkit(library: string, required: string): NonNullable<Suspect["fixes"]> {
  if (library === "cudart")
    return [
      fix(
        `install CUDA runtime ${required} or newer of the same major`,
        `pip install "nvidia-cuda-runtime-cu${majorOf(required)}>=${required}"`,
      ),
    ];
  if (["cublas", "cusparse", "cusolver", "cufft"].includes(library) && 12 <= Number(majorOf(required)))
    return [
      fix(
        `install ${library} ${required} or newer, and start the program without LD_LIBRARY_PATH`,
        `pip install -U nvidia-${library}${majorOf(required) === "12" ? "-cu12" : ""}`,
        "unset LD_LIBRARY_PATH",
      ),
    ];
  return [fix(`install ${library} ${required} or newer`)];
}

function unableProblem(fact: Fact<"unable-to-load">, facts: Facts, context: Context): Problem {
  const { library, by } = fact;
  const who = by === "jax" ? "JAX" : by === "paddle" ? "Paddle" : "TensorFlow";
  const title = libraries.find(({ id }) => id === library)?.name ?? library;
  const jax = context.framework("jax");
  const known = jax.version === undefined ? undefined : frameworkRelease("jax", jax.version)?.release;
  const required = library === "cudnn" ? known?.pins?.[`nvidia-cudnn-cu12`] : undefined;
  const base = {
    name: `${sonames[library] ?? `lib${library}.so`}`,
    library,
    ...(required === undefined ? {} : { required: `${title} ${required}` }),
    evidence: [fact, ...jax.facts.slice(0, 1)],
    next: [`culprit loads ${by} --do device`, "pip list | grep -i nvidia", "echo $LD_LIBRARY_PATH"],
    fixes: [
      by === "paddle"
        ? fix("install the cuDNN that this Paddle was built for, and put its folder on PATH or LD_LIBRARY_PATH")
        : fix(
            `let ${who} bring its own CUDA libraries, and start it without LD_LIBRARY_PATH`,
            by === "jax" ? `pip install -U "jax[cuda12]"` : `pip install "tensorflow[and-cuda]"`,
            "unset LD_LIBRARY_PATH",
          ),
    ],
  };
  const pinned = context.packages(new RegExp(`nvidia-${library}`))[0];
  const toolkit = facts.has("toolkit") ? context.toolkits[0] : undefined;
  const suspects: Suspect[] = [
    { ...base, cause: "library-missing", certainty: "likely", message: `${who} cannot open ${title}: no copy that fits is known` },
    {
      ...base,
      cause: "library-not-on-path",
      certainty: "possible",
      message: `${who} cannot open ${title}: it may be installed where it does not look`,
    },
    {
      ...base,
      cause: "library-wrong-version",
      certainty: "possible",
      message: `${who} cannot open ${title}: another major may be installed`,
    },
    { ...base, cause: "library-shadowed", certainty: "possible", message: `${who} cannot open ${title}: another copy may be found first` },
  ];
  if (by === "jax")
    suspects.push({
      ...base,
      cause: "wrong-wheel-cuda-version",
      name: "jaxlib",
      certainty: "possible",
      message: "or this JAX was built for another CUDA than the one here",
    });
  if (pinned || toolkit) suspects.splice(0, 4, suspects[2]!, suspects[3]!, suspects[0]!, suspects[1]!);
  if (pinned) suspects[0] = { ...suspects[0]!, certainty: "likely", found: `${pinned.name} ${pinned.version}`, evidence: [fact, pinned] };
  return { weight: weights.refused, suspects };
}
