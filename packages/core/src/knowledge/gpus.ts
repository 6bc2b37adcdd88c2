import { once } from "../lib/memo.ts";
import { editsBetween } from "../lib/near.ts";
import type { Gpu } from "../model/knowledge.ts";
import { isCertain } from "./certainty.ts";
import { gpus } from "./texts/gpus.generated.ts";
import { architecture, smOf } from "./toolkits.ts";

export interface KnownGpu {
  sm: string;
  /** For example `Ampere`. */
  architecture: string | undefined;
  name?: string;
  /** Where the name is known: whom it is made for, which decides what the driver lets it do. */
  kind?: Gpu["kind"];
  chip?: string;
  certain: boolean;
}

/**
 * By architecture (`sm_80`, `sm80`, `8.0`), by PCI device (`10de:20b0`, `20b0`, `0x20b0`), or by name: as a driver prints it, or as people type it
 * (`RTX5090`, `5090`, `h100`, `Jetson Orin`).
 */
export function gpuNamed(text: string): KnownGpu | undefined {
  // 2080 is a GeForce to whoever types it, and hexadecimal for a chip of an A100.
  return byArchitecture(text) ?? (/^\d{3,4}$/.test(text) ? undefined : byDevice(text)) ?? byName(text) ?? byDevice(text);
}

function byArchitecture(text: string): KnownGpu | undefined {
  const written = text.replace(/^(sm|compute)(?=\d{2})/i, "$1_");
  const sm = /^(sm_|compute_)\d+[af]?$|^\d+\.\d$/.test(written) ? smOf(written) : undefined;
  const found = sm === undefined ? undefined : architecture(sm);
  return found && { sm: found.sm, architecture: found.name, certain: isCertain(found, "sm") };
}

function byDevice(text: string): KnownGpu | undefined {
  const id = /^(?:(?:0x)?10de:)?(?:0x)?([0-9a-f]{4})$/i.exec(text)?.[1]?.toLowerCase();
  if (id === undefined) return undefined;
  const device = parseInt(id, 16);
  const chip = gpus().chips.find(({ ids }) =>
    ids.some((range) => {
      const [first, last = first] = range.split("-").map((end) => parseInt(end, 16));
      return first! <= device && device <= last!;
    }),
  );
  if (!chip) return undefined;
  const name = gpus().devices.flatMap(({ names }) => names[id] ?? [])[0];
  const kind = name === undefined ? undefined : byName(name)?.kind;
  return {
    sm: chip.sm,
    architecture: architecture(chip.sm)?.name,
    ...(name === undefined ? {} : { name }),
    ...(kind === undefined ? {} : { kind }),
    chip: chip.chip,
    certain: isCertain(chip, "sm"),
  };
}

/** `rtx5090` of `NVIDIA GeForce RTX 5090`, and what is left of it without its brands: `5090`. Names of three digits at least. */
function keysOf(name: string): string[] {
  const words = wordsOf(name);
  const brands = words.findIndex((word) => !/^(geforce|tesla|quadro|jetson|rtx|gtx)$/.test(word));
  return Array.from({ length: Math.max(brands, 0) + 1 }, (_, from) => words.slice(from).join("")).filter((key) => !/^\d{0,2}$/.test(key));
}

const wordsOf = (name: string) =>
  name
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.filter((word) => !/^(nvidia|corporation|graphics|gpu)$/.test(word)) ?? [];

/** Products by what they may be called. Of a short name for several architectures (`RTX 6000`, `TITAN`) nobody can tell which is meant. */
const byKey = once(() => {
  const found = new Map<string, Gpu>();
  const all = gpus().gpus.flatMap((gpu) => [gpu.name, ...(gpu.also ?? [])].map((name) => ({ gpu, name })));
  for (const { gpu, name } of all) found.set(keysOf(name)[0]!, gpu);
  for (const { gpu, name } of all)
    for (const key of keysOf(name).slice(1)) {
      const words = wordsOf(name).filter((word) => key.includes(word));
      const alike = gpus().gpus.filter((other) => words.every((word) => wordsOf(other.name).includes(word)));
      if (!found.has(key) && alike.every(({ sm }) => sm === gpu.sm)) found.set(key, gpu);
    }
  return found;
});

// `NVIDIA A100-SXM4-80GB` may be listed as it is, or only as A100: then the longest name that begins it stands for it.
function byName(text: string): KnownGpu | undefined {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  for (const key of keysOf(text)) {
    const exact = byKey().get(key);
    if (exact) return answer(exact, isCertain(exact, "sm"));
  }
  for (let end = words.length - 1; 0 < end; end -= 1)
    for (const key of keysOf(words.slice(0, end).join(" "))) {
      const begun = byKey().get(key);
      if (begun) return answer(begun, false);
    }
  return byWords(words);
}

/** `Jetson Orin`, `RTX PRO 6000`: words of several products that are all of one architecture. */
function byWords(words: string[]): KnownGpu | undefined {
  const called = gpus().gpus.filter(({ name, kind }) => {
    const own = wordsOf(name);
    return (kind === "jetson" || words.some((word) => /\d{3}/.test(word))) && words.every((word) => own.includes(word));
  });
  if (new Set(called.map(({ sm }) => sm)).size !== 1) return undefined;
  const { sm, architecture: family, kind } = called[0]!;
  return { sm, architecture: family, kind, certain: false };
}

const answer = ({ sm, architecture, name, kind }: Gpu, certain: boolean): KnownGpu => ({ sm, architecture, name, kind, certain });

/** A GPU that was asked for, in words that a reader knows: what was typed, unless it is short for a name, or a number. */
export function gpuTitle(typed: string): string {
  const device = /^(?:0x|10de:)/i.test(typed) ? byDevice(typed)?.name : undefined;
  const name = device ?? keysOf(typed).flatMap((key) => byKey().get(key) ?? [])[0]?.name;
  const isCalledSo = name === undefined || typed.includes(name) || (name.includes(typed) && /[a-z]/i.test(typed));
  return isCalledSo || (device === undefined && !keysOf(name).includes(wordsOf(typed).join(""))) ? typed : name;
}

/** Names that somebody may have meant: those with the same number, then those that differ in a letter or two. */
export function gpusLike(text: string): string[] {
  const wanted = wordsOf(text);
  const word = wanted.join("");
  const ranked = gpus().gpus.map(({ name }) => {
    const own = wordsOf(name);
    const isAlike = wanted.every((each) => own.includes(each)) && /\d{3}|titan/.test(word);
    return { name, isAlike, edits: Math.min(...keysOf(name).map((key) => editsBetween(word, key))) };
  });
  return ranked
    .filter(({ isAlike, edits }) => isAlike || edits <= (word.length < 5 ? 1 : 2))
    .sort((a, b) => Number(b.isAlike) - Number(a.isAlike) || a.edits - b.edits)
    .slice(0, 3)
    .map(({ name }) => name);
}
