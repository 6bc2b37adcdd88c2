// Bytes that are packed with gzip, zstd or xz, unpacked as they go by; plain ones as they are.
import { inflated } from "./inflate.ts";
import type { Pieces } from "./tar.ts";

export type Packing = "plain" | "gzip" | "zstd" | "xz";

export function packingOf(start: Uint8Array): Packing {
  if (start[0] === 0x1f && start[1] === 0x8b) return "gzip";
  if (start[0] === 0xfd && start[1] === 0x37 && start[2] === 0x7a && start[3] === 0x58) return "xz";
  // A skippable frame may come first.
  const isSkippable = (start[0]! & 0xf0) === 0x50 && start[1] === 0x2a && start[2] === 0x4d && start[3] === 0x18;
  const isZstd = start[0] === 0x28 && start[1] === 0xb5 && start[2] === 0x2f && start[3] === 0xfd;
  return isZstd || isSkippable ? "zstd" : "plain";
}

/** The unpacked bytes; a problem with them is a refusal. */
export async function* unpack(pieces: Pieces, packing: Packing): AsyncGenerator<Uint8Array, void> {
  if (packing === "plain") yield* pieces;
  else if (packing === "xz") yield* (await import("./xz.ts")).unpackXz(pieces);
  else yield* inflated(pieces, packing);
}

/** The first bytes, and all of them (the first once more). */
export async function peek(pieces: Pieces, length: number): Promise<{ start: Uint8Array; pieces: AsyncGenerator<Uint8Array, void> }> {
  const source = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  const taken: Uint8Array[] = [];
  let got = 0;
  while (got < length) {
    const next = await source.next();
    if (next.done) break;
    taken.push(next.value);
    got += next.value.length;
  }
  return {
    start: Buffer.concat(taken).subarray(0, length),
    pieces: (async function* () {
      try {
        yield* taken;
        for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
      } finally {
        await source.return?.();
      }
    })(),
  };
}
