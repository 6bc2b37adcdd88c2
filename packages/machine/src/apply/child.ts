// A program that we start may outlive us: it must be known which one it is before it does anything.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { at, openPlain, type Folder } from "./hold.ts";
import { beganAt } from "./lock.ts";

const fileOf = (index: number) => `step-${index}.process`;

/**
 * Runs a program to its end. It becomes the very process that was written down, so that it is known even when we die meanwhile.
 * It starts in /: Python looks for modules in the folder that it is started from, and that may be anybody's.
 */
export function runChild(folder: Folder, index: number, command: string[], environment: NodeJS.ProcessEnv): void {
  const script = 'cat "/proc/$$/stat" > "$0" 2>/dev/null; exec "$@"';
  const { status, error, signal } = spawnSync("/bin/sh", ["-c", script, `${folder.path}/${fileOf(index)}`, ...command], {
    stdio: ["ignore", 2, 2],
    cwd: "/",
    env: environment,
  });
  if (error) throw error;
  if (status === 127) throw new Error(`${command[0]} is not there`);
  if (status !== 0) throw new Error(signal ? `it was ended by ${signal}` : `it ended with exit code ${status}`);
}

/** The process of a step, if it still runs. */
export function childOf(folder: Folder, index: number): number | undefined {
  if (!fs.existsSync(at(folder, fileOf(index)))) return undefined;
  const fd = openPlain(folder, fileOf(index));
  const then = fs.readFileSync(fd, "utf8");
  fs.closeSync(fd);
  const pid = Number(then.split(" ")[0]);
  // Numbers of processes are used again; when one began is not.
  const began = beganAt(pid);
  return began !== undefined && began === then.slice(then.lastIndexOf(")") + 2).split(" ")[19] ? pid : undefined;
}
