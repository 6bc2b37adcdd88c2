import step from "../../../packages/core/src/log/causes/cuda-home.ts";
import { holds } from "./holds.ts";

holds(step, [["library-missing > cuda-home-wrong", "CMake Error: No CMAKE_CUDA_COMPILER could be found."]]);
