import { factsIn, filesOf, pathsIn } from "../model/overlay.ts";
// Start-up files hold whatever their owner put there. What decides loading is a few of their lines.
import {
  away,
  homeStartupFiles,
  homeStartupFolders,
  linesOfDocuments,
  maySet,
  reducedLine,
  startupFolders,
  systemStartupFiles,
  variablesSetBy,
  variablesThatMatter,
} from "../lib/shell-lines.ts";
import { sourcedBy } from "../lib/shell-words.ts";
import { withoutKeys } from "../lib/secrets.ts";
import { createWalker } from "../lib/walk.ts";
import type { FileFact, Snapshot } from "../model/snapshot.ts";

/**
 * The snapshot with nothing of start-up files but lines that set variables which decide loading, and those that such lines refer to. Every
 * line keeps its number, and what is left of it is read as the whole was: as the same value, or as one that cannot be told.
 */
export function withoutOtherLines(snapshot: Snapshot): Snapshot {
  const files = filesOf(snapshot);
  const startup = startupPaths(snapshot).flatMap((path) => {
    const fact = files[path];
    return fact?.kind === "file" && fact.text !== undefined ? [{ path, fact, lines: withoutDocuments(fact.text.split("\n")) }] : [];
  });
  const names = namesThatMatter(startup.flatMap(({ lines }) => lines));
  for (const { path, fact, lines } of startup) files[path] = { ...fact, text: lines.map((line) => reducedLine(line, names)).join("\n") };
  for (const [path, fact] of factsIn({ files })) {
    if (fact.kind !== "file" || fact.text === undefined) continue;
    // A key goes over several lines: without its first, the others would not be known for one.
    const text = withoutKeys(fact.text);
    if (path.endsWith(".pth")) files[path] = { ...fact, text: text.replace(/^(#|import[ \t]).*$/gm, `$1${away}`) };
    if (path.startsWith("/etc/ld.so.conf")) files[path] = { ...fact, text: text.replace(/#.*/g, "#") };
    // The loader counts characters of comments, and may even take words of later ones for names.
    if (path.startsWith("/etc/ld.so.preload"))
      files[path] = { ...fact, text: text.replace(/#.*/g, (comment) => comment.replace(/[^\s:#]/g, "x")) };
  }
  return { ...snapshot, files };
}

/** What begins such a document stays, and leads to no end of it: nothing after it may be taken for one. */
const withoutDocuments = (lines: string[]): string[] => {
  const isText = linesOfDocuments(lines);
  return lines.map((line, index) => (isText[index] ? away : line));
};

/** The texts of start-up files, by their real paths: a home is often full of links to somewhere else. */
function startupPaths({ files, environment }: Snapshot): string[] {
  const walk = createWalker<FileFact>((path) => files[path], { kind: "folder" });
  const found = new Set<string>();
  const add = (path: string) => {
    const at = walk(path);
    if (!("found" in at)) return;
    if (at.entry.kind === "folder") for (const inside of pathsIn({ files })) if (inside.startsWith(`${at.found}/`)) found.add(inside);
    found.add(at.found);
  };
  const home = environment["HOME"];
  for (const path of [...systemStartupFiles, ...startupFolders]) add(path);
  const ofHome = [...homeStartupFiles, ...homeStartupFolders];
  if (home !== undefined) for (const name of ofHome) add(`${home}/${name}`);
  const isHome = new RegExp(`/(?:${ofHome.map((name) => name.replaceAll(".", "\\.")).join("|")})$`);
  for (const path of pathsIn({ files }))
    if (/\/etc\/conda\/activate\.d(?:\/[^/]*)?$|\/bin\/activate$|\/conda-meta\/state$|\/\.envrc$/.test(path) || isHome.test(path))
      add(path);
  // Links among what was found lead further, and so do lines that read other files in.
  for (const path of found) {
    const fact = files[path];
    if (fact?.kind === "link") add(path);
    if (fact?.kind === "file") for (const line of fact.text?.split("\n") ?? []) for (const other of sourcedBy(line, home)) add(other);
  }
  return [...found];
}

/** Variables that decide loading, and those that their values are made from. */
function namesThatMatter(lines: string[]): Set<string> {
  const names = new Set(variablesThatMatter);
  const kept = new Set<string>();
  const keep = (line: string) => {
    if (kept.has(line)) return;
    kept.add(line);
    for (const [, name] of line.matchAll(/\$\{?([A-Za-z_]\w*)/g)) names.add(name!);
  };
  for (const line of lines) {
    const set = variablesSetBy(line);
    for (const { name } of set) names.add(name);
    if (0 < set.length) keep(line);
  }
  for (const name of names) for (const line of lines) if (maySet(line, name)) keep(line);
  return names;
}
