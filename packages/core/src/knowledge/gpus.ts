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

/** By name as a driver prints it, by PCI device (`10de:20b0`, `20b0`, `0x20b0`), or by architecture (`sm_80`, `8.0`). */
export function gpuNamed(text: string): KnownGpu | undefined {
  return byArchitecture(text) ?? byDevice(text) ?? byName(text);
}

function byArchitecture(text: string): KnownGpu | undefined {
  const sm = /^(sm_|compute_)\d+[af]?$|^\d+\.\d$/.test(text) ? smOf(text) : undefined;
  const found = sm === undefined ? undefined : architecture(sm);
  return found && { sm: found.sm, architecture: found.name, certain: isCertain(found, "sm") };
}

function byDevice(text: string): KnownGpu | undefined {
  const id = /^(?:(?:0x)?10de:)?(?:0x)?([0-9a-f]{4})$/i.exec(text)?.[1];
  if (id === undefined) return undefined;
  const device = parseInt(id, 16);
  const chip = gpus().chips.find(({ ids }) =>
    ids.some((range) => {
      const [first, last = first] = range.split("-").map((end) => parseInt(end, 16));
      return first! <= device && device <= last!;
    }),
  );
  return chip && { sm: chip.sm, architecture: architecture(chip.sm)?.name, chip: chip.chip, certain: isCertain(chip, "sm") };
}

// `NVIDIA A100-SXM4-80GB` may be listed as it is, or only as A100: then the longest name that begins it stands for it.
// People leave the brand out: `RTX 4090`, `K80`.
function byName(text: string): KnownGpu | undefined {
  const wanted = plain(text);
  return startingWith(wanted) ?? startingWith(`geforce ${wanted}`) ?? startingWith(`tesla ${wanted}`);
}

function startingWith(wanted: string): KnownGpu | undefined {
  let best: Gpu | undefined;
  for (const gpu of gpus().gpus) {
    const name = plain(gpu.name);
    if (name === wanted) return answer(gpu, isCertain(gpu, "sm"));
    if (wanted.startsWith(name) && /[ -]/.test(wanted.charAt(name.length)) && (best?.name.length ?? 0) < gpu.name.length) best = gpu;
  }
  return best && answer(best, false);
}

const answer = ({ sm, architecture, name, kind }: Gpu, certain: boolean): KnownGpu => ({ sm, architecture, name, kind, certain });

const plain = (name: string) =>
  name
    .toLowerCase()
    .replace(/^nvidia /, "")
    .replace(/\s+/g, " ")
    .trim();
