import { weights, type Problem } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, toolkitLine } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

/** A program says that it was built without CUDA, and not which it is. */
export default function builtWithout(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  const torch = context.framework("torch");
  const without = facts.notices("built-without-cuda");
  // llama.cpp says so, too, where its part for CUDA is there and finds no GPU (common/arg.cpp asks for a device, not for the build).
  const answered = facts.has("cuda-error") && without.every(({ at }) => /GPU offload/i.test(at.text));
  if (0 < without.length && !answered && facts.notices("torch-without-cuda").length === 0)
    problems.push({
      weight: weights.failed,
      suspects: [
        cpuOnly("the program", "a build without CUDA", without, "likely", [fix("install or build it with CUDA")]),
        // An extension that was compiled where no toolkit or no GPU was seen has only its part for the CPU.
        ...(without.some(({ at }) => /compiled with GPU support/i.test(at.text))
          ? [
              {
                cause: "toolkit-vs-framework-at-build" as const,
                name: "nvcc",
                certainty: "possible" as const,
                message: "or an extension was built where no fitting CUDA toolkit was found, and so without its part for the GPU",
                evidence: without,
                next: ["echo $CUDA_HOME; nvcc --version", 'python -c "import torch; print(torch.version.cuda)"'],
                fixes: [
                  fix(
                    "build it again with the toolkit of PyTorch's CUDA; in the folder of its sources:",
                    ...(torch.cuda === undefined ? [] : [toolkitLine(torch.cuda)]),
                    "FORCE_CUDA=1 pip install --no-build-isolation .",
                  ),
                ],
              },
            ]
          : []),
      ],
    });
  return problems;
}
