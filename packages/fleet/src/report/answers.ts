import type { FoundVersion, GroupedFinding, Likeness, Regression } from "../store/questions.ts";
import type { Client, Sent } from "../client.ts";
import type { Deviation } from "../fleet.ts";
import type { NodeRow } from "../store/nodes.ts";
import { likenessNotes } from "./likeness.ts";
import { amount, moment, some, table } from "./text.ts";

const marks: { [status: string]: string } = {
  ok: "✓",
  findings: "✗",
  incomplete: "?",
  "nothing-to-check": "–",
  waiting: "…",
  damaged: "?",
};
/** As `culprit check` marks its findings: a warning breaks nothing. */
const markOf = ({ status, errors }: Pick<NodeRow, "status" | "errors">): string =>
  status === "findings" && errors === 0 ? "!" : (marks[status] ?? "?");
const words: { [status: string]: string } = {
  ok: "fine",
  incomplete: "not all could be judged",
  "nothing-to-check": "nothing to check",
  waiting: "not judged yet",
  damaged: "cannot be judged",
};

const said = ({ status, errors, warnings }: Pick<NodeRow, "status" | "errors" | "warnings">): string =>
  status === "findings"
    ? [amount(errors, "error"), amount(warnings, "warning")].filter((each) => !each.startsWith("0 ")).join(", ")
    : (words[status] ?? status);

export function nodesReport(nodes: Sent<NodeRow>[]): string {
  if (nodes.length === 0) return "No node was pushed yet: `culprit push` on each of them does it.\n";
  const rows = nodes.map((each) => [markOf(each), each.name, each.kind, each.group, moment(each.lastSeen), said(each)]);
  const stacks = new Set(nodes.map(({ stack }) => stack)).size;
  return `${table(["", "node", "kind", "group", "last seen (UTC)", ""], rows)}\n${amount(nodes.length, "node")}, ${amount(stacks, "distinct stack")}\n`;
}

export function nodeReport(node: Awaited<ReturnType<Client["node"]>>): string {
  const { name, kind, group, findings, unknown, history } = node;
  const open = findings.filter(({ gone }) => gone === null);
  const gone = findings.filter((each) => each.gone !== null);
  return [
    `${markOf(node)} ${name}  ${[kind, ...(group === "" ? [] : [`group ${group}`]), said(node)].join(", ")}`,
    `  first seen ${moment(node.firstSeen)}, last seen ${moment(node.lastSeen)}, changed ${moment(node.changed)} (UTC)`,
    ...open.flatMap(({ severity, message, rule, subject, firstSeen }) => [
      "",
      `${severity}: ${message}`,
      `  ${rule}:${subject}, since ${moment(firstSeen)}`,
    ]),
    ...(unknown.length === 0 ? [] : ["", "could not be judged:"]),
    ...unknown.slice(0, 6).map(({ subject, reason }) => `  ${subject}: ${reason}`),
    ...(6 < unknown.length ? [`  and ${unknown.length - 6} more`] : []),
    ...(gone.length === 0 ? [] : ["", "gone:"]),
    ...gone.map(({ rule, subject, firstSeen, gone: at }) => `  ${rule}:${subject}, ${moment(firstSeen)} to ${moment(at!)}`),
    ...(history.length < 2
      ? []
      : ["", `It changed ${amount(history.length - 1, "time")}: ${some(history.slice(0, -1).map(({ at }) => moment(at)))}.`]),
    "",
  ].join("\n");
}

export function findingsReport(findings: Sent<GroupedFinding>[]): string {
  if (findings.length === 0) return "Nothing is known to be wrong.\n";
  const blocks = findings.map(({ severity, message, rule, subject, nodes, stacks, since }) =>
    [
      `${severity}: ${message}`,
      `  ${rule}:${subject}, since ${moment(since)}`,
      `  on ${amount(nodes.length, "node")} (${amount(stacks, "stack")}): ${some(nodes)}`,
    ].join("\n"),
  );
  return `${blocks.join("\n\n")}\n`;
}

export function versionsReport(bound: string, found: FoundVersion[], unknown: string[]): string {
  const nodes = new Set(found.flatMap((each) => each.nodes));
  const lines = found.flatMap(({ name, version, nodes: its, places }) => [
    `${name} ${version ?? "of unknown version"}: ${amount(its.length, "node")}: ${some(its)}`,
    ...(places.filter((each) => each !== "").length === 0
      ? []
      : [
          `  ${some(
            places.filter((each) => each !== ""),
            3,
          )}`,
        ]),
  ]);
  const open =
    unknown.length === 0
      ? []
      : [
          /^\s*driver\b/i.test(bound)
            ? `? of ${amount(unknown.length, "machine")} no driver is known: ${some(unknown)}`
            : `? on ${amount(unknown.length, "node")} the version of a copy cannot be told: ${some(unknown)}`,
        ];
  return `${[...lines, ...open, ...(lines.length === 0 ? [] : [""]), `${bound}: ${amount(nodes.size, "node")}`].join("\n")}\n`;
}

/** Variables of images go on for pages; all of it is in `--json`. */
const beginning = (value: string, most = 120): string =>
  value.length <= most ? value : `${value.slice(0, most)}… (${value.length} characters)`;

export function differencesReport(differences: Deviation[], groups: Likeness[]): string {
  const blocks = differences.map(({ node, group, has, of, differences: its, facts }) =>
    [
      `${node} differs from ${has} of ${of}${group === "" ? "" : ` in ${group}`}:`,
      ...its.slice(0, 12).map(({ what, usual, here }) => `  ${what}: ${beginning(usual)} → ${beginning(here)}`),
      ...(12 < its.length ? [`  and ${its.length - 12} more`] : []),
      ...(facts.amount === 0 ? [] : [`  ${amount(facts.amount, "fact")}: ${some(facts.paths, 5)}`]),
    ].join("\n"),
  );
  return `${[...blocks, ...likenessNotes(groups, differences.length)].join("\n\n")}\n`;
}

export function regressionsReport(since: string, regressions: Sent<Regression>[]): string {
  if (regressions.length === 0) return `Nothing became worse since ${moment(since)} UTC.\n`;
  const groups = new Map<string, Sent<Regression>[]>();
  for (const each of regressions) {
    const key = `${each.severity}: ${each.message}\n  ${each.rule}:${each.subject}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const blocks = [...groups].map(
    ([head, its]) =>
      `${head}, since ${moment(its.map((each) => each.since).sort()[0]!)}\n  on ${amount(its.length, "node")}: ${some(its.map(({ node }) => node))}`,
  );
  return `${blocks.join("\n\n")}\n`;
}
