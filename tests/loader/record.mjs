// Records what other loaders say: `node tests/loader/record.mjs NAME LOADER LIBC [EMULATOR]` writes recorded/NAME.json.
// LOADER and LIBC are the ld.so and libc.so.6 of one package, EMULATOR a static qemu for another machine. Needs root.
// With a static qemu-x86_64 and a loader for x86-64, processors are played instead: recorded-processors/NAME.json (needs gcc and objdump).
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
  // Beside which the player's source lies.
  const define = { "import.meta.dirname": JSON.stringify(here) };
  await build({ stdin, bundle: true, platform: "node", format: "esm", outfile, logLevel: "error", define });
  const { record, recordProcessors, serialize, thisComputer } = await import(outfile);
  const machine = readFileSync(loader).readUInt16LE(18);
  const { cpu, kernel } = await thisComputer();
  const source = { source: name, loader, libc, machine, kernel: kernel.split("-")[0] };
  if (machine === 62 && emulator !== undefined) {
    const recording = await recordProcessors({ ...source, qemu: emulator });
    writeFileSync(join(here, "recorded-processors", `${name}.json`), serialize(recording));
    process.stdout.write(`${name}: ${Object.keys(recording.processors).length} processors of glibc ${recording.loader.fact.version}\n`);
  } else {
    // 2.26 and 2.27 took another bit, that of virtualization, for LZCNT: without it no processor is `haswell` to them (glibc bug 23456).
    if (["2.26", "2.27"].includes(name) && !/^flags.*\bvmx\b/m.test(readFileSync("/proc/cpuinfo", "utf8"))) delete cpu.platform;
    const recording = await record({
      ...source,
      ...(emulator === undefined ? {} : { emulator }),
      // What qemu's processor has.
      cpu: emulator === undefined ? cpu : { atomics: true },
    });
    writeFileSync(join(here, "recorded", `${name}.json`), serialize(recording));
    process.stdout.write(`${name}: ${Object.keys(recording.answers).length} answers of glibc ${recording.loader.fact.version}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
