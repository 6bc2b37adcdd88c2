// What NVIDIA's libraries load by themselves, whoever loaded them. Watched with LD_DEBUG: CUDA 12.2, 12.9 and 13.0, cuDNN 8.9, 9.19 and 9.27.
import { sizeSaidBy } from "../survey/owners.ts";
import { keptWith } from "../lib/memo.ts";
import { twinsIn, versionInName } from "../survey/twins.ts";
import { libraryOf, versionOf } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { Failure } from "../model/loads.ts";
import type { LoadedObject } from "../resolve/process.ts";
import type { RunningProcess } from "./running-process.ts";

/** While it is initialised, before any function is called. */
export function onLoaded(process: RunningProcess, object: LoadedObject): void {
  const name = nameOf(object.path);
  // cuBLASLt looks for the driver from its constructor, and does without it.
  if (name.startsWith("libcublasLt.so")) process.ladder(object, ["libcuda.so.1"]);
}

/** The parts of cuDNN 9 that the graph library asks for; the front asks for the others. */
const askedByGraph = new Set(["engines_precompiled", "engines_runtime_compiled", "heuristic", "engines_tensor_ir"]);

/** Which cuDNN is meant: that of a major, or a front library of one's own (`ctranslate2.libs/libcudnn-74a4c495.so.9.1.0`). */
export type WhichCudnn = string | LoadedObject;

/** cuDNN's front library. Two majors can live in one process, each with its own parts: a framework means the one that it was built for. */
export function cudnnFront(process: RunningProcess, which?: WhichCudnn): LoadedObject | undefined {
  if (typeof which === "object") return which;
  return (which === undefined ? undefined : process.loadedLike(`libcudnn.so.${which}`)) ?? process.loadedLike("libcudnn.so");
}

const majorOf = (front: LoadedObject) => /\.so\.(\d+)/.exec(front.fact.soname ?? nameOf(front.path))?.[1] ?? "9";

/**
 * A part of cuDNN, as libcudnn or libcudnn_graph asks for it: cuDNN 8 by its soname alone; cuDNN 9 by the full version first,
 * then major.minor, then the major. The version is that of the library that asks. undefined when no name leads to a usable file.
 */
export function cudnnPart(process: RunningProcess, part: string, major?: WhichCudnn): LoadedObject | undefined {
  const own = cudnnFront(process, major);
  const front = askedByGraph.has(part) ? own && loadedPart(process, "graph", majorOf(own)) : own;
  if (!front) return undefined;
  const release = majorOf(front);
  const version = release === "8" ? undefined : cudnnVersion(process, front);
  const names = version === undefined ? [] : [version, version.split(".").slice(0, 2).join(".")];
  const ladder = [...names, release].map((suffix) => `libcudnn_${part}.so.${suffix}`);
  // cuDNN 9 tries the name without a version at last, which a development package provides.
  return process.ladder(front, release === "8" ? ladder : [...ladder, `libcudnn_${part}.so`]);
}

/** A part of this major that is loaded; a development package's name tells no major. */
const loadedPart = (process: RunningProcess, part: string, major: string) =>
  process.loadedLike(`libcudnn_${part}.so.${major}`) ?? process.loadedLike(`libcudnn_${part}.so`);

/**
 * The engines of a convolution with cuDNN 9. Without the precompiled ones the heuristic is not asked for; without either,
 * kernels are compiled, for which NVRTC opens its built-in functions.
 */
export function cudnnEngines(process: RunningProcess, framework: string, major?: WhichCudnn): void {
  const precompiled = cudnnPart(process, "engines_precompiled", major);
  const heuristic = precompiled ? cudnnPart(process, "heuristic", major) : undefined;
  const front = cudnnFront(process, major);
  // Watched with 9.19: every other part may be missing, and a convolution still comes out.
  if (front && loadedPart(process, "graph", majorOf(front))) needCudnnPart(process, framework, "engines_runtime_compiled", { major });
  if (!heuristic) process.possibly(() => nvrtcBuiltins(process));
}

/** A part without which cuDNN ends the program: it aborts, or refuses every descriptor. */
export function needCudnnPart(
  process: RunningProcess,
  framework: string,
  part: string,
  { major, message }: { major?: WhichCudnn | undefined; message?: string } = {},
): LoadedObject | undefined {
  const found = cudnnPart(process, part, major);
  const front = cudnnFront(process, major);
  if (found || process.process.pending || !front) return found;
  const { activity, missed } = process.process;
  const start = `libcudnn_${part}.so`;
  const name = `${start}.${majorOf(front)}`;
  const misses = missed.filter((miss) => miss.name.startsWith(start));
  // The most telling of the names: one that was there and could not be loaded.
  const underlying = misses.find(({ reason }) => reason !== "not-found") ?? process.whyNot(name) ?? misses[0];
  return process.stop({
    name,
    requestedBy: framework,
    activity,
    reason: underlying?.reason ?? "not-found",
    message: message ?? wordsOf(majorOf(front), name, underlying, misses),
    refusal: { kind: "part", library: "cudnn", part },
    ...(underlying ? { underlying } : {}),
    tried: [...new Set(misses.flatMap(({ tried }) => tried))],
  });
}

/** What cuDNN prints before it ends the process. */
const wordsOf = (major: string, name: string, underlying: Failure | undefined, misses: Failure[]) =>
  major === "8"
    ? `Could not load library ${name}. Error: ${underlying?.message ?? `${name}: cannot open shared object file: No such file or directory`}`
    : `Unable to load any of {${[...new Set(misses.map((miss) => miss.name))].join(", ")}}`;

/** With which other part each of them must be of one release. */
const checkedAgainst: { [part: string]: string } = { ops: "graph", adv: "ops" };

/**
 * What recurrent layers open, in the order of the framework: `ops` must be of the graph library's release and `adv` of that of `ops`,
 * wherever they come from. Watched on an H200 with cuDNN 9.19 and single parts of 9.14, with empty files in their place, and with all parts
 * of 9.14, on which they run.
 */
export function cudnnRecurrent(process: RunningProcess, framework: string, parts: string[], major?: string): void {
  const front = cudnnFront(process, major);
  if (!front) return;
  for (const part of parts) {
    const message = "cuDNN error: CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE";
    const own = needCudnnPart(process, framework, part, { major, message });
    const other = loadedPart(process, checkedAgainst[part]!, majorOf(front));
    const [found, required] = [own, other].map((each) => each && cudnnVersion(process, each));
    if (required === undefined || found === undefined || found === required || process.process.pending) continue;
    process.stop({
      name: `libcudnn_${part}.so.${majorOf(front)}`,
      requestedBy: framework,
      activity: process.process.activity,
      reason: "not-found",
      message: "cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
      refusal: { kind: "version", library: "cudnn", required, found },
      file: own!.file,
      tried: [],
    });
  }
}

/**
 * The check that torch and XLA share: the same major, and at least the minor that it was compiled with. The version is what the first part
 * of cuDNN answers, whichever copy it is of.
 */
export function checkCudnn(
  process: RunningProcess,
  framework: string,
  compiled: string | undefined,
  { message }: { message: (loaded: string, compiled: string) => string },
): void {
  const library = cudnnFront(process, compiled?.split(".")[0]);
  const first = library && (loadedPart(process, majorOf(library) === "8" ? "ops_infer" : "graph", majorOf(library)) ?? library);
  const loaded = first && cudnnVersion(process, first);
  if (!library || !first || loaded === undefined || compiled === undefined || process.process.pending) return;
  const [have, want] = [loaded, compiled].map((version) => version.split(".").map(Number));
  if (have![0] === want![0] && (want![1] ?? 0) <= (have![1] ?? 0)) return;
  const required = compiled.split(".").slice(0, 3).join(".");
  process.stop({
    name: library.fact.soname ?? library.path,
    requestedBy: framework,
    activity: process.process.activity,
    reason: "not-found",
    message: message(loaded, required),
    refusal: { kind: "version", library: "cudnn", required, found: loaded },
    file: first.file,
    tried: [],
  });
}

/** NVRTC's built-in functions; undefined when they are not found, or NVRTC itself is not loaded. */
export function nvrtcBuiltins(process: RunningProcess): LoadedObject | undefined {
  const nvrtc = process.loadedLike("libnvrtc.so");
  return nvrtc && process.ladder(nvrtc, [nvrtcBuiltinsName(nvrtc)]);
}

/** NVRTC asks for them by a name with its own major and minor version. */
export function nvrtcBuiltinsName(nvrtc: LoadedObject): string {
  const [major, minor] = nvrtc.fact.constants?.["nvrtcVersion"] ?? [];
  const named = /libnvrtc\.so\.(\d+)/.exec(nvrtc.path)?.[1];
  return minor === undefined ? `libnvrtc-builtins.so.${named}.0` : `libnvrtc-builtins.so.${major}.${minor}`;
}

/** A process runs on paper without a pause: no fact is added meanwhile. */
const twinsOf = keptWith((process: RunningProcess) => twinsIn(process.view.snapshot));

/** From the numbers in the file, or its real name, or the wheel it came with. */
export function cudnnVersion(process: RunningProcess, object: LoadedObject): string | undefined {
  const library = libraryOf(object.fact.soname ?? object.path);
  const stated = library?.id === "cudnn" ? versionOf(library, object.fact) : undefined;
  if (stated !== undefined) return stated;
  const named = versionInName(object.file) ?? twinsOf(process)(object.fact)?.version;
  if (named !== undefined) return named;
  const packages = process.environment?.packages ?? [];
  const owners = packages.filter(
    ({ name, folder }) => /^nvidia-cudnn-cu\d+$/.test(name) && object.file.startsWith(`${folder}/nvidia/cudnn/`),
  );
  // Two of them fill one folder: the file is of the one whose size it has.
  const at = owners.length < 2 ? undefined : process.view.lookup(object.file);
  const size = at && "found" in at && at.entry.kind === "file" ? at.entry.size : undefined;
  const owner = size === undefined ? owners[0] : owners.find((each) => sizeSaidBy(process.view, each, object.file) === size);
  return owner?.version.split(".").slice(0, 3).join(".");
}
