import { needing } from "../diagnose/device.ts";
import { packageFact } from "../diagnose/facts.ts";
import { pipAdvice } from "../diagnose/pip.ts";
import type { Stack } from "../diagnose/stack.ts";
import { programName } from "../diagnose/words.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "built-for-another-vendor",
  title: "This build of a framework is for AMD's GPUs, and the GPU is NVIDIA's",
  cause: "wrong-vendor",
  severity: "error",
  notOn: { "dependency-file": "a line that asks for a build for ROCm says so itself, and a file does not tell whose GPU it will run on" },
  page: {
    what: "The installed package was built for ROCm, AMD's stack. It has no code for NVIDIA's GPUs, and no driver will make it see one.",
    why: "It was installed from an index for ROCm (`https://download.pytorch.org/whl/rocm6.3`), by a guide for another machine, or came with an environment that was made on one.",
    how: "The label of the release says for what it was built (`2.6.0+rocm6.2.4`); the GPUs are those of the machine, or those that are asked about. It is an error where the framework is asked for, else a warning.",
    fix: "Install the build for the CUDA release that your driver runs.",
    observed: "Read from the names of PyTorch's wheels for ROCm; no such machine was at hand.",
  },
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => {
        const label = /\+(?<label>rocm[\d.]+)/.exec(program.package?.version ?? "")?.groups?.["label"];
        if (label === undefined || !program.package || !seesGpu(stack)) return [];
        const { name, version } = program.package;
        const device = needing(run, program, "device");
        return [
          {
            subject: `${name} in ${run.environment?.prefix ?? ""}`,
            ...(stack.asked ? {} : { severity: "warning" as const }),
            short: `${programName(run, program.id)} is a build for AMD's GPUs`,
            message: `${programName(run, program.id)} in ${run.environment?.prefix ?? "this environment"} was built for ROCm, and the GPU is NVIDIA's: it cannot use it`,
            because: [`its version is ${version}`, `there is a GPU: ${stack.inventory.gpus[0]!.name}`],
            evidence: [`package ${name} ${version}`],
            advice: [
              pipAdvice(
                run.environment,
                "install the build with CUDA, which PyPI has for Linux",
                "install",
                "--force-reinstall",
                `${name}==${version.replace(/\+.*$/, "")}`,
              ),
            ],
            facts: { packages: [packageFact(run, program.package, "subject")] },
            breaks: stack.asked ? device : [],
            endangers: stack.asked ? [] : device,
          },
        ];
      }),
    ),
});

/** A GPU that is there or asked about, and that no variable hides. */
const seesGpu = ({ inventory: { gpus }, variables }: Stack) =>
  0 < gpus.length && !["", "-1"].includes(variables["CUDA_VISIBLE_DEVICES"]?.trim() ?? "0");
