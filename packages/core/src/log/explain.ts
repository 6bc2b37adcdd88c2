import { knowledgeDay } from "../knowledge/settled.ts";
import type { Diagnosis, Explanation, GivenMachine, LogLine } from "../model/explain.ts";
import { weights, type Problem, type Suspect } from "./cause.ts";
import { contextOf } from "./context.ts";
import { decided } from "./decided.ts";
import { fallbackNotices } from "./fallback.ts";
import { gated } from "./gate.ts";
import { faultsOf } from "./faults.ts";
import { factsOf, isTaken, type Fact, type Facts } from "./fact.ts";
import { causes } from "./index.generated.ts";
import { withoutOtherVendor } from "./other-vendor.ts";
import { placed } from "./place.ts";
import { plainErrorOf } from "./program-error.ts";
import { questionOf } from "./question.ts";
import { logReader } from "./read.ts";
import { alikeOf } from "./reworded.ts";
import { withSides } from "./sides.ts";
import { inItsOwnName } from "./speaker.ts";
import { told } from "./told.ts";

/** What a text without a known message is like; it is large, and loaded only for such a text. */
type Likeness = () => Promise<{ resembling(lines: LogLine[], facts: Facts): Problem[] }>;

/** An error text or a dump, in pieces as they come: what is to blame, how sure that is, and what is noise. */
export async function explainLog(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  given: GivenMachine = {},
  { excerpt = false, likeness }: { excerpt?: boolean; likeness?: Likeness } = {},
): Promise<Explanation> {
  const reader = logReader();
  for await (const chunk of chunks) reader.push(chunk);
  const { facts: read, lines, tail, compared } = reader.end();
  const facts = [...givenFacts(given), ...read];
  const known = explainFacts(facts, lines);
  const explanation =
    likeness && isSilent(known) ? explainFacts(facts, lines, (await likeness()).resembling(compared, factsOf(facts))) : known;
  const alike = explanation.diagnoses.length === 0 && !explanation.plain ? nearest(tail) : undefined;
  return {
    ...explanation,
    ...(alike ? { alike } : {}),
    ...(excerpt ? { excerpt: tellingLines(explanation, facts, tail) } : {}),
  };
}

// Nothing is known to be wrong, and nothing to be well.
const isSilent = ({ diagnoses, plain, lines }: Explanation): boolean => diagnoses.length === 0 && !plain && 0 < lines;

/** The known message that one of the last lines is most like. */
function nearest(tail: LogLine[]): Explanation["alike"] {
  const found = tail.flatMap((at) => {
    const alike = alikeOf(at.text);
    return alike ? [{ ...at, known: alike.example, share: alike.share }] : [];
  });
  const best = found.sort((a, b) => b.share - a.share)[0];
  return best && { line: best.line, text: best.text, known: best.known };
}

const mostExcerpt = 20;

/** Evidence first, then what ended the program, then what else was read, then the end of the text; in the order of the text. */
function tellingLines({ diagnoses, unexplained }: Explanation, facts: Fact[], tail: LogLine[]): LogLine[] {
  const ranked = [
    ...diagnoses.flatMap(({ evidence }) => evidence),
    ...(unexplained ? [unexplained] : []),
    ...facts.filter(isTaken).map(({ at }) => at),
    ...tail.slice(-8),
    ...facts.map(({ at }) => at),
  ].filter(({ line }) => 0 < line);
  const lines = new Map<number, LogLine>();
  for (const at of ranked) if (lines.size < mostExcerpt && !lines.has(at.line)) lines.set(at.line, at);
  return [...lines.values()].sort((a, b) => a.line - b.line);
}

// Before the first line, so that what was given is believed before what the text says in passing.
function givenFacts({ driver, gpus = [] }: GivenMachine): Fact[] {
  return [
    ...(driver === undefined
      ? []
      : [{ kind: "driver" as const, version: driver, of: "any" as const, at: { line: 0, text: `driver ${driver}` } }]),
    ...gpus.map((name) => ({
      kind: "gpu" as const,
      ...(/^(?:sm_|compute_)?\d/.test(name) ? { capability: name } : { name }),
      at: { line: 0, text: `GPU ${name}` },
    })),
  ];
}

/** `others`: what is supposed where the facts say nothing. */
export function explainFacts(list: Fact[], lines: number, others: Problem[] = []): Explanation {
  const facts = factsOf(inItsOwnName(list));
  const context = contextOf(facts);
  const problems = [...[...causes, told].flatMap((step) => step(facts, context)), ...others]
    .filter(({ suspects }) => 0 < suspects.length)
    .map((problem) => decided(guarded(problem), facts));
  const diagnoses = gated(order(withoutOtherVendor(problems, facts)), facts, context).map((each) => withSides(each, facts, context));
  const unexplained = unexplainedEnd(facts, diagnoses);
  const plain = unexplained && plainErrorOf(unexplained);
  const asked = plain ? undefined : questionOf(diagnoses, facts, context);
  const question = asked === undefined ? undefined : placed(facts, context).sentence(asked);
  return {
    schema: "culprit/explain@1",
    knowledge: knowledgeDay(),
    diagnoses,
    noise: facts.all("noise").map(({ at, reason }) => ({ ...at, reason })),
    warnings: warningsOf(facts),
    seen: {
      drivers: distinct(facts.all("driver").map(({ version }) => version)),
      toolkits: distinct(context.toolkits.map(({ version }) => version)),
      gpus: distinct(facts.all("gpu").flatMap(({ name }) => name ?? [])),
      frameworks: distinct(facts.all("framework").map(({ id, version }) => (version === undefined ? id : `${id} ${version}`))),
      platforms: distinct(facts.all("platform").map(({ is }) => is)),
    },
    fellBackToCpu:
      0 < facts.notices(...fallbackNotices).length ||
      facts.all("version-pair").some(({ by }) => by === "jax") ||
      facts.all("unable-to-load").some(({ by }) => by !== "paddle"),
    ...(unexplained === undefined ? {} : { unexplained }),
    ...(plain === undefined ? {} : { plain }),
    ...(question === undefined ? {} : { question }),
    next: 0 < diagnoses.length ? [] : nextSteps(lines, facts),
    lines,
  };
}

const distinct = (values: string[]) => [...new Set(values)];
const isHarmless = ({ cause }: Pick<Suspect, "cause">) => cause === "benign-warning" || cause === "not-a-mismatch";

/** What a frame understood is nobody's known message: it is told behind those, and never as certain. */
function guarded({ weight, suspects, ...rest }: Problem): Problem {
  const isGuess = suspects.every(({ evidence }) => evidence.some(({ grammar }) => grammar !== undefined));
  return {
    ...rest,
    weight: isGuess && weights.warned < weight ? weight - guessBehind : weight,
    suspects: suspects.map((suspect) =>
      suspect.certainty === "certain" && suspect.evidence.some(({ grammar }) => grammar !== undefined)
        ? { ...suspect, certainty: "likely" }
        : suspect,
    ),
  };
}
const guessBehind = 5;

/** Most likely first. What only follows from dumps is left out where a program itself said what is wrong. */
function order(problems: Problem[]): Diagnosis[] {
  const sorted = problems
    .map((problem) => ({
      ...problem,
      line: Math.min(...problem.suspects.flatMap(({ evidence }) => evidence.flatMap(({ at }) => (at.line === 0 ? [] : at.line)))),
    }))
    .sort((a, b) => b.weight - a.weight || sureness(b) - sureness(a) || a.line - b.line);
  const top = sorted[0]?.weight ?? 0;
  const kept = sorted.filter(({ weight, suspects }) => {
    if (weight < weights.hint) return top < weights.hint || (weight === top && suspects.length > 0);
    return top < weights.warned || weights.concluded <= weight;
  });
  const found: Diagnosis[] = [];
  const said = new Set<string>();
  const faults = faultsOf(kept);
  for (const [index, { suspects, symptom }] of kept.entries()) {
    const fault = faults[index]!;
    const seen = suspects[0]!.certainty === "possible" ? (symptom ?? quoted(suspects[0]!)) : undefined;
    for (const suspect of suspects) {
      const key = `${suspect.cause} ${suspect.name ?? ""}`;
      if (said.has(key)) continue;
      // A fault and "nothing is wrong" do not go together, unless the same words leave both open.
      if (
        isHarmless(suspect) &&
        suspect.cause === "benign-warning" &&
        found.some((each) => !isHarmless(each)) &&
        !suspects.some((each) => !isHarmless(each))
      )
        continue;
      said.add(key);
      const diagnosis = { ...diagnosisOf(suspect, seen), ...(fault === 1 ? {} : { fault }) };
      // What is told first is no alternative to anything.
      const isFirst = !found.some((each) => (each.fault ?? 1) === fault);
      found.push(isFirst ? { ...diagnosis, message: diagnosis.message.replace(/^or /, "") } : diagnosis);
    }
  }
  // What belongs to one fault stands together, the fault that speaks loudest first.
  return found.sort((a, b) => (a.fault ?? 1) - (b.fault ?? 1)).slice(0, 24);
}

// Of two that speak equally loudly, what nothing else fits goes first.
const sureness = ({ suspects }: Problem) => (suspects[0]!.certainty === "certain" ? 1 : 0);

/** A line of the text itself, where no better words for what is seen are known. */
function quoted({ evidence }: Suspect): string | undefined {
  const at = evidence.find((fact) => 0 < fact.at.line)?.at;
  return at && `line ${at.line} says "${at.text.length <= shownQuote ? at.text : `${at.text.slice(0, shownQuote)}…`}"`;
}
const shownQuote = 70;

/** The error with which a program ended, where nothing that was recognised is on that line. */
function unexplainedEnd(facts: Facts, diagnoses: Diagnosis[]): LogLine | undefined {
  const last = facts.notices("ended-with-error").at(-1);
  if (!last) return undefined;
  const told = new Set(diagnoses.flatMap(({ evidence }) => evidence.map(({ line }) => line)));
  // What is said once more is the same message.
  const repeated = facts.everything().some(({ at, again }) => again?.includes(last.at.line) === true && told.has(at.line));
  return told.has(last.at.line) || repeated ? undefined : last.at;
}

function diagnosisOf({ evidence, because, next, fixes, name, library, required, found, ...rest }: Suspect, symptom?: string): Diagnosis {
  const lines = new Map(evidence.map(({ at }) => [at.line === 0 ? at.text : at.line, at]));
  return {
    cause: rest.cause,
    ...(name === undefined ? {} : { name }),
    ...(library === undefined ? {} : { library }),
    ...(required === undefined || required === "" ? {} : { required }),
    ...(found === undefined || found === "" ? {} : { found }),
    certainty: rest.certainty,
    ...(symptom === undefined ? {} : { symptom }),
    message: rest.message,
    because: because ?? [],
    evidence: [...lines.values()].sort((a, b) => a.line - b.line).slice(0, 8),
    next: next ?? [],
    fixes: fixes ?? [],
  };
}

function warningsOf(facts: Facts): Explanation["warnings"] {
  const said = new Set<string>();
  return facts
    .all("advice")
    .filter(({ message }) => !said.has(message) && said.add(message))
    .map(({ id, message, at }) => ({ ...at, advice: id, message }));
}

function nextSteps(lines: number, facts: Facts): string[] {
  if (lines === 0) return ["give a file, or pipe the output of the failing command into `culprit explain -`"];
  const steps = [
    "put `culprit run --` before the command: it keeps the output and the libraries that were really loaded",
    "`culprit check` looks at the machine itself",
  ];
  const [ended] = facts.notices("ended-with-error");
  if (ended) steps.unshift(`line ${ended.at.line} ends the program with an error that is not known here: ${ended.subject}`);
  else if (facts.has("framework") || facts.has("package")) steps.unshift("paste the error itself too: the text holds only versions");
  return steps;
}
