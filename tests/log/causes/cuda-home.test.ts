import step from "../../../packages/core/src/log/causes/cuda-home.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["library-missing > cuda-home-wrong", "CMake Error: No CMAKE_CUDA_COMPILER could be found."],
  [
    "cuda-home-wrong > library-missing",
    "Cuda compilation tools, release 11.4, V11.4.120\nOSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
  ],
  ["cuda-home-wrong > library-missing", 'pip install deepspeed: "CUDA_HOME does not exist". But /usr/local/cuda-12.1 is there.'],
]);
