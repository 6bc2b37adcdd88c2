import type { Told } from "./words.ts";

/** What was learnt of texts; `not-a-mismatch` stands for all that speak of none. */
export interface Learned {
  causes: Told[];
  /** How much each cause is expected where nothing is known. */
  bias: Float64Array;
  /** How telling each feature is by itself, rare ones more, and how much it speaks for each cause. */
  features: Map<string, { telling: number; speaks: { cause: number; weight: number }[] }>;
}

/** How much each cause is resembled, most first; the shares of all are one together. */
export function rank({ causes, bias, features }: Learned, found: string[]): { cause: Told; share: number }[] {
  const known = found.flatMap((feature) => features.get(feature) ?? []);
  // A long text says the same as a short one, among more words.
  const length = Math.sqrt(known.reduce((sum, { telling }) => sum + telling * telling, 0)) || 1;
  const scores = Float64Array.from(bias);
  for (const { telling, speaks } of known) for (const { cause, weight } of speaks) scores[cause]! += (weight * telling) / length;
  const top = Math.max(...scores);
  const powers = [...scores].map((score) => Math.exp(score - top));
  const sum = powers.reduce((a, b) => a + b, 0);
  return causes.map((cause, at) => ({ cause, share: powers[at]! / sum })).sort((a, b) => b.share - a.share);
}
