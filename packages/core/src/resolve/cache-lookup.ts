// Which one path the cache gives for a name: glibc elf/dl-cache.c, search_cache.
import { keptWith } from "../lib/memo.ts";
import type { CacheEntry, CacheFact, ElfFact, LoaderFact } from "../model/snapshot.ts";
import type { Processor } from "./hwcaps.ts";
import { kernelNumber, minorVersion } from "./verify.ts";
import type { View } from "./view.ts";

export interface CacheQuery {
  machine: number;
  class: 32 | 64;
  processor: Processor;
  /** Older loaders honour the capability bits of entries; newer ones skip entries that have any. */
  legacy: boolean;
  /** The kernel's release as glibc up to 2.35 compares it; undefined where it does not. */
  kernel?: number | undefined;
}

const queries = keptWith((_view: View) => new Map<Processor, CacheQuery>());

/** What a loader asks of a cache: the same for every request, so worked out once. */
export function cacheQueryOf(view: View, { machine, class: elfClass }: ElfFact, loader: LoaderFact, processor: Processor): CacheQuery {
  const known = queries(view);
  let query = known.get(processor);
  if (!query) {
    const { kernel } = view.snapshot;
    query = {
      machine,
      class: elfClass,
      processor,
      legacy: loader.legacy !== undefined,
      kernel: kernel !== undefined && minorVersion(loader.version) < 36 ? kernelNumber(kernel) : undefined,
    };
    known.set(processor, query);
  }
  return query;
}

const answers = keptWith((_query: CacheQuery) => keptWith((_cache: CacheFact) => new Map<string, string | undefined>()));

export function lookupInCache(cache: CacheFact, name: string, query: CacheQuery): string | undefined {
  const known = answers(query)(cache);
  if (!known.has(name)) known.set(name, search(cache, name, query));
  return known.get(name);
}

function search(cache: CacheFact, name: string, query: CacheQuery): string | undefined {
  const flags = cacheFlags(query.machine, query.class);
  let best: string | undefined;
  let bestPriority = Infinity;
  for (const entry of entriesNamed(cache, name)) {
    // x86-64 takes its own flags only; most others also take plain ELF entries, which no ldconfig writes any more.
    if (entry.flags !== flags && !(query.machine !== 62 && entry.flags === 1)) continue;
    if (entry.kernel !== undefined && query.kernel !== undefined && query.kernel < entry.kernel) continue;
    if (entry.hwcaps) {
      if (!isaLevelFits(entry.hwcaps.level, query)) continue;
      const priority = query.processor.hwcaps.indexOf(entry.hwcaps.name);
      if (0 <= priority && priority < bestPriority) {
        bestPriority = priority;
        best = entry.path;
      }
      continue;
    }
    if (best !== undefined) break;
    if (entry.legacy !== undefined && !legacyFits(entry.legacy, query)) continue;
    best = entry.path;
    if (entry.flags === flags) break;
  }
  return best;
}

const entriesNamed = (cache: CacheFact, name: string): CacheEntry[] => indexOf(cache).get(comparable(name)) ?? [];

const indexOf = keptWith(({ entries }: CacheFact): Map<string, CacheEntry[]> => {
  const index = new Map<string, CacheEntry[]>();
  for (const entry of entries) {
    const key = comparable(entry.name);
    const same = index.get(key);
    if (same) same.push(entry);
    else index.set(key, [entry]);
  }
  return index;
});

// _dl_cache_libcmp compares runs of digits as numbers, so leading zeros do not count.
const comparable = (name: string) => name.replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, ""));

// The level is the number of an ISA_1_NEEDED bit: baseline 0, v2 1, v3 2, v4 3.
const isaLevelFits = (level: number, { processor }: CacheQuery) => level < processor.level;

// Bits of `haswell`, `xeon_phi` and `avx512_1` in the older numbering: platforms start at bit 48, capabilities at bit 0.
function legacyFits(bits: string, { legacy, processor: { platform, capabilities } }: CacheQuery): boolean {
  if (!legacy) return false;
  const value = BigInt(`0x${bits}`);
  const platforms = ["i586", "i686", "haswell", "xeon_phi"];
  const wanted = (value >> 48n) & 0xffn;
  if (wanted !== 0n && wanted !== (platform === undefined ? -1n : 1n << BigInt(platforms.indexOf(platform)))) return false;
  const own = (capabilities.includes("x86_64") ? 2n : 0n) | (capabilities.includes("avx512_1") ? 4n : 0n);
  return (value & 0xffff_ffffn & ~own) === 0n;
}

/** The `flags` that ldconfig writes for an object of this kind (glibc sysdeps/generic/ldconfig.h). */
export function cacheFlags(machine: number, elfClass: 32 | 64): number {
  const high: { [machine: number]: number } = {
    62: elfClass === 64 ? 0x300 : 0x800,
    183: 0xa00,
    21: 0x500,
    22: elfClass === 64 ? 0x400 : 0,
    40: 0x900,
    243: 0x1000,
    258: 0x1100,
  };
  return 3 | (high[machine] ?? 0);
}
