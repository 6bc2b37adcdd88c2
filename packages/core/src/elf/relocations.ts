// In which order a loader binds symbols: it stops at the first that it cannot. glibc elf/do-rel.h, elf/dynamic-link.h.
import type { Binding } from "../model/snapshot.ts";
import type { Reading } from "./image.ts";
import { dynamicTag as tag, fileOffset, type ElfView } from "./view.ts";

/** Looked at and not kept: large libraries have megabytes of them. */
const pieceSize = 4 << 20;
/** More than any real library has. */
const mostRelocations = 16_000_000;

/** Of each name: the place of its first relocation among all, in the order of binding; `never` where nothing refers to it. */
export function* readBindings(view: ElfView, names: Iterable<string>): Reading<Map<string, Binding>> {
  const { first, isEmpty } = yield* firstUses(view);
  // A table of nothing but zeros is a hole where its bytes were left out: what is bound, and when, is as it is with most libraries.
  const unread: Binding = isEmpty ? { at: 0, lazy: true } : "never";
  const bindings = new Map<string, Binding>([...names].map((name) => [name, unread]));
  const symbols = fileOffset(view, view.dynamic.get(tag.symtab));
  const strings = fileOffset(view, view.dynamic.get(tag.strtab));
  if (symbols === undefined || strings === undefined) return bindings;
  const size = view.fact.class === 64 ? 24 : 16;
  const sectionAt = view.fact.class === 64 ? 6 : 14;
  let last = 0;
  for (const index of first.keys()) last = Math.max(last, index);
  yield* view.image.load([{ offset: symbols, length: (last + 1) * size }]);
  const used: { at: number; binding: Binding }[] = [];
  for (const [index, binding] of first) {
    const at = symbols + index * size;
    if (view.image.has(at, size) && view.image.u16(at + sectionAt) === 0) used.push({ at: strings + view.image.u32(at), binding });
  }
  const texts = yield* view.image.texts(used.map(({ at }) => at));
  // Used in order: of two symbols with one name (and two versions) the first stands.
  for (const { at, binding } of used) {
    const name = texts.get(at);
    if (name !== undefined && bindings.get(name) === "never") bindings.set(name, binding);
  }
  return bindings;
}

/** By symbol, where it is first referred to. */
function* firstUses(view: ElfView): Reading<{ first: Map<number, Binding>; isEmpty: boolean }> {
  const first = new Map<number, Binding>();
  let place = 0;
  let isEmpty = true;
  for (const { offset, length, entry, isLazy } of tablesOf(view)) {
    for (let at = 0; at < length; at += pieceSize - (pieceSize % entry)) {
      const wanted = Math.min(pieceSize - (pieceSize % entry), length - at);
      const piece = yield* view.image.peek(offset + at, wanted);
      for (let from = 0; from + entry <= wanted && place < mostRelocations; from += entry, place += 1) {
        const { symbol, type } = referenceAt(view, piece, from);
        if (symbol !== 0 || type !== 0) isEmpty = false;
        if (symbol === 0 || type === 0 || first.has(symbol)) continue;
        first.set(symbol, isLazy && !isBoundAtOnce(view, type) ? { at: place, lazy: true } : { at: place });
      }
    }
  }
  return { first, isEmpty: isEmpty && 0 < place };
}

interface RelocationTable {
  offset: number;
  length: number;
  entry: number;
  /** Of functions, which are bound when they are first called unless binding is now. */
  isLazy: boolean;
}

/** What is bound at once, without the relative ones that lead it (they have no symbol), and then the functions. */
function tablesOf(view: ElfView): RelocationTable[] {
  const { dynamic, fact } = view;
  const word = fact.class / 8;
  const tables: RelocationTable[] = [];
  const add = (key: number, size: number, entry: number, skipped: number, isLazy: boolean) => {
    const offset = fileOffset(view, dynamic.get(key));
    if (offset !== undefined && skipped < size) tables.push({ offset: offset + skipped, length: size - skipped, entry, isLazy });
  };
  const functions = dynamic.get(tag.pltRelSize) ?? 0;
  for (const [start, size, count, entry] of [
    [tag.rel, tag.relSize, tag.relCount, 2 * word],
    [tag.rela, tag.relaSize, tag.relaCount, 3 * word],
  ] as const) {
    const begins = dynamic.get(start);
    let length = dynamic.get(size) ?? 0;
    // Some linkers count the functions' table, which follows, as a part of this one.
    if (begins !== undefined && begins + length === (dynamic.get(tag.jmpRel) ?? 0) + functions && functions <= length) length -= functions;
    add(start, length, entry, (dynamic.get(count) ?? 0) * entry, false);
  }
  add(tag.jmpRel, functions, dynamic.get(tag.pltRel) === tag.rel ? 2 * word : 3 * word, 0, true);
  return tables;
}

function referenceAt({ fact, image }: ElfView, piece: DataView, from: number): { symbol: number; type: number } {
  if (fact.class === 32) {
    const info = piece.getUint32(from + 4, image.littleEndian);
    return { symbol: info >>> 8, type: info & 255 };
  }
  const [low, high] = image.littleEndian ? [8, 12] : [12, 8];
  return { symbol: piece.getUint32(from + high, image.littleEndian), type: piece.getUint32(from + low, image.littleEndian) };
}

// aarch64 binds descriptors of thread-local variables at once, though they lie among the functions.
const isBoundAtOnce = ({ fact }: ElfView, type: number) => fact.machine === 183 && type === 1031;
