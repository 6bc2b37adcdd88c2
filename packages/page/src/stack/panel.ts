// The controls of an experiment: what is typed, dragged or taken away becomes the next experiment.
import { button, element } from "../dom.ts";
import { elementsOf, fixWords, moved, type Experiment } from "./experiment.ts";

export interface Situation {
  experiment: Experiment;
  /** Variables as they are without the experiment. */
  variables: { [name: string]: string };
  /** Folders that hold copies of GPU libraries: what one may want to search. */
  folders: string[];
}

type Change = (next: Experiment) => void;

/** Variables that decide which library is loaded or which GPU is seen. */
const known = [
  "LD_LIBRARY_PATH",
  "LD_PRELOAD",
  "CUDA_HOME",
  "CUDA_PATH",
  "CUDA_VISIBLE_DEVICES",
  "PATH",
  "PYTHONPATH",
  "XLA_FLAGS",
  "TF_CPP_MIN_LOG_LEVEL",
  "NVIDIA_VISIBLE_DEVICES",
];
/** Lists of folders, shown as tokens. */
const isList = (name: string) => name === "LD_LIBRARY_PATH" || name === "LD_PRELOAD";

export function controls(situation: Situation, change: Change): Node[] {
  const { experiment, variables } = situation;
  const others = known.filter((name) => !isList(name) && (name in variables || name in experiment.variables));
  const added = Object.keys(experiment.variables).filter((name) => !known.includes(name));
  return [
    tokens("LD_LIBRARY_PATH", "LD_LIBRARY_PATH: folders that are searched first", situation, change),
    ...("LD_PRELOAD" in variables || "LD_PRELOAD" in experiment.variables
      ? [tokens("LD_PRELOAD", "LD_PRELOAD: files that are loaded first", situation, change)]
      : []),
    group("Other variables", [...[...others, ...added].map((name) => variable(name, situation, change)), addVariable(situation, change)]),
    group("Machine", [
      field("driver", "Driver", experiment.driver ?? "", "as it is; 535.104.05", (value) => change(withText(experiment, "driver", value))),
      field("gpu", "GPUs", (experiment.gpus ?? []).join(", "), "as they are; H100, RTX 4090, sm_90", (value) =>
        change(withGpus(experiment, value)),
      ),
      field("cpu", "Processor", experiment.cpu ?? "", "as it is; v3, amd:v4", (value) => change(withText(experiment, "cpu", value))),
      ldconfig(experiment, change),
    ]),
    ...applied(experiment, change),
    ...removedCopies(experiment, change),
    ...swappedCopies(experiment, change),
  ];
}

const group = (title: string, children: Node[]): HTMLElement =>
  element("fieldset", { class: "group" }, element("legend", {}, title), ...children);

function withText(experiment: Experiment, name: "driver" | "cpu", value: string): Experiment {
  const { [name]: _old, ...rest } = experiment;
  return value.trim() === "" ? rest : { ...rest, [name]: value.trim() };
}

function withGpus(experiment: Experiment, value: string): Experiment {
  const { gpus: _old, ...rest } = experiment;
  const gpus = value
    .split(",")
    .map((gpu) => gpu.trim())
    .filter((gpu) => gpu !== "");
  return gpus.length === 0 ? rest : { ...rest, gpus };
}

/** A variable as it would be; what it is on the machine anyway is no experiment. */
export function withVariable({ experiment, variables }: Situation, name: string, value: string | null): Experiment {
  const { [name]: _old, ...others } = experiment.variables;
  const isSame = value === null ? !(name in variables) : variables[name] === value;
  return { ...experiment, variables: isSame ? others : { ...others, [name]: value } };
}

const valueOf = ({ experiment, variables }: Situation, name: string): string | null =>
  name in experiment.variables ? experiment.variables[name]! : (variables[name] ?? null);

function tokens(name: string, title: string, situation: Situation, change: Change): HTMLElement {
  const list = elementsOf(valueOf(situation, name) ?? "");
  const put = (next: string[]) => change(withVariable(situation, name, next.length === 0 ? null : next.join(":")));
  const items = list.map((folder, index) => token(folder, index, list, name, put));
  const entry = element("input", {
    type: "text",
    list: "folders",
    placeholder: "/usr/local/cuda/lib64",
    "aria-label": `A folder to add to ${name}`,
    autocomplete: "off",
    spellcheck: "false",
  });
  const add = () => {
    if (entry.value.trim() !== "") put([entry.value.trim(), ...list]);
  };
  entry.addEventListener("keydown", (event) => {
    if (event.key === "Enter") add();
  });
  return group(title, [
    list.length === 0
      ? element("p", { class: "faint" }, "not set")
      : element("ol", { class: "tokens", "aria-label": name, "data-variable": name }, ...items),
    element("p", { class: "adding" }, entry, button("Add in front", `Add in front of ${name}`, add)),
  ]);
}

function token(folder: string, index: number, list: string[], name: string, put: (next: string[]) => void): HTMLElement {
  const shown = folder === "" ? "(empty: the current folder)" : folder;
  const item = element(
    "li",
    { class: "token" },
    element("span", { class: "grip", "aria-hidden": "true" }, "⠿"),
    element("code", {}, shown),
    button("↑", `Search ${shown} earlier`, () => put(moved(list, index, index - 1)), index === 0),
    button("↓", `Search ${shown} later`, () => put(moved(list, index, index + 1)), index === list.length - 1),
    button("✕", `Take ${shown} out of ${name}`, () => put(list.filter((_, at) => at !== index))),
  );
  dragged(item, (to) => put(to === undefined ? list.filter((_, at) => at !== index) : moved(list, index, to)));
  return item;
}

/** Follows a finger, a pen or the mouse; told the place among its neighbours, or undefined where it was let go outside the list. */
function dragged(item: HTMLElement, done: (to: number | undefined) => void): void {
  item.addEventListener("pointerdown", (down) => {
    if (down.button !== 0 || (down.target as HTMLElement).closest("button")) return;
    down.preventDefault();
    item.setPointerCapture(down.pointerId);
    item.classList.add("dragged");
    const move = ({ clientX, clientY }: PointerEvent) => {
      item.style.translate = `${clientX - down.clientX}px ${clientY - down.clientY}px`;
      item.classList.toggle("outside", isOutside(item.parentElement!, clientX, clientY));
    };
    const end = ({ type, clientX, clientY }: PointerEvent) => {
      item.removeEventListener("pointermove", move);
      item.classList.remove("dragged", "outside");
      item.style.translate = "";
      const list = item.parentElement!;
      if (type === "pointercancel" || Math.hypot(clientX - down.clientX, clientY - down.clientY) < 5) return;
      if (isOutside(list, clientX, clientY)) return done(undefined);
      const others = [...list.children].filter((each) => each !== item);
      const to = others.filter((each) => middleOf(each) < clientY).length;
      if (to !== [...list.children].indexOf(item)) done(to);
    };
    item.addEventListener("pointermove", move);
    item.addEventListener("pointerup", end, { once: true });
    item.addEventListener("pointercancel", end, { once: true });
  });
}

const middleOf = (each: Element): number => {
  const { top, height } = each.getBoundingClientRect();
  return top + height / 2;
};

/** A little beside it is still in it. */
function isOutside(list: HTMLElement, x: number, y: number): boolean {
  const { left, right, top, bottom } = list.getBoundingClientRect();
  return x < left - 20 || right + 20 < x || y < top - 20 || bottom + 20 < y;
}

function variable(name: string, situation: Situation, change: Change): HTMLElement {
  const value = valueOf(situation, name);
  const isChanged = name in situation.experiment.variables;
  const row = field(`variable-${name}`, name, value ?? "", "not set", (next) =>
    change(withVariable(situation, name, next === "" ? null : next)),
  );
  if (isChanged) row.classList.add("changed");
  return row;
}

function addVariable(situation: Situation, change: Change): HTMLElement {
  const entry = element("input", { type: "text", id: "new-variable", placeholder: "NAME=value", autocomplete: "off", spellcheck: "false" });
  const add = () => {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(entry.value.trim()) ?? [];
    if (name !== undefined) return change(withVariable(situation, name, value!));
    entry.setCustomValidity("A name, =, and a value: CUDA_VISIBLE_DEVICES=0");
    entry.reportValidity();
  };
  entry.addEventListener("input", () => entry.setCustomValidity(""));
  entry.addEventListener("keydown", (event) => {
    if (event.key === "Enter") add();
  });
  return element(
    "p",
    { class: "field" },
    element("label", { for: "new-variable" }, "another"),
    entry,
    button("Set", "Set this variable", add),
  );
}

function field(id: string, label: string, value: string, placeholder: string, changed: (value: string) => void): HTMLElement {
  const entry = element("input", { type: "text", id: `what-if-${id}`, value, placeholder, autocomplete: "off", spellcheck: "false" });
  entry.addEventListener("change", () => changed(entry.value));
  return element("p", { class: "field" }, element("label", { for: `what-if-${id}` }, label), entry);
}

function ldconfig(experiment: Experiment, change: Change): HTMLElement {
  const box = element("input", { type: "checkbox", id: "what-if-ldconfig" });
  box.checked = experiment.ldconfig === true;
  box.addEventListener("change", () => {
    const { ldconfig: _old, ...rest } = experiment;
    change(box.checked ? { ...rest, ldconfig: true } : rest);
  });
  return element(
    "p",
    { class: "field" },
    element("label", { for: "what-if-ldconfig" }, "ldconfig"),
    element("span", {}, box, " as if it had just been run"),
  );
}

function removedCopies(experiment: Experiment, change: Change): HTMLElement[] {
  const { removed = [], ...rest } = experiment;
  const back = (file: string) => {
    const left = removed.filter((each) => each !== file);
    change(left.length === 0 ? rest : { ...rest, removed: left });
  };
  return backList("Copies that are taken away", removed, (file) => file, back);
}

function applied(experiment: Experiment, change: Change): HTMLElement[] {
  const { fixes = [], ...rest } = experiment;
  const undo = (fix: string) => {
    const left = fixes.filter((each) => each !== fix);
    change(left.length === 0 ? rest : { ...rest, fixes: left });
  };
  return backList("Fixes that are tried out", fixes, fixWords, undo);
}

function swappedCopies(experiment: Experiment, change: Change): HTMLElement[] {
  const { swapped = {}, ...rest } = experiment;
  const back = (file: string) => {
    const { [file]: _old, ...left } = swapped;
    change(Object.keys(left).length === 0 ? rest : { ...rest, swapped: left });
  };
  return backList("Copies that are another one", Object.keys(swapped), (file) => `${file} is ${swapped[file]!}`, back);
}

function backList(title: string, items: string[], words: (item: string) => string, back: (item: string) => void): HTMLElement[] {
  if (items.length === 0) return [];
  const row = (item: string) =>
    element(
      "li",
      {},
      element("code", {}, words(item)),
      button("Take back", `Take back: ${words(item)}`, () => back(item)),
    );
  return [group(title, [element("ul", { class: "tokens" }, ...items.map(row))])];
}
