import { once } from "../../lib/memo.ts";
import type { Learned } from "./rank.ts";
import { bias, causes, firstLetter, middle, rows, scale } from "./weights.generated.ts";

/** What was learnt, as `tools/resemblance.mjs` wrote it: a line for each feature, with how telling it is, and a pair of letters for each cause. */
export const learned = once((): Learned => {
  const features: Learned["features"] = new Map();
  for (const row of rows.split("\n")) {
    const [feature = "", value = "0", pairs = ""] = row.split("\t");
    const letters = [...pairs].map((each) => each.charCodeAt(0) - firstLetter);
    const speaks: { cause: number; weight: number }[] = [];
    for (let at = 0; at + 1 < letters.length; at += 2) speaks.push({ cause: letters[at]!, weight: (letters[at + 1]! - middle) * scale });
    features.set(feature, { telling: Number(value) / 10, speaks });
  }
  return { causes, bias: Float64Array.from(bias), features };
});
