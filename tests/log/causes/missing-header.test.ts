import step from "../../../packages/core/src/log/causes/missing-header.ts";
import { holds } from "./holds.ts";

holds(step, [["library-missing > cuda-home-wrong", "fatal error: cuda_runtime.h: No such file or directory"]]);
