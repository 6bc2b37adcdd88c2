// Reads the parts of a zip archive that a wheel uses (stored and deflated files, and the 64-bit sizes of large ones), and writes small ones.
import { createReadStream, createWriteStream, readSync, writeFileSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw, deflateRawSync } from "node:zlib";

const read = (fd, offset, length) => {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
};

/** The files of an archive that is open as `fd`: name, method, sizes, and where each begins. */
export function listZip(fd, size) {
  const tail = read(fd, Math.max(0, size - 65_557), Math.min(size, 65_557));
  const end = tail.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  if (end < 0) throw new Error("it is not a zip archive, or was cut off");
  let start = tail.readUInt32LE(end + 16);
  let length = tail.readUInt32LE(end + 12);
  const locator = tail.lastIndexOf("PK\u0006\u0007", undefined, "latin1");
  if (0 <= locator && start === 0xffffffff) {
    const wide = read(fd, Number(tail.readBigUInt64LE(locator + 8)), 56);
    length = Number(wide.readBigUInt64LE(40));
    start = Number(wide.readBigUInt64LE(48));
  }
  const directory = read(fd, start, length);
  const files = [];
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02014b50;) {
    const names = directory.readUInt16LE(at + 28);
    const extras = directory.readUInt16LE(at + 30);
    const file = {
      name: directory.toString("utf8", at + 46, at + 46 + names),
      method: directory.readUInt16LE(at + 10),
      packed: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    };
    widen(file, directory.subarray(at + 46 + names, at + 46 + names + extras));
    files.push(file);
    at += 46 + names + extras + directory.readUInt16LE(at + 32);
  }
  return files;
}

// Extra field 1 holds, in this order, only those numbers that did not fit into 32 bits.
function widen(file, extra) {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    for (const key of ["size", "packed", "offset"]) {
      if (file[key] !== 0xffffffff) continue;
      file[key] = Number(extra.readBigUInt64LE(next));
      next += 8;
    }
  }
}

/** Writes one file of the archive to `to`. */
export async function extract(archive, fd, { offset, packed, method }, to) {
  const header = read(fd, offset, 30);
  const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (method !== 0 && method !== 8) throw new Error(`it is packed with method ${method}, which is not read here`);
  if (packed === 0) return writeFileSync(to, "");
  const source = createReadStream(archive, { start, end: start + packed - 1 });
  await (method === 8
    ? pipeline(source, createInflateRaw({ chunkSize: 1 << 20 }), createWriteStream(to))
    : pipeline(source, createWriteStream(to)));
}

/** A zip archive of these files; the same files give the same bytes: no times (the earliest that the format knows), no owners. */
export function makeZip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, content } of files) {
    const packed = deflateRawSync(content, { level: 9 });
    const isSmaller = packed.length < content.length;
    const data = isSmaller ? packed : content;
    const path = Buffer.from(name);
    // What stands both before a file and in the directory: release 2.0, UTF-8, method, 1980-01-01, checksum, sizes.
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt16LE(isSmaller ? 8 : 0, 4);
    fields.writeUInt16LE((1 << 5) | 1, 8);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const rest = Buffer.alloc(14);
    // A plain file that all may read.
    rest.writeUInt32LE(0o100644 * 0x10000, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\u0001\u0002\u0014\u0003", "latin1"), fields, rest, path);
    parts.push(Buffer.from("PK\u0003\u0004", "latin1"), fields, path, data);
    offset += 30 + path.length + data.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
