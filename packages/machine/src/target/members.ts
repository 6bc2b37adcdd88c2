// Files within one file: the members of a tar (also packed with gzip or zstd) or a zip archive, one after the other, unpacked on the way.
import fs from "node:fs";
import { entriesIn, isHeader, nameOf, Refusal, type Pieces } from "./tar.ts";
import { packingOf, peek, unpack } from "./unpack.ts";

export interface Member {
  name: string;
  /** Its bytes, unpacked once more where the member itself is packed. To be read before the next member is asked for, or not at all. */
  body(): AsyncGenerator<Uint8Array, void>;
}

/** The members of an archive; undefined where the file is none. `wanted` says of which names. */
export async function membersOf(path: string, wanted: (name: string) => boolean): Promise<AsyncGenerator<Member> | undefined> {
  const magic = firstOf(path, 512);
  if (magic[0] === 0x50 && magic[1] === 0x4b && magic[2] === 3 && magic[3] === 4) return zipMembers(path, wanted);
  const packing = packingOf(magic);
  if (packing === "plain") return magic.length === 512 && isHeader(magic) ? tarMembers(path, wanted) : undefined;
  const { start, pieces } = await peek(unpack(fs.createReadStream(path), packing), 512);
  await pieces.return();
  return start.length === 512 && isHeader(start) ? tarMembers(path, wanted) : undefined;
}

function firstOf(path: string, length: number): Buffer {
  const handle = fs.openSync(path, fs.constants.O_RDONLY);
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, fs.readSync(handle, bytes, 0, length, 0));
  } finally {
    fs.closeSync(handle);
  }
}

async function* tarMembers(path: string, wanted: (name: string) => boolean): AsyncGenerator<Member> {
  const source = fs.createReadStream(path);
  const packing = packingOf(firstOf(path, 16));
  for await (const { entry, body } of entriesIn(unpack(source, packing)))
    if (entry.kind === "file" && !entry.extents && wanted(nameOf(entry))) yield { name: nameOf(entry), body: () => plainly(body) };
}

/** Bytes that may be packed themselves. */
async function* plainly(pieces: Pieces): AsyncGenerator<Uint8Array, void> {
  const peeked = await peek(pieces, 16);
  yield* unpack(peeked.pieces, packingOf(peeked.start));
}

// A zip archive ends with the list of its members: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.12 and 4.3.16.
const largestEnd = 65_557;
const largestList = 64 << 20;

async function* zipMembers(path: string, wanted: (name: string) => boolean): AsyncGenerator<Member> {
  const handle = fs.openSync(path, fs.constants.O_RDONLY);
  try {
    const { size } = fs.fstatSync(handle);
    const tail = rangeOf(handle, Math.max(0, size - largestEnd), Math.min(size, largestEnd));
    const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
    if (end < 0 || tail.length < end + 22) throw new Refusal("it is a zip archive that is cut off");
    const [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
    if (offset === 0xffff_ffff || largestList < length)
      throw new Refusal("it is a zip archive in the form for large files, which culprit does not read: unpack it first");
    const list = rangeOf(handle, offset, length);
    for (let at = 0; at + 46 <= list.length && list.readUInt32LE(at) === 0x0201_4b50;) {
      const [flags, method, packed] = [list.readUInt16LE(at + 8), list.readUInt16LE(at + 10), list.readUInt32LE(at + 20)];
      const nameEnd = at + 46 + list.readUInt16LE(at + 28);
      const name = list.toString("utf8", at + 46, nameEnd);
      const local = list.readUInt32LE(at + 42);
      at = nameEnd + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32);
      if (name.endsWith("/") || !wanted(name)) continue;
      if ((flags & 1) !== 0 || (method !== 0 && method !== 8))
        throw new Refusal(`its member \`${name}\` is encrypted, or packed in a way that culprit does not read`);
      const header = rangeOf(handle, local, 30);
      if (header.length < 30) throw new Refusal("it is a zip archive that is cut off");
      const start = local + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
      yield {
        name,
        body: () => plainly(packed === 0 ? [] : inflated(fs.createReadStream(path, { start, end: start + packed - 1 }), method)),
      };
    }
  } finally {
    fs.closeSync(handle);
  }
}

function rangeOf(handle: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, fs.readSync(handle, bytes, 0, length, offset));
}

async function* inflated(source: fs.ReadStream, method: number): AsyncGenerator<Uint8Array, void> {
  if (method === 0) {
    yield* source as AsyncIterable<Uint8Array>;
    return;
  }
  const { createInflateRaw } = await import("node:zlib");
  const unpacker = source.pipe(createInflateRaw());
  try {
    yield* unpacker as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new Refusal("its zip data is damaged", { cause: error });
  } finally {
    source.destroy();
    unpacker.destroy();
  }
}
