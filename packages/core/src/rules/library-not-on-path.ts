import { compareDotted } from "../knowledge/dotted.ts";
import { folderOf, nameOf } from "../lib/path.ts";
import { copyFact } from "../diagnose/facts.ts";
import type { Advice } from "../model/finding.ts";
import type { Failure } from "../model/loads.ts";
import { defineMachineRule, type Blame } from "./rule.ts";
import type { Run, Stack, Stop } from "../diagnose/stack.ts";
import { notInherited, searchAdvice } from "../diagnose/search-paths.ts";
import { ownLibraries } from "../diagnose/own-libraries.ts";
import { copiesOf, fileWords, isInstalled, stopName, tellLdconfig, triedWords, unique, withFolders } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "library-not-on-path",
  absence: true,
  title: "A library is installed in a folder that is not searched",
  cause: "library-not-on-path",
  severity: "error",
  notOn: { "dependency-file": "where files will lie, and which folders are searched, is not written there" },
  page: {
    what: "The file is on the machine under the very name that is asked for, but its folder is in no RPATH, not in LD_LIBRARY_PATH, not in ld.so.cache and no system folder.",
    why: "Wheels put libraries below site-packages, where only a program that knows of them looks; CUPTI lies in `extras/CUPTI/lib64` of older toolkits; a toolkit from a runfile tells ldconfig nothing.",
    how: "The loader's search is replayed path by path; then all copies on the machine are compared with the name that was asked for.",
    fix: "Best is the framework's own way to its libraries (its CUDA extra, a preload function). A program of one's own is linked with `-Wl,-rpath,DIR` (CMake: CMAKE_BUILD_RPATH). Else add the folder to ld.so.conf.d and run ldconfig, or set LD_LIBRARY_PATH for this one program.",
    observed: "With onnxruntime-gpu, whose provider needs cuDNN from a wheel that nothing leads to; on an H200 with moved files.",
  },
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    if (failed.reason !== "not-found" || stop.failure.refusal?.kind === "version") return undefined;
    const name = nameOf(failed.name);
    const copies = copiesOf(stack, name);
    // A copy that the search did look at failed for another reason.
    const unseen = copies.filter(({ file, names }) => ![file, ...names].some((path) => failed.tried.includes(path)));
    const [first] = unseen;
    if (!first) return besideProgram(stop, run, failed);
    const folder = folderUnder(first, name);
    const isWheel = first.owner?.kind === "pip";
    if (isTooLittle(stack, stop, run, name)) return undefined;
    // What the program misses besides, here and later: one line for all of it.
    const beside = [stop, ...run.stops.filter(({ program }) => program === stop.program)].flatMap(({ failure: each }) =>
      (each.inWheels ?? []).map(folderOf),
    );
    // A program that calls its preload function, as the manual says, finds all of them: whether this one does is not in the files.
    const version = run.programs.find(({ id }) => id === stop.program)?.package?.version;
    const canPreload = stop.program === "onnxruntime" && isWheel && version !== undefined && 0 <= compareDotted(version, "1.21");
    return {
      specificity: 2,
      subject: name,
      short: `${name} is not on the search path`,
      message: canPreload
        ? `${stopName(run, stop)} does not find ${name} by itself and runs on the CPU: it is in ${fileWords(stack, first.file)}`
        : `${name} is installed, but in a folder that is not searched for ${stopName(run, stop)}: ${fileWords(stack, first.file)}`,
      because: [
        `${failed.requestedBy} asks for it, and nothing leads to ${folder}`,
        ...notInherited(run, failed.requestedBy, folder),
        ...(canPreload
          ? ["only a program that calls onnxruntime.preload_dlls() finds NVIDIA's wheels, or one that has imported torch before"]
          : []),
      ],
      facts: { copies: unseen.map((copy) => copyFact(copy, "hidden")) },
      evidence: [failed.message, ...triedWords(failed), ...unseen.slice(1).map(({ file }) => `also at ${fileWords(stack, file)}`)],
      advice: [
        ...(stop.program === "onnxruntime" && isWheel ? preloading(run, canPreload) : []),
        ...(canPreload ? [] : leading(run, failed, folder, beside)),
        ...(isWheel || /\/(?:site|dist)-packages\//.test(folder) ? [] : [tellLdconfig(folder)]),
      ],
    };
  },
});

const leading = (run: Run, { requestedBy }: Failure, folder: string, beside: string[]): Advice[] =>
  run.environment ? [withFolders(unique([folder, ...beside]))] : searchAdvice(run, requestedBy, foldersFor(run, folder));

/** A library of one's own that the linker was given, or that was installed with the program, and that nothing leads to. */
function besideProgram(stop: Stop, run: Run, failed: Failure): Blame | undefined {
  const name = nameOf(failed.name);
  const linked = run.loads.program.build?.libraries[name];
  const file = linked ?? run.near?.[name];
  if (file === undefined || failed.tried.includes(file)) return undefined;
  const folder = folderOf(file);
  return {
    specificity: 2,
    subject: name,
    short: `${name} is not on the search path`,
    message:
      linked === undefined
        ? `${stopName(run, stop)} needs ${name}, which lies near it, in a folder that is not searched: ${file}`
        : `${stopName(run, stop)} was linked against ${file}, in a folder that is not searched for it`,
    because: [`${failed.requestedBy} asks for ${name}, and nothing leads to ${folder}`, ...notInherited(run, failed.requestedBy, folder)],
    evidence: [failed.message, ...triedWords(failed)],
    advice: searchAdvice(run, failed.requestedBy, foldersFor(run, folder)),
  };
}

/** What a program of one's own misses besides, lies where the linker found it. */
function foldersFor({ stops, near = {}, loads: { program } }: Run, folder: string): string[] {
  const names = stops.map(({ failure }) => nameOf((failure.underlying ?? failure).name));
  return unique([folder, ...names.flatMap((name) => program.build?.libraries[name] ?? near[name] ?? []).map(folderOf)]);
}

/** What brings NVIDIA's wheels into the process before onnxruntime asks for them; torch only where it is installed. */
function preloading({ environment }: Run, canPreload: boolean): (Advice | string)[] {
  const hasTorch = environment?.packages.some(({ name }) => name === "torch") ?? false;
  return canPreload
    ? [
        `call onnxruntime.preload_dlls() before the first session${hasTorch ? ", or import torch first" : ""}`,
        { words: "to judge a program that does", command: ["culprit", "check", "--for", "onnxruntime:preload"] },
      ]
    : [
        `${hasTorch ? "import torch before onnxruntime, or " : ""}install onnxruntime-gpu 1.21 or newer and call onnxruntime.preload_dlls()`,
      ];
}

/** A toolkit that has this one and lacks others does not do: the framework's own wheels are missing, and bring all of them. */
function isTooLittle(stack: Stack, stop: Stop, run: Run, name: string): boolean {
  const own = ownLibraries(stack, run, stop.program, name);
  if (!own) return false;
  if ((stop.others ?? []).some((other) => !isInstalled(stack, other))) return true;
  // No toolkit has cuDNN.
  const hasCudnn = stack.inventory.copies.some(({ library, stub }) => library === "cudnn" && !stub);
  return !hasCudnn && own.wheels.some((wheel) => wheel.name.startsWith("nvidia-cudnn-"));
}

/** The folder in which a copy has the name that is asked for. */
function folderUnder({ file, names }: { file: string; names: string[] }, name: string): string {
  const at = [...names, file].find((path) => nameOf(path) === name) ?? file;
  return at.slice(0, at.lastIndexOf("/"));
}
