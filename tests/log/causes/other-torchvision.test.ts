import step from "../../../packages/core/src/log/causes/other-torchvision.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "package-conflict > wrong-wheel-cuda-version > wrong-wheel-cpu-only",
    "RuntimeError: Couldn't load custom C++ ops. This can happen if your PyTorch and torchvision versions are incompatible",
  ],
  [
    "package-conflict > wrong-wheel-cuda-version > wrong-wheel-cpu-only",
    "AttributeError: partially initialized module 'torchvision' has no attribute 'extension' (most likely due to a circular import)",
  ],
]);
