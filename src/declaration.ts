// Files that say what will be installed: read, foreseen, judged. A part of its own, loaded when asked for.
import { gpuNamed } from "./knowledge/gpus.ts";
import type { Check, Finding, Severity } from "./model/check.ts";
import type { Declaration, DeclarationFormat } from "./model/declaration.ts";
import type { RuleDescription } from "./model/rule.ts";
import { assemble, type ReadFile } from "./declare/assemble.ts";
import { colabBase, isColabDate, sinceWhen } from "./declare/colab.ts";
import { readImage, type BaseImage } from "./declare/images.ts";
import { install, unknownPython, type Base, type Installation } from "./declare/install.ts";
import { foreseenReport, foreseen, withAlternatives } from "./declare/foreseen.ts";
import { recognise } from "./declare/recognise.ts";
import type { DeclaredDraft, DeclaredRule, Scene } from "./declare/rule.ts";
import { declaredRules } from "./declare/rules/index.generated.ts";

export { foreseenReport };
export type { ReadFile };

export interface DeclarationRequest {
  /** As the user named it. */
  file: string;
  text: string;
  read: ReadFile;
  driver?: string;
  gpus?: string[];
  /** A day, or `latest`. */
  colab?: string;
  python?: string;
}

/** Whether a file is one that says what will be installed. */
export const recogniseDeclaration = (file: string, text: string): DeclarationFormat | undefined => recognise(file, text);

export interface DeclaredCheck {
  check: Check;
  /** What would be installed, for `culprit list`. */
  foreseen: ReturnType<typeof foreseen>;
}

/** What will clash, with the line that says so; `problem` is one sentence. */
export async function examineDeclaration(request: DeclarationRequest): Promise<DeclaredCheck | { problem: string }> {
  const format = recognise(request.file, request.text);
  if (!format) return { problem: notKnown(request.file) };
  const strange = request.python === undefined ? undefined : unknownPython(request.python);
  if (strange !== undefined) return { problem: strange };
  if (request.colab !== undefined) {
    const problem = isColabDate(request.colab);
    if (problem !== undefined) return { problem };
  }
  let declaration: Declaration;
  try {
    declaration = await assemble(request.file, request.text, format, request.read);
  } catch (error) {
    return { problem: `\`${request.file}\` cannot be read: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}` };
  }
  const colab = request.colab ?? (declaration.isColab ? "latest" : undefined);
  const judge = (day: string | undefined) => judgeAll(declaration, request, day);
  const { scene, others, findings } = judge(colab);
  // What takes long once would take long for every day.
  const isQuick = scene.installation.unknown.length === 0;
  const counted = colab === undefined || !isQuick ? findings : sinceWhen(colab, findings, (day) => judge(day).findings);
  const { installation } = scene;
  const shown = withAlternatives(
    foreseen(installation, scene.image, scene.baseName),
    others.map((each) => ({ name: each.name, foreseen: foreseen(each.scene.installation, each.scene.image, each.scene.baseName) })),
  );
  const frameworks = [...shown.frameworks, ...(shown.alternatives ?? []).flatMap((each) => each.frameworks)];
  const check: Check = {
    schema: "culprit/check@1",
    target: { kind: "declaration", name: request.file },
    examined: frameworks.map(({ name, version, variant }) => ({
      programs: [name],
      versions: [`${version}${variant === undefined ? "" : `+${variant}`}`],
      activities: ["import"],
    })),
    unknown: [
      ...(request.colab === undefined && declaration.isColab
        ? [{ subject: request.file, reason: `it is made for Colab: judged by ${scene.baseName}` }]
        : []),
      ...declaration.unknown,
      ...scene.installation.unknown,
    ],
    findings: counted,
    accepted: [],
  };
  return { check, foreseen: shown };
}

const notKnown = (file: string) =>
  `\`${file}\` is no file that says what will be installed: requirements.txt, pyproject.toml, a lock file, environment.yml, a Dockerfile, a notebook, devcontainer.json or a GitHub workflow; nor is it a snapshot`;

/** What is never done together is judged one by one; the same fault counts once. */
function judgeAll(
  declaration: Declaration,
  request: DeclarationRequest,
  day: string | undefined,
): { scene: Scene; others: { name: string; scene: Scene }[]; findings: Finding[] } {
  const all = (declaration.alternatives ?? [declaration]).map(({ steps }) => judgeOn({ ...declaration, steps }, request, day));
  const findings = new Map<string, Finding>();
  for (const [index, each] of all.entries())
    for (const found of each.findings) {
      const key = `${found.rule} ${found.subject}`;
      if (findings.has(key)) continue;
      // What only an extra or a group brings is not there without it.
      const name = index === 0 ? "" : (declaration.alternatives?.[index]?.name ?? "");
      const isExtra = /^(extra|group|category|environment|feature) /.test(name);
      findings.set(key, isExtra ? { ...found, because: [...found.because, `it is so with the ${name}`] } : found);
    }
  return {
    scene: all[0]?.scene ?? judgeOn(declaration, request, day).scene,
    others: all.slice(1).map(({ scene }, index) => ({ name: declaration.alternatives![index + 1]!.name, scene })),
    findings: [...findings.values()].sort(worstFirst),
  };
}

function judgeOn(declaration: Declaration, request: DeclarationRequest, day: string | undefined): { scene: Scene; findings: Finding[] } {
  const colab = day === undefined ? undefined : colabBase(day);
  const image = colab ? undefined : lastImage(declaration);
  const base: Base = colab?.base ?? { packages: image?.packages ?? [], ...pythonOf(declaration, image) };
  if (request.python !== undefined) base.python = request.python;
  const installation = install(declaration.steps, base);
  const before: Installation | undefined = colab ? install([], colab.base) : undefined;
  const driver = request.driver ?? colab?.driver;
  const gpus = (request.gpus ?? []).flatMap((name) => {
    const known = gpuNamed(name);
    return known ? [{ name, sm: known.sm }] : [];
  });
  const scene: Scene = {
    declaration,
    installation,
    gpus,
    ...(image ? { image } : {}),
    ...(before ? { before } : {}),
    ...(colab ? { baseName: colab.name, systemPackages: colab.systemPackages } : {}),
    ...(driver === undefined ? {} : { driver }),
  };
  const findings = new Map<string, Finding>();
  for (const rule of declaredRules)
    for (const draft of rule.finds(scene)) {
      const found = findingOf(rule, draft);
      const key = `${found.rule} ${found.subject}`;
      if (!findings.has(key)) findings.set(key, found);
    }
  // What cannot be installed at all lacks nothing afterwards.
  const isAt = (one: Finding, other: Finding) => JSON.stringify(one.place) === JSON.stringify(other.place);
  const barred = [...findings.values()].filter(({ rule }) => rule === "no-wheel-for-python");
  const standing = [...findings.values()].filter((found) => found.rule !== "library-missing" || !barred.some((each) => isAt(each, found)));
  return { scene, findings: standing };
}

const worstFirst = (a: Finding, b: Finding) =>
  ranks.indexOf(a.severity) - ranks.indexOf(b.severity) ||
  (a.place?.cell ?? 0) - (b.place?.cell ?? 0) ||
  a.place!.line - b.place!.line ||
  (a.rule < b.rule ? -1 : 1);

const ranks: Severity[] = ["error", "warning", "info"];

const findingOf = ({ id }: DeclaredRule, draft: DeclaredDraft): Finding => ({
  rule: id,
  cause: draft.cause,
  severity: draft.severity,
  certainty: draft.certainty ?? "certain",
  subject: draft.subject,
  place: draft.place,
  message: draft.message,
  because: draft.because,
  evidence: draft.evidence ?? [],
  breaks: draft.breaks ?? [],
  endangers: draft.endangers ?? [],
  advice: draft.advice,
  sources: draft.sources ?? [],
  fixes: [],
});

/** The image that the installations of a file are made upon. */
function lastImage({ steps }: Declaration): BaseImage | undefined {
  const step = steps.findLast((each) => each.kind === "image");
  return step?.kind === "image" ? readImage(step.name, step.place) : undefined;
}

// apt brings the Python of the release, unless another one is fetched.
function pythonOf({ steps }: Declaration, image: BaseImage | undefined): { python?: string } {
  if (image?.python !== undefined) return { python: image.python };
  if (image?.systemPython === undefined) return {};
  const apt = steps.flatMap((step) => (step.kind === "install" && step.manager === "apt" ? step.packages.map(({ name }) => name) : []));
  const isOther =
    apt.some((name) => /^python3\.\d|^python2|^software-properties/.test(name)) ||
    steps.some((step) => step.kind === "unseen" || step.kind === "python" || (step.kind === "install" && step.manager === "conda"));
  return !isOther && apt.some((name) => /^python3(-pip|-dev|-venv)?$/.test(name)) ? { python: image.systemPython } : {};
}

/** Rules that only files have. */
export const describeDeclaredRules = (): RuleDescription[] =>
  declaredRules.flatMap(({ id, description }) => (description ? [{ id, ...description }] : []));
