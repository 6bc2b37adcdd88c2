import { adviceLine } from "@culprit/core/lib/shell";
import type { SupposedFinding, WhatIfAnswer } from "../whatif.ts";
import { amount, some } from "./text.ts";

export function whatIfReport(answer: WhatIfAnswer): string {
  const { findings, gone, unknown, waves, nodes } = answer;
  if (nodes.length === 0) return "No node was pushed yet.\n";
  const added = inOneBlock(findings.filter(({ effect, severity }) => effect === "new" && severity !== "info"));
  return `${[
    headline(answer),
    ...section("would break", added.filter(({ severity }) => severity === "error").map(block)),
    ...section("would be at risk or slower", added.filter(({ severity }) => severity === "warning").map(block)),
    ...section("cannot be told", untold(unknown)),
    ...section("wrong already, with or without it", alreadyThere(answer)),
    ...section(
      "would be gone",
      gone.map(({ message, nodes: its }) => `  ${message}\n    ${on(its)}`),
    ),
    ...section(
      "in this order",
      waves.map(({ wave, why, nodes: its }) => `  ${wave}. ${amount(its.length, "node")}: ${some(its)}\n     ${why}`),
    ),
  ].join("\n")}\n`;
}

/** What is wrong today and would stay so is no reason against a roll-out: it is named, for those whom nothing else concerns. */
export function wrongAlready({ findings, nodes }: Pick<WhatIfAnswer, "findings" | "nodes">): { message: string; nodes: string[] }[] {
  const broken = new Set(nodes.flatMap(({ name, outcome }) => (outcome === "already-broken" ? [name] : [])));
  return inOneBlock(findings.filter(({ effect, severity }) => effect === "already" && severity === "error"))
    .map(({ message, nodes: its }) => ({ message, nodes: its.filter((name) => broken.has(name)) }))
    .filter(({ nodes: its }) => 0 < its.length);
}

function alreadyThere(answer: WhatIfAnswer): string[] {
  const there = wrongAlready(answer);
  const lines = there.slice(0, 6).map(({ message, nodes }) => `  ${message}\n    ${on(nodes)}`);
  return there.length <= 6 ? lines : [...lines, `  and ${there.length - 6} more: \`culprit-fleet query findings\``];
}

/** What the same nodes leave open. */
export function untoldByNodes(unknown: WhatIfAnswer["unknown"]): { nodes: string[]; reasons: string[] }[] {
  const byNodes = new Map<string, { nodes: string[]; reasons: string[] }>();
  for (const { nodes, subject, reason } of unknown) {
    const key = JSON.stringify(nodes);
    const known = byNodes.get(key) ?? { nodes, reasons: [] };
    known.reasons.push(`${subject}: ${reason}`);
    byNodes.set(key, known);
  }
  return [...byNodes.values()];
}

const untold = (unknown: WhatIfAnswer["unknown"]): string[] =>
  untoldByNodes(unknown).map(({ nodes, reasons }) =>
    [
      ...reasons.slice(0, 3).map((reason) => `? ${reason}`),
      ...(3 < reasons.length ? [`  and ${reasons.length - 3} more`] : []),
      `    ${on(nodes)}`,
    ].join("\n"),
  );

/** What reads the same is told once, though its reasons may differ from stack to stack. */
export function inOneBlock(findings: SupposedFinding[]): SupposedFinding[] {
  const all = new Map<string, SupposedFinding>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.rule, finding.subject, finding.message, finding.severity]);
    const known = all.get(key);
    all.set(key, known ? { ...known, nodes: [...known.nodes, ...finding.nodes] } : finding);
  }
  return [...all.values()];
}

function supposedWords({ driver, gpus, with: everywhere = [], replace = [], without = [], to, places = [] }: WhatIfAnswer): string {
  const machine = [driver === undefined ? undefined : `driver ${driver}`, gpus === undefined ? undefined : gpus.join(", ")];
  const there = places.map(({ name, nodes }) => `${name}: ${amount(nodes.length, "node")}`).join("; ");
  return [
    machine.filter((each) => each !== undefined).join(" with "),
    ...everywhere.map((each) => `with ${each} everywhere`),
    ...replace.map((each) => `with ${each} where it is`),
    ...without.map((each) => `without ${each}`),
    to === undefined ? "" : `moved to ${to} (${there})`,
  ]
    .filter((each) => each !== "")
    .join(", ");
}

function headline(answer: WhatIfAnswer): string {
  const { pool, judged, outcomes } = answer;
  const said = [
    [outcomes.breaks, "would break"],
    [outcomes.endangered, "would be endangered"],
    [outcomes.unknown, "cannot be told"],
    [outcomes["already-broken"], "broken already"],
    [outcomes["nothing-to-check"], "with nothing to check"],
    [outcomes.fine, "would be fine"],
    [outcomes.untouched, "would not be changed"],
  ] as const;
  const counts = said.filter(([number]) => 0 < number).map(([number, words]) => `${number.toLocaleString("en")} ${words}`);
  return `${supposedWords(answer)}${pool === undefined ? "" : ` in ${pool}`}: ${amount(judged.nodes, "node")} (${amount(judged.stacks, "stack")}): ${counts.join(", ")}`;
}

const on = (nodes: string[]): string => `on ${amount(nodes.length, "node")}: ${some(nodes)}`;

function section(title: string, blocks: string[]): string[] {
  return blocks.length === 0 ? [] : ["", `${title}:`, ...blocks];
}

function block({ message, severity, rule, subject, nodes, advice, breaks, because, evidence, at = [] }: SupposedFinding): string {
  const activities = [...new Set(breaks.map(({ framework, activity }) => `${framework} ${activity}`))];
  return [
    // As `culprit check` marks its findings: a warning breaks nothing.
    `${severity === "error" ? "✗" : "!"} ${message}`,
    `    ${rule}:${subject}`,
    ...because.slice(0, 3).map((reason) => `    because ${reason}`),
    ...evidence.slice(0, 3).map((place) => `    ${place}`),
    ...(activities.length === 0 ? [] : [`    breaks ${some(activities)}`]),
    `    ${on(nodes)}`,
    ...(at.length === 0 ? [] : [`    there with ${some(at, 3)}`]),
    ...advice.slice(0, 1).map((each) => `    first: ${adviceLine(each)}`),
  ].join("\n");
}
