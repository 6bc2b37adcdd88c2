import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** Numbers that follow from a seed alone (mulberry32). */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed | 0;
  }
  /** At least 0 and below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * end);
  }
  chance(one: number): boolean {
    return this.below(one) === 0;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const interesting = [
  0, 1, 2, 4, 7, 8, 16, 63, 64, 127, 128, 255, 256, 4095, 4096, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
];

/** A changed copy: fields overwritten with numbers that break things, bits flipped, blocks moved, ends cut off or added. */
export function mutate(corpus: readonly Uint8Array[], dice: Dice): Uint8Array {
  const source = dice.pick(corpus);
  let bytes = new Uint8Array(source);
  for (let rounds = 1 + dice.below(6); 0 < rounds && 0 < bytes.length; rounds -= 1) {
    const view = new DataView(bytes.buffer);
    // Headers and tables decide more than what lies behind them.
    const at = dice.chance(3) ? dice.below(bytes.length) : dice.below(Math.min(bytes.length, 512));
    const little = !dice.chance(4);
    switch (dice.below(9)) {
      case 0:
        bytes[at]! ^= 1 << dice.below(8);
        break;
      case 1:
        bytes[at] = dice.below(256);
        break;
      case 2:
      case 3: {
        const aligned = at & ~3;
        const number = dice.chance(4) ? bytes.length + dice.below(32) - 16 : dice.pick(interesting);
        if (aligned + 4 <= bytes.length) view.setUint32(aligned, number >>> 0, little);
        break;
      }
      case 4: {
        const aligned = at & ~7;
        if (aligned + 8 <= bytes.length)
          view.setBigUint64(
            aligned,
            dice.chance(3) ? (1n << BigInt(dice.below(64))) - BigInt(dice.below(2)) : BigInt(dice.pick(interesting)),
            little,
          );
        break;
      }
      case 5: {
        const aligned = at & ~1;
        if (aligned + 2 <= bytes.length) view.setUint16(aligned, dice.pick(interesting) & 0xffff, little);
        break;
      }
      case 6:
        if (dice.chance(2)) bytes = bytes.slice(0, dice.below(bytes.length));
        else {
          const longer = new Uint8Array(bytes.length + dice.below(4096));
          longer.set(bytes);
          bytes = longer;
        }
        break;
      case 7: {
        const length = Math.min(dice.below(256), bytes.length - at);
        bytes.copyWithin(dice.below(bytes.length), at, at + length);
        break;
      }
      default: {
        const other = dice.pick(corpus);
        const from = dice.below(other.length);
        const piece = other.subarray(from, from + dice.below(256));
        bytes.set(piece.subarray(0, bytes.length - at), at);
      }
    }
  }
  return bytes;
}

/**
 * Tries `count` inputs. A failure names the seed: `FUZZ_SEED=N npx vitest run tests/fuzz` tries that one alone;
 * `FUZZ_TIMES=10` tries ten times as many. A hang cannot be caught from inside, so another thread ends the process.
 */
export async function fuzz(name: string, count: number, attempt: (dice: Dice) => void | Promise<void>, slowest = 2000): Promise<void> {
  const only = process.env["FUZZ_SEED"];
  const first = only === undefined ? 1 : Number(only);
  const end = only === undefined ? first + count * Number(process.env["FUZZ_TIMES"] ?? 1) : first + 1;
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const guard = new Worker(
    `const { workerData: { shared, name } } = require("node:worker_threads");
     let last = -1;
     setInterval(() => {
       if (shared[0] === last) { require("node:fs").writeSync(2, "fuzz: " + name + " hangs with FUZZ_SEED=" + last + "\\n"); process.kill(process.pid, "SIGKILL"); }
       last = shared[0];
     }, 20000);`,
    { eval: true, workerData: { shared, name } },
  );
  try {
    let peak = 0;
    for (let seed = first; seed < end; seed += 1) {
      shared[0] = seed;
      const start = performance.now();
      try {
        const pending = attempt(new Dice(seed));
        if (pending) await pending;
      } catch (error) {
        throw new Error(`${name}, FUZZ_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
      if (slowest < performance.now() - start)
        throw new Error(`${name}, FUZZ_SEED=${seed}: took ${Math.round(performance.now() - start)} ms`);
      if (seed % 512 === 0) {
        const { heapUsed, arrayBuffers } = process.memoryUsage();
        peak = Math.max(peak, heapUsed + arrayBuffers);
      }
    }
    if (768e6 < peak) throw new Error(`${name}: ${Math.round(peak / 1e6)} MB of memory were in use`);
    if (process.env["FUZZ_VERBOSE"]) writeSync(2, `${name}: ${end - first} inputs, at most ${Math.round(peak / 1e6)} MB\n`);
  } finally {
    await guard.terminate();
  }
}
