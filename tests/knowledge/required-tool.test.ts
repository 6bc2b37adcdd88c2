import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

test("npm run required -- NAME leaves the rows of all other packages as they are", () => {
  const folder = mkdtempSync(join(tmpdir(), "required-"));
  try {
    cpSync("tools", join(folder, "tools"), { recursive: true });
    for (const name of ["packages", "node_modules", "package.json"]) symlinkSync(resolve(name), join(folder, name));
    mkdirSync(join(folder, "knowledge"));
    for (const name of ["published", "required"]) cpSync(`knowledge/${name}.json`, join(folder, "knowledge", `${name}.json`));
    // A name that is in no row: nothing is asked of PyPI, and everything is another package.
    execFileSync(process.execPath, [join(folder, "tools", "required.mjs"), "in-no-row"], { stdio: "pipe" });
    expect(readFileSync(join(folder, "knowledge", "required.json"), "utf8")).toBe(readFileSync("knowledge/required.json", "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
