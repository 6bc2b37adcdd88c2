import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { openTarget, type CpuFact } from "../../packages/core/src/index.ts";
import { machine } from "../../packages/machine/src/target/index.ts";
import { glibcLoader } from "./answers.ts";

/** Copies this machine's loader and libc into another root, under the names that programs ask for. */
export function addLoader(root: string): void {
  const loader = glibcLoader!;
  const libc = /libc\.so\.6 => (\S+)/.exec(spawnSync(loader, ["--list", "/bin/sh"], { encoding: "utf8", env: {} }).stdout)![1]!;
  for (const file of [loader, libc]) {
    fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    fs.copyFileSync(file, path.join(root, file));
  }
  fs.chmodSync(path.join(root, loader), 0o755);
}

/** What a root folder does not say, and this machine does. */
export async function thisComputer(): Promise<{ cpu: CpuFact; kernel?: string }> {
  const { cpu, kernel } = (await openTarget(machine())).view.snapshot;
  return { cpu, ...(kernel === undefined ? {} : { kernel }) };
}

export const ldconfig = ["/sbin/ldconfig", "/usr/sbin/ldconfig"].find((file) => fs.existsSync(file));

export function runLdconfig(root: string, ...options: string[]): void {
  const { status, stderr } = spawnSync(ldconfig!, ["-r", root, ...options], { encoding: "utf8" });
  if (status !== 0) throw new Error(`ldconfig: ${stderr}`);
}
