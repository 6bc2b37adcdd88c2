// The same target after something was installed or taken away. What is taken away is gone from a copy of the facts; what would be installed
// is not there to be looked at, and is judged as a script that installs it over what is there.
import type { Examination } from "../ask/examination.ts";
import { rebuildCache } from "../ask/fresh-cache.ts";
import { surveyStack } from "../ask/survey.ts";
import { gpuNamed } from "../knowledge/gpus.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { identityOf } from "../lib/compare.ts";
import { isWithin } from "../lib/pep440.ts";
import { normalName, parseRequirement } from "../lib/pep508.ts";
import type { Changes } from "../model/changes.ts";
import { statusOf, type Check } from "../model/check.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import { bySeverity, type Finding } from "../model/finding.ts";
import type { Inventory } from "../model/inventory.ts";
import { overlay, pathsIn } from "../model/overlay.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import type { Snapshot, Unknown } from "../model/snapshot.ts";
import { withoutFiles } from "../plan/simulate.ts";
import { isLookedInto, ownPackage, packagedFiles, withWheel } from "../plan/wheels.ts";
import { viewOf } from "../resolve/view.ts";
import type { Judgement, Question } from "./question.ts";

/** What is said of a target after changes, and what those would have changed there; empty: it has nothing to do with them. */
export type ChangedJudgement = Judgement & { done: string[] };

/** What is said of a script that installs something. */
export type CheckScript = (request: ScriptRequest) => Promise<Check | Problem>;

export interface ScriptRequest {
  file: string;
  text: string;
  python: string;
  driver?: string;
  gpus?: string[];
}

export async function checkChanged(
  examination: Examination,
  question: Question,
  changes: Changes,
  check: (examination: Examination) => Promise<Judgement | Problem>,
  checkScript: CheckScript,
): Promise<ChangedJudgement | Problem> {
  const wanted = wantedOf(changes);
  if ("problem" in wanted) return wanted;
  const surveyed = await surveyStack(examination, question.python);
  const removed = await withoutThings(examination, surveyed, wanted.without);
  const installs = surveyed.environments.flatMap((environment) => installingIn(environment, surveyed.environments, wanted));
  const judged = await check(withKnownWheels(removed.examination, installs));
  if ("problem" in judged) return judged;
  const added: Added[] = [];
  for (const install of installs) added.push(await judgeInstalling(install, surveyed.inventory, examination, checkScript));
  const done = [...removed.done, ...installs.map(({ environment, names }) => `${names.join(", ")} in ${environment.prefix}`)];
  const changed = withAdded(judged.check, added);
  if (!changed.findings.some(isHarmfulNote)) return { ...judged, check: changed, done };
  const before = await check(examination);
  return { ...judged, check: "problem" in before ? changed : withLosses(changed, before.check), done };
}

const isHarmfulNote = ({ severity, breaks }: Finding): boolean => severity === "info" && 0 < breaks.length;

/**
 * What most people have for the processor is only noted where nothing for its use of a GPU was ever installed. Who asks what a change would
 * break means what works without it: where something was installed for it, and is gone then, that is an error.
 */
function withLosses(changed: Check, before: Check): Check {
  const known = new Set(before.findings.map(identityOf));
  const worked = new Set(before.judged.flatMap(({ program, activities }) => activities.map((activity) => `${program} ${activity}`)));
  const isLoss = (finding: Finding) =>
    isHarmfulNote(finding) &&
    !known.has(identityOf(finding)) &&
    finding.breaks.some(({ framework, activity }) => worked.has(`${framework} ${activity}`));
  const findings = changed.findings.map((each) => (isLoss(each) ? { ...each, severity: "error" as const } : each)).sort(bySeverity);
  return { ...changed, findings, status: statusOf({ ...changed, findings }) };
}

/** What installing adds to what is said, and the programs that it puts in the place of others. */
type Added = Pick<Check, "findings" | "unknown" | "judged">;

function withAdded(check: Check, added: Added[]): Check {
  const known = new Set(check.findings.map(identityOf));
  const more = added.flatMap(({ findings }) => findings).filter((each) => !known.has(identityOf(each)));
  const findings = [...check.findings, ...more].sort(bySeverity);
  const unknown = [...check.unknown, ...added.flatMap((each) => each.unknown)];
  const newer = added.flatMap((each) => each.judged);
  const isReplaced = (old: Check["judged"][number]) =>
    newer.some(({ program, environment }) => program === old.program && environment === old.environment);
  const judged = [...newer, ...check.judged.filter((each) => !isReplaced(each))];
  return { ...check, judged, findings, unknown, status: statusOf({ findings, unknown, judged }) };
}

// ── what is asked for ───────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Requirement {
  name: string;
  text: string;
  onlyWhereItIs: boolean;
}

interface Unwanted {
  word: string;
  name: string;
  /** As PEP 440 has it; empty: all. */
  specifier: string;
}

interface Wanted {
  installed: Requirement[];
  without: Unwanted[];
}

/** What the words mean; one sentence where they mean nothing. */
export function wantedOf({ with: everywhere = [], replace = [], without = [] }: Changes): Wanted | Problem {
  const installed: Requirement[] = [];
  for (const [text, onlyWhereItIs] of [
    ...everywhere.map((each) => [each, false] as const),
    ...replace.map((each) => [each, true] as const),
  ]) {
    const read = parseRequirement(text.trim());
    if ("problem" in read || "url" in read || read.marker !== undefined || /['\n\r]/.test(text))
      return problemOf("bad-question", `\`${text}\` is not a requirement such as torch==2.6.0`);
    installed.push({ name: normalName(read.name), text: text.trim(), onlyWhereItIs });
  }
  const taken: Unwanted[] = [];
  for (const word of without) {
    const [, name, specifier = ""] = /^\s*([\w.-]{1,100})\s*((?:<=|>=|==|!=|<|>)\s*\d[\d.]{0,40})?\s*$/.exec(word) ?? [];
    if (name === undefined && !/^\/[^\n]+$/.test(word))
      return problemOf("bad-question", `\`${word}\` is no path, and no name such as cudnn, cuda-toolkit==12.4 or nvidia-cudnn-cu12`);
    taken.push({ word, name: name?.toLowerCase() ?? "", specifier });
  }
  return { installed, without: taken };
}

// ── what is taken away ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Removed {
  paths: Set<string>;
  done: string[];
  unknown: Unknown[];
}

async function withoutThings(
  examination: Examination,
  { environments, inventory }: { environments: PythonEnvironment[]; inventory: Inventory },
  unwanted: Unwanted[],
): Promise<{ examination: Examination; done: string[] }> {
  const { snapshot } = examination.view;
  const removed: Removed = { paths: new Set(), done: [], unknown: [] };
  for (const each of unwanted) {
    if (each.name === "") takePath(snapshot, each.word.replace(/(?<!\/)\/+$/, ""), removed);
    else takeNamed(snapshot, each, environments, inventory, removed);
  }
  if (removed.paths.size === 0 && removed.unknown.length === 0) return { examination, done: [] };
  const changed = withoutFiles(snapshot, [...removed.paths]);
  changed.unknown.push(...removed.unknown);
  const after = { ...examination, view: viewOf(changed) };
  // Whoever removes a library of the system has ldconfig run; where the cache names none of them, nothing changes for it.
  if (isCached(changed, removed.paths)) {
    const fresh = overlay(changed);
    const rebuilt = { ...examination, view: viewOf(fresh) };
    if (await rebuildCache(rebuilt)) return { examination: { ...rebuilt, view: viewOf(fresh) }, done: removed.done };
    changed.unknown.push({ subject: "ldconfig", reason: "the facts do not tell what it would find after that", decides: true });
  }
  return { examination: after, done: removed.done };
}

function isCached({ files }: Snapshot, paths: Set<string>): boolean {
  const cache = files["/etc/ld.so.cache"];
  return cache?.kind === "file" && (cache.cache?.entries ?? []).some(({ path }) => paths.has(path));
}

const toolkitNames = new Set(["cuda", "cuda-toolkit", "toolkit"]);

function takeNamed(
  snapshot: Snapshot,
  { word, name, specifier }: Unwanted,
  environments: PythonEnvironment[],
  { toolkits, copies }: Inventory,
  removed: Removed,
): void {
  // A file whose version nobody can read may be meant, and may not.
  const isMeant = (version: string | undefined, what: string): boolean => {
    const is = specifier === "" ? true : version === undefined ? undefined : isBounded(version, specifier);
    if (is === undefined)
      removed.unknown.push({ subject: what, reason: `its version is not known, and \`${word}\` asks for one`, decides: true });
    return is ?? false;
  };
  for (const toolkit of toolkits) {
    if (!toolkitNames.has(name) || !isMeant(toolkit.version, toolkit.path)) continue;
    takePath(snapshot, toolkit.path, removed);
  }
  for (const copy of copies) {
    const isOfSystem = copy.owner !== undefined && copy.owner.kind !== "pip" && copy.owner.name === name;
    if (copy.library !== name && !isOfSystem) continue;
    if (!isMeant(isOfSystem ? (copy.owner?.version ?? copy.version) : copy.version, copy.file)) continue;
    for (const path of [copy.file, ...copy.names]) removed.paths.add(path);
    removed.done.push(copy.file);
  }
  for (const environment of environments) {
    const found = ownPackage(environment, normalName(name));
    if (!found || !isMeant(found.version, `${found.name} in ${environment.prefix}`)) continue;
    for (const path of [found.metadata, ...below(snapshot, found.metadata), ...packagedFiles(snapshot, found)]) removed.paths.add(path);
    removed.done.push(found.metadata);
  }
}

/** A version is compared as far as the one that is named goes: `==12.4` means all of 12.4.x. */
function isBounded(version: string, specifier: string): boolean | undefined {
  const [, comparison = "", named = ""] = /^(<=|>=|==|!=|<|>)\s*([\d.]+)$/.exec(specifier.trim()) ?? [];
  const short = version
    .split(/[^\d.]/)[0]!
    .split(".")
    .slice(0, named.split(".").length)
    .join(".");
  return short === "" ? undefined : isWithin(short, `${comparison}${named}`);
}

function takePath(snapshot: Snapshot, path: string, removed: Removed): void {
  const all = [...(isThere(snapshot, path) ? [path] : []), ...below(snapshot, path)];
  for (const each of all) removed.paths.add(each);
  if (0 < all.length) removed.done.push(path);
}

const isThere = ({ files }: Snapshot, path: string): boolean => files[path] !== undefined && files[path].kind !== "absent";
const below = (snapshot: Snapshot, folder: string): string[] =>
  pathsIn(snapshot).filter((path) => path.startsWith(`${folder}/`) && isThere(snapshot, path));

// ── what is installed ───────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Installing {
  environment: PythonEnvironment;
  /** As they were asked for. */
  names: string[];
  requirements: Requirement[];
}

/** Where pip may, and where something of the GPU's world is; where nothing is anywhere, wherever pip may. */
function installingIn(environment: PythonEnvironment, all: PythonEnvironment[], { installed }: Wanted): Installing[] {
  const isOurs = (each: PythonEnvironment) => each.packages.some(({ name }) => publishedPackage(name) !== undefined && name !== "numpy");
  const isPlace = environment.managed === undefined && (isOurs(environment) || !all.some(isOurs));
  const requirements = installed.filter(({ name, text, onlyWhereItIs }) => {
    const found = ownPackage(environment, name);
    const read = parseRequirement(text);
    const isMet = found && !("problem" in read) && isWithin(found.version, read.specifier) === true;
    return !isMet && (onlyWhereItIs ? found !== undefined && environment.managed === undefined : isPlace);
  });
  return requirements.length === 0 ? [] : [{ environment, requirements, names: requirements.map(({ text }) => text) }];
}

/** Libraries whose wheels somebody has looked into are put there, so that what would be loaded is seen down to the file. */
function withKnownWheels(examination: Examination, installs: Installing[]): Examination {
  const wheels = installs.flatMap(({ environment, requirements }) =>
    requirements.flatMap(({ name, text }) => {
      const [, version] = /==\s*([\w.+!-]+)\s*$/.exec(text) ?? [];
      return version !== undefined && isLookedInto(name, version) ? [{ environment, name, version }] : [];
    }),
  );
  if (wheels.length === 0) return examination;
  const changed = wheels.reduce<Snapshot>((facts, wheel) => withWheel(facts, wheel), examination.view.snapshot);
  return { ...examination, view: viewOf(changed) };
}

/** A name that no file has: places in it are told apart from all others. */
const script = "changes-of-an-environment.sh";

async function judgeInstalling(
  { environment, requirements }: Installing,
  { driver, gpus }: Inventory,
  { view }: Examination,
  checkScript: CheckScript,
): Promise<Added> {
  const { assumed } = view.snapshot;
  const there = environment.packages.filter((each) => ownPackage(environment, each.name) === each);
  const installed = [
    "pip install --no-deps \\",
    ...there.map(({ name, version }, index) => ` '${name}==${version}'${index === there.length - 1 ? "" : " \\"}`),
  ];
  const lines = there.length === 0 ? [] : installed;
  const added = requirements.map(({ text }) => `pip install '${text}'`);
  const known = [...new Set(assumed?.gpus ?? gpus.map(({ name }) => name))].filter((name) => gpuNamed(name) !== undefined);
  const version = assumed?.driver ?? driver.kernel;
  const ask = async (text: string[]) =>
    checkScript({
      file: script,
      text: `${text.join("\n")}\n`,
      python: environment.version,
      ...(version === undefined ? {} : { driver: version }),
      ...(known.length === 0 ? {} : { gpus: known }),
    });
  const [before, after] = [await ask(lines), await ask([...lines, ...added])];
  if ("problem" in after) return { findings: [], judged: [], unknown: [notTold(requirements, environment, after.problem)] };
  const had = new Set("problem" in before ? [] : before.findings.map(identityOf));
  const asked = new Set("problem" in before ? [] : before.unknown.map(({ subject }) => subject));
  const place = placesOf(
    environment,
    there.map(({ metadata }) => metadata),
    lines.length,
    requirements,
  );
  const strangers = requirements.filter(({ name }) => publishedPackage(name) === undefined);
  const was = new Set("problem" in before ? [] : before.judged.map(({ program, version: release }) => `${program} ${release}`));
  return {
    judged: after.judged
      .filter(({ program, version: release }) => !was.has(`${program} ${release}`))
      .map((each) => ({ ...each, environment: environment.prefix })),
    findings: after.findings.filter((each) => !had.has(identityOf(each))).map((each) => placed(each, place)),
    unknown: [
      ...strangers.map((each) => notTold([each], environment, "what it brings and asks for is not known here")),
      ...after.unknown
        .filter(({ subject }) => !asked.has(subject))
        .map((each) => ({ ...each, subject: place(each.subject), reason: place(each.reason) })),
    ],
  };
}

const notTold = (requirements: Requirement[], { prefix }: PythonEnvironment, reason: string): Check["unknown"][number] => ({
  subject: `${requirements.map(({ text }) => text).join(", ")} in ${prefix}`,
  kind: "package",
  reason,
});

/** Lines of the script as what they stand for: metadata of what is there, and what would be installed. */
function placesOf({ prefix }: PythonEnvironment, metadata: string[], lines: number, requirements: Requirement[]): (text: string) => string {
  return (text) =>
    text.replaceAll(new RegExp(`\\b${script}(?::(\\d+)(?::\\d+)?)?`, "g"), (_all, line?: string) => {
      if (line === undefined) return prefix;
      const at = Number(line);
      return at <= lines ? (metadata[at - 2] ?? prefix) : `pip install ${requirements[at - lines - 1]?.text ?? ""} in ${prefix}`;
    });
}

function placed({ place: _place, ...finding }: Finding, told: (text: string) => string): Finding {
  return {
    ...finding,
    message: told(finding.message),
    because: finding.because.map(told),
    evidence: finding.evidence.map(told),
    advice: finding.advice.map((each) => ({ ...each, words: told(each.words) })),
  };
}
