import step from "../../../packages/core/src/log/causes/tensorflow-without-gpu.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "package-conflict > wrong-wheel-cpu-only",
    "tensorflow           1.14.0\ntensorflow-gpu       1.14.0\nDevice mapping: no known devices.",
  ],
  ["wrong-wheel-cpu-only", "I did pip install tensorflow (1.4), and it lists only /cpu:0"],
  [
    "library-missing > library-not-on-path > library-wrong-version",
    "W tensorflow/core/common_runtime/gpu/gpu_device.cc:1766] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU.",
  ],
  ["wrong-wheel-cpu-only", ">>> print(tf.test.is_built_with_cuda()) False"],
  ["wrong-wheel-cpu-only > library-missing > library-not-on-path > library-wrong-version > driver-not-exposed", "Is GPU available? []"],
  [
    "library-missing > library-not-on-path > library-wrong-version > driver-not-exposed",
    "Cannot assign a device for operation MatMul: node MatMul was explicitly assigned to /device:GPU:0 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0, /job:localhost/replica:0/task:0/device:XLA_GPU:0 ]. Make sure the device specification refers to a valid device.",
  ],
  ["wrong-wheel-cpu-only > wrong-wheel-platform", "C:\\Users\\me>python\n>>> print(tf.test.is_built_with_cuda()) False"],
  [
    "library-missing > library-not-on-path > library-wrong-version > upstream-bug",
    "TensorFlow 2.16.1\nCannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly.\nSkipping registering GPU devices...",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version",
    'pip install "tensorflow[and-cuda]==2.18.0"\nTensorFlow version 2.18.0\nCannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly',
  ],
]);
