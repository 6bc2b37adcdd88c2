import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { gpuFact, variableFact } from "../../diagnose/facts.ts";
import { settersOf, variableWords, withoutVariables } from "../../diagnose/words.ts";

export default machineSide(page, {
  blames(stack, stop) {
    if (stop.failure.refusal?.kind !== "hidden-gpus") return undefined;
    const [setter] = settersOf(stack, "CUDA_VISIBLE_DEVICES");
    return {
      specificity: 5,
      subject: "CUDA_VISIBLE_DEVICES",
      message: `CUDA_VISIBLE_DEVICES=${JSON.stringify(stack.variables["CUDA_VISIBLE_DEVICES"] ?? "")} hides every GPU; no version is wrong`,
      because: [
        "the driver takes the list up to the first entry that is no GPU here",
        ...(setter ? [variableWords(stack, "CUDA_VISIBLE_DEVICES")] : []),
      ],
      evidence: stack.inventory.gpus.map(({ name }, index) => `GPU ${index}: ${name}`),
      advice: ["unset CUDA_VISIBLE_DEVICES, or set it to numbers of GPUs that are there", withoutVariables(["CUDA_VISIBLE_DEVICES"])],
      facts: { variables: [variableFact(stack, "CUDA_VISIBLE_DEVICES")], gpus: stack.inventory.gpus.map(gpuFact) },
    };
  },
});
