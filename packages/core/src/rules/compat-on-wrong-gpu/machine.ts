import { driverBelow, gpuKinds, needing } from "../../diagnose/device.ts";
import { gpuFacts, loadFact } from "../../diagnose/facts.ts";
import { defineRule } from "../../diagnose/rule.ts";
import { fileWords, ruleWords, unsetAdvice, variableWords } from "../../diagnose/words.ts";

export default defineRule({
  id: "compat-on-wrong-gpu",
  title: "A compat library is used on a GPU that does not allow it",
  cause: "forward-compat-misuse",
  severity: "error",
  page: {
    what: "libcuda comes from a cuda-compat package that is newer than the kernel's driver, and the GPU is one for consumers: “forward compatibility was attempted on non supported HW” (error 804).",
    why: "NVIDIA allows forward compatibility on data-center GPUs, some workstation cards and Jetson. Images bring cuda-compat, and an LD_LIBRARY_PATH or a start-up script puts it first. The same error without any compat library comes from a driver that was upgraded without a restart.",
    how: "The libcuda that would be loaded lies in a folder `compat` and is newer than the kernel's driver; the GPU's name is known as one for consumers.",
    mend: "Take the compat folder out of the search, and upgrade the driver on the host.",
    observed: "Known from NVIDIA's documents and from reports only.",
  },
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
