import step from "../../../packages/core/src/log/causes/built-without-cuda.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "wrong-wheel-cpu-only > toolkit-vs-framework-at-build",
    "xgboost.core.XGBoostError: XGBoost version not compiled with GPU support: was built without CUDA",
  ],
  ["wrong-wheel-cpu-only", "[LightGBM] [Fatal] CUDA Tree Learner was not enabled in this build."],
  ["wrong-wheel-cpu-only", "what():  the solver was not compiled with CUDA support"],
]);
