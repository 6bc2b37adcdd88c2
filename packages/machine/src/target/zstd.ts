// zstd for Node before 22.15, as WebAssembly (zstddec). Its own stream wants everything at hand at once; an archive that is itself being
// unpacked comes piece by piece, so the decoder is driven here: https://facebook.github.io/zstd/zstd_manual.html, streaming decompression.
import { Refusal, type Pieces } from "./tar.ts";

/** What the decoder offers; pointers and sizes are numbers of bytes in its memory. */
interface Decoder {
  memory: { buffer: ArrayBuffer };
  malloc(length: number): number;
  free(place: number): void;
  ZSTD_createDCtx(): number;
  ZSTD_freeDCtx(context: number): void;
  /** 0 at the end of a frame, more before, below 0 for an error. */
  ZSTD_decompressStream(context: number, output: number, input: number): number;
}

let starting: Promise<Decoder> | undefined;

function start(): Promise<Decoder> {
  starting ??= import("zstddec/stream").then(
    ({ ZSTDDecoder }) =>
      new Promise((resolve, reject) => {
        const decoder = new ZSTDDecoder();
        const begin = decoder._init.bind(decoder);
        decoder._init = (started) => {
          begin(started);
          resolve(started.instance.exports as unknown as Decoder);
        };
        decoder.init().catch(reject);
      }),
  );
  return starting;
}

const pieceSize = 1 << 17;

export async function* unpackZstd(pieces: Pieces): AsyncGenerator<Uint8Array, void> {
  const decoder = await start();
  const context = decoder.ZSTD_createDCtx();
  const [input, output, places] = [decoder.malloc(pieceSize), decoder.malloc(pieceSize), decoder.malloc(24)];
  // Two of { where, how long, how far }.
  const [from, to] = [places, places + 12];
  let left = 0;
  try {
    for await (const piece of pieces)
      for (let at = 0; at < piece.length; at += pieceSize) {
        const part = piece.subarray(at, at + pieceSize);
        new Uint8Array(decoder.memory.buffer).set(part, input);
        // Its memory may grow with each call, and is then another.
        new Uint32Array(decoder.memory.buffer, from, 3).set([input, part.length, 0]);
        for (let got = pieceSize, used = 0; used < part.length || got === pieceSize;) {
          new Uint32Array(decoder.memory.buffer, to, 3).set([output, pieceSize, 0]);
          left = decoder.ZSTD_decompressStream(context, to, from);
          if (left < 0) throw new Refusal("its zstd data is damaged");
          used = new Uint32Array(decoder.memory.buffer, from, 3)[2]!;
          got = new Uint32Array(decoder.memory.buffer, to, 3)[2]!;
          if (0 < got) yield new Uint8Array(decoder.memory.buffer, output, got).slice();
        }
      }
    if (left !== 0) throw new Refusal("its zstd data is cut off");
  } finally {
    decoder.ZSTD_freeDCtx(context);
    for (const place of [input, output, places]) decoder.free(place);
  }
}
