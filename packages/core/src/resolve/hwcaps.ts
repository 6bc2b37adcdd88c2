// Capability subfolders of search folders: glibc elf/dl-hwcaps.c, sysdeps/x86_64/dl-hwcaps-subdirs.c, sysdeps/x86/cpu-features.c.
import { keptWith } from "../lib/memo.ts";
import type { CpuFact, LoaderFact } from "../model/snapshot.ts";
import { minorVersion } from "./verify.ts";

const x86 = 62;
const aarch64 = 183;

/** A processor as a loader sees it. */
export interface Processor {
  /** x86-64 level, 1 to 4. */
  level: number;
  /** glibc-hwcaps names in use, best first. */
  hwcaps: string[];
  /** Older capability names, lowest bit first as in the loader's table. */
  capabilities: string[];
  /** The value of `$PLATFORM`, and the older platform subfolder's name. */
  platform: string | undefined;
  /** Subfolders to search in each folder, best first; the folder itself is the last, as an empty text. */
  subfolders: string[];
}

/**
 * What a processor may be to a loader, likeliest first: more than one where the facts leave it open. An answer on which they differ is
 * `possible`.
 */
export function processorsOf(machine: number, cpu: CpuFact, loader: LoaderFact, hidden: Hidden = "nothing"): Processors {
  const byLoader = known(cpu);
  const memory = byLoader.get(loader) ?? {};
  byLoader.set(loader, memory);
  return (memory[hidden] ??= distinct(
    readingsOf(machine, cpu, loader)
      .flatMap((reading) => [reading, ...overlooking(reading, hidden)])
      .map((reading) => processorOf(machine, reading, loader)),
  ));
}

export type Processors = [Processor, ...Processor[]];

// The same for every program of an examination.
const known = keptWith((_cpu: CpuFact) => new Map<LoaderFact, { [hidden in Hidden]?: Processors }>());

/** What variables make a loader overlook: some features, or only some of the older capability names. */
export type Hidden = "nothing" | "capabilities" | "features";

export function hiddenBy(environment: { [name: string]: string }, secure: boolean): { hidden: Hidden; variable?: string } {
  const tunables = secure ? "" : (environment["GLIBC_TUNABLES"] ?? "");
  if (/(^|:)glibc\.(cpu|tune)\.hwcaps=/.test(tunables)) return { hidden: "features", variable: "GLIBC_TUNABLES" };
  if (/(^|:)glibc\.(cpu|tune)\.hwcap_mask=/.test(tunables)) return { hidden: "capabilities", variable: "GLIBC_TUNABLES" };
  if (!secure && environment["LD_HWCAP_MASK"] !== undefined) return { hidden: "capabilities", variable: "LD_HWCAP_MASK" };
  return { hidden: "nothing" };
}

/** One way to read the facts. */
interface Reading {
  level: number;
  platform?: string | undefined;
  capabilities: string[];
}

function readingsOf(machine: number, cpu: CpuFact, loader: LoaderFact): Reading[] {
  if (machine === aarch64) {
    const answers = cpu.atomics === undefined ? [true, false] : [cpu.atomics];
    return answers.map((atomics) => ({ level: 0, platform: "aarch64", capabilities: atomics ? ["atomics"] : [] }));
  }
  if (machine !== x86) return [{ level: 0, capabilities: [] }];
  // Where the level is not known: every server with a supported NVIDIA GPU has at least 3.
  const levels = cpu.level === undefined ? [3, 4, 2, 1] : [cpu.level];
  // BMI is a part of level 3 that 2.37 looks at, and releases before it only where distributions mended them.
  if (cpu.levelToSome !== undefined && minorVersion(loader.version) < 37) levels.push(cpu.levelToSome);
  const plain = loader.legacy === "platform";
  const readings = levels.flatMap((level): Reading[] => {
    if (plain) return [{ level, platform: "x86_64", capabilities: [] }];
    return platformsOf(cpu, level, loader).map(({ name, avx512 }) => ({
      level,
      platform: name ?? "x86_64",
      capabilities: ["x86_64", ...(avx512 ? ["avx512_1"] : [])],
    }));
  });
  // 2.26 as it came out forgot the platform of all others than Intel's (glibc bug 22299). Read from source only.
  if (minorVersion(loader.version) === 26 && readings.some(({ platform }) => platform === "x86_64"))
    for (const level of levels) readings.push({ level, capabilities: [] });
  return readings;
}

/**
 * The older names that may hold for an x86-64 processor. They are Intel's alone, in every release from 2.26 on: on others the features are
 * not even looked at (glibc bug 23249; glibc-hwcaps is its answer).
 */
function platformsOf(cpu: CpuFact, level: number, loader: LoaderFact): { name?: string; avx512: boolean }[] {
  const others = [{ avx512: false }];
  if (cpu.vendor !== undefined && cpu.vendor !== "GenuineIntel") return others;
  // A level alone, as a caller may give it, says which features there are, too.
  const isWhole = cpu.avx512 !== undefined;
  const avx512 = cpu.avx512 ?? level === 4;
  const name = isWhole ? cpu.platform : 3 <= level ? "haswell" : undefined;
  const intel: { name?: string; avx512: boolean }[] = name === undefined ? [{ avx512 }] : [{ name, avx512 }];
  if (cpu.level === undefined && level === 3) intel.push({ name: "xeon_phi", avx512: false });
  // 2.26 and 2.27 took the bit of virtualization for that of LZCNT until distributions mended them (glibc bug 23456).
  const version = minorVersion(loader.version);
  if (name === "haswell" && (version === 26 || version === 27) && !cpu.vmx) intel.push({ avx512 });
  return cpu.vendor === undefined ? [...intel, ...others] : intel;
}

/** What may be left of a processor when something is overlooked: any part of it. */
function overlooking(reading: Reading, hidden: Hidden): Reading[] {
  if (hidden === "nothing") return [];
  const capabilities = subsets(reading.capabilities);
  if (hidden === "capabilities") return capabilities.map((left) => ({ ...reading, capabilities: left }));
  const left: Reading[] = [];
  for (let level = reading.level; Math.min(1, reading.level) <= level; level -= 1)
    for (const platform of reading.level === 0 ? [reading.platform] : [reading.platform, "x86_64"])
      for (const some of capabilities) left.push({ level, platform, capabilities: some });
  return left;
}

function subsets(names: string[]): string[][] {
  const sets: string[][] = [[]];
  for (const name of names) sets.push(...sets.map((set) => [...set, name]));
  return sets;
}

function processorOf(machine: number, { level, platform, capabilities }: Reading, loader: LoaderFact): Processor {
  const hwcaps = machine === x86 ? loader.hwcaps.filter((name) => Number(/^x86-64-v(\d)$/.exec(name)?.[1] ?? 9) <= level) : [];
  const legacy = loader.legacy === undefined ? [] : capabilities;
  const named = hwcaps.map((name) => `glibc-hwcaps/${name}/`);
  return { level, hwcaps, capabilities: legacy, platform, subfolders: [...named, ...legacySubfolders(platform, legacy, loader)] };
}

function legacySubfolders(platform: string | undefined, capabilities: string[], loader: LoaderFact): string[] {
  if (loader.legacy === undefined) return [""];
  // Lowest bit first, as in the loader's table: capabilities, platform, and `tls` on top.
  const parts = [...capabilities, ...(platform === undefined ? [] : [platform]), "tls"];
  const powerSet: string[] = [];
  for (let bits = (1 << parts.length) - 1; 0 <= bits; bits -= 1) {
    let path = "";
    for (let bit = parts.length - 1; 0 <= bit; bit -= 1) if (bits & (1 << bit)) path += `${parts[bit]}/`;
    powerSet.push(path);
  }
  return powerSet;
}

function distinct(processors: Processor[]): Processors {
  const seen = new Map<string, Processor>();
  for (const processor of processors) {
    const key = JSON.stringify([processor.level, processor.platform, processor.subfolders]);
    if (!seen.has(key)) seen.set(key, processor);
  }
  return [...seen.values()] as Processors;
}
