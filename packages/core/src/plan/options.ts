// Everything that could be done about some findings, each tried out on a copy of the facts.
import { identityOf } from "../lib/compare.ts";
import type { Finding, Proof } from "../model/finding.ts";
import { reaches, type ProposedFix } from "../model/fix.ts";
import type { Candidate, Judge, Situation } from "./fix.ts";
import { fixes } from "./fixes/index.generated.ts";

/** A fix that was tried out, and the facts after it; without those it is not proven. */
export interface Option {
  fix: ProposedFix;
  /** Findings that it was proposed for. */
  meant: Set<string>;
  after?: Situation;
  simulate?: Candidate["simulate"];
  wider?: true;
  workaround?: true;
}

/** What is wrong, without what is only a note. */
const loudIn = ({ check }: Situation) =>
  new Map(check.findings.filter(({ severity }) => severity !== "info").map((each) => [identityOf(each), each]));

/** What a change does to findings; one that is only a note does not count, unless it was asked for. */
export function proofOf(before: Situation, after: Situation, wanted: Finding[]): Proof {
  const there = new Set(before.check.findings.map(identityOf));
  const left = new Set(after.check.findings.map(identityOf));
  const asked = new Set([...loudIn(before).keys(), ...wanted.map(identityOf)]);
  const came = [...loudIn(after)].filter(([identity]) => !there.has(identity));
  const isRevealed = revealing(before, after);
  const reveals = came.filter(([, finding]) => isRevealed(finding)).map(([identity]) => identity);
  return {
    removes: [...there].filter((each) => asked.has(each) && !left.has(each)),
    adds: came.map(([identity]) => identity).filter((each) => !reveals.includes(each)),
    ...(reveals.length === 0 ? {} : { reveals }),
  };
}

/**
 * Whether a finding that came was only hidden by another one: whatever it touches was broken before, and of the same program something works
 * now that did not.
 */
function revealing(before: Situation, after: Situation): (finding: Finding) => boolean {
  const brokenIn = ({ check }: Situation) =>
    new Set(check.findings.flatMap(({ breaks }) => breaks).map(({ framework, activity }) => `${framework}\n${activity}`));
  const [was, is] = [brokenIn(before), brokenIn(after)];
  const healed = new Set([...was].filter((each) => !is.has(each)).map((each) => each.split("\n")[0]!));
  return ({ breaks, endangers }) => {
    const touched = [...breaks, ...endangers];
    return 0 < touched.length && touched.every(({ framework, activity }) => healed.has(framework) && was.has(`${framework}\n${activity}`));
  };
}

/** Fixes that do the same to the facts are judged once. `isOf` leaves out what is not asked for before it costs anything. */
export async function optionsFor(
  now: Situation,
  wanted: Finding[],
  judge: Judge,
  isOf: (candidate: Candidate) => boolean = () => true,
): Promise<Option[]> {
  const options = new Map<string, Option>();
  for (const finding of wanted) {
    for (const kind of fixes) {
      for (const { simulate, wider, workaround, of, ...candidate } of kind.proposes(now.stack, finding, now.snapshot)) {
        if (!isOf(candidate)) continue;
        const { reach, commands, steps, variables } = candidate;
        const key = JSON.stringify([kind.id, of, reach, commands, steps, variables]);
        let option = options.get(key);
        if (!option) {
          const after = simulate && (await judge(simulate, now.snapshot));
          const proof = after ? proofOf(now, after, wanted) : { removes: [], adds: [] };
          option = { fix: { fix: kind.id, ...candidate, proof, cures: proof.removes }, meant: new Set() };
          if (after) Object.assign(option, { after, simulate });
          if (wider) option.wider = true;
          if (workaround) option.workaround = true;
          options.set(key, option);
        }
        option.meant.add(identityOf(finding));
      }
    }
  }
  return [...options.values()];
}

export const isProven = ({ fix, after }: Option, finding: string) =>
  after !== undefined && fix.proof.removes.includes(finding) && fix.proof.adds.length === 0;

/** Those that remove a finding, whichever they were proposed for: least invasive first, and of those the ones that cure most. */
export function optionsOf(options: Option[], finding: string): Option[] {
  const isEnough = (own: Option, { fix }: Option) =>
    !own.wider &&
    isProven(own, finding) &&
    own.fix.fix === fix.fix &&
    own.fix.reach === fix.reach &&
    fix.cures.length <= own.fix.cures.length;
  return (
    options
      // What was tried out and does not help is not shown.
      .filter((each) => isProven(each, finding) || (!each.after && each.fix.safety === "display-only" && each.meant.has(finding)))
      .filter((each) => !each.wider || !options.some((other) => isEnough(other, each)))
      .toSorted(
        (a, b) =>
          Number(a.fix.safety === "display-only") - Number(b.fix.safety === "display-only") ||
          Number(a.after === undefined) - Number(b.after === undefined) ||
          Number(a.workaround ?? false) - Number(b.workaround ?? false) ||
          reaches.indexOf(a.fix.reach) - reaches.indexOf(b.fix.reach) ||
          (a.fix.proof.reveals?.length ?? 0) - (b.fix.proof.reveals?.length ?? 0) ||
          b.fix.cures.length - a.fix.cures.length,
      )
  );
}
