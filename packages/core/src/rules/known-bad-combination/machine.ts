import { knownBadCombinations, sourcesOfCombination } from "../../knowledge/known-bad.ts";
import { smOf } from "../../knowledge/toolkits.ts";
import { nameOf } from "../../lib/path.ts";
import { isWithin } from "../../lib/pep440.ts";
import type { KnownBadCombination } from "../../model/knowledge.ts";
import type { Draft, Facts } from "../../model/finding.ts";
import { needing } from "../../diagnose/device.ts";
import { pipAdvice } from "../../diagnose/pip.ts";
import { gpuFact, loadFact, packageFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Program, Run, Stack } from "../../diagnose/stack.ts";

export default machineSide(page, {
  blames(stack, stop, run) {
    const { failure } = stop;
    const failed = failure.underlying ?? failure;
    const names = new Set([nameOf(failed.name), ...(failure.refusal && "library" in failure.refusal ? [failure.refusal.library] : [])]);
    const combination = knownBadCombinations().find(
      (each) => each.explains !== undefined && names.has(each.explains) && factsOf(stack, run, each) !== undefined,
    );
    if (!combination) return undefined;
    const draft = draftOf(stack, run, combination);
    return { ...draft, specificity: 5 };
  },
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      knownBadCombinations()
        .filter((combination) => isHere(run, combination) && factsOf(stack, run, combination) !== undefined)
        .map((combination) => ({
          ...draftOf(stack, run, combination),
          severity: combination.severity,
          ...(combination.absent === undefined ? { certainty: "likely" as const } : {}),
          endangers: run.programs
            .filter((program) => concerns(stack, combination, program))
            .flatMap((program) =>
              // Where it is the code for a GPU, every kernel is at risk.
              combination.architectures && combination.activity === "matmul"
                ? needing(run, program, "matmul")
                : [{ framework: program.id, activity: combination.activity }],
            ),
        })),
    ),
});

/** Whether what suffers is among what runs. */
const isHere = ({ programs }: Run, { suffers }: KnownBadCombination): boolean =>
  suffers === undefined || programs.some(({ package: own }) => own?.name === suffers);

// triton maps torch's cuDNN, and never calls it.
function concerns(
  stack: Stack,
  { packages, libraries = {}, absent, suffers }: KnownBadCombination,
  { package: own, compiledFor }: Program,
): boolean {
  if (suffers !== undefined) return own?.name === suffers;
  if (!own) return true;
  // What one package imports and does not find is missing to whoever uses it.
  if (packages && absent !== undefined)
    return Object.keys(packages).some(
      (name) => own.name === name || stack.requirements.some(({ by, needs }) => by.name === own.name && needs.name === name),
    );
  if (packages) return Object.hasOwn(packages, own.name);
  return Object.keys(libraries).some((id) => compiledFor[id === "cublaslt" ? "cublas" : id] !== undefined);
}

/** What makes it apply; undefined where it does not. */
function factsOf(
  stack: Stack,
  run: Run,
  { packages = {}, libraries = {}, gpus, architectures, absent, install }: KnownBadCombination,
): Required<Pick<Facts, "packages" | "loads" | "gpus">> | undefined {
  const facts: Required<Pick<Facts, "packages" | "loads" | "gpus">> = { packages: [], loads: [], gpus: [] };
  for (const [name, specifier] of Object.entries(packages)) {
    const found = run.environment?.packages.find((each) => each.name === name);
    if (!found || isWithin(found.version, specifier) !== true) return undefined;
    facts.packages.push(packageFact(run, found, "subject"));
  }
  if (absent !== undefined) {
    if (!run.environment || run.environment.packages.some(({ name }) => name === absent)) return undefined;
    facts.packages.push({ role: "install", name: absent, wants: install ?? "", environment: run.environment.prefix });
  }
  for (const [id, specifier] of Object.entries(libraries)) {
    const found = run.loads.loads.find(
      ({ library, version, unmapped }) => library === id && !unmapped && version !== undefined && isWithin(version, specifier) === true,
    );
    if (!found) return undefined;
    facts.loads.push(loadFact(found));
  }
  const there = stack.inventory.gpus.filter(
    ({ architecture = "" }) => architectures === undefined || architectures.includes(smOf(architecture)?.replace(/[af]$/, "") ?? ""),
  );
  if ((gpus !== undefined || architectures !== undefined) && there.length < (gpus ?? 1)) return undefined;
  if (gpus !== undefined || architectures !== undefined) facts.gpus.push(...there.map(gpuFact));
  return facts;
}

function draftOf(stack: Stack, run: Run, combination: KnownBadCombination): Draft {
  const prefix = run.environment?.prefix ?? run.loads.program.path;
  const facts = factsOf(stack, run, combination);
  return {
    subject: `${combination.id} in ${prefix}`,
    short: `known defect: ${combination.says.split(/: |; |, and /)[0]}`,
    message: `known defect: ${combination.says}`,
    because: [
      combination.absent === undefined
        ? "this is what would be loaded here; the defect is of the release, not of the installation"
        : `${combination.absent} is not installed in ${prefix}; \`uv venv\`, and \`python -m venv\` since Python 3.12, do not bring it`,
    ],
    evidence: [
      ...(facts?.packages ?? []).flatMap(({ name, version }) => (version === undefined ? [] : [`${name} ${version}`])),
      ...(facts?.loads ?? []).map(({ file, version }) => `${file} (${version})`),
      ...(facts?.gpus ?? []).map(({ name }) => `GPU: ${name}`),
    ],
    facts: facts ?? {},
    advice: [
      combination.absent === undefined
        ? combination.advice
        : pipAdvice(run.environment, combination.advice, "install", `${combination.absent}${combination.install ?? ""}`),
    ],
    sources: sourcesOfCombination(combination),
  };
}
