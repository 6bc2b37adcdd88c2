// A small tree, a journal beside it, and steps to change it.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

export { edit, fixOf, set } from "./fixes.ts";

/** Everybody may go through it, as through a real root: other users look into some of these trees. */
export function stage(name: string): { scratch: string; place: () => { folder: string; root: string; home: string } } {
  const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `culprit-${name}-`)));
  fs.chmodSync(scratch, 0o755);
  afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
  let count = 0;
  return {
    scratch,
    place: () => {
      count += 1;
      const folder = path.join(scratch, String(count));
      const root = path.join(folder, "root");
      fs.mkdirSync(path.join(root, "etc/profile.d"), { recursive: true });
      return { folder, root, home: path.join(folder, "state/journal") };
    },
  };
}
