// What a step will touch, and whose that is: looked at before anybody is asked, and again before it is done.
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Step } from "@culprit/core/model/fix";
import { reasonOf } from "@culprit/core/lib/reason";
import { at, openPlain, reach, refuseOthers, type Folder, type Place } from "./hold.ts";
import { stateAt, type State } from "./journal.ts";
import { below } from "./save.ts";
import { caller, isAdministrator, NotOurs, userName, type Caller } from "./who.ts";

export interface Prospect {
  step: Step;
  /** The file that is changed, or the program that is run: no part of it is a link. */
  path: string;
  /** Whose that is; of a new file, whose its folder is. */
  owner: number;
  /** What is there now. */
  now: State;
}

/** Looks at what steps will touch; refuses what is not the caller's to touch. */
export const prospectOf = (root: string, steps: Step[]): Prospect[] =>
  steps.map((step) => {
    try {
      return lookAt(root, step, caller());
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      // What the system says names a handle of ours.
      const file = step.do === "run" ? step.command[0] : root + step.file;
      throw new Error(`${file} cannot be looked at: ${reasonOf(error)}; nothing was changed`, { cause: error });
    }
  });

function lookAt(root: string, step: Step, who: Caller): Prospect {
  if (step.do !== "run")
    return reach(root, step.file, { links: "own" }, (place) => {
      refuseFile(place, who);
      refuseReadOnly(place);
      const owner = (place.stat ?? fs.fstatSync(place.folder.fd)).uid;
      const now: State = place.missing.length === 0 ? stateAt(place.folder, place.name) : { kind: "absent" };
      return { step, path: place.path, owner, now };
    });
  const program = programAt(step.command[0]!);
  const found = reach("", program, { links: "own" }, ({ path: real, stat, folder, name }) => {
    if (!stat?.isFile()) throw new Error(`${program} is not there`);
    if (isAdministrator(who)) {
      refuseOthers(stat, real, at(folder, name), who);
      refuseScript(real, folder.fd, name, who);
    }
    // Its bytes may be many, and it is not changed by us: that it is the same file is enough.
    return { path: real, owner: stat.uid, now: { kind: "file" as const, digest: `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeMs}` } };
  });
  if (isAdministrator(who)) {
    refuseEnvironment(program, step.changes, who);
    for (const place of step.changes) refuseTree(root, place, who);
  }
  for (const place of step.changes) refuseUnwritable(root, place);
  const owner = step.changes
    .map((place) => reach(root, place, { links: "own" }, ({ stat, folder }) => (stat ?? fs.fstatSync(folder.fd)).uid))
    .find((uid) => uid !== found.owner && uid !== 0);
  return { step, ...found, owner: owner ?? found.owner };
}

/** The file of a program that is named as one would type it; links are not followed: Python knows its environment by the name of its link. */
export function programAt(name: string): string {
  if (name.includes("/")) return path.resolve(name);
  const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const found = folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
  if (found === undefined) throw new Error(`${name} is not there`);
  return found;
}

/** A program would find out when it has fetched all that it wants to write. */
function refuseUnwritable(root: string, place: string): void {
  reach(root, place, { links: "own" }, ({ folder, name, stat }) => {
    const target = stat?.isDirectory() ? at(folder, name) : at(folder, ".");
    try {
      fs.accessSync(target, fs.constants.W_OK);
    } catch (error) {
      throw new Error(`${root}${place} cannot be written: ${reasonOf(error)}; nothing was changed`, { cause: error });
    }
  });
}

function refuseFile({ stat, path: file, missing }: Place, who: Caller): void {
  if (0 < missing.length || !stat) return;
  if (isAdministrator(who) && stat.uid !== who.uid) throw new NotOurs(`${file} belongs to ${userName(stat.uid)}`, stat.uid);
}

/** A file is replaced where its folder may be written to, and else written to where it lies. */
function refuseReadOnly({ folder, name, stat, path: file }: Place): void {
  let refused = "";
  const may = (target: string) => {
    try {
      fs.accessSync(target, fs.constants.W_OK);
      return true;
    } catch (error) {
      refused = (error as NodeJS.ErrnoException).code ?? "";
      return false;
    }
  };
  if (may(at(folder, ".")) || (stat && may(at(folder, name)))) return;
  // No right helps against it.
  if (refused === "EROFS") throw new Error(`${file} is on a file system that is mounted read-only; nothing was changed`);
  const owner = (stat ?? fs.fstatSync(folder.fd)).uid;
  const how = owner === 0 ? "run the same command with sudo" : `${userName(owner)} can`;
  throw new Error(`you may not change ${file}: ${how}; nothing was changed`);
}

// A script is run by what its first line names.
function refuseScript(file: string, fd: number, name: string, who: Caller): void {
  const handle = fs.openSync(at({ fd, path: "" }, name), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  const head = Buffer.alloc(256);
  const count = fs.readSync(handle, head, 0, head.length, 0);
  fs.closeSync(handle);
  const interpreter = /^#!\s*(\/\S+)/.exec(head.toString("latin1", 0, count))?.[1];
  if (interpreter === undefined || interpreter === file) return;
  reach("", interpreter, { links: "own" }, ({ stat, path: real, folder, name: inner }) => {
    if (stat) refuseOthers(stat, real, at(folder, inner), who);
  });
}

/**
 * Python runs what lies in its environment before it does anything: every file there must be the administrator's own, and no line of a
 * .pth file may lead to where somebody else could put a module.
 */
function refuseEnvironment(program: string, changes: string[], who: Caller): void {
  const prefix = path.dirname(path.dirname(program));
  const isOwn = ["pyvenv.cfg", "conda-meta"].some((name) => fs.existsSync(path.join(prefix, name)));
  const sites = changes.flatMap((place) => /^.*\/(?:site|dist)-packages(?=\/)/.exec(place)?.[0] ?? []);
  for (const place of new Set([...(isOwn ? [prefix] : []), ...sites])) refuseTree("", place, who);
}

/** Refuses a place where something, in it or below it, is not the administrator's own, or leads to what is not. */
function refuseTree(root: string, place: string, who: Caller): void {
  reach(root, place, { links: "own" }, ({ folder, name, path: real, missing }) => {
    if (0 < missing.length) return;
    below(folder, name, real, (inner, each, file, stat) => {
      if (stat.isSymbolicLink()) {
        if (stat.uid !== 0) throw new NotOurs(`${file} is a link that belongs to ${userName(stat.uid)}`, stat.uid);
        refuseTarget(root, file, who);
        return;
      }
      // uv's lock of an environment is open to everybody, and empty: there is nothing in it that could be run.
      if (each === ".lock" && stat.isFile() && stat.size === 0 && stat.uid === 0) return;
      refuseOthers(stat, file, at(inner, each), who);
      // Python reads these at the top of a folder of packages only; elsewhere they are mostly weights of a model.
      if (/\/(?:site|dist)-packages\/[^/]+\.pth$/.test(file) && stat.isFile())
        for (const line of pathsIn(inner, each, path.dirname(file))) refuseFolder(line, who);
    });
  });
}

/** What a link of our own leads to is read like what lies there: a package that is a link to another user's folder is that user's code. */
function refuseTarget(root: string, link: string, who: Caller): void {
  try {
    reach(root, link.slice(root.length), { links: "own" }, ({ stat, path: real, folder, name, missing }) => {
      if (stat && missing.length === 0) refuseOthers(stat, real, at(folder, name), who);
    });
  } catch (error) {
    // One that leads nowhere, or in a circle, leads to nobody.
    if (error instanceof NotOurs) throw error;
  }
}

function pathsIn(inner: Folder, name: string, folder: string): string[] {
  const fd = openPlain(inner, name);
  const bytes = Buffer.alloc(Math.min(fs.fstatSync(fd).size, 1 << 20));
  fs.readSync(fd, bytes, 0, bytes.length, 0);
  fs.closeSync(fd);
  const lines = bytes.toString("utf8").split(/\r?\n/);
  return lines
    .filter((line) => line.trim() !== "" && !line.includes("\0") && !/^(?:#|import[ \t])/.test(line))
    .map((line) => path.resolve(folder, line.trim()));
}

/** A folder on Python's path, wherever it lies. */
export function refuseFolder(folder: string, who: Caller): void {
  reach("", folder, { links: "own" }, ({ stat, path: real, folder: held, name, missing }) => {
    if (missing.length === 0 && stat) refuseOthers(stat, real, at(held, name), who);
  });
}
