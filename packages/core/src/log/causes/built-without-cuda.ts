import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, toolkitLine } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

// The report of the package itself says that it found no compiler.
function withoutCompiler(without: Fact[], facts: Facts): Suspect[] {
  const seen = facts.notices("cuda-home-none")[0];
  if (!seen) return [];
  return [
    {
      cause: "library-missing",
      name: "nvcc",
      required: "a CUDA toolkit with nvcc, and CUDA_HOME",
      found: "no CUDA_HOME",
      certainty: "possible",
      message:
        "it was compiled where no CUDA toolkit was found (CUDA_HOME is None): a PyTorch brings CUDA's libraries, and not its compiler",
      evidence: [...without, seen],
      next: ["which -a nvcc; ls -d /usr/local/cuda*"],
      fixes: [fix("install the toolkit of PyTorch's CUDA, then build the extension again")],
    },
  ];
}

// No package of PyPI's has it, and each is found before what somebody built himself.
const opencvFixes = (facts: Facts) => {
  const own = facts.notices("opencv-with-cuda-told");
  return [
    fix(
      `${0 < own.length ? "an OpenCV with CUDA is there: " : "where one with CUDA was built here: "}take pip's packages out, which have no CUDA and are found before it`,
      "pip uninstall -y opencv-python opencv-contrib-python opencv-python-headless opencv-contrib-python-headless",
      'python -c "import cv2; print(cv2.__file__, cv2.cuda.getCudaEnabledDeviceCount())"',
    ),
    fix(
      "or build OpenCV with its contrib modules and CUDA: `-D WITH_CUDA=ON -D WITH_CUDNN=ON -D OPENCV_DNN_CUDA=ON -D CUDA_ARCH_BIN=` and the GPU's capability",
    ),
  ];
};

function ofProgram(without: Fact<"notice">[], facts: Facts): Suspect {
  const subject = without.find((each) => each.subject !== undefined)?.subject;
  const evidence = subject === "opencv" ? [...without, ...facts.notices("opencv-with-cuda-told")] : without;
  return cpuOnly(
    subject ?? "the program",
    "a build without CUDA",
    evidence,
    "likely",
    subject === "opencv" ? opencvFixes(facts) : [fix("install or build it with CUDA")],
  );
}

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
        ofProgram(without, facts),
        // An extension that was compiled where no toolkit or no GPU was seen has only its part for the CPU.
        ...(without.some(({ at }) => /compiled with GPU support/i.test(at.text))
          ? [
              ...withoutCompiler(without, facts),
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
