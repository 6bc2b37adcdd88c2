// Two files that say what will be installed, or two days of Colab: what differs, and which of it makes or mends a finding.
import { changesBetween, identityOf, onlyIn, type Facts } from "../lib/compare.ts";
import type { Finding } from "../model/finding.ts";
import type { DeclaredPackage, Declaration, DeclaredStep, Install } from "../model/dependency-file.ts";
import type { Change, Difference } from "../model/diff.ts";
import { gpuBuilds } from "./builds.ts";
import { systemWords } from "./colab.ts";
import { isKnownPackage, keyOf, type Installed } from "./install.ts";
import type { BaseSystem, InstallContext } from "./context.ts";

export interface Side {
  declaration: Declaration;
  context: InstallContext;
  findings: Finding[];
  /** The same file with something changed, upon a baseSystem with something changed. */
  judge: (declaration: Declaration, upon: (baseSystem: BaseSystem) => BaseSystem) => Finding[];
}

export function compareDeclared(a: Side, b: Side): Pick<Difference, "findings" | "changes"> {
  const changes = differencesOf(a, b);
  const findings = { onlyInA: onlyIn(a.findings, b.findings), onlyInB: onlyIn(b.findings, a.findings) };
  explain(changes, "a", findings.onlyInA, a, b);
  explain(changes, "b", findings.onlyInB, b, a);
  return { findings, changes: changes.sort((one, other) => other.explains.length - one.explains.length || rank(one) - rank(other)) };
}

const kinds: Change["kind"][] = ["image", "python", "toolkit", "variable", "framework", "package"];
const rank = ({ kind }: Change) => kinds.indexOf(kind);

function differencesOf(a: Side, b: Side): Change[] {
  return [
    ...changesBetween("image", imageOf(a), imageOf(b)),
    ...changesBetween("python", pythonOf(a), pythonOf(b)),
    ...changesBetween("toolkit", toolkitOf(a), toolkitOf(b)),
    ...changesBetween("variable", variablesOf(a), variablesOf(b)),
    ...changesBetween("framework", frameworksOf(a), frameworksOf(b)),
    ...changesBetween("package", packagesOf(a), packagesOf(b)),
  ];
}

const imageOf = ({ context: { image } }: Side): Facts => (image ? { base: image.name } : {});
const pythonOf = ({ context: { installation } }: Side): Facts =>
  installation.python === undefined ? {} : { version: installation.python };
const toolkitOf = ({ context: { systemPackages } }: Side): Facts =>
  systemPackages ? { "of the system": systemWords(systemPackages) } : {};

const variablesOf = ({ declaration: { steps } }: Side): Facts =>
  Object.fromEntries(steps.flatMap((step) => (step.kind === "variable" && step.value !== undefined ? [[step.name, step.value]] : [])));

const frameworksOf = ({ context: { installation } }: Side): Facts =>
  Object.fromEntries(
    gpuBuilds(installation).flatMap(({ framework, build }) => (build.cuda ? [[`CUDA of ${framework}`, build.cuda.version]] : [])),
  );

const packagesOf = ({ context: { installation } }: Side): Facts =>
  Object.fromEntries([...installation.packages].map(([key, installed]) => [key, versionOf(installed)]));

// Conda's `=12.4` is kept as `==12.4.*`.
const versionOf = ({ version, variant, asked, manager }: Installed) =>
  version === undefined
    ? asked?.specifier.replace(manager === "conda" ? /^==([\d.]+)\.\*$/ : /^$/, "$1") || asked?.url || "any version"
    : `${version}${variant === undefined ? "" : `+${variant}`}`;

// One thing after the other is made as it is in the other file, and the whole is judged again.
function explain(changes: Change[], side: "a" | "b", findings: Finding[], here: Side, there: Side): void {
  if (findings.length === 0) return;
  const isWorthIt = ({ kind, subject }: Change) =>
    kind !== "package" ||
    changes.length <= few ||
    /^(?:conda|apt):/.test(subject) ||
    isKnownPackage(subject) ||
    findings.some(({ facts: { packages = [] } }) => packages.some(({ name }) => name === subject));
  for (const change of changes.filter(isWorthIt)) {
    const changed = asInTheOther(change, here, there);
    if (!changed) continue;
    const left = new Set(here.judge(...changed).map(identityOf));
    for (const finding of findings.filter((each) => !left.has(identityOf(each))))
      change.explains.push({ in: side, finding: identityOf(finding) });
  }
}

/** So many are all tried out; of more than that, packages that nothing is known of are left out, as they hardly ever matter. */
const few = 60;

const isImage = (step: DeclaredStep) => step.kind === "image";

/** The file of one side with this one thing as it is in the other; undefined where that is nobody's to write. */
function asInTheOther({ kind, subject }: Change, here: Side, there: Side): Parameters<Side["judge"]> | undefined {
  const { declaration } = here;
  const asItIs = (baseSystem: BaseSystem) => baseSystem;
  const theirs = there.declaration.steps;
  switch (kind) {
    case "image":
      return [
        withSteps(declaration, (steps) => steps.map((step) => (step.kind === "image" ? (theirs.findLast(isImage) ?? step) : step))),
        asItIs,
      ];
    case "variable": {
      const isIt = (step: DeclaredStep) => step.kind === "variable" && step.name === subject;
      return [withSteps(declaration, (steps) => [...theirs.filter(isIt), ...steps.filter((step) => !isIt(step))]), asItIs];
    }
    case "python": {
      const { python } = there.context.installation;
      const upon = ({ base: { packages }, ...baseSystem }: BaseSystem): BaseSystem => ({
        ...baseSystem,
        base: { packages, ...(python === undefined ? {} : { python }) },
      });
      return [withSteps(declaration, (steps) => steps.filter((step) => step.kind !== "python")), upon];
    }
    case "toolkit": {
      const { systemPackages } = there.context;
      return systemPackages && [declaration, (baseSystem) => ({ ...baseSystem, systemPackages })];
    }
    case "package":
      return withPackage(subject, here, there);
    default:
      return undefined;
  }
}

function withPackage(key: string, here: Side, there: Side): Parameters<Side["judge"]> | undefined {
  const isIt =
    ({ manager }: Install) =>
    (each: DeclaredPackage) =>
      keyOf(manager, each.name) === key;
  const askedIn = ({ declaration: { steps } }: Side) =>
    steps.flatMap((step) => (step.kind === "install" ? step.packages.filter(isIt(step)) : []));
  const [own, asked] = [askedIn(here), askedIn(there)];
  const [ownBefore, before] = [here, there].map(({ context }) => context.before?.packages.get(key));
  // What others bring follows from them.
  if (textsOf(own) === textsOf(asked) && ownBefore?.version === before?.version) return undefined;
  const changed = (steps: DeclaredStep[]) => {
    const left = [...asked];
    const last = steps.findLastIndex((step) => step.kind === "install" && asked.some(isIt(step)));
    return steps.map((step, index): DeclaredStep => {
      if (step.kind !== "install") return step;
      const packages = step.packages.flatMap((each) => (isIt(step)(each) ? left.splice(0) : [each]));
      return { ...step, packages: index === last ? [...packages, ...left.splice(0)] : packages };
    });
  };
  const upon = (baseSystem: BaseSystem): BaseSystem => ({
    ...baseSystem,
    base: {
      ...baseSystem.base,
      packages: [...baseSystem.base.packages.filter(({ manager, name }) => keyOf(manager, name) !== key), ...(before ? [before] : [])],
    },
  });
  return [withSteps(here.declaration, changed), upon];
}

const textsOf = (packages: DeclaredPackage[]) => packages.map(({ text }) => text).join("\n");

/** What all alternatives share stands in each of them. */
const withSteps = (declaration: Declaration, change: (steps: DeclaredStep[]) => DeclaredStep[]): Declaration => ({
  ...declaration,
  steps: change(declaration.steps),
  ...(declaration.alternatives ? { alternatives: declaration.alternatives.map((each) => ({ ...each, steps: change(each.steps) })) } : {}),
});
