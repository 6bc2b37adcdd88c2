import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { frameworkBuilds } from "../../packages/core/src/frameworks/builds.generated.ts";
import { frameworks } from "../../packages/core/src/frameworks/index.generated.ts";
import { libraryIds } from "../../packages/core/src/knowledge/libraries.ts";
import { frameworkNames } from "../../packages/core/src/model/framework-names.generated.ts";
import { cudaMajorInName, forCudaMajor, frameworkNamed, isAmong } from "../../packages/core/src/model/frameworks.ts";

/**
 * Files outside of `frameworks/<id>/` that name a framework, and why each has to: it is about what that one does, not about frameworks. A list
 * of several is no reason: it belongs into their `names.ts`.
 */
const mayName: { [file: string]: string } = {
  "core/src/survey/imports.ts": "types of tensors are made by torch's compiled code, and no text tells them",
  "core/src/survey/refusals.ts": "torch and what comes with it say a label of the build with their release",
  "core/src/frameworks/rapids.ts": "how the wheels of RAPIDS load each other",
  "core/src/dependency-files/module-paths.ts": "in which releases torch's libraries find another libnvJitLink before their own decides",
  "core/src/dependency-files/device.ts": "Triton comes with torch, and which one torch pins decides",
  "core/src/frameworks/operators.ts": "operators are torch's, and so are the keys by which they are registered",
  "core/src/knowledge/built-for-torch.ts": "which releases were made for which torch",
  "core/src/rules/built-for-another-release.ts": "which releases were made for which torch is known",
  "core/src/rules/built-for-another-cuda/dependency-file.ts": "labels of builds are PyTorch's, and its companions carry them",
  "core/src/rules/built-for-another-cuda/labels.ts": "labels of builds are PyTorch's, and its companions carry them",
  "core/src/rules/built-for-another-cuda/machine.ts": "labels of builds are PyTorch's, and its companions carry them",
  "core/src/rules/colab-magic-removed.ts": "the line chose among TensorFlows",
  "core/src/rules/compiler-too-old-for-gpu/dependency-file.ts": "Triton's ptxas is chosen by torch's release of it",
  "core/src/rules/compiler-too-old-for-gpu/machine.ts": "Triton's ptxas is chosen by torch's release of it",
  "core/src/rules/cpu-only-build/dependency-file.ts": "how each publishes its build without CUDA",
  "core/src/rules/cpu-only-build/machine.ts": "what each has to be installed with instead",
  "core/src/rules/cupti-missing/dependency-file.ts": "TensorFlow alone asks for CUPTI by the loader's search",
  "core/src/rules/cupti-missing/machine.ts": "TensorFlow alone asks for CUPTI by the loader's search",
  "core/src/rules/cupti-too-old.ts": "which TensorFlow is the first for a CUDA",
  "core/src/dependency-files/image-cuda.ts": "what uses CUDA in a conda environment",
  "core/src/rules/driver-too-old/machine.ts": "torch has builds of one release for several drivers",
  "core/src/rules/gpu-not-in-build/machine.ts": "torch has builds of one release for several GPUs",
  "core/src/rules/image-build-replaced.ts": "NVIDIA's constraint file refuses another torch",
  "core/src/rules/libdevice-missing.ts": "JAX alone looks for the file in so many places, and goes on without it",
  "core/src/rules/library-dropped-gpu/dependency-file.ts": "torch stops where others go on slower",
  "core/src/rules/library-dropped-gpu/machine.ts": "torch stops where others go on slower",
  "core/src/rules/library-missing/dependency-file.ts": "what TensorFlow, CuPy and ONNX Runtime do without their libraries",
  "core/src/rules/library-not-on-path.ts": "ONNX Runtime's preload_dlls()",
  "core/src/rules/library-shadowed/dependency-file.ts": "which releases of torch and jax load their own libraries first",
  "core/src/rules/library-wrong-version/dependency-file.ts": "TensorFlow compares cuDNN's version",
  "core/src/rules/no-conda-build.ts": "the channel pytorch has no other framework",
  "core/src/diagnose/activity-of-package.ts": "torch.compile goes through Triton",
  "core/src/rules/pins-not-met/dependency-file.ts": "torch is linked against cuDNN, others open it",
  "core/src/rules/pins-not-met/machine.ts": "what jax and torch do when their parts differ",
  "core/src/rules/ptx-newer-than-driver/machine.ts": "numba makes PTX unless numba-cuda is there",
  "core/src/rules/recorded-failure.ts": "error texts say pytorch for torch",
  "core/src/rules/second-profiler.ts": "which profilers were watched together",
  "core/src/rules/slow-convolutions.ts": "watched with torch",
  "core/src/rules/toolkit-differs-from-framework.ts": "extensions are built against torch",
  "core/src/rules/version-not-published.ts": "tensorflow-gpu 2.12 is an empty package; labels are PyTorch's",
  "core/src/dependency-files/compiled-before.ts": "what `compiled-packages.json` lists is compiled against torch, and against no other",
  "core/src/dependency-files/conda.ts": "the channel pytorch has no other framework",
  "core/src/rules/compiler-missing.ts": "an image of Docker Hub, of which nobody knows whether it has a compiler",
  "core/src/dependency-files/images.ts": "two images of Docker Hub, each with tags of its own",
  "core/src/dependency-files/unjudged.ts": "two images of Docker Hub, whose tags may not tell a release",
  "core/src/dependency-files/variables.ts": "which of those two images have CUDA inside",
  "core/src/model/knowledge.ts": "the type of one file of knowledge/",
  "core/src/knowledge/laws/frameworks.ts": "laws of each file of knowledge/frameworks/",
  "core/src/knowledge/laws/law.ts": "the files of knowledge/frameworks/, by name",
  "core/src/knowledge/laws/rows.ts": "the files of knowledge/frameworks/, by name",
  "core/src/model/trace.ts": "whose profiler wrote a profile; each has a dialect, read by trace/",
  "core/src/trace/causes.ts": "what each profiler leaves out of its file",
  "core/src/trace/conclusions.ts": "what to change in a program of that framework",
  "core/src/trace/torch-memory.ts": "torch alone writes such snapshots",
  "core/src/trace/chrome-json.ts": "how to tell whose profiler wrote a file",
  "core/src/trace/facts.ts": "how to tell whose profiler wrote a file",
  "core/src/trace/trace-proto.ts": "TensorFlow's own format",
  "core/src/trace/xplane-plane.ts": "how to tell whose profiler wrote a file",
};

const folders = ["core", "machine", "cli"];
// log/ reads the words of each: a message is of one framework, and its signatures name it.
const files = folders.flatMap((name) =>
  readdirSync(`packages/${name}/src`, { recursive: true, encoding: "utf8" })
    .map((file) => `${name}/src/${file}`)
    .filter((file) => /(?<!\.generated)\.ts$/.test(file) && !/^core\/src\/(frameworks\/[^/]+\/|log\/)/.test(file)),
);

/** Words that also mean a library of NVIDIA's wherever libraries are spoken of. */
const isLibrary = (name: string) => libraryIds.includes(name);

const known = frameworkNames
  .flatMap(({ id, packages, parts = [], companions = [], otherBuilds = [] }) => [id, ...packages, ...parts, ...companions, ...otherBuilds])
  .filter((name) => !isLibrary(name));
const inPatterns = new RegExp(
  `(?<![\\w-])(?:${frameworkNames
    .flatMap(({ id, modules }) => [id, ...modules])
    .filter((name) => !isLibrary(name))
    .join("|")})(?![a-z_])`,
);

/** Names of frameworks in literals: a whole string, a key, or a word of a pattern. Sentences may say what they like. */
function namedIn(text: string): string[] {
  const code = text.replace(/\/\*[^]*?\*\//g, "").replace(/(?<=^|\s)\/\/ .*$/gm, "");
  const strings = [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/g)]
    .map(([, double, single]) => double ?? single!)
    .filter((inner) => isAmong(inner, known));
  const keys = [...code.matchAll(/^\s*([a-z]+): /gm)].map(([, key]) => key!).filter((key) => known.includes(key));
  const patterns = [...code.matchAll(/(?<=[=(,:!&|?[\s])\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\]|\\.)*\])+)\/[gimsuy]*(?=[\s,;.)\]])/g)]
    .map(([, inner]) => inner!)
    .filter((inner) => inPatterns.test(inner));
  return [...strings, ...keys, ...patterns];
}

test.each(files.filter((file) => !(file in mayName)))("packages/%s names no framework", (file) => {
  const [first] = namedIn(readFileSync(`packages/${file}`, "utf8"));
  expect(
    first,
    `packages/${file} names \`${first}\`: what is known of a framework belongs into frameworks/<id>/names.ts; or say in tests/frameworks/names.test.ts why this file is about that one`,
  ).toBe(undefined);
});

test.each(Object.keys(mayName))("packages/%s still names a framework", (file) => {
  expect(namedIn(readFileSync(`packages/${file}`, "utf8")), `take ${file} out of the list in tests/frameworks/names.test.ts`).not.toEqual(
    [],
  );
});

test("names in literals are seen: strings, keys and patterns, not sentences and comments", () => {
  expect(namedIn('if (name === "torch") return;')).toEqual(["torch"]);
  expect(namedIn("const list = {\n  jax: 1,\n};")).toEqual(["jax"]);
  expect(namedIn("return /^(nvidia|cupy)-/.test(name);")).toEqual(["^(nvidia|cupy)-"]);
  expect(namedIn('["jax-cuda12-plugin", "tf-nightly-cpu"]')).toHaveLength(2);
  expect(namedIn("const text = '{\"name\": \"torch\"}';\nconst name = 'jax';")).toEqual(["jax"]);
  expect(namedIn('"install torch and jax" // "torch"\n/* "torch" */')).toEqual([]);
});

test.each(frameworks.map(({ id }) => id))("frameworks/%s has a test", (id) => {
  const tests = readdirSync("tests/frameworks")
    .filter((name) => name.endsWith(".test.ts") && name !== "names.test.ts")
    .map((name) => readFileSync(`tests/frameworks/${name}`, "utf8"));
  expect(
    tests.some((text) => text.includes(`"${id}"`)),
    `frameworks/${id} has no test below tests/frameworks/ that names "${id}"`,
  ).toBe(true);
});

test("what `solve` knows has builds, and the other way round", () => {
  const solved = frameworkNames.filter(({ solve }) => solve).map(({ id }) => id);
  expect(frameworkBuilds.map(({ id }) => id)).toEqual(solved);
});

test("a distribution is of one framework at most", () => {
  for (const names of frameworkNames)
    for (const name of [...names.packages, ...(names.parts ?? []), ...(names.companions ?? [])])
      // A companion may load by itself, too, and is still its framework's.
      expect(frameworkNamed(name)?.id, `${name} is named by two`).toBe(
        frameworkNames.find(({ companions }) => companions?.includes(name))?.id ?? names.id,
      );
});

test.each([
  ["nvidia-cudnn-cu12", 12],
  ["jax-cuda13-plugin", 13],
  ["cupy-cuda12x", 12],
  ["torch", undefined],
  ["other-cuda12", undefined],
])("the major of CUDA in the name %s is %s", (name, major) => {
  expect(cudaMajorInName(name)).toBe(major);
});

test("a distribution for one major of CUDA tells it", () => {
  expect(forCudaMajor("cupy-cuda11x")).toMatchObject({ names: { id: "cupy" }, major: "11" });
  expect(forCudaMajor("cupy-cuda115")).toBe(undefined);
  expect(forCudaMajor("cupy")).toBe(undefined);
});
