import { culpritLine } from "../lib/asked.ts";
import { expandRanges, joinRanges } from "../lib/ranges.ts";
import type { TargetAnswer, Targets } from "../model/targets.ts";
import { severityCounts } from "./check.ts";
import { listed } from "./affected.ts";
import { headline } from "./headline.ts";
import { marks, statusWords } from "./status.ts";
import { reporting } from "../lib/shown.ts";
import { columns, count, laidOut, plain, unbroken, type Style } from "./style.ts";

/** So many can be read one by one. */
const readable = 10;

/** One line a target, or of many one for all that are alike; then what is not the same everywhere, then each finding once with its targets. */
export const targetsReport = reporting(({ targets }: Targets, style: Style = plain): string => {
  const groups = targets.length <= readable ? targets.map((answer) => [answer]) : alike(targets);
  const head = ["target", "driver", "GPUs", "result"].map((title) => style.faint(title));
  const lines = columns([head, ...groups.map((group) => rowOf(group))], "", style);
  const told = targets.filter(({ check }) => check);
  return laidOut([...lines, ...differences(told, style), ...findings(told, style)], style);
});

/** Those that are the same in all that is told of them; the fewest first, because they are what is looked for. */
function alike(targets: TargetAnswer[]): TargetAnswer[][] {
  const groups = new Map<string, TargetAnswer[]>();
  for (const answer of targets) {
    const found = answer.check?.findings
      .filter(({ severity }) => severity !== "info")
      .map(keyOf)
      .sort();
    const key = JSON.stringify([rowOf([answer]).slice(1), [...factsOf(answer)], found]);
    groups.set(key, [...(groups.get(key) ?? []), answer]);
  }
  return [...groups.values()].sort((one, another) => one.length - another.length);
}

function rowOf(group: TargetAnswer[]): string[] {
  const { target, driver, gpus = [], check, problem = "" } = group[0]!;
  const name =
    group.length === 1
      ? target
      : `${group.length} alike: ${few(
          group.map((answer) => answer.target),
          3,
        )}`;
  // Each names its own host; why it cannot be looked at may be the same for many.
  if (!check) return [name, "", "", `✗ ${problem.replace(`cannot look at ${target.replace(/^ssh:/, "")}: `, "")}`];
  const wrong = severityCounts(check.findings.filter(({ severity }) => severity !== "info"));
  return [
    name,
    driver ?? "-",
    gpusText(gpus),
    `${marks[check.status]} ${check.status === "findings" ? listed(wrong) : statusWords(check)}`,
  ];
}

const keyOf = ({ rule, subject }: { rule: string; subject: string }) => `${rule} ${subject}`;

function gpusText(gpus: string[]): string {
  const kinds = [...new Set(gpus)];
  return (
    kinds
      .map((kind) => [gpus.filter((name) => name === kind).length, kind] as const)
      .map(([number, kind]) => (number === 1 ? kind : `${number} × ${kind}`))
      .join(", ") || "-"
  );
}

/** Facts that most targets share, and who has another. */
function differences(targets: TargetAnswer[], style: Style): string[] {
  const facts = targets.map((answer) => factsOf(answer));
  const names = [...new Set(facts.flatMap((each) => [...each.keys()]))];
  const lines = names.flatMap((name) => {
    const groups = new Map<string, string[]>();
    targets.forEach(({ target }, index) => {
      const value = facts[index]!.get(name) ?? "none";
      groups.set(value, [...(groups.get(value) ?? []), target]);
    });
    if (groups.size < 2) return [];
    const [most, ...others] = [...groups].sort(([, one], [, another]) => another.length - one.length);
    const isMost = most![1].length > (others[0]?.[1].length ?? 0);
    const shown = isMost ? others : [most!, ...others];
    return [`  ${name}: ${shown.map(([value, who]) => `${value} on ${few(who)}`).join("; ")}${isMost ? ` (elsewhere ${most![0]})` : ""}`];
  });
  return lines.length === 0 ? [] : ["", style.strong("What differs"), ...lines];
}

function factsOf({ driver, gpus = [], check }: TargetAnswer): Map<string, string> {
  const facts = new Map<string, string>();
  if (driver !== undefined) facts.set("driver", driver);
  if (0 < gpus.length) facts.set("GPUs", gpusText(gpus));
  for (const { program, version } of check?.judged ?? [])
    if (version !== undefined)
      facts.set(program, [...new Set([...(facts.get(program)?.split(" and ") ?? []), version])].sort().join(" and "));
  return facts;
}

function findings(targets: TargetAnswer[], style: Style): string[] {
  const groups = new Map<string, { message: string; isError: boolean; who: string[] }>();
  for (const { target, check } of targets)
    for (const finding of check!.findings) {
      const { severity } = finding;
      if (severity === "info") continue;
      const key = keyOf(finding);
      const group = groups.get(key) ?? { message: headline(finding), isError: severity === "error", who: [] };
      groups.set(key, { ...group, who: [...group.who, target] });
    }
  if (groups.size === 0) return [];
  const lines = [...groups.values()].map(
    ({ message, isError, who }) => `  ${(isError ? style.bad : style.strong)(isError ? "✗" : "!")} ${message}\n    on ${few(who)}`,
  );
  return [
    "",
    style.strong("What is wrong"),
    ...lines,
    "",
    style.faint(`${unbroken(`\`${culpritLine(["check", [...groups.values()][0]!.who[0]!], style.asked)}\``)} says why and what to do`),
  ];
}

function few(names: string[], most = 6): string {
  const joined = joinRanges(names);
  if (joined.length <= most) return joined.join(", ");
  const shown = joined.slice(0, most - 1);
  const left = names.length - shown.reduce((sum, each) => sum + (expandRanges(each)?.length ?? 1), 0);
  return `${shown.join(", ")} and ${count(left, "other")}`;
}
