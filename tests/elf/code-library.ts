/** Code that a symbol names, or a variable's bytes. */
export interface CodeSymbol {
  name: string;
  /** Hexadecimal, spaces do not count. `{0}` is how far it is to the start of part 0, as a call or jump gives it. */
  code?: string;
  data?: number;
}

/** Further code that no symbol names: what calls go to. */
export type Part = string;

/** A library of one page: symbols with code, found through DT_HASH; nothing that a loader would need beyond that. */
export function codeLibrary(plan: { machine: 62 | 183; soname: string; symbols: CodeSymbol[]; parts?: Part[] }): Uint8Array {
  const bytes = new Uint8Array(8192);
  const view = new DataView(bytes.buffer);
  const u64 = (at: number, value: number) => view.setBigUint64(at, BigInt(value), true);
  const [symbolTable, strings, hash, dynamic, data, codeStart] = [0x200, 0x400, 0x600, 0x700, 0x900, 0x1000];
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, 3, true);
  view.setUint16(18, plan.machine, true);
  view.setUint32(20, 1, true);
  u64(32, 64);
  view.setUint16(52, 64, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 2, true);
  for (const [index, [type, offset, size]] of [
    [1, 0, bytes.length],
    [2, dynamic, 0x100],
  ].entries()) {
    const at = 64 + index * 56;
    view.setUint32(at, type!, true);
    for (const field of [8, 16, 24]) u64(at + field, offset!);
    u64(at + 32, size!);
    u64(at + 40, size!);
    u64(at + 48, 4096);
  }

  let end = strings + 1;
  const text = (value: string) => {
    const at = end - strings;
    bytes.set(new TextEncoder().encode(value), end);
    end += value.length + 1;
    return at;
  };
  // Far apart, so that a jump from one to another is one out of the function.
  const place = (index: number) => codeStart + index * 0x100;
  const partStart = plan.symbols.length;
  const write = (code: string, start: number) => {
    let at = start;
    for (const [, part, byte] of code.matchAll(/\{(\d+)\}|([0-9a-f]{2})/g)) {
      if (part === undefined) bytes[at++] = Number.parseInt(byte!, 16);
      else if (plan.machine === 62) {
        view.setInt32(at, place(partStart + Number(part)) - (at + 4), true);
        at += 4;
      } else {
        // `bl {0}` is written as {0}94, `b {0}` as {0}14: the distance in words fills the lower 26 bits.
        const distance = ((place(partStart + Number(part)) - at) / 4) & 0x3ffffff;
        for (const shift of [0, 8, 16]) bytes[at++] = (distance >> shift) & 255;
        const opcode = Number.parseInt(code.slice(code.indexOf(`{${part}}`) + part.length + 2).slice(0, 2), 16);
        bytes[at] = opcode | (distance >> 24);
      }
    }
  };
  plan.symbols.forEach(({ name, code, data: value }, index) => {
    const at = symbolTable + (index + 1) * 24;
    const where = value === undefined ? place(index) : data + index * 8;
    view.setUint32(at, text(name), true);
    bytes[at + 4] = value === undefined ? 0x12 : 0x11;
    view.setUint16(at + 6, 1, true);
    u64(at + 8, where);
    u64(at + 16, value === undefined ? 64 : 4);
    if (value !== undefined) view.setUint32(where, value, true);
    if (code !== undefined) write(code, where);
  });
  for (const [index, part] of (plan.parts ?? []).entries()) write(part, place(partStart + index));

  // One bucket, whose chain goes through all symbols.
  const count = plan.symbols.length + 1;
  [1, count, 1, ...Array.from({ length: count }, (_, index) => (index === 0 || index === count - 1 ? 0 : index + 1))].forEach(
    (word, index) => view.setUint32(hash + index * 4, word, true),
  );
  [14, text(plan.soname), 4, hash, 5, strings, 6, symbolTable].forEach((word, index) => u64(dynamic + index * 8, word));
  return bytes;
}
