// What `culprit open` puts into a page. The build replaces this file: the command has these beside it, the stand-alone executable in itself.
import fs from "node:fs";

/** `engine.js`, `page.js`, `page.css`, and `knowledge.json`: the names of what the engine will ask for. */
export const pageFile = (name: string): string => fs.readFileSync(new URL(`../dist/page/${name}`, import.meta.url), "utf8");
export const knowledgeFile = (name: string): string => fs.readFileSync(new URL(`../dist/knowledge/${name}`, import.meta.url), "utf8");
