// Start-up files hold whatever their owner put there. What decides loading is a few of their lines.
import {
  beginsBlock,
  endsBlock,
  goesOn,
  homeStartupFiles,
  isComment,
  maySet,
  readAssignment,
  startupFolders,
  systemStartupFiles,
  variableSetBy,
} from "../lib/shell-lines.ts";
import { createWalker } from "../lib/walk.ts";
import type { FileFact, Snapshot } from "../model/snapshot.ts";

/** What stands for something that was taken away. */
const away = "…";

/**
 * The snapshot with nothing of start-up files but lines that set variables which decide loading, and those that such lines refer to. Every
 * line keeps its number, and what is left of it is read as the whole was: as the same value, or as one that cannot be told.
 */
export function withoutOtherLines(snapshot: Snapshot): Snapshot {
  const files = { ...snapshot.files };
  const startup = startupPaths(snapshot).flatMap((path) => {
    const fact = files[path];
    return fact?.kind === "file" && fact.text !== undefined ? [{ path, fact, lines: fact.text.split("\n") }] : [];
  });
  const names = namesThatMatter(startup.flatMap(({ lines }) => lines));
  for (const { path, fact, lines } of startup) files[path] = { ...fact, text: lines.map((line) => reducedLine(line, names)).join("\n") };
  for (const [path, fact] of Object.entries(files)) {
    if (fact.kind !== "file" || fact.text === undefined) continue;
    if (path.endsWith(".pth")) files[path] = { ...fact, text: fact.text.replace(/^(#|import[ \t]).*$/gm, `$1${away}`) };
    if (path.startsWith("/etc/ld.so.conf")) files[path] = { ...fact, text: fact.text.replace(/#.*/g, "#") };
    // The loader counts characters of comments, and may even take words of later ones for names.
    if (path.startsWith("/etc/ld.so.preload"))
      files[path] = { ...fact, text: fact.text.replace(/#.*/g, (comment) => comment.replace(/[^\s:#]/g, "x")) };
  }
  return { ...snapshot, files };
}

/** The texts of start-up files, by their real paths: a home is often full of links to somewhere else. */
function startupPaths({ files, environment }: Snapshot): string[] {
  const walk = createWalker<FileFact>((path) => files[path], { kind: "folder" });
  const found = new Set<string>();
  const add = (path: string) => {
    const at = walk(path);
    if (!("found" in at)) return;
    if (at.entry.kind === "folder") for (const inside of Object.keys(files)) if (inside.startsWith(`${at.found}/`)) found.add(inside);
    found.add(at.found);
  };
  const home = environment["HOME"];
  for (const path of [...systemStartupFiles, ...startupFolders]) add(path);
  if (home !== undefined) for (const name of homeStartupFiles) add(`${home}/${name}`);
  const isHome = new RegExp(`/(?:${homeStartupFiles.map((name) => name.replaceAll(".", "\\.")).join("|")})$`);
  for (const path of Object.keys(files))
    if (/\/etc\/conda\/activate\.d(?:\/[^/]*)?$|\/bin\/activate$/.test(path) || isHome.test(path)) add(path);
  // Links among what was found lead further.
  for (const path of found) if (files[path]?.kind === "link") add(path);
  return [...found];
}

/** Variables that decide loading, and those that their values are made from. */
function namesThatMatter(lines: string[]): Set<string> {
  const names = new Set<string>();
  const kept = new Set<string>();
  const keep = (line: string) => {
    if (kept.has(line)) return;
    kept.add(line);
    for (const [, name] of line.matchAll(/\$\{?([A-Za-z_]\w*)/g)) names.add(name!);
  };
  for (const line of lines) {
    const set = variableSetBy(line);
    if (set) names.add(set.name);
    if (set) keep(line);
  }
  for (const name of names) for (const line of lines) if (maySet(line, name)) keep(line);
  return names;
}

/** One line of a start-up file, with nothing left that does not matter. */
export function reducedLine(whole: string, names: Iterable<string>): string {
  const [, line, end] = /^(.*?)(\r?)$/s.exec(whole)!;
  if (line!.trim() === "") return whole;
  const rest = isComment(line!) ? "#" : partsThatMatter(line!, [...names]);
  // What a change of a neighbouring line depends on: whether a block begins or ends here, and whether the line goes on.
  const closed = endsBlock(line!) && !endsBlock(rest) ? `${/^\s*(fi|done|else|elif|\}|\))/.exec(line!)![1]} ${rest}` : rest;
  const opened = beginsBlock(line!) && !beginsBlock(closed) ? `${closed} # then` : closed;
  return `${opened}${goesOn(line!) && !goesOn(opened) ? (isPlain(opened, [...names]) ? " # \\" : " \\") : ""}${end}`;
}

const isPlain = (line: string, names: string[]) => names.some((name) => readAssignment(line, name) !== undefined);

function partsThatMatter(line: string, names: string[]): string {
  for (const name of names) {
    const read = readAssignment(line, name);
    // What was said about it is no part of it.
    if (read) return `${read.head}${read.quote}${read.value}${read.quote}${read.tail.replace(/\s*#.*/s, "")}`;
  }
  const set = variableSetBy(line);
  if (set) {
    const behind = line.slice(set.head.length);
    // `export NAME OTHER=…` gives this one no value.
    const { value, rest } = /=$|^\s*setenv\s/.test(set.head) ? firstWord(behind) : { value: "", rest: behind };
    const isMore = rest.trim() !== "" && !/^\s+#/.test(rest);
    const references = [...rest.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name]) => ` $${name}`).join("");
    const short = `${set.head}${value}${isMore ? ` ${away}${references}${/[`]|\$\(/.test(rest) ? " $(" : ""}` : ""}`;
    // What was not understood must not look as if it were.
    return readAssignment(short, set.name) ? `${short} ${away}` : short;
  }
  const others = names.filter((name) => maySet(line, name));
  return others.length === 0 ? away : `${away}; ${others.map((name) => `${name}=${away}`).join("; ")}`;
}

/** The value as a shell reads it, up to where the word ends; what a command in it is like is nobody's business. */
function firstWord(text: string): { value: string; rest: string } {
  let value = "";
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (quote === "'") quote = letter === "'" ? "" : quote;
    else if (letter === "\\") {
      value += text.slice(at, at + 2);
      at += 1;
      continue;
    } else if (letter === "`" || text.startsWith("$(", at)) {
      const close = letter === "`" ? text.indexOf("`", at + 1) : closingBracket(text, at + 1);
      value += letter === "`" ? `\`${away}\`` : `$(${away})`;
      if (close < 0) return { value, rest: "" };
      at = close;
      continue;
    } else if (letter === '"') quote = quote === '"' ? "" : '"';
    else if (quote === "" && letter === "'") quote = "'";
    else if (quote === "" && /[\s;&|<>()]/.test(letter)) return { value, rest: text.slice(at) };
    value += letter;
  }
  return { value, rest: "" };
}

function closingBracket(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}
