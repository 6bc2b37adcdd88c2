import type { Stack } from "../diagnose/stack.ts";
import type { Examination } from "../ask/examination.ts";
import type { Judgement } from "../judge/question.ts";
import type { InShells } from "../judge/shells.ts";
import { changesBetween, identityOf, onlyIn, type Facts } from "../lib/compare.ts";
import { folderOf } from "../lib/path.ts";
import type { Finding } from "../model/finding.ts";
import type { Change, Difference } from "../model/diff.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { overlay } from "../model/overlay.ts";
import type { Problem } from "../model/problem.ts";
import { withFile, withoutFile, withVariable } from "../plan/simulate.ts";
import { withoutWheel, withWheel } from "../plan/wheels.ts";
import { viewOf } from "../resolve/view.ts";

export { onSharedGround } from "./shared-ground.ts";

/** Works here, fails there: why. Differences are tried out on a copy of the facts of the one that fails. */
export async function compareTargets(
  one: InShells,
  other: InShells,
  /** The same check of changed facts. */
  check: CheckOf,
): Promise<Difference> {
  const [{ examination: a, judgement: first }, { examination: b, judgement: second }] = [one, other];
  const changes = differencesOf(first.stack, second.stack).map((change) => withLines(change, a, b));
  const findings = {
    onlyInA: onlyIn(first.check.findings, second.check.findings),
    onlyInB: onlyIn(second.check.findings, first.check.findings),
  };
  await explain(
    changes,
    "a",
    findings.onlyInA,
    { examination: a, healthy: b.view.snapshot, here: first.stack, there: second.stack },
    check,
  );
  await explain(
    changes,
    "b",
    findings.onlyInB,
    { examination: b, healthy: a.view.snapshot, here: second.stack, there: first.stack },
    check,
  );
  return {
    schema: "culprit/diff@1",
    a: a.view.snapshot.target,
    b: b.view.snapshot.target,
    findings,
    changes: changes.sort((one, other) => other.explains.length - one.explains.length || rank(one) - rank(other)),
  };
}

function withLines(change: Change, a: Examination, b: Examination): Change {
  const [inA, inB] = change.kind === "variable" ? [a.setAt?.[change.subject], b.setAt?.[change.subject]] : [];
  if (inA === undefined && inB === undefined) return change;
  return { ...change, setAt: { ...(inA === undefined ? {} : { a: inA }), ...(inB === undefined ? {} : { b: inB }) } };
}

type CheckOf = (examination: Examination) => Promise<Judgement | Problem>;

/** One side, to be made like the other. */
interface Attempt {
  examination: Examination;
  healthy: Snapshot;
  here: Stack;
  there: Stack;
}

const kinds: Change["kind"][] = ["variable", "driver", "gpu", "framework", "package", "library", "toolkit"];
const rank = ({ kind }: Change) => kinds.indexOf(kind);

async function explain(
  changes: Change[],
  side: "a" | "b",
  findings: Finding[],
  { examination, healthy, here, there }: Attempt,
  check: CheckOf,
): Promise<void> {
  if (findings.length === 0) return;
  /** Which of the findings are gone when these are as in the other; undefined where that cannot be told. */
  const goneWith = async (group: Change[]): Promise<string[] | undefined> => {
    let changed: Snapshot | undefined = examination.view.snapshot;
    for (const change of group) changed = changed && asInTheOther(change, side, changed, healthy, here, there);
    const judged = changed && (await check({ ...examination, view: viewOf(changed) }));
    if (!judged || "problem" in judged) return undefined;
    const left = new Set(judged.check.findings.map(identityOf));
    return findings.map(identityOf).filter((each) => !left.has(each));
  };
  const blame = (group: Change[], gone: string[]) => {
    for (const finding of gone) for (const change of group) change.explains.push({ in: side, finding });
  };
  const { suspects, rest } = suspectsAmong(changes, findings);
  for (const change of suspects) blame([change], (await goneWith([change])) ?? []);
  // Where what the findings speak of explains all of them, the rest is not asked: it would be most of the work.
  const explained = new Set(changes.flatMap(({ explains }) => explains.filter((each) => each.in === side).map(({ finding }) => finding)));
  if (findings.every((finding) => explained.has(identityOf(finding)))) return;
  for (const group of rest) for (const [change, gone] of await guiltyIn(group, goneWith)) blame([change], gone);
  if (changes.some(({ explains }) => 0 < explains.length)) return;
  // The libraries of one folder come and go together.
  const folders = new Map<string, Change[]>();
  for (const change of changes.filter(({ kind }) => kind === "library"))
    folders.set(folderOf(change.subject), [...(folders.get(folderOf(change.subject)) ?? []), change]);
  for (const group of folders.values()) if (1 < group.length) blame(group, (await goneWith(group)) ?? []);
}

/** What the findings speak of comes first, each by itself; of the rest, those of a kind together. What cannot be tried out is left. */
function suspectsAmong(changes: Change[], findings: Finding[]): { suspects: Change[]; rest: Change[][] } {
  const named = new Set(
    findings.flatMap(({ subject, facts: { loads = [], copies = [], variables = [], packages = [], driver, gpus } }) => [
      subject,
      ...loads.flatMap(({ file, path }) => [file, path]),
      ...copies.map(({ file }) => file),
      ...variables.map(({ name }) => name),
      ...packages.map(({ name }) => name),
      ...(driver || gpus ? ["driver"] : []),
    ]),
  );
  const isDevice = ({ kind }: Change) => kind === "driver" || kind === "gpu";
  const isNamed = (change: Change) =>
    named.has(change.subject) || named.has(change.package?.name ?? "") || (isDevice(change) && named.has("driver"));
  const tried = changes.filter(({ kind }) => kind !== "framework" && kind !== "toolkit");
  const suspects = tried.filter(isNamed);
  const others = tried.filter((change) => !isNamed(change));
  const groups = [
    others.filter(isDevice),
    ...(["variable", "package", "library"] as const).map((kind) => others.filter((each) => each.kind === kind)),
  ];
  return { suspects, rest: groups.filter((group) => 0 < group.length) };
}

/**
 * Which of many changes, alone, make a finding go: where all of them together leave every finding, none is asked by itself; else each half is
 * asked. What cannot be tried out together is asked one by one.
 */
async function guiltyIn(group: Change[], goneWith: (group: Change[]) => Promise<string[] | undefined>): Promise<[Change, string[]][]> {
  const gone = await goneWith(group);
  if (gone?.length === 0) return [];
  if (group.length === 1) return gone ? [[group[0]!, gone]] : [];
  const middle = gone ? group.length >> 1 : 1;
  return [...(await guiltyIn(group.slice(0, middle), goneWith)), ...(await guiltyIn(group.slice(middle), goneWith))];
}

/** The facts of one target with this one thing as it is in the other. */
function asInTheOther(
  change: Change,
  side: "a" | "b",
  snapshot: Snapshot,
  healthy: Snapshot,
  here: Stack,
  there: Stack,
): Snapshot | undefined {
  const value = side === "a" ? change.b : change.a;
  if (change.kind === "variable") return withVariable(snapshot, change.subject, value);
  if (change.kind === "driver" || change.kind === "gpu") {
    const driver = there.inventory.driver.kernel ?? here.inventory.driver.kernel;
    const gpus = there.inventory.gpus.map(({ name }) => name);
    return { ...overlay(snapshot), assumed: { ...(driver === undefined ? {} : { driver }), ...(gpus.length === 0 ? {} : { gpus }) } };
  }
  if (change.kind === "package") {
    const { name, environment: prefix } = change.package!;
    const environment = here.environments.find((each) => each.prefix === prefix);
    if (!environment) return undefined;
    return value === undefined ? withoutWheel(snapshot, environment, name) : withWheel(snapshot, { environment, name, version: value });
  }
  if (change.kind === "library") {
    const fact = healthy.files[change.subject];
    return value === undefined || !fact ? withoutFile(snapshot, change.subject) : withFile(snapshot, change.subject, fact);
  }
  return undefined;
}

function differencesOf(a: Stack, b: Stack): Change[] {
  return [
    ...changesBetween("variable", a.variables, b.variables),
    ...changesBetween("driver", driverOf(a), driverOf(b)),
    ...changesBetween("gpu", gpusOf(a), gpusOf(b)),
    ...changesBetween("framework", frameworksOf(a), frameworksOf(b)),
    ...packageChanges(a, b),
    ...changesBetween("library", librariesOf(a), librariesOf(b)),
    ...changesBetween("toolkit", toolkitsOf(a), toolkitsOf(b)),
  ];
}

const driverOf = ({ inventory: { driver } }: Stack): Facts => (driver.kernel === undefined ? {} : { "kernel driver": driver.kernel });

const gpusOf = ({ inventory: { gpus } }: Stack): Facts => Object.fromEntries(gpus.map(({ name }, index) => [`GPU ${index}`, name]));

function packageChanges(a: Stack, b: Stack): Change[] {
  const prefixes = new Set([a, b].flatMap(({ inventory: { environments } }) => environments.map(({ prefix }) => prefix)));
  return [...prefixes]
    .flatMap((environment) =>
      changesBetween("package", packagesIn(a, environment), packagesIn(b, environment)).map((change) => ({
        ...change,
        subject: `${change.subject} in ${environment}`,
        package: { name: change.subject, environment },
      })),
    )
    .sort((one, other) => (one.subject < other.subject ? -1 : 1));
}

const packagesIn = ({ inventory: { environments } }: Stack, environment: string): Facts =>
  Object.fromEntries(
    environments
      .filter(({ prefix }) => prefix === environment)
      .flatMap(({ packages }) => packages.map(({ name, version }) => [name, version])),
  );

const librariesOf = ({ inventory: { copies } }: Stack): Facts =>
  Object.fromEntries(copies.map(({ file, version, size }) => [file, `${version ?? "unknown version"}, ${size} bytes`]));

const toolkitsOf = ({ inventory: { toolkits } }: Stack): Facts =>
  Object.fromEntries(toolkits.map(({ path, version }) => [path, version ?? "unknown version"]));

/** What each framework would load of each library. */
const frameworksOf = ({ inventory: { frameworks } }: Stack): Facts =>
  Object.fromEntries(
    frameworks.flatMap(({ framework, environment, wouldLoad }) =>
      Object.entries(wouldLoad).map(([library, loads]) => [
        `${library} of ${framework} in ${environment}`,
        loads.map(({ file, version }) => `${file}${version === undefined ? "" : ` (${version})`}`).join(", "),
      ]),
    ),
  );
