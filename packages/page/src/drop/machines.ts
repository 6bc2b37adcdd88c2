// Machines among what was dropped: a snapshot, or an image that is looked into where it lies.
import { checkTarget, imageKeeping, readSnapshot, takeStack } from "../../../core/src/culprit.ts";
import { openTarget } from "../../../core/src/ask/examination.ts";
import type { Finding } from "../../../core/src/model/finding.ts";
import type { Problem } from "../../../core/src/model/problem.ts";
import type { RuleDescription } from "../../../core/src/model/rule.ts";
import { settleGround } from "../../../core/src/resolve/ground.ts";
import type { Snapshot } from "../../../core/src/model/snapshot.ts";
import { image } from "../../../machine/src/target/image.ts";
import { placeFile } from "../for-node/fs.ts";
import { answerTo, proposed, type Answered } from "../stack/engine.ts";
import { asItIs } from "../stack/experiment.ts";
import type { Made } from "../stack/messages.ts";
import { textOf } from "./bytes.ts";

export interface Machine extends Answered {
  facts: Snapshot;
  made: Made;
}

/** The largest that was ever taken has 40 MB. */
const mostOfSnapshot = 256 << 20;

const question = { programs: [], activities: [], python: [] };

export async function openMachine(
  name: string,
  file: Blob,
  kind: "snapshot" | "image",
  rules: RuleDescription[],
  told: (words: string) => void,
): Promise<Machine | Problem> {
  const opened = kind === "snapshot" ? await readSnapshot(await textOf(file, mostOfSnapshot)) : await snapshotOfImage(name, file, told);
  if ("problem" in opened) return opened;
  const facts = opened.snapshot;
  // Nothing more is read: all that is tried out lies over them.
  settleGround(facts.files);
  const asked = kind === "snapshot" ? [name] : ["--target", `image:${name}`];
  const made: Made = { question, asked: { target: asked, options: [] }, accepted: [] };
  const answered = await answerTo(facts, made, rules, asItIs);
  return "problem" in answered ? answered : { facts, made, ...answered };
}

/** The same with fixes, each proven: it takes longer. */
export async function withFixes(machine: Machine, rules: RuleDescription[]): Promise<Machine> {
  const { facts, made } = machine;
  const answered = await answerTo(facts, made, rules, asItIs, async () => proposed(facts, made));
  return "problem" in answered ? machine : { ...machine, ...answered };
}

/** What would be found there by somebody who records a profile. */
export async function findingsOfProfile({ facts }: Machine): Promise<Finding[]> {
  const judged = await checkTarget(await openTarget(facts), { ...question, activities: ["profile"] });
  return "problem" in judged ? [] : judged.check.findings;
}

async function snapshotOfImage(name: string, file: Blob, told: (words: string) => void): Promise<{ snapshot: Snapshot } | Problem> {
  placeFile(name, file);
  const target = await image(name, await imageKeeping(), {}, ({ layer, layers, read, size }) =>
    told(`reading ${layer === undefined ? "the image" : `layer ${layer} of ${layers}`}: ${Math.round((100 * read) / Math.max(1, size))} %`),
  );
  return { snapshot: await takeStack(await openTarget(target), question) };
}
