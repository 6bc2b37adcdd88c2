import { builtForWords, uponOf } from "../../diagnose/built-for.ts";
import { activityOfPackage } from "../../diagnose/activity-of-package.ts";
import { environmentOf, pipOf } from "../../diagnose/pip.ts";
import { plainly } from "../../builds/specifier.ts";
import type { Requirement } from "../../survey/requirements.ts";
import { libraryOf } from "../../knowledge/libraries.ts";
import { packageProviding } from "../../knowledge/packages.ts";
import { releaseFitting } from "../../knowledge/published.ts";
import { nameOf } from "../../lib/path.ts";
import { comparePythonVersions, isWithin, parsePythonVersion } from "../../lib/pep440.ts";
import type { Advice, Draft } from "../../model/finding.ts";
import type { Failure } from "../../model/loads.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Run, Stack, Stop } from "../../diagnose/stack.ts";
import { variableFact } from "../../diagnose/facts.ts";
import { copyAt, pythonPathAdvice, unique, variableWords } from "../../diagnose/words.ts";
import { allNames, frameworkNamed, indexOfLabel, isAmong, isBuiltFor } from "../../model/frameworks.ts";

/** What an import passes over lacks it all the same. */
const lacksNothing = ({ stops, loads: { missed } }: Run) =>
  stops.length === 0 && !missed.some((failure) => (failure.underlying ?? failure).reason === "undefined-symbol");

export default machineSide(page, {
  blames(stack, stop, run) {
    const unmet = unmetIn(stack, run.environment?.prefix);
    const guilty = unmet.find((requirement) => isTo(stack, stop, requirement, run));
    if (!guilty) return undefined;
    const draft = draftOf(stack, guilty.by, unmetOf(unmet, guilty), guilty);
    const upon = isOfPart(stop.failure.underlying ?? stop.failure, guilty.needs) ? undefined : uponOf(run, stop);
    if (!upon) return { ...draft, specificity: 4 };
    return {
      ...draft,
      specificity: 4,
      because: [...builtForWords(stop, upon), ...(draft.because ?? [])],
      evidence: [(stop.failure.underlying ?? stop.failure).message, ...(draft.evidence ?? [])],
    };
  },
  finds(stack) {
    const groups = new Map<string, Requirement[]>();
    for (const requirement of stack.environments.flatMap(({ prefix }) => unmetIn(stack, prefix))) {
      const key = `${requirement.environment} ${requirement.by.name}`;
      groups.set(key, [...(groups.get(key) ?? []), requirement]);
    }
    return [...groups.values()].map((group) => {
      const worst = group.find((requirement) => severityOf(requirement) === "warning") ?? group[0]!;
      const severity = severityOf(worst);
      const framework = worst.by.name.replace(/-(gpu|cpu|cuda\d+x?|cuda\d+-(plugin|pjrt))$/, "");
      const run = stack.runs.find(
        ({ environment, programs }) => environment?.prefix === worst.environment && programs.some(({ id }) => id === framework),
      );
      const endangers = severity === "warning" && run ? [{ framework, activity: activityOfPackage(worst.needs.name) }] : [];
      const draft = draftOf(stack, worst.by, group, worst);
      const isLoaded = isBuiltFor(worst.needs.name, worst.specifier) && run !== undefined && lacksNothing(run);
      const because = [
        ...(draft.because ?? []),
        ...(isLoaded ? ["no symbol that it asks for is missing; whether the layouts of classes fit cannot be seen"] : []),
      ];
      return { ...draft, because, severity, endangers };
    });
  },
});

function unmetIn({ requirements }: Stack, prefix: string | undefined): Requirement[] {
  const unmet = requirements.filter(
    ({ environment, needs, specifier }) => environment === prefix && isWithin(needs.version, specifier) === false,
  );
  // What a package asks for that is itself in the wrong version does not count.
  const rooted = unmet.filter(({ by }) => !unmet.some(({ needs }) => needs.name === by.name));
  return 0 < rooted.length ? rooted : unmet;
}

const unmetOf = (unmet: Requirement[], { by }: Requirement) => unmet.filter((other) => other.by.name === by.name);

/** What is built for one release of another, however near the next one is. */
const isExact = (name: string) => isAmong(name, allNames("exact"));

function severityOf({ needs, specifier }: Requirement): "warning" | "info" {
  const major = (version: string) => parsePythonVersion(version)?.release[0];
  const minor = (version: string) => parsePythonVersion(version)?.release.slice(0, 2).join(".");
  const bounds = [...specifier.matchAll(/(==|~=|>=|>|<=|<)\s{0,20}([^\s,]{1,60}?)(?:\.\*)?(?=\s{0,20}(?:,|$))/g)];
  const isOlder = bounds.some(([, operator, version]) => !operator!.startsWith("<") && comparePythonVersions(needs.version, version!) < 0);
  const isOtherMajor = bounds.every(([, operator, version]) =>
    operator === "<" ? major(version!)! <= major(needs.version)! : major(version!) !== major(needs.version),
  );
  // Patches of one minor release have one interface.
  const isPatch = bounds.length === 1 && bounds[0]![1] === "==" && minor(bounds[0]![2]!) === minor(needs.version);
  if (isPatch && isBuiltFor(needs.name, specifier)) return "info";
  return isExact(needs.name) || isOlder || isOtherMajor ? "warning" : "info";
}

const isAsker = ({ name }: Requirement["by"], own: string | undefined, { failure, program }: Stop) =>
  name === own ||
  name.startsWith(program) ||
  name === "cuda-toolkit" ||
  // Whoever asks through it: triton imports torch.
  (failure.underlying ?? failure).requestedBy.includes(`/${name.replaceAll("-", "_")}/`);

// Whether the file that ended the run, or that is missing, is of the package in the wrong version.
function isTo(stack: Stack, stop: Stop, { needs, by }: Requirement, run: Run): boolean {
  const { failure, program } = stop;
  const failed = failure.underlying ?? failure;
  if (isOfPart(failed, needs)) return true;
  const upon = uponOf(run, stop);
  const own = run.programs.find(({ id }) => id === program)?.package?.name;
  if (upon) return upon.name === needs.name && by.name === own;
  // What refuses a package says its name.
  if (failure.refusal?.kind === "version" && failure.refusal.library === needs.name) return true;
  const files = [failed.file, failure.file].filter((file) => file !== undefined);
  if (files.some((file) => copyAt(stack, file)?.owner?.name === needs.name)) return true;
  if (failed.reason !== "not-found" || !isAsker(by, own, stop) || failure.refusal?.kind === "version") return false;
  return isBroughtBy(nameOf(failed.name), needs.name);
}

/** Whether a known library is one that a wheel brings. */
function isBroughtBy(name: string, wheel: string): boolean {
  if (libraryOf(name) === undefined) return false;
  const isIts = packageProviding(name.replace(/\.so.*/, ".so.*"), "pypi").some((found) => found.name === wheel);
  return isIts || packageProviding(name, "pypi").some((found) => found.name === wheel);
}

/**
 * Whether a part of a framework that comes in several distributions is to blame: its module asks for a symbol of another release, or its
 * library is missing, or was looked for in its folder.
 */
function isOfPart(failed: Failure, { name }: Requirement["needs"]): boolean {
  const framework = frameworkNamed(name);
  if (!framework || !isAmong(name, framework.parts)) return false;
  const folder = `/${name.replace(/-cu\d+$/, "").replaceAll("-", "_")}/`;
  if (failed.reason === "undefined-symbol") return failed.file === undefined && failed.requestedBy.includes(folder);
  return (
    failed.reason === "not-found" &&
    (isAmong(nameOf(failed.name).replace(/\.so.*/, ""), framework.provides) || failed.tried.some((path) => path.includes(folder)))
  );
}

const words = ({ needs, specifier }: Requirement) => `${needs.name} ${plainly(specifier).replaceAll(",", ", ")}`;

function draftOf(stack: Stack, by: Requirement["by"], group: Requirement[], worst: Requirement): Draft {
  const { environment, needs } = worst;
  const lent = unique([by, needs].flatMap(({ pythonPath }) => pythonPath ?? []));
  const others = group.length - 1;
  return {
    facts: {
      packages: [
        ...group.map((each) => ({
          role: "install" as const,
          name: each.needs.name,
          version: each.needs.version,
          wants: each.specifier,
          environment,
        })),
        { role: "asks", name: by.name, version: by.version, environment },
      ],
      ...(lent.length === 0 ? {} : { variables: [variableFact(stack, "PYTHONPATH", lent)] }),
    },
    subject: `${by.name} in ${environment}`,
    short: `${by.name} ${by.version} asks for ${words(worst)}, not ${needs.version}`,
    message: `${by.name} ${by.version}${by.pythonPath === undefined ? "" : ` in ${by.pythonPath} (PYTHONPATH)`} asks for ${words(worst)}, and ${needs.version} is ${needs.pythonPath === undefined ? "installed" : `in ${needs.pythonPath} (PYTHONPATH)`}${others === 0 ? "" : ` (and ${others} more that ${others === 1 ? "differs" : "differ"})`}`,
    because: [
      ...(lent.length === 0
        ? []
        : [variableWords(stack, "PYTHONPATH"), "Python looks there first, before what is installed in the environment"]),
      ...(needs.name.startsWith("jax-cuda")
        ? [
            "jax compares the plugin with jaxlib, warns that “it will not be used”, and goes on without its kernels for linear algebra, sparse matrices and RNNs",
          ]
        : []),
      ...(isBuiltFor(worst.needs.name, worst.specifier) ? [`it was built for that release of ${needs.name}`] : []),
      ...otherAskers(stack, worst),
      ...whyNobodySaw(worst, lent),
    ],
    evidence: group.map(
      (each) =>
        `${words(each)} (Requires-Dist of ${by.name}${each.extra === undefined ? "" : `[${each.extra}]`}): installed is ${each.needs.version}`,
    ),
    advice: [
      ...(lent.length === 0 ? [adviceFor(stack, by, group, worst)] : pythonPathAdvice(stack, lent)),
      ...(otherAskers(stack, worst).length === 0 ? [] : ["or give each framework an environment of its own"]),
    ],
  };
}

function whyNobodySaw({ extra }: Requirement, lent: string[]): string[] {
  if (0 < lent.length) return [];
  return extra === undefined
    ? ["pip does not undo an installation that breaks another one; `pip check` lists these"]
    : ["pip forgets which extras were asked for, so `pip check` does not see this"];
}

function adviceFor(stack: Stack, by: Requirement["by"], group: Requirement[], { environment, needs }: Requirement): Advice {
  const own = environmentOf(stack, environment);
  if (needs.name !== "torch")
    return {
      words: "install what is asked for",
      command: pipOf(own, "install", ...group.map((each) => `${each.needs.name}${plainly(each.specifier)}`)),
      scope: "install",
    };
  const fitting = releaseFitting(by.name, needs, own?.version ?? "");
  const index = indexOfLabel(needs.name, needs.version);
  const both = [`torch==${needs.version}`, fitting === undefined ? by.name : `${by.name}==${fitting}`];
  return {
    words:
      fitting === undefined
        ? "install both together, one without a version: pip chooses the one that fits"
        : `install the ${by.name} that was built for torch ${needs.version}`,
    command: pipOf(own, "install", ...(index === undefined ? [] : ["--extra-index-url", index]), ...both),
    scope: "install",
  };
}

/** Who is content with what is installed: whoever came last. */
function otherAskers({ requirements }: Stack, { environment, by, needs }: Requirement): string[] {
  return requirements
    .filter(
      (other) =>
        other.environment === environment &&
        other.needs.name === needs.name &&
        other.by.name !== by.name &&
        isWithin(needs.version, other.specifier) === true,
    )
    .map((other) => `${other.by.name} ${other.by.version} asks for ${words(other)}, which is met`);
}
