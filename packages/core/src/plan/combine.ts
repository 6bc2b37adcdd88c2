// One plan for several findings: fixes that are simulated one after the other, and proven together.
import type { Finding, Proof } from "../model/finding.ts";
import type { Plan, ProposedFix } from "../model/fix.ts";
import type { Candidate, Judge, Situation } from "./fix.ts";
import { identityOf } from "../lib/compare.ts";
import { isProven, optionsFor, optionsOf, proofOf, type Option } from "./options.ts";

/** What can be applied: it lasts, and needs nobody's decision. What holds for one command or this shell, nobody can do for the user. */
const canApply = ({ steps, safety }: Pick<Candidate, "steps" | "safety">) => 0 < steps.length && safety === "safe";

/** A plan must not take longer than what it plans: each trial is a whole diagnosis. */
const mostTrials = 40;

type Choice = Pick<Plan, "chosen" | "proof" | "conflicts">;

/** Fixes that can be applied in this order, remove as much as can be removed, and bring nothing new. */
export async function combine(now: Situation, judge: Judge, wanted: Finding[], options: Option[]): Promise<Choice> {
  const alone = choose(wanted, options);
  const conflicts = [...alone.conflicts];
  let chosen: ProposedFix[] = alone.chosen.map(({ fix }) => fix);
  let after = alone.chosen.length === 1 ? alone.chosen[0]!.after! : now;
  if (1 < alone.chosen.length) {
    const all = await judge(async (snapshot, programs) => {
      let facts: typeof snapshot | undefined = snapshot;
      for (const { simulate } of alone.chosen) facts = facts && (await simulate!(facts, programs));
      return facts;
    }, now.snapshot);
    if (all && proofOf(now, all, wanted).adds.length === 0) after = all;
    else ({ chosen, after } = await oneByOne(now, judge, wanted, alone.chosen, conflicts));
  }
  // What is left may be cured from here: a second line of the same file, or what the first fix brought to light.
  let trials = 0;
  const counted: Judge = (change, snapshot) => {
    trials += 1;
    return judge(change, snapshot);
  };
  for (;;) {
    const there = new Set(after.check.findings.map(identityOf));
    const left = [
      ...wanted.filter((each) => there.has(identityOf(each))),
      // What came to light is the next thing to do.
      ...revealedIn(after, proofOf(now, after, wanted)),
    ];
    const next = await shortest(after, left, counted, () => mostTrials < trials);
    if (!next) break;
    chosen = [...chosen, ...next.chosen];
    after = next.after;
  }
  const proof = proofOf(now, after, wanted);
  const left = new Set(after.check.findings.map(identityOf));
  return {
    chosen,
    proof: { ...proof, leaves: wanted.map(identityOf).filter((each) => left.has(each)) },
    // A fix that was set aside and planned anew is no conflict any more.
    conflicts: conflicts.filter(({ finding }) => left.has(finding)),
  };
}

const revealedIn = ({ check }: Situation, { reveals = [] }: Proof) => check.findings.filter((each) => reveals.includes(identityOf(each)));

/** For each finding that is not cured yet the first fix that can be applied beside those before it. */
function choose(wanted: Finding[], options: Option[]): { chosen: Option[]; conflicts: Choice["conflicts"] } {
  const chosen: Option[] = [];
  const conflicts: Choice["conflicts"] = [];
  for (const finding of wanted.map(identityOf)) {
    if (chosen.some((each) => isProven(each, finding))) continue;
    const applicable = optionsOf(options, finding).filter(({ fix }) => canApply(fix));
    const clashes = applicable.map((option) => chosen.map(({ fix }) => clashOf(fix, option.fix)).find((clash) => clash !== undefined));
    const free = applicable.find((_, index) => clashes[index] === undefined);
    if (free) chosen.push(free);
    else if (clashes[0] !== undefined) conflicts.push({ finding, fix: applicable[0]!.fix.title, because: clashes[0] });
  }
  return { chosen, conflicts };
}

/** Why two fixes, each planned for the machine as it is, cannot both be applied as they are. */
function clashOf(first: ProposedFix, second: ProposedFix): string | undefined {
  const shared = first.changes.find((change) => second.changes.includes(change));
  if (shared !== undefined) return `“${first.title}” changes ${shared}, too`;
  const variable = first.variables?.find(({ name, value }) =>
    second.variables?.some((other) => other.name === name && other.value !== value),
  );
  return variable && `“${first.title}” gives ${variable.name} another value`;
}

/** Where fixes do harm together, those stay out that do it. */
async function oneByOne(
  now: Situation,
  judge: Judge,
  wanted: Finding[],
  options: Option[],
  conflicts: Choice["conflicts"],
): Promise<{ chosen: ProposedFix[]; after: Situation }> {
  const chosen: ProposedFix[] = [];
  let after = now;
  for (const { fix, simulate } of options) {
    const tried = await judge(simulate!, after.snapshot);
    const adds = tried && proofOf(now, tried, wanted).adds;
    if (tried && adds?.length === 0) {
      chosen.push(fix);
      after = tried;
    } else if (adds) {
      conflicts.push({ finding: fix.cures[0]!, fix: fix.title, because: `together with the others it would bring ${adds.join(" and ")}` });
    }
  }
  return { chosen, after };
}

/** Deeper than that, nobody follows. */
const mostSteps = 4;

interface Way {
  chosen: ProposedFix[];
  after: Situation;
}

/** The fewest fixes that help: a short way is looked for before a longer one. */
async function shortest(now: Situation, left: Finding[], judge: Judge, isEnough: () => boolean): Promise<Way | undefined> {
  const known = new Map<Situation, Option[]>();
  const optionsAt = async (situation: Situation, wanted: Finding[]): Promise<Option[]> => {
    const found =
      known.get(situation) ?? (isEnough() ? [] : (await optionsFor(situation, wanted, judge, canApply)).filter(({ after }) => after));
    known.set(situation, found);
    return found;
  };
  for (let steps = 1; steps <= mostSteps; steps += 1) {
    const way = await further(now, left, optionsAt, steps);
    if (way) return way;
  }
  return undefined;
}

/**
 * The next fix, planned for the facts as those before it leave them; or several, where the first brings something to light that only
 * the next one removes, or where a finding has two causes, and each fix takes one of them away.
 */
async function further(
  now: Situation,
  left: Finding[],
  optionsAt: (situation: Situation, wanted: Finding[]) => Promise<Option[]>,
  steps: number,
): Promise<Way | undefined> {
  if (left.length === 0 || steps === 0) return undefined;
  const wanted = new Set(left.map(identityOf));
  const options = await optionsAt(now, left);
  const isHelpful = ({ fix }: Option) => fix.cures.some((each) => wanted.has(each));
  const clean = options.find((option) => isHelpful(option) && option.fix.proof.adds.length === 0);
  if (clean) return { chosen: [clean.fix], after: clean.after! };
  for (const option of options) {
    const { fix } = option;
    const after = option.after!;
    const goal = isHelpful(option)
      ? after.check.findings.filter((each) => fix.proof.adds.includes(identityOf(each)))
      : withOtherCause(left, after);
    const next = await further(after, goal, optionsAt, steps - 1);
    const proof = next && proofOf(now, next.after, left);
    if (next && proof && proof.adds.length === 0 && proof.removes.some((each) => wanted.has(each)))
      return { chosen: [fix, ...next.chosen], after: next.after };
  }
  return undefined;
}

/** Findings that a change did not remove, but that have other files or variables to blame after it: half of the way. */
function withOtherCause(left: Finding[], { check }: Situation): Finding[] {
  const before = new Map(left.map((each) => [identityOf(each), causesOf(each)]));
  return check.findings.filter((each) => {
    const known = before.get(identityOf(each));
    return known !== undefined && known !== causesOf(each);
  });
}

const causesOf = ({ facts: { loads = [], variables = [] } }: Finding): string =>
  JSON.stringify([loads.map(({ file, via }) => [file, via]), variables.map(({ name, elements }) => [name, elements])]);
