// What was learnt as a file: of each feature only what weighs, each weight as one letter.
const firstLetter = 40;
const middle = 44;
const letter = (at) => String.fromCharCode(firstLetter + at);

export function written({ causes, bias, features }, leastWeight = 0.6) {
  let greatest = 0;
  for (const { speaks } of features.values()) for (const { weight } of speaks) greatest = Math.max(greatest, Math.abs(weight));
  const scale = Number((greatest / (middle - 2)).toPrecision(4));
  const rows = [...features].flatMap(([feature, { telling, speaks }]) => {
    const pairs = speaks
      .filter(({ weight }) => leastWeight <= Math.abs(weight))
      .map(({ cause, weight }) => letter(cause) + letter(middle + Math.round(weight / scale)))
      .join("");
    return pairs === "" ? [] : [`${feature}\t${Math.round(telling * 10)}\t${pairs}`];
  });
  return `// Made by tools/resemblance.mjs from tools/resemblance/texts.
import type { Told } from "./words.ts";

export const causes: Told[] = ${JSON.stringify(causes)};
export const bias = ${JSON.stringify([...bias].map((value) => Number(value.toFixed(3))))};
export const firstLetter = ${firstLetter};
/** The letter that means nothing: those before it speak against a cause, those after it for one. */
export const middle = ${middle};
export const scale = ${scale};
export const rows = ${JSON.stringify(rows.join("\n"))};
`;
}
