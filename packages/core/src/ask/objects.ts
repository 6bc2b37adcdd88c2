// Which files of a target are programs and libraries.
import { isCopy } from "../knowledge/libraries.ts";
import { folderOf, withoutDots } from "../lib/path.ts";
import { factsIn } from "../model/overlay.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import type { View } from "../resolve/view.ts";
import { namesIn } from "../survey/python.ts";
import type { Examination } from "./examination.ts";
import { settle } from "./settle.ts";

/** Every program and library below folders, in order of path, links not followed; a file stands for itself. */
export async function findObjects(examination: Examination, paths: string[]): Promise<string[] | Problem> {
  return settle(examination, (view) => {
    const found: string[] = [];
    for (const path of paths) {
      const at = view.lookup(path);
      if ("error" in at) return problemOf("not-found", `there is no file or folder \`${path}\``);
      if ("found" in at && at.entry.kind !== "folder") found.push(path);
      else if ("found" in at) collectObjects(view, path, at.found, found);
    }
    return found;
  });
}

function collectObjects(view: View, path: string, folder: string, found: string[]): void {
  const names = view.names(folder);
  if (names === undefined) view.need(folder, "listing");
  for (const name of names ?? []) {
    const below = `${folder === "/" ? "" : folder}/${name}`;
    const fact = view.snapshot.files[below];
    if (fact === undefined) view.need(below, "entry");
    else if (fact.kind === "folder") collectObjects(view, `${path.replace(/\/$/, "")}/${name}`, below, found);
    else if (fact.kind === "file") {
      const object = view.object(below, fact);
      // Relocatable and core files are loaded by nobody.
      if (object?.kind === "elf" && (object.type === 2 || object.type === 3)) found.push(`${path.replace(/\/$/, "")}/${name}`);
    }
  }
}

/** Programs on PATH and in the system's own folders, and the libraries of the loader's cache. */
export async function systemObjects(examination: Examination): Promise<string[]> {
  const { environment } = examination.view.snapshot;
  const folders = new Set([
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    ...(environment["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/")),
  ]);
  const programs = await settle(examination, (view) => {
    const paths = new Set<string>();
    for (const folder of folders) {
      const at = view.lookup(folder);
      if (!("found" in at) || at.entry.kind !== "folder") continue;
      const names = view.names(at.found);
      if (names === undefined) view.need(at.found, "listing");
      for (const name of names ?? []) {
        const file = view.lookup(`${at.found}/${name}`);
        if ("found" in file && file.entry.kind === "file") paths.add(file.found);
      }
    }
    return [...paths];
  });
  const cache = await settle(examination, (view) => {
    const at = view.lookup("/etc/ld.so.cache");
    if ("found" in at && at.entry.kind === "file" && !at.entry.cache && !at.entry.unreadable) view.need(at.found, "cache");
    return "found" in at && at.entry.kind === "file" ? (at.entry.cache?.entries ?? []) : [];
  });
  return [...programs, ...new Set(cache.map(({ path }) => path))];
}

/** Copies of GPU libraries whose exports were not read yet. */
export const copiesWithoutExports = ({ view: { snapshot } }: Examination): string[] =>
  factsIn(snapshot).flatMap(([path, fact]) =>
    fact.kind === "file" && fact.object?.kind === "elf" && !fact.object.exports && isCopy(path, fact.object) ? [path] : [],
  );

/** Lists the folders in which objects have libraries looked for, as far as their own words tell. */
export function listSearchFolders(view: View): void {
  const { snapshot } = view;
  const folders = new Set((snapshot.environment["LD_LIBRARY_PATH"] ?? "").split(/[:;]/));
  for (const [path, fact] of factsIn(snapshot)) {
    if (fact.kind !== "file" || fact.object?.kind !== "elf") continue;
    const { rpath = "", runpath = "" } = fact.object;
    for (const element of `${rpath}:${runpath}`.split(":"))
      folders.add(element.replace(/^\$(?:ORIGIN|\{ORIGIN\})(?=\/|$)/, folderOf(path)));
  }
  for (const folder of folders) if (folder.startsWith("/") && !folder.includes("$")) namesIn(view, withoutDots(folder));
}
