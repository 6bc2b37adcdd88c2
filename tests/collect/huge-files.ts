// Files of a root that are larger than any that was ever seen, or as large as they may be and made so that somebody goes over them again
// and again. Each is answered, or said to be too large; none takes longer than a person waits.
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkStack, type Check } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { cudnn, torch, triton } from "../diagnose/python-stack.ts";
import { module } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { makeElf } from "../loader/make-elf.ts";
import { addLoader } from "../loader/roots.ts";
import { build, temporary } from "../loader/tree.ts";

const kilobytes = 1 << 10;
const megabytes = 1 << 20;
const site = "/venv/lib/python3.11/site-packages";
const record = `${site}/nvidia_cudnn_cu12-9.1.0.70.dist-info/RECORD`;
const metadata = `${site}/torch-2.6.0.dist-info/METADATA`;

/** Lines with a number each, up to a size. */
function numbered(size: number, line: (number: number) => string): string {
  const lines: string[] = [];
  for (let number = 0, length = 0; length < size - 100; number += 1) length += lines[lines.push(`${line(number)}\n`) - 1]!.length;
  return lines.join("");
}
const filled = (size: number, text: string) => text.repeat(Math.ceil(size / text.length)).slice(0, size);

type Content = string | { sparse: number };
/** What it is called, where it lies, what is in it, and whether it is read. */
export type Huge = [name: string, path: string, content: () => Content, isRead: boolean];

/** Far beyond the limits, and then just below. */
export const representative: Huge[] = [
  ["short names to preload", "/etc/ld.so.preload", () => numbered(12 * megabytes, (number) => `l${number}`), false],
  ["a preload file of a terabyte", "/etc/ld.so.preload", () => ({ sparse: 2 ** 40 }), false],
  ["short lines of a path file", `${site}/x.pth`, () => numbered(12 * megabytes, (number) => `l${number}`), false],
  ["libraries that a package recorded", record, () => numbered(12 * megabytes, (number) => `nvidia/x/lib${number}.so,sha256=a,1`), false],
  ["one name to preload, over and over", "/etc/ld.so.preload", () => filled(16 * kilobytes, "a "), true],
  [
    "extras that are asked for",
    metadata,
    () => `Name: torch\n${numbered(250 * kilobytes, (number) => `Requires-Dist: a; extra == 'e${number}'`)}`,
    true,
  ],
  ["files that include themselves", "/etc/ld.so.conf", () => "include /etc/ld.so.conf /etc/ld.so.con*\n".repeat(50), true],
];

export const others: Huge[] = [
  ["one long name to preload", "/etc/ld.so.preload", () => filled(12 * megabytes, "x"), false],
  ["nothing to preload", "/etc/ld.so.preload", () => filled(12 * megabytes, " "), false],
  ["names to preload", "/etc/ld.so.preload", () => numbered(16 * kilobytes, (number) => `l${number}`), true],
  ["comments in it", "/etc/ld.so.preload", () => filled(16 * kilobytes, "#a\n"), true],
  ["code of a path file", `${site}/x.pth`, () => filled(12 * megabytes, "import a\n"), false],
  ["folders of a path file", `${site}/x.pth`, () => numbered(250 * kilobytes, (number) => `l${number}`), true],
  ["ways up in a path file", `${site}/x.pth`, () => filled(250 * kilobytes, "../"), true],
  ["one file, recorded over and over", record, () => filled(2 * megabytes, "nvidia/cudnn/lib/libcudnn.so.9,sha256=a,1\n"), true],
  ["one file with many sums", record, () => numbered(2 * megabytes, (number) => `nvidia/cudnn/lib/libcudnn.so.9,sha256=${number},1`), true],
  ["a record of one line", record, () => filled(12 * megabytes, ".so,"), false],
  ["requirements", metadata, () => `Name: torch\n${numbered(12 * megabytes, (number) => `Requires-Dist: nvidia-x${number}==1`)}`, false],
  [
    "requirements of one",
    metadata,
    () => `Name: torch\n${numbered(250 * kilobytes, (number) => `Requires-Dist: nvidia-cudnn-cu12!=1.${number}`)}`,
    true,
  ],
  ["one requirement", metadata, () => `Name: torch\nRequires-Dist: ${filled(200 * kilobytes, "a(")}`, true],
  ["an empty header", metadata, () => `Name: torch\n${filled(12 * megabytes, " ")}`, true],
  ["folders to search", "/etc/ld.so.conf", () => numbered(12 * megabytes, (number) => `/opt/cuda${number}`), false],
  ["fewer folders to search", "/etc/ld.so.conf", () => numbered(250 * kilobytes, (number) => `/opt/cuda${number}`), true],
  ["a pattern of stars", "/etc/ld.so.conf", () => `include ${site}/${filled(60_000, "*a")}\n`, true],
  [
    "the settings of an environment",
    "/venv/pyvenv.cfg",
    () => `home = /usr/bin\nversion = 3.11.2\nhome${filled(12 * megabytes, " ")}`,
    false,
  ],
  ["spaces in them", "/venv/pyvenv.cfg", () => `home = /usr/bin\nversion = 3.11.2\nhome${filled(200 * kilobytes, "\n")}`, true],
  ["a start-up file", "/etc/profile.d/a.sh", () => filled(4 * megabytes, "export LD_LIBRARY_PATH=/a\n"), true],
  ["a line of one", "/etc/profile.d/a.sh", () => `export ${filled(3 * megabytes, " ")}`, true],
  ["one of 12 MB", "/etc/profile.d/a.sh", () => `export LD_LIBRARY_PATH=${filled(12 * megabytes, "$")}`, false],
  [
    "files of a Debian package",
    "/var/lib/dpkg/info/libcudnn9.list",
    () => numbered(100 * megabytes, (number) => `/usr/lib/lib${number}.so.9`),
    false,
  ],
  ["fewer of them", "/var/lib/dpkg/info/libcudnn9.list", () => numbered(2 * megabytes, (number) => `/usr/lib/lib${number}.so.9`), true],
  [
    "Debian's packages",
    "/var/lib/dpkg/status",
    () => numbered(40 * megabytes, (number) => `Package: libcuda${number}\nVersion: 1\n`),
    true,
  ],
  ["a package of conda", "/venv/conda-meta/cudnn-9.1-0.json", () => filled(40 * megabytes, '"lib/a.so"\n'), true],
  ["libraries of conda", "/venv/conda-meta/cudnn-9.1-0.json", () => numbered(20 * megabytes, (number) => `"lib/${number}.so",`), true],
  ["a quote that does not close", "/venv/conda-meta/cudnn-9.1-0.json", () => filled(20 * megabytes, '"lib/'), true],
  ["a toolkit's version", "/usr/local/cuda/version.json", () => filled(12 * megabytes, "["), false],
  ["a loader's cache", "/etc/ld.so.cache", () => `glibc-ld.so.cache1.1${filled(12 * megabytes, "\u00ff")}`, true],
  ["the driver's version", "/proc/driver/nvidia/version", () => `NVRM version: ${filled(12 * megabytes, "Kernel Module 1.")}`, true],
  ["a word of it", "/proc/driver/nvidia/version", () => filled(12 * megabytes, "a "), true],
];

/** Each alone in a healthy root. */
export function judgeHuge(huge: Huge[]): void {
  const { folder, remove } = temporary();
  const top = path.join(folder, "top");
  beforeAll(() => {
    build(top, {
      "/usr/lib/python3.11/lib-dynload/_ctypes.so": module(),
      "/usr/bin/python3.11": makeElf({ program: true }),
      ...torch(),
      ...cudnn("9.1.0.70"),
      ...triton("3.2.0"),
      "/venv/bin/python3": { link: "/usr/bin/python3.11" },
      "/venv/pyvenv.cfg": { text: "home = /usr/bin\nversion = 3.11.2\n" },
    });
    if (glibcLoader !== undefined) addLoader(top);
  });
  afterAll(remove);

  test.each(huge)(
    "%s (%s)",
    async (_, name, content, isRead) => {
      const at = top + name;
      fs.mkdirSync(path.dirname(at), { recursive: true });
      const before = fs.existsSync(at) ? fs.readFileSync(at) : undefined;
      const made = content();
      if (typeof made === "string") fs.writeFileSync(at, made, "latin1");
      else {
        fs.writeFileSync(at, "");
        fs.truncateSync(at, made.sparse);
      }
      let check: Check;
      try {
        check = await checkStack(root(top), { ldconfig: name.includes("ld.so.conf") }, { python: ["/venv"] });
      } finally {
        if (before) fs.writeFileSync(at, before);
        else fs.rmSync(at);
      }
      const said = check.unknown.find(({ subject }) => subject === name);
      if (!isRead && glibcLoader !== undefined) expect(said).toMatchObject({ subject: name, reason: "is too large to be read" });
      // What was made up is at most a hint.
      expect(check.findings.filter(({ severity }) => severity === "error")).toEqual([]);
      expect(JSON.stringify(check).length).toBeLessThan(16 * megabytes);
    },
    30_000,
  );
}
