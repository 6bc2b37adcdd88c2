// Writes small ELF files that real loaders load: no compiler, any machine, and headers that can be wrong on purpose.

/** What to put into a file. Without `program` it is a shared library. */
export interface Plan {
  /** An executable: PT_INTERP, PT_PHDR, and an entry that ends the process with status 0. */
  program?: boolean;
  /** ET_EXEC at a fixed address, not position-independent. */
  fixed?: boolean;
  /** The path in PT_INTERP; `null` leaves it out. */
  interpreter?: string | null;
  /** e_machine; the default is what `native` says. */
  machine?: number;
  class?: 32 | 64;
  order?: "little" | "big";
  soname?: string;
  /** DT_NEEDED, DT_AUXILIARY and DT_FILTER in the order of the file. */
  needed?: (string | { auxiliary: string } | { filter: string })[];
  rpath?: string;
  runpath?: string;
  /** DT_FLAGS_1 bits; a program has DF_1_PIE unless it is said here. */
  flags1?: number;
  flags?: number;
  /** Further dynamic entries, as they are. */
  dynamic?: [tag: number, value: number][];
  /** Names of functions that it asks for and that it has; nothing is bound to them. */
  asks?: string[];
  defines?: string[];
  requires?: { file: string; versions: (string | { weak: string })[] }[];
  provides?: string[];
  /** PT_GNU_STACK: present and plain unless said otherwise. */
  stack?: "absent" | "executable";
  /** The kernel that the ABI note asks for. */
  kernel?: [number, number, number];
  /** Pages of zeros before the tables, so that a cut file keeps its headers and loses the tables. */
  pages?: number;
  /** PT_DYNAMIC: left out, or there with no bytes in the file (as in separate debug files). */
  dynamicSegment?: "absent" | "empty";
  /** Moves the address of a second PT_LOAD off the page grid. */
  misaligned?: boolean;
  /** No PT_LOAD at all. */
  unloadable?: boolean;
}

/** DT_FLAGS_1 bits. */
export const flag1 = { nodeflib: 0x800, noopen: 0x40, pie: 0x8000000 } as const;
export const dynamicTag = { relr: 36, relrSize: 35, relrEntry: 37, textRelocations: 22 } as const;
export const machines = { x86: 62, i386: 3, aarch64: 183, ppc64: 21, s390: 22 } as const;

/** The loader that programs of a machine name in PT_INTERP, on glibc systems. */
export const interpreters: { [machine: number]: string } = {
  [machines.x86]: "/lib64/ld-linux-x86-64.so.2",
  [machines.aarch64]: "/lib/ld-linux-aarch64.so.1",
};

/** exit_group(0). */
const entries: { [machine: number]: number[] } = {
  [machines.x86]: [0xb8, 0xe7, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05],
  [machines.aarch64]: [0xc8, 0x0b, 0x80, 0xd2, 0, 0, 0x80, 0xd2, 0x01, 0, 0, 0xd4],
};

/** The machine that files are for when the plan does not say. */
export const native = process.arch === "arm64" ? machines.aarch64 : machines.x86;

const page = 4096;
// aarch64 kernels may have pages of 64 KiB: segments are aligned to that.
const alignment = 65536;

export function makeElf(plan: Plan = {}): Uint8Array {
  const machine = plan.machine ?? native;
  const wide = (plan.class ?? 64) === 64;
  const out = new Writer(wide, (plan.order ?? "little") === "little");
  const headerSize = wide ? 64 : 52;
  const entrySize = wide ? 56 : 32;
  const base = plan.fixed ? 0x400000 : 0;
  const interpreter = plan.interpreter === undefined && plan.program ? (interpreters[machine] ?? "/lib/ld.so") : plan.interpreter;

  const segments: Segment[] = [];
  const add = (type: number, flags: number): Segment => {
    const segment: Segment = { type, flags, offset: 0, address: 0, fileSize: 0, memorySize: 0, align: 8 };
    segments.push(segment);
    return segment;
  };
  const headers = plan.program ? add(6, 4) : undefined;
  const interp = typeof interpreter === "string" ? add(3, 4) : undefined;
  const load = plan.unloadable ? undefined : add(1, 7);
  const askew = plan.misaligned ? add(1, 4) : undefined;
  const dynamic = plan.dynamicSegment === "absent" ? undefined : add(2, 6);
  const note = plan.kernel ? add(4, 4) : undefined;
  if (plan.stack !== "absent") add(0x6474e551, plan.stack === "executable" ? 7 : 6);

  const place = (segment: Segment | undefined, offset: number, size: number) => {
    if (segment) Object.assign(segment, { offset, address: base + offset, fileSize: size, memorySize: size });
  };
  out.skip(headerSize + segments.length * entrySize);
  place(headers, headerSize, segments.length * entrySize);
  if (typeof interpreter === "string") place(interp, out.at, out.text(interpreter));
  out.align(16);
  const entry = out.at;
  out.bytes(entries[machine] ?? [0]);
  if (plan.kernel) {
    out.align(4);
    const start = out.at;
    for (const word of [4, 16, 1]) out.u32(word);
    out.text("GNU");
    for (const word of [0, ...plan.kernel]) out.u32(word);
    place(note, start, out.at - start);
    note!.align = 4;
  }
  out.skip((plan.pages ?? 0) * page);

  out.align(16);
  const strings = new Strings();
  const list: [number, number][] = [];
  for (const item of plan.needed ?? []) {
    if (typeof item === "string") list.push([1, strings.at(item)]);
    else if ("auxiliary" in item) list.push([0x7ffffffd, strings.at(item.auxiliary)]);
    else list.push([0x7fffffff, strings.at(item.filter)]);
  }
  if (plan.soname !== undefined) list.push([14, strings.at(plan.soname)]);
  if (plan.rpath !== undefined) list.push([15, strings.at(plan.rpath)]);
  if (plan.runpath !== undefined) list.push([29, strings.at(plan.runpath)]);
  if (plan.flags !== undefined) list.push([30, plan.flags]);
  const flags1 = plan.flags1 ?? (plan.program && !plan.fixed ? flag1.pie : 0);
  if (flags1 !== 0) list.push([0x6ffffffb, flags1]);

  // One undefined symbol, number 0: musl insists on a hash table, and versions on a table beside it.
  const symbols = out.at;
  out.skip(wide ? 24 : 16);
  const named = [...(plan.asks ?? []).map((name) => ({ name, section: 0 })), ...(plan.defines ?? []).map((name) => ({ name, section: 1 }))];
  for (const { name, section } of named) {
    out.u32(strings.at(name));
    out.bytes([0x12, 0, section, 0]);
    out.word(section === 0 ? 0 : base + entry);
    out.word(0);
  }
  const hash = out.at;
  // One bucket, whose chain goes through all symbols.
  for (const word of [1, named.length + 1, named.length === 0 ? 0 : 1, 0]) out.u32(word);
  named.forEach((_, index) => out.u32(index + 1 < named.length ? index + 2 : 0));
  list.push([4, base + hash], [6, base + symbols], [11, wide ? 24 : 16]);
  if (plan.requires || plan.provides) {
    const versionSymbols = out.at;
    out.u16(0);
    out.align(8);
    list.push([0x6ffffff0, base + versionSymbols]);
  }
  if (plan.requires) {
    list.push([0x6ffffffe, base + out.at], [0x6fffffff, plan.requires.length]);
    let number = 2;
    plan.requires.forEach(({ file, versions }, index) => {
      out.u16(1);
      out.u16(versions.length);
      out.u32(strings.at(file));
      out.u32(16);
      out.u32(index + 1 < plan.requires!.length ? 16 + versions.length * 16 : 0);
      versions.forEach((version, at) => {
        const name = typeof version === "string" ? version : version.weak;
        out.u32(versionHash(name));
        out.u16(typeof version === "string" ? 0 : 2);
        out.u16((number += 1));
        out.u32(strings.at(name));
        out.u32(at + 1 < versions.length ? 16 : 0);
      });
    });
  }
  if (plan.provides) {
    list.push([0x6ffffffc, base + out.at], [0x6ffffffd, plan.provides.length]);
    plan.provides.forEach((name, index) => {
      out.u16(1);
      out.u16(index === 0 ? 1 : 0);
      out.u16(index + 1);
      out.u16(1);
      out.u32(versionHash(name));
      out.u32(20);
      out.u32(index + 1 < plan.provides!.length ? 28 : 0);
      out.u32(strings.at(name));
      out.u32(0);
    });
  }
  list.push(...(plan.dynamic ?? []));
  const stringsAt = out.at;
  out.bytes(strings.bytes);
  list.push([5, base + stringsAt], [10, strings.bytes.length]);
  out.align(16);
  const dynamicAt = out.at;
  for (const [tag, value] of [...list, [0, 0] as const]) {
    out.word(tag);
    out.word(value);
  }
  place(dynamic, dynamicAt, out.at - dynamicAt);
  if (dynamic && plan.dynamicSegment === "empty") dynamic.fileSize = 0;
  place(load, 0, out.at);
  if (load) load.align = alignment;
  if (askew) Object.assign(askew, { offset: 0, address: base + alignment * 4 + 16, fileSize: 16, memorySize: 16, align: page });

  const end = out.at;
  out.at = 0;
  out.bytes([0x7f, 0x45, 0x4c, 0x46, wide ? 2 : 1, out.little ? 1 : 2, 1]);
  out.at = 16;
  out.u16(plan.fixed ? 2 : 3);
  out.u16(machine);
  out.u32(1);
  out.word(plan.program ? base + entry : 0);
  out.word(headerSize);
  out.word(0);
  out.u32(0);
  for (const half of [headerSize, entrySize, segments.length, 0, 0, 0]) out.u16(half);
  for (const { type, flags, offset, address, fileSize, memorySize, align } of segments) {
    out.u32(type);
    if (wide) out.u32(flags);
    for (const word of [offset, address, address, fileSize, memorySize]) out.word(word);
    if (!wide) out.u32(flags);
    out.word(align);
  }
  return out.whole(end);
}

/** A copy with some bytes replaced: one damage a fixture. */
export function damaged(file: Uint8Array, at: number, ...bytes: number[]): Uint8Array {
  const copy = file.slice();
  copy.set(bytes, at);
  return copy;
}

interface Segment {
  type: number;
  flags: number;
  offset: number;
  address: number;
  fileSize: number;
  memorySize: number;
  align: number;
}

class Writer {
  at = 0;
  private buffer = new DataView(new ArrayBuffer(1 << 16));
  constructor(
    readonly wide: boolean,
    readonly little: boolean,
  ) {}

  private room(size: number): number {
    const start = this.at;
    this.at += size;
    if (this.buffer.byteLength < this.at) {
      const larger = new Uint8Array(Math.max(this.at, this.buffer.byteLength * 2));
      larger.set(new Uint8Array(this.buffer.buffer));
      this.buffer = new DataView(larger.buffer);
    }
    return start;
  }
  u16(value: number): void {
    this.buffer.setUint16(this.room(2), value, this.little);
  }
  u32(value: number): void {
    this.buffer.setUint32(this.room(4), value, this.little);
  }
  word(value: number): void {
    if (this.wide) this.buffer.setBigUint64(this.room(8), BigInt(value), this.little);
    else this.u32(value);
  }
  bytes(values: ArrayLike<number>): void {
    const start = this.room(values.length);
    new Uint8Array(this.buffer.buffer).set(values, start);
  }
  /** Writes text and a NUL, and says how long both are. */
  text(value: string): number {
    const bytes = new TextEncoder().encode(`${value}\0`);
    this.bytes(bytes);
    return bytes.length;
  }
  skip(size: number): void {
    this.room(size);
  }
  align(to: number): void {
    this.room(-this.at & (to - 1));
  }
  whole(size: number): Uint8Array {
    return new Uint8Array(this.buffer.buffer).slice(0, size);
  }
}

class Strings {
  readonly bytes: number[] = [0];
  private readonly known = new Map([["", 0]]);
  at(text: string): number {
    let at = this.known.get(text);
    if (at === undefined) {
      at = this.bytes.length;
      this.known.set(text, at);
      this.bytes.push(...new TextEncoder().encode(text), 0);
    }
    return at;
  }
}

// The SysV hash: version entries are compared by it first.
function versionHash(name: string): number {
  let hash = 0;
  for (const byte of new TextEncoder().encode(name)) {
    hash = (hash << 4) + byte;
    const high = hash & 0xf0000000;
    hash = (hash ^ (high >>> 24)) & ~high;
  }
  return hash >>> 0;
}
