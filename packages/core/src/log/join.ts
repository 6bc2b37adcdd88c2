import type { Finding } from "../model/finding.ts";
import type { Diagnosis, Explanation } from "../model/explain.ts";
import type { Inventory } from "../model/inventory.ts";
import { quoted } from "../lib/shell.ts";
import { borneOut } from "./borne-out.ts";
import { settledByCopies, withoutOpenPlaces } from "./settle.ts";

/** A diagnosis that a machine was asked about. */
export interface JoinedDiagnosis extends Diagnosis {
  /** `rule subject` of the findings that say the same. */
  findings: string[];
}

const surer: Finding["certainty"][] = ["possible", "likely", "certain"];

// What a text cannot tell apart, a machine can: a finding of one of these causes settles the question.
const families: string[][] = [
  [
    "library-missing",
    "library-not-on-path",
    "library-wrong-version",
    "library-shadowed",
    "wrong-wheel-cuda-version",
    "package-conflict",
    "two-copies",
    "library-damaged",
  ],
  ["mixed-cudnn-sublibraries", "library-shadowed", "library-wrong-version", "two-copies", "package-conflict"],
  [
    "driver-too-old",
    "driver-not-exposed",
    "kernel-module-mismatch",
    "kernel-module-missing",
    "forward-compat-misuse",
    "stub-library",
    "ptx-newer-than-driver",
  ],
  ["arch-unsupported", "toolkit-too-old", "wrong-wheel-cuda-version"],
  [
    "profiler-permission",
    "profiler-platform-unsupported",
    "cupti-too-old-for-driver",
    "library-shadowed",
    "library-not-on-path",
    "library-missing",
  ],
];

/**
 * Joins what a text says with what a machine shows. A finding of the same cause about the same library makes a diagnosis as sure as
 * itself, adds its evidence and gives its fixes, which are those of this machine; a finding of a neighbouring cause about the same
 * library comes first, in place of what the text could not rule out. What no finding speaks for stays as it was.
 */
export function joinWithCheck(diagnoses: Diagnosis[], findings: Finding[], inventory?: Inventory): JoinedDiagnosis[] {
  const relevant = findings.filter(({ severity }) => severity !== "info");
  let joined = diagnoses.map((diagnosis): JoinedDiagnosis => {
    const same = relevant.filter((finding) => finding.cause === diagnosis.cause && isAbout(finding, diagnosis));
    if (same.length === 0) return withInventory({ ...diagnosis, findings: [] }, inventory);
    const best = same.reduce((a, b) => (surer.indexOf(b.certainty) > surer.indexOf(a.certainty) ? b : a));
    const fixes = same.flatMap((finding) => finding.fixes);
    return withInventory(
      {
        ...diagnosis,
        certainty: surer[Math.max(surer.indexOf(best.certainty), surer.indexOf(diagnosis.certainty))]!,
        // What is known of the machine is said, and no longer what the text left open.
        message: best.message,
        because: [...new Set([...diagnosis.because, ...best.because])],
        evidence: diagnosis.evidence,
        machine: [...new Set(same.flatMap((finding) => finding.evidence))],
        next: [],
        fixes: 0 < fixes.length ? fixes : diagnosis.fixes,
        findings: same.map(({ rule, subject }) => `${rule} ${subject}`),
      },
      inventory,
    );
  });
  const settled = relevant.filter(
    (finding) =>
      finding.certainty === "certain" && !joined.some(({ findings: known }) => known.includes(`${finding.rule} ${finding.subject}`)),
  );
  for (const finding of settled) {
    const near = joined.find(
      (diagnosis) => diagnosis.findings.length === 0 && areNeighbours(finding.cause, diagnosis.cause) && isAbout(finding, diagnosis),
    );
    if (!near) continue;
    const settles = { ...near, ...fromFinding(finding), evidence: near.evidence, findings: [`${finding.rule} ${finding.subject}`] };
    joined = [settles, ...joined.filter((each) => !isReading(each, near) || !areNeighbours(finding.cause, each.cause))];
  }
  const told = joined.sort((a, b) => Number(b.findings.length > 0) - Number(a.findings.length > 0));
  // Where no finding speaks, what is installed does.
  const spoken = told[0]?.findings.length;
  const closed = spoken ? withoutOpenPlaces(told) : inventory ? borneOut(settledByCopies(told, inventory), inventory) : told;
  return inventory ? closed.map((diagnosis) => inTheEnvironment(withoutConda(diagnosis, inventory), inventory)) : closed;
}

/** Where one environment alone is meant, a line that a text led to is for its Python: a bare `pip` is that of whatever PATH leads to. */
function inTheEnvironment(diagnosis: JoinedDiagnosis, { environments }: Inventory): JoinedDiagnosis {
  const [environment, ...others] = environments;
  if (!environment || 0 < others.length) return diagnosis;
  const { kind, packages } = environment;
  const python = quoted(environment.python);
  // What `uv venv` made has no pip.
  const withUv = kind === "venv" && !packages.some(({ name }) => name === "pip");
  const line = (command: string) => {
    const [, what, rest] = /^(?:python3? -m )?pip3? (\w+)(.*)$/s.exec(command) ?? [];
    if (what === undefined) return command.replace(/(?<![\w/.-])python3? (?=-[cm] )/g, `${python} `);
    return withUv
      ? `uv pip ${what} --python ${python}${rest!.replace(/ (?:-y|--yes)\b/, "").replace(" --force-reinstall", " --reinstall")}`
      : `${python} -m pip ${what}${rest}`;
  };
  return { ...diagnosis, fixes: diagnosis.fixes.map((each) => ({ ...each, commands: each.commands.map(line) })) };
}

/** Nobody installs with conda what he has not. */
function withoutConda(diagnosis: JoinedDiagnosis, { environments }: Inventory): JoinedDiagnosis {
  if (environments.some(({ kind }) => kind === "conda")) return diagnosis;
  return {
    ...diagnosis,
    fixes: diagnosis.fixes.filter(({ commands }) => commands.length === 0 || !commands.every((line) => line.startsWith("conda "))),
  };
}

/** The whole explanation, joined with a machine. */
export function joinExplanation(explanation: Explanation, findings: Finding[], inventory?: Inventory): Explanation {
  const diagnoses = joinWithCheck(explanation.diagnoses, findings, inventory);
  const { question, ...rest } = explanation;
  // What the machine has decided is no longer asked.
  const isOpen = diagnoses[0]?.certainty === "possible" || diagnoses.length === 0;
  return { ...rest, diagnoses, ...(question !== undefined && isOpen ? { question } : {}) };
}

/** Another way to read the lines of a diagnosis, for which no finding speaks. */
const isReading = (each: JoinedDiagnosis, of: JoinedDiagnosis) =>
  each.findings.length === 0 && each.evidence.every(({ line }) => of.evidence.some((at) => at.line === line));

function fromFinding(
  finding: Finding,
): Pick<JoinedDiagnosis, "cause" | "certainty" | "message" | "because" | "machine" | "next" | "fixes"> {
  return {
    cause: finding.cause as Diagnosis["cause"],
    certainty: finding.certainty,
    message: finding.message,
    because: finding.because,
    machine: finding.evidence,
    next: [],
    fixes: finding.fixes,
  };
}

/** Whether a finding and a diagnosis are about one fault. */
export const saysTheSame = (finding: Finding, diagnosis: Diagnosis): boolean =>
  (finding.cause === diagnosis.cause || areNeighbours(finding.cause, diagnosis.cause)) && isAbout(finding, diagnosis);

const areNeighbours = (a: string, b: string) => families.some((family) => family.includes(a) && family.includes(b));

/** Everything that a finding speaks of, by its name. */
function namesIn({ subject, severity, facts, breaks, endangers }: Finding): string[] {
  const { loads = [], copies = [], variables = [], packages = [], gpus = [], wanted } = facts;
  // Programs name the GPU library that they could not open, and not what that one lacks.
  const isSpokenOf = ({ role, library }: (typeof loads)[number]) => role !== "asks" || (severity === "error" && library !== undefined);
  return [
    subject,
    ...loads.filter(isSpokenOf).flatMap(({ name, file, library }) => [name, file, library ?? ""]),
    ...copies.flatMap(({ file, library }) => [file, library ?? ""]),
    ...(wanted ? [wanted.name, wanted.library ?? ""] : []),
    ...variables.map(({ name }) => name),
    ...packages.map(({ name }) => name),
    ...gpus.map(({ name }) => name),
    ...[...breaks, ...endangers].map(({ framework }) => framework),
  ];
}

/** Whether both speak of one library, object, framework or device. */
function isAbout(finding: Finding, { name, library, cause }: Diagnosis): boolean {
  const text = namesIn(finding).join(" ").toLowerCase();
  if (isOfAnotherMajor(text, name)) return false;
  const names = [name, library, name?.replace(/\.so.*$|\.dll$/, "")].filter((each) => each !== undefined && 2 < each.length);
  if (names.some((each) => text.includes(each!.toLowerCase()))) return true;
  // Some causes are about the machine as a whole.
  return finding.cause === cause && (names.length === 0 || /^(?:driver|kernel|profiler|forward|stub|ptx)/.test(cause));
}

/** What is wrong with `libcudnn.so.9` says nothing of who asks for `libcudnn.so.8`, unless it names that one, too. */
function isOfAnotherMajor(text: string, name = ""): boolean {
  const [, stem, major] = /^(lib[a-z]{1,60})[\w-]{0,60}\.so\.(\d{1,9})/.exec(name.toLowerCase()) ?? [];
  if (stem === undefined) return false;
  const majors = [...text.matchAll(/\b(lib[a-z]{1,60})[\w-]{0,60}\.so\.(\d{1,9})/g)]
    .filter(([, other]) => other === stem)
    .map(([, , other]) => other);
  return 0 < majors.length && !majors.includes(major);
}

// Without a finding, the versions that a machine really has still say what was found.
function withInventory(diagnosis: JoinedDiagnosis, inventory: Inventory | undefined): JoinedDiagnosis {
  if (!inventory || diagnosis.library === undefined) return diagnosis;
  const copies = inventory.copies.filter(({ library }) => library === diagnosis.library);
  // What a framework here would load says more than what lies about; tools of NVIDIA keep copies for themselves.
  const loaded = new Set(inventory.frameworks.flatMap(({ wouldLoad }) => (wouldLoad[diagnosis.library!] ?? []).map(({ file }) => file)));
  const telling = copies.filter(({ file }) => loaded.has(file));
  const machine = (0 < telling.length ? telling : copies.filter(({ file }) => !/nsight/i.test(file)))
    .slice(0, 4)
    .map(({ file, version }) => `${file}${version === undefined ? "" : ` (${version})`}`);
  return 0 < machine.length && diagnosis.machine === undefined ? { ...diagnosis, machine } : diagnosis;
}
