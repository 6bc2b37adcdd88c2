import type { Refusal } from "../../model/loads.ts";
import type { Stack, Stop } from "../../diagnose/stack.ts";
import { machineSide, type Blame } from "../rule.ts";
import page from "./page.ts";
import { asksForNone, namedTwice, noneWords, visibleDevicesSources } from "../../knowledge/visible-devices.ts";
import { cudaOf, needing } from "../../diagnose/device.ts";
import { gpuFact, variableFact } from "../../diagnose/facts.ts";
import { isSetAt, variableWords, withoutVariables } from "../../diagnose/words.ts";

/** Variables of JAX alone: the others see their GPUs. */
function toldOtherwise(stack: Stack, { program }: Stop, { variable, refused }: Extract<Refusal, { kind: "told-otherwise" }>): Blame {
  const value = stack.variables[variable] ?? "";
  const said = `${variable}=${value}`;
  const does = refused === undefined ? `tells ${program} to use the CPU` : `names a device that ${program} cannot have here: ${refused}`;
  return {
    specificity: 5,
    subject: variable,
    short: `${said} ${does}`,
    message: `${said} ${does}; no version is wrong`,
    because: [
      ...(refused === undefined ? [] : [`what ${variable} names and ${program} cannot start ends its search for devices`]),
      ...(refused === "rocm" && /(?:^|,)gpu(?:,|$)/.test(value) ? ["`gpu` stands for cuda and for rocm"] : []),
      ...(isSetAt(stack, variable) ? [variableWords(stack, variable)] : []),
    ],
    evidence: [],
    advice: [`unset ${variable}, or set ${variable}=cuda`, withoutVariables([variable])],
    facts: { variables: [variableFact(stack, variable)] },
  };
}

export default machineSide(page, {
  finds: (stack) => {
    const value = stack.variables["NVIDIA_VISIBLE_DEVICES"];
    // Of a container that runs it tells nothing any more: who started it has given it GPUs or not.
    if (stack.target.kind !== "image" || value === undefined || !asksForNone(value)) return [];
    const endangers = stack.runs.flatMap((run) =>
      run.programs
        .filter((program) => program.cpuOnly === undefined && cudaOf(program))
        .flatMap((program) => needing(run, program, "device")),
    );
    if (endangers.length === 0) return [];
    return [
      {
        subject: "NVIDIA_VISIBLE_DEVICES",
        severity: "warning" as const,
        certainty: "likely" as const,
        message: `NVIDIA_VISIBLE_DEVICES=${JSON.stringify(value)} asks the container runtime for no GPU`,
        because: noneWords(value),
        advice: ["set NVIDIA_VISIBLE_DEVICES=all in the image, or start the container with --gpus"],
        facts: { variables: [variableFact(stack, "NVIDIA_VISIBLE_DEVICES")] },
        endangers,
        sources: visibleDevicesSources,
      },
    ];
  },
  blames(stack, stop) {
    const { refusal } = stop.failure;
    if (refusal?.kind === "told-otherwise") return toldOtherwise(stack, stop, refusal);
    if (refusal?.kind !== "hidden-gpus") return undefined;
    return {
      specificity: 5,
      subject: "CUDA_VISIBLE_DEVICES",
      short: `CUDA_VISIBLE_DEVICES=${JSON.stringify(stack.variables["CUDA_VISIBLE_DEVICES"] ?? "")} hides every GPU`,
      message: `CUDA_VISIBLE_DEVICES=${JSON.stringify(stack.variables["CUDA_VISIBLE_DEVICES"] ?? "")} hides every GPU; no version is wrong`,
      because: [
        namedTwice(stack.variables["CUDA_VISIBLE_DEVICES"] ?? "") === undefined
          ? "the driver takes the list up to the first entry that is no GPU here"
          : "a GPU that is named twice makes the driver refuse the whole list",
        ...(isSetAt(stack, "CUDA_VISIBLE_DEVICES") ? [variableWords(stack, "CUDA_VISIBLE_DEVICES")] : []),
      ],
      evidence: stack.inventory.gpus.map(({ name }, index) => `GPU ${index}: ${name}`),
      advice: [
        "unset CUDA_VISIBLE_DEVICES, or name GPUs that are there, each once: CUDA_VISIBLE_DEVICES=0",
        withoutVariables(["CUDA_VISIBLE_DEVICES"]),
      ],
      facts: { variables: [variableFact(stack, "CUDA_VISIBLE_DEVICES")], gpus: stack.inventory.gpus.map(gpuFact) },
    };
  },
});
