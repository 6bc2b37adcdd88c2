import step from "../../../packages/core/src/log/causes/contrasts-told.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["driver-not-exposed", "rocminfo works with sudo only; my user sees no GPU"],
  ["profiler-conflict", "torch.profiler records no cuda kernels as soon as I start the script under nsys"],
  [
    "kernel-module-mismatch > kernel-module-missing",
    "nvidia-smi stopped working this morning, apt had done unattended upgrades over night",
  ],
  [
    "kernel-module-missing > kernel-module-mismatch",
    "nvidia-smi stopped working after an apt upgrade, and we have already rebooted the machine",
  ],
  ["profiler-conflict", "DCGM profiling module is paused by another profiler"],
  ["mixed-cudnn-sublibraries", "We have libcudnn.so.8 from apt (8.9.7) but libcudnn_cnn_infer.so.8 comes from conda (8.2.1)"],
  ["stale-artefact > package-conflict", "After updating torch from 2.1 to 2.4 my own compiled extension crashes with undefined symbol"],
]);
