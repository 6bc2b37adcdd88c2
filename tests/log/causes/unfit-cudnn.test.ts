import step from "../../../packages/core/src/log/causes/unfit-cudnn.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-wrong-version > library-shadowed",
    "a TensorFlow that was built against CuDNN 8.2.0\nColab has CuDNN 7.6.5 installed\nCUDNN_STATUS_NOT_INITIALIZED",
  ],
]);
