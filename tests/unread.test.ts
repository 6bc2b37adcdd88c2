// Unreadable is unknown, never absent and never healthy: one place after the other is closed to whoever looks.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "./needs.ts";
import { unreadIn } from "./unread.ts";
import { openTarget, checkReport, checkStack, loadsOfProgram, imageKeeping, type Check } from "../packages/core/src/index.ts";
import { host, image, machine, root } from "../packages/machine/src/target/index.ts";
import { cudnn, torch, triton } from "./diagnose/python-stack.ts";
import { library, module } from "./frameworks/python-root.ts";
import { asUser, cannotBecome, glibcLoader } from "./loader/answers.ts";
import { makeElf } from "./loader/make-elf.ts";
import { addLoader } from "./loader/roots.ts";
import { build, temporary } from "./loader/tree.ts";
import { archive, dockerFiles } from "./target/make-image.ts";

const { folder, remove } = temporary();
const top = path.join(folder, "top");
const site = "/venv/lib/python3.11/site-packages";
const other = 4321;

function closed<T>(places: string[], work: () => Promise<T>): Promise<T> {
  const modes = places.map((place) => [top + place, fs.statSync(top + place).mode] as const);
  for (const [at] of modes.toReversed()) fs.chmodSync(at, 0o000);
  return work().finally(() => modes.forEach(([at, mode]) => fs.chmodSync(at, mode)));
}

const inRoot = (places: string[], environment: { [name: string]: string } = {}): Promise<Check> =>
  closed(places, () => asUser(other, () => checkStack(root(top), { environment }, { python: ["/venv"] })));

describe("what may not be read", needs(cannotBecome() ?? { glibc: glibcLoader }), () => {
  beforeAll(() => {
    build(top, {
      "/usr/lib/python3.11/lib-dynload/_ctypes.so": module(),
      "/usr/bin/python3.11": makeElf({ program: true }),
      ...torch(),
      ...cudnn("9.1.0.70"),
      ...triton("3.2.0"),
      "/venv/bin/python3": { link: "/usr/bin/python3.11" },
      "/venv/pyvenv.cfg": { text: "home = /usr/bin\nversion = 3.11.2\n" },
      [`${site}/more.pth`]: { text: "/opt/more\n" },
      "/opt/more": { folder: true },
      "/opt/program": makeElf({ program: true, needed: ["libonly.so"] }),
      "/opt/lib/libonly.so": makeElf({ soname: "libonly.so" }),
      "/etc/ld.so.conf": { text: "include /etc/ld.so.conf.d/*.conf\n" },
      "/etc/ld.so.conf.d/a.conf": { text: "/opt/lib\n" },
      "/etc/ld.so.cache": { text: "nothing\n" },
      "/etc/ld.so.preload": { text: "\n" },
      "/proc/driver/nvidia/version": { text: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Thu\n" },
      "/lib/libcuda.so.580.159.04": library("libcuda.so.1", { pages: 300 }),
      "/lib/libcuda.so.1": { link: "libcuda.so.580.159.04" },
      "/lib/libnvidia-ml.so.580.159.04": library("libnvidia-ml.so.1", { pages: 300 }),
      "/lib/libnvidia-ml.so.1": { link: "libnvidia-ml.so.580.159.04" },
      "/var/lib/dpkg/info/libcudnn9.list": { text: "/usr/lib/libcudnn.so.9\n" },
      "/var/lib/dpkg/status": { text: "" },
      ...Object.fromEntries(
        ["/root/miniconda3/bin", "/lost+found/x", "/home/someone/venv/bin", "/opt/private/bin", "/home/someone/.local/lib"].map((place) => [
          place,
          { folder: true as const },
        ]),
      ),
    });
    addLoader(top);
    execFileSync("chmod", ["-R", "a+rX", top]);
  });
  afterAll(remove);

  test("whoever may read all of it has nothing to wonder about", async () => {
    const check = await inRoot([]);
    expect([check.findings, unreadIn(check)]).toEqual([[], []]);
    expect(checkReport(check)).toMatch(/^✓ Nothing wrong found; 2 unknowns \(--all\)\n  ✓ torch 2\.6\.0 /);
  });

  test("what everybody keeps closed, and nobody asked about, is of no matter", async () => {
    const check = await inRoot(["/root", "/lost+found", "/home/someone", "/opt/private"]);
    expect([check.findings, unreadIn(check)]).toEqual([[], []]);
    expect(checkReport(check)).toContain("✓ Nothing wrong found");
  });

  test.each([
    site,
    "/venv/lib",
    "/venv/lib/python3.11",
    `${site}/nvidia`,
    `${site}/nvidia/cudnn`,
    `${site}/nvidia/cudnn/lib`,
    `${site}/nvidia/cudnn/lib/libcudnn.so.9`,
    `${site}/nvidia/cuda_runtime/lib`,
    `${site}/torch`,
    `${site}/torch/lib`,
    `${site}/torch/lib/libtorch_cuda.so`,
    `${site}/more.pth`,
    "/venv/pyvenv.cfg",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/ld.so.conf.d",
    "/proc/driver/nvidia",
    "/proc/driver/nvidia/version",
  ])("%s: a verdict would need it", async (place) => {
    const check = await inRoot([place]);
    expect(check.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(unreadIn(check)).toEqual([place]);
    expect(check.unknown.filter(({ subject }) => subject === place)).toEqual([
      { subject: place, kind: "file", reason: "may not be read: run as its owner" },
    ]);
    const report = checkReport(check);
    expect(report).not.toContain("✓");
    expect(report).toContain(`${place}: may not be read: run as its owner`);
  });

  test.each([`${site}/torch-2.6.0.dist-info/METADATA`, `${site}/nvidia_cudnn_cu12-9.1.0.70.dist-info/RECORD`, "/var/lib/dpkg/info"])(
    "%s: it would only explain",
    async (place) => {
      const check = await inRoot([place]);
      expect([check.findings, unreadIn(check)]).toEqual([[], []]);
      expect(check.unknown).toContainEqual({ subject: place, kind: "file", aside: true, reason: "may not be read: run as its owner" });
    },
  );

  test("a folder of LD_LIBRARY_PATH, in a system that somebody else starts", async () => {
    const check = await inRoot(["/opt/lib"], { LD_LIBRARY_PATH: "/opt/lib" });
    expect(unreadIn(check)).toEqual(["/opt/lib"]);
    const loads = await closed(["/opt/lib"], () =>
      asUser(other, async () =>
        loadsOfProgram(await openTarget(root(top), { environment: { LD_LIBRARY_PATH: "/opt/lib" } }), "/opt/program"),
      ),
    );
    expect(loads.unknown).toContainEqual({ subject: "/opt/lib", kind: "file", reason: "may not be read: run as its owner" });
  });

  test("an environment that may not be entered is not said to be none", async () => {
    const cli = path.resolve("dist/cli.js");
    if (!fs.existsSync(cli)) return;
    await closed(["/venv"], async () => {
      const { status, stderr } = spawnSync(process.execPath, [cli, "check", "--root", top, "--python", "/venv"], {
        encoding: "utf8",
        uid: other,
        gid: other,
      });
      expect([status, stderr]).toEqual([
        2,
        "culprit: cannot tell whether there is a Python environment at `/venv`: `/venv` may not be read: run as its owner\n",
      ]);
    });
  });

  // The same environment, where programs of this computer are.
  const here = (places: string[], look: () => Promise<Check>) => closed(places, () => asUser(other, look));
  const own = path.join(top, "venv");

  test("this machine", async () => {
    const look = () => checkStack(machine(), {}, { python: [own] });
    expect(unreadIn(await here([], look))).toEqual([]);
    const check = await here([`${site}/nvidia`], look);
    expect(unreadIn(check)).toEqual([`${top}${site}/nvidia`]);
    expect(check.findings.filter(({ breaks }) => breaks.some(({ framework }) => framework === "torch"))).toEqual([]);
  });

  test("another host", async () => {
    const ssh = path.join(folder, "ssh");
    fs.writeFileSync(ssh, `#!/bin/sh\nexec setpriv --reuid=${other} --regid=${other} --clear-groups sh\n`, { mode: 0o755 });
    const look = async () => {
      const target = await host("there", [ssh]);
      const check = await checkStack(target, {}, { python: [own] });
      target.end?.();
      return check;
    };
    const check = await closed([site], look);
    expect(unreadIn(check)).toEqual([`${top}${site}`]);
  });

  test("an image, as its own user: what he may not read really fails him", async () => {
    const file = path.join(folder, "image.tar");
    await closed([`${site}/nvidia`], async () => {
      const { stdout } = spawnSync("tar", ["-C", top, "--numeric-owner", "-c", "."], { maxBuffer: 1 << 28 });
      fs.writeFileSync(file, archive(dockerFiles({ layers: [stdout], config: { User: "1000" } })));
    });
    const check = await checkStack(await image(file, await imageKeeping()), {}, { python: ["/venv"] });
    expect(
      check.findings.some(({ severity, breaks }) => severity === "error" && breaks.some(({ framework }) => framework === "torch")),
    ).toBe(true);
    expect(unreadIn(check)).toEqual([`${site}/nvidia`]);
  });
});
