// Tar archives: POSIX ustar and pax, GNU (long names, sparse files, numbers of 256), and the oldest form without a magic.
// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html, https://www.gnu.org/software/tar/manual/html_node/Standard.html

export interface TarEntry {
  /** Its name as it is written in the archive, without a final slash: what is before the last slash, and what is behind it. */
  folder: string;
  last: string;
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

/** What the reader wants next: so many bytes of the archive; or that an entry is looked at, and its stored bytes are passed over. */
type Step = number | TarEntry;

/** Where the bytes lie that a reader asked for; fewer only at the end of the archive. One for all its steps, as most are a single header. */
interface Given {
  bytes: Buffer;
  /** All of the buffer behind the bytes, in words. */
  words: Int32Array;
  at: number;
  length: number;
}

const block = 512;
// Names, pax headers and maps of sparse files: more than any real one, less than what would hurt.
const longestExtra = 1 << 20;

const padded = (size: number) => Math.ceil(size / block) * block;

/** An archive that is refused, in one sentence. */
export class Refusal extends Error {}

/** The entries of an archive, wherever its bytes come from: yields what it wants, and finds it in `given` when it is resumed. */
function* readTar(given: Given): Generator<Step, void, void> {
  const split = splitter();
  let extra: Extra | undefined;
  let points: Extent[] = [];
  for (;;) {
    yield block;
    const { bytes, at, length } = given;
    // Two blocks of zeros are the end; some writers leave them out.
    if (length === 0 || (bytes[at] === 0 && bytes.subarray(at, at + length).every((byte) => byte === 0))) return;
    if (length < block) throw new Refusal("it is cut off in the middle of a tar header");
    if (!isHeader(bytes, at, given.words)) throw new Refusal("it is damaged: there is no tar header where one must be");
    const type = String.fromCharCode(bytes[at + 156]!);
    const size = numberIn(bytes, at + 124, 12);
    if ("xXLKgN".includes(type)) {
      if (longestExtra < size) throw new Refusal("a tar header in it is larger than 1 MB");
      yield padded(size);
      if (given.length < size) throw new Refusal("it is cut off in the middle of a tar header");
      const content = given.bytes.subarray(given.at, given.at + size);
      extra ??= {};
      if (type === "L") extra["path"] = textIn(content, 0, size);
      else if (type === "K") extra["linkpath"] = textIn(content, 0, size);
      else if (type === "x" || type === "X") points = readPax(content, extra);
      continue;
    }
    if (type === "M") throw new Refusal("it is one volume of several");
    const entry = entryOf(bytes, at, type, size, extra, split);
    if (type === "S") yield* readOldMap(given, entry);
    else if (extra?.["GNU.sparse.major"] === "1") yield* readMapInFile(given, entry, extra);
    else if (extra?.["GNU.sparse.map"] !== undefined || 0 < points.length) {
      const map = extra?.["GNU.sparse.map"]?.split(",").map(wholeNumber);
      if (map) points = map.flatMap((offset, index) => (index % 2 === 0 ? [{ offset, length: map[index + 1] ?? Number.NaN }] : []));
      setExtents(entry, points, wholeNumber(extra?.["GNU.sparse.size"] ?? ""));
    }
    if (extra) {
      extra = undefined;
      points = [];
    }
    if (type !== "V") yield entry;
  }
}

/** What was said before a header about the entry that follows. */
type Extra = { [key: string]: string };

/** Whether the 512 bytes from `at` on are the header of a tar entry; the sum was once made of signed bytes. */
export function isHeader(bytes: Uint8Array, at = 0, words = wordsBehind(bytes)): boolean {
  let sum = sumOf(bytes, at, words);
  // The field of the sum itself counts as blanks.
  for (let index = at + 148; index < at + 156; index += 1) sum -= bytes[index]!;
  if (sum === 0) return false;
  const stored = octalIn(bytes, at + 148, 8);
  return stored === sum + 8 * 0x20 || stored === sum + 8 * 0x20 - 256 * highBytesIn(bytes, at);
}

const wordsBehind = ({ buffer }: Uint8Array) => new Int32Array(buffer, 0, buffer.byteLength >> 2);

/** Half of the work for an archive of small files is here: so, where they lie well, four bytes at a time, in halves that cannot run over. */
function sumOf(bytes: Uint8Array, at: number, words: Int32Array): number {
  const start = bytes.byteOffset + at;
  if (start % 4 !== 0) {
    let sum = 0;
    for (let index = at; index < at + block; index += 1) sum += bytes[index]!;
    return sum;
  }
  let even = 0;
  let odd = 0;
  for (let index = start >> 2; index < (start + block) >> 2; index += 1) {
    const word = words[index]!;
    even += word & 0xff00ff;
    odd += (word >>> 8) & 0xff00ff;
  }
  return (even & 0xffff) + (even >>> 16) + (odd & 0xffff) + (odd >>> 16);
}

function highBytesIn(bytes: Uint8Array, at: number): number {
  let high = 0;
  for (let index = at; index < at + block; index += 1) if (127 < bytes[index]! && (index < at + 148 || at + 156 <= index)) high += 1;
  return high;
}

function entryOf(
  bytes: Buffer,
  at: number,
  type: string,
  size: number,
  extra: Extra | undefined,
  split: ReturnType<typeof splitter>,
): TarEntry {
  const said = extra?.["GNU.sparse.name"] ?? extra?.["path"] ?? prefixed(bytes, at);
  const { folder, last, isFolder } = said === undefined ? split(bytes, at) : splitName(said);
  // The oldest form has no type for folders: their names end in a slash.
  const kind =
    type === "5" || type === "D" || ((type === "0" || type === "\0") && isFolder)
      ? ("folder" as const)
      : type === "1"
        ? ("hard-link" as const)
        : type === "2"
          ? ("link" as const)
          : "346".includes(type)
            ? ("special" as const)
            : ("file" as const);
  const given = extra?.["size"] === undefined ? size : wholeNumber(extra["size"]);
  const stored = kind === "file" ? given : 0;
  return {
    folder,
    last,
    kind,
    to: kind === "link" || kind === "hard-link" ? (extra?.["linkpath"] ?? textIn(bytes, at + 157, 100)) : "",
    size: stored,
    stored,
    mode: numberIn(bytes, at + 100, 8),
    uid: extra?.["uid"] === undefined ? numberIn(bytes, at + 108, 8) : wholeNumber(extra["uid"]),
    gid: extra?.["gid"] === undefined ? numberIn(bytes, at + 116, 8) : wholeNumber(extra["gid"]),
  };
}

interface SplitName extends Pick<TarEntry, "folder" | "last"> {
  isFolder: boolean;
}

const slash = 0x2f;

/** Splits the names in headers. Most entries lie in the folder of the one before: its name is not made anew. */
function splitter(): (bytes: Buffer, at: number) => SplitName {
  const known = new Uint8Array(100);
  let knownLength = 0;
  let folder = "";
  return (bytes, at) => {
    let end = at;
    while (end < at + 100 && bytes[end] !== 0) end += 1;
    const isFolder = at < end && bytes[end - 1] === slash;
    while (at < end && bytes[end - 1] === slash) end -= 1;
    let last = end;
    while (at < last && bytes[last - 1] !== slash) last -= 1;
    const length = Math.max(0, last - 1 - at);
    let same = length === knownLength ? length : 0;
    while (0 < same && bytes[at + same - 1] === known[same - 1]) same -= 1;
    if (length !== knownLength || same !== 0) {
      folder = bytes.toString("utf8", at, at + length);
      known.set(bytes.subarray(at, at + length));
      knownLength = length;
    }
    return { folder, last: bytes.toString("utf8", last, end), isFolder };
  };
}

/** The same for a name that was put together. Each part is text of its own: a part of another would hold that in memory. */
function splitName(name: string): SplitName {
  let end = name.length;
  while (name[end - 1] === "/") end -= 1;
  const whole = name.slice(0, end);
  const at = whole.lastIndexOf("/");
  const own = (text: string) => Buffer.from(text).toString();
  return { folder: own(whole.slice(0, Math.max(0, at))), last: own(whole.slice(at + 1)), isFolder: end < name.length };
}

export const nameOf = ({ folder, last }: Pick<TarEntry, "folder" | "last">) => (folder === "" ? last : `${folder}/${last}`);

/** A name of more than 100 bytes may be in two fields. */
function prefixed(bytes: Buffer, at: number): string | undefined {
  if (bytes[at + 345] === 0 || bytes.toString("latin1", at + 257, at + 265) !== "ustar\x0000") return undefined;
  return `${textIn(bytes, at + 345, 155)}/${textIn(bytes, at, 100)}`;
}

/** Adds what is said to `extra`; gives the parts of a sparse file in the form that repeats its keys. */
function readPax(content: Buffer, extra: Extra): Extent[] {
  const points: Extent[] = [];
  for (let at = 0; at < content.length;) {
    const length = /^(\d{1,7}) /.exec(content.toString("latin1", at, at + 8))?.[1];
    const end = at + Number(length);
    if (length === undefined || content.length < end || content[end - 1] !== 0x0a) throw new Refusal("a pax header in it is damaged");
    const record = content.toString("utf8", at + length.length + 1, end - 1);
    const equals = record.indexOf("=");
    if (equals <= 0) throw new Refusal("a pax header in it is damaged");
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === "GNU.sparse.offset") points.push({ offset: wholeNumber(value), length: Number.NaN });
    else if (key === "GNU.sparse.numbytes" && 0 < points.length) points.at(-1)!.length = wholeNumber(value);
    else extra[key] = value;
    at = end;
  }
  return points;
}

function* readOldMap(given: Given, entry: TarEntry): Generator<Step, void, void> {
  const extents: Extent[] = [];
  const add = (start: number, count: number) => {
    for (let at = given.at + start; at < given.at + start + count * 24; at += 24)
      if (given.bytes[at] !== 0) extents.push({ offset: numberIn(given.bytes, at, 12), length: numberIn(given.bytes, at + 12, 12) });
  };
  add(386, 4);
  const size = numberIn(given.bytes, given.at + 483, 12);
  for (let more = given.bytes[given.at + 482] !== 0; more;) {
    yield block;
    if (given.length < block || longestExtra < extents.length * 24) throw new Refusal("the map of a sparse file in it is damaged");
    add(0, 21);
    more = given.bytes[given.at + 504] !== 0;
  }
  setExtents(entry, extents, size);
}

/** Since pax 1.0 the map is the beginning of the stored bytes: decimal numbers, a line each. */
function* readMapInFile(given: Given, entry: TarEntry, extra: Extra): Generator<Step, void, void> {
  let rest = "";
  let length = 0;
  const numbers: number[] = [];
  do {
    const isCut = entry.stored < block;
    if (!isCut) yield block;
    length += block;
    if (isCut || given.length < block || longestExtra < length) throw new Refusal("the map of a sparse file in it is damaged");
    entry.stored -= block;
    const lines = (rest + given.bytes.toString("latin1", given.at, given.at + block)).split("\n");
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

function textIn(bytes: Buffer, at: number, length: number): string {
  if (bytes[at] === 0) return "";
  const found = bytes.indexOf(0, at);
  return bytes.toString("utf8", at, found < 0 || at + length < found ? at + length : found);
}

const beyondEnd = (entry: TarEntry) => new Refusal(`it is cut off, or lies about a size: \`${shown(nameOf(entry))}\` goes beyond its end`);

/** Shows the entries of an archive that can be read anywhere: from header to header, without what lies between. `at` is where the stored bytes begin. */
export function hopEntries(
  read: (buffer: Buffer, offset: number) => number,
  size: number,
  visit: (entry: TarEntry, at: number) => void,
): void {
  // Where files are small their headers lie side by side, and many are had with one reading.
  let buffer = Buffer.allocUnsafeSlow(smallWindow);
  let start = 0;
  let end = 0;
  let headers = 0;
  const given: Given = { bytes: buffer, words: wordsBehind(buffer), at: 0, length: 0 };
  const tar = readTar(given);
  let offset = 0;
  for (let step = tar.next(); !step.done; step = tar.next()) {
    if (typeof step.value !== "number") {
      const entry = step.value;
      if (size < offset + entry.stored) throw beyondEnd(entry);
      visit(entry, offset);
      offset += padded(entry.stored);
      continue;
    }
    const wanted = Math.max(0, Math.min(step.value, size - offset));
    if (offset < start || end < offset + wanted) {
      const length = Math.max(step.value, 3 < headers ? largeWindow : smallWindow);
      if (buffer.length < length) {
        buffer = Buffer.allocUnsafeSlow(length);
        given.bytes = buffer;
        given.words = wordsBehind(buffer);
      }
      start = offset;
      end = offset + read(buffer.subarray(0, Math.min(length, size - offset)), offset);
      headers = 0;
    }
    headers += 1;
    given.at = offset - start;
    given.length = Math.min(wanted, end - offset);
    offset += given.length;
  }
}

const smallWindow = 1 << 14;
const largeWindow = 1 << 17;

export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Who takes the stored bytes of an entry, as they go by. */
export interface Body {
  push(piece: Uint8Array): void;
  end(): void;
}

/**
 * Shows the entries of an archive that goes by once; `visit` says who takes the stored bytes, if anyone does. When it has seen enough,
 * the rest is not read.
 */
export async function passEntries(pieces: Pieces, visit: (entry: TarEntry) => Body | undefined | "enough"): Promise<void> {
  const passing = startPassing(visit);
  for await (const piece of pieces) {
    passing.push(piece);
    if (passing.isEnough) return;
  }
  passing.end();
}

/** The same one after the other. The stored bytes of an entry are read before the next one is asked for, or not at all. */
export async function* entriesIn(pieces: Pieces): AsyncGenerator<{ entry: TarEntry; body: AsyncGenerator<Uint8Array, void> }> {
  type Event = { entry: TarEntry } | { piece: Uint8Array } | "end";
  const waiting: Event[] = [];
  const passing = startPassing((entry) => {
    waiting.push({ entry });
    return { push: (piece) => void waiting.push({ piece }), end: () => void waiting.push("end") };
  });
  const events = (async function* () {
    for await (const piece of pieces) {
      passing.push(piece);
      yield* waiting.splice(0);
    }
    passing.end();
    yield* waiting.splice(0);
  })();
  try {
    for (let event = await events.next(); !event.done; event = await events.next()) {
      if (event.value === "end" || !("entry" in event.value)) continue;
      const body = (async function* () {
        for (let next = await events.next(); !next.done && next.value !== "end"; next = await events.next())
          if ("piece" in next.value) yield next.value.piece;
      })();
      yield { entry: event.value.entry, body };
    }
  } finally {
    await events.return();
  }
}

/** Reads what goes by, as long as `visit` has not seen enough. What follows the entries is nothing, but it may be damaged: it is gone through, too. */
function startPassing(visit: (entry: TarEntry) => Body | undefined | "enough") {
  const given: Given = { bytes: Buffer.alloc(0), words: new Int32Array(0), at: 0, length: 0 };
  const tar = readTar(given);
  let step = tar.next();
  // What the reader asks for may lie in several pieces.
  let gathered: Buffer | undefined;
  let got = 0;
  let entry: TarEntry | undefined;
  let body: Body | undefined;
  let left = 0;
  let padding = 0;
  let isEnough = false;

  function resume(bytes: Buffer, words: Int32Array, at: number, length: number): void {
    given.bytes = bytes;
    given.words = words;
    given.at = at;
    given.length = length;
    gathered = undefined;
    got = 0;
    step = tar.next();
    if (step.done || typeof step.value === "number") return;
    entry = step.value;
    const next = visit(entry);
    isEnough = next === "enough";
    if (next === "enough") return;
    body = next;
    left = entry.stored;
    padding = padded(left) - left;
    if (left === 0) body?.end();
    step = tar.next();
  }

  return {
    get isEnough() {
      return isEnough;
    },
    push(piece: Uint8Array): void {
      const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.length);
      const words = wordsBehind(bytes);
      for (let at = 0; at < bytes.length && !step.done && !isEnough;) {
        const rest = bytes.length - at;
        if (0 < left) {
          const part = Math.min(left, rest);
          body?.push(bytes.subarray(at, at + part));
          at += part;
          left -= part;
          if (left === 0) body?.end();
        } else if (0 < padding) {
          const part = Math.min(padding, rest);
          at += part;
          padding -= part;
        } else {
          const wanted = step.value as number;
          if (got === 0 && wanted <= rest) {
            resume(bytes, words, at, wanted);
            at += wanted;
          } else {
            gathered ??= Buffer.allocUnsafeSlow(wanted);
            const part = Math.min(wanted - got, rest);
            bytes.copy(gathered, got, at, at + part);
            at += part;
            got += part;
            if (got === wanted) resume(gathered, wordsBehind(gathered), 0, wanted);
          }
        }
      }
    },
    end(): void {
      // Some writers leave out the padding of the last entry.
      if (entry && (0 < left || (0 < padding && padding < padded(entry.stored) - entry.stored))) throw beyondEnd(entry);
      while (!step.done) resume(gathered ?? given.bytes, gathered ? wordsBehind(gathered) : given.words, 0, got);
    },
  };
}

/** A name from an archive may hold anything, and be long. */
export const shown = (name: string) => {
  const text = name.replace(/[^\x20-\x7e\u00a0-\uffff]/g, "·");
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
};
