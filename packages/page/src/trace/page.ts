import { unpack, type PageData } from "./data.ts";
import { createTimeline, timeText, type Palette, type Picked } from "./timeline.ts";
import { drawTreemap } from "./treemap.ts";

const light: Palette = {
  text: "#10151c",
  faint: "#5a6572",
  line: "#d5dbe2",
  background: "#ffffff",
  run: { gpu: "#7aa6d8", host: "#b9c2cc" },
  chosen: "#e8590c",
  colours: [
    "#8ecae6",
    "#a7c957",
    "#ffb703",
    "#cdb4db",
    "#f4978e",
    "#90dbf4",
    "#e9c46a",
    "#b8e0d2",
    "#d4a373",
    "#a0c4ff",
    "#ffc6ff",
    "#caffbf",
  ],
};
const dark: Palette = {
  text: "#e6ebf1",
  faint: "#9aa6b2",
  line: "#303a45",
  background: "#12171d",
  run: { gpu: "#3f6ea3", host: "#4a5561" },
  chosen: "#ff922b",
  colours: [
    "#5fa8d3",
    "#8aac3a",
    "#e0a100",
    "#a88fc0",
    "#d9776d",
    "#5bbfdc",
    "#c9a648",
    "#86bfae",
    "#b58352",
    "#7a9fe0",
    "#d59ad5",
    "#9bd692",
  ],
};

async function start(): Promise<void> {
  const data = JSON.parse(document.getElementById("data")!.textContent!) as PageData;
  const byScheme = matchMedia("(prefers-color-scheme: dark)");
  let isDark = byScheme.matches;
  const palette = () => (isDark ? dark : light);
  const root = document.documentElement;
  const canvas = document.querySelector("canvas");
  const told = document.getElementById("told");
  const packed = document.getElementById("events")?.textContent ?? "";
  const tracks = packed === "" ? [] : await unpack(data, packed);
  const timeline = canvas && 0 < tracks.length ? createTimeline(canvas, tracks, data.names, data.span) : undefined;
  const treemap = document.getElementById("treemap");
  let chosen: Picked | undefined;

  const tell = (picked: Picked | undefined) => {
    if (!told) return;
    told.textContent = picked
      ? `${data.names[picked.name]}: ${timeText(picked.duration)}, at ${timeText(picked.start)} on ${picked.track}`
      : "Click an event to see what it is. Arrow keys move, + and - zoom, 0 shows all, n goes to the next event of the same name.";
  };
  const choose = (picked: Picked | undefined) => {
    chosen = picked;
    timeline?.highlight(picked?.name ?? -1);
    tell(picked);
  };
  const colourOf = (short: string) => {
    let hash = 0;
    for (let at = 0; at < short.length; at += 1) hash = (Math.imul(hash, 31) + short.charCodeAt(at)) | 0;
    const { colours } = palette();
    return colours[((hash ^ (hash >>> 15)) >>> 0) % colours.length]!;
  };
  const goTo = (name: number, time: number) => {
    const found = timeline?.next(name, time) ?? timeline?.next(name, -1);
    if (!found || !timeline) return;
    choose(found);
    const around = Math.max(found.duration * 12, data.span / 1e6);
    timeline.show(found.start + found.duration / 2 - around, found.start + found.duration / 2 + around);
  };

  const paint = () => {
    root.dataset["theme"] = isDark ? "dark" : "light";
    timeline?.paint(palette());
    if (treemap)
      drawTreemap(treemap, data.kernels, colourOf, (short) => {
        const name = data.names.indexOf(short);
        if (0 <= name) goTo(name, -1);
      });
  };
  document.getElementById("theme")?.addEventListener("click", () => {
    isDark = !isDark;
    paint();
  });
  byScheme.addEventListener("change", () => {
    isDark = byScheme.matches;
    paint();
  });

  const filter = document.querySelector<HTMLInputElement>("#filter");
  filter?.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const row of document.querySelectorAll<HTMLElement>("#kernels tbody tr"))
      row.hidden = !row.textContent!.toLowerCase().includes(wanted);
  });
  for (const row of document.querySelectorAll<HTMLElement>("#kernels tbody tr"))
    row.querySelector("button")?.addEventListener("click", () => {
      const name = data.names.indexOf(row.dataset["short"] ?? "");
      if (0 <= name) goTo(name, chosen?.name === name ? chosen.start : -1);
    });

  if (canvas && timeline) {
    const fit = () => timeline.resize(canvas.clientWidth, canvas.clientHeight);
    canvas.style.height = `${Math.max(160, Math.min(window.innerHeight * 0.6, timeline.contentHeight() + 40))}px`;
    new ResizeObserver(fit).observe(canvas);
    fit();
    let held: { x: number; y: number; moved: boolean } | undefined;
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
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, y: event.clientY, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) {
        const under = timeline.at(event.offsetX, event.offsetY);
        canvas.title = under && "name" in under ? `${data.names[under.name]}\n${timeText(under.duration)}` : "";
        return;
      }
      const [x, y] = [held.x - event.clientX, held.y - event.clientY];
      if (2 < Math.abs(x) + Math.abs(y)) held.moved = true;
      if (!held.moved) return;
      timeline.pan(x, y);
      held.x = event.clientX;
      held.y = event.clientY;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (held && !held.moved) {
        const under = timeline.at(event.offsetX, event.offsetY);
        if (under && "track" in under && typeof under.track !== "string") timeline.toggle(under.track);
        else choose(under as Picked | undefined);
      }
      held = undefined;
    });
    canvas.addEventListener("dblclick", (event) => {
      const under = timeline.at(event.offsetX, event.offsetY);
      if (under && "name" in under) timeline.show(under.start - under.duration * 0.2, under.start + under.duration * 1.2);
    });
    canvas.addEventListener("keydown", (event) => {
      const middle = canvas.clientWidth / 2;
      const act: { [key: string]: () => void } = {
        ArrowLeft: () => timeline.pan(-80, 0),
        ArrowRight: () => timeline.pan(80, 0),
        ArrowUp: () => timeline.pan(0, -40),
        ArrowDown: () => timeline.pan(0, 40),
        a: () => timeline.pan(-80, 0),
        d: () => timeline.pan(80, 0),
        w: () => timeline.zoom(0.7, middle),
        s: () => timeline.zoom(1.4, middle),
        "+": () => timeline.zoom(0.7, middle),
        "=": () => timeline.zoom(0.7, middle),
        "-": () => timeline.zoom(1.4, middle),
        0: () => timeline.show(0, data.span),
        Home: () => timeline.show(0, data.span),
        n: () => chosen && goTo(chosen.name, chosen.start),
        Escape: () => choose(undefined),
      };
      const done = act[event.key];
      if (!done) return;
      event.preventDefault();
      done();
    });
  }
  tell(undefined);
  paint();
  // For measurements: how long each frame took, and a way to draw one.
  Object.assign(window, { culpritTimeline: timeline });
}

void start();
