import type { Finding } from "../model/finding.ts";
import { reaches, type Plan, type ProposedFix } from "../model/fix.ts";
import { combine } from "./combine.ts";
import type { Judge, Situation } from "./fix.ts";
import { identityOf } from "../lib/compare.ts";
import { optionsFor, optionsOf } from "./options.ts";

/** Fixes for findings, each proven on a copy of the facts: the finding is gone, and no other came; and one choice for all of them. */
export async function planFixes(now: Situation, judge: Judge, wanted: Finding[]): Promise<Plan> {
  const options = await optionsFor(now, wanted, judge);
  const choice = await combine(now, judge, wanted, options);
  const findings = wanted.map((finding): Plan["findings"][number] => {
    const { rule, subject, severity, message, short, certainty, shell, breaks, endangers } = finding;
    const own = optionsOf(options, identityOf(finding)).map(({ fix }) => fix);
    // What only several fixes together remove, they remove as one; and so they do what comes to light on the way.
    const stays = new Set(choice.proof.reveals);
    const isCured = own.some(
      ({ proof, safety }) =>
        0 < proof.removes.length && safety !== "display-only" && (proof.reveals ?? []).every((each) => stays.has(each)),
    );
    const shown = !isCured && choice.proof.removes.includes(identityOf(finding)) ? [asOne(choice), ...own] : own;
    // Advice in words is for where no kind of fix speaks, or only one for the whole machine that is not proven: it may know something milder.
    const isSpoken = shown.some(({ fix, reach, proof }) => fix !== "by-hand" && (reach !== "machine" || 0 < proof.removes.length));
    const spoken = shown.filter(({ fix }) => !isSpoken || fix !== "by-hand");
    return {
      rule,
      subject,
      severity,
      message,
      ...(short === undefined ? {} : { short }),
      certainty,
      ...(shell === undefined ? {} : { shell }),
      breaks,
      endangers,
      fixes: withoutRepeats(spoken),
    };
  });
  return { schema: "culprit/fix@1", status: now.check.status, findings, ...choice };
}

/** Advice that a kind of fix gives as well is given once, by that one; what is left of it comes behind. */
function withoutRepeats(all: ProposedFix[]): ProposedFix[] {
  const others = all.filter(({ fix }) => fix !== "by-hand");
  const said = new Set(others.flatMap(({ commands }) => commands));
  const repeating = all.filter(({ fix, commands }) => fix === "by-hand" && commands.some((line) => said.has(line)));
  return [...all.filter((fix) => !repeating.includes(fix)), ...repeating.flatMap((fix) => rest(fix, said))];
}

function rest(fix: ProposedFix, said: Set<string>): ProposedFix[] {
  const isRemark = (line: string | undefined) => line?.startsWith("# ") === true && line.endsWith(":");
  const left = fix.commands.filter((line, index) => !said.has(line) && !(isRemark(line) && said.has(fix.commands[index + 1] ?? "")));
  if (!said.has(fix.commands[0]!)) return [{ ...fix, commands: left }];
  const [title, ...commands] = left;
  return title === undefined ? [] : [{ ...fix, title: title.replace(/^# (?:or |or, )?/, "").replace(/:$/, ""), commands }];
}

function asOne({ chosen, proof: { leaves: _leaves, ...proof } }: Pick<Plan, "chosen" | "proof">): ProposedFix {
  const warnings = [...new Set(chosen.flatMap(({ warning }) => warning ?? []))];
  return {
    fix: "together",
    title: chosen.map(({ title }) => title).join("; then "),
    reach: chosen.map(({ reach }) => reach).sort((a, b) => reaches.indexOf(b) - reaches.indexOf(a))[0]!,
    safety: "safe",
    commands: chosen.flatMap(({ commands }) => commands),
    steps: chosen.flatMap(({ steps }) => steps),
    ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
    cures: proof.removes,
    changes: [...new Set(chosen.flatMap(({ changes }) => changes))],
    proof,
  };
}
