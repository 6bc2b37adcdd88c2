// A profile on a page: the timeline with its keys, search, sums of a range, and the kernels beside it.
import { button, element } from "../dom.ts";
import type { PageData, Recording } from "./data.ts";
import { createMinimap } from "./minimap.ts";
import { dark, isDark, light } from "./palettes.ts";
import { sumsBetween, withDevices, type Sum } from "./sums.ts";
import { createTimeline, type Palette, type Picked, type Timeline } from "./timeline.ts";
import { drawTreemap } from "./treemap.ts";
import { hashOf, percentText, timeText } from "./units.ts";

interface Range {
  from: number;
  to: number;
}

/** Shows what is in `root`, which has the elements that the report made; answers how to let go of it. */
export function showTrace(root: HTMLElement, data: PageData, bare: Recording): () => void {
  const find = <Found extends HTMLElement>(selector: string) => root.querySelector<Found>(selector);
  const canvas = find<HTMLCanvasElement>("#timeline");
  const recording = withDevices(bare);
  const timeline = canvas && 0 < recording.tracks.length ? createTimeline(canvas, recording) : undefined;
  const palette = () => (isDark() ? dark : light);
  let chosen: Picked | undefined;

  const choose = (picked: Picked | undefined) => {
    chosen = picked;
    timeline?.choose(picked);
    const told = find("#told");
    told?.replaceChildren(...(picked ? toldNodes(picked, recording, data) : [usage]));
  };
  const goTo = (found: Picked | undefined) => {
    if (!found || !timeline) return;
    choose(found);
    const around = Math.max(found.duration * 12, data.span / 1e6);
    const middle = found.start + found.duration / 2;
    timeline.show(middle - around, middle + around);
    timeline.reveal(found);
  };
  const nextOf = (short: string) => {
    const name = data.names.indexOf(drawnName(short));
    if (name < 0 || !timeline) return;
    const isIt = (each: number) => each === name;
    goTo(timeline.next(isIt, chosen?.name === name ? chosen.start : -1) ?? timeline.next(isIt, -1));
  };
  if (timeline) addMinimap(find<HTMLCanvasElement>("#minimap"), recording, timeline, palette);

  const paint = () => {
    timeline?.paint(palette());
    const treemap = find("#treemap");
    const { colours } = palette();
    if (treemap) drawTreemap(treemap, data.kernels, (short) => colours[hashOf(short) % colours.length]!, nextOf);
  };
  const select = (range: Range | undefined) => {
    timeline?.select(range);
    find("#sums")?.replaceChildren(...(range ? sumNodes(recording, range) : []));
  };
  listenToTable(root, nextOf);
  if (timeline) linkGaps(root, timeline, select);
  const stop = new AbortController();
  for (const input of document.querySelectorAll("input[name=colours]")) input.addEventListener("change", paint, { signal: stop.signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint, { signal: stop.signal });
  if (canvas && timeline) {
    listenToSearch(root, data, timeline, () => chosen, goTo);
    listenToPointer(canvas, data, timeline, choose, select);
    listenToWheel(canvas, timeline);
    listenToPinch(canvas, timeline);
    listenToKeys(canvas, data, timeline, () => chosen, { choose, goTo, clear: () => find("#sums")!.replaceChildren() });
    followSize(canvas, timeline, paint, stop.signal);
  }
  choose(undefined);
  paint();
  // For measurements: how long each frame took, and a way to draw one.
  Object.assign(window, { culpritTimeline: timeline });
  return () => stop.abort();
}

/** As high as what is in it, as wide as the page, and drawn anew when that changes. */
function followSize(canvas: HTMLCanvasElement, timeline: Timeline, paint: () => void, stopped: AbortSignal): void {
  const fit = () => {
    timeline.resize(canvas.clientWidth, canvas.clientHeight);
    // Where nothing is hidden below, a finger that goes up or down scrolls the page.
    canvas.style.touchAction = timeline.contentHeight() <= canvas.clientHeight ? "pan-y" : "none";
  };
  canvas.style.height = `${Math.max(160, Math.min(window.innerHeight * 0.6, timeline.contentHeight() + 40))}px`;
  const observer = new ResizeObserver(() => {
    fit();
    paint();
    // At once: a canvas of another size is black until something is drawn on it.
    timeline.draw();
  });
  observer.observe(canvas);
  stopped.addEventListener("abort", () => observer.disconnect());
  fit();
}

function addMinimap(canvas: HTMLCanvasElement | null, recording: Recording, timeline: Timeline, palette: () => Palette): void {
  if (!canvas) return;
  const minimap = createMinimap(canvas, recording, (middle) => {
    const half = (timeline.view.to - timeline.view.from) / 2;
    timeline.show(middle - half, middle + half);
  });
  timeline.onDraw(() => minimap.draw(timeline.view, palette()));
}

const usage =
  "Click an event to see what it is. Arrow keys or A and D move, + and - or W and S zoom, 0 shows all, N goes to the next event of the same name, F fits the chosen one, / searches.";

/** What was clicked, what it says of itself, and its whole name where that is longer. */
function toldNodes(picked: Picked, recording: Recording, { kernels }: PageData): (Node | string)[] {
  const { names, detailOf } = recording;
  const detail = detailOf(picked.event);
  const short = names[picked.name]!;
  const found = 0 <= picked.event ? kernels.find((each) => drawnName(each.short) === short)?.name : undefined;
  const whole = found !== undefined && 400 < found.length ? `${found.slice(0, 399)}…` : found;
  // Of a name that was cut off, the whole is said at once.
  const isCut = whole?.startsWith(short) === true;
  return [
    toldOf(picked, recording, isCut ? whole! : short),
    ...(detail === undefined ? [] : [element("span", { class: "detail" }, detail)]),
    ...(whole === undefined || isCut ? [] : [element("code", { class: "detail faint" }, whole)]),
  ];
}

function toldOf({ start, duration, track, event }: Picked, { started, startedBy }: Recording, name: string): string {
  const calls = started.get(event)?.length ?? 0;
  const arrow =
    0 < calls ? `; it started ${calls} on the device (L goes there)` : startedBy.has(event) ? "; L goes to the call that started it" : "";
  return event < 0
    ? `busy for ${timeText(duration)}, from ${timeText(start)} on, ${track}`
    : `${name}: ${timeText(duration)}, at ${timeText(start)} on ${track}${arrow}`;
}

/** Names are drawn as far as anybody could read them (`drawn` of the core's timeline). */
const drawnName = (short: string) => short.slice(0, 160);

/** A gap that is told is shown, where there is one recording: times of several have nothing in common. */
function linkGaps(root: HTMLElement, timeline: Timeline, select: (range: Range) => void): void {
  const gaps = [...root.querySelectorAll<HTMLElement>("li[data-start]")];
  if (1 < root.querySelectorAll("section.file").length) return;
  for (const gap of gaps) {
    const [start, duration] = [Number(gap.dataset["start"]), Number(gap.dataset["duration"])];
    const show = () => {
      timeline.show(start - duration * 0.1, start + duration * 1.1);
      select({ from: start, to: start + duration });
      root.querySelector("#timeline")?.scrollIntoView({ block: "center" });
    };
    gap.append(" ", button("Show", "Show this gap in the timeline", show));
  }
}

function listenToTable(root: HTMLElement, nextOf: (short: string) => void): void {
  const rows = [...root.querySelectorAll<HTMLElement>("#kernels tbody tr")];
  const filter = root.querySelector<HTMLInputElement>("#filter");
  filter?.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent!.toLowerCase().includes(wanted);
  });
  for (const row of rows) row.querySelector("button")?.addEventListener("click", () => nextOf(row.dataset["short"] ?? ""));
  const table = root.querySelector<HTMLTableElement>("#kernels");
  for (const [column, head] of [...(table?.tHead?.rows[0]?.cells ?? [])].entries())
    head.querySelector("button")?.addEventListener("click", () => sortBy(table!, column, head));
}

/** By a column, largest first; once more, the other way round. */
function sortBy(table: HTMLTableElement, column: number, head: HTMLTableCellElement): void {
  const isDown = head.getAttribute("aria-sort") !== "descending";
  for (const each of table.tHead!.rows[0]!.cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const body = table.tBodies[0]!;
  const keyOf = (row: HTMLTableRowElement) => row.cells[column]!.dataset["value"] ?? row.cells[column]!.textContent!;
  const rows = [...body.rows].sort((a, b) => keyOf(b).localeCompare(keyOf(a), "en", { numeric: true }));
  body.append(...(isDown ? rows : rows.reverse()));
}

function listenToSearch(
  root: HTMLElement,
  { names }: PageData,
  timeline: Timeline,
  chosen: () => Picked | undefined,
  goTo: (found: Picked | undefined) => void,
): void {
  const input = root.querySelector<HTMLInputElement>("#find-event")!;
  const found = root.querySelector<HTMLElement>("#found")!;
  let matching: Uint8Array | undefined;
  const search = () => {
    const wanted = input.value.trim().toLowerCase();
    matching = wanted === "" ? undefined : Uint8Array.from(names, (name) => Number(name.toLowerCase().includes(wanted)));
    timeline.match(matching);
    const count = matching?.reduce((sum, each) => sum + each, 0) ?? 0;
    found.textContent = matching ? `${count} ${count === 1 ? "name" : "names"}` : "";
  };
  const go = (back: boolean) => {
    if (!matching) return;
    const isIt = (name: number) => matching![name] === 1;
    const at = chosen()?.start ?? (back ? Number.POSITIVE_INFINITY : -1);
    goTo(timeline.next(isIt, at, back) ?? timeline.next(isIt, back ? Number.POSITIVE_INFINITY : -1, back));
  };
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(event.shiftKey);
  });
  root.querySelector("#find-next")!.addEventListener("click", () => go(false));
  root.querySelector("#find-previous")!.addEventListener("click", () => go(true));
}

function listenToWheel(canvas: HTMLCanvasElement, timeline: Timeline): void {
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      if (event.shiftKey) timeline.pan(event.deltaY || event.deltaX, 0);
      else if (Math.abs(event.deltaY) < Math.abs(event.deltaX)) timeline.pan(event.deltaX, 0);
      else timeline.zoom(Math.exp(event.deltaY / 400), event.offsetX);
    },
    { passive: false },
  );
}

function listenToPointer(
  canvas: HTMLCanvasElement,
  data: PageData,
  timeline: Timeline,
  choose: (picked: Picked | undefined) => void,
  select: (range: Range | undefined) => void,
): void {
  let held: { by: number; x: number; y: number; moved: boolean; from: number | undefined } | undefined;
  canvas.addEventListener("pointerdown", (event) => {
    // Two fingers do something else.
    if (held) return void (held = undefined);
    held = {
      by: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      moved: false,
      from: event.shiftKey ? timeline.timeAt(event.offsetX) : undefined,
    };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held && held.by !== event.pointerId) return;
    if (!held) {
      const under = timeline.at(event.offsetX, event.offsetY);
      canvas.title = under && "name" in under && 0 <= under.event ? `${data.names[under.name]}\n${timeText(under.duration)}` : "";
      return;
    }
    const [x, y] = [held.x - event.clientX, held.y - event.clientY];
    if (2 < Math.abs(x) + Math.abs(y)) held.moved = true;
    if (!held.moved) return;
    if (held.from !== undefined) {
      const to = timeline.timeAt(event.offsetX);
      select({ from: Math.max(0, Math.min(held.from, to)), to: Math.min(data.span, Math.max(held.from, to)) });
      return;
    }
    timeline.pan(x, y);
    held.x = event.clientX;
    held.y = event.clientY;
  });
  canvas.addEventListener("pointercancel", () => (held = undefined));
  canvas.addEventListener("pointerup", (event) => {
    if (held && !held.moved) {
      const under = timeline.at(event.offsetX, event.offsetY);
      if (under && "toggles" in under) timeline.toggle(under.toggles);
      else choose(under);
    }
    held = undefined;
  });
  canvas.addEventListener("dblclick", (event) => {
    const under = timeline.at(event.offsetX, event.offsetY);
    if (under && "name" in under) timeline.show(under.start - under.duration * 0.2, under.start + under.duration * 1.2);
  });
}

/** Two fingers: what is between them stays between them. */
function listenToPinch(canvas: HTMLCanvasElement, timeline: Timeline): void {
  const fingers = new Map<number, number>();
  canvas.addEventListener("pointerdown", ({ pointerId, offsetX }) => void fingers.set(pointerId, offsetX));
  canvas.addEventListener("pointermove", ({ pointerId, offsetX }) => {
    const other = [...fingers].find(([id]) => id !== pointerId)?.[1];
    const before = fingers.get(pointerId);
    if (before === undefined || other === undefined) return;
    fingers.set(pointerId, offsetX);
    const [was, is] = [Math.abs(before - other), Math.abs(offsetX - other)];
    if (8 < Math.min(was, is)) timeline.zoom(was / is, other);
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    canvas.addEventListener(end, ({ pointerId }) => void fingers.delete(pointerId));
}

function listenToKeys(
  canvas: HTMLCanvasElement,
  { span }: PageData,
  timeline: Timeline,
  chosen: () => Picked | undefined,
  act: { choose: (picked: Picked | undefined) => void; goTo: (found: Picked | undefined) => void; clear: () => void },
): void {
  const middle = () => canvas.clientWidth / 2;
  const same = (back: boolean) => {
    const now = chosen();
    if (now) act.goTo(timeline.next((name) => name === now.name, now.start, back));
  };
  const keys: { [key: string]: () => void } = {
    arrowleft: () => timeline.pan(-80, 0),
    arrowright: () => timeline.pan(80, 0),
    arrowup: () => timeline.pan(0, -40),
    arrowdown: () => timeline.pan(0, 40),
    a: () => timeline.pan(-80, 0),
    d: () => timeline.pan(80, 0),
    w: () => timeline.zoom(0.7, middle()),
    s: () => timeline.zoom(1.4, middle()),
    "+": () => timeline.zoom(0.7, middle()),
    "=": () => timeline.zoom(0.7, middle()),
    "-": () => timeline.zoom(1.4, middle()),
    "0": () => timeline.show(0, span),
    home: () => timeline.show(0, span),
    n: () => same(false),
    p: () => same(true),
    f: () => act.goTo(chosen()),
    l: () => act.goTo(linkOf(timeline, chosen())),
    "/": () => document.querySelector<HTMLElement>("#find-event")?.focus(),
    escape: () => {
      act.choose(undefined);
      timeline.select(undefined);
      act.clear();
    },
  };
  canvas.addEventListener("keydown", (event) => {
    const done = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key.toLowerCase()];
    if (!done) return;
    event.preventDefault();
    done();
  });
}

const linkOf = (timeline: Timeline, chosen: Picked | undefined): Picked | undefined => chosen && timeline.linked(chosen.event);

function sumNodes(recording: Recording, { from, to }: Range): Node[] {
  const { length, devices, kernels, host } = sumsBetween(recording, from, to);
  const table = (title: string, sums: Sum[]) =>
    sums.length === 0
      ? []
      : [
          element("h4", {}, title),
          element(
            "ul",
            {},
            ...sums
              .slice(0, 8)
              .map(({ name, total, count }) => element("li", {}, `${timeText(total, 3)}, ${count} × `, element("code", {}, name))),
            ...(8 < sums.length ? [element("li", { class: "faint" }, `and ${sums.length - 8} more names`)] : []),
          ),
        ];
  return [
    element(
      "h3",
      {},
      `${timeText(length, 3)} from ${timeText(from)} on${devices.map(({ label, busy }) => `; ${label.replace(": any stream", "")} was busy ${percentText(busy / length)}`).join("")}`,
    ),
    ...table("On the device", kernels),
    ...table("On the host", host),
  ];
}
