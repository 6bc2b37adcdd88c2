import { fix } from "./fixes.ts";
import type { Suspect } from "./cause.ts";
import type { Fact, Facts } from "./fact.ts";

/**
 * Which AMD GPUs run each other's code: LLVM's table of generic processors (AMDGPUUsage.rst) groups them, with what sets them apart. In
 * gfx10-3 nothing does; in gfx11 the number of registers does, and gfx1100 has more of them than gfx1102, gfx1103 and gfx1150 have.
 */
const siblings: [pattern: RegExp, as: string, target: string, alike: boolean][] = [
  [/^gfx103[1-6]$/, "10.3.0", "gfx1030", true],
  [/^gfx110[123]$|^gfx1151$/, "11.0.0", "gfx1100", false],
  [/^gfx101[12]$/, "10.1.0", "gfx1010", false],
];

/** Where no target is named, each generation that has one sibling with code. */
const bySeries = [
  fix("RX 6000 (gfx1031 to gfx1036): let ROCm take the GPU for gfx1030, for which there is code", "export HSA_OVERRIDE_GFX_VERSION=10.3.0"),
  fix("RX 7000 (gfx1101 to gfx1103): let ROCm take it for gfx1100", "export HSA_OVERRIDE_GFX_VERSION=11.0.0"),
];

/** RDNA 2 below the RX 6800, for whose chips there is no code of their own. */
export const smallRdna2 = /\b(?:RX ?)?6[4-7][05]0(?:M|S|XT)?(?!\d)|gfx103[1-6]/i;
/** Polaris and Vega, which ROCm 6 has left. */
export const gone = /\bRX ?[45][4-9]0\b|gfx803|\bVega\b|gfx900/i;

export const noLonger = fix("ROCm of today does not serve this GPU any more: run the program on the CPU, or on another GPU");

// What builds of rocBLAS for ROCm 5 to 7 hold files for, in one release or another; for other GPUs none does.
const served = /^gfx(?:900|906|908|90a|942|950|1010|1012|1030|1100|1101|1102|1150|1151|1200|1201)$/;

export const isServed = (target: string): boolean => served.test(target);

/** The AMD GPU of a text: its target as ROCm names it, where it stands there, and its name in shops. */
export function amdGpuIn(facts: Facts): { target?: string; model?: string; at?: Fact<"notice"> } {
  const gpus = facts.notices("amd-gpu").filter(({ subject }) => subject !== undefined);
  const byTarget = gpus.find(({ subject }) => subject!.startsWith("gfx"));
  // "Radeon GPUs" names none.
  const byName = gpus.find(({ subject }) => !subject!.startsWith("gfx") && /\d/.test(subject!));
  const at = byTarget ?? byName;
  return {
    ...(byTarget ? { target: byTarget.subject! } : {}),
    ...(byName ? { model: byName.subject! } : {}),
    ...(at ? { at } : {}),
  };
}

/** The variable is read by AMD's runtime for Linux alone (libhsakmt's topology.c; ollama issue 2869). */
export function targetFixes(target: string | undefined, model: string | undefined, facts: Facts): NonNullable<Suspect["fixes"]> {
  if (gone.test(`${target} ${model}`)) return [noLonger];
  if (facts.on("windows"))
    return [
      fix(
        `take a build that holds code for ${target ?? model ?? "this GPU"}, or one for Vulkan: on Windows no variable lets ROCm take a GPU for its sibling`,
      ),
    ];
  const known = target ?? (smallRdna2.test(model ?? "") ? "gfx1031" : undefined);
  const overridden = facts.everything().some(({ at }) => at.text.includes("HSA_OVERRIDE_GFX_VERSION"));
  const sibling = overridden ? undefined : siblings.find(([pattern]) => pattern.test(known ?? ""));
  const release = fix(
    `${sibling || (!overridden && known === undefined) ? "or " : ""}take a release of PyTorch and ROCm that lists ${target ?? "the target that rocminfo shows"}`,
  );
  if (!sibling) return known === undefined && !overridden ? [...bySeries, release] : [release];
  const [, as, other, alike] = sibling;
  return [
    fix(
      `let ROCm take the GPU for its sibling ${other}, for which there is code: ${alike ? "the two run the same code, though AMD does not support it" : "it is not supported by AMD and mostly works"}`,
      `export HSA_OVERRIDE_GFX_VERSION=${as}`,
    ),
    release,
  ];
}
