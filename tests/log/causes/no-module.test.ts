import step from "../../../packages/core/src/log/causes/no-module.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["not-a-mismatch", "ModuleNotFoundError: No module named 'torch'"],
  [
    "not-a-mismatch",
    "ModuleNotFoundError: No module named 'torch'\nSuccessfully installed torch-2.4.0\nFound existing installation: torch 2.1.0",
  ],
  ["package-conflict", "ModuleNotFoundError: No module named 'flash_attn_cuda'"],
]);
