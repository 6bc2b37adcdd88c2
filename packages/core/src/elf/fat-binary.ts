// GPU architectures in `.nv_fatbin`: containers of entries, each for one architecture. Undocumented by NVIDIA; the layout
// was read off libraries of CUDA 11.8 to 13.0 and agrees with `cuobjdump -all` of 13.4, entry by entry. Nothing is decompressed.
import type { Chain } from "../model/target.ts";
import type { Image, Reading } from "./image.ts";
import type { ElfView } from "./view.ts";

/** At the start of each container, the least byte first. */
export const containerMagic = 0xba55ed50;
const mostEntries = 200_000;

// From a container to its first entry, and from entry to entry; behind the last entry is the next container.
const kinds: Chain["kinds"] = [
  { begins: [0, 8, 16, 24].map((shift) => (containerMagic >>> shift) & 255), sum: [{ at: 6, size: 2 }] },
  {
    begins: [],
    sum: [
      { at: 4, size: 4 },
      { at: 8, size: 8 },
    ],
  },
];

/** For example `sm_90`, `sm_90a`, `compute_90`, in order of architecture; undefined when there is no device code. */
export function* readArchitectures(view: ElfView): Reading<string[] | undefined> {
  const { image } = view;
  // `__nv_relfatbin` is of code that was linked on its own (`nvcc -rdc`); cuobjdump hides its PTX without `-all`.
  const sections = (yield* readSections(view)).filter(({ name }) => name === ".nv_fatbin" || name === "__nv_relfatbin");
  if (sections.length === 0) return undefined;
  const found = new Map<string, number>();
  let budget = mostEntries;
  for (const { offset, size } of sections)
    budget = yield* readContainers(image, offset, Math.min(offset + size, image.size), found, budget);
  return [...found].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).map(([name]) => name);
}

/** Goes from container to container, and from entry to entry in each; forward only. Answers with what is left of the budget. */
export function* readContainers(image: Image, from: number, end: number, found: Map<string, number>, most = mostEntries): Reading<number> {
  let budget = most;
  const chain: Chain = { end, kinds };
  for (let at = from; at + 16 <= end && 0 < budget; budget -= 1) {
    const container = yield* image.peek(at, 16, chain);
    if (container.getUint32(0, true) !== containerMagic) {
      const next = yield* nextContainer(image, at + 8, end);
      if (next === undefined) break;
      at = next;
      continue;
    }
    const header = container.getUint16(6, true);
    const stop = Math.min(at + header + number64(container, 8), end);
    for (let entry = at + header; entry + 64 <= stop && 0 < budget; budget -= 1) {
      const fields = yield* image.peek(entry, 64, chain);
      const kind = fields.getUint16(0, true);
      const entryHeader = fields.getUint32(4, true);
      if (entryHeader < 64 || (kind !== 1 && kind !== 2)) break;
      const number = fields.getUint32(28, true);
      const flags = fields.getUint32(40, true);
      const suffix = flags & 0x100000 ? "a" : flags & 0x200000 ? "f" : "";
      found.set(`${kind === 1 ? "compute" : "sm"}_${number}${suffix}`, number);
      entry += entryHeader + number64(fields, 8);
    }
    at = Math.max(at + 16, Math.ceil(stop / 8) * 8);
  }
  return budget;
}

const number64 = (view: DataView, at: number) => view.getUint32(at + 4, true) * 0x1_0000_0000 + view.getUint32(at, true);

// Between containers there is padding of zeros, at most a few kilobytes: look for the next magic in steps of eight bytes, further each time.
function* nextContainer(image: Image, from: number, end: number): Reading<number | undefined> {
  let start = from;
  for (const reach of [1 << 8, 1 << 12, 1 << 16]) {
    const length = Math.min(from + reach, end) - start;
    if (length < 4) return undefined;
    const gap = yield* image.peek(start, length);
    for (let at = 0; at + 4 <= length; at += 8) if (gap.getUint32(at, true) === containerMagic) return start + at;
    start += length;
  }
  return undefined;
}

function* readSections(view: ElfView): Reading<{ name: string; offset: number; size: number }[]> {
  const { image, fact } = view;
  const wide = fact.class === 64;
  const table = wide ? image.u64(40) : image.u32(32);
  const entry = image.u16(wide ? 58 : 46);
  const count = image.u16(wide ? 60 : 48);
  const namesIndex = image.u16(wide ? 62 : 50);
  if (entry < (wide ? 64 : 40) || count === 0 || count <= namesIndex) return [];
  yield* image.load([{ offset: table, length: count * entry }]);
  const field = (index: number, at: number, at32: number) =>
    wide ? image.u64(table + index * entry + at) : image.u32(table + index * entry + at32);
  const names = { offset: field(namesIndex, 24, 16), size: field(namesIndex, 32, 20) };
  yield* image.load([{ offset: names.offset, length: Math.min(names.size, 1 << 20) }]);
  return Array.from({ length: count }, (_, index) => ({
    name: image.text(names.offset + image.u32(table + index * entry)) ?? "",
    offset: field(index, 24, 16),
    size: field(index, 32, 20),
  }));
}
