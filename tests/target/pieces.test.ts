import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { takePieces } from "../../packages/machine/src/target/pieces.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-pieces-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

// Larger than several pieces, and no two of them alike.
const whole = Uint8Array.from({ length: 5_000_000 }, (_, index) => (index * 31 + (index >> 16)) & 0xff);

for (const [name, content] of [
  ["plain", whole],
  ["packed", gzipSync(whole)],
] as const)
  test(`what is kept of the pieces of a ${name} file by \`slice\` is a copy`, async () => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, content);
    const kept: Uint8Array[] = [];
    await takePieces(file, { push: (piece) => kept.push(piece.slice()) });
    expect(kept.length).toBeGreaterThan(1);
    expect(Buffer.concat(kept).equals(whole)).toBe(true);
  });
