import { libraryOf } from "../knowledge/libraries.ts";
import { nameOf, withoutDots } from "../lib/path.ts";
import type { Failure, FailureReason } from "../model/loads.ts";
import type { Draft } from "../model/finding.ts";
import { fileFact, reinstalling } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import type { Stack } from "../diagnose/stack.ts";
import { fileWords, reinstallAdvice, stopName } from "../diagnose/words.ts";

const damaged = new Set<FailureReason>([
  "file-too-short",
  "invalid-elf-header",
  "invalid-elf-file",
  "truncated",
  "is-a-folder",
  "cannot-read",
  "wrong-elf-class",
]);

export default defineMachineRule({
  id: "library-damaged",
  title: "A library is empty, cut, or of another machine",
  cause: "library-damaged",
  severity: "error",
  notOn: { "dependency-file": "whether a file is whole is seen on the disk only" },
  page: {
    what: "The file that answers is no usable library: empty, cut in the middle, a text (a Git LFS pointer, an HTML page), built for another processor, or not readable.",
    why: "Downloads that broke off, full disks, copies between machines. Some ways to be broken end a search with an error, some make it go on, and a file that is cut ends the process with SIGBUS.",
    how: "The ELF headers and segments are compared with the size of the file, as the loader and the kernel would.",
    fix: "Install the package again that owns the file.",
    observed:
      "On an H200: halved, empty and text files in the place of libraries, and one of another machine; the halved one ended the process with SIGBUS as predicted.",
  },
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    if (!damaged.has(failed.reason)) return undefined;
    const file = fileOf(stack, failed);
    return {
      specificity: 3,
      subject: file,
      short: `${nameOf(file)} is damaged`,
      message: `${fileWords(stack, file)} is not a usable library, and ${stopName(run, stop)} needs it`,
      because: [failed.message],
      evidence: [`asked for by ${failed.requestedBy}`],
      advice: repair(stack, file),
      facts: { copies: [fileFact(stack, file, "damaged")], packages: reinstalling(stack, file, [file]) },
    };
  },
  finds: (stack) =>
    stack.runs.flatMap(({ loads, programs }) =>
      loads.missed
        .filter((miss) => damaged.has(miss.reason) && libraryOf(miss.name))
        .map((miss) => ({
          subject: fileOf(stack, miss),
          severity: "warning" as const,
          short: `${nameOf(fileOf(stack, miss))} is damaged; programs go on without it`,
          message: `${fileWords(stack, fileOf(stack, miss))} is not a usable library; programs go on without it`,
          because: [miss.message],
          evidence: [`asked for by ${miss.requestedBy}`],
          advice: repair(stack, fileOf(stack, miss)),
          facts: {
            copies: [fileFact(stack, fileOf(stack, miss), "damaged")],
            packages: reinstalling(stack, fileOf(stack, miss), [fileOf(stack, miss)]),
          },
          endangers: programs.map(({ id }) => ({ framework: id, activity: miss.activity })),
        })),
    ),
});

/** The loader writes paths as it built them: `torch/lib/../../nvidia/cusparse/lib/libcusparse.so.12`. */
function fileOf(stack: Stack, { file, tried, name }: Failure): string {
  const path = withoutDots(file ?? tried.at(-1) ?? name);
  return stack.inventory.copies.find((copy) => copy.file === path || copy.names.includes(path))?.file ?? path;
}

function repair(stack: Stack, file: string): Draft["advice"] {
  return [reinstallAdvice(stack, file) ?? `put the right ${nameOf(file)} in its place, or take the file away`];
}
