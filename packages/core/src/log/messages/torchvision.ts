import { weights } from "../cause.ts";
import { fix, torchFix } from "../fixes.ts";
import { builtWithoutCuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

const withoutCuda = builtWithoutCuda("torchvision", (_facts, context) => [torchFix(context)]);

/** torchvision/extension.py, _meta_registrations.py and csrc. */
export default [
  notice(
    "torchvision-mismatch",
    "custom c++ ops",
    /Couldn't load custom C\+\+ ops/,
    "RuntimeError: Couldn't load custom C++ ops. This can happen if your PyTorch and torchvision versions are incompatible",
  ),
  notice(
    "torchvision-mismatch",
    "torchvision::nms",
    /operator torchvision::nms does not exist|[Nn]o such operator torchvision::|Could not find the operator torchvision::nms/,
    "RuntimeError: operator torchvision::nms does not exist",
    "RuntimeError: No such operator torchvision::nms",
    "ValueError: Could not find the operator torchvision::nms. Please make sure you have already registered the operator",
  ),
  notice(
    "torchvision-mismatch",
    ["object has no attribute nms", "object has no attribute 'nms'", "module 'torchvision' has no attribute"],
    /'torchvision' object has no attribute '|^object has no attribute nms:|partially initialized module 'torchvision' has no attribute 'extension'/,
    "AttributeError: '_OpNamespace' 'torchvision' object has no attribute 'nms'",
    "object has no attribute nms:",
    "AttributeError: partially initialized module 'torchvision' has no attribute 'extension' (most likely due to a circular import)",
  ),
  {
    ...notice(
      "torchvision-without-cuda",
      "torchvision::nms",
      /Could not run 'torchvision::nms' with arguments from the 'CUDA' backend/,
      "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend.",
    ),
    means: {
      ...withoutCuda,
      may: [
        ...withoutCuda.may,
        {
          cause: "package-conflict",
          name: "torchvision",
          message: "so PyTorch with CUDA and a torchvision without it came from two indexes",
          fixes: [],
        },
      ],
    },
  },
  {
    // c10's dispatcher, about an operator of PyTorch itself.
    ...notice(
      "aten-without-cuda",
      "with arguments from the 'cuda' backend",
      /Could not run '(?<subject>aten::\w{2,60})(?:\.\w{2,40})?' with arguments from the 'CUDA' backend/,
      "Could not run 'aten::empty.memory_format' with arguments from the 'CUDA' backend.",
    ),
    means: {
      weight: weights.refused,
      name: "libtorch",
      required: "libtorch with its part for CUDA (libtorch_cuda) in the process",
      found: "the part for the CPU alone",
      unless: (facts) => facts.notices("torchvision-without-cuda").length > 0,
      next: ['python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
      may: [
        {
          cause: "wrong-wheel-cpu-only",
          certainty: "likely",
          message: "the libtorch that runs has no operators for CUDA: it was built for the CPU, or its part for CUDA was not loaded",
          fixes: (_facts, context) => [
            torchFix(context),
            fix(
              "a program of one's own: link `torch_cuda` so that the linker keeps it (`-Wl,--no-as-needed -ltorch_cuda`; MSVC: `/INCLUDE:?warp_size@cuda@at@@YAHXZ`)",
            ),
          ],
        },
        { cause: "library-missing", message: "or libtorch_cuda is not there", fixes: [] },
        { cause: "upstream-bug", message: "or the program, or the crate that it uses, does not link it", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
