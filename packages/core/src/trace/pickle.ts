// Python's pickles, as far as plain data goes: numbers, texts, lists, dictionaries. A pickle is a program: what would import or call
// something is refused, never done. Opcodes: CPython's Lib/pickletools.py.
import { decode } from "../lib/text.ts";

export type Pickled = null | boolean | number | bigint | string | Uint8Array | Pickled[] | Map<Pickled, Pickled>;

/** Why a pickle could not be read. */
export class PickleError extends Error {}

const mark = Symbol("mark");
type Item = Pickled | typeof mark;

/** The value that a pickle stands for. */
export function readPickle(bytes: Uint8Array): Pickled {
  const machine: Machine = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at: 0, stack: [], memo: [] };
  while (machine.at < bytes.length) {
    const code = bytes[machine.at]!;
    machine.at += 1;
    if (code === 0x2e /* STOP */) return pop(machine);
    if (!number(machine, code) && !text(machine, code) && !container(machine, code) && !bookkeeping(machine, code))
      throw new PickleError(
        unsafe.has(code)
          ? "it would run code when Python opens it, so culprit does not read it"
          : `it has an instruction that plain data does not need (0x${code.toString(16)})`,
      );
  }
  throw new PickleError("it is cut off");
}

// GLOBAL, STACK_GLOBAL, INST, OBJ, NEWOBJ, NEWOBJ_EX, REDUCE, BUILD, PERSID, BINPERSID, EXT1, EXT2, EXT4.
const unsafe = new Set([0x63, 0x93, 0x69, 0x6f, 0x81, 0x92, 0x52, 0x62, 0x50, 0x51, 0x82, 0x83, 0x84]);

interface Machine {
  bytes: Uint8Array;
  view: DataView;
  at: number;
  stack: Item[];
  memo: Pickled[];
}

function take(machine: Machine, length: number): number {
  const from = machine.at;
  if (!(0 <= length && from + length <= machine.bytes.length)) throw new PickleError("it is cut off");
  machine.at += length;
  return from;
}

function pop({ stack }: Machine): Pickled {
  const top = stack.pop();
  if (top === undefined || top === mark) throw new PickleError("its instructions do not fit together");
  return top;
}

/** Everything above the last mark. */
function popMarked({ stack }: Machine): Pickled[] {
  const from = stack.lastIndexOf(mark);
  if (from < 0) throw new PickleError("its instructions do not fit together");
  const items = stack.splice(from + 1) as Pickled[];
  stack.pop();
  return items;
}

function number(machine: Machine, code: number): boolean {
  const { view, stack, bytes } = machine;
  switch (code) {
    case 0x4b: // BININT1
      stack.push(bytes[take(machine, 1)]!);
      return true;
    case 0x4d: // BININT2
      stack.push(view.getUint16(take(machine, 2), true));
      return true;
    case 0x4a: // BININT
      stack.push(view.getInt32(take(machine, 4), true));
      return true;
    case 0x47: // BINFLOAT
      stack.push(view.getFloat64(take(machine, 8)));
      return true;
    case 0x8a: // LONG1
      stack.push(long(machine, bytes[take(machine, 1)]!));
      return true;
    case 0x4e: // NONE
      stack.push(null);
      return true;
    case 0x88: // NEWTRUE
    case 0x89: // NEWFALSE
      stack.push(code === 0x88);
      return true;
    default:
      return false;
  }
}

/** A number of any length, smallest byte first, in two's complement. */
function long(machine: Machine, length: number): number | bigint {
  const from = take(machine, length);
  let value = 0n;
  for (let index = length - 1; 0 <= index; index -= 1) value = (value << 8n) | BigInt(machine.bytes[from + index]!);
  if (0 < length && 0x7f < machine.bytes[from + length - 1]!) value -= 1n << BigInt(8 * length);
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : value;
}

function text(machine: Machine, code: number): boolean {
  const { view, stack, bytes } = machine;
  let length: number;
  if (code === 0x8c || code === 0x43) length = bytes[take(machine, 1)]!;
  else if (code === 0x58 || code === 0x42) length = view.getUint32(take(machine, 4), true);
  else return false;
  const from = take(machine, length);
  // SHORT_BINUNICODE and BINUNICODE; SHORT_BINBYTES and BINBYTES.
  stack.push(code === 0x8c || code === 0x58 ? decode(bytes, from, from + length) : bytes.slice(from, from + length));
  return true;
}

function container(machine: Machine, code: number): boolean {
  const { stack } = machine;
  switch (code) {
    case 0x5d: // EMPTY_LIST
    case 0x29: // EMPTY_TUPLE
    case 0x8f: // EMPTY_SET
      stack.push([]);
      return true;
    case 0x7d: // EMPTY_DICT
      stack.push(new Map());
      return true;
    case 0x85: // TUPLE1
    case 0x86: // TUPLE2
    case 0x87: {
      const parts = Array.from({ length: code - 0x84 }, () => pop(machine));
      stack.push(parts.reverse());
      return true;
    }
    case 0x74: // TUPLE
      stack.push(popMarked(machine));
      return true;
    case 0x61: // APPEND
      listed(machine, [pop(machine)]);
      return true;
    case 0x65: // APPENDS
    case 0x90: // ADDITEMS
      listed(machine, popMarked(machine));
      return true;
    case 0x73: {
      const value = pop(machine);
      entered(machine, [pop(machine), value]);
      return true;
    }
    case 0x75: // SETITEMS
      entered(machine, popMarked(machine));
      return true;
    default:
      return false;
  }
}

function listed({ stack }: Machine, items: Pickled[]): void {
  const list = stack.at(-1);
  if (!Array.isArray(list)) throw new PickleError("its instructions do not fit together");
  for (const item of items) list.push(item);
}

function entered({ stack }: Machine, items: Pickled[]): void {
  const map = stack.at(-1);
  if (!(map instanceof Map)) throw new PickleError("its instructions do not fit together");
  for (let at = 0; at + 1 < items.length; at += 2) map.set(items[at]!, items[at + 1]!);
}

function bookkeeping(machine: Machine, code: number): boolean {
  const { view, stack, bytes, memo } = machine;
  const remember = (place: number) => {
    const top = stack.at(-1);
    // More names than bytes is a file that lies.
    if (top === undefined || top === mark || bytes.length < place) throw new PickleError("its instructions do not fit together");
    memo[place] = top;
  };
  const recall = (place: number) => {
    const known = memo[place];
    if (known === undefined) throw new PickleError("its instructions do not fit together");
    stack.push(known);
  };
  switch (code) {
    case 0x80: // PROTO
      take(machine, 1);
      return true;
    case 0x95: // FRAME
      take(machine, 8);
      return true;
    case 0x28: // MARK
      stack.push(mark);
      return true;
    case 0x94: // MEMOIZE
      remember(memo.length);
      return true;
    case 0x71: // BINPUT
      remember(bytes[take(machine, 1)]!);
      return true;
    case 0x72: // LONG_BINPUT
      remember(view.getUint32(take(machine, 4), true));
      return true;
    case 0x68: // BINGET
      recall(bytes[take(machine, 1)]!);
      return true;
    case 0x6a: // LONG_BINGET
      recall(view.getUint32(take(machine, 4), true));
      return true;
    case 0x30: // POP
      stack.pop();
      return true;
    default:
      return false;
  }
}
