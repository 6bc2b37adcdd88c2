// The numbers that small version functions store or return, read out of their machine code; nothing is run.
// Code is followed as it would run, both ways at every branch; of what it does only stores and results that are plain numbers count.
import type { Reading } from "./image.ts";
import { findSymbol } from "./symbols.ts";
import { fileOffset, type ElfView } from "./view.ts";

/** The numbers of one function, in the order of its instructions. */
export interface CodeNumbers {
  /** Stored through a pointer, not on the stack. */
  stores: number[];
  /** Put where a result is returned. */
  results: number[];
  /** What a variable holds. */
  values: number[];
}

/** Which of a function's numbers are the answer; undefined goes on with the functions that it calls. */
export type Choose = (numbers: CodeNumbers) => number[] | undefined;

const deepestCall = 2;
const mostFunctions = 48;
const mostInstructions = 1500;
const window = 512;
const longestInstruction = 15;

const all: Choose = ({ stores, results, values }) => [values, stores, results].find((numbers) => 0 < numbers.length);

/** Empty when the function has another shape, undefined when it is not there. A variable of that name gives its value. */
export function* readConstants(view: ElfView, name: string, choose: Choose = all): Reading<number[] | undefined> {
  const symbol = yield* findSymbol(view, name);
  if (!symbol) return undefined;
  if (symbol.isData) {
    const value = symbol.size === 4 || symbol.size === 8 ? yield* numberAt(view, symbol.value) : undefined;
    return (value === undefined ? undefined : choose({ stores: [], results: [], values: [value] })) ?? [];
  }
  const trace = view.fact.machine === 62 ? traceX86 : view.fact.machine === 183 ? traceAarch64 : undefined;
  if (!trace) return [];
  const seen = new Set([symbol.value]);
  let level = [symbol.value];
  for (let depth = 0; depth <= deepestCall; depth += 1) {
    const next: number[] = [];
    for (const address of level) {
      const { numbers, calls } = yield* trace(view, address);
      const chosen = choose(numbers);
      if (chosen) return chosen;
      for (const call of calls) {
        if (mostFunctions <= seen.size || seen.has(call)) continue;
        seen.add(call);
        next.push(call);
      }
    }
    level = next;
  }
  return [];
}

function* numberAt(view: ElfView, address: number): Reading<number | undefined> {
  const offset = fileOffset(view, address);
  if (offset === undefined) return undefined;
  yield* view.image.load([{ offset, length: 4 }]);
  return view.image.u32(offset);
}

interface Trace {
  numbers: CodeNumbers;
  calls: number[];
}

type Numbers = Map<number, number>;

const inOrder = (numbers: Numbers) => [...numbers].sort(([a], [b]) => a - b).map(([, value]) => value);

/** A piece of code that was read, from an address on; instructions are taken from it one after the other. */
interface Code {
  address: number;
  bytes: Uint8Array;
}

const noCode: Code = { address: 0, bytes: new Uint8Array(0) };

const reaches = ({ address, bytes }: Code, wanted: number, least: number) => address <= wanted && wanted + least <= address + bytes.length;

/** The code at an address, as far as its segment and the file go; empty when no byte of it is in the file. */
function* codeAt({ image, segments }: ElfView, address: number): Reading<Code> {
  const segment = segments.find((one) => one.type === 1 && one.address <= address && address < one.address + one.fileSize);
  if (!segment) return noCode;
  const offset = segment.offset + (address - segment.address);
  const length = Math.min(window, segment.address + segment.fileSize - address, image.size - offset);
  yield* image.load([{ offset, length }]);
  return { address, bytes: image.bytes(offset, length) ?? noCode.bytes };
}

function* traceX86(view: ElfView, entry: number): Reading<Trace> {
  const stores: Numbers = new Map();
  const results: Numbers = new Map();
  const calls: number[] = [];
  const todo = [entry];
  const done = new Set<number>();
  // Whether `mov rbp, rsp` was seen; else rbp is a register like the others.
  let framed = false;
  let read = noCode;
  while (0 < todo.length && done.size < mostInstructions) {
    let address = todo.pop()!;
    const registers = new Map<number, number>();
    for (; !done.has(address) && done.size < mostInstructions;) {
      done.add(address);
      if (!reaches(read, address, longestInstruction)) read = yield* codeAt(view, address);
      const code = read.bytes.subarray(address - read.address, address - read.address + longestInstruction);
      // Zeros can be read as instructions, but no compiler writes them: here is no code.
      if (code[0] === 0 && code[1] === 0 && code[2] === 0 && code[3] === 0) break;
      const instruction = decodeX86(code);
      if (!instruction) break;
      const { kind, length, value, register = 0 } = instruction;
      const onStack = framed && instruction.throughFrame;
      if (kind === "store" && !onStack) stores.set(address, value);
      if (kind === "move" && !onStack && registers.has(register)) stores.set(address, registers.get(register)!);
      if (kind === "number") registers.set(register, value);
      if (kind === "number" && register === 0 && value !== 0) results.set(address, value);
      // What other instructions change is not worked out: after one of them nothing is known.
      if (kind === "other" || kind === "call") registers.clear();
      framed ||= code[0] === 0x48 && code[1] === 0x89 && code[2] === 0xe5;
      if (kind === "call") calls.push(address + length + value);
      if (kind === "branch") todo.push(address + length + value);
      if (kind === "end") break;
      if (kind === "jump") {
        const target = address + length + value;
        // A jump out of the function is a call that does not come back.
        if (Math.abs(target - entry) < 4096) address = target;
        else {
          calls.push(target);
          break;
        }
      } else address += length;
    }
  }
  return { numbers: { stores: inOrder(stores), results: inOrder(results), values: [] }, calls };
}

interface Instruction {
  kind: "other" | "store" | "number" | "move" | "call" | "jump" | "branch" | "end";
  length: number;
  /** The number that is stored or put into a register, or how far to jump. */
  value: number;
  /** Where a number goes to, or what a move stores. */
  register?: number;
  /** A store relative to rbp: on the stack, if that is the frame pointer. */
  throughFrame?: boolean;
}

/** One x86-64 instruction: its length, and what it does where that matters. Intel SDM volume 2, appendix A. */
export function decodeX86(code: Uint8Array): Instruction | undefined {
  let at = 0;
  let narrow = false;
  for (; at < 4; at += 1) {
    const byte = code[at]!;
    if (byte === 0x66) narrow = true;
    else if (byte !== 0xf0 && byte !== 0xf2 && byte !== 0xf3 && byte !== 0x2e && byte !== 0x3e && byte !== 0x64 && byte !== 0x65) break;
  }
  let rex = 0;
  if (code[at]! >> 4 === 4) rex = code[at++]!;
  const opcode = code[at++];
  if (opcode === undefined) return undefined;
  const number = (from: number) => code[from]! | (code[from + 1]! << 8) | (code[from + 2]! << 16) | (code[from + 3]! << 24);
  const ends = (kind: Instruction["kind"], length: number, value = 0): Instruction | undefined =>
    length <= code.length ? { kind, length, value } : undefined;
  const withOperand = (from: number, immediate: number) => {
    const size = operandLength(code, from);
    return size === undefined ? undefined : ends("other", from + size + immediate);
  };
  const wide = narrow ? 2 : 4;

  if (opcode === 0x0f) {
    const second = code[at++];
    if (second === undefined) return undefined;
    if (second >> 4 === 8) return ends("branch", at + 4, number(at));
    if (second === 0x0b) return ends("end", at);
    if (second === 0x38) return withOperand(at + 1, 0);
    if (second === 0x3a) return withOperand(at + 1, 1);
    if (twoByteAlone.has(second)) return ends("other", at);
    return withOperand(at, twoByteImmediate.has(second) ? 1 : 0);
  }
  if (opcode === 0xc4 || opcode === 0xc5 || opcode === 0x62) {
    const map = opcode === 0xc5 ? 1 : code[at]! & (opcode === 0xc4 ? 31 : 7);
    at += opcode === 0xc5 ? 1 : opcode === 0xc4 ? 2 : 3;
    const second = code[at++];
    if (second === undefined || map < 1 || 6 < map) return undefined;
    if (map === 1 && second === 0x77) return ends("other", at);
    return withOperand(at, map === 3 || (map === 1 && twoByteImmediate.has(second)) ? 1 : 0);
  }
  // `xor eax, eax` and its like.
  const isSame = code[at]! >> 6 === 3 && ((code[at]! >> 3) & 7) === (code[at]! & 7) && (rex & 4) >> 2 === (rex & 1);
  if ((opcode === 0x31 || opcode === 0x33) && isSame)
    return { kind: "number", length: at + 1, value: 0, register: (code[at]! & 7) + (rex & 1 ? 8 : 0) };
  if (opcode < 0x40) {
    const low = opcode & 7;
    return low < 4 ? withOperand(at, 0) : low === 4 ? ends("other", at + 1) : low === 5 ? ends("other", at + wide) : undefined;
  }
  if (opcode >> 4 === 7) return ends("branch", at + 1, (code[at]! << 24) >> 24);
  if (opcode >> 3 === 0xb8 >> 3) {
    if (rex & 8) return ends("other", at + 8);
    if (narrow || code.length < at + 4) return ends("other", at + wide);
    return { kind: "number", length: at + 4, value: number(at), register: (opcode & 7) + (rex & 1 ? 8 : 0) };
  }
  switch (opcode) {
    case 0xc2:
      return ends("end", at + 2);
    case 0xc3:
    case 0xcc:
    case 0xf4:
      return ends("end", at);
    case 0xe8:
      return ends("call", at + 4, number(at));
    case 0xe9:
      return ends("jump", at + 4, number(at));
    case 0xeb:
      return ends("jump", at + 1, (code[at]! << 24) >> 24);
    case 0xff: {
      // An indirect jump: where to is not written here.
      const size = operandLength(code, at);
      return size === undefined ? undefined : ends(((code[at]! >> 3) & 7) >> 1 === 2 ? "end" : "other", at + size);
    }
    case 0xc7:
    case 0x89: {
      const size = operandLength(code, at);
      if (size === undefined) return undefined;
      const length = at + size + (opcode === 0xc7 ? wide : 0);
      if (code.length < length) return undefined;
      const mode = code[at]! >> 6;
      const isExtended = (rex & 1) !== 0;
      const base = (code[at]! & 7) === 4 && mode !== 3 ? code[at + 1]! & 7 : code[at]! & 7;
      const isGlobal = mode === 0 && base === 5;
      const isStack = base === 4 && !isExtended;
      const throughFrame = base === 5 && !isExtended;
      if (opcode === 0x89) {
        const register = ((code[at]! >> 3) & 7) + (rex & 4 ? 8 : 0);
        return mode === 3 || isGlobal || isStack || narrow
          ? ends("other", length)
          : { kind: "move", length, value: 0, register, throughFrame };
      }
      const value = number(at + size);
      if (mode === 3 && !narrow) return { kind: "number", length, value, register: base + (isExtended ? 8 : 0) };
      return narrow || isGlobal || isStack ? ends("other", length) : { kind: "store", length, value, throughFrame };
    }
    case 0xf6:
    case 0xf7:
      return withOperand(at, ((code[at]! >> 3) & 7) < 2 ? (opcode === 0xf6 ? 1 : wide) : 0);
  }
  const shape = oneByteShapes[opcode];
  if (shape === undefined) return undefined;
  const immediate = shape & 4 ? wide : shape & 3;
  return shape & 8 ? withOperand(at, immediate) : ends("other", at + immediate);
}

const twoByteAlone = new Set([
  0x05, 0x06, 0x08, 0x09, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x37, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa, 0xc8, 0xc9, 0xca, 0xcb, 0xcc,
  0xcd, 0xce, 0xcf,
]);
const twoByteImmediate = new Set([0x70, 0x71, 0x72, 0x73, 0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6]);

// By opcode: 8 has an operand byte; 4 a number of the operand's size, 1 a number of one byte.
const ranges: [from: number, to: number, shape: number][] = [
  [0x50, 0x5f, 0], // push, pop
  [0x63, 0x63, 8],
  [0x68, 0x68, 4],
  [0x69, 0x69, 8 + 4],
  [0x6a, 0x6a, 1],
  [0x6b, 0x6b, 8 + 1],
  [0x80, 0x80, 8 + 1],
  [0x81, 0x81, 8 + 4],
  [0x83, 0x83, 8 + 1],
  [0x84, 0x8f, 8],
  [0x90, 0x99, 0],
  [0x9b, 0x9f, 0],
  [0xa4, 0xa7, 0],
  [0xa8, 0xa8, 1],
  [0xa9, 0xa9, 4],
  [0xaa, 0xaf, 0],
  [0xb0, 0xb7, 1],
  [0xc0, 0xc1, 8 + 1],
  [0xc6, 0xc6, 8 + 1],
  [0xc9, 0xc9, 0],
  [0xcd, 0xcd, 1],
  [0xd0, 0xd3, 8],
  [0xd8, 0xdf, 8],
  [0xf5, 0xf5, 0],
  [0xf8, 0xfd, 0],
  [0xfe, 0xfe, 8],
];
const oneByteShapes: { [opcode: number]: number } = Object.fromEntries(
  ranges.flatMap(([from, to, shape]) => Array.from({ length: to - from + 1 }, (_, index) => [from + index, shape])),
);

/** ModRM, SIB and displacement. */
function operandLength(code: Uint8Array, at: number): number | undefined {
  const byte = code[at];
  if (byte === undefined) return undefined;
  const mode = byte >> 6;
  const base = byte & 7;
  if (mode === 3) return 1;
  const index = base === 4 ? 1 : 0;
  const far = mode === 2 || (mode === 0 && (index ? code[at + 1]! & 7 : base) === 5);
  return 1 + index + (far ? 4 : mode === 1 ? 1 : 0);
}

// `movz`/`movk` build a number in a register; `str w, [x]` stores it, `ret` returns w0. Arm ARM, C4.1.
function* traceAarch64(view: ElfView, entry: number): Reading<Trace> {
  const stores: Numbers = new Map();
  const results: Numbers = new Map();
  const calls: number[] = [];
  const todo: { from: number; registers: Map<number, number> }[] = [{ from: entry, registers: new Map() }];
  const done = new Set<number>();
  let read = noCode;
  while (0 < todo.length && done.size < mostInstructions) {
    const { from, registers } = todo.pop()!;
    let address = from;
    for (; !done.has(address) && done.size < mostInstructions;) {
      done.add(address);
      if (!reaches(read, address, 4)) read = yield* codeAt(view, address);
      const code = read.bytes.subarray(address - read.address, address - read.address + 4);
      if (code.length < 4) break;
      const word = (code[0]! | (code[1]! << 8) | (code[2]! << 16) | (code[3]! << 24)) >>> 0;
      const register = word & 31;
      const wide = word & 0x7f800000;
      const far = (bits: number, shift: number) => (((word >>> shift) << (32 - bits)) >> (32 - bits)) * 4;
      const next = address + 4;
      if (word === 0xd65f03c0) {
        const result = registers.get(0);
        if (result !== undefined) results.set(address, result);
        break;
      }
      if ((word & 0xfe1ffc1f) >>> 0 === 0xd61f0000 && (word & 0x00200000) === 0) break; // br: where to is not written here
      if (word >>> 26 === 0x25) {
        calls.push(address + far(26, 0));
        for (let number = 0; number <= 18; number += 1) registers.delete(number);
      } else if (word >>> 26 === 5) {
        const target = address + far(26, 0);
        // A jump out of the function is a call that does not come back.
        if (4096 <= Math.abs(target - entry)) {
          calls.push(target);
          break;
        }
        address = target;
        continue;
      } else if ((word & 0xff000010) >>> 0 === 0x54000000 || (word & 0x7e000000) === 0x34000000) {
        todo.push({ from: address + far(19, 5), registers: new Map(registers) });
      } else if ((word & 0x7e000000) === 0x36000000) {
        todo.push({ from: address + far(14, 5), registers: new Map(registers) });
      } else if (wide === 0x52800000 || wide === 0x72800000) {
        const shift = ((word >>> 21) & 3) * 16;
        const value = (word >>> 5) & 0xffff;
        if (31 < shift) registers.delete(register);
        else if (wide === 0x52800000) registers.set(register, (value << shift) >>> 0);
        else if (registers.has(register))
          registers.set(register, ((registers.get(register)! & ~(0xffff << shift)) | (value << shift)) >>> 0);
      } else if ((word & 0xffc00000) >>> 0 === 0xb9000000 || (word & 0xffe00c00) >>> 0 === 0xb8000000) {
        const base = (word >>> 5) & 31;
        const value = register === 31 ? 0 : registers.get(register);
        if (value !== undefined && base !== 31 && base !== 29) stores.set(address, value);
      } else if ((word & 0xffe0ffe0) >>> 0 === 0x2a0003e0) {
        const source = (word >>> 16) & 31;
        const value = source === 31 ? 0 : registers.get(source);
        if (value === undefined) registers.delete(register);
        else registers.set(register, value);
      } else if (!isOtherStore(word)) registers.delete(register);
      address = next;
    }
  }
  return { numbers: { stores: inOrder(stores), results: inOrder(results), values: [] }, calls };
}

// Stores name a source where other instructions name what they change.
const isOtherStore = (word: number) => (word & 0x0a000000) === 0x08000000 && (word & 0x00400000) === 0;
