// https://docs.github.com/en/actions/writing-workflows/workflow-syntax-for-github-actions
import { filesUnder } from "../project-command.ts";
import type { Alternative, Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { readShell } from "../commands.ts";
import type { Conditions } from "../conditions.ts";
import type { Place } from "../../model/finding.ts";
import { fields, finderOf, list, word, type Finder } from "../finding-lines.ts";
import { placeAt, splitLines } from "../lines.ts";
import { choicesOf, filledIn, type Choice } from "../matrix.ts";
import { onceTold } from "../once-told.ts";
import { isExcluded } from "../workflow-condition.ts";
import { readYaml } from "../yaml.ts";
import { environmentIn } from "./devcontainer.ts";
import { defineFormat, endsWith } from "../format.ts";

export default defineFormat({
  id: "workflow",
  words: "a GitHub workflow",
  place: 16,
  signs: [
    {
      by: "text and ending",
      is: ({ name, text }) => endsWith(".yml", ".yaml")(name) && /^jobs\s*:/m.test(text) && /^["']?on["']?\s*:|^true\s*:/m.test(text),
    },
  ],
  read: readWorkflow,
  example: {
    file: ".github/workflows/ci.yml",
    text: "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n    - run: pip install torch==2.4.1\n",
  },
});

/** Every job is a machine of its own, and so is each of its matrix. */
function readWorkflow(text: string, file: string, conditions: Conditions): Declaration {
  const root = fields(readYaml(text)) ?? {};
  const declaration: Declaration = { format: "workflow", file, steps: [], alternatives: [], unknown: [] };
  const finder = finderOf(text, file);
  finder.seek(/^jobs\s*:/);
  const alternatives = new Map<string, Alternative>();
  for (const [name, value] of Object.entries(fields(root["jobs"]) ?? {})) {
    const job = fields(value);
    if (!job) continue;
    const image = imageOf(job);
    const place = image === undefined ? undefined : finder.find(image);
    const lasting = lastingIn(root, job, name, text, file);
    const steps = list(job["steps"]).map((each) => placedStep(fields(each) ?? {}, finder));
    const told = JSON.stringify({ ...job, strategy: undefined });
    for (const choice of choicesOf(job["strategy"], (each) => told.includes(`matrix.${each}`))) {
      const made = stepsOf({ root, job, steps, choice, place, file, conditions, tell: (open) => declaration.unknown.push(open) });
      // Values that decide nothing of what is installed make no other machine.
      if (made) madeOnce(alternatives, [...made.image, ...lasting, ...made.steps], `job ${name}`, choice);
    }
  }
  const all = [...alternatives.values()];
  return { ...declaration, unknown: onceTold(declaration.unknown), steps: all[0]?.steps ?? [], alternatives: all };
}

function madeOnce(alternatives: Map<string, Alternative>, steps: DeclaredStep[], name: string, choice: Choice): void {
  const key = `${name} ${JSON.stringify(steps)}`;
  const values = [...choice].map(([, value]) => value);
  const words = values.length === 0 ? name : `${name} (${values.join(", ")})`;
  if (!alternatives.has(key)) alternatives.set(key, { name: words, steps });
}

const imageOf = (job: Fields): string | undefined => word(job["container"]) ?? word(fields(job["container"])?.["image"]);

/** What GitHub puts in. */
const isLeftOpen = (text: string): boolean => text.includes("${{");

interface PlacedStep {
  step: Fields;
  python?: { text: string; place: Place };
  run?: { text: string; place: Place };
}

/** Places are looked for once, in the order of the file. */
function placedStep(step: Fields, finder: Finder): PlacedStep {
  const uses = word(step["uses"]);
  const version = fields(step["with"])?.["python-version"];
  const python = typeof version === "number" ? String(version) : word(version);
  const isPython = (uses?.includes("setup-python") || uses?.includes("setup-uv")) && python !== undefined;
  const placedPython = isPython ? { python: { text: python, place: finder.find(python) } } : {};
  const run = word(step["run"]);
  const first = splitLines(run ?? "").find((line) => line.trim() !== "") ?? "";
  return { step, ...placedPython, ...(run === undefined ? {} : { run: { text: run, place: finder.find(first) } }) };
}

interface OneJob {
  root: Fields;
  job: Fields;
  steps: PlacedStep[];
  choice: Choice;
  /** Where its image is named. */
  place: Place | undefined;
  file: string;
  conditions: Conditions;
  tell: (open: Declaration["unknown"][number]) => void;
}

/** Undefined for a machine with Windows or macOS, which have other wheels, and where GitHub works out which it is. */
function stepsOf({
  root,
  job,
  steps,
  choice,
  place,
  file,
  conditions,
  tell,
}: OneJob): { image: DeclaredStep[]; steps: DeclaredStep[] } | undefined {
  const system = filledIn(
    [job["runs-on"]]
      .flat()
      .flatMap((each) => word(each) ?? [])
      .join(" "),
    choice,
  );
  if (/windows|macos/.test(system) || isLeftOpen(system)) return undefined;
  const container = filledIn(imageOf(job) ?? "", choice);
  const image =
    container === "" || isLeftOpen(container) ? [] : [{ kind: "image" as const, name: container, place: place ?? placeAt(file, 1) }];
  const made = steps.flatMap(({ step, python, run }): DeclaredStep[] => {
    if (isExcluded(typeof step["if"] === "boolean" ? String(step["if"]) : (word(step["if"]) ?? ""), choice)) return [];
    const chosen = filledIn(python?.text ?? "", choice);
    const asked: DeclaredStep[] =
      python && /^3\.\d+$/.test(chosen) ? [{ kind: "python", specifier: `==${chosen}.*`, place: python.place }] : [];
    if (!run) return asked;
    const folder = word(step["working-directory"]);
    const shell =
      [step, runDefaults(job), runDefaults(root)].map((each) => word(each["shell"])).find((each) => each !== undefined) ?? "bash";
    // A program of its own, as a heredoc would hold it.
    if (/^(?:python|node|perl|ruby)\b/.test(shell)) return asked;
    const script = readShell(filledIn(run.text, choice).replace(/\$\{\{[^}]{0,1000}\}\}/g, "$_"), {
      variables: variablesIn([root["env"], job["env"], step["env"]], choice),
      place: (at) => placeAt(file, run.place.line + at.line - 1),
      // Workflows run where the repository begins.
      candidates: (path) => (path.includes("$") ? [] : [`../../${folder === undefined ? "" : `${folder}/`}${path}`]),
      project: (at, names) => filesUnder(`../../${folder ?? ""}`, at, names),
      isOwnShell: true,
      hasOtherGrammar: !/^(?:\S{0,100}\/)?(?:ba|z|da|k)?sh\b/.test(shell),
      conditions,
      tell: (at, reason) => tell({ subject: `${file}:${at.line}`, reason }),
    });
    return [...asked, ...script];
  });
  return { image, steps: made };
}

/** What `defaults.run` says for all steps of a job or of the file. */
const runDefaults = (around: Fields): Fields => fields(fields(around["defaults"])?.["run"]) ?? {};

/** What is set around a step, the innermost last. */
function variablesIn(tables: unknown[], choice: Choice): Map<string, string> {
  const found = new Map<string, string>();
  for (const table of tables)
    for (const [key, value] of Object.entries(fields(table) ?? {})) {
      const known = typeof value === "string" || typeof value === "number" ? filledIn(String(value), choice) : undefined;
      if (known !== undefined && !isLeftOpen(known)) found.set(key, known);
    }
  return found;
}

/** What is set for a whole job with a GPU. Most runners have none, and hide it or link against stubs on purpose. */
function lastingIn(root: Fields, job: Fields, name: string, text: string, file: string): DeclaredStep[] {
  const container = fields(job["container"]) ?? {};
  const options = word(container["options"]) ?? "";
  if (!/--gpus\b|--runtime[= ]nvidia/.test(options) && !/\bgpu\b/i.test([job["runs-on"]].flat().join(" "))) return [];
  const inJob = { ...fields(job["env"]), ...fields(container["env"]) };
  const given: [string, unknown, boolean][] = [
    ...Object.entries(fields(root["env"]) ?? {}).map(([key, value]): [string, unknown, boolean] => [key, value, false]),
    ...Object.entries(inJob).map(([key, value]): [string, unknown, boolean] => [key, value, true]),
    ...environmentIn(options.split(/\s+/)).map(({ name: key, value }): [string, unknown, boolean] => [key, value, true]),
  ];
  return given.flatMap(([key, value, isInJob]): DeclaredStep[] => {
    const known = typeof value === "number" ? String(value) : word(value);
    if (known === undefined || known.includes("${{")) return [];
    const finder = finderOf(text, file);
    if (isInJob) finder.findLine(`${name}:`);
    return [{ kind: "variable", name: key, value: known, isLate: false, place: finder.find(key) }];
  });
}

type Fields = { [name: string]: unknown };
