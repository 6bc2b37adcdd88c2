// The whole recording in one line: how busy the devices were (where there are none: the host), and which part is in view.
import { cover, unionOf } from "./coverage.ts";
import type { Recording } from "./data.ts";
import { createPicture, pixelOf } from "./picture.ts";
import type { Palette, View } from "./timeline.ts";

export interface Minimap {
  draw(view: View, palette: Palette): void;
}

export function createMinimap(canvas: HTMLCanvasElement, { tracks, span }: Recording, show: (middle: number) => void): Minimap {
  const context = canvas.getContext("2d", { alpha: false })!;
  const devices = tracks.filter(({ kind }) => kind === "gpu");
  const busy = unionOf((0 < devices.length ? devices : tracks).flatMap(({ rows }) => rows));
  const go = ({ offsetX }: PointerEvent) => show((offsetX / canvas.clientWidth) * span);
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    go(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons === 1) go(event);
  });
  return {
    draw(view, palette) {
      const ratio = window.devicePixelRatio || 1;
      const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      const picture = createPicture(width, height);
      picture.clear(pixelOf(palette.background));
      const columns = new Float64Array(width);
      if (0 < span) cover(busy, 0, span, columns);
      for (const [x, share] of columns.entries()) if (0 < share) picture.column(x, 0, height, share, pixelOf(palette.run.gpu));
      picture.put(context);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const [left, right] = [view.from, view.to].map((time) => (time / (span || 1)) * canvas.clientWidth);
      context.strokeStyle = palette.chosen;
      context.lineWidth = 2;
      context.strokeRect(left! + 1, 1, Math.max(2, right! - left! - 2), canvas.clientHeight - 2);
    },
  };
}
