import step from "../../../packages/core/src/log/causes/cpu-machine.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["benign-warning > driver-not-exposed > wrong-wheel-cpu-only", "WARNING:absl:No GPU/TPU found, falling back to CPU."],
  [
    "wrong-wheel-cpu-only > driver-not-exposed > library-missing > benign-warning",
    "my PC has an Nvidia GPU\nNo GPU/TPU found, falling back to CPU.",
  ],
  ["benign-warning > driver-not-exposed > library-missing", "failed call to cuInit: UNKNOWN ERROR (303)"],
  [
    "benign-warning > library-missing > driver-not-exposed",
    "I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.",
  ],
  [
    "driver-not-exposed > library-missing > benign-warning",
    ">>> torch.cuda.is_available()\nFalse\nfailed call to cuInit: UNKNOWN ERROR (303)",
  ],
]);
