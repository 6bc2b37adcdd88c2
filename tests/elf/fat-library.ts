import fs from "node:fs";

export interface FatEntry {
  kind: 1 | 2;
  architecture: number;
  flags?: number;
  /** 64, 72, 80, 96 and 112 occur. */
  header?: number;
  payload?: number;
}

/**
 * A file with one section of containers; payloads and gaps are holes, so size costs no disk. `behind` bytes of other sections lie
 * between the names of the sections and their table.
 */
export function writeFatLibrary(
  file: string,
  containers: { entries: FatEntry[]; gap?: number; magic?: number }[],
  section = ".nv_fatbin",
  behind = 0,
): string {
  const handle = fs.openSync(file, "w");
  const put = (bytes: Buffer, at: number) => fs.writeSync(handle, bytes, 0, bytes.length, at);
  const start = 4096;
  let at = start;
  for (const { entries, gap = 0, magic = 0xba55ed50 } of containers) {
    const body = entries.reduce((total, { header = 64, payload = 256 }) => total + header + payload, 0);
    const head = Buffer.alloc(16);
    head.writeUInt32LE(magic, 0);
    head.writeUInt16LE(1, 4);
    head.writeUInt16LE(16, 6);
    head.writeBigUInt64LE(BigInt(body), 8);
    put(head, at);
    at += 16;
    for (const { kind, architecture, flags = 0x11, header = 64, payload = 256 } of entries) {
      const fields = Buffer.alloc(64);
      fields.writeUInt16LE(kind, 0);
      fields.writeUInt16LE(0x101, 2);
      fields.writeUInt32LE(header, 4);
      fields.writeBigUInt64LE(BigInt(payload), 8);
      fields.writeUInt32LE(architecture, 28);
      fields.writeUInt32LE(flags, 40);
      put(fields, at);
      at += header + payload;
    }
    at = Math.ceil(at / 8) * 8 + gap;
  }
  const names = Buffer.from(`\0.shstrtab\0${section}\0`);
  const header = Buffer.alloc(64);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(62, 18);
  header.writeBigUInt64LE(BigInt(at + names.length + behind), 40);
  header.writeUInt16LE(64, 58);
  header.writeUInt16LE(3, 60);
  header.writeUInt16LE(1, 62);
  put(header, 0);
  put(names, at);
  const sections = Buffer.alloc(3 * 64);
  for (const [index, nameAt, offset, size] of [
    [1, 1, at, names.length],
    [2, 11, start, at - start],
  ] as const) {
    sections.writeUInt32LE(nameAt, index * 64);
    sections.writeBigUInt64LE(BigInt(offset), index * 64 + 24);
    sections.writeBigUInt64LE(BigInt(size), index * 64 + 32);
  }
  put(sections, at + names.length + behind);
  fs.closeSync(handle);
  return file;
}
