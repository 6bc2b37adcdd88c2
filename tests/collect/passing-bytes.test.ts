import { expect, test } from "vitest";
import { beginPassing, headSize, known, passPiece, passZeros, passingBytes } from "../../packages/core/src/collect/passing-bytes.ts";

const megabyte = 1 << 20;

test("a hole behind the first part of a file is zeros, whatever lay in its place before", () => {
  const file = passingBytes();
  beginPassing(file, 64 * megabyte);
  const piece = new Uint8Array(megabyte).fill(0xff);
  for (let at = 0; at < headSize + 2 * megabyte; at += megabyte) passPiece(file, piece, false);
  const hole = file.position;
  passZeros(file, megabyte);
  passPiece(file, piece, false);
  const byteAt = (at: number) => (known(file, at, 1) as Uint8Array)[0];
  expect([hole - 1, hole, hole + megabyte - 1, hole + megabyte].map(byteAt)).toEqual([0xff, 0, 0, 0xff]);
});
