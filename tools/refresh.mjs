// Brings knowledge/ up to date, and says in words what changed: `npm run refresh`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { exportKnowledge } from "./export-knowledge.mjs";
import { writeKnowledgeTexts } from "./knowledge-texts.mjs";
import { frameworksIn } from "./refresh/frameworks.mjs";
import { get } from "./refresh/get.mjs";
import { listingOf, listingText } from "./refresh/published.mjs";
import { inWords, refreshed, sources } from "./refresh/refresh.mjs";
import { knowledgeText } from "./refresh/write.mjs";
import { leftOf } from "./watch/table.mjs";

const usage = `usage: npm run refresh -- [options]
  --only SOURCE     one of pypi, ${sources.map(({ id }) => id).join(", ")} (may be repeated); else all
  --words FILE      write what changed as Markdown, too
  --export FILE     write all knowledge as one file, for culprit --knowledge FILE; alone, nothing is asked
exit code: 0 every source was asked; 3 some could not be reached or answered with something else: their rows are as they were;
2 what came of it does not keep the laws of knowledge: nothing was changed`;

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { values: options } = readOptions();
const today = new Date().toISOString().slice(0, 10);
const path = (subject) => `knowledge/${subject}.json`;
const read = (subject) => JSON.parse(readFileSync(path(subject), "utf8"));

function readOptions() {
  try {
    const given = parseArgs({
      options: {
        only: { type: "string", multiple: true },
        words: { type: "string" },
        export: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    const known = new Set(["pypi", ...sources.map(({ id }) => id)]);
    if ((given.values.only ?? []).every((id) => known.has(id)) && !given.values.help) return given;
  } catch {}
  console.error(usage);
  process.exit(2);
}

if (options.export !== undefined && options.only === undefined && options.words === undefined) {
  console.log(`${options.export}: knowledge of ${exportKnowledge(options.export)}`);
  process.exit(0);
}

/** Files as they were, to be put back. */
const before = new Map();
const keep = (subject) => !before.has(subject) && existsSync(path(subject)) && before.set(subject, readFileSync(path(subject), "utf8"));
const putBack = () => {
  for (const [subject, text] of before) writeFileSync(path(subject), text);
};

/** Lists PyPI once more with a tool of ours, and takes of it what can be true. */
function listed(subject, tool) {
  if (!existsSync(tool)) return { changes: [], silent: [] };
  keep(subject);
  const known = JSON.parse(before.get(subject));
  const { status, stderr } = spawnSync(process.execPath, [tool], { encoding: "utf8", maxBuffer: 1 << 28 });
  let now;
  try {
    now = read(subject);
  } catch {}
  if (now === undefined || (status !== 0 && JSON.stringify(now) === JSON.stringify(known))) {
    writeFileSync(path(subject), before.get(subject));
    const reason =
      stderr
        .trim()
        .split("\n")
        .findLast((line) => /Error|ERROR|:/.test(line)) ?? `${tool} ended with ${status}`;
    return { changes: [], silent: [`PyPI (${subject}.json): ${reason.slice(0, 160)}`] };
  }
  const { packages, changes, doubts } = listingOf(known.packages, now.packages);
  if (0 < doubts.length) writeFileSync(path(subject), listingText({ ...now, packages }));
  const silent = status === 0 ? [] : [`PyPI (${subject}.json): some packages could not be asked for`];
  return { changes, silent: [...silent, ...doubts.map((doubt) => `PyPI (${subject}.json): ${doubt}`)] };
}

const told = { changes: [], persons: [], silent: [], day: today };
const add = ({ changes = [], persons = [], silent = [] }) => {
  told.changes.push(...changes);
  told.persons.push(...persons);
  told.silent.push(...silent);
};
const write = (files) => {
  for (const [subject, file] of Object.entries(files)) {
    keep(subject);
    writeFileSync(path(subject), knowledgeText(file));
  }
};

const asks = (id) => options.only === undefined || options.only.includes(id);
if (asks("pypi")) {
  add(listed("published", "tools/published.mjs"));
  add(listed("required", "tools/required.mjs"));
  const found = frameworksIn({ read, today });
  write(found.files);
  add(found);
}
const found = await refreshed({ get, read, today, ...(options.only ? { only: options.only } : {}) });
write(found.files);
add(found);
for (const { framework, releases } of leftOf(read("watched").watched, read("published"), read("required")))
  if (0 < releases.length)
    told.persons.push(`${framework} ${releases.join(", ")}: not watched yet (\`npm run watch -- ${framework}==${releases.at(-1)}\`)`);

const broken = await problemNow();
if (broken !== undefined) {
  putBack();
  console.error(`refresh: nothing was changed: ${broken}`);
  process.exit(2);
}
const words = inWords(told);
if (options.words) writeFileSync(options.words, words);
if (options.export) exportKnowledge(options.export);
console.log(words);
process.exitCode = 0 < told.silent.length ? 3 : 0;

/** What a schema or a law has against the files as they are now: the program reads them as it would read what users bring. */
async function problemNow() {
  const { build } = await import("esbuild");
  const temporary = mkdtempSync(join(tmpdir(), "culprit-refresh-"));
  try {
    writeKnowledgeTexts();
    const out = join(temporary, "part.mjs");
    await build({ entryPoints: ["packages/core/src/knowledge/part.ts"], bundle: true, format: "esm", outfile: out, logLevel: "error" });
    const whole = join(temporary, "knowledge.json");
    exportKnowledge(whole);
    const { readKnowledge } = await import(pathToFileURL(out).href);
    const answer = readKnowledge(readFileSync(whole, "utf8"), today);
    return "problem" in answer ? answer.problem : undefined;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
