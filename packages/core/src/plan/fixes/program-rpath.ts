import { patchelfCommand, pathChanges, type PathChange } from "../../diagnose/search-paths.ts";
import { folderOf, nameOf } from "../../lib/path.ts";
import { commandLine } from "../../lib/shell.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { overlay } from "../../model/overlay.ts";
import { defineFix } from "../fix.ts";

/** A program of one's own gets the folder of its library written into it. Shown and proven, never done: whoever builds it does it better there. */
export default defineFix({
  id: "program-rpath",
  title: "Write a search path into a program",
  proposes(stack, { rule, facts, breaks }) {
    const { wanted, copies = [] } = facts;
    if (rule !== "library-not-on-path" || !wanted) return [];
    const runs = stack.runs.filter(
      ({ environment, programs }) => !environment && programs.some(({ id }) => breaks.some(({ framework }) => framework === id)),
    );
    const folders = [...new Set(copies.filter(({ role }) => role === "hidden").map(({ file }) => folderOf(file)))].slice(0, 2);
    return runs.flatMap((run) =>
      folders.flatMap((folder) =>
        pathChanges(run, wanted.requestedBy, [folder]).map((change) => ({
          title: `write ${folder} into the ${change.tag.toUpperCase()} of ${nameOf(change.file)}`,
          reach: "user" as const,
          safety: "display-only" as const,
          commands: [commandLine(patchelfCommand(change))],
          steps: [],
          changes: [change.file],
          simulate: (snapshot: Snapshot) => withPath(snapshot, change),
        })),
      ),
    );
  },
});

function withPath(snapshot: Snapshot, { file, tag, value }: PathChange): Snapshot | undefined {
  const fact = snapshot.files[file];
  if (fact?.kind !== "file" || fact.object?.kind !== "elf") return undefined;
  const { rpath: _rpath, runpath: _runpath, ...object } = fact.object;
  const changed = overlay(snapshot);
  changed.files[file] = { ...fact, object: { ...object, [tag]: value } };
  return changed;
}
