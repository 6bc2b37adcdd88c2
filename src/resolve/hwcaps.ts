// Capability subfolders of search folders: glibc elf/dl-hwcaps.c, sysdeps/x86_64/dl-hwcaps-subdirs.c, sysdeps/x86/cpu-features.c.
import type { CpuFact, LoaderFact } from "../model/snapshot.ts";

const x86 = 62;
const aarch64 = 183;

/** The value of `$PLATFORM`, and the older platform subfolder's name. */
export function platformOf(machine: number, cpu: CpuFact, loader: LoaderFact): string | undefined {
  if (machine === aarch64) return "aarch64";
  if (machine !== x86) return undefined;
  if (loader.legacy === "platform") return "x86_64";
  // Before 2.33, which brought glibc-hwcaps, only Intel's processors counted as haswell (glibc bug 23249).
  const counts = 0 < loader.hwcaps.length || cpu.vendor === "GenuineIntel";
  return counts && cpu.platform !== undefined ? cpu.platform : "x86_64";
}

/** Subfolders to search in each folder, best first; the folder itself is the last, as an empty text. */
export function subfoldersOf(machine: number, cpu: CpuFact, loader: LoaderFact): string[] {
  let byLoader = known.get(cpu);
  if (!byLoader) known.set(cpu, (byLoader = new Map()));
  let subfolders = byLoader.get(loader);
  if (!subfolders) byLoader.set(loader, (subfolders = listSubfolders(machine, cpu, loader)));
  return subfolders;
}

// The same for every program of an examination.
const known = new WeakMap<CpuFact, Map<LoaderFact, string[]>>();

function listSubfolders(machine: number, cpu: CpuFact, loader: LoaderFact): string[] {
  const named = activeHwcaps(machine, cpu, loader).map((name) => `glibc-hwcaps/${name}/`);
  if (loader.legacy === undefined) return [...named, ""];
  const platform = platformOf(machine, cpu, loader);
  // Lowest bit first, as in the loader's table: capabilities, platform, and `tls` on top.
  const parts: string[] = [];
  if (machine === x86 && loader.legacy === "haswell") parts.push("x86_64", ...(cpu.avx512 ? ["avx512_1"] : []));
  if (machine === aarch64 && cpu.atomics) parts.push("atomics");
  if (platform !== undefined) parts.push(platform);
  parts.push("tls");
  const powerSet: string[] = [];
  for (let bits = (1 << parts.length) - 1; 0 <= bits; bits -= 1) {
    let path = "";
    for (let bit = parts.length - 1; 0 <= bit; bit -= 1) if (bits & (1 << bit)) path += `${parts[bit]}/`;
    powerSet.push(path);
  }
  return [...named, ...powerSet];
}

/** glibc-hwcaps names that this processor may use, best first. */
export function activeHwcaps(machine: number, cpu: CpuFact, loader: LoaderFact): string[] {
  if (machine !== x86) return [];
  const level = cpu.level ?? assumedLevel;
  return loader.hwcaps.filter((name) => Number(/^x86-64-v(\d)$/.exec(name)?.[1] ?? 9) <= level);
}

/** Where the processor is not known: every server with a supported NVIDIA GPU has at least this level. Answers that rest on it are `possible`. */
const assumedLevel = 3;
