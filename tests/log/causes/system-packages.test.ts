import step from "../../../packages/core/src/log/causes/system-packages.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["package-conflict", " nvidia-driver-525 : Depends: nvidia-kernel-common-525 (>= 525.60.13) but 525.53-0ubuntu1 is to be installed"],
  [
    "package-conflict",
    "trying to overwrite '/usr/lib/x86_64-linux-gnu/libnvidia-cfg.so', which is also in package nvidia-340 340.108-0ubuntu2",
  ],
]);
