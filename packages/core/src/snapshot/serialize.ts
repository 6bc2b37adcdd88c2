import { factsIn, pathsIn } from "../model/overlay.ts";
import { jsonText } from "../lib/visible.ts";
import type { FileFact, Snapshot } from "../model/snapshot.ts";

/** The snapshot as text: the same facts give the same bytes. One file a line, so that two snapshots can be compared with any diff. */
export function serializeSnapshot(snapshot: Snapshot): string {
  const { files, environment, unknown, ...rest } = snapshot;
  const ids = sharedIds(files);
  const head = Object.entries({ ...rest, environment: sorted(environment), unknown }).map(
    ([key, value]) => `${jsonText(key)}:${jsonText(value)}`,
  );
  const lines = pathsIn({ files })
    .sort()
    .map((path) => `${jsonText(path)}:${jsonText(portable(files[path]!, ids))}`);
  return `{${head.join(",\n")},\n"files":{\n${lines.join(",\n")}\n}}\n`;
}

// Device and inode numbers differ from machine to machine. All that matters is which paths share a file.
function sharedIds(files: Snapshot["files"]): Map<string, string> {
  const paths = new Map<string, string[]>();
  for (const [path, fact] of factsIn({ files })) {
    if (fact.kind !== "file" || fact.id === undefined) continue;
    const same = paths.get(fact.id);
    if (same) same.push(path);
    else paths.set(fact.id, [path]);
  }
  return new Map([...paths].filter(([, same]) => 1 < same.length).map(([id, same]) => [id, same.sort()[0]!]));
}

function portable(fact: FileFact, ids: Map<string, string>): FileFact {
  if (fact.kind !== "file") return fact;
  const { id, ...rest } = fact;
  // A symbol table is in the order of its hashes; two releases are compared by names.
  if (rest.object?.kind === "elf" && rest.object.exports) rest.object = { ...rest.object, exports: rest.object.exports.toSorted() };
  const shared = id === undefined ? undefined : ids.get(id);
  return shared === undefined ? rest : { ...rest, id: shared };
}

function sorted(record: { [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
