// Nodes, one node, and who differs from its group.
import type { Client } from "../../../fleet/src/client.ts";
import { likenessNotes } from "../../../fleet/src/report/likeness.ts";
import { button, element } from "../dom.ts";
import { amounts, badge, findingCard, moment, nodeLink, tableOf } from "./parts.ts";

type Nodes = Awaited<ReturnType<Client["nodes"]>>["nodes"];
type One = Nodes[number];

/** What is said of a node, and how loudly. */
export function stateOf({ status, errors, warnings }: Pick<One, "status" | "errors" | "warnings">): { words: string; kind: string } {
  if (0 < errors) return { words: `${errors} ${errors === 1 ? "error" : "errors"}`, kind: "error" };
  if (0 < warnings) return { words: `${warnings} ${warnings === 1 ? "warning" : "warnings"}`, kind: "warning" };
  if (status === "ok" || status === "findings") return { words: "fine", kind: "good" };
  const words: { [status: string]: string } = {
    incomplete: "not all could be judged",
    "nothing-to-check": "nothing to check",
    waiting: "not judged yet",
  };
  return { words: words[status] ?? "cannot be judged", kind: "info" };
}

const isEmpty = ({ status }: One) => status === "nothing-to-check";
const isUnjudged = (each: One) => stateOf(each).kind === "info" && !isEmpty(each);

const kinds = ["error", "warning", "info", "good"];
const worstFirst = (a: One, b: One) => kinds.indexOf(stateOf(a).kind) - kinds.indexOf(stateOf(b).kind) || (a.name < b.name ? -1 : 1);

export async function overview(client: Client): Promise<Node[]> {
  const [{ nodes }, { regressions }] = await Promise.all([client.nodes(), client.regressions("24h")]);
  if (nodes.length === 0)
    return [element("p", {}, "No node was pushed yet: ", element("code", {}, "culprit push"), " on each of them does it.")];
  const groups = new Map<string, Nodes>();
  for (const each of nodes) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  const worse = [...new Map(regressions.map((each) => [`${each.rule} ${each.subject}`, each])).values()].map((each) =>
    findingCard(
      { ...each, nodes: regressions.filter(({ rule, subject }) => rule === each.rule && subject === each.subject).map(({ node }) => node) },
      ["since", `${moment(each.since)} UTC`],
    ),
  );
  return [
    countsOf(nodes),
    element("h2", {}, "By group"),
    tableOf(
      ["group", "nodes", "distinct stacks", "with errors", "with warnings", "not all judged", "nothing to check"],
      [...groups].sort(),
      ([group, its]) => [
        group === "" ? "(none)" : group,
        String(its.length),
        String(new Set(its.map(({ stack }) => stack)).size),
        String(its.filter((each) => stateOf(each).kind === "error").length),
        String(its.filter((each) => stateOf(each).kind === "warning").length),
        String(its.filter(isUnjudged).length),
        String(its.filter(isEmpty).length),
      ],
    ),
    element("h2", {}, "Worse since yesterday"),
    ...(worse.length === 0 ? [element("p", {}, "Nothing became worse.")] : worse),
  ];
}

function countsOf(nodes: Nodes): HTMLElement {
  const of = (kind: string) => nodes.filter((each) => stateOf(each).kind === kind).length;
  return amounts([
    [of("error"), "with errors", "error"],
    [of("warning"), "with warnings", "warning"],
    [nodes.filter(isUnjudged).length, "not all judged", "info"],
    [nodes.filter(isEmpty).length, "with nothing to check", "info"],
    [of("good"), "fine", "good"],
  ]);
}

export async function nodesView(client: Client): Promise<Node[]> {
  const { nodes } = await client.nodes();
  const all = nodes.sort(worstFirst);
  const place = element("div", {});
  const search = element("input", { type: "search", id: "search", placeholder: "name, group, kind" });
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    const found = all.filter((each) => {
      const text = `${each.name} ${each.group} ${each.kind} ${stateOf(each).words}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    place.replaceChildren(
      element("p", { class: "faint", role: "status" }, `${found.length.toLocaleString("en")} of ${all.length.toLocaleString("en")}`),
      tableOf(["node", "kind", "group", "last seen (UTC)", "changed (UTC)", "state"], found, (each) => {
        const { words: said, kind } = stateOf(each);
        return [
          nodeLink(each.name),
          each.kind,
          each.group,
          moment(each.lastSeen),
          moment(each.changed),
          badge(kind === "good" ? "good" : kind, said),
        ];
      }),
    );
  };
  search.addEventListener("input", show);
  show();
  return [element("p", { class: "field" }, element("label", { for: "search" }, "Search"), search), place];
}

export async function nodeView(client: Client, name: string): Promise<Node[]> {
  const node = await client.node(name);
  const open = node.findings.filter(({ gone }) => gone === null);
  const gone = node.findings.filter((each) => each.gone !== null);
  const facts = [
    ["kind", node.kind],
    ["group", node.group === "" ? "(none)" : node.group],
    ["first seen", `${moment(node.firstSeen)} UTC`],
    ["last seen", `${moment(node.lastSeen)} UTC`],
    ["changed", `${moment(node.changed)} UTC`],
  ] as const;
  const { words, kind } = stateOf(node);
  return [
    element("h2", {}, name, " ", badge(kind, words)),
    element("dl", {}, ...facts.flatMap(([title, value]) => [element("dt", {}, title), element("dd", {}, value)])),
    element(
      "p",
      { class: "actions" },
      button("Snapshot", `Save what is known of ${name}, for culprit open or culprit check`, () => void save(client, name)),
    ),
    ...open.map((each) => findingCard(each, ["since", `${moment(each.firstSeen)} UTC`])),
    ...(node.unknown.length === 0 ? [] : [element("h3", {}, "Could not be judged")]),
    ...(node.unknown.length === 0
      ? []
      : [element("ul", {}, ...node.unknown.map(({ subject, reason }) => element("li", {}, `${subject}: ${reason}`)))]),
    ...(gone.length === 0 ? [] : [element("h3", {}, "Gone")]),
    ...(gone.length === 0
      ? []
      : [
          element(
            "ul",
            {},
            ...gone.map((each) => element("li", {}, `${each.message} (${moment(each.firstSeen)} to ${moment(each.gone!)} UTC)`)),
          ),
        ]),
    ...(node.history.length < 2
      ? []
      : [
          element("h3", {}, "Changed at (UTC)"),
          element(
            "p",
            {},
            node.history
              .slice(0, -1)
              .map(({ at }) => moment(at))
              .join(", "),
          ),
        ]),
  ];
}

async function save(client: Client, name: string): Promise<void> {
  const text = JSON.stringify(await client.snapshot(name));
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", { href: address, download: `${name.replace(/[^\w.-]/g, "_")}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export async function differencesView(client: Client): Promise<Node[]> {
  const { differences, groups } = await client.differences();
  const notes = likenessNotes(groups, differences.length).map((note) => element("p", {}, note));
  return [
    ...notes,
    ...differences.map(({ node, group, has, of, differences: its, facts }) =>
      element(
        "article",
        { class: "info" },
        element("h3", {}, nodeLink(node), ` differs from ${has} of ${of}${group === "" ? "" : ` in ${group}`}`),
        ...(its.length === 0
          ? []
          : [tableOf(["what", "most have", "here"], its, ({ what, usual, here }) => [what, valueOf(usual), valueOf(here)])]),
        ...(facts.amount === 0
          ? []
          : [element("p", {}, `${facts.amount.toLocaleString("en")} facts, such as ${facts.paths.slice(0, 5).join(", ")}`)]),
      ),
    ),
  ];
}

/** Variables of images go on for pages: their beginning, and all of it when it is asked for. */
function valueOf(value: string, most = 160): Node | string {
  if (value.length <= most) return value;
  return element("details", {}, element("summary", {}, `${value.slice(0, most)}… (${value.length} characters)`), value);
}
