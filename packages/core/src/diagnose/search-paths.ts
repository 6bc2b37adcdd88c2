// How a program of one's own is led to a folder for good: by what the linker writes into it. RUNPATH counts only for what an object asks for
// itself; RPATH also for what the objects below it ask for, unless those have a RUNPATH of their own.
import type { Advice } from "../model/finding.ts";
import { nameOf } from "../lib/path.ts";
import type { Load, ProgramBuild } from "../model/loads.ts";
import type { Run, SearchPaths } from "./stack.ts";
import { withFolders } from "./words.ts";

export type { SearchPaths };

/** The object that gets a path, and which kind of path, so that `asks` finds what lies in a folder. */
export interface PathChange {
  file: string;
  tag: "rpath" | "runpath";
  /** All of it, with what was there. */
  value: string;
}

/**
 * Changes that would help, the nearest first: of who asks, if that is the program or was built beside it; else of the program. Behind what
 * is there, so that nothing else is found elsewhere; `isAhead`: before it, where another file of the name lies.
 */
export function pathChanges(
  { searchPaths = {}, loads: { program } }: Run,
  asks: string,
  folders: string[],
  isAhead: boolean = false,
): PathChange[] {
  const added = (before: string | undefined) => {
    const there = before === undefined || before === "" ? [] : before.split(":");
    return [...new Set(isAhead ? [...folders, ...there] : [...there, ...folders])].join(":");
  };
  const own = program.build?.folder;
  const isOwn = asks === program.file || (own !== undefined && asks.startsWith(`${own}/`));
  const { rpath, runpath } = searchPaths[asks] ?? {};
  const direct: PathChange =
    runpath === undefined && rpath !== undefined
      ? { file: asks, tag: "rpath", value: added(rpath) }
      : { file: asks, tag: "runpath", value: added(runpath) };
  if (isOwn) return [direct];
  const above = searchPaths[program.file] ?? {};
  // What has a RUNPATH is not helped by anybody's RPATH.
  const inherited: PathChange[] =
    runpath === undefined ? [{ file: program.file, tag: "rpath", value: added(above.runpath ?? above.rpath) }] : [];
  return [...inherited, direct];
}

/** What an object's own search path names in vain: the folder was moved or removed since it was linked. */
export function goneWords({ searchPaths = {} }: Run, asks: string): string[] {
  const { runpath, gone = [] } = searchPaths[asks] ?? {};
  const kind = runpath === undefined ? "RPATH" : "RUNPATH";
  return gone.length === 0
    ? []
    : [`the ${kind} of ${nameOf(asks)} leads to ${gone.join(", ")}, which ${gone.length === 1 ? "is" : "are"} not there`];
}

export const patchelfCommand = ({ file, tag, value }: PathChange): string[] => [
  "patchelf",
  ...(tag === "rpath" ? ["--force-rpath"] : []),
  "--set-rpath",
  value,
  file,
];

/** What to do so that `asks` finds what lies in these folders; `instead` of what it would load now, which an RPATH finds before any variable. */
export function searchAdvice(run: Run, asks: string, folders: string[], instead?: Pick<Load, "via">): Advice[] {
  const { build } = run.loads.program;
  const changes = pathChanges(run, asks, folders, instead !== undefined);
  const [first] = changes;
  const isInherited = first?.tag === "rpath" && first.file !== asks;
  const flag = `-Wl,${isInherited ? "--disable-new-dtags," : ""}-rpath,${folders.join(":")}`;
  const isOfBuild = first?.file.startsWith(`${build?.folder}/`);
  return [
    ...(instead?.via === "rpath" ? [] : [withFolders(folders)]),
    ...(build?.cmake && isOfBuild && !isInherited
      ? inCMake(build, `CMAKE_BUILD_RPATH=${folders.join(";")}`)
      : [{ words: `when ${nameOf(first?.file ?? asks)} is linked: ${flag}` }]),
    ...changes.map((change) => ({
      words: `or change ${nameOf(change.file)} as it is`,
      command: patchelfCommand(change),
      scope: "file" as const,
    })),
  ];
}

/** A build is told something, and done again. */
export function inCMake({ folder, cmake }: ProgramBuild, setting: string): Advice[] {
  const skips = setting.startsWith("CMAKE_BUILD_RPATH") ? (cmake?.skips ?? []) : [];
  const where = cmake?.source === undefined ? [folder] : ["-S", cmake.source, "-B", folder];
  return [
    {
      words: "in the build, for good",
      command: ["cmake", ...where, `-D${setting}`, ...skips.map((name) => `-D${name}=OFF`)],
      scope: "file",
    },
    { words: "and build it again", command: ["cmake", "--build", folder], scope: "file" },
  ];
}

/** Why a folder that a program names is not searched for what one of its libraries asks for; empty where that is not so. */
export function notInherited({ searchPaths = {}, loads: { program } }: Run, asks: string, folder: string): string[] {
  if (asks === program.file) return [];
  const { runpath } = searchPaths[program.file] ?? {};
  const own = searchPaths[asks]?.runpath;
  const names = (list: string | undefined) => (list ?? "").split(":").includes(folder);
  if (names(runpath) && !names(own))
    return [
      `the RUNPATH of ${nameOf(program.file)} names ${folder}, but counts only for what ${nameOf(program.file)} asks for itself, and ${nameOf(asks)} asks for this`,
    ];
  const { rpath } = searchPaths[program.file] ?? {};
  return names(rpath) && own !== undefined
    ? [`the RPATH of ${nameOf(program.file)} names ${folder}, but ${nameOf(asks)} has a RUNPATH of its own, and then no RPATH counts`]
    : [];
}
