// Tar archives: POSIX ustar and pax, GNU (long names, sparse files, numbers of 256), and the oldest form without a magic.
// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html, https://www.gnu.org/software/tar/manual/html_node/Standard.html

export interface TarEntry {
  /** As it is written in the archive, without a final slash. */
  name: string;
  kind: "file" | "folder" | "link" | "hard-link" | "special";
  /** Where a link leads. */
  to: string;
  /** The size of the file; of a sparse one with its holes. */
  size: number;
  /** How many bytes of it are in the archive. */
  stored: number;
  /** The parts of a sparse file that are stored, one after the other; all else is zero. */
  extents?: Extent[];
  mode: number;
  uid: number;
  gid: number;
}

export interface Extent {
  offset: number;
  length: number;
}

/** What the reader wants next: bytes of the archive, or that an entry is looked at and its stored bytes are passed over. */
type Step = { take: number } | { entry: TarEntry };

const block = 512;
// Names, pax headers and maps of sparse files: more than any real one, less than what would hurt.
const longestExtra = 1 << 20;

const padded = (size: number) => Math.ceil(size / block) * block;

/** An archive that is refused, in one sentence. */
export class Refusal extends Error {}

/**
 * The entries of an archive, wherever its bytes come from: yields what it wants, and is resumed with the bytes that it asked for
 * (fewer only at the end of the archive).
 */
function* readTar(): Generator<Step, void, Uint8Array> {
  let extra: { [key: string]: string } = {};
  let points: Extent[] = [];
  for (;;) {
    const header = yield { take: block };
    // Two blocks of zeros are the end; some writers leave them out.
    if (header.length === 0 || (header[0] === 0 && header.every((byte) => byte === 0))) return;
    if (header.length < block) throw new Refusal("it is cut off in the middle of a tar header");
    if (!isHeader(header)) throw new Refusal("it is damaged: there is no tar header where one must be");
    const type = String.fromCharCode(header[156]!);
    const size = numberIn(header, 124, 12);
    if ("xXLKgN".includes(type)) {
      if (longestExtra < size) throw new Refusal("a tar header in it is larger than 1 MB");
      const body = yield { take: padded(size) };
      if (body.length < size) throw new Refusal("it is cut off in the middle of a tar header");
      const content = body.subarray(0, size);
      if (type === "L") extra["path"] = textIn(content, 0, size);
      else if (type === "K") extra["linkpath"] = textIn(content, 0, size);
      else if (type === "x" || type === "X") ({ extra, points } = readPax(content, extra));
      continue;
    }
    if (type === "M") throw new Refusal("it is one volume of several");
    const entry = entryOf(header, type, size, extra);
    if (type === "S") yield* readOldMap(header, entry);
    else if (extra["GNU.sparse.major"] === "1") yield* readMapInFile(entry, extra);
    else if (extra["GNU.sparse.map"] !== undefined || 0 < points.length) {
      const map = extra["GNU.sparse.map"]?.split(",").map(wholeNumber);
      if (map) points = map.flatMap((offset, index) => (index % 2 === 0 ? [{ offset, length: map[index + 1] ?? Number.NaN }] : []));
      setExtents(entry, points, wholeNumber(extra["GNU.sparse.size"] ?? ""));
    }
    extra = {};
    points = [];
    if (type !== "V") yield { entry };
  }
}

/** Whether these 512 bytes are the header of a tar entry; the sum was once made of signed bytes. */
export function isHeader(header: Uint8Array): boolean {
  const stored = octalIn(header, 148, 8);
  let sum = 8 * 0x20;
  let high = 0;
  for (let at = 0; at < block; at += 1) {
    const byte = 148 <= at && at < 156 ? 0 : header[at]!;
    sum += byte;
    if (127 < byte) high += 1;
  }
  return 0 < sum - 8 * 0x20 && (stored === sum || stored === sum - 256 * high);
}

function entryOf(header: Uint8Array, type: string, size: number, extra: { [key: string]: string }): TarEntry {
  const prefix = header[345] !== 0 && characters(header, 257, 8) === "ustar\x0000" ? textIn(header, 345, 155) : "";
  const short = textIn(header, 0, 100);
  const name = extra["GNU.sparse.name"] ?? extra["path"] ?? (prefix === "" ? short : `${prefix}/${short}`);
  // The oldest form has no type for folders: their names end in a slash.
  const kind =
    type === "5" || type === "D" || ((type === "0" || type === "\0") && name.endsWith("/"))
      ? ("folder" as const)
      : type === "1"
        ? ("hard-link" as const)
        : type === "2"
          ? ("link" as const)
          : "346".includes(type)
            ? ("special" as const)
            : ("file" as const);
  const given = extra["size"] === undefined ? size : wholeNumber(extra["size"]);
  const stored = kind === "file" ? given : 0;
  const id = (key: string, at: number) => (extra[key] === undefined ? numberIn(header, at, 8) : wholeNumber(extra[key]));
  return {
    name: name.endsWith("/") ? name.replace(/\/+$/, "") : name,
    kind,
    to: extra["linkpath"] ?? textIn(header, 157, 100),
    size: stored,
    stored,
    mode: numberIn(header, 100, 8),
    uid: id("uid", 108),
    gid: id("gid", 116),
  };
}

function readPax(content: Uint8Array, before: { [key: string]: string }): { extra: { [key: string]: string }; points: Extent[] } {
  const extra = { ...before };
  const points: Extent[] = [];
  for (let at = 0; at < content.length;) {
    const length = /^(\d{1,7}) /.exec(characters(content, at, 8))?.[1];
    const end = at + Number(length);
    if (length === undefined || content.length < end || content[end - 1] !== 0x0a) throw new Refusal("a pax header in it is damaged");
    const record = Buffer.from(content.buffer, content.byteOffset + at + length.length + 1, end - 1 - at - length.length - 1).toString();
    const equals = record.indexOf("=");
    if (equals <= 0) throw new Refusal("a pax header in it is damaged");
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    // The first form of sparse files repeats its keys.
    if (key === "GNU.sparse.offset") points.push({ offset: wholeNumber(value), length: Number.NaN });
    else if (key === "GNU.sparse.numbytes" && 0 < points.length) points.at(-1)!.length = wholeNumber(value);
    else extra[key] = value;
    at = end;
  }
  return { extra, points };
}

function* readOldMap(header: Uint8Array, entry: TarEntry): Generator<Step, void, Uint8Array> {
  const extents: Extent[] = [];
  const add = (from: Uint8Array, start: number, count: number) => {
    for (let at = start; at < start + count * 24; at += 24)
      if (from[at] !== 0) extents.push({ offset: numberIn(from, at, 12), length: numberIn(from, at + 12, 12) });
  };
  add(header, 386, 4);
  for (let more = header[482] !== 0; more;) {
    const next = yield { take: block };
    if (next.length < block || longestExtra < extents.length * 24) throw new Refusal("the map of a sparse file in it is damaged");
    add(next, 0, 21);
    more = next[504] !== 0;
  }
  setExtents(entry, extents, numberIn(header, 483, 12));
}

/** Since pax 1.0 the map is the beginning of the stored bytes: decimal numbers, a line each. */
function* readMapInFile(entry: TarEntry, extra: { [key: string]: string }): Generator<Step, void, Uint8Array> {
  let rest = "";
  let length = 0;
  const numbers: number[] = [];
  do {
    const next = entry.stored < block ? new Uint8Array(0) : yield { take: block };
    length += block;
    if (next.length < block || longestExtra < length) throw new Refusal("the map of a sparse file in it is damaged");
    entry.stored -= block;
    const lines = (rest + characters(next, 0, block)).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (numbers.length === 0 || numbers.length < 1 + 2 * numbers[0]!) numbers.push(wholeNumber(line));
  } while (numbers.length === 0 || numbers.length < 1 + 2 * numbers[0]!);
  const count = numbers[0]!;
  const extents = Array.from({ length: count }, (_, index) => ({ offset: numbers[1 + 2 * index]!, length: numbers[2 + 2 * index]! }));
  setExtents(entry, extents, wholeNumber(extra["GNU.sparse.realsize"] ?? extra["GNU.sparse.size"] ?? ""));
}

function setExtents(entry: TarEntry, extents: Extent[], size: number): void {
  let end = 0;
  let stored = 0;
  for (const { offset, length } of extents) {
    if (!(end <= offset && 0 <= length && offset + length <= size)) throw new Refusal("the map of a sparse file in it is damaged");
    end = offset + length;
    stored += length;
  }
  if (stored !== entry.stored || !(end <= size)) throw new Refusal("the map of a sparse file in it is damaged");
  entry.size = size;
  // One that ends a file only says how long it is.
  entry.extents = extents.filter(({ length }) => 0 < length);
}

function wholeNumber(text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new Refusal("a size in it is no number");
  return value;
}

function numberIn(bytes: Uint8Array, at: number, length: number): number {
  let value: number | undefined = 0;
  if (bytes[at]! & 0x80) {
    if (bytes[at] !== 0x80) throw new Refusal("a size in it is below zero or beyond every file");
    for (let index = at + 1; index < at + length; index += 1) value = value * 256 + bytes[index]!;
  } else value = octalIn(bytes, at, length);
  if (value === undefined) throw new Refusal("a size in it is no number");
  if (!Number.isSafeInteger(value)) throw new Refusal("a size in it is below zero or beyond every file");
  return value;
}

/** Digits with blanks or zeros around them; nothing is 0. Byte by byte, as this is done several times for each entry. */
function octalIn(bytes: Uint8Array, at: number, length: number): number | undefined {
  let value = 0;
  let index = at;
  while (index < at + length && (bytes[index] === 0x20 || bytes[index] === 0)) index += 1;
  for (; index < at + length && 0x30 <= bytes[index]! && bytes[index]! < 0x38; index += 1) value = value * 8 + bytes[index]! - 0x30;
  return index === at + length || bytes[index] === 0x20 || bytes[index] === 0 ? value : undefined;
}

const characters = (bytes: Uint8Array, at: number, length: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(length, bytes.length - at)).toString("latin1");

function textIn(bytes: Uint8Array, at: number, length: number): string {
  if (bytes[at] === 0) return "";
  const found = bytes.indexOf(0, at);
  const end = found < 0 || at + length < found ? at + length : found;
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at).toString();
}

/** Entries of an archive that can be read anywhere: from header to header, without what lies between. `at` is where the stored bytes begin. */
export function* hopEntries(
  read: (offset: number, length: number) => Uint8Array,
  size: number,
): Generator<{ entry: TarEntry; at: number }> {
  const tar = readTar();
  let offset = 0;
  for (let step = tar.next(); !step.done;) {
    if ("take" in step.value) {
      const bytes = read(offset, Math.min(step.value.take, Math.max(0, size - offset)));
      offset += bytes.length;
      step = tar.next(bytes);
      continue;
    }
    const { entry } = step.value;
    if (size < offset + entry.stored)
      throw new Refusal(`it is cut off, or lies about a size: \`${shown(entry.name)}\` goes beyond its end`);
    yield { entry, at: offset };
    offset += padded(entry.stored);
    step = tar.next(new Uint8Array(0));
  }
}

/** Entries of an archive that goes by once. The stored bytes of an entry are read before the next one is asked for, or not at all. */
export async function* passEntries(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<{ entry: TarEntry; body: AsyncGenerator<Uint8Array, void> }> {
  const source = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  let piece: Uint8Array = new Uint8Array(0);
  /** Up to `most` bytes, in one piece; none at the end. */
  async function some(most: number): Promise<Uint8Array> {
    while (piece.length === 0) {
      const next = await source.next();
      if (next.done) return piece;
      piece = next.value;
    }
    const taken = piece.subarray(0, most);
    piece = piece.subarray(taken.length);
    return taken;
  }
  async function take(length: number): Promise<Uint8Array> {
    const first = await some(length);
    if (first.length === length || first.length === 0) return first;
    const whole = new Uint8Array(length);
    whole.set(first);
    let done = first.length;
    while (done < length) {
      const next = await some(length - done);
      if (next.length === 0) return whole.subarray(0, done);
      whole.set(next, done);
      done += next.length;
    }
    return whole;
  }
  const tar = readTar();
  try {
    for (let step = tar.next(); !step.done;) {
      if ("take" in step.value) {
        step = tar.next(await take(step.value.take));
        continue;
      }
      const { entry } = step.value;
      let left = entry.stored;
      const body = (async function* () {
        while (0 < left) {
          const next = await some(left);
          if (next.length === 0) throw new Refusal(`it is cut off, or lies about a size: \`${shown(entry.name)}\` goes beyond its end`);
          left -= next.length;
          yield next;
        }
      })();
      yield { entry, body };
      for (left += padded(entry.stored) - entry.stored; 0 < left;) {
        const next = await some(left);
        if (next.length === 0) {
          if (left < block && padded(entry.stored) - entry.stored === left) break;
          throw new Refusal(`it is cut off, or lies about a size: \`${shown(entry.name)}\` goes beyond its end`);
        }
        left -= next.length;
      }
      step = tar.next(new Uint8Array(0));
    }
    // What follows is nothing, but sums at the very end tell whether all was whole.
    while (!(await source.next()).done) continue;
  } finally {
    await source.return?.();
  }
}

/** A name from an archive may hold anything, and be long. */
export const shown = (name: string) => {
  const text = name.replace(/[^\x20-\x7e\u00a0-\uffff]/g, "·");
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
};
