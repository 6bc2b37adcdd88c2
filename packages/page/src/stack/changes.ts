// What an experiment changes, in words: findings that go and come, and libraries that are another file.
import type { Answer, LoadedLibrary } from "./messages.ts";

export interface Change {
  mark: "✓" | "✗" | "!" | "→";
  look: "good" | "error" | "warning" | "info";
  words: string;
  /** What made the difference. */
  why?: string;
}

/** What is wrong with a machine, in numbers. */
export function countWords({ findings, status }: Answer): string {
  const [errors, warnings] = ["error", "warning"].map((severity) => findings.filter((each) => each.severity === severity).length);
  const counted = (number: number, word: string) => (number === 0 ? [] : [`${number} ${word}${number === 1 ? "" : "s"}`]);
  return (
    [...counted(errors!, "error"), ...counted(warnings!, "warning")].join(", ") ||
    (status === "incomplete" ? "nothing wrong found in what could be judged" : "nothing wrong found")
  );
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
  const loads = loadChanges(before.loads, after.loads);
  const shown = loads.slice(0, most);
  const left = loads.length - shown.length;
  return [
    ...come,
    ...gone,
    ...shown,
    ...(left === 0 ? [] : [{ mark: "→" as const, look: "info" as const, words: `and ${left} more libraries` }]),
  ];
}

function loadChanges(before: Answer["loads"], after: Answer["loads"]): Change[] {
  const changes = new Map<string, { programs: string[]; why: string | undefined }>();
  for (const [program, loads] of Object.entries(after)) {
    const old = before[program] ?? {};
    for (const library of new Set([...Object.keys(old), ...Object.keys(loads)])) {
      const [was, is] = [placeWords(old[library]), placeWords(loads[library])];
      if (was === is) continue;
      const words = `${library} ${is} (was ${was})`;
      const known = changes.get(words) ?? { programs: [], why: whyOf(library, old[library], loads[library]) };
      changes.set(words, { ...known, programs: [...known.programs, program] });
    }
  }
  return [...changes].map(([words, { programs, why }]) => ({
    mark: "→",
    look: "info",
    words: `${programs.join(", ")}: ${words}`,
    ...(why === undefined ? {} : { why }),
  }));
}

/** What led to the first file that is another one, before and now, for somebody who has never heard of any of it. */
function whyOf(library: string, old: LoadedLibrary | undefined, now: LoadedLibrary | undefined): string | undefined {
  const moved = Object.entries(old?.files ?? {}).find(([name, { folder }]) => now?.files[name] && now.files[name].folder !== folder);
  if (!moved) return undefined;
  const [name, was] = moved;
  const is = now!.files[name]!;
  return `\`${name}\` was found in \`${was.folder}\`: ${ruleWords(was)}. Now it is found in \`${is.folder}\`: ${ruleWords(is)}.${resultWords(library, old!, now!)}`;
}

/** What that means for the parts of one library, which only fit together when they are of one release. */
function resultWords(library: string, { versions: before }: LoadedLibrary, { versions: after }: LoadedLibrary): string {
  if (1 < before.length && after.length === 1)
    return ` So all files of ${library} are of one release, ${after[0]!}, and fit together; before, they were of ${before.join(" and ")}.`;
  if (before.length === 1 && 1 < after.length)
    return ` So the files of ${library} are of different releases, ${after.join(" and ")}, and may not fit together; before, all were of ${before[0]!}.`;
  return "";
}

/** What makes the loader look there. */
function ruleWords({ via, by }: LoadedLibrary["files"][string]): string {
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
