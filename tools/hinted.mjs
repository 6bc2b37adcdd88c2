// Looks at the packages of PyPI whose names hint at a GPU or a framework (knowledge/gpu-hints.json) and that nothing is known of.
// `node tools/hinted.mjs LOOKED.json` asks PyPI for the newest release of each; what was asked before is not asked again.
// `node tools/hinted.mjs LOOKED.json --take` writes knowledge/light-packages.json: those that hold no binaries and take any release of
// whatever they ask for. The others, which hold a framework to some releases, are printed: `npm run required -- --add …` takes those.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { namesOnPypi } from "./pypi.mjs";
import { knowledgeText } from "./refresh/write.mjs";
import { inParallel, normalName, parseRequirement, releasesOf, requirementsOf } from "./releases.mjs";

const [given, ...options] = process.argv.slice(2);
const file = path.resolve(given);
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const knowledge = (name) => JSON.parse(readFileSync(`knowledge/${name}.json`, "utf8"));
const published = knowledge("published").packages;
const upon = knowledge("required").packages;
const deciding = new Set([...published, ...upon].map(({ name }) => name));
/** Of these it is known what they require in turn. */
const followed = new Set(
  [...published.filter(({ releases }) => releases.some(({ requires }) => requires)), ...upon].map(({ name }) => name).concat("numpy"),
);
const plain = new Set([
  ...knowledge("plain-packages").packages.map(({ name }) => name),
  ...knowledge("unrelated").lists.flatMap(({ names }) => names),
]);
const words = knowledge("gpu-hints").words.map(({ word }) => word.replaceAll("*", "[a-z0-9]*"));
const hint = new RegExp(`(?:^|-)(?:${words.join("|")})(?:-|$)`);
/** What NVIDIA or AMD gives out, and what has builds by CUDA, may find its binaries by other ways. */
const isOfVendor = /^(?:nvidia|amd)-|(?:^|-)(?:cu1\d+|rocm\d*)(?:-|$)/;
/** What was released less often, and holds a framework to some releases, is hardly asked for. */
const leastReleases = 10;

const looked = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
if (options.includes("--take")) take();
else await look();

async function look() {
  const all = new Set((await namesOnPypi()).map(normalName));
  const names = [...all].filter((name) => hint.test(name) && !deciding.has(name) && !plain.has(name) && !looked[name]);
  console.error(`${names.length} to look at`);
  let done = 0;
  await inParallel(24, names, async (name) => {
    try {
      looked[name] = await newestOf(name);
    } catch {
      // Asked again the next time.
    }
    done += 1;
    if (done % 500 === 0) console.error(done);
    if (done % 500 === 0) writeFileSync(file, JSON.stringify(looked));
  });
  writeFileSync(file, JSON.stringify(looked));
}

async function newestOf(name) {
  const releases = await releasesOf(name, { sources: true });
  const last = releases?.findLast(({ row }) => !row.yanked);
  if (!last) return { releases: 0 };
  const isPure = last.url !== undefined && new URL(last.url).pathname.endsWith("-none-any.whl");
  const requires = await requirementsOf(last, (_, extra) => extra === undefined);
  return { releases: releases.length, isPure, ...(requires ? { requires } : {}) };
}

function take() {
  const light = new Map(Object.entries(looked).flatMap(([name, each]) => asksOf(name, each) ?? []));
  settle(light);
  const lists = new Map();
  for (const [name, asks] of [...light].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const key = [...asks].sort().join(" ");
    lists.set(key, [...(lists.get(key) ?? []), name]);
  }
  const checked = new Date().toISOString().slice(0, 10);
  const rows = [...lists]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, names]) => ({ asks: key === "" ? [] : key.split(" "), names, source: "pypi", checked }));
  const about =
    "Packages whose names hint at a GPU, whose newest wheels hold no binaries, and which take any release of what they ask for (`asks`: frameworks, and packages upon them). Older releases of them are taken to ask for the same. `node tools/hinted.mjs` writes this file.";
  const sources = { pypi: "the newest releases on https://pypi.org: their files and metadata" };
  writeFileSync("knowledge/light-packages.json", knowledgeText({ about, sources, lists: rows }));
  const heavy = Object.entries(looked).filter(([name, each]) => !light.has(name) && each.isPure && leastReleases <= each.releases);
  console.log(heavy.map(([name]) => name).join(" "));
  console.error(`${light.size} take whatever is there; ${heavy.length} hold something`);
}

/** A package and what it asks for, where it takes any release of that; undefined for all others. */
function asksOf(name, { isPure, requires }) {
  if (!isPure || !requires || deciding.has(name) || plain.has(name) || isOfVendor.test(name)) return undefined;
  const asks = new Set();
  for (const text of requires) {
    const read = parseRequirement(text);
    if ("problem" in read) return undefined;
    const needed = normalName(read.name);
    if (needed === name || (!deciding.has(needed) && !hint.test(needed)) || plain.has(needed)) continue;
    // An upper bound decides, and so does an extra that brings libraries.
    if (/===?|~=|<|@/.test(read.specifier) || read.url !== undefined || 0 < read.extras.length) return undefined;
    asks.add(needed);
  }
  return [[name, asks]];
}

/** What asks for a light package asks for what that asks for; what asks for one that nobody knows is not light. */
function settle(light) {
  for (let changed = true; changed;) {
    changed = false;
    for (const [name, asks] of light)
      for (const needed of Array.from(asks)) {
        if (followed.has(needed)) continue;
        changed = true;
        asks.delete(needed);
        if (light.has(needed)) for (const each of light.get(needed)) if (each !== name) asks.add(each);
        if (light.has(needed)) continue;
        light.delete(name);
        break;
      }
  }
}
