// The timeline: busy is drawn as busy. Whatever the zoom, as much of a row is filled as was busy: a column is as full as its time was.
import { after, cover, firstEnding } from "./coverage.ts";
import type { Counter, Recording, Row, Track } from "./data.ts";
import { createPicture, mixed, pixelOf, type Picture } from "./picture.ts";
import { bytesText, hashOf, niceStep, timeText } from "./units.ts";

const rowHeight = 16;
/** Of a row, what is filled; below it is where marks stand of what is too short to be seen. */
const filled = 14;
const labelHeight = 18;
const axisHeight = 22;
const counterHeight = 34;

export interface View {
  /** Microseconds from the beginning. */
  from: number;
  to: number;
  top: number;
}

export interface Picked {
  name: number;
  start: number;
  duration: number;
  track: string;
  /** Its place among all events. */
  event: number;
}

type Placed = { y: number; height: number } & (
  | { kind: "label"; text: string; track?: Track }
  | { kind: "row"; row: Row; track: Track }
  | { kind: "counter"; counter: Counter }
);

export interface Palette {
  text: string;
  faint: string;
  line: string;
  background: string;
  run: { gpu: string; host: string };
  chosen: string;
  colours: string[];
}

export type Timeline = ReturnType<typeof createTimeline>;

export function createTimeline(canvas: HTMLCanvasElement, { tracks, counters, names, span, started, startedBy }: Recording) {
  const context = canvas.getContext("2d", { alpha: false })!;
  const view: View = { from: 0, to: span, top: 0 };
  const colourOf = names.map((name) => hashOf(name));
  let palette: Palette | undefined;
  let [width, height, ratio] = [0, 0, 1];
  let picture: Picture | undefined;
  let columns = new Float64Array(0);
  let wanted = false;
  let highlighted = -1;
  let matching: Uint8Array | undefined;
  let chosen: Picked | undefined;
  let selected: { from: number; to: number } | undefined;
  let drawn: () => void = () => undefined;
  const times: number[] = [];

  let layout = placedOf(tracks, counters);
  const contentHeight = () => {
    const last = layout.at(-1);
    return last ? last.y + last.height : 0;
  };

  const clamp = () => {
    const least = Math.max(span * 1e-9, 0.01);
    let length = Math.min(span, Math.max(least, view.to - view.from));
    if (!Number.isFinite(length)) length = span;
    view.from = Math.min(Math.max(0, view.from), span - length);
    view.to = view.from + length;
    view.top = Math.max(0, Math.min(view.top, contentHeight() - (height - axisHeight)));
  };

  const draw = () => {
    wanted = false;
    const began = performance.now();
    if (!palette || !picture) return;
    clamp();
    const colours = coloursOf(palette);
    picture.clear(colours.background);
    const texts: { x: number; y: number; width: number; name: number }[] = [];
    for (const placed of layout) {
      const top = placed.y - view.top + axisHeight;
      if (top + placed.height < axisHeight || height < top) continue;
      if (placed.kind === "row") fillRow(placed.row, placed.track.kind, Math.round(top * ratio), colours, texts);
      else if (placed.kind === "counter") fillCounter(placed.counter, Math.round(top * ratio), colours);
    }
    picture.put(context);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    writeTexts(texts);
    writeLabels();
    if (selected) frameSelected(selected);
    if (chosen) drawArrows(chosen);
    axis();
    drawn();
    times.push(performance.now() - began);
    if (4096 < times.length) times.shift();
  };

  const fillRow = (row: Row, kind: "gpu" | "host", top: number, colours: Colours, texts: TextPlace[]) => {
    const bottom = top + Math.round(filled * ratio);
    columns.fill(0);
    cover(row, view.from, view.to, columns, (index, first, last) => {
      const name = row.names[index]!;
      const colour = row.first < 0 ? colours.run[kind] : boxColour(name, colours);
      picture!.box(first, last, top, bottom, colour);
      // Where the next one begins; it is full all the same.
      if (5 < last - first) picture!.box(first, first + 1, top, bottom, mixed(colour, colours.text, 0.35));
      if (36 * ratio < last - first && 0 <= row.first)
        texts.push({ x: first / ratio, y: top / ratio, width: (last - first) / ratio, name });
    });
    for (let x = 0; x < columns.length; x += 1) {
      if (columns[x] === 0) continue;
      picture!.column(x, top, bottom, columns[x]!, colours.run[kind]);
      // Too short to be seen, and there all the same.
      if (columns[x]! * filled < 0.5) picture!.box(x, x + 1, bottom, bottom + 1, colours.faint);
    }
  };

  const boxColour = (name: number, colours: Colours): number => {
    if (name === highlighted) return colours.chosen;
    const colour = colours.boxes[colourOf[name]! % colours.boxes.length]!;
    return matching && matching[name] === 0 ? mixed(colours.background, colour, 0.35) : colour;
  };

  const fillCounter = ({ times: at, values }: Counter, top: number, colours: Colours) => {
    const bottom = top + Math.round((counterHeight - 4) * ratio);
    const scale = (view.to - view.from) / columns.length;
    let index = Math.max(0, after(at, 0, view.from) - 1);
    for (let x = 0; x < columns.length; x += 1) {
      const until = view.from + (x + 1) * scale;
      let most = at[index]! <= until ? values[index]! : 0;
      while (index + 1 < at.length && at[index + 1]! <= until) {
        index += 1;
        most = Math.max(most, values[index]!);
      }
      picture!.column(x, top, bottom, most, colours.run.host);
    }
  };

  const writeTexts = (texts: TextPlace[]) => {
    context.font = "11px system-ui, sans-serif";
    for (const { x, y, width: room, name } of texts) {
      // On what stands back, the page's own letters.
      context.fillStyle = matching && matching[name] === 0 && name !== highlighted ? palette!.text : "#10151c";
      const text = fitted(names[name]!, room - 6);
      if (text !== "") context.fillText(text, x + 4, y + 11);
    }
  };

  const writeLabels = () => {
    context.fillStyle = palette!.text;
    for (const placed of layout) {
      const top = placed.y - view.top + axisHeight;
      if (placed.kind !== "label" || top + labelHeight < axisHeight || height < top) continue;
      context.font = "600 11px system-ui, sans-serif";
      context.fillText(`${placed.track ? (placed.track.open ? "▾ " : "▸ ") : ""}${placed.text}`, 6, top + 13);
    }
  };

  const xOf = (time: number) => ((time - view.from) * width) / (view.to - view.from);
  const placeOf = (event: number): { x: number; end: number; y: number } | undefined => {
    for (const placed of layout) {
      if (placed.kind !== "row" || event < placed.row.first || placed.row.first + placed.row.starts.length <= event || placed.row.first < 0)
        continue;
      const index = event - placed.row.first;
      return { x: xOf(placed.row.starts[index]!), end: xOf(placed.row.ends[index]!), y: placed.y - view.top + axisHeight + filled / 2 };
    }
    return undefined;
  };

  const drawArrows = ({ event }: Picked) => {
    const caller = startedBy.get(event);
    const pairs: [number, number][] =
      caller === undefined ? (started.get(event) ?? []).slice(0, 200).map((each) => [event, each]) : [[caller, event]];
    context.strokeStyle = palette!.chosen;
    context.fillStyle = palette!.chosen;
    context.lineWidth = 1.5;
    for (const [call, work] of pairs) {
      const [from, to] = [placeOf(call), placeOf(work)];
      if (!from || !to) continue;
      const bend = Math.max(24, Math.abs(to.x - from.end) / 2);
      context.beginPath();
      context.moveTo(from.end, from.y);
      context.bezierCurveTo(from.end + bend, from.y, to.x - bend, to.y, to.x, to.y);
      context.stroke();
      context.beginPath();
      context.moveTo(to.x, to.y);
      context.lineTo(to.x - 7, to.y - 4);
      context.lineTo(to.x - 7, to.y + 4);
      context.fill();
    }
  };

  const frameSelected = ({ from, to }: { from: number; to: number }) => {
    context.globalAlpha = 0.12;
    context.fillStyle = palette!.chosen;
    context.fillRect(xOf(from), axisHeight, xOf(to) - xOf(from), height);
    context.globalAlpha = 1;
    for (const time of [from, to]) context.fillRect(xOf(time), axisHeight, 1, height);
  };

  const axis = () => {
    const scale = width / (view.to - view.from);
    context.fillStyle = palette!.background;
    context.fillRect(0, 0, width, axisHeight);
    context.fillStyle = palette!.faint;
    context.font = "11px system-ui, sans-serif";
    const step = niceStep(100 / scale);
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
      const x = (time - view.from) * scale;
      context.fillText(timeText(time), x + 3, 14);
      context.fillRect(x, 0, 1, axisHeight);
    }
    context.fillStyle = palette!.line;
    context.fillRect(0, axisHeight - 1, width, 1);
  };

  const request = () => {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(draw);
  };

  const pickedOf = (track: Track, row: Row, index: number): Picked => ({
    name: row.names[index]!,
    start: row.starts[index]!,
    duration: row.ends[index]! - row.starts[index]!,
    track: track.label,
    event: row.first < 0 ? -1 : row.first + index,
  });

  return {
    view,
    times,
    draw,
    request,
    contentHeight,
    rowTops: () =>
      layout.flatMap((placed) =>
        placed.kind === "row" ? [{ label: placed.track.label, y: placed.y - view.top + axisHeight, filled }] : [],
      ),
    onDraw(act: () => void) {
      drawn = act;
    },
    resize(toWidth: number, toHeight: number) {
      [width, height, ratio] = [toWidth, toHeight, window.devicePixelRatio || 1];
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      picture = createPicture(canvas.width, canvas.height);
      columns = new Float64Array(canvas.width);
      request();
    },
    paint(next: Palette) {
      palette = next;
      request();
    },
    choose(next: Picked | undefined) {
      chosen = next;
      highlighted = next?.name ?? -1;
      request();
    },
    /** All others stand back. */
    match(found: Uint8Array | undefined) {
      matching = found;
      request();
    },
    select(range: { from: number; to: number } | undefined) {
      selected = range;
      request();
    },
    timeAt: (x: number) => view.from + ((view.to - view.from) * x) / width,
    zoom(factor: number, x: number) {
      const at = view.from + ((view.to - view.from) * x) / width;
      view.from = at - (at - view.from) * factor;
      view.to = at + (view.to - at) * factor;
      request();
    },
    pan(pixels: number, down: number) {
      const by = ((view.to - view.from) * pixels) / width;
      const length = view.to - view.from;
      view.from = Math.min(Math.max(0, view.from + by), span - length);
      view.to = view.from + length;
      view.top += down;
      request();
    },
    show(from: number, to: number) {
      view.from = from;
      view.to = to;
      request();
    },
    /** So that the row of an event is in view. */
    reveal({ event }: Picked) {
      const place = layout.find(
        (each) => each.kind === "row" && 0 <= each.row.first && each.row.first <= event && event < each.row.first + each.row.starts.length,
      );
      if (place && (place.y < view.top || view.top + height - axisHeight < place.y + rowHeight)) view.top = place.y - height / 3;
      request();
    },
    /** What lies under a place; a label opens or closes its track. */
    at(x: number, y: number): Picked | { toggles: Track } | undefined {
      const place = y - axisHeight + view.top;
      const found = layout.findLast((entry) => entry.y <= place);
      if (!found || y < axisHeight) return undefined;
      if (found.kind === "label") return found.track && place < found.y + labelHeight ? { toggles: found.track } : undefined;
      if (found.kind !== "row" || found.y + rowHeight < place) return undefined;
      const time = view.from + ((view.to - view.from) * x) / width;
      const slack = (2 * (view.to - view.from)) / width;
      const { starts, ends } = found.row;
      const index = firstEnding(ends, time - slack);
      return starts.length <= index || time + slack < starts[index]! ? undefined : pickedOf(found.track, found.row, index);
    },
    toggle(track: Track) {
      track.open = !track.open;
      layout = placedOf(tracks, counters);
      request();
    },
    /** The next event after a time, or the last one before it, whose name is wanted; on any track. */
    next(isWanted: (name: number) => boolean, time: number, back = false): Picked | undefined {
      let best: Picked | undefined;
      for (const track of tracks)
        for (const row of track.rows) {
          if (row.first < 0) continue;
          const found = nextIn(row, isWanted, time, back);
          if (found === undefined) continue;
          const isBetter = !best || (back ? best.start < row.starts[found]! : row.starts[found]! < best.start);
          if (isBetter) best = pickedOf(track, row, found);
        }
      return best;
    },
    /** The call that started an event, or the first that a call started. */
    linked(event: number): Picked | undefined {
      const other = startedBy.get(event) ?? started.get(event)?.[0] ?? -1;
      for (const track of tracks)
        for (const row of track.rows)
          if (0 <= row.first && row.first <= other && other < row.first + row.starts.length) return pickedOf(track, row, other - row.first);
      return undefined;
    },
  };
}

interface TextPlace {
  x: number;
  y: number;
  width: number;
  name: number;
}

function nextIn({ starts, names }: Row, isWanted: (name: number) => boolean, time: number, back: boolean): number | undefined {
  const step = back ? -1 : 1;
  // Behind those that begin now; or before them.
  let index = after(starts, 0, time);
  if (back) {
    index -= 1;
    while (0 <= index && time <= starts[index]!) index -= 1;
  }
  for (; 0 <= index && index < starts.length; index += step) if (isWanted(names[index]!)) return index;
  return undefined;
}

function placedOf(tracks: Track[], counters: Counter[]): Placed[] {
  const all: Placed[] = [];
  let y = 0;
  const put = (placed: Placed) => {
    all.push(placed);
    y += placed.height;
  };
  const putTrack = (track: Track) => {
    put({ kind: "label", y, height: labelHeight, text: track.label, track });
    if (track.open) for (const row of track.rows) put({ kind: "row", y, height: rowHeight, row, track });
    y += 4;
  };
  for (const track of tracks.filter(({ kind }) => kind === "gpu")) putTrack(track);
  for (const counter of counters) {
    put({ kind: "label", y, height: labelHeight, text: `${counter.label}, at most ${bytesText(counter.most)}` });
    put({ kind: "counter", y, height: counterHeight, counter });
  }
  for (const track of tracks.filter(({ kind }) => kind !== "gpu")) putTrack(track);
  return all;
}

interface Colours {
  text: number;
  faint: number;
  background: number;
  chosen: number;
  run: { gpu: number; host: number };
  boxes: number[];
}

const coloursOf = ({ text, faint, background, chosen, run, colours }: Palette): Colours => ({
  text: pixelOf(text),
  faint: pixelOf(faint),
  background: pixelOf(background),
  chosen: pixelOf(chosen),
  run: { gpu: pixelOf(run.gpu), host: pixelOf(run.host) },
  boxes: colours.map(pixelOf),
});

// Measuring text is slow; letters of this size are about 6 pixels wide.
function fitted(text: string, room: number): string {
  const letters = Math.floor(room / 6);
  if (text.length <= letters) return text;
  return letters < 4 ? "" : `${text.slice(0, letters - 1)}…`;
}
