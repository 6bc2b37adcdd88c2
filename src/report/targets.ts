import { visible } from "../lib/lines.ts";
import type { TargetAnswer, Targets } from "../model/targets.ts";
import { severityCounts } from "./check.ts";
import { listed } from "./affected.ts";
import { columns, count, plain, type Style } from "./style.ts";

/** One line a target, then what is not the same everywhere, then each finding once with the targets that have it. */
export function targetsReport({ targets }: Targets, style: Style = plain): string {
  const lines = columns([["target", "driver", "GPUs", "result"], ...targets.map((answer) => rowOf(answer))], "");
  const [head = "", ...rows] = lines;
  const told = targets.filter(({ check }) => check);
  return `${[style.faint(head), ...rows, ...differences(told, style), ...findings(told, style)].join("\n")}\n`;
}

function rowOf({ target, driver, gpus = [], check, problem }: TargetAnswer): string[] {
  if (!check) return [target, "", "", visible(`✗ ${problem}`)];
  const wrong = severityCounts(check.findings.filter(({ severity }) => severity !== "info"));
  return [target, driver ?? "-", gpusText(gpus), wrong.length === 0 ? "✓ nothing wrong found" : `✗ ${listed(wrong)}`];
}

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
  for (const { programs, versions } of check?.examined ?? [])
    programs.forEach((program, index) => {
      const version = versions[index];
      if (version) facts.set(program, [...new Set([...(facts.get(program)?.split(" and ") ?? []), version])].sort().join(" and "));
    });
  return facts;
}

function findings(targets: TargetAnswer[], style: Style): string[] {
  const groups = new Map<string, { message: string; isError: boolean; who: string[] }>();
  for (const { target, check } of targets)
    for (const { rule, subject, message, severity } of check!.findings) {
      if (severity === "info") continue;
      const key = `${rule} ${subject}`;
      const group = groups.get(key) ?? { message, isError: severity === "error", who: [] };
      groups.set(key, { ...group, who: [...group.who, target] });
    }
  if (groups.size === 0) return [];
  const lines = [...groups.values()].map(
    ({ message, isError, who }) => `  ${(isError ? style.bad : style.strong)(isError ? "✗" : "!")} ${visible(message)}\n    on ${few(who)}`,
  );
  return [
    "",
    style.strong("What is wrong"),
    ...lines,
    "",
    style.faint(`\`culprit check ${[...groups.values()][0]!.who[0]}\` says why and what to do`),
  ];
}

const few = (names: string[]) =>
  names.length <= 6 ? names.join(", ") : `${names.slice(0, 5).join(", ")} and ${count(names.length - 5, "other")}`;
