// pip's format of requirement files: https://pip.pypa.io/en/stable/reference/requirements-file-format/
import { normalName } from "../../lib/pep508.ts";
import { bareInstall, readPackage, refusedRequirement } from "../packages.ts";
import { placeAt, splitLines } from "../lines.ts";
import { localFolder, projectBeside } from "../project-command.ts";
import { isSource } from "../source.ts";
import type { Place } from "../../model/finding.ts";
import type { Declaration, Install } from "../../model/dependency-file.ts";
import { defineFormat, endsWith, isShared } from "../format.ts";

export default defineFormat({
  id: "requirements",
  words: "requirements.txt",
  place: 1,
  signs: [
    {
      by: "ending",
      after: ["conda-explicit", "shell-script"],
      is: ({ name }) =>
        !isShared(name) && !isCode(name) && (endsWith(".txt", ".in", ".pip", ".reqs")(name) || /requirements|constraints/.test(name)),
    },
  ],
  read: (text, file) => readRequirements(text, file),
  example: { file: "requirements.txt", text: "torch==2.4.1\n" },
});

/** Programs and pages about requirements are none. */
const isCode = endsWith(
  ".go",
  ".py",
  ".rs",
  ".js",
  ".mjs",
  ".ts",
  ".c",
  ".cc",
  ".cpp",
  ".h",
  ".hpp",
  ".java",
  ".rb",
  ".md",
  ".rst",
  ".html",
  ".csv",
);

interface Line {
  text: string;
  number: number;
  /** How far the first line is indented. */
  indent: number;
}

/** `environment` gives the values of variables that lines name as `${NAME}`. */
export function readRequirements(
  text: string,
  file: string,
  environment: (name: string) => string | undefined = () => undefined,
): Declaration {
  const place = placeAt(file, 1);
  const install: Install = { kind: "install", manager: "pip", packages: [], ...bareInstall(), place };
  const declaration: Declaration = { format: "requirements", file, steps: [install], unknown: [] };
  const misread: Misread[] = [];
  const tell = (line: number, reason: string) => declaration.unknown.push({ subject: `${file}:${line}`, reason });
  const listed = printedByPip(text);
  if (listed) return { ...declaration, steps: [{ ...install, packages: packagesListed(listed, file), isLocked: true, isThere: true }] };
  for (const { text: raw, number, indent } of logicalLines(text)) {
    const line = raw.replace(/\$\{([A-Z0-9_]+)\}/g, (whole, name: string) => environment(name) ?? whole);
    if (line.startsWith("-")) {
      readOptions(line, placeAt(file, number, indent + 1, line.length), install);
      continue;
    }
    // Options of one requirement stand behind it.
    const behind = line.search(/[ \t]-/);
    const own = (behind < 0 ? line : line.slice(0, behind)).trim();
    if (/\$\{[A-Z0-9_]+\}/.test(own)) {
      tell(number, "it names a variable that is not known");
      continue;
    }
    const found = readPackage(own, placeAt(file, number, indent + 1, own.length));
    if (found && "problem" in found)
      misread.push({ line: number, fault: found.fault, text: own, place: placeAt(file, number, indent + 1, own.length) });
    else if (found) install.packages.push(found);
    else takeSource(own, placeAt(file, number, indent + 1, own.length), install);
  }
  takeMisread(misread, install, tell);
  if (isFreeze(file.toLowerCase(), text, install)) Object.assign(install, { isLocked: true, isThere: true });
  return declaration;
}

interface Misread {
  line: number;
  fault: string;
  text: string;
  place: Place;
}

/** Lines that pip refuses for sure, but where the list may be conda's, which asks with one sign: then nobody knows who reads it. */
function takeMisread(misread: Misread[], install: Install, tell: (line: number, reason: string) => void): void {
  const refused = misread.map(({ text, place }) => refusedRequirement(text, place));
  const ofConda = misread.some(({ text }, index) => /^[\w.-]+\s*=[^=]/.test(text) && !refused[index]);
  const isWhole = fewestOfConda <= misread.length && install.packages.every(({ specifier }) => specifier === "");
  for (const [index, { line, fault }] of misread.entries()) {
    const each = ofConda || isWhole ? undefined : refused[index];
    if (each) install.refused = [...(install.refused ?? []), each];
    // Whoever wrote the file knows the line; anybody else need not.
    else tell(line, `pip cannot read this line: ${fault}`);
  }
}

/** A list in which all versions are asked for with one sign is hardly a slip. */
const fewestOfConda = 5;

/** The lines of `pip list` behind its head: `Package    Version`. */
function printedByPip(text: string): { lines: string[]; before: number } | undefined {
  const lines = splitLines(text);
  const head = lines.findIndex((line, index) => /^Package[ \t]+Version\b/.test(line) && /^-{3,}[ \t]+-{3,}/.test(lines[index + 1] ?? ""));
  return head < 0 || lines.slice(0, head).some((line) => /^[A-Za-z0-9]/.test(line))
    ? undefined
    : { lines: lines.slice(head + 2), before: head + 2 };
}

const packagesListed = ({ lines, before }: { lines: string[]; before: number }, file: string): Install["packages"] =>
  lines.flatMap((line, index) => {
    const [text, name, version] = /^([A-Za-z0-9][\w.-]*)[ \t]+(\d[\w.+!-]*)(?=[ \t]|$)/.exec(line) ?? [];
    const found = name === undefined ? undefined : readPackage(`${name}==${version}`, placeAt(file, before + index + 1, 1, text!.length));
    return found && !("problem" in found) ? [found] : [];
  });

/**
 * What `pip freeze` printed says what is installed, and nothing about where it came from: its labels (`+cu118`) miss no index. A file that
 * is called requirements, or lies in a folder of that name, is meant to be installed from, whoever wrote it.
 */
function isFreeze(file: string, text: string, { packages, includes, indexes, links }: Install): boolean {
  if (packages.length === 0 || 0 < includes.length + indexes.length + links.length) return false;
  // Wheels that conda built lie on the disk of whoever built them.
  if (packages.some(({ url = "" }) => /^file:\/\/.*(?:\/croot\/|feedstock_root|conda-bld|\/perseverance-python-buildout\/)/.test(url)))
    return true;
  const isWhole = packages.every(({ specifier, url }) => url !== undefined || /^===?[^*,]+$/.test(specifier));
  if (!isWhole || /require|constraint/.test(file) || /pip[- ]compile|^[ \t]+# via\b/m.test(text)) return false;
  const names = packages.map((each) => normalName(each.name));
  const isSorted = names.every((each, index) => index === 0 || names[index - 1]! <= each);
  return file.slice(file.lastIndexOf("/") + 1).includes("freeze") || (fewest <= names.length && isSorted);
}

/** A list that somebody typed is shorter, or in another order. */
const fewest = 12;

/** Options of a line that begins with one; several may stand on it. */
function readOptions(line: string, place: Place, install: Install): void {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    const [, name = word, joined] = /^(--[\w-]+)=([^]*)$/.exec(word) ?? /^(-[rcefi])(.+)$/.exec(word) ?? [];
    const value = () => unquoted(joined ?? words[(index += 1)] ?? "");
    switch (name) {
      case "-r":
      case "--requirement":
      case "-c":
      case "--constraint": {
        const path = value();
        const role = name === "-c" || name === "--constraint" ? ("constraints" as const) : ("requirements" as const);
        install.includes.push({ path, candidates: [path], role, place });
        break;
      }
      case "-i":
      case "--index-url":
      case "--pypi-url":
        install.indexes = [{ url: value(), only: true }, ...install.indexes.filter(({ only }) => !only)];
        break;
      case "--extra-index-url":
        install.indexes.push({ url: value(), only: false });
        break;
      case "--no-index":
        install.indexes = [{ url: "", only: true }];
        break;
      case "-f":
      case "--find-links":
        install.links.push(value());
        break;
      case "--pre":
        install.allowsPreReleases = true;
        break;
      case "-e":
      case "--editable": {
        const address = value();
        const found = readPackage(address, place);
        if (found && !("problem" in found)) install.packages.push(found);
        else if (!found) takeSource(address, place, install);
        break;
      }
      default:
    }
  }
}

/** A source without a name, whatever it is; a marker may stand behind its address. */
function takeSource(text: string, place: Place, install: Install): void {
  const [, url = text, marker] = /^(\S+)\s+;\s*(\S[^]*)$/.exec(text) ?? [];
  const beside = marker === undefined ? projectBeside(url, place) : undefined;
  if (beside) install.includes.push(beside);
  else if (isSource(url) || localFolder(url))
    install.built = [
      ...(install.built ?? []),
      { url, place, ...(marker === undefined ? {} : { marker }), ...(isSource(url) ? {} : { isFolder: true as const }) },
    ];
}

// A number sign begins a comment where the line begins or after a space.
function withoutComment(line: string): string {
  for (let at = line.indexOf("#"); 0 <= at; at = line.indexOf("#", at + 1))
    if (at === 0 || /\s/.test(line[at - 1]!)) return line.slice(0, at);
  return line;
}

const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/, "$2");

/** Lines as pip counts them: those that end with a backslash go on, comments are gone. */
function logicalLines(text: string): Line[] {
  const lines: Line[] = [];
  let parts: string[] = [];
  let number = 0;
  const finish = () => {
    const whole = withoutComment(parts.join(""));
    if (whole.trim() !== "") lines.push({ text: whole.trim(), number, indent: whole.length - whole.trimStart().length });
    parts = [];
  };
  for (const [index, line] of splitLines(text).entries()) {
    if (parts.length === 0) number = index + 1;
    const isComment = /^\s*#/.test(line);
    // A comment ends what goes on, though a backslash stands at its end.
    if (line.endsWith("\\") && !isComment) parts.push(line.slice(0, -1));
    else {
      parts.push(isComment ? " " : line);
      finish();
    }
  }
  if (0 < parts.length) finish();
  return lines;
}
