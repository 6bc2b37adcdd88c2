import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

const published = [
  fix("install a published wheel of CatBoost, and a driver for the CUDA that it was built with", "pip install --upgrade catboost"),
];

/** CatBoost. */
export default [
  {
    // xgboost/src/common: the same of its own.
    literals: ["must have at least one device"],
    pattern: /Must have at least one device/,
    examples: ["xgboost.core.XGBoostError: Must have at least one device"],
    facts: () => ({ kind: "notice", id: "no-gpu-seen", subject: "any" }),
  },
  {
    ...notice(
      "catboost-gpu-module",
      "can't load gpu learning library",
      /Can't load GPU learning library\b/,
      "CatBoostError: Can't load GPU learning library. Module was not compiled or CUDA version/driver  is incompatible with package",
    ),
    means: {
      weight: weights.refused,
      symptom: "CatBoost cannot use the GPU",
      name: "catboost",
      next: ["pip list | grep -i catboost", "nvidia-smi"],
      may: [
        { cause: "wrong-wheel-cuda-version", message: "CatBoost was built for another CUDA than is here", fixes: published },
        { cause: "wrong-wheel-cpu-only", message: "or it was built without its part for the GPU", fixes: published },
        { cause: "driver-too-old", message: "or the driver is older than that CUDA needs", fixes: published },
      ],
    },
  },
] satisfies Signature[];
