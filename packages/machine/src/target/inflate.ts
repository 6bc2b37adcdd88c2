// What Node has for unpacking. A page has something else in the place of this file.
import { Refusal, type Pieces } from "./tar.ts";
import { unpackZstd } from "./zstd.ts";

const pieceSize = 1 << 16;

/** `zip`: a member of such an archive, which has no header of its own. */
export type Inflatable = "gzip" | "zstd" | "zip";

/** The unpacked bytes; a problem with them is a refusal. */
export async function* inflated(pieces: Pieces, packing: Inflatable): AsyncGenerator<Uint8Array, void> {
  const zlib: typeof import("node:zlib") & { createZstdDecompress?: typeof import("node:zlib").createGunzip } = await import("node:zlib");
  // Node has zstd since 22.15.
  if (packing === "zstd" && !zlib.createZstdDecompress) {
    yield* unpackZstd(pieces);
    return;
  }
  const { pipeline, Readable } = await import("node:stream");
  const create = { gzip: zlib.createGunzip, zip: zlib.createInflateRaw, zstd: zlib.createZstdDecompress! }[packing];
  const unpacker = create({ chunkSize: pieceSize });
  try {
    // What goes wrong at the source comes out at the other end.
    pipeline(Readable.from(pieces, { objectMode: false, highWaterMark: pieceSize }), unpacker, () => undefined);
    yield* unpacker as AsyncIterable<Uint8Array>;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!/^(Z|ZSTD|ERR_ZSTD)_/.test(code)) throw error;
    throw new Refusal(code === "Z_BUF_ERROR" ? `its ${packing} data is cut off` : `its ${packing} data is damaged`, { cause: error });
  } finally {
    unpacker.destroy();
  }
}
