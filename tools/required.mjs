// Writes knowledge/required.json: what packages upon the frameworks require, release by release, as PyPI has it. Only requirements that
// can decide about a GPU stack are kept: on frameworks, on NVIDIA's wheels, on each other, and on what those bind.
// `npm run required` looks for new releases of all packages in the file; `npm run required -- vllm --add NAME …` at some, or at new ones.
// Releases that are known are not asked for again; `--again` forgets them, which finds what they require of packages that were added since.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { listingText } from "./refresh/published.mjs";
import { comparePythonVersions, inParallel, normalName, parseRequirement, releasesOf, requirementsOf, simplified } from "./releases.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const file = "knowledge/required.json";
const today = new Date().toISOString().slice(0, 10);
const words = process.argv.slice(2);
const named = words.filter((word) => !word.startsWith("--")).map(normalName);
const isNew = words.includes("--add");
const written = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : [];
const before = written.map((row) => ({
  ...row,
  releases: row.releases.flatMap(({ versions, ...rest }) => versions.map((version) => ({ version, ...rest }))),
}));
const names = [...new Set([...before.map(({ name }) => name), ...(isNew ? named : [])])].sort();
const { packages: published } = JSON.parse(readFileSync("knowledge/published.json", "utf8"));
const ofFrameworks = new Set(published.map(({ name }) => name).filter((name) => !["numpy", "ml-dtypes"].includes(name)));
const counted = new Set([...names, ...ofFrameworks, ...boundByFrameworks(), ...writtenDown()]);
// What only developers of the package install.
const extrasOfNoUse =
  /^(?:dev\w*|.*[-_]dev|tests?|testing|test[-_].*|.*[-_]test(?:s|ing)?|docs?|docs?[-_].*|lint\w*|quality|style|typing|build|release|benchmarks?|examples?|notebooks?|ci|all|full|complete|everything)$/i;

const rows = new Map(before.map((row) => [row.name, row]));
// What was not asked for stays as it was written, whatever may have been added to the packages that count.
const untouched = new Map(written.map((row) => [row.name, row]));
for (const name of names) {
  const known = rows.get(name);
  if (0 < named.length && !named.includes(name)) continue;
  try {
    const releases = await harvest(name, words.includes("--again") ? undefined : known);
    if (!releases) console.error(`${name}: not on PyPI`);
    else {
      rows.set(name, { name, source: "pypi", checked: today, releases });
      untouched.delete(name);
    }
    if (releases) console.error(`${name}: ${releases.length} releases`);
  } catch (error) {
    // What cannot be asked for today stays as it was.
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
  }
  // Now and then: an interrupted run goes on where it stopped.
  if (rows.size % 10 === 0) write();
}
write();

/** What rows speak of already goes on to count: else a look for new releases takes away what was read of old ones. */
function writtenDown() {
  return written.flatMap(({ releases }) =>
    releases.flatMap(({ requires = [] }) =>
      requires.flatMap((text) => {
        const read = text.includes("extra == ") ? { problem: "of an extra" } : parseRequirement(text);
        return "problem" in read ? [] : [read.name];
      }),
    ),
  );
}

/** Packages that a framework's requirements hold to some versions. */
function boundByFrameworks() {
  return published.flatMap(({ releases }) =>
    releases.flatMap(({ requires = [] }) =>
      requires.flatMap((text) => {
        const read = parseRequirement(text);
        // Only an upper bound can collide with what others ask for: anything else is met by the newest.
        return "problem" in read || !/(?:^|,)\s*(?:==|~=|<)/.test(read.specifier) ? [] : [read.name];
      }),
    ),
  );
}

async function harvest(name, known) {
  const found = await releasesOf(name, { sources: true });
  if (!found) return undefined;
  // Before the first wheel there is nothing that anybody still asks for; packages without wheels are taken as they are.
  const first = found.findIndex(({ url }) => url !== undefined);
  const work = found.slice(Math.max(first, 0));
  const seen = new Map((known?.releases ?? []).map(({ version, requires }) => [version, requires]));
  await inParallel(12, work, async (release) => {
    const requires = seen.get(release.row.version) ?? (await requirementsOf(release, keeps(name)));
    if (requires) release.row.requires = requires;
  });
  return work.map(({ row }) => row);
}

/** Releases that follow each other and of which the same holds are one row. */
function grouped(name, releases) {
  const groups = [];
  for (const { version, requires, ...rest } of releases.toSorted((a, b) => comparePythonVersions(a.version, b.version))) {
    const held = { ...rest, ...(requires ? { requires: withFewExtras(simplified(requires, keeps(name))) } : {}) };
    const last = groups.at(-1);
    if (last && JSON.stringify(last.held) === JSON.stringify(held)) last.versions.push(version);
    else groups.push({ versions: [version], held });
  }
  return groups.map(({ versions, held }) => ({ versions, ...held }));
}

/** Some have an extra for every CUDA and every torch: nobody is served by thousands of them. */
function withFewExtras(requires) {
  const extras = new Set(requires.flatMap((text) => /extra == "([^"]+)"/.exec(text)?.[1] ?? []));
  return extras.size <= 12 ? requires : requires.filter((text) => !text.includes("extra == "));
}

/** Which requirements of a package are written down; of its extras only those that bring a framework or its libraries. */
function keeps(name) {
  return (needed, extra) =>
    needed !== name && (extra === undefined ? counted.has(needed) : ofFrameworks.has(needed) && !extrasOfNoUse.test(extra));
}

function write() {
  const about =
    "What packages upon the frameworks require, by release (rows with several versions: the same holds for all of them), on Linux on x86_64. Only requirements on frameworks, on NVIDIA's wheels, on packages of this file and on what frameworks hold to some versions are kept. `pythons` are those that a wheel was built for, `python` is what the metadata asks for; `sdist`: there is a source distribution, and where no wheel serves it is built. `npm run required` writes this file.";
  const sources = { pypi: "the file lists and the metadata of wheels and source distributions on https://pypi.org" };
  const listed = [...rows.values()]
    .filter(({ releases }) => 0 < releases.length)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((row) => untouched.get(row.name) ?? { ...row, releases: grouped(row.name, row.releases) });
  writeFileSync(file, listingText({ about, sources, packages: listed }));
}
