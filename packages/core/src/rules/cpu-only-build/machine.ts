import { pipAdvice } from "../../diagnose/pip.ts";
import type { Advice, PackageFact } from "../../model/finding.ts";
import { packageFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { cudaOf } from "../../diagnose/device.ts";
import type { Program, Run, Stack } from "../../diagnose/stack.ts";
import { programName } from "../../diagnose/words.ts";
import { frameworkNamed, namesOf } from "../../model/frameworks.ts";

export default machineSide(page, {
  absence: true,
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => {
        if (program.cpuOnly === undefined || !program.package || isWanted(stack, run, program)) return [];
        const { name, version } = program.package;
        const beside = besideOf(run, program.id);
        const isError = stack.asked || beside !== undefined;
        // Whoever has another framework for the GPU may keep this one from it on purpose, or got it along with something small.
        const isWarning = !isError && seesGpu(stack) && !stack.runs.some((other) => usesGpu(other, run));
        return [
          {
            subject: `${name} in ${run.environment?.prefix ?? ""}`,
            ...(isError ? {} : { severity: isWarning ? ("warning" as const) : ("info" as const) }),
            short: `${programName(run, program.id)} is a build without CUDA`,
            message: `${programName(run, program.id)} in ${run.environment?.prefix ?? "this environment"} is a build without CUDA: it cannot use a GPU`,
            because: [
              program.cpuOnly,
              ...(isWarning ? [`there is a GPU: ${stack.inventory.gpus[0]!.name}`] : []),
              ...(beside === undefined ? [] : [`${beside} are both installed, and fill the same folder: what came last is there`]),
            ],
            evidence: [`package ${name} ${version}`],
            advice: adviceFor[program.id]?.(plainVersion(version), {
              pip: (...words) => pipAdvice(run.environment, ...words),
              there: sameFolderIn(run, program.id),
              beside: companionsIn(run, program.id),
            }) ?? ["install a build with CUDA"],
            facts: { packages: [packageFact(run, program.package, "subject"), ...conflicting(run, program.id)] },
            breaks: isError ? [{ framework: program.id, activity: "device" }] : [],
            endangers: isWarning ? [{ framework: program.id, activity: "device" }] : [],
          },
        ];
      }),
    ),
});

/** A GPU that is there or asked about, and that no variable hides. */
const seesGpu = ({ inventory: { gpus }, variables }: Stack) =>
  0 < gpus.length && !["", "-1"].includes(variables["CUDA_VISIBLE_DEVICES"]?.trim() ?? "0");

const usesGpu = ({ environment, programs }: Run, { environment: own }: Run) =>
  environment?.prefix === own?.prefix && programs.some((program) => program.cpuOnly === undefined && cudaOf(program) !== undefined);

/** Whether something that is installed asks for this very distribution, and uses it without a GPU. */
const isWanted = ({ asked }: Stack, run: Run, { id, package: own, upon }: Program) =>
  !asked &&
  besideOf(run, id) === undefined &&
  // What stands upon a framework is told with that.
  (upon !== undefined ||
    run.environment?.packages.some((found) => frameworkNamed(found.name)?.wantsWithoutGpu?.includes(own!.name)) === true);

const isThere = ({ environment }: Run, name: string) => environment?.packages.some((found) => found.name === name) === true;

/** Distributions of a framework that fill one folder, of those that are there. */
const sameFolderIn = (run: Run, framework: string) => (namesOf(framework)?.sameFolder ?? []).filter((name) => isThere(run, name));

/** What is built with a framework, each for one build of it. */
const companionsIn = (run: Run, framework: string) => (namesOf(framework)?.companions ?? []).filter((name) => isThere(run, name));

function besideOf(run: Run, framework: string): string | undefined {
  const there = sameFolderIn(run, framework);
  return there.length < 2 ? undefined : there.join(" and ");
}

/** Both of a pair of which one has no code for GPUs: that one has to go, and the other one to come back. */
function conflicting(run: Run, framework: string): PackageFact[] {
  const there = run.environment?.packages.filter(({ name }) => sameFolderIn(run, framework).includes(name)) ?? [];
  return there.length < 2 ? [] : there.map((found) => packageFact(run, found, "conflicts"));
}

const plainVersion = (version: string) => version.replace(/\+.*/, "");

interface Means {
  pip: (words: string, ...rest: string[]) => Advice;
  there: string[];
  beside: string[];
}

const removal = ({ pip, there }: Means): Advice =>
  pip(
    there.length < 2 ? "remove what is there" : `remove ${there.length === 2 ? "both" : "all"}, because they fill the same folder`,
    "uninstall",
    "-y",
    ...there,
  );

const adviceFor: { [framework: string]: (version: string, means: Means) => Advice[] } = {
  torch: (version, { pip, beside }) => [
    pip(
      "install it from PyPI, which has the CUDA build on Linux; do not pass the cpu index",
      "install",
      "--force-reinstall",
      `torch==${version}`,
      ...beside,
    ),
  ],
  tensorflow: (version, means) => [
    removal(means),
    means.pip("then install it with its libraries (tensorflow 2.14 or newer)", "install", `tensorflow[and-cuda]==${version}`),
  ],
  jax: (version, { pip }) => [
    pip("install it with its plugin (or cuda13 in the place of cuda12, whichever the driver runs)", "install", `jax[cuda12]==${version}`),
  ],
  onnxruntime: (version, means) => [removal(means), means.pip("then install the one with CUDA", "install", `onnxruntime-gpu==${version}`)],
};
