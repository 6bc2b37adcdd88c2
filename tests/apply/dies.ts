// Applies or undoes a fix, and is killed at the Nth call that changes the file system; or runs one program that kills it. Started by
// apply.test.ts.
import fs from "node:fs";
import path from "node:path";
import { applyFixes } from "../../packages/machine/src/apply/apply.ts";
import { undoFixes } from "../../packages/machine/src/apply/undo.ts";
import type { Step } from "../../packages/core/src/model/fix.ts";

const [what, home, root, at] = process.argv.slice(2) as [string, string, string, string];
const { O_CREAT, O_RDWR, O_WRONLY } = fs.constants;
const isProgram = what === "run";
let left = isProgram ? -1 : Number(at);
for (const name of [
  "writeFileSync",
  "writeSync",
  "renameSync",
  "openSync",
  "rmSync",
  "mkdirSync",
  "rmdirSync",
  "symlinkSync",
  "ftruncateSync",
  "fchmodSync",
  "fchownSync",
  "chownSync",
  "fsyncSync",
  "lutimesSync",
  "linkSync",
  "unlinkSync",
  "lchownSync",
  "chmodSync",
  "cpSync",
] as const) {
  const real = fs[name] as (...given: unknown[]) => unknown;
  (fs as Record<string, unknown>)[name] = (...given: unknown[]) => {
    // Folders are opened at every step of every way: what is only looked at changes nothing.
    if (name === "openSync" && typeof given[1] === "number" && !(given[1] & (O_CREAT | O_WRONLY | O_RDWR))) return real(...given);
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
    return real(...given);
  };
}
const fix = {
  fix: "test",
  title: "four changes",
  reach: "machine",
  safety: "safe",
} as const;
const changes: Step[] = [
  { do: "edit", file: path.join(root, "etc/profile.d/cuda.sh"), line: 2, before: "export LD_LIBRARY_PATH=/opt/lib:/usr/lib" },
  { do: "write", file: path.join(root, "opt/new/libraries.sh"), text: "export A=b\n" },
  {
    do: "run",
    command: ["sh", "-c", `cd ${root}/site && rm lib/libcudnn.so.9`],
    changes: [path.join(root, "site/lib")],
  },
  {
    do: "run",
    command: ["sh", "-c", `cd ${root}/site && echo new > lib/libcudnn.so.9 && echo x > lib/new`],
    changes: [path.join(root, "site/lib")],
  },
];
const program: Step[] = [{ do: "run", command: ["sh", "-c", at], changes: [path.join(root, "cudnn")] }];
if (what === "undo")
  undoFixes(
    home,
    fs.readdirSync(home).find((name) => name !== "lock")!,
  );
else
  applyFixes(
    home,
    "",
    [{ ...fix, commands: [], cures: [], changes: [], proof: { removes: [], adds: [] }, steps: isProgram ? program : changes }],
    () => {},
  );
