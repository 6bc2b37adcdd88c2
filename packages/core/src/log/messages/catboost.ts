import { notice, type Signature } from "../signature.ts";

/** CatBoost. */
export default [
  notice(
    "catboost-gpu-module",
    "can't load gpu learning library",
    /Can't load GPU learning library\. Module was not compiled or (?:CUDA version\/)?driver {1,2}is incompatible/,
    "CatBoostError: Can't load GPU learning library. Module was not compiled or CUDA version/driver  is incompatible with package",
  ),
] satisfies Signature[];
