import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, torchFix } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

/** A model that was saved on a GPU is opened where PyTorch sees none: a CPU machine, most often, and no fault. */
export default function loadedWithoutGpu(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("torch-cuda-load");
  if (evidence.length === 0) return [];
  const fine: Suspect = {
    cause: "not-a-mismatch",
    name: "torch.load",
    certainty: "likely",
    message: "the file was saved on a GPU and is opened where PyTorch sees none",
    evidence,
    next: ['python -c "import torch; print(torch.__version__, torch.cuda.is_available())"', "nvidia-smi"],
    fixes: [fix("without a GPU, open it with `map_location=torch.device('cpu')`")],
  };
  const cpu = cpuOnly("torch", context.framework("torch").version ?? "perhaps a build without CUDA", evidence, "possible", [
    torchFix(context),
  ]);
  const hidden: Suspect = {
    ...fine,
    cause: "driver-not-exposed",
    name: "libcuda.so.1",
    certainty: "possible",
    message: "where there is a GPU: no driver reaches the process",
    fixes: [],
  };
  const wanted = facts.has("gpu") || facts.has("driver") || facts.has("driver-cuda");
  return [{ weight: wanted ? weights.failed : weights.other + 2, suspects: wanted ? [cpu, hidden, fine] : [fine, cpu, hidden] }];
}
