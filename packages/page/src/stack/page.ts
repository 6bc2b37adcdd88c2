// The page that can be changed: every control makes an experiment, the worker answers it, and the page shows the answer and what changed.
import { changesOf } from "./changes.ts";
import { button, element, sentence, unpacked } from "./dom.ts";
import { addressOf, asItIs, commandOf, experimentOf, isAsItIs, type Experiment } from "./experiment.ts";
import type { Answer, FromWorker, Made, ToWorker } from "./messages.ts";
import { controls, type Situation } from "./panel.ts";

const by = (id: string): HTMLElement => document.getElementById(id)!;

async function begin(): Promise<void> {
  const made = JSON.parse(by("question").textContent!) as Made;
  const [engine, facts] = await Promise.all([unpacked("engine"), unpacked("facts")]);
  const address = URL.createObjectURL(new Blob([engine], { type: "text/javascript" }));
  const worker = new Worker(address);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is a worker, not a window
  const say = (message: ToWorker) => worker.postMessage(message);
  say({ kind: "begin", facts, made });
  let asked = 0;
  const waiting = new Map<number, (answer: Answer | string) => void>();
  worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
    waiting.get(data.id)?.(data.kind === "answer" ? data.answer : data.words);
    waiting.delete(data.id);
  });
  const ask = async (experiment: Experiment): Promise<Answer | string> =>
    new Promise((settle) => {
      asked += 1;
      waiting.set(asked, settle);
      say({ kind: "ask", id: asked, experiment });
    });
  const base = await ask(asItIs);
  if (typeof base === "string") return;
  new Bench(made, base, ask).start();
}

class Bench {
  private experiment: Experiment = asItIs;
  private past: Experiment[] = [];
  private future: Experiment[] = [];
  private turn = 0;

  constructor(
    private readonly made: Made,
    private readonly base: Answer,
    private readonly ask: (experiment: Experiment) => Promise<Answer | string>,
  ) {}

  start(): void {
    by("what-if").hidden = false;
    globalThis.addEventListener("hashchange", () => {
      // Links within the page have addresses, too.
      if (/^#(?:$|(?:env|unset|driver|gpu|cpu|without|ldconfig)=)/.test(location.hash)) this.show(experimentOf(location.hash));
    });
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof HTMLInputElement && event.target.type === "text";
      if (!event.ctrlKey || isTyping) return;
      if (event.key === "z") this.undo();
      if (event.key === "y") this.redo();
    });
    this.adorn();
    void this.show(/^#\w+=/.test(location.hash) ? experimentOf(location.hash) : asItIs);
  }

  private change(next: Experiment): void {
    this.past.push(this.experiment);
    this.future = [];
    this.enter(next);
  }

  private enter(next: Experiment): void {
    history.replaceState(null, "", `#${addressOf(next)}`);
    void this.show(next);
  }

  private undo(): void {
    const before = this.past.pop();
    if (!before) return;
    this.future.push(this.experiment);
    this.enter(before);
  }

  private redo(): void {
    const after = this.future.pop();
    if (!after) return;
    this.past.push(this.experiment);
    this.enter(after);
  }

  private async show(experiment: Experiment): Promise<void> {
    this.experiment = experiment;
    this.turn += 1;
    const { turn } = this;
    this.drawPanel();
    const answer = isAsItIs(experiment) ? this.base : await this.ask(experiment);
    // Somebody has already changed something else.
    if (turn !== this.turn) return;
    if (typeof answer === "string") return this.tell([element("p", { class: "changed" }, ...sentence(answer))]);
    this.drawAnswer(answer);
    this.tell(this.changeNodes(answer));
  }

  private drawPanel(): void {
    const focused = document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.id;
    const situation: Situation = { experiment: this.experiment, variables: this.base.variables, folders: foldersIn(this.base) };
    const command = commandOf(this.experiment, this.made.asked);
    by("what-if").replaceChildren(
      element("h2", { id: "what-if-title" }, "What if"),
      element(
        "p",
        { class: "faint" },
        "Drag a folder, or out of the list; take a copy away; choose another driver. The answer follows, and nothing is changed on the machine.",
      ),
      element("div", { class: "controls" }, ...controls(situation, (next) => this.change(next))),
      element("datalist", { id: "folders" }, ...situation.folders.map((folder) => element("option", { value: folder }))),
      element(
        "p",
        { class: "actions" },
        button("Undo", "Undo the last change, Ctrl+Z", () => this.undo(), this.past.length === 0),
        button("Redo", "Redo, Ctrl+Y", () => this.redo(), this.future.length === 0),
        button("As it is", "Back to the machine as it is", () => this.change(asItIs), isAsItIs(this.experiment)),
      ),
      ...(isAsItIs(this.experiment)
        ? []
        : [
            element("p", {}, "The same as a command:", commandBlock(command)),
            ...((this.experiment.removed ?? []).length === 0
              ? []
              : [element("p", { class: "faint" }, "A copy that is taken away has no option of a command.")]),
          ]),
    );
    const again =
      focused === undefined || focused === ""
        ? undefined
        : [...by("what-if").querySelectorAll<HTMLElement>("button, input")].find(
            (each) => (each.getAttribute("aria-label") ?? each.id) === focused,
          );
    again?.focus();
  }

  private tell(nodes: Node[]): void {
    by("changes").replaceChildren(...nodes);
  }

  private changeNodes(answer: Answer): Node[] {
    if (isAsItIs(this.experiment)) return [];
    const changes = changesOf(this.base, answer);
    const took = element("p", { class: "faint" }, `Judged again in ${Math.max(1, Math.round(answer.took))} ms.`);
    if (changes.length === 0)
      return [element("h3", {}, "What changed"), element("p", {}, "Nothing that matters: the same findings, the same libraries."), took];
    return [
      element("h3", {}, "What changed"),
      element(
        "ul",
        { class: "changes" },
        ...changes.map(({ mark, look, words }) =>
          element("li", {}, element("span", { class: `badge ${look}` }, mark), " ", ...sentence(words)),
        ),
      ),
      took,
    ];
  }

  private drawAnswer({ verdict, answer }: Answer): void {
    const place = by("answer");
    const open = new Set([...place.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
    // Markup of our own reports, which escape whatever came from a machine; no script runs in it (the page's policy).
    by("verdict").innerHTML = verdict;
    place.innerHTML = answer;
    for (const summary of place.querySelectorAll("details > summary"))
      if (open.has(summary.textContent)) summary.parentElement!.setAttribute("open", "");
    this.adorn();
  }

  /** What needs a script: copy buttons, a search among copies, and taking one away. */
  private adorn(): void {
    for (const code of by("answer").querySelectorAll<HTMLElement>("code.command")) code.after(copyButton(code.textContent!));
    const title = by("copies");
    if (!title || document.getElementById("copy-search")) return;
    const search = element("input", {
      type: "search",
      id: "copy-search",
      placeholder: "cudnn, 9.1, /opt/…",
      "aria-label": "Search among the copies",
    });
    search.addEventListener("input", () => filterCopies(search.value));
    title.after(element("p", { class: "field" }, element("label", { for: "copy-search" }, "search"), search));
    for (const item of by("answer").querySelectorAll<HTMLElement>("ul.copies li[data-file]")) {
      const file = item.dataset["file"]!;
      item.append(
        " ",
        button("Take away", `As if ${file} were not there`, () =>
          this.change({ ...this.experiment, removed: [...(this.experiment.removed ?? []), file] }),
        ),
      );
    }
  }
}

function filterCopies(text: string): void {
  const words = text.toLowerCase().split(/\s+/);
  for (const library of document.querySelectorAll<HTMLDetailsElement>("#answer details:has(> ul.copies)")) {
    let found = 0;
    for (const item of library.querySelectorAll<HTMLElement>("ul.copies li")) {
      const all = `${library.querySelector("h3")!.textContent} ${item.textContent}`.toLowerCase();
      item.hidden = !words.every((word) => all.includes(word));
      if (!item.hidden) found += 1;
    }
    library.hidden = found === 0;
    library.open = text !== "" && 0 < found;
  }
}

const foldersIn = ({ loads }: Answer): string[] =>
  [...new Set(Object.values(loads).flatMap((libraries) => Object.values(libraries).flatMap(({ folders }) => folders)))].sort();

const commandBlock = (line: string): HTMLElement =>
  element("span", { class: "copied" }, element("code", { class: "command" }, line), copyButton(line));

function copyButton(text: string): HTMLButtonElement {
  const made = button("Copy", "Copy the command", () => {
    void navigator.clipboard?.writeText(text).then(() => (made.textContent = "Copied"));
  });
  made.classList.add("copy");
  return made;
}

void begin();
