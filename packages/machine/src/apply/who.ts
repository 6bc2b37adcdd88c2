// Whose a thing is, and who else could change it.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import process from "node:process";

/** Who runs us. The administrator's hands reach everything: they must not be led by anybody else. */
export interface Caller {
  uid: number;
}

export const caller = (): Caller => ({ uid: process.geteuid?.() ?? 0 });

export const isAdministrator = ({ uid }: Caller) => uid === 0;

/** Something that belongs to somebody else, or that somebody else could change: it is for its owner to do. */
export class NotOurs extends Error {
  constructor(
    message: string,
    readonly owner: number,
  ) {
    super(message);
  }
}

/** A user's name where this machine knows it. */
export const userName = (uid: number): string => passwd().find((row) => row.uid === uid)?.name ?? `user ${uid}`;

/** Whose something is, from the caller's seat. */
export const whose = (uid: number, { uid: own }: Caller): string => (uid === own ? "yours" : uid === 0 ? "root's" : `${userName(uid)}'s`);

/** Where the user's home is, by the list of users: what HOME says may be somebody else's. */
export const homeOf = (uid: number): string | undefined => passwd().find((row) => row.uid === uid)?.home;

/**
 * Who, beside the caller and the administrator, could change what lies in a folder, or a file itself; undefined where nobody can.
 * In a sticky folder everybody may add things, and only their owners may take them away.
 */
export function otherWriter(stat: fs.Stats, path: string, { uid }: Caller): { words: string; owner: number } | undefined {
  if (stat.uid !== 0 && stat.uid !== uid) return { words: `belongs to ${userName(stat.uid)}`, owner: stat.uid };
  if (stat.isDirectory() && stat.mode & 0o1000) return undefined;
  if (stat.mode & 0o002) return { words: "may be changed by everybody", owner: stat.uid };
  if (!(stat.mode & 0o020)) return undefined;
  const others = membersOf(stat.gid)?.filter((member) => member !== 0 && member !== uid);
  if (others === undefined) return { words: `may be changed by group ${stat.gid}`, owner: stat.uid };
  if (others[0] !== undefined) return { words: `may be changed by ${userName(others[0])}, by its group`, owner: stat.uid };
  // Where there is an access control list, these bits are the most that anybody on it may do.
  return hasAccessList(path) ? { words: "may be changed by others, by its access control list", owner: stat.uid } : undefined;
}

interface User {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

let users: User[] | undefined;

function passwd(): User[] {
  users ??= rowsOf("/etc/passwd").flatMap(([name, , uid, gid, , home]) =>
    name && uid && /^\d+$/.test(uid) ? [{ name, uid: Number(uid), gid: Number(gid), home: home ?? "" }] : [],
  );
  return users;
}

/** Who is in a group; undefined where this machine does not say. */
function membersOf(gid: number): number[] | undefined {
  const row = rowsOf("/etc/group").find(([, , id]) => id === String(gid));
  if (!row) return undefined;
  const named = (row[3] ?? "").split(",").filter((name) => name !== "");
  const uids = named.map((name) => passwd().find((user) => user.name === name)?.uid ?? -1);
  return [...uids, ...passwd().flatMap((user) => (user.gid === gid ? [user.uid] : []))];
}

function rowsOf(file: string): string[][] {
  try {
    return fs
      .readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.split(":"));
  } catch {
    return [];
  }
}

// Node cannot ask for it; `ls` marks it with a plus.
function hasAccessList(path: string): boolean {
  // A handle of ours is another one in a program that we start.
  const ours = path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
  const { stdout } = spawnSync("/bin/ls", ["-ldn", "--", ours], { encoding: "utf8", env: { LC_ALL: "C" } });
  return (stdout ?? "").split(" ")[0]!.endsWith("+");
}
