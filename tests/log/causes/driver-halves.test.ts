import step from "../../../packages/core/src/log/causes/driver-halves.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["library-wrong-version > kernel-module-mismatch", "Mismatch in versions between nvidia-smi and NVML."],
  ["kernel-module-mismatch", "Failed to initialize NVML: Driver/library version mismatch"],
  // A part of another release than the kernel runs is asked for.
  [
    "kernel-module-mismatch",
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nerror while loading shared libraries: libnvidia-ptxjitcompiler.so.550.54.15: cannot open shared object file: No such file or directory",
  ],
]);
