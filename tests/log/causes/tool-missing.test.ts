import step from "../../../packages/core/src/log/causes/tool-missing.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["library-missing", "sh: 1: rocminfo: not found"],
  ["library-missing", "setup.py: failed to execute hipcc"],
  ["driver-not-exposed", "ERROR: nvidia-smi not found, is the driver installed?"],
  ["library-missing", "profile.sh: could not find nsys"],
  ["library-missing", "wrapper: ncu was not found"],
]);
