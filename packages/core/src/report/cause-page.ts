// What the words mean by which findings and explanations name their cause.
import { wrapped } from "../lib/lines.ts";
import type { Cause } from "../model/cause.ts";
import type { RuleDescription } from "../model/rule.ts";
import { columns, laidOut, plain, type Style } from "./style.ts";

const texts: { [cause in Cause]: string } = {
  "library-missing": "A library that a program opens is not installed.",
  "library-not-on-path": "The library is installed, in a folder that the loader does not search for this program.",
  "library-wrong-version": "Another release of the library is there than the program was built with, and it cannot stand in for it.",
  "library-shadowed":
    "The right copy is there, and another one is found before it: by LD_LIBRARY_PATH, an RPATH, or a package that came later.",
  "library-damaged": "A file is empty, cut off, or not what its name says.",
  "two-copies": "Two copies of one library meet in one process.",
  "mixed-cudnn-sublibraries": "cuDNN is a front and several parts; parts of two releases meet.",
  "package-conflict": "Two packages ask for releases that exclude each other, or one was built for another release of the other.",
  "wrong-wheel-cuda-version": "The package was built for another CUDA than the one that is here.",
  "wrong-wheel-cpu-only": "The package that is installed was built without CUDA: no driver and no toolkit can change that.",
  "wrong-wheel-platform": "There is no wheel for this Python, system or processor, or the one that is installed is for another.",
  "driver-too-old": "The NVIDIA driver is older than the CUDA of the program needs.",
  "driver-not-exposed": "The driver does not reach the process: it is not installed, or the container was started without it.",
  "kernel-module-mismatch": "The driver's two halves are of two releases: an update was not followed by a restart.",
  "kernel-module-missing": "The driver's libraries are there, and its kernel module is not loaded.",
  "forward-compat-misuse": "The libraries of a cuda-compat package are used where they do not help: on this GPU, or beside a newer driver.",
  "stub-library": "A stub, made for linking on machines without a driver, is loaded in the driver's place.",
  "ptx-newer-than-driver": "The program brings PTX of a newer toolkit than the driver can translate.",
  "toolkit-too-old": "The CUDA toolkit is older than the GPU or the sources ask for.",
  "arch-unsupported": "The build has no code for this GPU: it is newer than the build, or the build has left it behind.",
  "toolkit-vs-framework-at-build": "An extension is compiled with another CUDA than its framework was.",
  "cuda-home-wrong": "CUDA_HOME or PATH leads to another toolkit than the one that is meant.",
  "profiler-permission": "The GPU's performance counters are closed to this user or container.",
  "profiler-conflict": "Another profiler, or a monitor, holds what only one may have at a time.",
  "profiler-plugin-version": "The plugin that shows a profile does not fit TensorBoard or the framework that wrote it.",
  "profiler-platform-unsupported": "The platform, the GPU or the release of the tool does not offer this kind of profile.",
  "cupti-too-old-for-driver": "CUPTI is of an older generation than the driver or the GPU, and records nothing of it.",
  "wrong-vendor": "The build is for another maker's GPU than the one that is here.",
  "stale-artefact":
    "Something that was made for another release is used again: an engine of TensorRT, a kernel in a cache, an extension that was compiled before its framework was replaced.",
  "upstream-bug": "A release has a defect of its own; another release of it does not.",
  "benign-warning": "The line looks alarming and means nothing for the run.",
  "not-a-mismatch": "What fails is no matter of versions: memory, a setting, a hidden device, the program itself.",
};

/** The page of a cause: what it says, and which rules find it before a program fails; undefined where that is no cause. */
export function causePageReport(cause: string, rules: RuleDescription[], style: Style = plain): string | undefined {
  const text = Object.hasOwn(texts, cause) ? texts[cause as Cause] : undefined;
  if (text === undefined) return undefined;
  const finders = rules.filter((rule) => rule.cause === cause).map(({ id }) => id);
  const said =
    finders.length === 0
      ? "No rule finds it on a machine or in a file: `culprit explain` concludes it from a text."
      : `Rules that find it: ${finders.join(", ")}. \`culprit help RULE\` prints the page of one.`;
  return [style.strong(cause), ...[text, said].flatMap((each) => wrapped(each, Math.min(style.width ?? 100, 100))), ""].join("\n");
}

export function causesReport(style: Style = plain): string {
  const lines = columns(Object.entries(texts), "  ", style);
  return laidOut(
    [style.strong("Causes, as findings and explanations name them"), ...lines, "", "`culprit help CAUSE` says which rules find one."],
    style,
  );
}
