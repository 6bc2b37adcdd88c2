// Watches what a release of a framework really loads: `npm run watch -- torch==2.5.1`. Makes the environment from PyPI, runs the programs of
// activities/ that need no kernel with a driver for tests, in a mount namespace of its own and under LD_AUDIT; compares with `culprit loads`
// on the same files, and writes what was seen into knowledge/watched.json. Needs root (for the namespace), a C compiler, and uv or pip.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundleCommand, bundleKnowledge } from "./watch/ask.mjs";
import { compare, openedIn } from "./watch/compare.mjs";
import { installedIn, makeEnvironment } from "./watch/environment.mjs";
import { onnxModel, programOf, watchedActivities } from "./watch/programs.mjs";
import { makeStandIn } from "./watch/standin.mjs";
import { leftOf } from "./watch/table.mjs";
import { keepRow, keepUnwatched } from "./watch/write.mjs";

const usage = `usage: npm run watch -- NAME==VERSION… [options]
  all requirements are one environment; those that are frameworks are watched together, in this order
  --left            only say which newest patches of minor releases were not watched yet
  --python 3.11     only this Python; else the first one at hand that takes the requirements
  --before DATE     packages as they were that day (with uv): an old release and what was new with it
  --library-path    once more with the folders of NVIDIA's wheels on LD_LIBRARY_PATH
  --environment DIR one that is there, instead of making it; it is left as it is
  --dry             compare and tell, but write nothing
  --work DIR        where to make it all (it is removed afterwards)`;

const { values: options, positionals: requirements } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: "string" },
    before: { type: "string" },
    "library-path": { type: "boolean" },
    environment: { type: "string" },
    dry: { type: "boolean" },
    left: { type: "boolean" },
    work: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
if (options.left) {
  const read = (name) => JSON.parse(readFileSync(fileURLToPath(new URL(`../knowledge/${name}.json`, import.meta.url)), "utf8"));
  for (const { framework, releases } of leftOf(read("watched").watched, read("published"), read("required")))
    console.log(framework, releases.join(" "));
  process.exit(0);
}
if (options.help || requirements.length === 0) {
  console.log(usage);
  process.exit(options.help ? 0 : 2);
}

if (options.work) mkdirSync(options.work, { recursive: true });
const work = mkdtempSync(join(options.work ?? tmpdir(), "culprit-watch-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(2));

const knowledge = await bundleKnowledge(work);
const normal = (name) => name.toLowerCase().replace(/[-_.]+/g, "-");
const asked = requirements.map((text) => /^([\w.-]+)(\[[^\]]*\])?\s*(.*)$/.exec(text)).filter(Boolean);
const frameworks = asked.flatMap(([, name, , version]) => {
  const found = knowledge.frameworkNames.find(({ packages }) => packages.includes(normal(name)));
  return found ? [{ ...found, package: normal(name), version: version.replace(/^==/, "") }] : [];
});
if (frameworks.length === 0) {
  console.error(`${requirements.join(" ")}: none of it is a framework that is modelled`);
  process.exit(2);
}

const made = options.environment
  ? { python: `${options.environment}/bin/python` }
  : makeEnvironment(`${work}/environment`, requirements, options);
if (made.problem !== undefined) {
  console.error(`not watched: ${made.problem}`);
  if (!options.dry && frameworks.length === 1) keepUnwatched(frameworks[0], made.problem);
  process.exit(1);
}
const standIn = makeStandIn(work);
const culprit = await bundleCommand(work);
const { folder, packages } = installedIn(made.python);
writeFileSync(`${work}/model.onnx`, onnxModel);
const [version] = /\d+\.\d+/.exec(spawnSync(made.python, ["--version"], { encoding: "utf8" }).stdout) ?? [];

/** A library of CUDA's or of the driver; or one of the framework's own that needs such. */
const isGpuFile = (file) =>
  knowledge.libraryOf(file) !== undefined ||
  file.includes("/nvidia/") ||
  (frameworks.some(({ mapped }) => mapped.some((part) => file.includes(part))) &&
    neededBy(file).some((name) => knowledge.libraryOf(name) !== undefined));

function neededBy(file) {
  const { stdout } = spawnSync("readelf", ["--dynamic", "--wide", file], { encoding: "utf8" });
  return [...stdout.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name);
}

const machinePaths = /(\/[\w.@+-]+){2,}/g;

/** Runs one activity and asks culprit about the same; with these variables for both. */
function watch(activity, variables) {
  const environment = { PATH: process.env.PATH, HOME: work, LANG: "C.UTF-8", PYTHONNOUSERSITE: "1", ...variables };
  const [log, program] = [`${work}/${activity}.log`, `${work}/${activity}.py`];
  rmSync(log, { force: true });
  writeFileSync(program, programOf(frameworks, activity));
  // The variables of the audit are for the program alone: every process before it would write the log first.
  const audited = ["env", `WATCH_LOG=${log}`, `LD_AUDIT=${standIn.audit}`, made.python, program, `${work}/model.onnx`];
  const [enter, ...entering] = standIn.enter;
  const limits = { encoding: "utf8", cwd: work, maxBuffer: 1 << 28, timeout: 400_000 };
  const ran = spawnSync(enter, [...entering, ...audited], { ...limits, env: environment });
  const opened = openedIn(readFileSync(log, "utf8"));
  const question = ["loads", ...frameworks.map(({ id }) => id), ...(activity === "import" ? [] : ["--do", activity])];
  const answer = spawnSync(enter, [...entering, process.execPath, culprit, ...question, "--python", made.python, "--json"], {
    ...limits,
    env: environment,
  });
  const { loads, failures = [] } = JSON.parse(answer.stdout);
  const said = `${ran.stdout}${ran.stderr}`.trim().split("\n").slice(-3).join("\n");
  // How far the driver for tests carried it, in the words of the program; folders of this machine are none of them.
  const ended = frameworks
    .flatMap(({ id }) => new RegExp(`^${id}: (.*)$`, "m").exec(ran.stdout)?.[1] ?? [])
    .map((words) => words.replace(machinePaths, "…").slice(0, 160));
  return { ...compare(opened, loads, isGpuFile), failures, exit: ran.status ?? ran.signal, said, ended };
}

/** By its place in the environment; the driver for tests lies elsewhere at every run. */
const placed = (file) =>
  file.startsWith(`${folder}/`)
    ? file.slice(folder.length + 1)
    : file.replace(`${standIn.driver}/`, "driver/").replace(/^\/.*\//, "system/");

function watchAll(variables) {
  const row = {
    frameworks: Object.fromEntries(frameworks.map(({ id, package: name }) => [id, packages[name]])),
    python: version,
    ...("LD_LIBRARY_PATH" in variables ? { libraryPath: true } : {}),
    packages: Object.entries(packages)
      .filter(
        ([name]) => /^(nvidia|cuda|jax|jaxlib|cupy|triton|tensorrt)\b/.test(name) && !frameworks.some((each) => each.package === name),
      )
      .map(([name, release]) => `${name}==${release}`)
      .sort(),
    activities: {},
  };
  let seen = new Set();
  for (const activity of watchedActivities) {
    if (activity !== "import" && frameworks.some(({ id }) => !hasProgram(id, activity))) continue;
    const { files, certain, missed, wrong, failures, exit, said, ended } = watch(activity, variables);
    // A model that stops where the program goes on is wrong, whatever the files.
    const stopped = activity === "import" && exit === 0 ? failures.map(({ message }) => message) : [];
    console.log(
      `${Object.entries(row.frameworks).join(" ")} ${activity}${row.libraryPath ? " (LD_LIBRARY_PATH)" : ""}: ${files.length} GPU files, ${files.length - missed.length} predicted (${certain} certain), ${wrong.length} wrong; exit ${exit}`,
    );
    for (const file of missed) console.log(`  missed ${placed(file)}`);
    for (const file of wrong) console.log(`  wrong  ${placed(file)}`);
    for (const { message } of failures) console.log(`  predicted stop: ${message}`);
    if (exit !== 0 || 0 < failures.length || activity !== "import") console.log(said.replace(/^/gm, "  | "));
    const added = files.filter((file) => !seen.has(file));
    seen = new Set([...seen, ...files]);
    row.activities[activity] = {
      mapped: files.length,
      predicted: files.length - missed.length,
      certain,
      ...(0 < missed.length ? { missed: missed.map(placed) } : {}),
      ...(0 < wrong.length + stopped.length ? { wrong: [...wrong.map(placed), ...stopped] } : {}),
      ...(0 < failures.length ? { stopped: failures[0].message.replace(machinePaths, "…") } : {}),
      ...(0 < ended.length ? { ended } : {}),
      // What comes in addition to the import.
      files: added.map(placed),
    };
    if (activity === "import" && exit !== 0 && failures.length === 0) {
      console.log("  the import fails, and nothing says so beforehand: nothing is written");
      process.exitCode = 1;
      return;
    }
  }
  if (!options.dry) keepRow(row);
}

function hasProgram(id, activity) {
  try {
    return readFileSync(fileURLToPath(new URL(`../activities/${id}/${activity}.py`, import.meta.url))).length;
  } catch {
    return false;
  }
}

watchAll({});
if (options["library-path"]) {
  const found = spawnSync("find", [`${folder}/nvidia`, "-type", "d", "-name", "lib"], { encoding: "utf8" })
    .stdout.trim()
    .split("\n")
    .sort();
  watchAll({ LD_LIBRARY_PATH: found.join(":") });
}
