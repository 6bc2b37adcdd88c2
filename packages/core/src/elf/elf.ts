// Reads the parts of an ELF file that decide loading. https://gabi.xinuos.com/elf/ and glibc's elf/elf.h.
import type { Defect, ElfFact, ElfFlag, NotElfFact, ObjectFact, OddHeader } from "../model/snapshot.ts";
import { decode } from "../lib/text.ts";
import { readConstants, type Choose } from "./constants.ts";
import { Image, type Range, type Reading } from "./image.ts";
import { readSymbols, type SymbolInterest } from "./symbols.ts";
import { dynamicTag as tag, fileOffset, type ElfView } from "./view.ts";

/** What else to read: symbols are only worth their cost for some objects. */
export interface ElfInterest {
  /** Given what the object needs and is called: which symbols to keep. */
  symbols?: (object: ElfFact) => SymbolInterest | undefined;
  /** Version functions, or variables, and which of their numbers count; the first that has any is kept. */
  constants?: (object: ElfFact) => { name: string; choose: Choose }[];
}

const page = 4096;

export function* readObject(size: number, interest: ElfInterest = {}): Reading<ObjectFact> {
  const view = yield* openElf(size);
  if ("kind" in view) return view;
  const wanted = interest.symbols?.(view.fact);
  if (wanted && !view.fact.defect) yield* readSymbols(view, wanted);
  for (const { name, choose } of view.fact.defect ? [] : (interest.constants?.(view.fact) ?? [])) {
    const constants = yield* readConstants(view, name, choose);
    if (!constants || constants.length === 0) continue;
    view.fact.constants = { [name]: constants };
    break;
  }
  return view.fact;
}

/** Reads headers, dynamic section, versions and notes. */
export function* openElf(size: number): Reading<ElfView | NotElfFact> {
  const image = new Image(size);
  yield* image.load([{ offset: 0, length: 4096 }]);
  const start = image.bytes(0, Math.min(size, 64)) ?? new Uint8Array(0);
  const wide = start[4] === 2;
  if (start.length < (wide ? 64 : 52) || start[0] !== 0x7f || start[1] !== 0x45 || start[2] !== 0x4c || start[3] !== 0x46) {
    return { kind: "not-elf", starts: printable(start) };
  }
  image.littleEndian = start[5] !== 2;
  const fact: ElfFact = {
    kind: "elf",
    class: wide ? 64 : 32,
    order: image.littleEndian ? "little" : "big",
    machine: image.u16(18),
    type: image.u16(16),
    needed: [],
  };
  const odd = oddHeader(image, wide);
  if (odd) fact.odd = odd;
  const view: ElfView = { image, fact, segments: [], dynamic: new Map() };

  const defect = (yield* readSegments(view, wide)) ?? (yield* readDynamic(view, wide));
  if (defect) fact.defect = defect;
  return view;
}

function oddHeader(image: Image, wide: boolean): OddHeader | undefined {
  const odd: OddHeader = {};
  if (image.u8(5) !== 1 && image.u8(5) !== 2) odd.dataEncoding = image.u8(5);
  if (image.u8(6) !== 1) odd.identVersion = image.u8(6);
  if (image.u8(7) !== 0) odd.osAbi = image.u8(7);
  if (image.u8(8) !== 0) odd.abiVersion = image.u8(8);
  if (image.bytes(9, 7)!.some((byte) => byte !== 0)) odd.padding = true;
  if (image.u32(20) !== 1) odd.version = image.u32(20);
  const entrySize = image.u16(wide ? 54 : 42);
  if (entrySize !== (wide ? 56 : 32)) odd.entrySize = entrySize;
  return 0 < Object.keys(odd).length ? odd : undefined;
}

function* readSegments(view: ElfView, wide: boolean): Reading<Defect | undefined> {
  const { image, fact, segments } = view;
  const offset = wide ? image.u64(32) : image.u32(28);
  const count = image.u16(wide ? 56 : 44);
  const size = wide ? 56 : 32;
  yield* image.load([{ offset, length: count * size }]);
  if (0 < count && !image.has(offset, count * size)) return { kind: "headers-beyond-end", at: offset };
  for (let index = 0; index < count; index += 1) {
    const at = offset + index * size;
    segments.push(
      wide
        ? {
            type: image.u32(at),
            flags: image.u32(at + 4),
            offset: image.u64(at + 8),
            address: image.u64(at + 16),
            fileSize: image.u64(at + 32),
            memorySize: image.u64(at + 40),
            align: image.u64(at + 48),
          }
        : {
            type: image.u32(at),
            offset: image.u32(at + 4),
            address: image.u32(at + 8),
            fileSize: image.u32(at + 16),
            memorySize: image.u32(at + 20),
            flags: image.u32(at + 24),
            align: image.u32(at + 28),
          },
    );
  }
  const stack = segments.find(({ type }) => type === 0x6474e551);
  if (!stack || stack.flags & 1) fact.executableStack = true;

  const loads = segments.filter(({ type }) => type === 1);
  const misaligned = loads.find(({ address, offset: from }) => (address - from) % page !== 0);
  if (misaligned) return { kind: "misaligned-segment", at: misaligned.offset };
  if (loads.length === 0) return { kind: "no-loadable-segment", at: offset };
  yield* readNotes(view);
  return undefined;
}

function* readNotes(view: ElfView): Reading<void> {
  const { image, fact, segments } = view;
  const interpreter = segments.find(({ type }) => type === 3);
  const notes = segments.filter(({ type, fileSize }) => type === 4 && fileSize <= 65536);
  const dynamic = dynamicSegment(view);
  // All at once: where a file goes by only once, notes that patchelf put at its end come after the dynamic section.
  yield* image.load([
    ...[...(interpreter ? [interpreter] : []), ...notes].map(({ offset, fileSize }) => ({ offset, length: Math.min(fileSize, 65536) })),
    ...(dynamic ? [dynamic] : []),
  ]);
  if (interpreter) {
    const path = image.text(interpreter.offset);
    if (path !== undefined) fact.interpreter = path;
  }
  for (const { offset, fileSize, align } of notes) {
    const unit = align === 8 ? 8 : 4;
    const up = (value: number) => Math.ceil(value / unit) * unit;
    for (let at = offset; at + 12 <= offset + fileSize && image.has(at, 12);) {
      const nameSize = image.u32(at);
      const size = image.u32(at + 4);
      const type = image.u32(at + 8);
      const body = at + up(12 + nameSize);
      const isGnu = nameSize === 4 && image.text(at + 12) === "GNU";
      const bytes = isGnu ? image.bytes(body, size) : undefined;
      if (bytes && type === 3 && size <= 64) fact.buildId = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      if (bytes && type === 1 && 16 <= size && image.u32(body) === 0)
        fact.kernel = [4, 8, 12].map((skip) => image.u32(body + skip)).join(".");
      at = body + up(size);
    }
  }
}

/** The loader reads it where it is mapped, not where the program header says it lies in the file. */
function dynamicSegment(view: ElfView): Range | undefined {
  const segment = view.segments.findLast(({ type }) => type === 2);
  if (!segment || segment.fileSize === 0) return undefined;
  return { offset: fileOffset(view, segment.address) ?? segment.offset, length: Math.min(segment.memorySize, 1 << 20) };
}

const nameTags = new Set<number>([tag.needed, tag.soname, tag.rpath, tag.runpath, tag.auxiliary, tag.filter]);

function* readDynamic(view: ElfView, wide: boolean): Reading<Defect | undefined> {
  const { image, fact, segments, dynamic } = view;
  // A page of a mapping that starts beyond the end of the file kills the process that touches it, with SIGBUS.
  const cut = segments.find(
    ({ type, offset, fileSize }) => type === 1 && 0 < fileSize && Math.ceil(image.size / page) * page < offset + fileSize,
  );
  const beyond: Defect | undefined = cut && { kind: "segment-beyond-end", at: image.size };

  const segment = segments.findLast(({ type }) => type === 2);
  if (!segment || segment.fileSize === 0) {
    // A program without one is static; a library without one is refused (most are separate debug files).
    return segment || fact.type === 3 ? (beyond ?? { kind: "no-dynamic-section", at: segment?.offset ?? 0 }) : beyond;
  }
  const { offset, length } = dynamicSegment(view)!;
  yield* image.load([{ offset, length }]);
  const entry = wide ? 16 : 8;
  const named: { tag: number; value: number }[] = [];
  for (let at = offset; at + entry <= offset + length; at += entry) {
    if (!image.has(at, entry)) return beyond ?? { kind: "unreadable-table", at };
    const key = wide ? image.u64(at) : image.u32(at);
    if (key === 0) break;
    const value = wide ? image.u64(at + 8) : image.u32(at + 4);
    if (nameTags.has(key)) named.push({ tag: key, value });
    // elf_get_dynamic_info keeps the last entry of a tag.
    dynamic.set(key, value);
  }

  const strings = dynamic.get(tag.strtab);
  const base = strings === undefined ? undefined : fileOffset(view, strings);
  // Tables that are read next, and where symbols are looked for, at once: as with the notes, they may come in any order.
  yield* image.load(
    (
      [
        [tag.verneed, page],
        [tag.verdef, page],
        [tag.gnuHash, 16],
      ] as const
    ).flatMap(([key, size]) => {
      const start = fileOffset(view, dynamic.get(key));
      return start === undefined ? [] : [{ offset: start, length: size }];
    }),
  );
  const requires = yield* versionNeeds(view);
  const provides = yield* versionDefinitions(view);
  if (base !== undefined) {
    const wanted = [
      ...named.map(({ value }) => base + value),
      ...requires.flatMap(({ file, versions }) => [base + file, ...versions.map(({ name }) => base + name)]),
      ...provides.map((name) => base + name),
    ];
    const texts = yield* image.texts(wanted);
    const text = (at: number | undefined) => (at === undefined ? undefined : texts.get(base + at));
    if (wanted.some((at) => !texts.has(at))) fact.defect = { kind: "unreadable-table", at: base };
    for (const found of named) {
      const name = text(found.value);
      if (name === undefined) continue;
      if (found.tag === tag.needed) fact.needed.push(name);
      if (found.tag === tag.auxiliary || found.tag === tag.filter) {
        (fact.filters ??= []).push({ kind: found.tag === tag.filter ? "filter" : "auxiliary", name, at: fact.needed.length });
      }
    }
    assignIfPresent(fact, "soname", text(dynamic.get(tag.soname)));
    assignIfPresent(fact, "rpath", text(dynamic.get(tag.rpath)));
    assignIfPresent(fact, "runpath", text(dynamic.get(tag.runpath)));
    if (0 < requires.length) {
      fact.requires = requires.map(({ file, versions }) => ({
        file: text(file) ?? "",
        versions: versions.map(({ name, weak }) => ({ name: text(name) ?? "", ...(weak ? { weak: true as const } : {}) })),
      }));
    }
    if (0 < provides.length) fact.provides = provides.map((name) => text(name) ?? "");
  }

  const flags: ElfFlag[] = [];
  const bits = dynamic.get(tag.flags) ?? 0;
  const bits1 = dynamic.get(tag.flags1) ?? 0;
  if (bits & 8 || bits1 & 1 || dynamic.has(tag.bindNow)) flags.push("now");
  if (bits1 & 0x800) flags.push("nodeflib");
  if (bits1 & 0x40) flags.push("noopen");
  if (bits1 & 0x8000000) flags.push("pie");
  if (dynamic.has(tag.relr)) flags.push("relr");
  if (dynamic.has(tag.audit) || dynamic.has(tag.dependencyAudit)) flags.push("audit");
  if (0 < flags.length) fact.flags = flags;
  return beyond;
}

function assignIfPresent<K extends "soname" | "rpath" | "runpath">(fact: ElfFact, key: K, value: string | undefined): void {
  if (value !== undefined) fact[key] = value;
}

// Both version tables are chains of relative offsets; a chain may not go backwards, so it ends with the file.
// libc, which has the longest of all, has some forty.
const longestChain = 4096;

function* versionNeeds(view: ElfView): Reading<{ file: number; versions: { name: number; weak: boolean }[] }[]> {
  const { image, dynamic } = view;
  const start = fileOffset(view, dynamic.get(tag.verneed));
  const result: { file: number; versions: { name: number; weak: boolean }[] }[] = [];
  if (start === undefined) return result;
  let budget = longestChain;
  for (let at = start; 0 < budget; budget -= 1) {
    if (!image.has(at, 16)) yield* image.load([{ offset: at, length: 4096 }]);
    if (!image.has(at, 16)) break;
    const versions: { name: number; weak: boolean }[] = [];
    let aux = at + image.u32(at + 8);
    for (; 0 < budget; budget -= 1) {
      if (!image.has(aux, 16)) yield* image.load([{ offset: aux, length: 4096 }]);
      if (!image.has(aux, 16)) break;
      versions.push({ name: image.u32(aux + 8), weak: (image.u16(aux + 4) & 2) !== 0 });
      const next = image.u32(aux + 12);
      if (next === 0) break;
      aux += next;
    }
    result.push({ file: image.u32(at + 4), versions });
    const next = image.u32(at + 12);
    if (next === 0) break;
    at += next;
  }
  return result;
}

function* versionDefinitions(view: ElfView): Reading<number[]> {
  const { image, dynamic } = view;
  const start = fileOffset(view, dynamic.get(tag.verdef));
  const result: number[] = [];
  if (start === undefined) return result;
  let at = start;
  for (let budget = longestChain; 0 < budget; budget -= 1) {
    if (!image.has(at, 20)) yield* image.load([{ offset: at, length: 4096 }]);
    if (!image.has(at, 20)) break;
    const aux = at + image.u32(at + 12);
    if (!image.has(aux, 8)) yield* image.load([{ offset: aux, length: 64 }]);
    if (image.has(aux, 8)) result.push(image.u32(aux));
    const next = image.u32(at + 16);
    if (next === 0) break;
    at += next;
  }
  return result;
}

function printable(bytes: Uint8Array): string {
  // Joined, not replaced: that leaves one piece of memory for each piece of text, and there is one text for each file of an image.
  return Array.from(decode(bytes.subarray(0, 40)), (character) => (" " <= character && character <= "~" ? character : "·")).join("");
}
