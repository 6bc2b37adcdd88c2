// Unpacking as bytes go by. The browser's own refuses a gzip file of several members, which layers of images are.
import { Gunzip, Inflate } from "fflate";
import type { Inflatable } from "../../../machine/src/target/inflate.ts";
import { Refusal, type Pieces } from "../../../machine/src/target/tar.ts";
import { unpackZstd } from "../../../machine/src/target/zstd.ts";

export async function* inflated(pieces: Pieces, packing: Inflatable): AsyncGenerator<Uint8Array, void> {
  if (packing === "zstd") {
    yield* unpackZstd(pieces);
    return;
  }
  const ready: Uint8Array[] = [];
  const unpacker = new (packing === "zip" ? Inflate : Gunzip)((piece: Uint8Array) => {
    if (0 < piece.length) ready.push(piece);
  });
  const push = (piece: Uint8Array, isLast: boolean): Uint8Array[] => {
    try {
      unpacker.push(piece, isLast);
    } catch (error) {
      const isCut = error instanceof Error && /unexpected EOF/.test(error.message);
      throw new Refusal(isCut ? `its ${packing} data is cut off` : `its ${packing} data is damaged`, { cause: error });
    }
    return ready.splice(0);
  };
  // Whoever reads files writes over the last piece; the unpacker still holds it.
  for await (const piece of pieces) yield* push(piece.slice(), false);
  yield* push(new Uint8Array(0), true);
}
