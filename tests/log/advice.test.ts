import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/log/explain.ts";
import { signatures } from "../../packages/core/src/log/index.generated.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);
const linesOf = ({ diagnoses }: Awaited<ReturnType<typeof explain>>) =>
  diagnoses.flatMap(({ fixes }) => fixes.flatMap(({ commands }) => commands));
const nextOf = ({ diagnoses }: Awaited<ReturnType<typeof explain>>) => diagnoses.flatMap(({ next }) => next);

// What somebody would have to fill in before the line does anything.
const placeholder = /\b(?:IMAGE|COMMAND|PACKAGE|FOLDER\w*|PROGRAM|LOGDIR|VERSION|NNN|X\.Y|X-Y)\b|…|\.\.\. |\bundefined\b|\[object|NaN/;
const examples = [...new Set(signatures.flat().flatMap(({ examples: texts }) => texts))];

test("a placeholder is seen", () => {
  for (const line of ["docker run IMAGE", "export CUDA_HOME=/usr/local/cuda-X.Y", "pip install …", "env -u A COMMAND"])
    expect(line).toMatch(placeholder);
});

test.each(examples)("every command can be typed as it stands: %s", async (example) => {
  const said = await explain(example);
  for (const line of [...linesOf(said), ...nextOf(said)]) expect(line).not.toMatch(placeholder);
});
