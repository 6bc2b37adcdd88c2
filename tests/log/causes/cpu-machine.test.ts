import step from "../../../packages/core/src/log/causes/cpu-machine.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "driver-not-exposed > library-not-on-path > library-missing > benign-warning",
    "LD_LIBRARY_PATH=/usr/local/cuda-10.1/lib64/\nI tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library libcudart.so.11.0\nW tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory\nW tensorflow/stream_executor/cuda/cuda_driver.cc:326] failed call to cuInit: UNKNOWN ERROR (303)",
  ],
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
  [
    "benign-warning",
    "My laptop has no GPU at all.\nW tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory",
  ],
]);
