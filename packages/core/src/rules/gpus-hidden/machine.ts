import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { asksForNone, namedTwice, noneWords, visibleDevicesSources } from "../../knowledge/visible-devices.ts";
import { cudaOf, needing } from "../../diagnose/device.ts";
import { gpuFact, variableFact } from "../../diagnose/facts.ts";
import { isSetAt, variableWords, withoutVariables } from "../../diagnose/words.ts";

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
    if (stop.failure.refusal?.kind !== "hidden-gpus") return undefined;
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
