import { copyAt } from "../../diagnose/words.ts";
import type { Run, Stack } from "../../diagnose/stack.ts";
import { publishedPackage } from "../../knowledge/published.ts";
import { wheels } from "../../knowledge/texts/wheels.generated.ts";
import { comparePythonVersions, isWithin } from "../../lib/pep440.ts";
import type { Finding } from "../../model/check.ts";
import type { PythonEnvironment, PythonPackage } from "../../model/environment.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { changedFolders, installCommand, rivalsIn, typed, withWheel, type WheelChange } from "../wheels.ts";

/** Brings wheels in the very versions that a framework pins, or puts those back whose files are gone or damaged. */
export default defineFix({
  id: "install-wheel",
  title: "Install a wheel in an exact version",
  proposes: (stack, finding, snapshot) => {
    const all = wanted(stack, finding);
    const groups = all.map((each) => [each]);
    // Where one alone does not help, all that the finding speaks of may.
    for (const environment of new Set(all.map((each) => each.environment))) {
      const own = all.filter((each) => each.environment === environment);
      if (1 < own.length) groups.push(own);
    }
    return groups.map((group) => candidate(group, snapshot));
  },
});

function candidate(group: Wanted[], { files, environment: variables }: Snapshot): Candidate {
  const { environment } = group[0]!;
  const command = installCommand(environment, group);
  const changes = [...new Set(group.flatMap((each) => changedFolders(each, files)))];
  const before = group.map(({ name }) => environment.packages.find((found) => found.name === name));
  const replaced = before.filter((found, index) => found && found.version !== group[index]!.version);
  const isAgain = before.every((found, index) => found?.version === group[index]!.version);
  // What conda installed, pip must not replace; what pip would write must be known before, so that it can be taken back.
  const isForeseen = (name: string, version: string, found: PythonPackage | undefined) => {
    const record = found && files[`${found.metadata}/RECORD`];
    return isKnown(name) || found?.version === version || (record?.kind === "file" && record.text !== undefined);
  };
  const canApply = group.every(
    ({ name, version }, index) => (environment.kind !== "conda" || before[index]) && isForeseen(name, version, before[index]),
  );
  return {
    title: `install ${isAgain ? "again " : ""}${group.map(({ name, version }) => `${name} ${version}`).join(" and ")} in ${environment.prefix}`,
    reach: environment.prefix === "/usr" ? "machine" : "environment",
    safety: canApply ? "safe" : "display-only",
    commands: typed(command, variables),
    steps: canApply ? [{ do: "run", command, changes }] : [],
    ...(replaced.length === 0
      ? {}
      : {
          warning: `${replaced.map((found) => `${found!.name} ${found!.version}`).join(" and ")} ${replaced.length === 1 ? "is" : "are"} replaced`,
        }),
    changes: group.map(({ name }) => `${name} in ${environment.prefix}`),
    ...(1 < group.length ? { wider: true as const } : {}),
    simulate: (snapshot) => group.reduce((facts, each) => withWheel(facts, each, each.files), snapshot),
  };
}

interface Wanted extends WheelChange {
  files: string[];
}

function wanted(stack: Stack, finding: Finding): Wanted[] {
  const found = new Map<string, Wanted>();
  const add = (environment: PythonEnvironment | undefined, name: string, version: string | undefined, files: string[] = []) => {
    const key = `${environment?.prefix} ${name}`;
    // It would overwrite another one that fills the same places.
    if (environment && rivalsIn(environment, name).length !== 0) return;
    if (environment && version !== undefined && !found.has(key)) found.set(key, { environment, name, version, files });
  };
  for (const { package: name, environment, files } of stack.inventory.missing) {
    const prefix = stack.environments.find((each) => each.prefix === environment);
    if (finding.subject === `${name} in ${environment}`)
      add(prefix, name, prefix?.packages.find((each) => each.name === name)?.version, files);
  }
  const owner = copyAt(stack, finding.subject)?.owner;
  if (owner?.kind === "pip" && finding.cause === "library-damaged")
    add(environmentOf(stack, finding.subject), owner.name, owner.version, [finding.subject]);
  // What an installed package asks for, and does not get.
  for (const { environment: prefix, by, needs, specifier } of stack.requirements) {
    if (finding.subject !== `${by.name} in ${prefix}` || isWithin(needs.version, specifier) !== false) continue;
    add(
      stack.environments.find((each) => each.prefix === prefix),
      needs.name,
      versionWithin(needs.name, specifier),
    );
  }
  for (const run of stack.runs) {
    if (!run.environment || !touches(run, finding)) continue;
    for (const [library, { evidence }] of run.programs.flatMap(({ compiledFor }) => Object.entries(compiledFor))) {
      const [, name, version] = /: ((?:nvidia|cuda)[\w-]*)==([\d.]+)$/.exec(evidence) ?? [];
      const installed = run.environment.packages.find((each) => each.name === name);
      const concerns = finding.message.includes(name ?? "\0") || isAbout(finding, library);
      if (name !== undefined && concerns && installed?.version !== version) add(run.environment, name, version);
    }
  }
  // What a rule advises for NVIDIA's own libraries: the wheel that brought them, once more.
  for (const [, name, version] of finding.advice
    .join("\n")
    .matchAll(/pip install --force-reinstall --no-deps (nvidia-[\w-]+)==([\d.]+)/g)) {
    const environment = environmentOf(stack, finding.subject) ?? stack.runs.find((run) => touches(run, finding))?.environment;
    const installed = environment?.packages.find((each) => each.name === name && each.version === version);
    if (installed) add(environment, name!, version);
  }
  return [...found.values()];
}

/** The newest version that is known to be there and that a specifier allows; else the one that it names itself. */
function versionWithin(name: string, specifier: string): string | undefined {
  const published = publishedPackage(name)?.releases.map(({ version }) => version) ?? [];
  const harvested = wheels().wheels.flatMap((wheel) => (wheel.package === name ? [wheel.version] : []));
  const fitting = (versions: string[]) =>
    versions.filter((version) => isWithin(version, specifier) === true).sort((a, b) => comparePythonVersions(b, a))[0];
  const named = [...specifier.matchAll(/(?:===?|>=|<=|~=)\s*([\w.+!-]+?)(?:\.\*)?(?=\s*(?:,|$))/g)].map(([, version]) => version!);
  return fitting([...published, ...harvested]) ?? fitting(named);
}

const isKnown = (name: string) => wheels().wheels.some((wheel) => wheel.package === name);

const touches = ({ programs }: Run, { breaks, endangers }: Finding) =>
  programs.some(({ id }) => [...breaks, ...endangers].some(({ framework }) => framework === id));

/** Whether a finding speaks of a library, by the names of its objects. */
const isAbout = ({ subject, message }: Finding, library: string) => `${subject} ${message}`.toLowerCase().includes(library);

const environmentOf = ({ environments }: Stack, file: string) => environments.find(({ prefix }) => file.startsWith(`${prefix}/`));
