import type { Row, Track } from "./data.ts";

const rowHeight = 16;
const labelHeight = 18;
const axisHeight = 22;
/** Narrower than this (pixels), an event is not drawn by itself but as part of a run. */
const narrow = 3;

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
}

interface Placed {
  track: Track;
  row: Row | undefined;
  y: number;
}

export interface Palette {
  text: string;
  faint: string;
  line: string;
  background: string;
  run: { gpu: string; host: string };
  chosen: string;
  colours: string[];
}

/** Draws what is in view. Work is bounded by pixels, not by events: runs of narrow events are jumped over. */
export function createTimeline(canvas: HTMLCanvasElement, tracks: Track[], names: string[], span: number) {
  const context = canvas.getContext("2d", { alpha: false })!;
  const view: View = { from: 0, to: span, top: 0 };
  const colourOf = names.map((name) => hashOf(name));
  let palette: Palette | undefined;
  let width = 0;
  let height = 0;
  let wanted = false;
  let highlighted = -1;
  const times: number[] = [];

  const placed = (): Placed[] => {
    const all: Placed[] = [];
    let y = 0;
    for (const track of tracks) {
      all.push({ track, row: undefined, y });
      y += labelHeight;
      if (!track.open) continue;
      for (const row of track.rows) {
        all.push({ track, row, y });
        y += rowHeight;
      }
      y += 4;
    }
    return all;
  };
  let layout = placed();
  const contentHeight = () => {
    const last = layout.at(-1);
    return last ? last.y + rowHeight : 0;
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
    if (!palette) return;
    clamp();
    const scale = width / (view.to - view.from);
    context.fillStyle = palette.background;
    context.fillRect(0, 0, width, height);
    const batches: number[][] = palette.colours.map(() => []);
    const runs: { gpu: number[]; host: number[] } = { gpu: [], host: [] };
    const chosen: number[] = [];
    const texts: { x: number; y: number; width: number; name: number }[] = [];
    for (const { track, row, y } of layout) {
      const top = y - view.top + axisHeight;
      if (top + rowHeight < axisHeight || height < top) continue;
      if (!row) {
        context.fillStyle = palette.faint;
        context.font = "600 11px system-ui, sans-serif";
        context.fillText(`${track.open ? "▾" : "▸"} ${track.label}`, 6, top + 13);
        continue;
      }
      drawRow(row, top, scale, track.kind, { batches, runs, chosen, texts });
    }
    fillAll(runs.host, palette.run.host);
    fillAll(runs.gpu, palette.run.gpu);
    batches.forEach((batch, colour) => fillAll(batch, palette!.colours[colour]!));
    fillAll(chosen, palette.chosen);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = "#10151c";
    for (const { x, y, width: room, name } of texts) {
      const text = fitted(names[name]!, room - 6);
      if (text !== "") context.fillText(text, x + 3, y + 11);
    }
    axis(scale);
    times.push(performance.now() - began);
    if (4096 < times.length) times.shift();
  };

  const drawRow = (
    { starts, ends, names: rowNames }: Row,
    y: number,
    scale: number,
    kind: "gpu" | "host",
    into: {
      batches: number[][];
      runs: { gpu: number[]; host: number[] };
      chosen: number[];
      texts: { x: number; y: number; width: number; name: number }[];
    },
  ) => {
    const run = into.runs[kind];
    let index = firstEnding(ends, view.from);
    let runFrom = -1;
    let runTo = -1;
    while (index < starts.length) {
      const start = starts[index]!;
      if (view.to < start) break;
      const left = Math.max(0, (start - view.from) * scale);
      const right = Math.min(width, (ends[index]! - view.from) * scale);
      if (right - left < narrow) {
        // A run goes on as long as the next event begins within a pixel of it.
        if (runTo < left - 1) {
          if (0 <= runFrom) run.push(runFrom, y, Math.max(1, runTo - runFrom));
          runFrom = left;
        }
        runTo = Math.max(right, left + 1);
        // On to the first event that begins after this pixel.
        const next = view.from + (Math.floor(runTo) + 1) / scale;
        const jumped = after(starts, index + 1, next);
        if (index + 1 < jumped) {
          // What was jumped over may hold a wide event: the last one, since they do not overlap.
          const last = jumped - 1;
          if (narrow <= (ends[last]! - starts[last]!) * scale) {
            index = last;
            continue;
          }
          runTo = Math.max(runTo, Math.min(width, (ends[last]! - view.from) * scale));
        }
        index = jumped;
        continue;
      }
      if (0 <= runFrom) {
        run.push(runFrom, y, Math.max(1, runTo - runFrom));
        runFrom = -1;
        runTo = -1;
      }
      const name = rowNames[index]!;
      const boxes = name === highlighted ? into.chosen : into.batches[colourOf[name]! % into.batches.length]!;
      boxes.push(left, y, right - left - 0.5);
      if (36 < right - left) into.texts.push({ x: left, y, width: right - left, name });
      index += 1;
    }
    if (0 <= runFrom) run.push(runFrom, y, Math.max(1, runTo - runFrom));
  };

  const fillAll = (boxes: number[], colour: string) => {
    if (boxes.length === 0) return;
    context.fillStyle = colour;
    context.beginPath();
    for (let at = 0; at < boxes.length; at += 3) context.rect(boxes[at]!, boxes[at + 1]!, boxes[at + 2]!, rowHeight - 2);
    context.fill();
  };

  // Measuring text is slow; letters of this size are about 6 pixels wide.
  const fitted = (text: string, room: number) => {
    const letters = Math.floor(room / 6);
    if (text.length <= letters) return text;
    return letters < 4 ? "" : `${text.slice(0, letters - 1)}…`;
  };

  const axis = (scale: number) => {
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

  return {
    view,
    times,
    draw,
    request,
    contentHeight,
    resize(toWidth: number, toHeight: number) {
      width = toWidth;
      height = toHeight;
      const ratio = window.devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      request();
    },
    paint(next: Palette) {
      palette = next;
      request();
    },
    highlight(name: number) {
      highlighted = name;
      request();
    },
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
    /** What lies under a place; a label opens or closes its track. */
    at(x: number, y: number): Picked | { track: Track } | undefined {
      const place = y - axisHeight + view.top;
      const found = layout.findLast((entry) => entry.y <= place);
      if (!found || y < axisHeight) return undefined;
      if (!found.row) return place < found.y + labelHeight ? { track: found.track } : undefined;
      if (found.y + rowHeight < place) return undefined;
      const time = view.from + ((view.to - view.from) * x) / width;
      const slack = (2 * (view.to - view.from)) / width;
      const { starts, ends, names: rowNames } = found.row;
      const index = firstEnding(ends, time - slack);
      if (starts.length <= index || time + slack < starts[index]!) return undefined;
      return { name: rowNames[index]!, start: starts[index]!, duration: ends[index]! - starts[index]!, track: found.track.label };
    },
    toggle(track: Track) {
      track.open = !track.open;
      layout = placed();
      request();
    },
    /** The next event of a name after a time, on any track. */
    next(name: number, time: number): Picked | undefined {
      let best: Picked | undefined;
      for (const track of tracks)
        for (const { starts, ends, names: rowNames } of track.rows) {
          for (let index = after(starts, 0, time); index < starts.length; index += 1) {
            if (rowNames[index] !== name) continue;
            if (!best || starts[index]! < best.start)
              best = { name, start: starts[index]!, duration: ends[index]! - starts[index]!, track: track.label };
            break;
          }
        }
      return best;
    },
  };
}

/** The first event that ends after a time. */
function firstEnding(ends: Float64Array, time: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first event at or after `from` that begins after a time: nearby ones are found in few steps. */
function after(starts: Float64Array, from: number, time: number): number {
  let step = 1;
  let low = from;
  let high = from;
  while (high < starts.length && starts[high]! <= time) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, starts.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => least <= step)!;
}

/** Microseconds in the unit that one reads best. */
export function timeText(microseconds: number): string {
  const size = Math.abs(microseconds);
  const round = (value: number) => String(Number(value.toPrecision(6)));
  if (size < 1e-9) return "0";
  if (size < 1) return `${round(microseconds * 1000)} ns`;
  if (size < 1000) return `${round(microseconds)} µs`;
  return size < 1e6 ? `${round(microseconds / 1000)} ms` : `${round(microseconds / 1e6)} s`;
}
