// The page of a fleet: it asks the server that it came from, with a token that its reader gives, and shows the answers.
import { clientOf, FleetError, type Client } from "../../../fleet/src/client.ts";
import { button, element } from "../dom.ts";
import { differencesView, nodesView, nodeView, overview } from "./nodes.ts";
import { addressOf } from "./parts.ts";
import { findingsView, versionsView, whatIfView } from "./questions.ts";

const by = (id: string): HTMLElement => document.getElementById(id)!;

const views: { [name: string]: { title: string; show: (client: Client, given: URLSearchParams) => Promise<Node[]>; inside?: true } } = {
  overview: { title: "Overview", show: overview },
  findings: { title: "Findings", show: findingsView },
  nodes: { title: "Nodes", show: nodesView },
  node: { title: "Node", show: async (client, given) => nodeView(client, given.get("name") ?? ""), inside: true },
  differences: { title: "Who differs", show: differencesView },
  versions: { title: "Versions", show: versionsView },
  "what-if": { title: "What if", show: whatIfView },
};

/** For as long as this tab is open, and for no other page. */
const kept = "culprit-fleet-token";

function signIn(problem?: string): void {
  by("views").hidden = true;
  const input = element("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const submit = (event: Event) => {
    event.preventDefault();
    sessionStorage.setItem(kept, input.value.trim());
    void show();
  };
  by("main").replaceChildren(
    element("h2", {}, "A token for reading"),
    ...(problem === undefined ? [] : [element("p", { class: "refused", role: "alert" }, problem)]),
    element(
      "p",
      {},
      element("code", {}, "culprit-fleet token create read"),
      " makes one; the first token of all lies in the file admin-token of the server's folder. It stays in this tab.",
    ),
    element(
      "form",
      { class: "asking", submit },
      element("label", { for: "token" }, "Token"),
      input,
      element("p", { class: "actions" }, element("button", { type: "submit" }, "Show the fleet")),
    ),
  );
  input.focus();
}

/** Which view the address names, and with what; an address of before is not shown over a newer one. */
let turn = 0;
async function show(): Promise<void> {
  const mine = ++turn;
  const token = sessionStorage.getItem(kept);
  if (token === null) return signIn();
  const [word = "", words = ""] = location.hash.slice(1).split("?");
  const name = word in views ? word : "overview";
  const given = new URLSearchParams(words);
  const { title, show: view } = views[name]!;
  document.title = `${title} · culprit fleet`;
  navigate(name === "node" ? "nodes" : name);
  const waiting = setTimeout(() => mine === turn && by("main").replaceChildren(element("p", { role: "status" }, "Asking …")), 300);
  try {
    const nodes = await view(clientOf(new URL(".", location.href).href, token), given);
    if (mine === turn) by("main").replaceChildren(element("h2", { class: "verdict" }, title), ...nodes);
  } catch (error) {
    if (mine !== turn) return;
    if (error instanceof FleetError && (error.status === 401 || error.status === 403 || error.status === undefined)) {
      sessionStorage.removeItem(kept);
      return signIn(error.message);
    }
    by("main").replaceChildren(
      element("h2", { class: "verdict" }, title),
      element("p", { class: "refused", role: "alert" }, error instanceof Error ? error.message : String(error)),
      element("p", {}, element("a", { href: addressOf(name) }, "Ask again")),
    );
  } finally {
    clearTimeout(waiting);
  }
}

function navigate(current: string): void {
  const shown = Object.entries(views).filter(([, { inside }]) => !inside);
  by("views").hidden = false;
  by("views").replaceChildren(
    element(
      "ul",
      {},
      ...shown.map(([name, { title }]) =>
        element("li", {}, element("a", { href: addressOf(name), ...(name === current ? { "aria-current": "page" } : {}) }, title)),
      ),
      element(
        "li",
        {},
        button("Leave", "Forget the token", () => {
          sessionStorage.removeItem(kept);
          signIn();
        }),
      ),
    ),
  );
}

addEventListener("hashchange", () => void show());
void show();
