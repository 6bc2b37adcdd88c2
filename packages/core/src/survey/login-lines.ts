// Lines of start-up files in the order in which a login shell of bash comes to them, as far as that needs no shell.
import { away, beginsBlock, endsBlock, goesOn, isComment, linesOfDocuments } from "../lib/shell-lines.ts";
import { sourcedBy } from "../lib/shell-words.ts";
import type { View } from "../resolve/view.ts";
import { textAt } from "./python.ts";

export interface LoginLine {
  file: string;
  number: number;
  text: string;
  /** It is run whenever such a shell starts. */
  isSure: boolean;
  isScript: boolean;
  /** The line before goes on with it. */
  continues?: true;
  /** Only where somebody sits before it: behind a guard that ends the file for all others. */
  interactive?: true;
}

interface Reading {
  view: View;
  /** What is being read: a file that reads itself in would never end. */
  open: string[];
}

/** Files that read in each other are followed so far. */
const deepest = 5;

/** All lines of these files, and of those that they read in, where they do. */
export const linesOfFiles = (view: View, files: string[]): LoginLine[] =>
  files.flatMap((file) => linesOf({ view, open: [] }, file, { isSure: true }));

const begins = /(?:^|[;&|(]|\b(?:then|do|else)\b)\s*(?:if|for|while|until|case|select)\b|[{(]\s*(?:#.*)?$/g;
const ends = /(?:^|[;\s])(?:fi|done|esac)\b|^\s*[})]/g;

interface Around {
  isSure: boolean;
  interactive?: true;
}

/** Where one is in a file. */
interface Place {
  /** Conditions around the line, by what is known of them. */
  conditions: (boolean | undefined)[];
  /** Other blocks around it: of loops, functions and cases. */
  depth: number;
  /** Behind something that cannot be followed: none of the rest is sure. */
  isLost: boolean;
  isContinued: boolean;
  interactive: boolean;
}

function linesOf(reading: Reading, file: string, around: Around): LoginLine[] {
  const { view, open } = reading;
  if (open.includes(file) || deepest < open.length) return [];
  const isScript = file !== "/etc/environment";
  const place: Place = { conditions: [], depth: 0, isLost: false, isContinued: false, interactive: around.interactive === true };
  const inner: Reading = { view, open: [...open, file] };
  const lines = (textAt(view, file) ?? "").split(/\r?\n/);
  const isText = isScript ? linesOfDocuments(lines) : [];
  return lines.flatMap((line, index): LoginLine[] => {
    const text = isComment(line) || isText[index] ? "" : line;
    if (!isScript) return [{ file, number: index + 1, text, isSure: true, isScript }];
    const isOpen = openCondition(view, place, text);
    const reached = place.conditions.every((each) => each !== false);
    const isSure =
      around.isSure &&
      place.depth === 0 &&
      place.conditions.every((each) => each === true) &&
      !place.isLost &&
      !place.isContinued &&
      !goesOn(text);
    const continued = place.isContinued ? { continues: true as const } : {};
    if (!isOpen) follow(place, text);
    place.isContinued = goesOn(text);
    const shown: Around = { isSure, ...(place.interactive ? { interactive: true } : {}) };
    const own: LoginLine = { file, number: index + 1, text: reached ? text : "", isScript, ...shown, ...continued };
    if (!reached) return [own];
    const guarded = { ...shown, isSure: isSure && isUnguarded(view, text) };
    return [own, ...sourcedBy(text, view.snapshot.environment["HOME"]).flatMap((other) => linesOf(inner, other, guarded))];
  });
}

/** Whether the line opens, turns or closes a condition, and does nothing else. */
function openCondition(view: View, place: Place, text: string): boolean {
  const asked = /^\s*if\s+(.+?)\s*(?:;\s*then\s*)?(?:#.*)?$/.exec(text);
  if (asked && !/;\s*(?:then|fi)\b./.test(text)) {
    place.conditions.push(holds(view, asked[1]!));
    if (isOfInteractive(asked[1]!)) place.interactive = true;
    return true;
  }
  const top = place.conditions.length - 1;
  if (top < 0) return false;
  if (/^\s*then\s*(?:#.*)?$/.test(text)) return true;
  if (/^\s*else\s*(?:#.*)?$/.test(text)) {
    const before = place.conditions[top];
    place.conditions[top] = before === undefined ? undefined : !before;
    return true;
  }
  if (/^\s*elif\b/.test(text)) {
    place.conditions[top] = place.conditions[top] === true ? false : undefined;
    return true;
  }
  if (!/^\s*fi\s*;?\s*(?:#.*)?$/.test(text) || 0 < place.depth) return false;
  place.conditions.pop();
  return true;
}

function follow(place: Place, text: string): void {
  const opened = text.match(begins)?.length ?? 0;
  const closed = text.match(ends)?.length ?? 0;
  // Of a snapshot that names nobody, only that a block begins is left.
  const isBlock = opened === 0 && text.includes(away) && beginsBlock(text) && !endsBlock(text);
  place.depth = Math.max(0, place.depth + opened + Number(isBlock) - closed);
  // Text that goes over lines, a document in the file, an early end.
  const quotes = text.replaceAll(/\\./g, "").match(/["'`]/g)?.length ?? 0;
  const isEnd = place.depth === 0 && opened === 0 && /^\s*(?:return|exit)\b/.test(text) && place.conditions.every((each) => each !== false);
  if (quotes % 2 === 1 || text.includes("<<") || isEnd) place.isLost = true;
  // `case $- in`, `[ -z "$PS1" ] && return`: whoever is not before a terminal gets no further.
  if (isOfInteractive(text)) place.interactive = true;
}

const isOfInteractive = (text: string) => /\$-|\$\{?PS1\b|-t\s+[01]\b/.test(text) && !/\bPS1=/.test(text);

/** Whether a line reads a file in without asking for anything first that is not known to be so. */
function isUnguarded(view: View, text: string): boolean {
  const guard = /^\s*(?:if\s+)?(\[.*?\]|test\s.*?)\s*(?:&&|;\s*then)\s*(?:\.|source)\s/.exec(text);
  return guard ? holds(view, guard[1]!) === true : /^\s*(?:\.|source)\s/.test(text);
}

/** Whether a test holds in a bash that somebody sits before; undefined where only a shell can tell. */
function holds(view: View, test: string): boolean | undefined {
  const parts = test
    .split("&&")
    .map((part) => part.trim().replace(/^\[\[?\s(.*)\s\]\]?$|^test\s(.*)$/, (_, one?: string, two?: string) => (one ?? two ?? "").trim()));
  const answers = new Set(parts.map((part) => partHolds(view, part)));
  return answers.has(false) ? false : answers.has(undefined) ? undefined : true;
}

function partHolds(view: View, part: string): boolean | undefined {
  if (part === "true" || part === ":") return true;
  if (/^(?:-n\s+)?"?\$\{?(?:BASH_VERSION|BASH|PS1)(?:-|:-)?\}?"?$/.test(part)) return true;
  if (/^-z\s+"?\$\{?(?:BASH_VERSION|BASH|PS1)(?:-|:-)?\}?"?$/.test(part)) return false;
  if (/^"?\$\{?BASH\}?"?\s*!=\s*"?\/bin\/sh"?$/.test(part)) return true;
  if (/^\$-\s*==?\s*\*i\*$/.test(part)) return true;
  const [, how, name] = /^-([defrs])\s+(\S+)$/.exec(part) ?? [];
  if (how === undefined || name === undefined) return undefined;
  const home = view.snapshot.environment["HOME"];
  const path = (home === undefined ? name : name.replace(/^("?)(?:~|\$HOME|\$\{HOME\})(?=\/)/, `$1${home}`)).replace(/^"(.*)"$/, "$1");
  if (!path.startsWith("/") || /[$`*?"']/.test(path)) return undefined;
  const at = view.lookup(path);
  if ("ask" in at) return undefined;
  if ("error" in at) return at.error === "ENOENT" || at.error === "ENOTDIR" ? false : undefined;
  return how === "e" || how === "r" || (how === "d") === (at.entry.kind === "folder");
}
