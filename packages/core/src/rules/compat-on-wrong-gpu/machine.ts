import { driverBelow, gpuKinds, needing } from "../../diagnose/device.ts";
import { gpuFacts, loadFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { fileWords, ruleWords, unsetAdvice, variableWords } from "../../diagnose/words.ts";

export default machineSide(page, {
  finds: (stack) =>
    stack.runs.flatMap((run) => {
      const { kernel } = stack.inventory.driver;
      const compat = driverBelow(stack, run)?.compat;
      if (!compat || kernel === undefined) return [];
      const kinds = gpuKinds(stack);
      const known = kinds.flatMap((gpu) => gpu.known.map(({ kind }) => ({ kind, words: gpu.words })));
      const refusing = known.filter(({ kind }) => kind === "consumer");
      const breaks = run.programs.flatMap((program) => needing(run, program, "device"));
      if (refusing.length === 0 || breaks.length === 0) return [];
      const steered = unsetAdvice(stack, [compat]);
      return [
        {
          subject: compat.file,
          short: `the compat library does not work on ${refusing[0]!.words}`,
          message: `${fileWords(stack, compat.file)}, a compat library, does not work on ${refusing[0]!.words}`,
          because: [
            "forward compatibility is for data-center GPUs; on others the driver refuses it with error 804",
            ruleWords(compat),
            ...(compat.via === "ld-library-path" ? [variableWords(stack, "LD_LIBRARY_PATH")] : []),
          ],
          evidence: [`kernel: ${kernel}`, ...refusing.map(({ words }) => words)],
          advice: [
            ...(0 < steered.length ? steered : ["remove the cuda-compat package, or take its folder out of the search"]),
            "upgrade the driver of the host to what the programs need",
          ],
          facts: {
            loads: [loadFact(compat)],
            driver: { version: kernel },
            gpus: gpuFacts(kinds.filter(({ known: all }) => all.some(({ kind }) => kind === "consumer"))),
          },
          // Among several GPUs those that allow it may be the ones that count.
          certainty: refusing.length === known.length ? ("certain" as const) : ("likely" as const),
          breaks,
          sources: ["https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html"],
        },
      ];
    }),
});
