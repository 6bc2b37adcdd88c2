// A view as people see it: wide and narrow, light and dark. In each, axe finds nothing, and nothing sticks out to the side.
import fs from "node:fs";
import { createRequire } from "node:module";
import { expect } from "vitest";
import type { Browser } from "./browser.ts";

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const run =
  "axe.run(document, { preload: false, resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`))";

export async function expectWell(browser: Browser, view: string): Promise<void> {
  await browser.value(`${axe};1`);
  for (const width of [1400, 400])
    for (const dark of [false, true]) {
      await browser.look({ width, height: 900, dark });
      const look = `${view}, ${width} pixels, ${dark ? "dark" : "light"}`;
      expect(await browser.value<string[]>(run), look).toEqual([]);
      expect(await browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), look).toBe(true);
    }
}
