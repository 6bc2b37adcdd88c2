import { builtApart, compiledPackage, compiledSources } from "../knowledge/compiled-packages.ts";
import { normalName } from "../lib/pep508.ts";
import type { DeclaredPackage, DeclaredStep, Install } from "../model/dependency-file.ts";
import type { Place } from "../model/finding.ts";
import type { CompiledPackage } from "../model/knowledge.ts";
import type { BaseImage } from "../dependency-files/images.ts";
import { compiledFrom } from "../dependency-files/source.ts";
import { hasCompiler, isSetIn, needsCompiler } from "../dependency-files/image-compiler.ts";
import { imageIn } from "../dependency-files/variables.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";

export default defineDependencyFileRule({
  id: "compiler-missing",
  title: "What is compiled while the image is built lacks nvcc or torch",
  cause: "cuda-home-wrong",
  otherCauses: ["package-conflict"],
  severity: "error",
  notOn: { machines: "what was not built is not installed; a toolkit that is missing shows in the error of the build" },
  page: {
    what: "A line of a Dockerfile installs a package that has no wheel and compiles CUDA code, in an image without nvcc; or runs nvcc, or a build that is told to use CUDA, there; or its setup imports torch, and no command before has installed it, or it is built apart from what is installed. A list for pip that has both is warned of.",
    why: "Of NVIDIA's images only `devel` has nvcc. `base` and `runtime` have the folder /usr/local/cuda, so that torch takes it for a toolkit, and the setup ends with “No such file or directory: '/usr/local/cuda/bin/nvcc'”. pip prepares all packages of a command before it installs any: torch in the same list is too late. uv builds every package apart from what is installed, and pip those that have a pyproject.toml: what that does not name is not there.",
    how: "`knowledge/compiled-packages.json`, read from the setups of these packages, against the image of the stage and what apt has installed before the line. Stages that only build count, too. Silent where something comes from places that are not seen, and where other indexes or pages of wheels may have one.",
    fix: "Build in a stage upon an image with `devel` in its tag, and copy the environment from there; or install cuda-nvcc-X-Y and the headers. Install torch in a command of its own first, then the package with --no-build-isolation.",
    observed: "By the setups themselves, and the errors that users report; no build was run.",
  },
  finds: ({ declaration: { format, steps, stages = [], unknown } }) => {
    if (format === "requirements") return steps.flatMap((step) => (step.kind === "install" ? besideTorch(step) : []));
    if (format !== "dockerfile" && format !== "devcontainer") return [];
    return [steps, ...stages.map((stage) => stage.steps)].flatMap((each) => judged(each, 0 < unknown.length));
  },
});

/** What is done in one stage, upon its own image. */
function judged(steps: DeclaredStep[], isOpen: boolean): DependencyFileDraft<"warning" | "info", "package-conflict">[] {
  const image = imageIn(steps);
  const begin = steps.findIndex(({ kind }) => kind === "image");
  if (!image || image.kind === "other" || image.kind === "tensorflow") return [];
  return steps.flatMap((step, index) => {
    if (step.kind === "compile" && begin <= index && !hasCompiler(steps.slice(0, index), image)) return [compiledByHand(step, image)];
    if (step.kind !== "install" || step.manager !== "pip" || step.isCopied || index < begin) return [];
    const compiled = compiledIn(step);
    const before = compiled.length === 0 ? [] : steps.slice(0, index);
    return compiled.flatMap(({ what, row, place, specifier }) => {
      if (needsCompiler(row, step, steps, image) && !hasCompiler(before, image)) return [withoutCompiler(what, row, place, image)];
      const noIsolation = step.noIsolation || isSetIn(steps, "PIP_NO_BUILD_ISOLATION", "UV_NO_BUILD_ISOLATION");
      const apart = noIsolation ? undefined : builtApart(row, specifier);
      if (row.torch === undefined || isOpen || apart?.torch !== undefined) return [];
      // uv builds everything apart; pip does where the package says how it is built.
      if (apart || (step.by === "uv" && !noIsolation)) return [builtWithoutTorch(what, row, place, step)];
      return hasTorch(before, image) ? [] : [withoutTorch(what, row, place, step)];
    });
  });
}

interface Compiled {
  what: string;
  row: CompiledPackage;
  place: Place;
  specifier?: string;
}

/** In one list with torch: whoever hands it to pip as it is builds it before torch is there. */
function besideTorch(step: Install): DependencyFileDraft<"warning" | "info", "package-conflict">[] {
  const names = step.packages.map(({ name }) => normalName(name));
  if (step.isLocked || step.noIsolation || step.isThere || !names.includes("torch")) return [];
  return compiledIn(step)
    .filter(({ row, specifier }) => row.torch !== undefined && builtApart(row, specifier)?.torch === undefined)
    .map(({ what, row, place }) => {
      const draft = withoutTorch(what, row, place, step);
      return {
        ...draft,
        severity: "warning" as const,
        message: `${what} is built from source, and its setup imports torch, which the same list asks for: in a fresh environment the build fails`,
        advice: [`take ${row.name} out of the list, and install it after the list with --no-build-isolation`],
      };
    });
}

/** What of a command has to be compiled; with a wheel by its address, or a page of wheels, it need not be. */
function compiledIn({ packages, built = [], indexes, links }: Install): Compiled[] {
  const isElsewhere = 0 < links.length || indexes.some(({ url }) => !/pypi\.org|pythonhosted|download\.pytorch\.org/.test(url));
  const named = packages.flatMap((declared): Compiled[] => {
    const row = rowOf(declared);
    const { text: what, specifier, place } = declared;
    return row && (declared.url !== undefined || !isElsewhere) ? [{ what, row, place, specifier }] : [];
  });
  const fetched = built.flatMap(({ url, place }): Compiled[] => {
    const row = compiledFrom(url);
    return row ? [{ what: row.name, row, place }] : [];
  });
  return [...named, ...fetched];
}

function rowOf({ name, url }: DeclaredPackage): CompiledPackage | undefined {
  if (url === undefined) return compiledPackage({ name: normalName(name) });
  return compiledFrom(url);
}

const hasTorch = (before: DeclaredStep[], image: BaseImage): boolean =>
  image.kind === "pytorch" ||
  image.kind === "ngc" ||
  before.some(
    (step) =>
      ["unseen", "file", "program"].includes(step.kind) ||
      (step.kind === "install" &&
        (step.manager === "apt"
          ? step.packages.some(({ name }) => name.includes("torch"))
          : step.manager === "conda" || bringsTorch(step))),
  );

/** Nearly everything that is compiled against torch asks for it; of what is not known, nobody can say. */
const bringsTorch = ({ packages, built = [] }: Install): boolean =>
  0 < built.length || packages.length === 0 || packages.some(({ name, url }) => url !== undefined || !plain.has(normalName(name)));

/** What people install before, and brings no torch. */
const plain = new Set(
  "pip setuptools wheel packaging ninja cmake pybind11 cython numpy uv build hatchling poetry psutil einops".split(" "),
);

/** A command that runs nvcc, or tells a build to. */
function compiledByHand({ what, place }: Extract<DeclaredStep, { kind: "compile" }>, image: BaseImage): DependencyFileDraft<"warning"> {
  const isPlain = what === "nvcc";
  return {
    subject: isPlain ? "nvcc" : `nvcc for ${what}`,
    place,
    certainty: "likely",
    short: isPlain ? "nvcc is run, and this image does not have it" : `${what} needs nvcc, which this image does not have`,
    message: `${isPlain ? "nvcc is run" : `${what} asks for CUDA code`} while the image is built, and ${image.name} has no nvcc: the build fails`,
    because: ["of NVIDIA's images only those with `devel` in their tag have nvcc and its headers"],
    advice: [develInstead(image)],
    facts: { said: isPlain ? "nvcc: not found" : "CUDA Toolkit not found" },
    sources: isPlain ? [] : ["vendor/llama.cpp/ggml/src/ggml-cuda/CMakeLists.txt in llama_cpp_python-0.3.16.tar.gz on PyPI"],
  };
}

const develInstead = (image: BaseImage): string => {
  const devel = image.kind === "cuda" || image.kind === "pytorch" ? image.name.replace(/-(?:base|runtime)\b/, "-devel") : image.name;
  return devel === image.name
    ? "build it in an image with `devel` in its tag, which has nvcc"
    : `build it upon ${devel}, in a stage of its own if the image is to stay small`;
};

function withoutCompiler(what: string, row: CompiledPackage, place: Place, image: BaseImage): DependencyFileDraft<"warning"> {
  const isSkipped = row.name === "deepspeed";
  return {
    subject: `nvcc for ${row.name}`,
    place,
    ...(isSkipped ? { severity: "warning" as const } : {}),
    certainty: "likely",
    short: `${row.name} is compiled with nvcc, which this image does not have`,
    message: `${what} is compiled while the image is built, and ${image.name} has no nvcc: ${isSkipped ? "its operators are left out, or the build fails" : "the build fails"}`,
    because: [
      row.compiler === "if-asked" ? `${row.variable} asks for its CUDA code` : "there is no wheel of it on PyPI, and its setup runs nvcc",
      ...(row.compiler === "where-found" ? ["torch takes /usr/local/cuda of the image for a toolkit"] : []),
    ],
    advice: [develInstead(image)],
    facts: { packages: [{ role: "subject", name: row.name }], said: "No such file or directory: '/usr/local/cuda/bin/nvcc'" },
    sources: compiledSources(row),
  };
}

function withoutTorch(what: string, row: CompiledPackage, place: Place, step: Install): DependencyFileDraft<"warning", "package-conflict"> {
  const isBeside = step.packages.some(({ name }) => normalName(name) === "torch");
  return {
    subject: `torch for ${row.name}`,
    place,
    cause: "package-conflict",
    certainty: "likely",
    short: `${row.name} needs torch to be built, and none is there yet`,
    message: `${what} is built from source, and its setup imports torch, which ${isBeside ? "the same command asks for" : "no command before installs"}: the build fails`,
    because: [
      isBeside ? "pip prepares all packages of a command before it installs any" : "nothing before this line brings torch",
      step.noIsolation
        ? "--no-build-isolation leaves what it needs to what is installed"
        : "the package does not say that its build needs torch",
    ],
    advice: ["install torch in a command of its own before", `then ${row.name} with --no-build-isolation`],
    facts: { packages: [{ role: "subject", name: row.name }], said: "ModuleNotFoundError: No module named 'torch'" },
    sources: compiledSources(row),
  };
}

/** Whatever is installed, a build apart from it sees only what the package asks for. */
function builtWithoutTorch(
  what: string,
  row: CompiledPackage,
  place: Place,
  step: Install,
): DependencyFileDraft<"warning", "package-conflict"> {
  const tool = step.by === "uv" ? "uv" : "pip";
  return {
    ...withoutTorch(what, row, place, step),
    short: `${row.name} needs torch to be built, and ${tool} builds it where none is`,
    message: `${what} is built from source, and its setup imports torch: ${tool} builds it apart from what is installed, and the build fails`,
    because: ["the package does not say that its build needs torch, so that nothing brings it there"],
    advice: ["install torch in a command of its own before", `then ${row.name} with --no-build-isolation`],
  };
}
