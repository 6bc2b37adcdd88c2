// environment.yml: https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-environments.html
import { bareInstall } from "../packages.ts";
import type { Declaration, DeclaredStep, Install } from "../../model/dependency-file.ts";
import { channelName, readCondaSpec } from "../conda-spec.ts";
import { fields, finderOf, list, word } from "../finding-lines.ts";
import { placeAt } from "../lines.ts";
import { readRequirements } from "./requirements.ts";
import { readYaml } from "../yaml.ts";
import { defineFormat, endsWith } from "../format.ts";

export default defineFormat({
  id: "conda-environment",
  words: "environment.yml",
  place: 9,
  signs: [
    {
      by: "text and ending",
      after: ["workflow", "conda-lock"],
      is: ({ name, text }) => endsWith(".yml", ".yaml")(name) && /^dependencies\s*:/m.test(text),
    },
  ],
  read: readCondaEnvironment,
  example: { file: "environment.yml", text: "channels: [conda-forge]\ndependencies:\n- pytorch=2.4.1\n" },
});

function readCondaEnvironment(text: string, file: string): Declaration {
  const root = fields(readYaml(text)) ?? {};
  const finder = finderOf(text, file);
  finder.seek(/^dependencies\s*:/);
  const place = placeAt(file, 1);
  const empty: Install = { kind: "install", manager: "conda", packages: [], ...bareInstall(), place };
  const channels = list(root["channels"]).flatMap((each) => channelName(word(each) ?? "") ?? []);
  const conda: Install = { ...empty, packages: [], ...(0 < channels.length ? { channels } : {}) };
  const steps: DeclaredStep[] = [conda];
  const declaration: Declaration = { format: "conda-environment", file, steps, unknown: [] };
  const tell = (line: number, what: string) =>
    void declaration.unknown.push({ subject: `${file}:${line}`, reason: `${what}: it cannot be read` });
  if (!isListOrNothing(root["dependencies"])) tell(finder.find("dependencies").line, "`dependencies` is no list");
  for (const each of list(root["dependencies"])) {
    const spec = word(each);
    if (spec !== undefined) {
      const found = readCondaSpec(spec, finder.find(spec));
      if (found?.name === "python") steps.unshift({ kind: "python", specifier: found.specifier, place: found.place });
      else if (found) conda.packages.push(found);
      continue;
    }
    // The lines below `pip:` are those of a requirements file.
    for (const line of list(fields(each)?.["pip"])) {
      const requirement = word(line);
      if (requirement === undefined) {
        tell(finder.find(String(line)).line, "what stands below `pip` is no requirement");
        continue;
      }
      const where = finder.find(requirement);
      const read = readRequirements(requirement, file);
      declaration.unknown.push(...read.unknown.map(({ reason }) => ({ subject: `${file}:${where.line}`, reason })));
      const pip = steps.find((step): step is Install => step.kind === "install" && step.manager === "pip") ?? {
        ...empty,
        manager: "pip" as const,
        packages: [],
        includes: [],
        indexes: [],
        links: [],
      };
      if (!steps.includes(pip)) steps.push(pip);
      for (const step of read.steps) {
        if (step.kind !== "install") continue;
        pip.packages.push(...step.packages.map((declared) => ({ ...declared, place: where })));
        if (step.built) pip.built = [...(pip.built ?? []), ...step.built.map((each) => ({ ...each, place: where }))];
        pip.includes.push(...step.includes.map((include) => ({ ...include, place: where })));
        pip.indexes.push(...step.indexes);
        pip.links.push(...step.links);
      }
    }
  }
  for (const [name, value] of Object.entries(fields(root["variables"]) ?? {}))
    steps.push({ kind: "variable", name, ...valueOf(value), isLate: false, place: finder.find(name) });
  return declaration;
}

const valueOf = (value: unknown): { value?: string } => (typeof value === "string" ? { value } : {});

const isListOrNothing = (value: unknown): boolean => value === undefined || value === null || Array.isArray(value);
