// What an experiment changes, in words: findings that go and come, and libraries that are another file.
import type { Answer, LoadedLibrary } from "./messages.ts";

export interface Change {
  mark: "✓" | "✗" | "!" | "→";
  look: "good" | "error" | "warning" | "info";
  words: string;
  /** What made the difference. */
  why?: string;
  /** The same as a way from place to place, where the loader searched: before, and now. */
  search?: Search;
}

/** Where one file was looked for, in the loader's order. */
export interface Search {
  name: string;
  places: { place: string; before: Look; now: Look }[];
  /** What comes of it. */
  so: string;
}

interface Look {
  words: string;
  /** The search ended here. */
  found: boolean;
}

/** Where less was judged than there is, or nothing at all, nothing is well. */
const unjudged: { [status: string]: string } = {
  incomplete: "nothing wrong found in what could be judged",
  "nothing-to-check": "nothing to check",
};

export const isUnjudged = ({ status }: Answer): boolean => status in unjudged;

/** What is wrong with a machine, in numbers. */
export function countWords({ findings, status }: Answer): string {
  const [errors, warnings] = ["error", "warning"].map((severity) => findings.filter((each) => each.severity === severity).length);
  const counted = (number: number, word: string) => (number === 0 ? [] : [`${number} ${word}${number === 1 ? "" : "s"}`]);
  return [...counted(errors!, "error"), ...counted(warnings!, "warning")].join(", ") || (unjudged[status] ?? "nothing wrong found");
}

/** More lines than this are counted. */
const most = 12;

export function changesOf(before: Answer, after: Answer): Change[] {
  const [had, has] = [new Set(before.findings.map(({ key }) => key)), new Set(after.findings.map(({ key }) => key))];
  const gone = before.findings
    .filter(({ key }) => !has.has(key))
    .map(({ headline }): Change => ({ mark: "✓", look: "good", words: `gone: ${headline}` }));
  const come = after.findings
    .filter(({ key }) => !had.has(key))
    .map(({ headline, severity }): Change =>
      severity === "error"
        ? { mark: "✗", look: "error", words: `new: ${headline}` }
        : { mark: "!", look: "warning", words: `new: ${headline}` },
    );
  const loads = loadChanges(before, after);
  const shown = loads.slice(0, most);
  const left = loads.length - shown.length;
  return [
    ...come,
    ...gone,
    ...shown,
    ...(left === 0 ? [] : [{ mark: "→" as const, look: "info" as const, words: `and ${left} more libraries` }]),
  ];
}

function loadChanges(before: Answer, after: Answer): Change[] {
  const changes = new Map<string, { programs: string[] } & Pick<Change, "why" | "search">>();
  const nameOf = shortNames(Object.keys(after.loads));
  for (const [program, loads] of Object.entries(after.loads)) {
    const old = before.loads[program] ?? {};
    for (const library of new Set([...Object.keys(old), ...Object.keys(loads)])) {
      if (placeWords(old[library]) === placeWords(loads[library])) continue;
      const moved = movedFile(old[library], loads[library]);
      const search = moved && searchOf(moved, before, after);
      const so = moved ? resultWords(library, old[library]!, loads[library]!) : "";
      const words = moved ? versionWords(library, old[library]!, loads[library]!) : placesOf(library, old[library], loads[library]);
      const known = changes.get(words) ?? {
        programs: [],
        ...(search ? { search: { ...search, so } } : moved ? { why: `${whyOf(moved)}${so === "" ? "" : ` ${so}`}` } : {}),
      };
      changes.set(words, { ...known, programs: [...known.programs, nameOf(program)] });
    }
  }
  return [...changes].map(([words, { programs, ...told }]) => ({
    mark: "→",
    look: "info",
    words: `${programs.join(", ")}: ${words}`,
    ...told,
  }));
}

/** Programs are called with their environment; where there is one only, nobody needs to hear of it each time. */
function shortNames(programs: string[]): (program: string) => string {
  const place = / in \/.*$/s;
  const places = new Set(programs.map((program) => place.exec(program)?.[0]));
  return (program) => (places.size === 1 ? program.replace(place, "") : program);
}

const placesOf = (library: string, old: LoadedLibrary | undefined, now: LoadedLibrary | undefined) =>
  `${library} ${placeWords(now)} (was ${placeWords(old)})`;

/** Where its folders are told beside it, the versions are enough. */
function versionWords(library: string, old: LoadedLibrary, now: LoadedLibrary): string {
  const [was, is] = [old.versions.join(" and "), now.versions.join(" and ")];
  return was === is ? `${`${library} ${is}`.trim()} from another folder` : `${library} ${is} (was ${was})`;
}

interface Moved {
  name: string;
  was: LoadedFile;
  is: LoadedFile;
}

type LoadedFile = LoadedLibrary["files"][string];

/** The first file that is another one, before and now. */
function movedFile(old: LoadedLibrary | undefined, now: LoadedLibrary | undefined): Moved | undefined {
  const moved = Object.entries(old?.files ?? {}).find(([name, { folder }]) => now?.files[name] && now.files[name].folder !== folder);
  return moved && { name: moved[0], was: moved[1], is: now!.files[moved[0]]! };
}

/** Places in the order in which glibc's loader goes to them. RPATH is not among them: where it stands depends on the loader. */
const ladder: LoadedFile["via"][] = ["ld-library-path", "runpath", "cache", "default"];

function searchOf({ name, was, is }: Moved, before: Answer, after: Answer): Omit<Search, "so"> | undefined {
  const [from, to] = [ladder.indexOf(was.via), ladder.indexOf(is.via)];
  if (from < 0 || to < 0) return undefined;
  const look = (step: number, end: number, { folder }: LoadedFile, { variables }: Answer): Look => {
    if (step === end) return { words: `found in \`${folder}\``, found: true };
    if (end < step) return { words: "never reached", found: false };
    return { words: step === 0 && (variables["LD_LIBRARY_PATH"] ?? "") === "" ? "not set" : "not there", found: false };
  };
  const steps = [...new Set([0, from, to])].toSorted((one, other) => one - other);
  const places = steps.map((step) => ({
    place: ladderWords(ladder[step]!, step === to ? is.by : was.by),
    before: look(step, from, was, before),
    now: look(step, to, is, after),
  }));
  return { name, places };
}

function ladderWords(via: LoadedFile["via"], by: string): string {
  if (via === "ld-library-path") return "the folders of LD_LIBRARY_PATH, one after the other";
  if (via === "runpath") return `the folders that are written into \`${by}\`, which asks for it (its RUNPATH)`;
  if (via === "cache") return "the list of the system's libraries that ldconfig makes (`/etc/ld.so.cache`)";
  return "the system's own folders";
}

/** What led to it, before and now, for somebody who has never heard of any of it. */
const whyOf = ({ name, was, is }: Moved): string =>
  `\`${name}\` was found in \`${was.folder}\`: ${ruleWords(was)}. Now it is found in \`${is.folder}\`: ${ruleWords(is)}.`;

/** What that means for the parts of one library, which only fit together when they are of one release. */
function resultWords(library: string, { versions: before }: LoadedLibrary, { versions: after }: LoadedLibrary): string {
  if (1 < before.length && after.length === 1)
    return `So all files of ${library} are of one release, ${after[0]!}, and fit together; before, they were of ${before.join(" and ")}.`;
  if (before.length === 1 && 1 < after.length)
    return `So the files of ${library} are of different releases, ${after.join(" and ")}, and may not fit together; before, all were of ${before[0]!}.`;
  return "";
}

/** What makes the loader look there. */
function ruleWords({ via, by }: LoadedFile): string {
  switch (via) {
    case "ld-library-path":
      return "LD_LIBRARY_PATH names this folder, and the loader looks there before the folders that libraries name themselves (their RUNPATH) and before the system's own";
    case "runpath":
      return `\`${by}\`, which asks for it, has this folder written into itself (its RUNPATH), and the loader looks there when LD_LIBRARY_PATH does not lead it elsewhere`;
    case "rpath":
      return `\`${by}\`, which asks for it, has this folder written into itself (its RPATH), and the loader looks there first of all`;
    case "cache":
      return "it is in `/etc/ld.so.cache`, the list of the system's libraries that ldconfig makes, where the loader looks last but one";
    case "default":
      return "this is one of the system's own folders, where the loader looks last";
    case "path":
      return `\`${by}\` asks for this very file, so nothing is searched`;
    case "preload":
      return "LD_PRELOAD has it loaded before all else";
    case "already-loaded":
      return "it was loaded already, and what is loaded is not searched for again";
    default:
      return `the loader was led there by ${String(via)}`;
  }
}

function placeWords(loaded: LoadedLibrary | undefined): string {
  if (!loaded) return "is not loaded";
  const { versions, folders } = loaded;
  return `${versions.join(" and ")} from ${folders.map((folder) => `\`${folder}\``).join(" and ")}`.trim();
}
