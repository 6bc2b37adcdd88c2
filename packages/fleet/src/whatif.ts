// What a roll-out would do, from verdicts on stacks as they are and as they would be. Pure.
import { openQuestions, type Check, type Finding } from "@culprit/core";
import { hasChanges, type Supposed } from "./judge/judge.ts";
import type { RollOutNode } from "./store/questions.ts";

/**
 * Worst first: fails then and does not now; at risk then; nobody can tell; wrong then as now; nothing there that could be; nothing wrong then;
 * has nothing of what would be changed.
 */
const outcomes = ["breaks", "endangered", "unknown", "already-broken", "nothing-to-check", "fine", "untouched"] as const;
export type Outcome = (typeof outcomes)[number];

/** A finding of the supposed fleet, with the nodes that would have it. */
export interface SupposedFinding extends Finding {
  /** `new`: not there as it is now. */
  effect: "new" | "already";
  nodes: string[];
  /** Where they would run, if they were moved: names of places. */
  at?: string[];
}

/** Machines that are alike in what they have for what would run on them. */
export interface Place {
  /** `driver 580.95.05, NVIDIA B200` */
  name: string;
  driver?: string;
  gpus?: string[];
  nodes: string[];
}

export interface WhatIfNode {
  name: string;
  kind: string;
  group: string;
  outcome: Outcome;
}

export interface Wave {
  wave: number;
  /** What these have in common. */
  why: string;
  nodes: string[];
}

export interface WhatIfAnswer {
  schema: "culprit/whatif@1";
  driver?: string;
  gpus?: string[];
  with?: string[];
  replace?: string[];
  without?: string[];
  pool?: string;
  /** The group that they would be moved to, and what its machines have. */
  to?: string;
  places?: Place[];
  judged: { nodes: number; stacks: number };
  outcomes: { [outcome in Outcome]: number };
  findings: SupposedFinding[];
  /** Findings of today that would be gone; where something else breaks first, or less can be told then, they are only hidden, and not told. */
  gone: { rule: string; subject: string; message: string; nodes: string[] }[];
  /** What could not be told then; of what cannot be told now either, only where that is all that is left open. */
  unknown: { subject: string; kind: string; reason: string; nodes: string[] }[];
  nodes: WhatIfNode[];
  waves: Wave[];
}

/** One stack: what is said of it as it is, and as it would be; absent where it could not be judged, with the reason, or was not judged yet. */
export interface Pair {
  now?: Check;
  supposed?: Check;
  problem?: string;
  /** The changes would change nothing there. */
  untouched?: boolean;
}

/** Every stack by its digest, as it would be; where something is moved, once for each place. */
export interface Variant {
  place?: Place;
  pairs: Map<string, Pair>;
}

const identity = ({ rule, subject }: Pick<Finding, "rule" | "subject">): string => JSON.stringify([rule, subject]);

export function answerWhatIf(nodes: RollOutNode[], variants: Variant[], supposed: Supposed & { pool?: string; to?: string }): WhatIfAnswer {
  const byStack = groupedBy(nodes, ({ stack }) => stack);
  const findings = new Map<string, SupposedFinding>();
  const gone = new Map<string, WhatIfAnswer["gone"][number]>();
  const unknown = new Map<string, WhatIfAnswer["unknown"][number]>();
  const outcomeOf = new Map<string, Outcome>();
  for (const [stack, its, { place, pairs }] of [...byStack].flatMap(([each, of]) =>
    variants.map((variant) => [each, of, variant] as const),
  )) {
    const names = its.map(({ name }) => name);
    const changes = changesOf(pairs.get(stack) ?? {});
    // Of several places the worst counts.
    const known = outcomeOf.get(stack);
    outcomeOf.set(stack, known === undefined || outcomes.indexOf(changes.outcome) < outcomes.indexOf(known) ? changes.outcome : known);
    for (const { finding, effect } of changes.findings) {
      // Of two stacks it may have other reasons: only what is the same to the last word is told once.
      const key = JSON.stringify([finding, effect]);
      gather(findings, key, names, () => ({ ...finding, effect, nodes: [] }));
      if (place) findings.get(key)!.at = [...new Set([...(findings.get(key)!.at ?? []), place.name])];
    }
    for (const { rule, subject, message } of changes.gone)
      gather(gone, identity({ rule, subject }), names, () => ({ rule, subject, message, nodes: [] }));
    for (const { subject, kind, reason } of changes.unknown)
      gather(unknown, JSON.stringify([subject, kind, reason]), names, () => ({ subject, kind, reason, nodes: [] }));
  }
  const judged = nodes.map(({ name, kind, group, stack }): WhatIfNode => ({ name, kind, group, outcome: outcomeOf.get(stack)! }));
  return {
    schema: "culprit/whatif@1",
    ...supposed,
    ...(supposed.to === undefined ? {} : { places: variants.flatMap(({ place }) => place ?? []) }),
    judged: { nodes: nodes.length, stacks: byStack.size },
    outcomes: Object.fromEntries(
      outcomes.map((each) => [each, judged.filter(({ outcome }) => outcome === each).length]),
    ) as WhatIfAnswer["outcomes"],
    findings: [...findings.values()].sort(byWeight),
    gone: [...gone.values()],
    unknown: [...unknown.values()],
    nodes: judged,
    waves: wavesFor(supposed, judged, new Map(nodes.map(({ name, stack }) => [name, stack]))),
  };
}

function groupedBy<T>(values: T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const its = groups.get(key(value));
    if (its) its.push(value);
    else groups.set(key(value), [value]);
  }
  return groups;
}

function gather<T extends { nodes: string[] }>(all: Map<string, T>, key: string, names: string[], make: () => T): void {
  const known = all.get(key) ?? make();
  const there = new Set(known.nodes);
  known.nodes.push(...names.filter((name) => !there.has(name)));
  all.set(key, known);
}

const severityOrder = { error: 0, warning: 1, info: 2 };
const byWeight = (a: SupposedFinding, b: SupposedFinding): number =>
  Number(a.effect === "already") - Number(b.effect === "already") ||
  severityOrder[a.severity] - severityOrder[b.severity] ||
  b.nodes.length - a.nodes.length ||
  (identity(a) < identity(b) ? -1 : 1);

function changesOf({ now, supposed: then, problem, untouched = false }: Pair): {
  outcome: Outcome;
  findings: { finding: Finding; effect: "new" | "already" }[];
  gone: Finding[];
  unknown: { subject: string; kind: string; reason: string }[];
} {
  if (!now || !then)
    return {
      outcome: "unknown",
      findings: [],
      gone: [],
      unknown: [
        {
          subject: "the whole stack",
          kind: "file",
          reason: problem ?? "it was not judged yet: ask again, and what is done until then is kept",
        },
      ],
    };
  // A finding that is there as it is, and no worse than then, is not the roll-out's fault.
  const before = new Map(now.findings.map((each) => [identity(each), severityOrder[each.severity]]));
  const findings = then.findings.map((finding) => {
    const known = before.get(identity(finding));
    return { finding, effect: known !== undefined && known <= severityOrder[finding.severity] ? ("already" as const) : ("new" as const) };
  });
  const after = new Set(then.findings.map(identity));
  const asked = new Set(openQuestions(now).map(({ subject, kind }) => `${kind}:${subject}`));
  const open = openQuestions(then);
  const unknown = open.filter(({ subject, kind }) => !asked.has(`${kind}:${subject}`));
  const has = (severity: string, effect: string) => findings.some((each) => each.finding.severity === severity && each.effect === effect);
  // What could not be judged as it is cannot be promised either.
  const isOpen = 0 < unknown.length || then.status === "incomplete";
  const outcome: Outcome = untouched
    ? "untouched"
    : has("error", "new")
      ? "breaks"
      : has("warning", "new")
        ? "endangered"
        : isOpen
          ? "unknown"
          : has("error", "already")
            ? "already-broken"
            : then.status === "nothing-to-check"
              ? "nothing-to-check"
              : "fine";
  // What breaks first, or cannot be looked at then, hides what is behind it.
  const gone =
    outcome === "breaks" || 0 < unknown.length ? [] : now.findings.filter((each) => !after.has(identity(each)) && each.severity !== "info");
  return { outcome, findings, gone, unknown: outcome === "unknown" && unknown.length === 0 ? open : unknown };
}

const isMachine = ({ kind }: WhatIfNode) => ["machine", "host", "root"].includes(kind);

/** Machines get a driver; images, environments and files get packages, and are moved. */
function wavesFor(supposed: Supposed & { to?: string }, nodes: WhatIfNode[], stacks: Map<string, string>): Wave[] {
  if (supposed.to === undefined && !hasChanges(supposed)) return wavesOf(nodes, stacks);
  const concerned = nodes.filter(({ outcome }) => outcome !== "untouched");
  const is = (...wanted: Outcome[]) => concerned.filter(({ outcome }) => wanted.includes(outcome));
  const safe = is("fine", "nothing-to-check");
  const first = new Set(new Map(safe.toReversed().map((each) => [stacks.get(each.name), each.name])).values());
  return numbered([
    ["nothing new would be wrong: one of each kind, to see that it is so", safe.filter(({ name }) => first.has(name))],
    ["the others of the same kinds", safe.filter(({ name }) => !first.has(name))],
    [alreadyWrong, is("already-broken")],
    ["would run at risk or slower: look at the findings first", is("endangered")],
    ["cannot be told: try one of them by itself", is("unknown")],
    ["would break: put right what is named before, or leave them as they are", is("breaks")],
  ]);
}

const alreadyWrong = "wrong already, and not because of this: nothing new would be wrong, but they do not show whether it went well";

const numbered = (waves: [string, WhatIfNode[]][]): Wave[] =>
  waves.filter(([, its]) => 0 < its.length).map(([why, its], index) => ({ wave: index + 1, why, nodes: its.map(({ name }) => name) }));

/** Who is changed first: one node of each stack where nothing comes, then the rest of those; who needs a look; last, who must be put right before. */
function wavesOf(nodes: WhatIfNode[], stacks: Map<string, string>): Wave[] {
  // What runs on a group's nodes keeps them from being changed as surely as what is installed there.
  const held = new Set(
    nodes.filter((each) => !isMachine(each) && each.outcome === "breaks" && each.group !== "").map(({ group }) => group),
  );
  const machines = nodes.filter(isMachine);
  const is = (outcome: Outcome) => (each: WhatIfNode) => each.outcome === outcome && !held.has(each.group);
  const safe = machines.filter((each) => ["fine", "nothing-to-check"].includes(each.outcome) && !held.has(each.group));
  const first = new Set(new Map(safe.toReversed().map((each) => [stacks.get(each.name), each.name])).values());
  return numbered([
    ["nothing new would be wrong: one node of each kind, to see that it is so", safe.filter(({ name }) => first.has(name))],
    ["the others of the same kinds", safe.filter(({ name }) => !first.has(name))],
    [alreadyWrong, machines.filter(is("already-broken"))],
    ["would run at risk or slower: look at the findings first", machines.filter(is("endangered"))],
    ["cannot be told: try one of them by itself", machines.filter(is("unknown"))],
    [
      "their images, files or programs would break: change those first",
      machines.filter((each) => held.has(each.group) && each.outcome !== "breaks"),
    ],
    ["would break: put right what is named before", machines.filter(({ outcome }) => outcome === "breaks")],
  ]);
}
