// Files within one file: the members of a tar (also packed with gzip or zstd) or a zip archive, one after the other, unpacked on the way.
import fs from "node:fs";
import { inflated } from "./inflate.ts";
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
    const end = lastEnd(tail);
    if (end < 0 || tail.length < end + 22) throw new Refusal("it is a zip archive that is cut off");
    const [length, offset] = [long(tail, end + 12), long(tail, end + 16)];
    if (offset === 0xffff_ffff || largestList < length)
      throw new Refusal("it is a zip archive in the form for large files, which culprit does not read: unpack it first");
    const list = rangeOf(handle, offset, length);
    for (let at = 0; at + 46 <= list.length && long(list, at) === 0x0201_4b50;) {
      const [flags, method, packed] = [short(list, at + 8), short(list, at + 10), long(list, at + 20)];
      const nameEnd = at + 46 + short(list, at + 28);
      const name = list.toString("utf8", at + 46, nameEnd);
      const local = long(list, at + 42);
      at = nameEnd + short(list, at + 30) + short(list, at + 32);
      if (name.endsWith("/") || !wanted(name)) continue;
      if ((flags & 1) !== 0 || (method !== 0 && method !== 8))
        throw new Refusal(`its member \`${name}\` is encrypted, or packed in a way that culprit does not read`);
      const header = rangeOf(handle, local, 30);
      if (header.length < 30) throw new Refusal("it is a zip archive that is cut off");
      const start = local + 30 + short(header, 26) + short(header, 28);
      yield {
        name,
        body: () => plainly(packed === 0 ? [] : bodyOf(fs.createReadStream(path, { start, end: start + packed - 1 }), method)),
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

const bodyOf = (source: Pieces, method: number): Pieces => (method === 0 ? source : inflated(source, "zip"));

const short = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8);
const long = (bytes: Uint8Array, at: number): number => short(bytes, at) + short(bytes, at + 2) * 0x1_0000;

/** Where the last record is that ends an archive; a comment may come behind it. */
function lastEnd(tail: Uint8Array): number {
  for (let at = tail.length - 22; 0 <= at; at -= 1) if (long(tail, at) === 0x0605_4b50) return at;
  return -1;
}
