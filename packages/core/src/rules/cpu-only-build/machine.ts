import { pipAdvice } from "../../diagnose/pip.ts";
import type { Advice } from "../../model/finding.ts";
import { packageFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { cudaOf } from "../../diagnose/device.ts";
import type { Run, Stack } from "../../diagnose/stack.ts";
import { programName } from "../../diagnose/words.ts";
import { namesOf } from "../../model/frameworks.ts";

export default machineSide(page, {
  absence: true,
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => {
        if (program.cpuOnly === undefined || !program.package) return [];
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
            advice: adviceFor[program.id]?.(plainVersion(version), (...words) => pipAdvice(run.environment, ...words)) ?? [
              "install a build with CUDA",
            ],
            facts: { packages: [packageFact(run, program.package, "subject")] },
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

function besideOf({ environment }: Run, framework: string): string | undefined {
  const there = (namesOf(framework)?.sameFolder ?? []).filter((name) => environment?.packages.some((found) => found.name === name));
  return there.length < 2 ? undefined : there.join(" and ");
}

const plainVersion = (version: string) => version.replace(/\+.*/, "");
type Pip = (words: string, ...rest: string[]) => Advice;

const adviceFor: { [framework: string]: (version: string, pip: Pip) => Advice[] } = {
  torch: (version, pip) => [
    pip(
      "install it from the default index, which has the CUDA build on Linux; do not pass the cpu index",
      "install",
      "--force-reinstall",
      `torch==${version}`,
    ),
  ],
  tensorflow: (version, pip) => [
    pip("remove what is there", "uninstall", "-y", "tensorflow", "tensorflow-cpu"),
    pip("then install it with its libraries (tensorflow 2.14 or newer)", "install", `tensorflow[and-cuda]==${version}`),
  ],
  jax: (version, pip) => [
    pip("install it with its plugin (or cuda13 in the place of cuda12, whichever the driver runs)", "install", `jax[cuda12]==${version}`),
  ],
  onnxruntime: (version, pip) => [
    pip("remove both, because they fill the same folder", "uninstall", "-y", "onnxruntime", "onnxruntime-gpu"),
    pip("then install the one with CUDA", "install", `onnxruntime-gpu==${version}`),
  ],
};
