// https://docs.github.com/en/actions/writing-workflows/workflow-syntax-for-github-actions
import { filesUnder } from "../project-command.ts";
import type { Alternative, Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { readShell } from "../commands.ts";
import type { Conditions } from "../conditions.ts";
import { fields, finderOf, list, word } from "../finding-lines.ts";
import { placeAt, splitLines } from "../lines.ts";
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

/** Every job is a machine of its own. */
function readWorkflow(text: string, file: string, conditions: Conditions): Declaration {
  const root = fields(readYaml(text)) ?? {};
  const declaration: Declaration = { format: "workflow", file, steps: [], alternatives: [], unknown: [] };
  const finder = finderOf(text, file);
  finder.seek(/^jobs\s*:/);
  const alternatives: Alternative[] = [];
  for (const [name, value] of Object.entries(fields(root["jobs"]) ?? {})) {
    const job = fields(value);
    if (!job) continue;
    const steps: DeclaredStep[] = [];
    const container = word(job["container"]) ?? word(fields(job["container"])?.["image"]);
    if (container !== undefined && !container.includes("${{"))
      steps.push({ kind: "image", name: container, place: finder.find(container) });
    // Windows and macOS have other wheels.
    const system = word(job["runs-on"]) ?? "";
    if (/windows|macos/.test(system) || system.includes("${{")) continue;
    const variables = new Map<string, string>();
    for (const all of [root["env"], job["env"]])
      for (const [key, each] of Object.entries(fields(all) ?? {}))
        if (typeof each === "string" && !each.includes("${{")) variables.set(key, each);
    steps.push(...lastingIn(root, job, name, text, file));
    for (const each of list(job["steps"])) {
      const step = fields(each);
      const uses = word(step?.["uses"]);
      const version = fields(step?.["with"])?.["python-version"];
      if (uses?.includes("setup-python") || uses?.includes("setup-uv")) {
        const python = typeof version === "number" ? String(version) : word(version);
        if (python !== undefined && /^3\.\d+$/.test(python))
          steps.push({ kind: "python", specifier: `==${python}.*`, place: finder.find(python) });
      }
      const run = word(step?.["run"]);
      if (run === undefined) continue;
      // What GitHub puts in is not known here.
      const script = run.replace(/\$\{\{[^}]{0,1000}\}\}/g, "$_");
      const first = finder.find(splitLines(run).find((line) => line.trim() !== "") ?? "");
      const folder = word(step?.["working-directory"]);
      steps.push(
        ...readShell(script, {
          variables: new Map(variables),
          place: (at) => placeAt(file, first.line + at.line - 1),
          // Workflows run where the repository begins.
          candidates: (path) => (path.includes("$") ? [] : [`../../${folder === undefined ? "" : `${folder}/`}${path}`]),
          project: (at, names) => filesUnder(`../../${folder ?? ""}`, at, names),
          isOwnShell: true,
          conditions,
          tell: (place, reason) => declaration.unknown.push({ subject: `${file}:${place.line}`, reason }),
        }),
      );
    }
    alternatives.push({ name: `job ${name}`, steps });
  }
  return { ...declaration, steps: alternatives[0]?.steps ?? [], alternatives };
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
