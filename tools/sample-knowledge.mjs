// Facts to compare with their sources: `node tools/sample-knowledge.mjs --seed 18 --count 60`. The same seed chooses the same facts of the
// same knowledge; every subject is as likely as any other, so that the largest file does not decide. What was watched is not among them: its
// source is `npm run watch` itself. docs/knowledge-sample.md has a run.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { values } = parseArgs({ options: { seed: { type: "string" }, count: { type: "string" }, json: { type: "boolean" } } });
const [seed, count] = [Number(values.seed ?? 18), Number(values.count ?? 60)];

const bookkeeping = new Set(["source", "checked", "from", "memory", "inferred", "corrected", "note"]);
// What a row is about is no fact of its own.
const names = new Set([
  "name",
  "package",
  "version",
  "release",
  "wheel",
  "word",
  "example",
  "image",
  "framework",
  "enum",
  "ecosystem",
  "torch",
  "frameworks",
  "channel",
  "id",
  "says",
]);
const nameOf = (row) =>
  [
    "ecosystem",
    "package",
    "framework",
    "name",
    "version",
    "variant",
    "wheel",
    "enum",
    "code",
    "chip",
    "sm",
    "major",
    "branch",
    "first",
    "date",
    "image",
    "release",
    "flavour",
    "id",
    "driver",
    "torch",
  ]
    .flatMap((key) => (typeof row[key] === "object" ? [] : (row[key] ?? [])))
    .slice(0, 4)
    .join(" ") || JSON.stringify(row).slice(0, 60);

/** Every fact of a file: a field of a row; of a package on PyPI, a field of one of its releases. */
function* factsOf(file) {
  for (const [list, rows] of Object.entries(file)) {
    if (!Array.isArray(rows)) continue;
    for (const row of rows) {
      const inner = Array.isArray(row.releases)
        ? row.releases.map((release) => ({ ...release, name: row.name, source: row.source }))
        : [row];
      for (const each of inner)
        for (const [field, value] of Object.entries(each)) {
          if (bookkeeping.has(field) || names.has(field)) continue;
          const keys = [row.from?.[field] ?? each.source ?? "wheel"].flat();
          yield {
            place: `${list}: ${nameOf(each)}`,
            field,
            value,
            certain: !row.inferred?.includes(field),
            sources: keys.map((key) => file.sources?.[key] ?? key),
          };
        }
    }
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
function numbers(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = numbers(seed);
const subjects = readdirSync("knowledge", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".json") && !name.startsWith("libraries/") && name !== "watched.json")
  .sort()
  .map((name) => ({ subject: name.slice(0, -5), facts: [...factsOf(JSON.parse(readFileSync(`knowledge/${name}`, "utf8")))] }))
  .filter(({ facts }) => 0 < facts.length);
const chosen = new Map();
while (chosen.size < count) {
  const { subject, facts } = subjects[Math.floor(next() * subjects.length)];
  const at = Math.floor(next() * facts.length);
  chosen.set(`${subject} ${at}`, { subject, ...facts[at] });
}
const shown = (value) => (JSON.stringify(value).length <= 100 ? JSON.stringify(value) : `${JSON.stringify(value).slice(0, 97)}…`);
if (values.json) console.log(JSON.stringify([...chosen.values()]));
else {
  console.log("| # | fact | value | source |\n|---|---|---|---|");
  for (const [index, { subject, place, field, value, certain, sources }] of [...chosen.values()].entries())
    console.log(
      `| ${index + 1} | ${subject}, ${place}: ${field} | \`${shown(value)}\`${certain ? "" : " (worked out)"} | ${sources.join("; ").slice(0, 160)} |`,
    );
}
