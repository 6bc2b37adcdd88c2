import {
  askReport,
  fixTarget,
  explainLog,
  explainReport,
  joinExplanation,
  quietExplanation,
  withPlainError,
  type Explanation,
} from "@culprit/core";
import { lineAskingAgain, type Asked } from "@culprit/core/lib/asked";
import { namedPieces, openNamed } from "@culprit/machine/target/named";
import { bombWords, isBomb } from "@culprit/machine/target/pieces";
import { askedBy } from "./asked.ts";
import { print, printJson } from "./print.ts";
import { reasonOf } from "@culprit/core/lib/reason";
import { terminalStyle } from "./style.ts";
import { flag, text, texts, UsageError, type Input } from "./usage.ts";
import { givenMachine, openWhere } from "./where.ts";

export async function run(input: Input): Promise<number> {
  if (1 < input.words.length) throw new UsageError("`culprit explain` takes one file, or `-` for standard input");
  const [file = "-"] = input.words;
  if (file === "-" && process.stdin.isTTY)
    throw new UsageError("give a file with the error text, or pipe it in: `COMMAND 2>&1 | culprit explain -`");
  const strange = joinsMachine(input) ? undefined : ofMachines.find((name) => 0 < texts(input, name).length || flag(input, name));
  if (strange !== undefined)
    throw new UsageError(`\`--${strange}\` asks about a machine: give \`--here\`, \`--root\` or \`--target\` with it`);
  const asked = askedBy(input);
  const said = await explainLog(await plainChunks(file), await givenMachine(input), { excerpt: flag(input, "ask") });
  const alone = explanationAsking(said, asked);
  const explanation = joinsMachine(input) ? await joined(input, alone, asked) : alone;
  if (flag(input, "json")) printJson(withPlainError(explanation), 1);
  else if (flag(input, "ask")) print(askReport(explanation));
  else if (flag(input, "quiet")) print(quietExplanation(explanation));
  else print(explainReport(explanation, terminalStyle()));
  return 0;
}

// These change what a machine is asked; a text has no answer to them.
const ofMachines = ["env", "unset", "cwd", "cpu", "ldconfig", "python"];

const joinsMachine = (input: Input) => flag(input, "here") || text(input, "root") !== undefined || text(input, "target") !== undefined;

/** "To be sure": asked of the machine that the text is joined with. */
const explanationAsking = (explanation: Explanation, asked: Asked): Explanation => ({
  ...explanation,
  diagnoses: explanation.diagnoses.map((each) => ({ ...each, next: each.next.map((line) => lineAskingAgain(line, asked)) })),
});

async function joined(input: Input, explanation: Explanation, asked: Asked): Promise<Explanation> {
  if (flag(input, "here") && (text(input, "root") ?? text(input, "target")) !== undefined)
    throw new UsageError("give `--here`, `--root` or `--target`, not two of them");
  // With the fixes of that machine, each proven.
  const judged = await fixTarget(await openWhere(input), { programs: [], activities: [], python: texts(input, "python"), asked });
  if ("problem" in judged) throw new UsageError(judged.problem);
  return joinExplanation(explanation, judged.check.findings, judged.stack.inventory);
}

// Logs are often kept packed.
async function plainChunks(file: string): Promise<Iterable<Uint8Array> | AsyncIterable<Uint8Array>> {
  const chunks = chunksOf(file);
  const { value: first } = chunks.next();
  if (!first) return [];
  if (first[0] === 0x1f && first[1] === 0x8b) return unpacked(file, copies(first, chunks));
  return rejoined(first, chunks);
}

function* rejoined(first: Uint8Array, others: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield first;
  yield* others;
}

// Whoever reads files writes over the last piece; a stream may still hold it.
function* copies(first: Uint8Array, others: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const chunk of rejoined(first, others)) yield Uint8Array.from(chunk);
}

async function* unpacked(file: string, chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { createGunzip } = await import("node:zlib");
  const { Readable } = await import("node:stream");
  const name = file === "-" ? "standard input" : `\`${file}\``;
  const gunzip = createGunzip();
  let length = 0;
  try {
    for await (const piece of Readable.from(chunks).pipe(gunzip) as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (isBomb(gunzip.bytesWritten, length)) throw new UsageError(`${name} ${bombWords}`);
      yield piece;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name} is a damaged gzip file`, { cause: error });
  }
}

// Read piece by piece and synchronously: a log of gigabytes is never in memory as a whole.
function* chunksOf(file: string): Generator<Uint8Array> {
  try {
    yield* namedPieces(openNamed(file));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EISDIR")
      throw new UsageError(`\`${file}\` is a folder; give a file with the error text`, { cause: error });
    throw new UsageError(`${file === "-" ? "standard input" : `\`${file}\``} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
