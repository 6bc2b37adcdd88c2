// Files that say what will be installed: read, predicted, judged. A part of its own, loaded when asked for.
import { gpuNamed, gpuTitle } from "../knowledge/gpus.ts";
import { isUponFrameworks, publishedPackage } from "../knowledge/published.ts";
import { knowledgeDay } from "../knowledge/settled.ts";
import { statusOf, type Check } from "../model/check.ts";
import { bySeverity, findingOf, type Finding } from "../model/finding.ts";
import type { Declaration, DependencyFileFormat } from "../model/dependency-file.ts";
import type { Difference } from "../model/diff.ts";
import type { Explanation } from "../model/explain.ts";
import type { RuleDescription } from "../model/rule.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import { assemble, type ReadFile } from "./assemble.ts";
import { colabBase, isColabDate, sinceWhen } from "./colab.ts";
import { compareDeclared } from "./difference.ts";
import { pythonOf } from "./image-python.ts";
import { unjudgedIn } from "./unjudged.ts";
import { install, unknownPython, type Base, type Installation } from "./install.ts";
import { onceTold } from "./once-told.ts";
import { isLabelledForCuda } from "./builds.ts";
import { isForCuda } from "./labels.ts";
import { predictedReport, predicted, withAlternatives } from "./predicted.ts";
import { recognise } from "./recognise.ts";
import { judgedOfConda } from "./conda-judged.ts";
import { imageIn } from "./variables.ts";
import { joinRecorded, recordedOf, recordedText, type Recorded } from "./recorded.ts";
import type { BaseSystem, InstallContext } from "./context.ts";
import { frameworkBuilds } from "../frameworks/builds.generated.ts";
import { dependencyFileRules } from "../rules/dependency-file.generated.ts";
import { isAmong, namesOf } from "../model/frameworks.ts";
import { frameworkOf } from "./words.ts";
import { dependencyFileWords } from "../model/dependency-file-formats.generated.ts";

export { predictedReport };
export type { ReadFile };

export interface DependencyFileRequest {
  /** As the user named it. */
  file: string;
  /** Absent: nothing is installed, and what Colab has by itself is looked at. */
  text?: string;
  read: ReadFile;
  driver?: string;
  gpus?: string[];
  /** A day, or `latest`. */
  colab?: string;
  python?: string;
}

/** What error texts say. */
export type ExplainLog = (texts: Uint8Array[]) => Promise<Explanation>;

/** Whether a file is one that says what will be installed. */
export const recogniseFile = (file: string, text: string): DependencyFileFormat | undefined => recognise(file, text);

export interface DependencyFileCheck {
  check: Check;
  /** What would be installed, for `culprit list`. */
  predicted: ReturnType<typeof predicted>;
}

/** What will clash, with the line that says so; `problem` is one sentence. */
export async function checkDependencyFile(request: DependencyFileRequest, explain: ExplainLog): Promise<DependencyFileCheck | Problem> {
  const opened = await open(request);
  if ("problem" in opened) return opened;
  const { declaration, colab } = opened;
  const recorded = await explainRecorded(declaration, explain);
  const judge = (day: string | undefined) => judgeAll(declaration, request, day);
  const inReadings = judgeReadings(declaration, request, colab, (baseSystem) => (recorded ? { ...baseSystem, recorded } : baseSystem));
  const { context, others, findings, conditional } = inReadings;
  // What takes long once would take long for every day.
  const isQuick = context.installation.unknown.length === 0;
  // What pip takes today it did not take then: only what is pinned has a history.
  const pinned = findings.filter((found) => !conditional.has(found) && !isOfToday(context, found));
  const dated = new Map(
    colab === undefined || !isQuick || pinned.length === 0
      ? []
      : sinceWhen(colab, pinned, (day) => judge(day).findings).map((found, index) => [pinned[index], found]),
  );
  const counted = findings.map((found) => dated.get(found) ?? found);
  const shown = withAlternatives(
    predicted(context),
    others.map((each) => ({ name: each.name, predicted: predicted(each.context) })),
  );
  const frameworks = [...shown.frameworks, ...(shown.alternatives ?? []).flatMap((each) => each.frameworks)];
  const judged = judgedIn([context, ...others.map((each) => each.context)], frameworks);
  const always = onceTold<Check["unknown"][number]>([
    // Which day is meant, the file does not say: it is judged all the same.
    ...(request.colab === undefined && declaration.isColab && !declaration.hasOwnPython
      ? [{ subject: request.file, kind: "release" as const, reason: `it is made for Colab: judged by ${context.baseName}` }]
      : []),
    ...inReadings.unknown,
    ...[...declaration.unknown, ...context.installation.unknown].map((each) => ({ ...each, kind: "file" as const })),
    ...unjudgedIn(context, judged, counted),
    // Services, containers and jobs all run; an extra or a group may never be asked for.
    ...others
      .filter(({ name }) => !isChoice(name))
      .flatMap((each) => [
        ...each.context.installation.unknown.map((open) => ({ ...open, kind: "file" as const })),
        ...unjudgedIn(each.context, judged, counted),
      ]),
  ]);
  const chosen = others.flatMap(({ name, context: own }) =>
    isChoice(name) ? unjudgedIn(own, judged, counted).map((each) => ({ each, name })) : [],
  );
  const unknown = [...always, ...ofChoices(chosen, always)];
  const told = recorded ? joinRecorded(counted, recorded).sort(worstFirst) : counted;
  const check: Check = {
    schema: "culprit/check@2",
    knowledge: knowledgeDay(),
    target: { kind: "declaration", name: request.file },
    status: statusOf({ findings: told, unknown, judged }),
    judged,
    unknown,
    findings: told,
    accepted: [],
  };
  return { check, predicted: shown };
}

/** What only an extra or a group leaves open keeps nobody's ✓ away who never asks for it; of several, the first is told. */
function ofChoices(chosen: { each: Check["unknown"][number]; name: string }[], told: Check["unknown"]): Check["unknown"] {
  const subjects = new Set(told.map(({ subject }) => subject));
  return chosen.flatMap(({ each, name }) => {
    if (each.aside || subjects.has(each.subject)) return [];
    subjects.add(each.subject);
    return [{ ...each, reason: `${each.reason} (only with the ${name})`, aside: true as const }];
  });
}

/** Frameworks as their builds are known, and what is upon them. */
function judgedIn(contexts: InstallContext[], frameworks: ReturnType<typeof predicted>["frameworks"]): Check["judged"] {
  const names = frameworks.map(({ name }) => name);
  const ofConda = judgedOfConda(contexts, names);
  return [
    ...frameworks.map(({ name, version, variant }) => ({
      program: name,
      version: `${version}${variant === undefined ? "" : `+${variant}`}`,
      activities: ["import"],
    })),
    ...ofConda,
    ...ofImages(contexts, names),
    ...withoutGpu(contexts, [...names, ...ofConda.map(({ program }) => program)]),
    ...uponFrameworks(contexts),
  ];
}

/** The framework that an image of NVIDIA is made for, in the build that it came with. */
const ofImages = (contexts: InstallContext[], others: string[]): Check["judged"] =>
  contexts.flatMap(({ image, installation: { packages } }) => {
    const own = image?.ngc && image.packages[0];
    const framework = own && packages.get(own.name)?.manager === "image" ? frameworkOf(own.name) : undefined;
    if (!own || framework === undefined || others.includes(framework)) return [];
    return [{ program: framework, version: own.ownVersion ?? `of the image ${image.ngc!.release}`, activities: ["import"] }];
  });

/** Builds of frameworks that use no GPU: they were looked at, too. */
function withoutGpu(contexts: InstallContext[], others: string[]): Check["judged"] {
  const found = new Map<string, Check["judged"][number]>();
  for (const { installation } of contexts)
    for (const { name, version, variant, asked, build, manager, extras } of installation.packages.values()) {
      const id = frameworkOf(name);
      if (id === undefined || version === undefined || manager !== "pip" || (!asked && !build)) continue;
      if (!publishedPackage(name)?.releases.some((each) => each.version === version)) continue;
      // Who asks for CUDA by an extra does not get a build without it.
      if (extras.some((extra) => extra.includes("cuda")) || isForCuda(variant) || isLabelledForCuda(id, installation.packages.values()))
        continue;
      if (!isBuilt(name) || others.includes(id) || found.has(id) || !isItself(name, id)) continue;
      found.set(id, {
        program: id,
        version: variant === undefined ? version : `${version}+${variant}`,
        activities: ["import"],
        cpuOnly: true,
      });
    }
  return [...found.values()];
}

/** torchvision of an installation that fails is no torch. */
function isItself(name: string, id: string): boolean {
  const { asking = [id], companions = [] } = namesOf(id) ?? {};
  return isAmong(name, asking) && !isAmong(name, companions);
}

const isBuilt = (name: string) => frameworkBuilds.some(({ id }) => id === frameworkOf(name));

/** Packages upon the frameworks that were asked for and can be had with the rest: no more than that is known of them. */
function uponFrameworks(contexts: InstallContext[]): Check["judged"] {
  const found = new Map<string, Check["judged"][number]>();
  for (const { installation } of contexts)
    for (const { name, version, build, asked } of installation.packages.values())
      // A build without a GPU of a framework is no program of its own.
      if (asked && build && version !== undefined && isUponFrameworks(name) && !isBuilt(name) && !found.has(name))
        found.set(name, { program: name, version, activities: ["install"] });
  return [...found.values()];
}

/** Whether the newest release of a framework is taken where a finding is. */
function isOfToday({ installation: { packages } }: InstallContext, { place: at }: Finding): boolean {
  const here = [...packages.values()].filter(
    ({ build, step, place }) => build && 0 < step && place.cell === at?.cell && place.line === at?.line,
  );
  return here.some(({ asked, isAssumed }) => asked && isAssumed) || (0 < here.length && here.every(({ asked }) => !asked));
}

/** What differs between two files, or two days of Colab, and which of it makes or mends a finding. */
export async function diffDependencyFiles(a: DependencyFileRequest, b: DependencyFileRequest): Promise<Difference | Problem> {
  const [first, second] = [await open(a), await open(b)];
  if ("problem" in first) return first;
  if ("problem" in second) return second;
  const sideOf = ({ declaration, colab }: Opened, request: DependencyFileRequest) => ({
    declaration,
    ...judgeAll(declaration, request, colab),
    judge: (changed: Declaration, upon: (baseSystem: BaseSystem) => BaseSystem) => judgeAll(changed, request, colab, upon).findings,
  });
  return {
    schema: "culprit/diff@1",
    a: { kind: "declaration", name: a.file },
    b: { kind: "declaration", name: b.file },
    ...compareDeclared(sideOf(first, a), sideOf(second, b)),
  };
}

interface Opened {
  declaration: Declaration;
  /** The day of Colab that it is judged by. */
  colab?: string;
}

async function open(request: DependencyFileRequest): Promise<Opened | Problem> {
  const { file, text, python, colab } = request;
  const strange = python === undefined ? undefined : unknownPython(python);
  if (strange !== undefined) return problemOf("not-known", strange);
  const problem = colab === undefined ? undefined : isColabDate(colab);
  if (problem !== undefined) return problemOf("bad-question", problem);
  if (text === undefined) return { declaration: { format: "notebook", file, steps: [], unknown: [] }, colab: colab ?? "latest" };
  const format = recognise(file, text);
  if (!format) return problemOf("unsupported", notKnown(file));
  try {
    const declaration = await assemble(file, text, format, request.read);
    const day = declaration.hasOwnPython ? undefined : (colab ?? (declaration.isColab ? "latest" : undefined));
    return { declaration, ...(day === undefined ? {} : { colab: day }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return problemOf("damaged", `\`${file}\` cannot be read: ${reason}`);
  }
}

/** What error texts say is a large part of its own: only a notebook that printed something asks for it. */
async function explainRecorded({ recorded = [] }: Declaration, explain: ExplainLog): Promise<Recorded | undefined> {
  if (recorded.length === 0) return undefined;
  // The driver and the GPUs that are asked about are not those of the day when it was run.
  return recordedOf(recorded, await explain([recordedText(recorded)]));
}

const notKnown = (file: string) =>
  whyNotYaml(file) ?? `\`${file}\` is neither a dependency file (${dependencyFileWords.join(", ")}) nor a snapshot`;

/** Of a file of YAML the keys tell what it is: of thirty formats only these are meant. */
const whyNotYaml = (file: string): string | undefined =>
  /\.ya?ml$/i.test(file)
    ? `\`${file}\` is no dependency file: it has neither \`dependencies:\` (conda) nor \`services:\` (compose), \`jobs:\` (a workflow) or \`apiVersion:\` (Kubernetes)`
    : undefined;

/** Alternatives that are there only for who asks for them. */
const isChoice = (name: string) => /^(extra|group|category|environment|feature) /.test(name);

type JudgedSteps = Map<string, ReturnType<typeof judgeOn>>;

interface JudgedAll {
  context: InstallContext;
  others: { name: string; context: InstallContext }[];
  findings: Finding[];
}

/** Where conditions of scripts are open, every reading is judged; what is wrong in some of them only is less sure, and says where. */
function judgeReadings(
  declaration: Declaration,
  request: DependencyFileRequest,
  day: string | undefined,
  upon: (baseSystem: BaseSystem) => BaseSystem,
): JudgedAll & { conditional: Set<Finding>; unknown: Check["unknown"] } {
  const done: JudgedSteps = new Map();
  const first = judgeAll(declaration, request, day, upon, done);
  const keyOf = ({ rule, subject }: Finding) => `${rule} ${subject}`;
  const found = new Map(first.findings.map((each) => [keyOf(each), each]));
  const conditional = new Set<Finding>();
  const unknown: Check["unknown"] = [];
  const others = [...first.others];
  const seen = new Set([first.context, ...others.map(({ context }) => context)]);
  for (const { where, isWithout, place, isEnded, declaration: other } of declaration.readings ?? []) {
    const judged = judgeAll(other, request, day, upon, done);
    for (const each of other.unknown) unknown.push({ ...each, kind: "file" });
    const keys = new Set(judged.findings.map(keyOf));
    for (const [key, each] of found) if (!isEnded && !keys.has(key) && !conditional.has(each)) set(key, lessSure(each, where, !isWithout));
    for (const each of judged.findings) if (!found.has(keyOf(each))) set(keyOf(each), lessSure(each, where, isWithout));
    const changed = [judged, ...judged.others].filter(({ context }) => !seen.has(context));
    if (changed.length === 0) continue;
    unknown.push({ subject: place, kind: "file", reason: `judged both where ${where} and where not`, aside: true });
    for (const { context } of changed) {
      seen.add(context);
      others.push({ name: `where ${where}`, context });
    }
  }
  return { ...first, others, findings: [...found.values()].sort(worstFirst), conditional, unknown };

  function set(key: string, each: Finding): void {
    found.set(key, each);
    conditional.add(each);
  }
}

/** A fault that is there only where a condition holds, or only where it does not. */
const lessSure = (found: Finding, where: string, isWithout: boolean): Finding => ({
  ...found,
  certainty: found.certainty === "certain" ? "likely" : "possible",
  because: [...found.because, isWithout ? `not where ${where}` : `only where ${where}`],
});

/** What is never done together is judged one by one; the same fault counts once. */
function judgeAll(
  declaration: Declaration,
  request: DependencyFileRequest,
  day: string | undefined,
  upon: (baseSystem: BaseSystem) => BaseSystem = (baseSystem) => baseSystem,
  // Services and targets that do the same are judged once: what is wrong with one is wrong with all, and is told once.
  done: JudgedSteps = new Map(),
): JudgedAll {
  const judge = (each: Declaration) => {
    const key = JSON.stringify(each.steps, (name, value: unknown) => (name === "place" ? undefined : value));
    const known = done.get(key);
    if (known) return known;
    const judged = judgeOn(each, upon(baseSystemOf(each, request, day)));
    done.set(key, judged);
    return judged;
  };
  const all = (declaration.alternatives ?? [declaration]).map(({ steps }) => judge({ ...declaration, steps }));
  const findings = new Map<string, Finding>();
  for (const [index, each] of all.entries())
    for (const found of each.findings) {
      const key = `${found.rule} ${found.subject}`;
      if (findings.has(key)) continue;
      // What only an extra or a group brings is not there without it.
      const name = index === 0 ? "" : (declaration.alternatives?.[index]?.name ?? "");
      findings.set(key, isChoice(name) ? { ...found, because: [...found.because, `only with the ${name}`] } : found);
    }
  return {
    context: all[0]?.context ?? judge(declaration).context,
    others: all.slice(1).map(({ context }, index) => ({ name: declaration.alternatives![index + 1]!.name, context })),
    findings: [...findings.values()].sort(worstFirst),
  };
}

/** What the steps of a file are taken upon. */
function baseSystemOf(declaration: Declaration, request: DependencyFileRequest, day: string | undefined): BaseSystem {
  const colab = day === undefined ? undefined : colabBase(day);
  const image = colab ? undefined : imageIn(declaration.steps);
  const base: Base = colab?.base ?? { packages: image?.packages ?? [], ...pythonOf(declaration.steps, image) };
  const driver = request.driver ?? colab?.driver;
  const products = declaration.steps.flatMap((step) => (step.kind === "gpu" && step.product !== undefined ? [step.product] : []));
  const named = [...new Set(request.gpus ?? products)];
  const jetsons = named.filter((name) => gpuNamed(name)?.kind === "jetson").map(gpuTitle);
  const gpus = named.flatMap((name) => {
    const known = gpuNamed(name);
    return known && known.kind !== "jetson"
      ? [{ name: gpuTitle(name), sm: known.sm, ...(known.kind === undefined ? {} : { kind: known.kind }) }]
      : [];
  });
  return {
    base: { ...base, ...(request.python === undefined ? {} : { python: request.python }) },
    gpus,
    ...(0 < jetsons.length ? { jetsons } : {}),
    isAsked: request.driver !== undefined || 0 < named.length,
    ...(image ? { image } : {}),
    ...(colab ? { baseName: colab.name, systemPackages: colab.systemPackages } : {}),
    ...(driver === undefined ? {} : { driver }),
  };
}

function judgeOn(declaration: Declaration, { base, ...baseSystem }: BaseSystem): { context: InstallContext; findings: Finding[] } {
  const context: InstallContext = {
    ...baseSystem,
    declaration,
    installation: install(declaration.steps, base),
    ...(baseSystem.baseName === undefined ? {} : { before: install([], base) }),
  };
  const findings = new Map<string, Finding>();
  for (const rule of dependencyFileRules)
    for (const draft of rule.finds(context)) {
      const found = asSureAsItsPython(findingOf(rule, draft), context.installation);
      const key = `${found.rule} ${found.subject}`;
      if (!findings.has(key)) findings.set(key, found);
    }
  // What cannot be installed at all lacks nothing afterwards, and what does not use the GPU does not profile it.
  const isAt = (one: Finding, other: Finding) => JSON.stringify(one.place) === JSON.stringify(other.place);
  const all = [...findings.values()];
  const standing = all.filter(
    (found) => !all.some((other) => found.rule in hiddenBy && hiddenBy[found.rule]!.includes(other.rule) && isAt(found, other)),
  );
  return { context, findings: standing };
}

/** Findings that another one at the same place leaves without a meaning. */
const hiddenBy: { [rule: string]: string[] } = {
  "library-missing": ["no-wheel-for-python", "no-wheel-for-musl"],
  "library-wrong-version": ["no-wheel-for-python", "no-wheel-for-musl"],
  "cupti-missing": ["no-wheel-for-python", "no-wheel-for-musl", "library-missing"],
};

/** Which release others bring along depends on the Python: where that is not told, what rests on it is likely. */
function asSureAsItsPython(found: Finding, { python, packages }: Installation): Finding {
  const isBrought = ({ name }: { name: string }) => {
    const there = packages.get(name);
    return there !== undefined && there.isAssumed && !there.asked && there.step !== 0;
  };
  return python === undefined && (found.facts.packages ?? []).some(isBrought) ? { ...found, certainty: "likely" } : found;
}

const worstFirst = (a: Finding, b: Finding) =>
  bySeverity(a, b) || (a.place?.cell ?? 0) - (b.place?.cell ?? 0) || a.place!.line - b.place!.line || (a.rule < b.rule ? -1 : 1);

/** Every rule that judges files, as people read about it. */
export const describeDependencyFileRules = (): RuleDescription[] =>
  dependencyFileRules.map(({ id, title, cause, severity, page }) => ({ id, title, cause, severity, page }));
