// The wheel, built and installed into an environment without anything from elsewhere.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const python = ["python3", "/usr/bin/python3"].find(
  (each) => spawnSync(each, ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))"]).status === 0,
);

/** Python 3.9 or newer that can make environments. */
export const hasPython = python !== undefined;

export interface Installed {
  scratch: string;
  wheel: string;
  /** An environment of its own. */
  environment: string;
  /** Where packages are in it. */
  site: string;
}

export function installWheel(): Installed {
  const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-python-")));
  execFileSync(process.execPath, ["python/build.mjs", "--out", path.join(scratch, "dist")], { stdio: "pipe" });
  const wheel = path.join(scratch, "dist", fs.readdirSync(path.join(scratch, "dist"))[0]!);
  const environment = path.join(scratch, "environment");
  execFileSync(python!, ["-m", "venv", environment]);
  execFileSync(path.join(environment, "bin/python"), ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel], {
    env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1" },
  });
  const library = path.join(environment, "lib");
  const site = path.join(library, fs.readdirSync(library)[0]!, "site-packages");
  return { scratch, wheel, environment, site };
}

/** Variables with which nothing of the caller's machine is meant. */
export const quiet = (scratch: string, more: { [name: string]: string } = {}) => ({
  HOME: scratch,
  PATH: "/usr/bin:/bin",
  CULPRIT_NODE: process.execPath,
  ...more,
});

/** The files of a wheel, as Python sees them. */
export const namesIn = (file: string): string[] =>
  execFileSync(python!, ["-c", "import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep='\\n')", file], {
    encoding: "utf8",
  })
    .trimEnd()
    .split("\n");
