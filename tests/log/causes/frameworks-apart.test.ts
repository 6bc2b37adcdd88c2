import step from "../../../packages/core/src/log/causes/frameworks-apart.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["package-conflict > library-wrong-version", "JAX and PyTorch need different cuDNN versions in the same environment"],
  ["package-conflict > library-wrong-version", "how come tensorflow and torch want different versions of nccl here?"],
]);
