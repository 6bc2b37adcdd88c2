// Folders are held open while something in them is changed: a name is then looked up in the very folder that was checked, wherever its
// path may lead by now. Node has no openat(2); /proc/self/fd/N/NAME is the same.
import fs from "node:fs";
import { reasonOf } from "@culprit/core/lib/reason";
import { caller, isAdministrator, NotOurs, otherWriter, userName, type Caller } from "./who.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;
/** Only to look names up, which a folder that may not be listed allows, too. The same number on every processor that Node runs on. */
export const O_PATH = 0o10000000;

export interface Folder {
  readonly fd: number;
  /** As a person knows it: absolute, and no part of it is a link. */
  readonly path: string;
}

/** Something on the way to a path is not a folder, or not any more: nothing of that path is behind it. */
export class Detour extends Error {
  constructor(
    message: string,
    /** What is not a folder. */
    readonly place: string,
  ) {
    super(message);
  }
}

/** A name in a folder that is held. */
export const at = ({ fd }: Folder, name: string) => `/proc/self/fd/${fd}/${name}`;

/** Where a path leads: the folders on the way are held, and none of them can be swapped any more. */
export interface Place {
  folder: Folder;
  name: string;
  /** Folders that do not exist yet between `folder` and `name`, outermost first. */
  missing: string[];
  /** Absolute, without a link in it. */
  path: string;
  /** What is there, links not followed; undefined: nothing. */
  stat: fs.Stats | undefined;
}

export interface Way {
  /** A link is followed where it is the caller's or the administrator's own; `none`: the path was walked before, and has none. */
  links: "own" | "none";
  /** `any`: what is made there may be anybody's, such as a report; else the administrator goes through nobody else's folders. */
  folders?: "any";
  caller?: Caller;
}

/**
 * Goes to a path step by step, inside a root folder (empty: the whole machine), and holds it while `act` works there.
 * No link is followed that somebody else made; the administrator goes through no folder that somebody else could change.
 */
export function reach<T>(root: string, file: string, way: Way, act: (place: Place) => T): T {
  const { place, leave } = hold(root, file, way);
  try {
    return act(place);
  } finally {
    leave();
  }
}

/** The same for a file that is written in the course of time. */
export async function reachLong(file: string, act: (place: Place) => Promise<void>): Promise<void> {
  const { place, leave } = hold("", file, { links: "own", folders: "any" });
  try {
    await act(place);
  } finally {
    leave();
  }
}

function hold(root: string, file: string, way: Way): { place: Place; leave: () => void } {
  const who = way.caller ?? caller();
  const chain: Folder[] = [];
  const leave = (count: number) => {
    while (count < chain.length) fs.closeSync(chain.pop()!.fd);
  };
  const enter = (name: string, path: string, from: Folder | undefined) => {
    const fd = named(path, () => fs.openSync(from ? at(from, name) : "/", O_PATH | O_DIRECTORY | O_NOFOLLOW));
    chain.push({ fd, path });
    if (isAdministrator(who) && way.folders !== "any") refuseOthers(fs.fstatSync(fd), path, `/proc/self/fd/${fd}/.`, who);
  };
  try {
    enter("/", "/", undefined);
    // The root folder itself has been walked before: a link on the way to it has come since.
    follow(root, "none", 1, true);
    return { place: follow(file, way.links, chain.length, false)!, leave: () => leave(0) };
  } catch (error) {
    leave(0);
    throw error;
  }

  /** Goes on from the innermost folder; `base` folders are never left. Ends in a folder that is held, or at a name in one. */
  function follow(path: string, allowed: Way["links"], base: number, isFolder: boolean): Place | undefined {
    const todo = path.split("/").reverse();
    let links = 0;
    while (0 < todo.length) {
      const name = todo.pop()!;
      if (name === "" || name === ".") continue;
      if (name === "..") {
        leave(Math.max(base, chain.length - 1));
        continue;
      }
      const here = chain.at(-1)!;
      const next = `${here.path === "/" ? "" : here.path}/${name}`;
      const stat = named(next, () => fs.lstatSync(at(here, name), { throwIfNoEntry: false }));
      const rest = todo.filter((part) => part !== "" && part !== ".").toReversed();
      if (stat?.isSymbolicLink()) {
        if (allowed === "none" && (isFolder || 0 < rest.length)) throw new Detour(`${next} has become a link since`, next);
        if (allowed === "none") return { folder: here, name, missing: [], path: next, stat };
        if (stat.uid !== 0 && stat.uid !== who.uid) throw new NotOurs(`${next} is a link that belongs to ${userName(stat.uid)}`, stat.uid);
        links += 1;
        if (40 < links) throw new Error(`${path} leads in a circle`);
        const to = named(next, () => fs.readlinkSync(at(here, name)));
        if (to.startsWith("/")) leave(base);
        todo.push(...to.split("/").reverse());
        continue;
      }
      if (!stat && isFolder) throw new Error(`${next} is gone`);
      if (!stat && rest.includes("..")) throw new Error(`${path} cannot be reached`);
      if (!stat && 0 < rest.length)
        return { folder: here, name: rest.at(-1)!, missing: [name, ...rest.slice(0, -1)], path: `${next}/${rest.join("/")}`, stat };
      if (rest.length === 0 && !isFolder) return { folder: here, name, missing: [], path: next, stat };
      if (!stat!.isDirectory()) throw new Detour(`${next} is not a folder`, next);
      enter(name, next, here);
    }
    if (isFolder) return undefined;
    throw new Error(`${path} is a folder`);
  }
}

/** What the system says names a handle; a person knows the path. */
function named<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Error(`${path} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

/** What somebody else could change is not for the administrator to work in. */
export function refuseOthers(stat: fs.Stats, path: string, real: string, who: Caller): void {
  const other = otherWriter(stat, real, who);
  if (other) throw new NotOurs(`${path} ${other.words}`, other.owner);
}

/** Opens a plain file without waiting for anybody and without following a link; anything else is refused. */
export function openPlain(folder: Folder, name: string, flags = O_RDONLY): number {
  const fd = fs.openSync(at(folder, name), flags | O_NOFOLLOW | O_NONBLOCK);
  if (fs.fstatSync(fd).isFile()) return fd;
  fs.closeSync(fd);
  throw new Error(`${folder.path}/${name} is not a plain file`);
}

/** Makes what was done in a folder last. */
export function syncFolder(folder: Folder): void {
  let fd: number;
  try {
    fd = fs.openSync(at(folder, "."), O_RDONLY | O_DIRECTORY);
  } catch {
    // One that may be written to and not read: the disk decides by itself when.
    return;
  }
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
