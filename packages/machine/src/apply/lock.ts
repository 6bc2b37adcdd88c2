// Only one of us changes a machine at a time, and a lock whose owner died is taken over by exactly one.
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import process from "node:process";
import { at, openPlain, type Folder } from "./hold.ts";

/** A process that cannot be mistaken for a later one with its number. */
interface Owner {
  pid: number;
  /** When it began, by its system's clock. */
  began: string;
  /** One start of one system, and one numbering of processes in it. */
  system: string;
}

export function withLock<T>(home: Folder, act: () => T): T {
  const release = acquire(home, "lock");
  try {
    return act();
  } finally {
    release();
  }
}

/**
 * The lock appears with its owner in it (a link to a file that is whole), so nobody ever reads half of one. Whoever finds a dead
 * owner's lock first takes the lock that guards its removal, by that very owner's name: so it is never taken from a living one.
 */
function acquire(home: Folder, name: string): () => void {
  const own = `.${name}-${crypto.randomUUID()}`;
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;
  const fd = fs.openSync(at(home, own), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  fs.writeSync(fd, JSON.stringify(ourselves()));
  fs.closeSync(fd);
  try {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      try {
        fs.linkSync(at(home, own), at(home, name));
        return () => fs.rmSync(at(home, name), { force: true });
      } catch (error) {
        if (!isCode(error, "EEXIST")) throw error;
      }
      const there = read(home, name);
      if (there === undefined) continue;
      const state = stateOf(there);
      if (state === "alive") throw new Error(`another culprit (process ${numberIn(there)}) is changing this machine right now`);
      if (state === "elsewhere")
        throw new Error(`a culprit of another system or container holds ${home.path}/${name}; if none runs there, remove that file`);
      const release = acquire(home, `${name}.${crypto.createHash("sha256").update(there).digest("hex").slice(0, 16)}`);
      try {
        if (read(home, name) === there) fs.rmSync(at(home, name), { force: true });
      } finally {
        release();
      }
    }
  } finally {
    fs.rmSync(at(home, own), { force: true });
  }
  throw new Error(`${home.path}/${name} cannot be taken`);
}

function read(home: Folder, name: string): string | undefined {
  let fd: number;
  try {
    fd = openPlain(home, name);
  } catch (error) {
    // Its owner has just ended.
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
  try {
    return fs.readFileSync(fd, "utf8").slice(0, 4096);
  } finally {
    fs.closeSync(fd);
  }
}

function stateOf(text: string): "alive" | "dead" | "elsewhere" {
  let owner: Owner | number;
  try {
    owner = JSON.parse(text) as Owner | number;
  } catch {
    return "dead";
  }
  // Earlier releases wrote the number alone.
  if (typeof owner === "number") return beganAt(owner) === undefined ? "dead" : "alive";
  const { boot, names } = system();
  const [ownBoot, ownNames] = String(owner?.system).split(" ");
  if (ownBoot !== boot) return ownBoot?.startsWith(`${os.hostname()}/`) ? "dead" : "elsewhere";
  if (ownNames !== names) return "elsewhere";
  return beganAt(owner.pid) === owner.began ? "alive" : "dead";
}

const numberIn = (text: string) => {
  const owner = JSON.parse(text) as Owner | number;
  return typeof owner === "number" ? owner : owner.pid;
};

const ourselves = (): Owner => {
  const { boot, names } = system();
  return { pid: process.pid, began: beganAt(process.pid) ?? "", system: `${boot} ${names}` };
};

function system(): { boot: string; names: string } {
  const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return { boot: `${os.hostname()}/${boot}`, names: fs.readlinkSync("/proc/self/ns/pid") };
}

/** When a process began; undefined where there is none, or only what is left of one. */
export function beganAt(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  let stat: string;
  try {
    stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name of a program stands in parentheses, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? undefined : fields[19];
}

const isCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code;
