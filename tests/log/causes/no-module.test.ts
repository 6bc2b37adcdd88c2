import step from "../../../packages/core/src/log/causes/no-module.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["not-a-mismatch", "ModuleNotFoundError: No module named 'torch'"],
  [
    "not-a-mismatch",
    "ModuleNotFoundError: No module named 'torch'\nSuccessfully installed torch-2.4.0\nFound existing installation: torch 2.1.0",
  ],
  ["package-conflict", "ModuleNotFoundError: No module named 'flash_attn_cuda'"],
  // pip makes an environment for each build (PEP 517); what is installed is not in it.
  [
    "not-a-mismatch > not-a-mismatch",
    `Collecting flash_attn
  × Getting requirements to build wheel did not run successfully.
      ModuleNotFoundError: No module named 'torch'`,
  ],
  ["not-a-mismatch", "TensorRT: export failure: No module named 'tensorrt'"],
  ["package-conflict > library-missing > wrong-wheel-cpu-only > not-a-mismatch", "ModuleNotFoundError: No module named 'mmcv._ext'"],
]);
