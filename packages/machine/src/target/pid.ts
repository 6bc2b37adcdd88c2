import { reasonOf } from "@culprit/core/lib/reason";
import fs from "node:fs";
import path from "node:path";
import type { MappedFile } from "@culprit/core/model/snapshot";
import type { Target } from "@culprit/core/model/target";
import { codeOf, disk } from "./disk.ts";

/** A running process: its own root, variables and folder, and what it has really mapped. Nothing is attached to it. */
export function pid(number: number): Target {
  const at = (name: string) => `/proc/${number}/${name}`;
  if (!fs.existsSync(`/proc/${number}`)) throw new Error(`there is no process ${number}`);
  const read = (name: string): string => {
    try {
      return fs.readFileSync(at(name), "latin1");
    } catch (error) {
      throw new Error(`${whyClosed(number, codeOf(error))}: its ${name} cannot be read (${reasonOf(error)})`, { cause: error });
    }
  };
  // The root of a process may be another than ours: a container, a chroot. Paths are then its own, but the kernel tells us
  // those of a chroot as we would have to call them.
  const top = guarded(() => fs.readlinkSync(at("root"))) ?? "/";
  const root = top === "/" && isOurMounts(number) ? "" : at("root");
  const own = (path: string) => (top !== "/" && path.startsWith(`${top}/`) ? path.slice(top.length) : path === top ? "/" : path);
  const maps = parseMaps(read("maps")).map((mapped) => ({ ...mapped, file: own(mapped.file) }));
  const link = (name: string) => own(guarded(() => fs.readlinkSync(at(name))) ?? "");
  return {
    description: { kind: "process", name: `pid:${number}` },
    ...disk(root),
    async process() {
      const environment: { [name: string]: string } = {};
      for (const pair of Buffer.from(read("environ"), "latin1").toString("utf8").split("\0")) {
        const equals = pair.indexOf("=");
        if (0 < equals) environment[pair.slice(0, equals)] = pair.slice(equals + 1);
      }
      const status = read("status");
      const id = (name: string) => Number(new RegExp(`^${name}:\\s+\\d+\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
      return {
        environment,
        cwd: link("cwd") || "/",
        user: { uid: id("Uid"), gid: id("Gid") },
        running: { pid: number, executable: link("exe"), ...startedBy(read("cmdline"), link("cwd")), maps },
      };
    },
  };
}

/** Of a command line the program alone: what follows it may be secret. */
function startedBy(line: string, folder: string): { started?: string } {
  const [program = ""] = line.split("\0");
  return program.includes("/") ? { started: path.posix.resolve(folder || "/", program) } : {};
}

// What may not be read is mostly another user's; but a process can be closed to everyone, and to root in a container.
function whyClosed(number: number, code: string): string {
  const owner = guarded(() => fs.statSync(`/proc/${number}`).uid);
  if (owner === undefined) return `process ${number} has ended`;
  // Such a one has no memory of its own.
  if (code === "ESRCH") return `process ${number} is a thread of the kernel, or has ended`;
  return owner === process.geteuid?.() || process.geteuid?.() === 0
    ? `process ${number} may not be looked into`
    : `process ${number} belongs to another user`;
}

/** Processes whose maps can be read and hold a file that `isWanted`. */
export function processesMapping(isWanted: (file: string) => boolean): { pids: number[]; hidden: number } {
  const pids: number[] = [];
  let hidden = 0;
  for (const name of fs.readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      if (parseMaps(fs.readFileSync(`/proc/${name}/maps`, "latin1")).some(({ file }) => isWanted(file))) pids.push(Number(name));
    } catch (error) {
      // One that has ended is none; one of another user may be anything.
      if (codeOf(error) === "EACCES" || codeOf(error) === "EPERM") hidden += 1;
    }
  }
  return { pids, hidden };
}

/** Files of /proc/PID/maps, once each, in the order of their addresses. The kernel writes a newline in a name as \012. */
export function parseMaps(text: string): MappedFile[] {
  const found = new Map<string, MappedFile>();
  for (const line of text.split("\n")) {
    const rest = /^[0-9a-f]+-[0-9a-f]+ \S+ [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ \d+\s+(\/.*)$/.exec(line)?.[1];
    if (rest === undefined) continue;
    const deleted = rest.endsWith(" (deleted)");
    const file = Buffer.from((deleted ? rest.slice(0, -10) : rest).replaceAll("\\012", "\n"), "latin1").toString("utf8");
    if (file.startsWith("/dev/") || file.startsWith("/memfd:")) continue;
    found.set(`${file} ${deleted}`, { file, ...(deleted ? { deleted: true as const } : {}) });
  }
  return [...found.values()];
}

function isOurMounts(number: number): boolean {
  return guarded(() => fs.readlinkSync(`/proc/${number}/ns/mnt`)) === guarded(() => fs.readlinkSync("/proc/self/ns/mnt"));
}

function guarded<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
