import type { ElfFact } from "../model/snapshot.ts";
import type { Image } from "./image.ts";

/** An ELF file that is being read: the facts so far, and what further readers (symbols, constants) need to go on. */
export interface ElfView {
  image: Image;
  fact: ElfFact;
  segments: Segment[];
  /** Dynamic entries by tag; of a tag that repeats, the last, as glibc's elf_get_dynamic_info keeps it. */
  dynamic: Map<number, number>;
}

export interface Segment {
  type: number;
  flags: number;
  offset: number;
  address: number;
  fileSize: number;
  memorySize: number;
  align: number;
}

export const dynamicTag = {
  needed: 1,
  pltRelSize: 2,
  hash: 4,
  strtab: 5,
  symtab: 6,
  rela: 7,
  relaSize: 8,
  soname: 14,
  rpath: 15,
  rel: 17,
  relSize: 18,
  pltRel: 20,
  jmpRel: 23,
  bindNow: 24,
  runpath: 29,
  flags: 30,
  relr: 36,
  gnuHash: 0x6ffffef5,
  dependencyAudit: 0x6ffffefb,
  audit: 0x6ffffefc,
  versym: 0x6ffffff0,
  relaCount: 0x6ffffff9,
  relCount: 0x6ffffffa,
  flags1: 0x6ffffffb,
  verdef: 0x6ffffffc,
  verneed: 0x6ffffffe,
  auxiliary: 0x7ffffffd,
  filter: 0x7fffffff,
} as const;

/** Where in the file the byte lies that is mapped at an address (relative to the object's base). */
export function fileOffset({ segments }: ElfView, address: number | undefined): number | undefined {
  if (address === undefined) return undefined;
  for (let index = 0; index < segments.length; index += 1) {
    const segment = segments[index]!;
    if (segment.type === 1 && segment.address <= address && address < segment.address + segment.fileSize) {
      return segment.offset + (address - segment.address);
    }
  }
  return undefined;
}
