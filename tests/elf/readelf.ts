import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { ElfFact, ElfFlag } from "../../packages/core/src/model/snapshot.ts";

export const hasTool = (tool: string) => spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;

/** Programs and libraries directly in a folder, links left out. */
export function elfFilesIn(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(folder, entry.name))
    .filter((file) => {
      const handle = fs.openSync(file, "r");
      const head = Buffer.alloc(18);
      fs.readSync(handle, head, 0, 18, 0);
      fs.closeSync(handle);
      const type = head[5] === 2 ? head.readUInt16BE(16) : head.readUInt16LE(16);
      return head.toString("latin1", 0, 4) === "\x7fELF" && (type === 2 || type === 3);
    });
}

/** The facts that binutils' readelf reports as well, in our words. */
export type Known = Pick<
  ElfFact,
  "class" | "order" | "type" | "interpreter" | "soname" | "needed" | "rpath" | "runpath" | "buildId" | "kernel" | "requires" | "provides"
> & { flags: ElfFlag[]; executableStack: boolean };

/** Reads many files at once with readelf. */
export function readelf(files: string[]): Map<string, Known> {
  const answers = new Map<string, Known>();
  for (let start = 0; start < files.length; start += 150) {
    // Two files at least: with one, readelf does not print its name.
    const batch = files.slice(start, start + 150);
    const { stdout } = spawnSync("readelf", ["-hdlnVW", ...batch, "/dev/null"], {
      encoding: "utf8",
      maxBuffer: 1 << 30,
      env: { ...process.env, LC_ALL: "C" },
    });
    for (const part of `\n${stdout}`.split("\nFile: ").slice(1)) {
      const end = part.indexOf("\n");
      const file = part.slice(0, end);
      if (batch.includes(file)) answers.set(file, parse(part.slice(end)));
    }
  }
  return answers;
}

function parse(text: string): Known {
  const first = (pattern: RegExp) => pattern.exec(text)?.[1];
  const bits = new Set([...text.matchAll(/\((?:FLAGS|FLAGS_1)\)\s+(?:Flags: )?(.*)/g)].flatMap(([, words]) => words!.trim().split(" ")));
  const tag = (name: string) => text.includes(` (${name}) `);
  const flags: ElfFlag[] = [];
  if (bits.has("BIND_NOW") || bits.has("NOW") || tag("BIND_NOW")) flags.push("now");
  if (bits.has("NODEFLIB")) flags.push("nodeflib");
  if (bits.has("NOOPEN")) flags.push("noopen");
  if (bits.has("PIE")) flags.push("pie");
  if (tag("RELR")) flags.push("relr");
  if (tag("AUDIT") || tag("DEPAUDIT")) flags.push("audit");
  const stack = first(/^ {2}GNU_STACK.* ([RWE ]{3}) 0x/m);
  const type = first(/^ {2}Type:\s+(\w+)/m);
  const texts = {
    interpreter: first(/\[Requesting program interpreter: (.*)\]/),
    soname: last(text, /\(SONAME\)\s+Library soname: \[(.*)\]/g),
    rpath: last(text, /\(RPATH\)\s+Library rpath: \[(.*)\]/g),
    runpath: last(text, /\(RUNPATH\)\s+Library runpath: \[(.*)\]/g),
    buildId: first(/Build ID: ([0-9a-f]+)/),
    kernel: first(/OS: Linux, ABI: ([\d.]+)/),
  };
  const requires = requiresIn(text);
  const provides = [...text.matchAll(/^ {2}[0-9a-fx]+: Rev: \d+ {2}Flags: .* {2}Name: (.*)$/gm)].map(([, name]) => name!);
  return {
    class: text.includes("Class:                             ELF64") ? 64 : 32,
    order: text.includes("little endian") ? "little" : "big",
    type: type === "EXEC" ? 2 : type === "DYN" ? 3 : -1,
    needed: [...text.matchAll(/\(NEEDED\)\s+Shared library: \[(.*)\]/g)].map(([, name]) => name!),
    flags,
    executableStack: stack === undefined || stack.includes("E"),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...(0 < requires.length ? { requires } : {}),
    ...(0 < provides.length ? { provides } : {}),
  };
}

function requiresIn(text: string): NonNullable<ElfFact["requires"]> {
  const requires: NonNullable<ElfFact["requires"]> = [];
  for (const [, file, name, flags] of text.matchAll(
    /^ {2}[0-9a-fx]+: (?:Version: \d+ {2}File: (.*) {2}Cnt: \d+| {2}Name: (.*) {2}Flags: (.*?)(?: {2}Version: \d+)?)$/gm,
  )) {
    if (file !== undefined) requires.push({ file, versions: [] });
    else requires.at(-1)!.versions.push({ name: name!, ...(flags!.includes("WEAK") ? { weak: true as const } : {}) });
  }
  return requires;
}

function last(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

/** The same facts as our reader has them. */
export function asKnown(fact: ElfFact): Known {
  const { class: elfClass, order, type, interpreter, soname, needed, rpath, runpath, buildId, kernel, requires, provides } = fact;
  const texts = { interpreter, soname, rpath, runpath, buildId, kernel, requires, provides };
  return {
    class: elfClass,
    order,
    type,
    needed,
    flags: fact.flags ?? [],
    executableStack: fact.executableStack ?? false,
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
  };
}
