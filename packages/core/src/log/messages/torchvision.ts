import { torchFix } from "../fixes.ts";
import { builtWithoutCuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

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
    means: builtWithoutCuda("torchvision", (_facts, context) => [torchFix(context)]),
  },
] satisfies Signature[];
