import step from "../../../packages/core/src/log/causes/gpu-memory.ts";
import { holds } from "./holds.ts";

holds(step, [["not-a-mismatch", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 10.01 GiB"]]);
