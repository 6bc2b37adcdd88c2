// Killed at points where the file system is changed: afterwards nothing happened, or undo brings everything back.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { buildSync } from "esbuild";
import { expect } from "vitest";
import { undoFixes } from "../../packages/machine/src/apply/undo.ts";
import { portrait } from "./portrait.ts";
import { set } from "./stage.ts";

export function buildWorker(scratch: string): string {
  const worker = path.join(scratch, "dies.cjs");
  buildSync({ entryPoints: ["tests/apply/dies.ts"], bundle: true, platform: "node", format: "cjs", outfile: worker });
  return worker;
}

/** Kills at every `stride`th change of the file system; how often that happened. */
export function killAlong(
  worker: string,
  place: () => { root: string; home: string },
  what: "apply" | "undo",
  { stride, first = 1, linked = false }: { stride: number; first?: number; linked?: boolean },
): number {
  let died = 0;
  for (let at = first; ; at += stride) {
    const { root, home } = place();
    const file = path.join(root, "etc/profile.d/cuda.sh");
    const old = `# first\n${set}\n`;
    fs.writeFileSync(file, old, { mode: 0o600 });
    if (linked) fs.linkSync(file, path.join(root, "etc/second.sh"));
    fs.mkdirSync(path.join(root, "site/lib"), { recursive: true });
    fs.writeFileSync(path.join(root, "site/lib/libcudnn.so.9"), "old");
    const before = portrait(root);
    const die = (doing: string, when: number) =>
      spawnSync(process.execPath, [worker, doing, home, root, String(when)], { encoding: "utf8" });
    if (what === "undo") expect(die("apply", 0).status).toBe(0);
    const { status, signal, stderr } = die(what, at);
    if (status === 0) return died;
    expect(signal, stderr).toBe("SIGKILL");
    died += 1;
    // At no moment is there anything but the old file or the new one.
    for (const name of linked ? ["profile.d/cuda.sh", "second.sh"] : ["profile.d/cuda.sh"])
      expect([old, "# first\n"]).toContain(fs.readFileSync(path.join(root, "etc", name), "utf8"));
    for (const name of fs.existsSync(home) ? fs.readdirSync(home) : []) {
      if (!fs.existsSync(path.join(home, name, "journal.json"))) continue;
      const { state } = JSON.parse(fs.readFileSync(path.join(home, name, "journal.json"), "utf8")) as { state: string };
      if (state !== "undone") undoFixes(home, name);
    }
    expect(portrait(root), `killed at change ${at} of ${what}`).toBe(before);
  }
}
