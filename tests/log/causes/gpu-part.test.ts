import step from "../../../packages/core/src/log/causes/gpu-part.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-missing > library-wrong-version > driver-not-exposed > wrong-wheel-cpu-only",
    "ai.djl.engine.EngineException: Failed to load PyTorch native library",
  ],
  ["wrong-wheel-cpu-only > library-missing > driver-not-exposed", 'openmm.OpenMMException: There is no registered Platform called "CUDA"'],
]);
