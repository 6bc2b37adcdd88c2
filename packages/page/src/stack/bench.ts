// The bench of experiments: every control makes one, the worker answers it, and the page shows the answer and what changed.
import { commandLine } from "../../../core/src/lib/shell.ts";
import { button, element, goTo, sentence } from "../dom.ts";
import { adornCommands, adornCopies, adornFindings, commandBlock } from "./adorn.ts";
import type { Ask, Heard } from "./asking.ts";
import {
  addressWith,
  asItIs,
  commandOf,
  experimentOf,
  isAddress,
  isAsItIs,
  keptIn,
  placeIn,
  wordsOf,
  type Experiment,
  type Named,
} from "./experiment.ts";
import { keptTable, type Kept } from "./kept.ts";
import type { Answer, Made } from "./messages.ts";
import { controls, type Situation } from "./panel.ts";
import { changeNodes, outcomeOf } from "./told.ts";

const by = (id: string): HTMLElement => document.getElementById(id)!;

export class Bench {
  private experiment: Experiment = asItIs;
  private kept: Kept[] = [];
  private readonly stopped = new AbortController();
  private past: Experiment[] = [];
  private future: Experiment[] = [];
  private turn = 0;
  private answer: Answer | undefined;
  private readonly base: Answer;
  /** What each section of the page was drawn from. */
  private drawn: string[] = [];
  private verdict: string | undefined;
  /** Where whoever opened the address wants to be, once it is drawn. */
  private wanted: string | undefined;

  constructor(
    private readonly made: Made,
    private readonly asItIs: Heard,
    private readonly ask: Ask,
  ) {
    this.base = asItIs.answer;
  }

  start(): void {
    const { signal } = this.stopped;
    by("what-if").hidden = false;
    globalThis.addEventListener(
      "hashchange",
      () => {
        if (isAddress(location.hash)) void this.show(experimentOf(location.hash));
      },
      { signal },
    );
    document.addEventListener("keydown", (event) => this.undoByKey(event), { signal });
    document.addEventListener("click", (event) => this.follow(event), { signal });
    const address = isAddress(location.hash) ? location.hash : "";
    this.wanted = placeIn(address);
    void this.show(experimentOf(address)).then(async () => this.keepAgain(keptIn(address)));
  }

  /** Those that were kept before the page was loaded again are answered again. */
  private async keepAgain(kept: Named[]): Promise<void> {
    for (const { name, experiment } of kept) {
      const heard = await this.ask(experiment);
      if (this.stopped.signal.aborted) return;
      if (typeof heard !== "string") this.kept.push({ name, experiment, answer: heard.answer });
    }
    if (0 < kept.length) this.drawPanel();
  }

  /** Another machine is looked at. */
  stop(): void {
    this.stopped.abort();
    this.turn += 1;
    by("what-if").hidden = true;
    by("what-if").replaceChildren();
    this.tell([]);
  }

  private undoByKey({ target, ctrlKey, metaKey, shiftKey, key }: KeyboardEvent): void {
    // Whoever has typed something undoes that.
    const isField = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && /text|search/.test(target.type));
    const isTyping = isField && target.value !== target.defaultValue;
    if (!(ctrlKey || metaKey) || isTyping) return;
    const isBack = key.toLowerCase() === "z";
    if (isBack && !shiftKey) this.undo();
    if (key === "y" || (isBack && shiftKey)) this.redo();
  }

  /** A link within the page leads there, and leaves the experiment in the address. */
  private follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || (isAsItIs(this.experiment) && this.kept.length === 0)) return;
    const id = link.getAttribute("href")!.slice(1);
    const place = document.getElementById(id);
    if (!place) return;
    event.preventDefault();
    history.replaceState(null, "", `#${addressWith(this.experiment, this.kept, id)}`);
    goTo(place);
  }

  private change(next: Experiment): void {
    this.past.push(this.experiment);
    this.future = [];
    this.enter(next);
  }

  private enter(next: Experiment): void {
    this.note(next);
    void this.show(next);
  }

  /** In the address, so that it survives and can be handed on; a page from a disk has no other place. */
  private note(experiment: Experiment): void {
    history.replaceState(null, "", `#${addressWith(experiment, this.kept)}`);
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
    const heard = isAsItIs(experiment) ? this.asItIs : await this.ask(experiment);
    // Somebody has already changed something else.
    if (turn !== this.turn) return;
    if (typeof heard === "string") return this.refuse(heard);
    const { answer, rest } = heard;
    this.answer = answer;
    // What changed and what is wrong come first; all that is below them when they can be seen.
    this.drawVerdict(answer);
    this.tell(isAsItIs(experiment) ? [] : changeNodes(this.base, answer));
    this.drawOutcome(answer);
    this.drawSection(answer.wrong, 0);
    requestAnimationFrame(() => void rest.then((sections) => this.drawLater(sections, turn, 0)));
  }

  /** What cannot be asked: nothing below is an answer to it. */
  private refuse(words: string): void {
    this.answer = undefined;
    this.tell([
      element("h3", { id: "what-changed" }, "Not answered"),
      element("p", {}, element("strong", { class: "error" }, ...sentence(words)), " What is shown below is the answer before."),
    ]);
    by("outcome").replaceChildren(element("strong", { class: "error" }, "not answered: "), ...sentence(words));
  }

  /** One section after the other, so that whoever goes on typing never waits for more than one of them. */
  private drawLater(sections: string[], turn: number, index: number): void {
    setTimeout(() => {
      if (turn !== this.turn) return;
      if (sections.length <= index) return this.arrive();
      this.drawSection(sections[index]!, index + 1);
      this.drawLater(sections, turn, index + 1);
    });
  }

  private arrive(): void {
    const place = this.wanted === undefined ? null : document.getElementById(this.wanted);
    this.wanted = undefined;
    if (place) goTo(place);
  }

  private drawVerdict({ verdict }: Answer): void {
    if (this.verdict === verdict) return;
    this.verdict = verdict;
    by("verdict").innerHTML = verdict;
  }

  private drawPanel(): void {
    const panel = by("what-if");
    const all = () => [...panel.querySelectorAll<HTMLElement>("button:not(:disabled), input, select")];
    const fields = () => all().filter((each) => !each.closest(".outcome"));
    const nameOf = (each: Element) => each.getAttribute("aria-label") ?? each.id;
    const { activeElement } = document;
    const isHere = panel.contains(activeElement);
    const at = fields().indexOf(activeElement as HTMLElement);
    const situation: Situation = { experiment: this.experiment, variables: this.base.variables, folders: foldersIn(this.base) };
    const command = commandOf(this.experiment, this.made.asked);
    panel.replaceChildren(
      element("h2", { id: "what-if-title" }, "What if"),
      this.actions(),
      element(
        "p",
        { class: "faint" },
        "Drag a folder up, down, or out of the list; take a copy away; choose another driver. The answer follows, and nothing is changed on the machine.",
      ),
      element("div", { class: "controls" }, ...controls(situation, (next) => this.change(next))),
      element("datalist", { id: "folders" }, ...situation.folders.map((folder) => element("option", { value: folder }))),
      ...(isAsItIs(this.experiment) ? [] : [element("p", {}, "The same as a command:", ...this.commands(command)), this.keeping()]),
      ...keptTable(this.kept, this.base, {
        show: (experiment) => this.change(experiment),
        forget: (each) => {
          this.kept = this.kept.filter((other) => other !== each);
          this.note(this.experiment);
          this.drawPanel();
        },
      }),
    );
    if (this.answer) this.drawOutcome(this.answer);
    if (!isHere) return;
    // What was taken away leaves its place to the next.
    const left = fields();
    const same = all().find((each) => nameOf(each) === nameOf(activeElement!));
    (same ?? left[Math.max(0, Math.min(at, left.length - 1))])?.focus({ preventScroll: true });
  }

  /** Always in sight, however long the panel is: what comes of it, and the way back. */
  private actions(): HTMLElement {
    return element(
      "div",
      { class: "outcome" },
      element("p", { id: "outcome" }),
      element(
        "p",
        { class: "actions" },
        button("Undo", "Undo the last change, Ctrl+Z", () => this.undo(), this.past.length === 0),
        button("Redo", "Redo, Ctrl+Y", () => this.redo(), this.future.length === 0),
        button("As it is", "Back to the machine as it is", () => this.change(asItIs), isAsItIs(this.experiment)),
      ),
    );
  }

  private drawOutcome(answer: Answer): void {
    by("outcome").replaceChildren(
      ...(isAsItIs(this.experiment)
        ? ["As it is: ", outcomeOf(answer)]
        : [outcomeOf(this.base), " → ", outcomeOf(answer), " ", element("a", { href: "#changes" }, "What changed")]),
    );
  }

  private commands(command: string): Node[] {
    const { removed = [], swapped = {}, fixes = [], ...rest } = this.experiment;
    const isMore = !isAsItIs(rest);
    const named = fixes.map((fix) => fix.replace(/#\d+$/, "").replace(" ", ":"));
    return [
      ...named.map((finding) => commandBlock(commandLine(["culprit", "fix", finding, ...this.made.asked.target]))),
      ...(isMore || fixes.length === 0 ? [commandBlock(command)] : []),
      ...(removed.length + Object.keys(swapped).length === 0
        ? []
        : [element("p", { class: "faint" }, "A copy that is taken away or swapped has no option of a command.")]),
    ];
  }

  /** A name for the experiment, to be compared with others. */
  private keeping(): HTMLElement {
    const entry = element("input", { type: "text", id: "keep-name", placeholder: wordsOf(this.experiment), autocomplete: "off" });
    const keep = () => {
      if (!this.answer) return;
      const name = entry.value.trim() === "" ? wordsOf(this.experiment) : entry.value.trim();
      this.kept = [...this.kept.filter((each) => each.name !== name), { name, experiment: this.experiment, answer: this.answer }];
      this.note(this.experiment);
      this.drawPanel();
    };
    entry.addEventListener("keydown", (event) => {
      if (event.key === "Enter") keep();
    });
    return element(
      "p",
      { class: "field" },
      element("label", { for: "keep-name" }, "keep it as"),
      entry,
      button("Keep", "Keep this experiment", keep),
    );
  }

  private tell(nodes: Node[]): void {
    by("changes").replaceChildren(...nodes);
  }

  /** Only if it is not as it was: most experiments leave most of the page as it is. */
  private drawSection(markup: string, index: number): void {
    const { removed = [], swapped = {}, fixes = [] } = this.experiment;
    // What the buttons of a section do, and whether they can, is of the experiment.
    const key = /data-(?:fix|file)=/.test(markup) ? `${JSON.stringify([removed, swapped, fixes])}${markup}` : markup;
    if (this.drawn[index] === key) return;
    const place = by("answer");
    const old = place.children[index];
    const open = new Set([...(old?.querySelectorAll("details[open] > summary") ?? [])].map((summary) => summary.textContent));
    const fresh = document.createElement("template");
    // Markup of our own reports, which escape whatever came from a machine; no script runs in it (the page's policy).
    fresh.innerHTML = markup;
    const section = fresh.content.firstElementChild as HTMLElement;
    const typed = [...(old?.querySelectorAll<HTMLInputElement | HTMLSelectElement>("#finding-filter, #copy-search, #copy-order") ?? [])];
    for (const summary of section.querySelectorAll("details > summary"))
      if (open.has(summary.textContent)) summary.parentElement!.setAttribute("open", "");
    if (old) old.replaceWith(section);
    else place.append(section);
    this.drawn[index] = key;
    this.adorn(section);
    for (const { id, value } of typed) {
      const again = section.querySelector<HTMLInputElement | HTMLSelectElement>(`#${id}`);
      if (!again || again.value === value) continue;
      again.value = value;
      again.dispatchEvent(new Event("input"));
    }
  }

  /** What needs a script: copy buttons, fixes to be tried out, a filter, a search among copies, and taking one away. */
  private adorn(section: HTMLElement): void {
    adornCommands(section);
    adornFindings(section);
    adornCopies(section);
    for (const words of section.querySelectorAll<HTMLElement>("[data-fix]")) this.adornFix(words);
    // Thousands of rows: those that are unfolded are enough.
    for (const library of section.querySelectorAll<HTMLDetailsElement>("details:has(> ul.copies)")) {
      const files = [...library.querySelectorAll<HTMLElement>("li[data-file]")];
      const adorn = () => {
        for (const item of files) if (library.open && !item.querySelector("button")) this.adornCopy(item, files);
      };
      library.addEventListener("toggle", adorn);
      adorn();
    }
  }

  private adornFix(words: HTMLElement): void {
    const key = words.dataset["fix"]!;
    const { fixes = [] } = this.experiment;
    words.after(
      " ",
      button(
        "Try it",
        "Try this fix out on the facts of the page",
        () => this.change({ ...this.experiment, fixes: [...fixes, key] }),
        fixes.includes(key),
      ),
    );
  }

  private adornCopy(item: HTMLElement, copies: HTMLElement[]): void {
    const file = item.dataset["file"]!;
    const { removed = [], swapped = {} } = this.experiment;
    const others = copies.map((each) => each.dataset["file"]!).filter((other) => other !== file);
    const swap = button("Swap", `Swap ${file} for another copy`, () => swap.replaceWith(this.choiceFor(file, others)));
    item.append(
      " ",
      button(
        "Take away",
        `As if ${file} were not there`,
        () => this.change({ ...this.experiment, removed: [...removed, file] }),
        removed.includes(file),
      ),
      ...(others.length === 0 ? [] : [" ", swapped[file] === undefined ? swap : this.choiceFor(file, others)]),
    );
  }

  private choiceFor(file: string, others: string[]): HTMLSelectElement {
    const { swapped = {} } = this.experiment;
    const choice = element(
      "select",
      { "aria-label": `What would be in the place of ${file}` },
      element("option", { value: "" }, "as it is"),
      ...others.map((other) => element("option", { value: other, selected: swapped[file] === other }, other)),
    );
    choice.addEventListener("change", () => {
      const { [file]: _old, ...rest } = swapped;
      const next = choice.value === "" ? rest : { ...rest, [file]: choice.value };
      const { swapped: _all, ...experiment } = this.experiment;
      this.change(Object.keys(next).length === 0 ? experiment : { ...experiment, swapped: next });
    });
    return choice;
  }
}

const foldersIn = ({ loads }: Answer): string[] =>
  [...new Set(Object.values(loads).flatMap((libraries) => Object.values(libraries).flatMap(({ folders }) => folders)))].sort();
