// Which x86-64 level a processor has: glibc sysdeps/x86/get-isa-level.h, cpu-features.c; names as in /proc/cpuinfo.
import type { CpuFact } from "../model/snapshot.ts";

const v2 = ["cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"];
const v3 = ["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"];
const v4 = ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];
const haswell = ["avx2", "bmi1", "bmi2", "fma", "abm", "movbe", "popcnt"];

export function parseCpu(text: string): CpuFact {
  const flagsLine = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(text)?.[1];
  if (flagsLine === undefined) return {};
  const flags = new Set(flagsLine.split(/\s+/));
  const all = (names: string[]) => names.every((name) => flags.has(name));
  if (/^Features/m.test(text)) return { atomics: flags.has("atomics") };
  const level = !all(v2) ? 1 : !all(v3) ? 2 : !all(v4) ? 3 : 4;
  const vendor = /^vendor_id\s*:\s*(\S+)/m.exec(text)?.[1];
  const knightsLanding = flags.has("avx512er") && flags.has("avx512cd") && flags.has("avx512pf");
  const platform = knightsLanding ? ("xeon_phi" as const) : all(haswell) ? ("haswell" as const) : undefined;
  return {
    level,
    ...(platform ? { platform } : {}),
    avx512: all(v4) && !flags.has("avx512er"),
    ...(vendor === undefined ? {} : { vendor }),
  };
}

/** The processor that `--cpu` names: `x86-64-v3`, `v3` or `3`. */
export function cpuOfLevel(text: string): CpuFact | undefined {
  const level = /^(?:x86-64-)?v?([1-4])$/.exec(text)?.[1];
  if (level === undefined) return undefined;
  const number = Number(level);
  return { level: number, avx512: number === 4, vendor: "GenuineIntel", ...(3 <= number ? { platform: "haswell" as const } : {}) };
}
