// The driver for tests and the witness of `npm run watch`, on this machine: a program in the namespace finds the driver by the loader's cache,
// the log has all that it opened and nothing of its children, and the machine outside is as before.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasTool } from "../elf/readelf.ts";
import { needs } from "../needs.ts";
// @ts-expect-error A tool, without types.
import { openedIn } from "../../tools/watch/compare.mjs";
// @ts-expect-error A tool, without types.
import { makeStandIn } from "../../tools/watch/standin.mjs";

const mayEnter = spawnSync("unshare", ["--mount", "--propagation", "private", "true"]).status === 0;

const program = `#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main (int count, char **words) {
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW), *management = dlopen ("libnvidia-ml.so.1", RTLD_NOW);
  if (!driver || !management) { puts (dlerror ()); return 1; }
  int gpus = 0;
  void *made = 0;
  ((int (*) (int *)) dlsym (driver, "cuDeviceGetCount")) (&gpus);
  int context = ((int (*) (void **, int)) dlsym (driver, "cuDevicePrimaryCtxRetain")) (&made, 0);
  int kernel = ((int (*) (void)) dlsym (driver, "cuLaunchKernel")) ();
  FILE *device = fopen ("/dev/nvidia0", "r");
  printf ("%d GPU%s, a context gives %d, a kernel %d\\n", gpus, device ? " in /dev" : "", context, kernel);
  dlclose (management);
  if (dlopen (words[1], RTLD_NOW)) puts ("opened what cannot be whole");
  fflush (stdout);
  return system ("/bin/true");
}
`;

describe("the driver for tests", needs({ cc: hasTool("cc"), "the right to make a mount namespace": mayEnter }), () => {
  const folder = mkdtempSync(path.join(tmpdir(), "culprit-stand-in-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let made: { driver: string; audit: string; enter: string[] };
  const cc = (...args: string[]) => expect(spawnSync("cc", args, { cwd: folder }).status).toBe(0);
  beforeAll(() => {
    made = makeStandIn(folder) as typeof made;
    writeFileSync(`${folder}/program.c`, program);
    writeFileSync(`${folder}/empty.c`, "");
    cc("-o", "program", "program.c", "-ldl");
    // A library whose dependency is gone.
    cc("-shared", "-o", "libgone.so", "empty.c");
    cc("-shared", "-Wl,--no-as-needed", "-o", "libhalf.so", "empty.c", "-L.", "-lgone");
    rmSync(`${folder}/libgone.so`);
  });

  test("is found by the cache, gives a context and runs no kernel, and every object that came whole is in the log", () => {
    const [enter, ...entering] = made.enter;
    const log = `${folder}/log`;
    const audited = ["env", `WATCH_LOG=${log}`, `LD_AUDIT=${made.audit}`, `${folder}/program`, `${folder}/libhalf.so`];
    const { stdout, status } = spawnSync(enter!, [...entering, ...audited], { encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: "1 GPU in /dev, a context gives 0, a kernel 801\n", status: 0 });
    const text = readFileSync(log, "utf8");
    const opened = [...(openedIn(text) as Set<string>)].filter((file) => file.startsWith(folder));
    expect(opened).toEqual([`${made.driver}/libcuda.so.580.159.04`, `${made.driver}/libnvidia-ml.so.580.159.04`]);
    expect(text).toContain(`+ ${folder}/libhalf.so`);
    expect(text).not.toContain("/bin/sh");
  });

  test("is nowhere but in the namespace", () => {
    expect(readFileSync("/etc/ld.so.cache").includes(made.driver)).toBe(false);
    expect(readFileSync("/proc/mounts", "utf8")).not.toContain(folder);
  });
});
