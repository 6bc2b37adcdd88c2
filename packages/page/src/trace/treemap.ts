import type { PageData } from "./data.ts";

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Areas in proportion, as square as they can be (Bruls, Huizing and van Wijk: Squarified Treemaps). */
export function squarify(sizes: number[], box: Box): Box[] {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const areas = sizes.map((size) => (size * box.width * box.height) / (all || 1));
  const boxes: Box[] = [];
  let { x, y, width, height } = box;
  let at = 0;
  while (at < areas.length) {
    const side = Math.min(width, height);
    let last = at + 1;
    while (last < areas.length && worst(areas.slice(at, last + 1), side) <= worst(areas.slice(at, last), side)) last += 1;
    const row = areas.slice(at, last);
    const sum = row.reduce((total, area) => total + area, 0);
    const thickness = side === 0 ? 0 : sum / side;
    let along = 0;
    for (const area of row) {
      const length = thickness === 0 ? 0 : area / thickness;
      boxes.push(
        width < height ? { x: x + along, y, width: length, height: thickness } : { x, y: y + along, width: thickness, height: length },
      );
      along += length;
    }
    if (width < height) {
      y += thickness;
      height -= thickness;
    } else {
      x += thickness;
      width -= thickness;
    }
    at = last;
  }
  return boxes;
}

function worst(row: number[], side: number): number {
  const sum = row.reduce((total, area) => total + area, 0);
  return Math.max(...row.map((area) => Math.max((side * side * area) / (sum * sum), (sum * sum) / (side * side * area))));
}

/** The kernels as areas; a click shows the next of that name in the timeline. */
export function drawTreemap(
  place: HTMLElement,
  kernels: PageData["kernels"],
  colourOf: (short: string) => string,
  pick: (short: string) => void,
): void {
  const { clientWidth: width } = place;
  const height = Math.max(180, Math.min(320, width / 3));
  place.replaceChildren();
  place.style.height = `${height}px`;
  const shown = kernels.filter(({ total }) => 0 < total).slice(0, 60);
  squarify(
    shown.map(({ total }) => total),
    { x: 0, y: 0, width, height },
  ).forEach((box, index) => {
    const { short, name, share, count } = shown[index]!;
    const button = document.createElement("button");
    button.className = "area";
    button.style.cssText = `left:${box.x}px;top:${box.y}px;width:${Math.max(0, box.width - 1)}px;height:${Math.max(0, box.height - 1)}px;background:${colourOf(short)}`;
    button.title = `${name}\n${(100 * share).toFixed(1)} %, ${count} times`;
    button.setAttribute("aria-label", `${short}: ${(100 * share).toFixed(1)} percent of the time of all kernels, ${count} times`);
    if (40 < box.width && 16 < box.height) button.textContent = `${short}${30 < box.height ? `\n${(100 * share).toFixed(1)} %` : ""}`;
    button.addEventListener("click", () => pick(short));
    place.append(button);
  });
}
