// Dynamic symbols: single look-ups by gnu hash, the exports of an object, and what it leaves undefined.
// https://sourceware.org/gnu-gabi/program-loading-and-dynamic-linking.txt
import type { UndefinedSymbol } from "../model/snapshot.ts";
import type { Reading } from "./image.ts";
import { dynamicTag as tag, fileOffset, type ElfView } from "./view.ts";

export interface SymbolInterest {
  /** The object name that an undefined symbol is required of, as far as that can be told; true: of whichever in scope has it; undefined: it is not kept. */
  undefined?: (name: string, file: string | undefined) => string | true | undefined;
  /** Whether the object name alone already rules its symbols out, so that their names are not read. */
  file?: (file: string) => boolean;
  exports?: boolean;
}

export interface FoundSymbol {
  /** Address relative to the object's base. */
  value: number;
  size: number;
  /** A variable, not a function. */
  isData: boolean;
}

/** More symbols than any real library has. */
const mostSymbols = 4_000_000;

/** Where a symbol is defined; undefined when the object does not define it. */
export function* findSymbol(view: ElfView, name: string): Reading<FoundSymbol | undefined> {
  const table = yield* openTable(view);
  if (!table) return undefined;
  const candidates = table.gnu
    ? yield* gnuCandidates(view, table.gnu, name)
    : table.sysv
      ? yield* sysvCandidates(view, table.sysv, name)
      : [];
  for (const index of candidates) {
    const symbol = yield* symbolAt(view, table, index);
    if (!symbol || symbol.section === 0) continue;
    const texts = yield* view.image.texts([table.strings + symbol.name]);
    if (texts.get(table.strings + symbol.name) === name) return { value: symbol.value, size: symbol.size, isData: symbol.type === 1 };
  }
  return undefined;
}

/**
 * Which of many names an object defines. The hash table alone decides: of two names one in 2^31 pairs looks alike, and a table that is read
 * in one piece spares thousands of single reads.
 */
export function* definedNames(view: ElfView, names: string[]): Reading<Map<string, boolean>> {
  const table = yield* openTable(view);
  const found = new Map<string, boolean>();
  if (table?.gnu) yield* loadHashTable(view);
  for (const name of names)
    found.set(name, table?.gnu ? 0 < (yield* gnuCandidates(view, table.gnu, name)).length : (yield* findSymbol(view, name)) !== undefined);
  return found;
}

/** Whether the table by which symbols are found is there and says nothing at all: real ones have a bucket even for no symbol. */
export function* isBlank(view: ElfView): Reading<boolean> {
  const table = yield* openTable(view);
  return table?.gnu !== undefined && table.gnu.bucketCount === 0;
}

/** Adds to the facts what the interest asks for. */
export function* readSymbols(view: ElfView, interest: SymbolInterest): Reading<void> {
  const table = yield* openTable(view);
  if (!table) return;
  const { image, fact } = view;
  // With a gnu hash the undefined symbols come first and are not hashed: how many there are in all need not be known. A table of an object
  // that defines nothing begins at 1, whatever else there is.
  const isHashed = table.gnu && 1 < table.gnu.first && !interest.exports;
  const end = isHashed ? Math.min(table.gnu!.first, mostSymbols) : yield* symbolCount(view, table);
  const versymAt = fileOffset(view, view.dynamic.get(tag.versym));
  yield* image.load([
    { offset: table.symbols, length: end * table.entry },
    ...(versymAt === undefined ? [] : [{ offset: versymAt, length: end * 2 }]),
  ]);
  const versions = yield* versionsByIndex(view);

  const wanted: { at: number; weak: boolean; defined: boolean; version: { file: string; version: string } | undefined }[] = [];
  // There may be tens of thousands, and of most only these bytes are looked at.
  const bytes = image.bytes(table.symbols, Math.min(end * table.entry, image.size - table.symbols)) ?? new Uint8Array(0);
  const [bindingAt, sectionAt] = fact.class === 64 ? [4, 6] : [12, 14];
  for (let index = 1, at = table.entry; at + table.entry <= bytes.length; index += 1, at += table.entry) {
    const binding = bytes[at + bindingAt]! >> 4;
    const defined = (bytes[at + sectionAt]! | bytes[at + sectionAt + 1]!) !== 0;
    if (binding === 0 || (defined ? !interest.exports : !interest.undefined)) continue;
    const version = versymAt === undefined || defined ? undefined : versions.get(image.u16(versymAt + index * 2) & 0x7fff);
    if (version && interest.file && !interest.file(version.file)) continue;
    wanted.push({ at: table.strings + image.u32(table.symbols + at), weak: binding === 2, defined, version });
  }
  const texts = yield* image.texts(wanted.map(({ at }) => at));
  const exports = new Set<string>();
  const missing: UndefinedSymbol[] = [];
  for (const { at, weak, defined, version } of wanted) {
    const name = texts.get(at);
    if (name === undefined || name === "") continue;
    const requiredOf = defined ? undefined : interest.undefined?.(name, version?.file);
    if (defined) exports.add(name);
    // A weak one of nobody's may stay undefined: nothing rests on it.
    else if (requiredOf === true) {
      if (!weak) missing.push({ name });
    } else if (requiredOf !== undefined) {
      missing.push({
        name,
        ...(version === undefined ? {} : { version: version.version }),
        file: requiredOf,
        ...(weak ? { weak: true as const } : {}),
      });
    }
  }
  if (interest.exports) fact.exports = [...exports];
  if (0 < missing.length) fact.undefined = missing.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads all that look-ups go through before they come to a symbol: enough to say that one is not there. */
export function* loadHashTable(view: ElfView): Reading<void> {
  const table = yield* openTable(view);
  if (!table?.gnu) return;
  const { bloom, chains, first } = table.gnu;
  const count = yield* symbolCount(view, table);
  // Chains are read in windows, the last one beyond the end.
  yield* view.image.load([{ offset: bloom, length: chains + Math.max(0, count - first) * 4 + 64 - bloom }]);
}

interface Table {
  symbols: number;
  strings: number;
  entry: number;
  gnu?: { buckets: number; bucketCount: number; chains: number; first: number; bloom: number; bloomWords: number; bloomShift: number };
  /** DT_HASH, where there is no DT_GNU_HASH. */
  sysv?: { word: number; bucketCount: number; buckets: number; chains: number; symbolCount: number };
}

function* openTable(view: ElfView): Reading<Table | undefined> {
  const { image, fact, dynamic } = view;
  const symbols = fileOffset(view, dynamic.get(tag.symtab));
  const strings = fileOffset(view, dynamic.get(tag.strtab));
  if (symbols === undefined || strings === undefined) return undefined;
  const table: Table = { symbols, strings, entry: fact.class === 64 ? 24 : 16 };
  const gnu = fileOffset(view, dynamic.get(tag.gnuHash));
  const hash = fileOffset(view, dynamic.get(tag.hash));
  if (gnu !== undefined) {
    yield* image.load([{ offset: gnu, length: 16 }]);
    const bucketCount = image.u32(gnu);
    const bloomWords = image.u32(gnu + 8);
    const bloom = gnu + 16;
    const buckets = bloom + bloomWords * (fact.class / 8);
    table.gnu = {
      bucketCount,
      first: image.u32(gnu + 4),
      bloom,
      bloomWords,
      bloomShift: image.u32(gnu + 12),
      buckets,
      chains: buckets + bucketCount * 4,
    };
  } else if (hash !== undefined) {
    // Words of eight bytes, on two machines only.
    const word = (fact.machine === 22 && fact.class === 64) || fact.machine === 0x9026 ? 8 : 4;
    yield* image.load([{ offset: hash, length: 2 * word }]);
    const [bucketCount, symbolCount] = word === 8 ? [image.u64(hash), image.u64(hash + 8)] : [image.u32(hash), image.u32(hash + 4)];
    const buckets = hash + 2 * word;
    table.sysv = { word, bucketCount, buckets, chains: buckets + bucketCount * word, symbolCount };
  }
  return table;
}

function* gnuCandidates(view: ElfView, gnu: NonNullable<Table["gnu"]>, name: string): Reading<number[]> {
  const { image, fact } = view;
  if (gnu.bucketCount === 0 || gnu.bloomWords === 0) return [];
  const hash = gnuHash(name);
  const bits = fact.class;
  const word = gnu.bloom + (Math.floor(hash / bits) % gnu.bloomWords) * (bits / 8);
  const bucket = gnu.buckets + (hash % gnu.bucketCount) * 4;
  yield* image.load([
    { offset: word, length: bits / 8 },
    { offset: bucket, length: 4 },
  ]);
  const bloomBit = (bit: number) => (image.u32(word + (bits === 64 && 31 < bit === image.littleEndian ? 4 : 0)) >>> (bit % 32)) & 1;
  if (!bloomBit(hash % bits) || !bloomBit((hash >>> gnu.bloomShift) % bits)) return [];
  const first = image.u32(bucket);
  if (first < gnu.first) return [];
  const found: number[] = [];
  for (let index = first; index - first < 100_000; index += 1) {
    const at = gnu.chains + (index - gnu.first) * 4;
    if (!image.has(at, 4)) yield* image.load([{ offset: at, length: 64 }]);
    if (!image.has(at, 4)) break;
    const chained = image.u32(at);
    if ((chained | 1) === (hash | 1)) found.push(index);
    if (chained & 1) break;
  }
  return found;
}

function* sysvCandidates(view: ElfView, sysv: NonNullable<Table["sysv"]>, name: string): Reading<number[]> {
  const { image } = view;
  const { word, bucketCount, buckets, chains, symbolCount } = sysv;
  if (bucketCount === 0) return [];
  const found: number[] = [];
  let at = buckets + (sysvHash(name) % bucketCount) * word;
  for (;;) {
    if (!image.has(at, word)) yield* image.load([{ offset: at, length: word }]);
    const index = word === 8 ? image.u64(at) : image.u32(at);
    // A chain ends with 0; one that is longer than the longest real ones, or leaves the table, is damaged.
    if (index === 0 || symbolCount <= index || 10_000 <= found.length) return found;
    found.push(index);
    at = chains + index * word;
  }
}

// A gnu hash does not say how many symbols there are: the last chain ends at the last one.
function* symbolCount(view: ElfView, { gnu, sysv, symbols, strings, entry }: Table): Reading<number> {
  const { image } = view;
  // The string table nearly always follows the symbols directly; it bounds what a broken table may claim.
  const room = Math.floor(((symbols < strings ? strings : image.size) - symbols) / entry);
  const limit = Math.min(room, mostSymbols);
  if (!gnu) return Math.min(sysv?.symbolCount ?? 0, limit);
  yield* image.load([{ offset: gnu.buckets, length: gnu.bucketCount * 4 }]);
  let last = 0;
  for (let index = 0; index < gnu.bucketCount; index += 1) {
    if (!image.has(gnu.buckets + index * 4, 4)) break;
    last = Math.max(last, image.u32(gnu.buckets + index * 4));
  }
  // Nothing is hashed: all of the table, where its end is known.
  if (last < gnu.first) return symbols < strings ? limit : Math.min(gnu.first, limit);
  for (; last < limit; last += 1) {
    const at = gnu.chains + (last - gnu.first) * 4;
    if (!image.has(at, 4)) yield* image.load([{ offset: at, length: 4096 }]);
    if (!image.has(at, 4) || image.u32(at) & 1) break;
  }
  return Math.min(last + 1, limit);
}

function* symbolAt(view: ElfView, table: Table, index: number): Reading<ReturnType<typeof symbolIn>> {
  yield* view.image.load([{ offset: table.symbols + index * table.entry, length: table.entry }]);
  return symbolIn(view, table, index);
}

function symbolIn({ image, fact }: ElfView, { symbols, entry }: Table, index: number) {
  const at = symbols + index * entry;
  if (!image.has(at, entry)) return undefined;
  return fact.class === 64
    ? {
        name: image.u32(at),
        binding: image.u8(at + 4) >> 4,
        type: image.u8(at + 4) & 15,
        section: image.u16(at + 6),
        value: image.u64(at + 8),
        size: image.u64(at + 16),
      }
    : {
        name: image.u32(at),
        binding: image.u8(at + 12) >> 4,
        type: image.u8(at + 12) & 15,
        section: image.u16(at + 14),
        value: image.u32(at + 4),
        size: image.u32(at + 8),
      };
}

/** Version index → version name and the object it is required of. */
function* versionsByIndex(view: ElfView): Reading<Map<number, { file: string; version: string }>> {
  const { image, dynamic } = view;
  const result = new Map<number, { file: string; version: string }>();
  const strings = fileOffset(view, dynamic.get(tag.strtab));
  let at = fileOffset(view, dynamic.get(tag.verneed));
  if (strings === undefined || at === undefined) return result;
  const found: { index: number; file: number; version: number }[] = [];
  for (let budget = 65536; 0 < budget && image.has(at, 16); budget -= 1) {
    const file = image.u32(at + 4);
    let aux = at + image.u32(at + 8);
    for (; 0 < budget && image.has(aux, 16); budget -= 1) {
      found.push({ index: image.u16(aux + 6) & 0x7fff, file: strings + file, version: strings + image.u32(aux + 8) });
      const next = image.u32(aux + 12);
      if (next === 0) break;
      aux += next;
    }
    const next = image.u32(at + 12);
    if (next === 0) break;
    at += next;
  }
  const texts = yield* image.texts(found.flatMap(({ file, version }) => [file, version]));
  for (const { index, file, version } of found) result.set(index, { file: texts.get(file) ?? "", version: texts.get(version) ?? "" });
  return result;
}

function gnuHash(name: string): number {
  let hash = 5381;
  for (let at = 0; at < name.length; at += 1) hash = (Math.imul(hash, 33) + name.charCodeAt(at)) >>> 0;
  return hash;
}

function sysvHash(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) {
    hash = ((hash << 4) >>> 0) + name.charCodeAt(at);
    const top = hash & 0xf0000000;
    hash = (hash ^ (top >>> 24) ^ top) & 0x0fffffff;
  }
  return hash >>> 0;
}
