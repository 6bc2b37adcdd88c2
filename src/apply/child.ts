// A program that we start may outlive us: it must be known which one it is before it does anything.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const fileOf = (folder: string, index: number) => path.join(folder, `step-${index}.process`);

/** Runs a program to its end. It becomes the very process that was written down, so that it is known even when we die meanwhile. */
export function runChild(folder: string, index: number, command: string[]): void {
  const script = 'cat "/proc/$$/stat" > "$0" 2>/dev/null; exec "$@"';
  const { status, error, signal } = spawnSync("sh", ["-c", script, fileOf(folder, index), ...command], { stdio: ["ignore", 2, 2] });
  if (error) throw error;
  if (status === 127) throw new Error(`${command[0]} is not there`);
  if (status !== 0) throw new Error(signal ? `it was ended by ${signal}` : `it ended with exit code ${status}`);
}

/** The process of a step, if it still runs. */
export function childOf(folder: string, index: number): number | undefined {
  const then = read(fileOf(folder, index));
  const pid = Number(then?.split(" ")[0]);
  const now = pid ? read(`/proc/${pid}/stat`) : undefined;
  // Numbers of processes are used again; when one began is not.
  return now !== undefined && stateOf(now) !== "Z" && beganAt(now) === beganAt(then!) ? pid : undefined;
}

// The name of a program stands in parentheses, and may hold anything.
const fields = (stat: string) => stat.slice(stat.lastIndexOf(")") + 2).split(" ");
const stateOf = (stat: string) => fields(stat)[0];
const beganAt = (stat: string) => fields(stat)[19];

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
