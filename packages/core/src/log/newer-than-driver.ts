import { fix } from "./fixes.ts";
import { libcuda, type May, type Meaning, type Told, type ToldFixes } from "./meaning.ts";

/** Packages for a newer CUDA than the driver runs, whoever compared the two. */
export const newerThanDriver = (weight: number, or: Pick<May, "cause" | "message">): Meaning => ({
  weight,
  ...libcuda,
  next: ["nvidia-smi"],
  about: (_facts, _context, [fact]) => ({
    required: fact!.required === undefined ? "a driver as new as the toolkit" : `a driver for CUDA ${fact!.required}`,
    ...(fact!.found === undefined ? {} : { found: `a driver for CUDA ${fact!.found}` }),
    evidence: [fact!],
  }),
  may: [
    { cause: "driver-too-old", certainty: "likely", message: packagesAgainstDriver, fixes: bringTogether },
    { ...or, fixes: bringTogether },
  ],
});

const packagesAgainstDriver: Told<string> = (_facts, _context, [fact]) =>
  `the packages are for ${fact!.required === undefined ? "a newer CUDA" : `CUDA ${fact!.required}`}, and the driver ends with ${fact!.found === undefined ? "an older one" : `CUDA ${fact!.found}`}`;

const bringTogether: ToldFixes = (_facts, _context, [fact]) => [
  fix("install a newer NVIDIA driver"),
  fix(
    `or packages for ${fact!.found === undefined ? "an older CUDA" : `CUDA ${fact!.found} or older`}`,
    ...(fact!.found === undefined ? [] : [`conda install "cuda-version<=${fact!.found}"`]),
  ),
];
