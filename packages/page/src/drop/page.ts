// The page onto which anything can be dropped: it lists what there is, and shows the answer to one of it.
import { button, element, unpackedText } from "../dom.ts";
import { adornCommands, adornFindings } from "../stack/adorn.ts";
import { Asking, promised } from "../stack/asking.ts";
import { Bench } from "../stack/bench.ts";
import { recordingOf } from "../trace/data.ts";
import { showTrace } from "../trace/view.ts";
import type { FromWorker, Shown, ToWorker } from "./messages.ts";

const by = (id: string): HTMLElement => document.getElementById(id)!;

/** What was dropped, in its order; without an answer yet, or with one. */
interface Entry {
  id: string;
  name: string;
  progress: string;
  shown?: Shown;
  /** Of a machine: what lies below the answer. */
  rest: ReturnType<typeof promised<string[]>>;
  /** Two of them side by side. */
  of?: [string, string];
}

let entries: Entry[] = [];
let selected: string | undefined;
let worker: Promise<Worker> | undefined;
let bench: Bench | undefined;
let leaveTrace: (() => void) | undefined;
let count = 0;
const asking = new Asking();

/** A part is in the page, or lies beside it as a script that hands it over: that works from a disk as well. */
async function partOf(name: string): Promise<string> {
  const inside = document.getElementById(name);
  if (inside) return unpackedText(inside.textContent!);
  return new Promise((settle, fail) => {
    Object.assign(globalThis, { [`culprit_${name}`]: (packed: string) => settle(unpackedText(packed)) });
    const script = element("script", { src: `${name}.js` });
    script.addEventListener("error", () => fail(new Error(`${name}.js is not beside the page`)));
    document.head.append(script);
  });
}

/** Whoever is about to drop something should not wait for the engine: it is made ready when it lies in the page, or when a hand is raised. */
function prepare(): void {
  const begin = () => {
    worker ??= start();
    // It is asked for again, and complained about, when something is there to be answered.
    worker.catch(() => (worker = undefined));
  };
  if (document.getElementById("engine")) setTimeout(begin, 200);
  else for (const sign of ["dragenter", "pointerdown", "focusin"]) document.addEventListener(sign, begin, { once: true });
}

async function start(): Promise<Worker> {
  const [knowledge, engine] = await Promise.all([partOf("knowledge"), partOf("engine")]);
  const code = new Blob([`globalThis.culpritKnowledge=${knowledge};\n`, engine], { type: "text/javascript" });
  const made = new Worker(URL.createObjectURL(code));
  made.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => hear(data));
  return made;
}

async function say(message: ToWorker): Promise<void> {
  worker ??= start();
  try {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is a worker, not a window
    (await worker).postMessage(message);
  } catch (error) {
    worker = undefined;
    by("answer").replaceChildren(
      element("p", {}, `The engine could not be started: ${error instanceof Error ? error.message : String(error)}`),
    );
  }
}

function hear(message: FromWorker): void {
  if (message.kind === "experiment") asking.hear(message.answering);
  if (message.kind === "below") entries.find(({ id }) => id === message.id)?.rest.settle(message.sections);
  if (message.kind === "progress") {
    const entry = entries.find(({ id }) => id === message.id);
    if (entry) entry.progress = message.words;
    list();
  }
  if (message.kind === "within") {
    const archive = entries.find(({ id }) => id === message.id);
    if (!archive) return;
    entries = entries.filter((each) => each !== archive);
    for (const { name, file } of message.files) take(name, file);
  }
  if (message.kind === "shown") {
    const entry = entries.find(({ id }) => id === message.shown.id);
    if (!entry) return;
    entry.shown = message.shown;
    list();
    if (selected === entry.id) show(entry);
  }
}

function take(name: string, file: Blob): void {
  count += 1;
  const entry: Entry = { id: `item-${count}`, name: toldApart(name), progress: "waiting", rest: promised() };
  entries = [...entries, entry];
  selected = entry.id;
  by("taking").classList.add("small");
  list();
  show(entry);
  void say({ kind: "take", id: entry.id, name, file });
}

/** Two machines often come as two files of one name: the second is said to be that. */
function toldApart(name: string): string {
  const isTaken = (tried: string) => entries.some((each) => each.name === tried);
  if (!isTaken(name)) return name;
  let number = 2;
  while (isTaken(`${name} (${number})`)) number += 1;
  return `${name} (${number})`;
}

function leave({ id }: Entry): void {
  entries = entries.filter((each) => each.id !== id && !each.of?.includes(id));
  void say({ kind: "leave", id });
  if (!entries.some((each) => each.id === selected)) select(entries.at(-1)?.id);
  list();
}

function select(id: string | undefined): void {
  selected = id;
  const entry = entries.find((each) => each.id === id);
  history.replaceState(null, "", "#");
  list();
  if (entry) show(entry);
  else clear();
}

/** Pairs that can be laid side by side: machines, or dependency files. */
function pairs(): { a: Entry; b: Entry }[] {
  return ["machine", "dependency-file"].flatMap((kind) => {
    const alike = entries.filter(({ shown }) => shown?.kind === kind);
    return alike.slice(1).map((b) => ({ a: alike[0]!, b }));
  });
}

function list(): void {
  by("items").hidden = entries.length === 0;
  const focused = focusKey(document.activeElement);
  const made = pairs()
    .filter(({ a, b }) => !entries.some(({ of }) => of?.[0] === a.id && of[1] === b.id))
    .map(({ a, b }) =>
      element(
        "li",
        {},
        button(`Compare ${a.name} with ${b.name}`, `Compare ${a.name} with ${b.name}`, () => compare(a, b)),
      ),
    );
  by("items").firstElementChild!.replaceChildren(...entries.map(row), ...made);
  if (focused !== "") [...by("items").querySelectorAll("button")].find((each) => focusKey(each) === focused)?.focus();
}

const focusKey = (each: Element | null): string => (each instanceof HTMLElement ? (each.dataset["id"] ?? each.title) : "");

function compare(a: Entry, b: Entry): void {
  count += 1;
  const entry: Entry = { id: `item-${count}`, name: `${a.name} and ${b.name}`, progress: "comparing", of: [a.id, b.id], rest: promised() };
  entries = [...entries, entry];
  select(entry.id);
  void say({ kind: "compare", id: entry.id, a: { id: a.id, name: a.name }, b: { id: b.id, name: b.name } });
}

function row(entry: Entry): HTMLElement {
  const { shown, name, progress, id } = entry;
  const choose = element(
    "button",
    {
      type: "button",
      class: "item",
      "aria-pressed": String(id === selected),
      "data-id": id,
      click: () => select(id),
    },
    element("span", { class: "name" }, name),
    element(
      "span",
      { class: "faint" },
      shown ? `${shown.taken}${shown.joined === undefined ? "" : `, joined with ${shown.joined}`}` : progress,
    ),
    ...(shown ? [element("span", { class: `badge ${shown.look}` }, shown.told)] : []),
  );
  const gone = button("✕", `Leave out ${name}`, () => leave(entry));
  gone.classList.add("leave");
  return element("li", {}, choose, gone);
}

function clear(): void {
  bench?.stop();
  leaveTrace?.();
  [bench, leaveTrace] = [undefined, undefined];
  by("changes").replaceChildren();
  by("answer").replaceChildren();
  by("places").hidden = true;
}

function show(entry: Entry): void {
  clear();
  by("title").textContent = `culprit: ${entry.name}`;
  const { shown } = entry;
  if (!shown) {
    by("verdict").replaceChildren(element("p", { class: "verdict" }, "Reading …"));
    return;
  }
  // Markup of our own reports, which escape whatever came from elsewhere; no script runs in it (the page's policy).
  by("verdict").innerHTML = shown.verdict;
  by("answer").innerHTML = shown.answer;
  adornCommands(by("answer"));
  adornFindings(by("answer"));
  if (shown.base && shown.made) {
    bench = new Bench(shown.made, { answer: shown.base, rest: entry.rest.promise }, async (experiment) =>
      asking.ask((turn) => void say({ kind: "ask", turn, id: entry.id, experiment })),
    );
    bench.start();
  }
  listPlaces();
  if (shown.drawing) leaveTrace = showTrace(by("answer"), shown.drawing.data, recordingOf(shown.drawing.data, shown.drawing.words));
}

/** The parts of a long answer; those of a machine are drawn one after the other, and are known by what they will be. */
function listPlaces(): void {
  const made = bench
    ? partsOfMachine
    : [...by("answer").querySelectorAll("h2[id]")].map(({ id, textContent }) => [id, textContent!] as const);
  by("places").hidden = made.length < 3;
  by("places").firstElementChild!.replaceChildren(...made.map(([id, words]) => element("li", {}, element("a", { href: `#${id}` }, words))));
}

const partsOfMachine = [
  ["what-if-title", "What if"],
  ["findings", "Findings"],
  ["overview", "What works"],
  ["loads", "Who loads what"],
  ["frameworks", "Frameworks"],
  ["copies", "Library copies"],
  ["machine", "Machine"],
] as const;

/** For whoever has nothing at hand. */
const examples: { [name: string]: string } = {
  "error.txt":
    "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against (9, 1, 0) but found runtime version (8, 9, 7). PyTorch already comes bundled with cuDNN. One option to resolving this error is to ensure PyTorch can find the bundled cuDNN. Looks like your LD_LIBRARY_PATH contains incompatible version of cudnn. Please either remove it from the path or install cudnn (9, 1, 0)\n",
  "requirements.txt": "torch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29\nnumpy\n",
};

function listen(): void {
  for (const sample of document.querySelectorAll<HTMLElement>("[data-example]"))
    sample.addEventListener("click", () => take(sample.dataset["example"]!, new Blob([examples[sample.dataset["example"]!]!])));
  const files = by("files") as HTMLInputElement;
  files.addEventListener("change", () => {
    for (const file of files.files ?? []) take(file.name, file);
    files.value = "";
  });
  const text = by("text") as HTMLTextAreaElement;
  const explain = () => {
    if (text.value.trim() === "") return;
    take("pasted text", new Blob([text.value]));
    text.value = "";
  };
  by("explain").addEventListener("click", explain);
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.ctrlKey) explain();
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dragging");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    const dropped = [...(event.dataTransfer?.files ?? [])];
    for (const file of dropped) take(file.name, file);
    const said = event.dataTransfer?.getData("text/plain") ?? "";
    if (dropped.length === 0 && said !== "") take("dropped text", new Blob([said]));
  });
  document.addEventListener("paste", (event) => {
    if (event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement) return;
    const pasted = [...(event.clipboardData?.files ?? [])];
    for (const file of pasted) take(file.name, file);
    const said = event.clipboardData?.getData("text/plain") ?? "";
    if (pasted.length === 0 && said.trim() !== "") take("pasted text", new Blob([said]));
  });
}

/** What the page was made with. */
async function takeGiven(): Promise<void> {
  for (const given of document.querySelectorAll<HTMLElement>("script.given")) {
    const packed = Uint8Array.from(atob(given.textContent!.trim()), (character) => character.codePointAt(0)!);
    const file = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).blob();
    take(given.dataset["name"]!, file);
  }
}

listen();
void takeGiven();
prepare();
// Whoever was here once can come back without a network.
if (isSecureContext && location.protocol.startsWith("http") && !document.getElementById("engine"))
  void navigator.serviceWorker?.register("offline.js");
