import step from "../../../packages/core/src/log/causes/unfit-cudnn.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-wrong-version > library-shadowed",
    "a TensorFlow that was built against CuDNN 8.2.0\nColab has CuDNN 7.6.5 installed\nCUDNN_STATUS_NOT_INITIALIZED",
  ],
  // The label of a wheel, and what is known of a release.
  [
    "library-wrong-version > library-shadowed",
    "FAILED_PRECONDITION: DNN library initialization failed.\njaxlib                   0.4.23+cuda12.cudnn89\nnvidia-cudnn-cu12        9.1.0.70",
  ],
  [
    "library-wrong-version > library-shadowed",
    "E tensorflow/core/x.cc] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\ntensorflow==2.18.0\nnvidia-cudnn-cu12==8.9.7.29",
  ],
]);
