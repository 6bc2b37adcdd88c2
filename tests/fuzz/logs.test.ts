// Messages that are known, cut, joined, repeated and mixed: whatever comes is explained, or it is said that nothing is known.
import { expect, test } from "vitest";
import { explainLog, explainReport } from "../../packages/core/src/index.ts";
import { dumps, signatures } from "../../packages/core/src/log/index.generated.ts";
import { fuzz, type Dice } from "./fuzz.ts";

const examples = [...signatures, ...dumps].flat().flatMap((signature) => signature.examples);
const glue = [
  "\n",
  " ",
  "",
  "\r",
  "\u001b[31m",
  "\0",
  "&quot;",
  '\\"',
  "\ufffd",
  ": ",
  "[rank3]: ",
  "'",
  "\\n",
  "\u202e",
  "é",
  "9".repeat(40),
];

function made(dice: Dice): string {
  const parts: string[] = [];
  for (let rounds = 1 + dice.below(8); 0 < rounds; rounds -= 1) {
    const example = dice.pick(examples);
    const at = dice.below(example.length + 1);
    const numbers = example.replace(/\d+/g, (number) =>
      dice.chance(3) ? dice.pick(["0", "-1", "99999999999999999999", "1e9", ""]) : number,
    );
    parts.push(
      dice.pick([
        example,
        numbers,
        example.slice(0, at),
        example.slice(at),
        example.slice(0, at) + dice.pick(glue) + example.slice(at),
        example.repeat(1 + dice.below(30)),
      ]),
      dice.pick(glue),
    );
  }
  return parts.join("");
}

test("no text of messages is too much", async () => {
  let known = 0;
  await fuzz("logs", 1000, async (dice) => {
    const bytes = new TextEncoder().encode(made(dice));
    const cut = dice.below(bytes.length + 1);
    const explanation = await explainLog([bytes.subarray(0, cut), bytes.subarray(cut)]);
    known += explanation.diagnoses.length;
    const report = explainReport(explanation);
    if (report.includes("[object")) throw new Error(report);
  });
  if (!process.env["FUZZ_SEED"]) expect(known).toBeGreaterThan(300);
});
