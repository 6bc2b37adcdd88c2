// The numbers that small version functions store or return, read out of their machine code; nothing is run.
import type { Reading } from "./image.ts";
import { findSymbol } from "./symbols.ts";
import { fileOffset, type ElfView } from "./view.ts";

const window = 400;
const deepestCall = 2;

/** Constants of one function in the order of its instructions; empty when it has another shape, undefined when it is not there. */
export function* readConstants(view: ElfView, functionName: string): Reading<number[] | undefined> {
  const symbol = yield* findSymbol(view, functionName);
  if (!symbol) return undefined;
  if (view.fact.machine === 62) return yield* constantsX86(view, symbol.value, 0);
  if (view.fact.machine === 183) return yield* constantsAarch64(view, symbol.value, 0);
  return [];
}

function* codeAt(view: ElfView, address: number): Reading<Uint8Array | undefined> {
  const offset = fileOffset(view, address);
  if (offset === undefined) return undefined;
  const length = Math.min(window, view.image.size - offset);
  yield* view.image.load([{ offset, length }]);
  return view.image.bytes(offset, length);
}

// `mov dword [reg], imm32` is C7 /0 with a plain register; `mov eax, imm32; ret` is B8 imm32 C3. Calls and tail jumps are followed.
function* constantsX86(view: ElfView, address: number, depth: number): Reading<number[]> {
  const code = yield* codeAt(view, address);
  if (!code) return [];
  const number = (at: number) => code[at]! | (code[at + 1]! << 8) | (code[at + 2]! << 16) | (code[at + 3]! << 24) | 0;
  const found: number[] = [];
  const calls: number[] = [];
  for (let at = 0; at + 6 <= code.length; at += 1) {
    const byte = code[at]!;
    const operand = code[at + 1]!;
    if (byte === 0xc7 && operand < 8 && operand !== 4 && operand !== 5) {
      found.push(number(at + 2));
      at += 5;
    } else if (byte === 0xb8 && code[at + 5] === 0xc3) {
      found.push(number(at + 1));
      break;
    } else if (byte === 0xe8 || byte === 0xe9) {
      calls.push(address + at + 5 + number(at + 1));
      if (byte === 0xe9) break;
      at += 4;
    } else if (byte === 0xc3 && 0 < found.length) break;
  }
  if (0 < found.length || deepestCall <= depth) return found;
  for (const target of calls) {
    const deeper = yield* constantsX86(view, target, depth + 1);
    if (0 < deeper.length) return deeper;
  }
  return [];
}

// `movz`/`movk` build a register; `str w, [x]` stores it, `ret` returns w0.
function* constantsAarch64(view: ElfView, address: number, depth: number): Reading<number[]> {
  const code = yield* codeAt(view, address);
  if (!code) return [];
  const registers = new Map<number, number>();
  const found: number[] = [];
  const calls: number[] = [];
  for (let at = 0; at + 4 <= code.length; at += 4) {
    const word = (code[at]! | (code[at + 1]! << 8) | (code[at + 2]! << 16) | (code[at + 3]! << 24)) >>> 0;
    const register = word & 31;
    const shift = ((word >>> 21) & 3) * 16;
    const value = (word >>> 5) & 0xffff;
    const wide = word & 0x7f800000;
    if (wide === 0x52800000) registers.set(register, (value << shift) >>> 0);
    else if (wide === 0x72800000) registers.set(register, (((registers.get(register) ?? 0) & ~(0xffff << shift)) | (value << shift)) >>> 0);
    else if ((word & 0xffc00000) >>> 0 === 0xb9000000 && registers.has(register) && ((word >>> 5) & 31) !== 31)
      found.push(registers.get(register)!);
    else if ((word & 0xfc000000) >>> 0 === 0x94000000 || (word & 0xfc000000) >>> 0 === 0x14000000) {
      calls.push(address + at + (((word & 0x3ffffff) << 6) >> 6) * 4);
      if (word >>> 26 === 5) break;
    } else if (word === 0xd65f03c0) {
      if (found.length === 0 && registers.get(0)) found.push(registers.get(0)!);
      break;
    }
  }
  if (0 < found.length || deepestCall <= depth) return found;
  for (const target of calls) {
    const deeper = yield* constantsAarch64(view, target, depth + 1);
    if (0 < deeper.length) return deeper;
  }
  return [];
}
