// Applies or undoes a fix, and is killed at the Nth call that changes the file system. Started by apply.test.ts.
import fs from "node:fs";
import path from "node:path";
import { applyFixes, undoFixes } from "../../src/apply/apply.ts";

const [what, home, root, at] = process.argv.slice(2) as [string, string, string, string];
let left = Number(at);
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
  "utimesSync",
  "chmodSync",
] as const) {
  const real = fs[name] as (...given: unknown[]) => unknown;
  (fs as Record<string, unknown>)[name] = (...given: unknown[]) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
    return real(...given);
  };
}
if (what === "undo")
  undoFixes(
    home,
    fs.readdirSync(home).find((name) => name !== "lock")!,
  );
else
  applyFixes(
    home,
    "",
    [
      {
        fix: "test",
        title: "three changes",
        reach: "machine",
        safety: "safe",
        commands: [],
        cures: [],
        changes: [],
        proof: { removes: [], adds: [] },
        steps: [
          { do: "edit", file: path.join(root, "etc/profile.d/cuda.sh"), line: 2, before: "export LD_LIBRARY_PATH=/opt/lib:/usr/lib" },
          { do: "write", file: path.join(root, "opt/new/libraries.sh"), text: "export A=b\n" },
          {
            do: "run",
            command: ["sh", "-c", `cd ${root}/site && echo new > lib/libcudnn.so.9 && echo x > lib/new`],
            changes: [path.join(root, "site")],
          },
        ],
      },
    ],
    () => {},
  );
