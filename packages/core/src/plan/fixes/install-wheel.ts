import { keptBy } from "../../diagnose/pip.ts";
import type { Run, Stack } from "../../diagnose/stack.ts";
import { releaseFitting, versionWithin } from "../../knowledge/published.ts";
import { wheels } from "../../knowledge/texts/wheels.generated.ts";
import type { Finding } from "../../model/finding.ts";
import { allNames, isBuiltFor } from "../../model/frameworks.ts";
import type { PythonEnvironment, PythonPackage } from "../../model/environment.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { commandLine } from "../../lib/shell.ts";
import { listed } from "../../lib/listed.ts";
import { comingAlong } from "../releases.ts";
import { changedFolders, installCommand, ownPackage, refusalIn, rivalsIn, typed, withWheel, type WheelChange } from "../wheels.ts";

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

function candidate(meant: Wanted[], { files, environment: variables }: Snapshot): Candidate {
  const { environment } = meant[0]!;
  const along = comingAlong(meant);
  const group = [...meant, ...(along ?? []).map((each): Wanted => ({ ...each, files: [] }))];
  const refusal = refusalIn(environment);
  const command = installCommand(environment, group);
  const clearing = clearingOf(group, files);
  const changes = [...new Set(group.flatMap((each) => changedFolders(each, files)))];
  const before = group.map(({ name }) => ownPackage(environment, name));
  const replaced = before.filter((found, index) => found && found.version !== group[index]!.version);
  const isAgain = before.every((found, index) => found?.version === group[index]!.version);
  // What conda installed, pip must not replace; what pip would write must be known before, so that it can be taken back.
  const isForeseen = (name: string, version: string, found: PythonPackage | undefined) => {
    const record = found && files[`${found.metadata}/RECORD`];
    return isKnown(name) || found?.version === version || (record?.kind === "file" && record.text !== undefined);
  };
  const canApply =
    along !== undefined &&
    refusal === undefined &&
    group.every(({ name, version }, index) => (environment.kind !== "conda" || before[index]) && isForeseen(name, version, before[index]));
  const replacing = replaced.map((found) => `${found!.name} ${found!.version}`).join(" and ");
  const warnings = [
    ...(refusal ? [refusal.because] : []),
    ...(replaced.length === 0 ? [] : [`${replacing} ${replaced.length === 1 ? "is" : "are"} replaced`]),
    ...(isAgain ? [] : [keptBy(environment) ?? []].flat()),
  ];
  return {
    title: `install ${isAgain ? "again " : ""}${listed(
      group.map(({ name, version }) => `${name} ${version}`),
      "wheels",
    )} in ${environment.prefix}`,
    reach: environment.prefix === "/usr" ? "machine" : "environment",
    safety: canApply ? "safe" : "display-only",
    commands: [...(refusal?.first ?? []), ...clearing.map(commandLine), ...typed(command, variables)],
    steps: canApply ? [...clearing, command].map((each) => ({ do: "run", command: each, changes })) : [],
    ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
    changes: group.map(({ name }) => `${name} in ${environment.prefix}`),
    ...(1 < group.length ? { wider: true as const } : {}),
    // What a release asks for, and nobody knows, may be what is wrong next; what cannot be done proves nothing.
    ...(along === undefined || refusal
      ? {}
      : { simulate: (snapshot: Snapshot) => group.reduce((facts, each) => withWheel(facts, each, each.files), snapshot) }),
  };
}

/** pip does not see a link that leads nowhere, and would write to where it leads. */
function clearingOf(group: Wanted[], files: Snapshot["files"]): string[][] {
  const dead = group.flatMap((each) => each.files).filter((file) => files[file]?.kind === "link");
  return dead.length === 0 ? [] : [["rm", ...dead]];
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
  const packages = finding.facts.packages ?? [];
  // What comes along with a framework has a kind of its own.
  if (packages.some((each) => each.with !== undefined)) return [];
  for (const { role, name, version, wants, environment: prefix, files } of packages) {
    const environment = stack.environments.find((each) => each.prefix === prefix);
    const installed = environment && ownPackage(environment, name);
    if (role === "reinstall" && installed?.version === version) add(environment, name, version, files);
    if (role === "install" && wants !== undefined && environment) {
      const asked = askedFor(packages, { name, wants }, environment);
      add(environment, asked.name, asked.version);
    }
  }
  for (const run of stack.runs) {
    if (!run.environment || !touches(run, finding)) continue;
    for (const [library, { pin }] of run.programs.flatMap(({ compiledFor }) => Object.entries(compiledFor))) {
      if (!pin) continue;
      const installed = ownPackage(run.environment, pin.package);
      const concerns = packages.some(({ name }) => name === pin.package) || isAbout(finding, library);
      if (concerns && installed?.version !== pin.version) add(run.environment, pin.package, pin.version);
    }
  }
  return [...found.values()];
}

/** What an installed package asks for, and does not get; what is built upon a framework follows it, and never the other way round. */
function askedFor(
  packages: NonNullable<Finding["facts"]["packages"]>,
  { name, wants }: { name: string; wants: string },
  environment: PythonEnvironment,
): { name: string; version: string | undefined } {
  const installed = ownPackage(environment, name);
  const follower = packages.find((each) => each.role === "asks" && (companions.includes(each.name) || isBuiltFor(name, wants)));
  if (!installed || !follower) return { name, version: versionWithin(name, wants) };
  return { name: follower.name, version: releaseFitting(follower.name, installed, environment.version) };
}

const companions = allNames("companions");

const isKnown = (name: string) => wheels().wheels.some((wheel) => wheel.package === name);

const touches = ({ programs }: Run, { breaks, endangers }: Finding) =>
  programs.some(({ id }) => [...breaks, ...endangers].some(({ framework }) => framework === id));

/** Whether a finding speaks of a library; wheels bring what has several ids: cuBLAS with cuBLASLt. */
const isAbout = ({ facts: { loads = [], copies = [], wanted } }: Finding, library: string) =>
  [...loads.filter(({ role }) => role !== "asks"), ...copies, ...(wanted ? [wanted] : [])].some((each) =>
    each.library?.startsWith(library),
  );
