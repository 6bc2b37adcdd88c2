import step from "../../../packages/core/src/log/causes/stub-library.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["stub-library", "CUDA API Error: CUDA driver is a stub library"],
  [
    "driver-not-exposed > library-not-on-path > stub-library",
    "E tensorflow/stream_executor/cuda/cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
  ],
  [
    "stub-library > driver-not-exposed > library-not-on-path",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nE tensorflow/stream_executor/cuda/cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
  ],
]);
