// /etc/ld.so.cache. Format: glibc sysdeps/generic/dl-cache.h; what makes the loader ignore it: elf/dl-cache.c.
import type { CacheEntry, CacheFact } from "../model/snapshot.ts";
import { textUntilNul } from "../lib/text.ts";

const oldMagic = "ld.so-1.7.0";
const newMagic = "glibc-ld.so.cache1.1";

export function parseLdSoCache(bytes: Uint8Array, littleEndian = true): CacheFact {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  // No path is longer: a damaged file whose entries all point at one endless text must not fill the memory.
  const text = (at: number) => textUntilNul(bytes, at, 4096);
  const u32 = (at: number) => (at + 4 <= bytes.length ? view.getUint32(at, littleEndian) : 0);
  const startsWith = (at: number, magic: string) =>
    at + magic.length <= bytes.length && [...magic].every((character, index) => bytes[at + index] === character.charCodeAt(0));

  if (startsWith(0, newMagic) && 48 < bytes.length) return parseNew(0);
  if (!startsWith(0, oldMagic) || bytes.length <= 16) return { invalid: "it does not begin as a cache does", entries: [] };
  const count = u32(12);
  if ((bytes.length - 16) / 12 < count) return { invalid: "it claims more entries than it holds", entries: [] };
  const after = Math.ceil((16 + count * 12) / 8) * 8;
  if (after + 48 <= bytes.length && startsWith(after, newMagic)) return parseNew(after);
  return { entries: parseOld(count) };

  function parseOld(entryCount: number): CacheEntry[] {
    const strings = 16 + entryCount * 12;
    const entries: CacheEntry[] = [];
    for (let index = 0; index < entryCount; index += 1) {
      const at = 16 + index * 12;
      const name = text(strings + u32(at + 4));
      const path = text(strings + u32(at + 8));
      if (name !== undefined && path !== undefined) entries.push({ name, path, flags: u32(at) });
    }
    return entries;
  }

  function parseNew(base: number): CacheFact {
    const entryCount = u32(base + 20);
    if ((bytes.length - base - 48) / 24 < entryCount) return { invalid: "it claims more entries than it holds", entries: [] };
    const endian = bytes[base + 28]! & 3;
    if (endian === 1 || endian === (littleEndian ? 3 : 2)) return { invalid: "it was written for another byte order", entries: [] };
    const { generator, names } = extensions(u32(base + 32));
    const entries: CacheEntry[] = [];
    for (let index = 0; index < entryCount; index += 1) {
      const at = base + 48 + index * 24;
      const name = text(base + u32(at + 4));
      const path = text(base + u32(at + 8));
      if (name === undefined || path === undefined) continue;
      const entry: CacheEntry = { name, path, flags: u32(at) };
      if (u32(at + 12) !== 0) entry.kernel = u32(at + 12);
      const low = u32(at + (littleEndian ? 16 : 20));
      const high = u32(at + (littleEndian ? 20 : 16));
      // Bit 62 alone of the upper bits marks a named entry; bits 32 to 41 are its ISA level.
      if (high >>> 10 === 0x40000000 >>> 10) entry.hwcaps = { name: names[low] ?? "", level: high & 0x3ff };
      else if (low !== 0 || high !== 0) entry.legacy = high.toString(16) + low.toString(16).padStart(8, "0");
      entries.push(entry);
    }
    return { ...(generator === undefined ? {} : { generator }), entries };
  }

  function extensions(at: number): { generator?: string; names: string[] } {
    const result: { generator?: string; names: string[] } = { names: [] };
    if (at === 0 || bytes.length < at + 8 || u32(at) !== 0xeaa42174) return result;
    const count = Math.min(u32(at + 4), 64);
    for (let index = 0; index < count; index += 1) {
      const section = at + 8 + index * 16;
      const start = u32(section + 8);
      const size = Math.min(u32(section + 12), bytes.length);
      if (u32(section) === 0) result.generator = (text(start) ?? "").slice(0, Math.max(0, size));
      if (u32(section) === 1) for (let name = 0; name + 4 <= size; name += 4) result.names.push(text(u32(start + name)) ?? "");
    }
    return result;
  }
}
