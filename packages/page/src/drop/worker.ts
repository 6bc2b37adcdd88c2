// The engine behind the page: it takes what is dropped for what it is, answers it, and joins what belongs together.
import { checkDependencyFile, describeRules, diffDependencyFiles, diffTargets, explainLog } from "../../../core/src/culprit.ts";
import { openTarget } from "../../../core/src/ask/examination.ts";
import type { DependencyFileRequest } from "../../../core/src/dependency-files/judge.ts";
import { joinExplanation } from "../../../core/src/log/join.ts";
import type { Difference } from "../../../core/src/model/diff.ts";
import type { Explanation } from "../../../core/src/model/explain.ts";
import type { Problem } from "../../../core/src/model/problem.ts";
import type { RuleDescription } from "../../../core/src/model/rule.ts";
import { checkPieces, differencePieces, explanationPieces, problemPieces } from "../../../core/src/report/part.ts";
import { drawingData, joinMachine, packDrawing, tracePieces } from "../../../core/src/trace/part.ts";
import { Refusal } from "../../../machine/src/target/tar.ts";
import { breath } from "../stack/asking.ts";
import { answerTo } from "../stack/engine.ts";
import type { FromWorker as Answering } from "../stack/messages.ts";
import type { PageData } from "../trace/data.ts";
import { profilesWithin } from "./archives.ts";
import { firstBytes, plainPieces, textOf } from "./bytes.ts";
import { findingsOfProfile, openMachine, withFixes, type Machine } from "./machines.ts";
import type { FromWorker, Item, Named, Shown, ToWorker } from "./messages.ts";
import { readProfile, type Profile } from "./profiles.ts";
import { recogniseDropped } from "./recognise.ts";

/** What was dropped, as far as it was read. */
type Held = { id: string; name: string; taken: string } & (
  | { kind: "machine"; machine: Machine }
  | { kind: "log"; explanation: Explanation }
  | { kind: "dependency-file"; text: string }
  | { kind: "trace"; profile: Profile }
);

const held = new Map<string, Held>();
let rules: RuleDescription[] = [];

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has one listener, the page that made it
const send = (message: FromWorker) => globalThis.postMessage(message);

// One after the other: what comes later is joined with what came before.
let turn = Promise.resolve();
/** The last experiment that was asked about. */
let latest = 0;
globalThis.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "ask") latest = data.turn;
  turn = turn.then(async () => hear(data));
});

async function hear(message: ToWorker): Promise<void> {
  if (rules.length === 0) rules = await describeRules();
  if (message.kind === "take") return take(message.id, message.name, message.file);
  if (message.kind === "compare") return compare(message.id, message.a, message.b);
  if (message.kind === "leave") {
    const gone = held.get(message.id);
    held.delete(message.id);
    if (gone?.kind === "machine" || gone?.kind === "dependency-file") await showOthers(message.id);
    return;
  }
  const found = held.get(message.id);
  if (found?.kind !== "machine") return;
  return answerExperiment(found.machine, message);
}

async function answerExperiment({ facts, made }: Machine, { turn: id, experiment }: ToWorker & { kind: "ask" }): Promise<void> {
  const answered = await guarded(async () => answerTo(facts, made, rules, experiment));
  const tell = (answering: Answering) => send({ kind: "experiment", answering });
  if ("problem" in answered) return tell({ kind: "problem", id, words: answered.problem });
  tell({ kind: "answer", id, answer: answered.answer });
  // What has been asked meanwhile is heard first.
  await breath();
  if (latest === id) tell({ kind: "rest", id, sections: answered.rest() });
}

async function guarded<Answer>(ask: () => Promise<Answer | Problem>): Promise<Answer | { problem: string }> {
  try {
    return await ask();
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { problem: error instanceof Refusal ? words : `this cannot be answered: ${words}` };
  }
}

async function take(id: string, name: string, file: Blob): Promise<void> {
  const told = (words: string) => send({ kind: "progress", id, words });
  const read = await guarded<Held | Within>(async () => reading(id, name, file, told));
  if ("files" in read) {
    send({ kind: "within", id, files: read.files });
    return;
  }
  if ("problem" in read) {
    send({ kind: "shown", shown: refused(id, name, read.problem) });
    return;
  }
  held.set(id, read);
  await show(read);
  if (read.kind === "machine") {
    // A verdict first, then what lies below it; what removes its findings is proven meanwhile.
    send({ kind: "below", id, sections: read.machine.rest() });
    if (read.machine.answer.findings.length > 0) {
      read.machine = await withFixes(read.machine, rules);
      await show(read);
    }
    await showOthers(id);
  }
  if (read.kind === "dependency-file") await showOthers(id);
}

interface Within {
  files: { name: string; file: Blob }[];
}

async function reading(id: string, name: string, file: Blob, told: (words: string) => void): Promise<Held | Within | Problem> {
  const found = recogniseDropped(name, await firstBytes(file, 65_536));
  if (found.kind === "unknown") throw new Refusal(found.words);
  if (found.kind === "archive") return { files: await profilesWithin(name, file, told) };
  if (found.kind === "image") return imageOrArchive(id, name, file, told);
  if (found.kind === "snapshot") {
    const machine = await openMachine(name, file, "snapshot", rules, told);
    return "problem" in machine ? machine : { id, name, kind: "machine", taken: "snapshot", machine };
  }
  if (found.kind === "trace") return { id, name, kind: "trace", taken: "profile", profile: await readProfile(name, file, told) };
  if (found.kind === "log") return { id, name, kind: "log", taken: "error text", explanation: await explainLog(plainPieces(file), {}, {}) };
  return { id, name, kind: "dependency-file", taken: found.taken, text: await textOf(file, 64 << 20) };
}

/** Both are tar files: what is no image may be an archive of profiles. */
async function imageOrArchive(id: string, name: string, file: Blob, told: (words: string) => void): Promise<Held | Within | Problem> {
  try {
    const machine = await openMachine(name, file, "image", rules, told);
    return "problem" in machine ? machine : { id, name, kind: "machine", taken: "container image", machine };
  } catch (error) {
    const within = await guarded(async () => ({ files: await profilesWithin(name, file, told) }));
    if ("problem" in within) throw error;
    return within;
  }
}

/** What changes when a machine, or a file that others name, comes or goes. */
async function showOthers(id: string): Promise<void> {
  for (const each of held.values()) if (each.id !== id && each.kind !== "machine") await show(each);
}

async function show(each: Held): Promise<void> {
  const answer = await guarded(async () => shownOf(each));
  send({ kind: "shown", shown: "problem" in answer ? refused(each.id, each.name, answer.problem) : answer });
}

const firstMachine = (): (Held & { kind: "machine" }) | undefined =>
  [...held.values()].find((each): each is Held & { kind: "machine" } => each.kind === "machine");

async function shownOf(each: Held): Promise<Shown | Problem> {
  const machine = firstMachine();
  const about = { id: each.id, name: each.name, kind: each.kind, taken: each.taken };
  const joined = machine && each.kind !== "machine" ? { joined: machine.name } : {};
  if (each.kind === "machine") {
    const { answer, made } = each.machine;
    return { ...about, ...lineOf(answer.verdict), verdict: answer.verdict, answer: "", base: answer, made };
  }
  if (each.kind === "log") {
    const { judged } = machine?.machine ?? {};
    const explained = judged ? joinExplanation(each.explanation, judged.check.findings, judged.stack.inventory) : each.explanation;
    const pieces = explanationPieces(explained);
    return { ...about, ...joined, ...lineOf(pieces.verdict), ...pieces };
  }
  if (each.kind === "dependency-file") {
    const answered = await checkDependencyFile(requestOf(each, machine?.machine));
    if ("problem" in answered) return answered;
    const { verdict, findings } = checkPieces({ check: answered.check }, rules);
    return { ...about, ...joined, ...lineOf(verdict), verdict, answer: findings };
  }
  const { summary, drawing } = each.profile;
  const file = machine ? joinMachine(summary, await findingsOfProfile(machine.machine)) : summary;
  const report = { schema: "culprit/trace@1" as const, files: [file] };
  const pieces = tracePieces(report, drawing);
  const drawn =
    drawing && 0 < drawing.events
      ? { drawing: { data: drawingData(report, drawing) as PageData, words: new Uint32Array(packDrawing(drawing).buffer) } }
      : {};
  return { ...about, ...joined, ...lineOf(pieces.verdict), ...pieces, ...drawn };
}

/** The files that it names are among those that were dropped, or they are not there. The machine's driver and GPUs are asked about. */
function requestOf({ name, text }: { name: string; text: string }, machine: Machine | undefined): DependencyFileRequest {
  const { driver, gpus } = machine?.judged.stack.inventory ?? { driver: {}, gpus: [] };
  return {
    file: name,
    text,
    read: async (path) => {
      const wanted = path.replace(/^(?:\.?\/)+/, "");
      const beside = [...held.values()].find(
        (each) => each.kind === "dependency-file" && (each.name === wanted || wanted.endsWith(`/${each.name}`)),
      );
      return beside?.kind === "dependency-file" ? { text: beside.text } : { problem: "was not dropped here" };
    },
    ...(driver.kernel === undefined ? {} : { driver: driver.kernel }),
    ...(gpus.length === 0 ? {} : { gpus: gpus.map((gpu) => gpu.name) }),
  };
}

async function compare(id: string, a: Named, b: Named): Promise<void> {
  const [one, other] = [held.get(a.id), held.get(b.id)];
  if (!one || !other) return;
  const names = { a: a.name, b: b.name };
  const answer = await guarded(async () => differenceOf(one, other));
  if ("problem" in answer) {
    send({ kind: "shown", shown: refused(id, `${names.a} and ${names.b}`, answer.problem) });
    return;
  }
  const pieces = differencePieces(answer, names);
  const about: Item = { id, name: `${names.a} and ${names.b}`, kind: "difference", taken: "side by side", ...lineOf(pieces.verdict) };
  send({ kind: "shown", shown: { ...about, ...pieces } });
}

async function differenceOf(one: Held, other: Held): Promise<Difference | Problem> {
  if (one.kind === "machine" && other.kind === "machine")
    return diffTargets(await openTarget(one.machine.facts), await openTarget(other.machine.facts), one.machine.made.question);
  if (one.kind === "dependency-file" && other.kind === "dependency-file")
    return diffDependencyFiles(requestOf(one, undefined), requestOf(other, undefined));
  throw new Refusal("two machines can be compared, or two dependency files");
}

/** The verdict as a line of the list: its markup is ours, made of words that are escaped. */
function lineOf(verdict: string): Pick<Item, "look" | "told"> {
  const [, look = "info", words = ""] = /<span class="(good|warning|error|info)"\s*>([^]*?)<\/span\s*>/.exec(verdict) ?? [];
  return { look: look as Item["look"], told: plainOf(words) };
}

const entities: { [entity: string]: string } = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const plainOf = (markup: string): string =>
  markup
    .replace(/<[^<>]*>/g, "")
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity]!)
    .replace(/\s+/g, " ")
    .trim();

function refused(id: string, name: string, problem: string): Shown {
  const pieces = problemPieces(problem);
  return { id, name, kind: "unknown", taken: "not read", look: "warning", told: problem, ...pieces };
}

send({ kind: "ready" });
