// Where the parts of an image lie: documents (JSON), which are read whole, and layers, which are tar archives, packed or not.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { NotElfFact } from "@culprit/core/model/snapshot";
import type { ByteSelector, Piece, Range } from "@culprit/core/model/target";
import {
  entriesIn,
  hopEntries,
  isHeader,
  nameOf,
  passEntries,
  Refusal,
  shown,
  type Body,
  type Extent,
  type Pieces,
  type TarEntry,
} from "./tar.ts";
import { packingOf, peek, unpack, type Packing } from "./unpack.ts";

export interface Store {
  /** Undefined when it is not there. */
  document(name: string): Uint8Array | undefined;
  has(name: string): boolean;
  /** Goes through a layer, in its order. */
  layer(name: string, lay: Lay): Promise<void>;
}

/** Takes one entry of a layer, with what its bytes are had from; of a packed file also what was kept. */
export type Lay = (entry: TarEntry, source: Source, at: number, kept?: Kept, object?: NotElfFact) => void;

/** Where the bytes of files are had from: a plain layer lies in a file, and `at` is where in it; of a packed one, `at` is the number of the entry. */
export type Source = { number: number } & ({ handle: number } | { pass: PackedLayer });

/** What is known of a file's content. */
interface Content {
  size: number;
  source: Source;
  at: number;
  extents: Extent[] | undefined;
  kept: Kept | undefined;
}

/** Goes through a packed layer once more, from its start. */
type PackedLayer = (visit: Parameters<typeof passEntries>[1]) => Promise<void>;

interface Place {
  handle: number;
  start: number;
  size: number;
}

/** Pieces of a file, one behind the other, packed where that pays. */
export interface Kept {
  /** Where each begins in the file, and how long it is, in turn. */
  places: number[];
  block: Uint8Array;
  packed: boolean;
}

const worthPacking = 1 << 11;
const slabSize = 8 << 20;

const largestDocument = 16 << 20;
const mostFetched = 32 << 20;
const around = 4 << 20;

/** How much a file may turn into: entries, and bytes that are more than so many and more than so many times its own size. */
export interface Limits {
  entries: number;
  gigabytes: number;
  times: number;
}

/** Zeros pack a thousand times; whole images three times. */
export const usualLimits: Limits = { entries: 2_000_000, gigabytes: 16, times: 200 };

/** How much it has turned into. */
interface Budget {
  limits: Limits;
  packed: number;
  unpacked: number;
  entries: number;
  layers: number;
  /** Packed bytes that have gone by, and who hears of it. */
  read: number;
  tell: (read: number, size: number) => void;
}

/** What is opened is noted in `handles`, and stays open as long as the target is asked. */
export async function openStore(
  file: string,
  keeperOf: ByteSelector,
  limits: Limits,
  handles: number[],
  tell: Budget["tell"],
): Promise<Store> {
  const budget: Budget = { limits, packed: 0, unpacked: 0, entries: 0, layers: 0, read: 0, tell };
  if (fs.statSync(file).isDirectory()) return folderStore(fs.realpathSync(file), keeperOf, budget, handles);
  const place = openPlace(file, handles);
  budget.packed = place.size;
  const start = readAt(place, 0, 512);
  const packing = packingOf(start);
  if (packing !== "plain") return packedStore(place, packing, keeperOf, budget);
  if (start.length < 512 || !isHeader(start)) throw new Refusal("it is neither a tar archive, packed or not, nor a folder");
  return archiveStore(place, keeperOf, budget);
}

// ——— the folder of an OCI layout ———

function folderStore(folder: string, keeperOf: ByteSelector, budget: Budget, handles: number[]): Store {
  const opened = new Map<string, Place>();
  const find = (name: string): Place | undefined => {
    const before = opened.get(name);
    if (before) return before;
    const below = path.join(folder, ...insideParts(name));
    let real: string;
    try {
      real = fs.realpathSync(below);
    } catch {
      return undefined;
    }
    if (!real.startsWith(`${folder}/`)) throw new Refusal(`\`${shown(name)}\` in it is a link that leads out of it`);
    if (!fs.statSync(real).isFile()) return undefined;
    const place = openPlace(real, handles);
    budget.packed += place.size;
    opened.set(name, place);
    return place;
  };
  return seekableStore(find, keeperOf, budget);
}

// ——— a plain archive: everything is read where it lies ———

function archiveStore(place: Place, keeperOf: ByteSelector, budget: Budget): Store {
  const files = new Map<string, Place | { to: string }>();
  hopEntries(readerOf(place), place.size, (entry, at) => {
    countEntry(budget);
    const name = insideParts(nameOf(entry)).join("/");
    if (entry.kind === "link") files.set(name, { to: entry.to });
    else if (entry.kind === "hard-link") files.set(name, { to: `/${entry.to}` });
    else if (entry.kind === "file" && !entry.extents)
      files.set(name, { handle: place.handle, start: place.start + at, size: entry.stored });
  });
  return seekableStore((name) => throughLinks(files, name), keeperOf, budget);
}

/** Old archives of Docker name the same layer several times, by links. */
function throughLinks<T extends object>(files: Map<string, T | { to: string }>, name: string): T | undefined {
  let parts = insideParts(name);
  for (let links = 0; links < 40; links += 1) {
    const found = files.get(parts.join("/"));
    if (found === undefined || !("to" in found)) return found;
    parts = insideParts(path.posix.join(found.to.startsWith("/") ? "" : parts.slice(0, -1).join("/"), found.to));
  }
  throw new Refusal(`links in it go round in a circle, at \`${shown(name)}\``);
}

function seekableStore(find: (name: string) => Place | undefined, keeperOf: ByteSelector, budget: Budget): Store {
  return {
    has: (name) => find(name) !== undefined,
    document(name) {
      const place = find(name);
      if (place === undefined) return undefined;
      if (largestDocument < place.size) throw new Refusal(`\`${shown(name)}\` in it is larger than 16 MB`);
      const bytes = readAt(place, 0, place.size);
      const sum = sumOf(name);
      sum.add(bytes);
      sum.check();
      return bytes;
    },
    async layer(name, lay) {
      const place = find(name);
      if (place === undefined) throw new Refusal(`it names the layer \`${shown(name)}\`, which is not in it`);
      const start = readAt(place, 0, 512);
      const packing = packingOf(start);
      if (packing === "plain") readPlain(place, name, start, budget, lay);
      else {
        const pieces = counting(unpack(watched(piecesOf(place, name), budget), packing), budget);
        await readPacked(pieces, (visit) => passEntries(unpack(piecesOf(place), packing), visit), keeperOf, budget, lay);
      }
    },
  };
}

// ——— a packed archive: everything goes by once, before it is known what it is ———

async function packedStore(place: Place, packing: Packing, keeperOf: ByteSelector, budget: Budget): Promise<Store> {
  const documents = new Map<string, Uint8Array | { to: string }>();
  const layers = new Map<string, Parameters<Lay>[] | { to: string }>();
  for await (const { entry, body } of entriesIn(counting(unpack(watched(piecesOf(place), budget), packing), budget))) {
    countEntry(budget);
    const name = insideParts(nameOf(entry)).join("/");
    const to = entry.kind === "link" ? entry.to : entry.kind === "hard-link" ? `/${entry.to}` : undefined;
    if (to !== undefined) for (const files of [documents, layers]) files.set(name, { to });
    if (entry.kind !== "file" || entry.extents) continue;
    const { start, pieces } = await peek(summed(body, name), 512);
    const inner = packingOf(start);
    if (inner === "plain" && /^\s*[{[]/.test(Buffer.from(start).toString("latin1"))) {
      if (largestDocument < entry.size) throw new Refusal(`\`${shown(name)}\` in it is larger than 16 MB`);
      const kept: Uint8Array[] = [];
      for await (const piece of pieces) kept.push(piece);
      documents.set(name, Buffer.concat(kept));
    } else if (inner !== "plain" || isTarStart(start)) {
      const unpacked = counting(unpack(pieces, inner), inner === "plain" ? undefined : budget);
      // Which layers belong to the image, and in which order, may be said only at the end.
      const entries: Parameters<Lay>[] = [];
      await readPacked(unpacked, passInside(place, packing, name, inner), keeperOf, budget, (...one) => void entries.push(one));
      layers.set(name, entries);
    }
  }
  return {
    has: (name) => throughLinks(documents, name) !== undefined || throughLinks(layers, name) !== undefined,
    document: (name) => throughLinks(documents, name),
    async layer(name, lay) {
      const entries = throughLinks(layers, name);
      if (entries === undefined) throw new Refusal(`it names the layer \`${shown(name)}\`, which is not in it or is no tar archive`);
      for (const one of entries) lay(...one);
    },
  };
}

const passInside =
  (place: Place, outer: Packing, name: string, inner: Packing): PackedLayer =>
  async (visit) => {
    for await (const { entry, body } of entriesIn(unpack(piecesOf(place), outer)))
      if (insideParts(nameOf(entry)).join("/") === name) {
        await passEntries(unpack(body, inner), visit);
        return;
      }
  };

// ——— layers ———

function readPlain(place: Place, name: string, start: Uint8Array, budget: Budget, lay: Lay): void {
  if (!isTarStart(start))
    throw new Refusal(`its layer \`${shown(name)}\` is no tar archive; it may be encrypted, or packed in another way`);
  const source = { number: (budget.layers += 1), handle: place.handle };
  hopEntries(readerOf(place), place.size, (entry, at) => {
    countEntry(budget);
    lay(entry, source, place.start + at);
  });
}

async function readPacked(pieces: Pieces, pass: PackedLayer, keeperOf: ByteSelector, budget: Budget, lay: Lay): Promise<void> {
  const source = { number: (budget.layers += 1), pass };
  const shut = await shutter();
  let number = 0;
  await passEntries(pieces, (entry) => {
    countEntry(budget);
    const at = number;
    number += 1;
    if (entry.kind !== "file") {
      lay(entry, source, at);
      return undefined;
    }
    const keeper = keeperOf(`/${nameOf(entry).replace(/^(\.?\/)+/, "")}`, entry.size, (entry.mode & 0o111) !== 0);
    const end = () => {
      const { pieces: kept, object } = keeper.end();
      lay(entry, source, at, 0 < kept.length ? shut(kept) : undefined, object);
    };
    return bodyFor(entry, keeper, end, (zeros) => count(budget, Math.min(zeros, 64 << 20)));
  });
}

interface Taker {
  readonly wants: boolean;
  push(piece: Uint8Array): void;
  zeros(count: number): void;
}

/** Hands a file over as it is, with the holes of a sparse one. */
function bodyFor({ extents, size }: TarEntry, taker: Taker, end: () => void, passZeros?: (count: number) => void): Body {
  if (!extents)
    return {
      push(piece) {
        if (taker.wants) taker.push(piece);
      },
      end,
    };
  let position = 0;
  const zerosTo = (offset: number) => {
    if (offset <= position || !taker.wants) return;
    passZeros?.(offset - position);
    taker.zeros(offset - position);
    position = offset;
  };
  const todo = extents.toReversed();
  let left = 0;
  return {
    push(piece) {
      for (let at = 0; at < piece.length && taker.wants;) {
        if (left === 0) {
          const next = todo.pop()!;
          zerosTo(next.offset);
          left = next.length;
          continue;
        }
        const part = piece.subarray(at, at + left);
        taker.push(part);
        position += part.length;
        left -= part.length;
        at += part.length;
      }
    },
    end() {
      zerosTo(size);
      end();
    },
  };
}

/** Pieces of a file, each within it. */
export async function readContent(content: Content, ranges: Range[]): Promise<Uint8Array[]> {
  const { source, size } = content;
  if ("handle" in source) return ranges.map((range) => readPlainRange(source.handle, content, range));
  let pieces = await piecesIn(content.kept);
  let found = ranges.map((range) => keptRange(pieces, range));
  if (found.includes(undefined)) {
    pieces = await fetchAgain(source.pass, content.at, pieces, size, ranges);
    content.kept = (await shutter())(pieces);
    lastOpened = { kept: content.kept, pieces };
    found = ranges.map((range) => keptRange(pieces, range));
  }
  return found.map((bytes) => bytes ?? new Uint8Array(0));
}

/** Packs pieces, and puts small blocks into large ones: between bytes that go by they would keep the memory of those from being given back. */
async function shutter(): Promise<(pieces: Piece[]) => Kept> {
  const { deflateRawSync } = await import("node:zlib");
  let slab = new Uint8Array(0);
  const own = (bytes: Uint8Array): Uint8Array => {
    if (slabSize / 4 < bytes.length) return bytes.slice();
    if (slab.length < bytes.length) slab = new Uint8Array(slabSize);
    const taken = slab.subarray(0, bytes.length);
    slab = slab.subarray(bytes.length);
    taken.set(bytes);
    return taken;
  };
  return (pieces) => {
    const places = pieces.flatMap(({ offset, bytes }) => [offset, bytes.length]);
    const whole = pieces.length === 1 ? pieces[0]!.bytes : Buffer.concat(pieces.map(({ bytes }) => bytes));
    const packed = worthPacking < whole.length;
    return { places, block: own(packed ? deflateRawSync(whole, { level: 1 }) : whole), packed };
  };
}

// A file is read piece by piece: the last one is soon asked for again.
let lastOpened: { kept: Kept; pieces: Piece[] } | undefined;

async function piecesIn(kept: Kept | undefined): Promise<Piece[]> {
  if (kept === undefined) return [];
  if (lastOpened?.kept === kept) return lastOpened.pieces;
  const { inflateRawSync } = await import("node:zlib");
  const whole = kept.packed ? inflateRawSync(kept.block) : kept.block;
  const pieces: Piece[] = [];
  let at = 0;
  for (let index = 0; index < kept.places.length; index += 2) {
    const [offset, length] = [kept.places[index]!, kept.places[index + 1]!];
    pieces.push({ offset, bytes: whole.subarray(at, at + length) });
    at += length;
  }
  lastOpened = { kept, pieces };
  return pieces;
}

function readPlainRange(handle: number, { at, extents }: Content, { offset, length }: Range): Uint8Array {
  if (!extents) return readAt({ handle, start: at, size: Number.POSITIVE_INFINITY }, offset, length);
  const bytes = new Uint8Array(length);
  let stored = at;
  for (const extent of extents) {
    const from = Math.max(offset, extent.offset);
    const end = Math.min(offset + length, extent.offset + extent.length);
    if (from < end) bytes.set(readAt({ handle, start: stored, size: extent.length }, from - extent.offset, end - from), from - offset);
    stored += extent.length;
  }
  return bytes;
}

function keptRange(pieces: Piece[], { offset, length }: Range): Uint8Array | undefined {
  if (length === 0) return new Uint8Array(0);
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle]!.offset <= offset) low = middle + 1;
    else high = middle;
  }
  const piece = pieces[low - 1];
  if (!piece || piece.offset + piece.bytes.length < offset + length) return undefined;
  return piece.bytes.subarray(offset - piece.offset, offset - piece.offset + length);
}

/** What was not kept is fetched by one more pass: the whole file, or of a large one what is wanted and what lies around it, which is wanted next. */
async function fetchAgain(pass: PackedLayer, number: number, pieces: Piece[], size: number, ranges: Range[]): Promise<Piece[]> {
  const wanted =
    size <= mostFetched
      ? [{ offset: 0, length: size }]
      : ranges.map(({ offset, length }) => {
          const start = Math.max(0, offset - around);
          return { offset: start, length: Math.min(size, offset + length + around) - start };
        });
  const fetched = wanted.map(({ offset, length }) => ({ offset, bytes: new Uint8Array(length) }));
  let position = 0;
  const taker: Taker = {
    wants: true,
    push(piece) {
      for (const { offset, bytes } of fetched) {
        const from = Math.max(offset, position);
        const end = Math.min(offset + bytes.length, position + piece.length);
        if (from < end) bytes.set(piece.subarray(from - position, end - position), from - offset);
      }
      position += piece.length;
    },
    zeros(zeros) {
      position += zeros;
    },
  };
  let index = -1;
  await pass((entry) => {
    index += 1;
    return index < number ? undefined : index === number ? bodyFor(entry, taker, () => undefined) : "enough";
  });
  const isFetched = ({ offset, bytes }: Piece) =>
    fetched.some((each) => each.offset <= offset && offset + bytes.length <= each.offset + each.bytes.length);
  return [...pieces.filter((piece) => !isFetched(piece)), ...fetched].sort(
    (a, b) => a.offset - b.offset || a.bytes.length - b.bytes.length,
  );
}

// ——— bytes ———

function openPlace(file: string, handles: number[]): Place {
  const handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  handles.push(handle);
  const stat = fs.fstatSync(handle);
  if (!stat.isFile()) throw new Refusal("it is neither a file nor a folder");
  return { handle, start: 0, size: stat.size };
}

function readAt({ handle, start, size }: Place, offset: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, size - offset)));
  let done = 0;
  while (done < bytes.length) {
    const got = fs.readSync(handle, bytes, done, bytes.length - done, start + offset + done);
    if (got === 0) break;
    done += got;
  }
  return bytes.subarray(0, done);
}

const readerOf =
  ({ handle, start }: Place) =>
  (buffer: Buffer, offset: number): number =>
    fs.readSync(handle, buffer, 0, buffer.length, start + offset);

/** The same pieces, and how many bytes they were. */
function* watched(pieces: Generator<Uint8Array, void>, budget: Budget): Generator<Uint8Array, void> {
  for (const piece of pieces) {
    budget.read += piece.length;
    budget.tell(budget.read, Math.max(budget.packed, budget.read));
    yield piece;
  }
}

/** Pieces of a file in turn. Their buffers are used again: whoever unpacks them holds a few at a time. */
function* piecesOf(place: Place, name?: string): Generator<Uint8Array, void> {
  const sum = name === undefined ? undefined : sumOf(name);
  const buffers = Array.from({ length: 16 }, () => Buffer.allocUnsafeSlow(1 << 17));
  for (let at = 0, turn = 0; at < place.size; turn += 1) {
    const buffer = buffers[turn % buffers.length]!;
    const got = fs.readSync(place.handle, buffer, 0, Math.min(buffer.length, place.size - at), place.start + at);
    if (got === 0) throw new Refusal("it grew shorter while it was read");
    const piece = buffer.subarray(0, got);
    sum?.add(piece);
    yield piece;
    at += got;
  }
  sum?.check();
}

async function* summed(pieces: Pieces, name: string): AsyncGenerator<Uint8Array, void> {
  const sum = sumOf(name);
  for await (const piece of pieces) {
    sum.add(piece);
    yield piece;
  }
  sum.check();
}

/** A blob is called by the sum of its bytes. */
function sumOf(name: string): { add(piece: Uint8Array): void; check(): void } {
  const [, algorithm, expected] = /^blobs\/(sha256|sha512)\/([0-9a-f]+)$/.exec(name) ?? [];
  const hash = algorithm === undefined ? undefined : createHash(algorithm);
  return {
    add: (piece) => void hash?.update(piece),
    check() {
      if (hash && hash.digest("hex") !== expected) throw new Refusal(`the content of \`${shown(name)}\` is not what its digest says`);
    },
  };
}

async function* counting(pieces: AsyncGenerator<Uint8Array, void>, budget: Budget | undefined): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) {
    if (budget) count(budget, piece.length);
    yield piece;
  }
}

function count(budget: Budget, bytes: number): void {
  const { gigabytes, times } = budget.limits;
  budget.unpacked += bytes;
  if (gigabytes * 2 ** 30 < budget.unpacked && budget.packed * times < budget.unpacked)
    throw new Refusal(`it unpacks to more than ${gigabytes} GB and more than ${times} times its size, which no real image does`);
}

function countEntry(budget: Budget): void {
  budget.entries += 1;
  if (budget.limits.entries < budget.entries) throw new Refusal(`it has more than ${budget.limits.entries} entries`);
}

const isTarStart = (start: Uint8Array) => start.length === 512 && (isHeader(start) || start.every((byte) => byte === 0));

/** The parts of a name in an archive or folder, which it may not leave. */
function insideParts(name: string): string[] {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new Refusal(`a name in it leads out of it: \`${shown(name)}\``);
  return parts;
}
