// Records what other loaders say: `node tests/loader/record.mjs NAME LOADER LIBC [EMULATOR]` writes recorded/NAME.json.
// LOADER and LIBC are the ld.so and libc.so.6 of one package, EMULATOR a static qemu for another machine. Needs root.
import { build } from "esbuild";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [name, loader, libc, emulator] = process.argv.slice(2);
if (libc === undefined) throw new Error("usage: record.mjs NAME LOADER LIBC [EMULATOR]");
const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), "culprit-record-"));
try {
  const outfile = join(folder, "recording.mjs");
  const stdin = { contents: 'export * from "./recording.ts"; export { thisComputer } from "./roots.ts";', resolveDir: here, loader: "ts" };
  await build({ stdin, bundle: true, platform: "node", format: "esm", outfile, logLevel: "error" });
  const { record, serialize, thisComputer } = await import(outfile);
  const machine = readFileSync(loader).readUInt16LE(18);
  const { cpu, kernel } = await thisComputer();
  // 2.26 and 2.27 took another bit, that of virtualization, for LZCNT: without it no processor is `haswell` to them (glibc bug 23456).
  if (["2.26", "2.27"].includes(name) && !/^flags.*\bvmx\b/m.test(readFileSync("/proc/cpuinfo", "utf8"))) delete cpu.platform;
  const recording = await record({
    source: name,
    loader,
    libc,
    machine,
    ...(emulator === undefined ? {} : { emulator }),
    // What qemu's processor has.
    cpu: emulator === undefined ? cpu : { atomics: true },
    kernel: kernel.split("-")[0],
  });
  writeFileSync(join(here, "recorded", `${name}.json`), serialize(recording));
  process.stdout.write(`${name}: ${Object.keys(recording.answers).length} answers of glibc ${recording.loader.fact.version}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
