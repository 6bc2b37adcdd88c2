// Which x86-64 level a processor has: glibc sysdeps/x86/get-isa-level.h, cpu-features.c; names as in /proc/cpuinfo.
import type { CpuFact } from "../model/snapshot.ts";
import { problemOf, type Problem } from "../model/problem.ts";

const v2 = ["cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"];
const v3 = ["avx", "avx2", "f16c", "fma", "abm", "movbe"];
const v4 = ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];
const bmi = ["bmi1", "bmi2"];
const haswell = ["avx2", ...bmi, "fma", "abm", "movbe", "popcnt"];

export function parseCpu(text: string): CpuFact {
  const flagsLine = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(text)?.[1];
  if (flagsLine === undefined) return {};
  const flags = new Set(flagsLine.split(/\s+/));
  const all = (names: string[]) => names.every((name) => flags.has(name));
  if (/^Features/m.test(text)) return { atomics: flags.has("atomics") };
  const vendor = /^vendor_id[ \t]*:[ \t]*(\S+)/m.exec(text)?.[1];
  if (isWithoutAvx(vendor, text)) for (const name of ["avx", "avx2"]) flags.delete(name);
  const most = !all(v2) ? 1 : !all(v3) ? 2 : !all(v4) ? 3 : 4;
  // Not every release looks at all of level 3.
  const level = all(bmi) ? most : Math.min(most, 2);
  const knightsLanding = flags.has("avx512er") && flags.has("avx512cd") && flags.has("avx512pf");
  const platform = knightsLanding ? ("xeon_phi" as const) : all(haswell) ? ("haswell" as const) : undefined;
  return {
    level,
    ...(level === most ? {} : { levelToSome: most }),
    ...(platform ? { platform } : {}),
    avx512: all(v4) && !flags.has("avx512er"),
    ...(vendor === undefined ? {} : { vendor }),
    ...(flags.has("vmx") ? { vmx: true as const } : {}),
  };
}

/** Zhaoxin's older processors, on which glibc does not use AVX although they have it. */
function isWithoutAvx(vendor: string | undefined, text: string): boolean {
  if (vendor !== "Shanghai" && vendor !== "CentaurHauls") return false;
  const number = (name: string) => Number(new RegExp(`^${name}[ \\t]*:[ \\t]*(\\d+)`, "m").exec(text)?.[1]);
  const model = number("model");
  return number("cpu family") === 6 ? model === 0x0f || model === 0x19 : number("cpu family") === 7 && (model === 0x1b || model === 0x3b);
}

/** Makers of x86-64 processors, by the names that people use and the one that CPUID gives. */
const vendors: { [name: string]: string } = {
  intel: "GenuineIntel",
  amd: "AuthenticAMD",
  hygon: "HygonGenuine",
  zhaoxin: "Shanghai",
  centaur: "CentaurHauls",
};

/** The processor that `--cpu` names: `amd:v3`, `GenuineIntel:x86-64-v4`, `v3` or `3`. Or what is wrong with the name. */
export function cpuNamed(text: string): CpuFact | Problem {
  const [, vendorName, levelName = ""] = /^(?:([^:]*):)?(.*)$/s.exec(text)!;
  const level = Number(/^(?:x86[-_]64-)?v?([1-4])$/i.exec(levelName)?.[1]);
  const word = vendorName?.toLowerCase();
  const vendor = Object.entries(vendors).find(([name, byCpuid]) => name === word || byCpuid.toLowerCase() === word)?.[1];
  if (word !== undefined && vendor === undefined)
    return problemOf("bad-question", `\`${vendorName}\` is not a vendor of x86-64 processors: ${Object.keys(vendors).join(", ")}`);
  if (Number.isNaN(level))
    return problemOf("bad-question", `\`${levelName}\` is not an x86-64 level: v1, v2, v3 or v4 (with a vendor: amd:v3)`);
  const haswellAtLeast = 3 <= level ? { platform: "haswell" as const } : {};
  return { level, ...haswellAtLeast, avx512: level === 4, ...(vendor === undefined ? {} : { vendor }) };
}
