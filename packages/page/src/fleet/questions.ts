// What is wrong, who has which version, and what a roll-out would break.
import { adviceLine } from "@culprit/core/lib/shell";
import type { Client, WhatIfAnswer, WhatIfRequest } from "../../../fleet/src/client.ts";
import { some } from "../../../fleet/src/report/text.ts";
import { inOneBlock, untoldByNodes, wrongAlready } from "../../../fleet/src/report/whatif.ts";
import { element } from "../dom.ts";
import { addressOf, amount, amounts, findingCard, moment, nodesOf, tableOf } from "./parts.ts";

export async function findingsView(client: Client): Promise<Node[]> {
  const { findings } = await client.findings();
  if (findings.length === 0) return [element("p", {}, "Nothing is known to be wrong.")];
  return findings.map((each) =>
    findingCard(each, ["rule", `${each.rule}:${each.subject}`], ["since", `${moment(each.since)} UTC, ${amount(each.stacks, "stack")}`]),
  );
}

interface Field {
  name: string;
  label: string;
  example: string;
}

/** A form whose words stand in the address, so that an answer can be sent to somebody. */
function asking(view: string, fields: Field[], given: URLSearchParams, verb: string): HTMLElement {
  const inputs = fields.map(({ name, example }) =>
    element("input", { type: "text", id: `ask-${name}`, name, placeholder: example, value: given.get(name) ?? "" }),
  );
  const submit = (event: Event) => {
    event.preventDefault();
    const said = inputs.map((input) => [input.name, input.value.trim()] as const).filter(([, value]) => value !== "");
    location.hash = addressOf(view, Object.fromEntries(said));
  };
  return element(
    "form",
    { class: "asking", submit },
    ...fields.flatMap(({ name, label }, index) => [element("label", { for: `ask-${name}` }, label), inputs[index]!]),
    element("p", { class: "actions" }, element("button", { type: "submit" }, verb)),
  );
}

export async function versionsView(client: Client, given: URLSearchParams): Promise<Node[]> {
  const form = asking("versions", [{ name: "bound", label: "Who has", example: "cudnn<9.1" }], given, "Ask");
  const bound = given.get("bound");
  if (bound === null)
    return [
      form,
      element("p", { class: "faint" }, "A library, a package or the driver, and a version: cudnn<9.1, torch>=2.6, driver<550."),
    ];
  const { found, unknown } = await client.versions(bound);
  const nodes = new Set(found.flatMap((each) => each.nodes));
  return [
    form,
    element("h2", {}, `${bound}: ${amount(nodes.size, "node")}`),
    ...(found.length === 0
      ? []
      : [
          tableOf(["name", "version", "where", "nodes"], found, ({ name, version, places, nodes: its }) => [
            name,
            version ?? "unknown",
            placesOf(places),
            nodesOf(its),
          ]),
        ]),
    ...(unknown.length === 0 ? [] : [element("p", {}, `${versionUntold(bound)}: `), nodesOf(unknown)]),
  ];
}

const versionUntold = (bound: string): string =>
  /^\s*driver\b/i.test(bound) ? "No driver is known on" : "The version of a copy cannot be told on";

/** Files of one copy lie side by side: the first says where. */
function placesOf(places: string[]): Node {
  const [first = "", ...rest] = places.filter((each) => each !== "");
  return element("span", {}, element("code", {}, first), ...(rest.length === 0 ? [] : [` and ${amount(rest.length, "other")}`]));
}

const changes: Field[] = [
  { name: "driver", label: "Driver", example: "580.95.05" },
  { name: "gpu", label: "GPU", example: "B200" },
  { name: "replace", label: "Replace where it is", example: "torch==2.9.1" },
  { name: "with", label: "Install everywhere", example: "nvidia-cudnn-cu12==9.10.2.21" },
  { name: "without", label: "Take away", example: "/usr/local/cuda-11.8" },
  { name: "pool", label: "Only in the group", example: "a100" },
  { name: "nodes", label: "Only those called", example: "app:*" },
  { name: "to", label: "Moved to the group", example: "b200" },
];

const list = (text: string | null): string[] => (text ?? "").split(/[\s,]+/).filter((word) => word !== "");

function requestOf(given: URLSearchParams): WhatIfRequest {
  const words = ["driver", "pool", "nodes", "to"].flatMap((name) => {
    const value = given.get(name);
    return value === null ? [] : [[name, value]];
  });
  const lists = {
    gpus: list(given.get("gpu")),
    with: list(given.get("with")),
    replace: list(given.get("replace")),
    without: list(given.get("without")),
  };
  return {
    ...Object.fromEntries(words),
    ...Object.fromEntries(Object.entries(lists).filter(([, its]) => 0 < its.length)),
  };
}

export async function whatIfView(client: Client, given: URLSearchParams): Promise<Node[]> {
  const form = asking("what-if", changes, given, "What would break?");
  const request = requestOf(given);
  if (Object.keys(request).every((name) => name === "pool" || name === "nodes")) return [form];
  return [form, ...whatIfAnswer(await client.whatIf(request))];
}

function whatIfAnswer(answer: WhatIfAnswer): Node[] {
  const { outcomes, judged, findings, gone, unknown, waves } = answer;
  const added = inOneBlock(findings.filter(({ effect, severity }) => effect === "new" && severity !== "info"));
  const section = (title: string, its: Node[]) => (its.length === 0 ? [] : [element("h2", {}, title), ...its]);
  return [
    element("p", { role: "status" }, `${amount(judged.nodes, "node")}, ${amount(judged.stacks, "stack")}`),
    amounts([
      [outcomes.breaks, "would break", "error"],
      [outcomes.endangered, "would be endangered", "warning"],
      [outcomes.unknown, "cannot be told", "info"],
      [outcomes["already-broken"], "broken already", "warning"],
      [outcomes["nothing-to-check"], "with nothing to check", "info"],
      [outcomes.fine, "would be fine", "good"],
      [outcomes.untouched, "would not be changed", "info"],
    ]),
    ...section(
      "In this order",
      waves.length === 0
        ? []
        : [
            element(
              "ol",
              {},
              ...waves.map(({ why, nodes }) =>
                element("li", {}, `${amount(nodes.length, "node")}: ${why}`, element("div", {}, nodesOf(nodes))),
              ),
            ),
          ],
    ),
    ...section("Would be wrong", added.map(supposedCard)),
    ...section("Cannot be told", untoldByNodes(unknown).map(untoldCard)),
    ...section(
      "Wrong already, with or without it",
      wrongAlready(answer).map((each) => findingCard({ severity: "info", ...each })),
    ),
    ...section(
      "Would be gone",
      gone.map(({ message, nodes }) => findingCard({ severity: "info", message, nodes })),
    ),
  ];
}

/** One card for all that the same nodes leave open: thirty would hide what is said of others. */
function untoldCard({ nodes, reasons: [first = "", ...others] }: { nodes: string[]; reasons: string[] }): HTMLElement {
  const list = element("ul", {}, ...others.map((reason) => element("li", {}, reason)));
  const more = element("details", {}, element("summary", {}, amount(others.length, "other")), list);
  return findingCard({ severity: "info", message: first, nodes }, ...(others.length === 0 ? [] : [["and", more] as [string, Node]]));
}

/** With the files that it was seen in. */
function supposedCard(finding: WhatIfAnswer["findings"][number]): HTMLElement {
  const { rule, subject, because, evidence, breaks, advice } = finding;
  const activities = [...new Set(breaks.map(({ framework, activity }) => `${framework} ${activity}`))];
  return findingCard(
    finding,
    ["rule", `${rule}:${subject}`],
    ...because.slice(0, 3).map((reason): [string, string] => ["because", reason]),
    ...evidence.slice(0, 3).map((place): [string, string] => ["evidence", place]),
    ...(activities.length === 0 ? [] : [["breaks", some(activities)] as [string, string]]),
    ...advice.slice(0, 1).map((each): [string, string] => ["first", adviceLine(each)]),
  );
}
