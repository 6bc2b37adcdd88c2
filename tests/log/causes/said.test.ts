import step from "../../../packages/core/src/log/causes/said.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["library-shadowed > library-wrong-version", "LD_LIBRARY_PATH names a system CUDA that comes before torch's own libraries"],
  ["package-conflict > wrong-wheel-cuda-version > library-wrong-version", "it installs pytorch 1.12.1 but with cuda 11.3 instead of 11.6"],
  ["library-wrong-version > package-conflict > driver-too-old", "Jax requires a newer version of Cuda"],
  [
    "library-shadowed > library-wrong-version",
    "export LD_LIBRARY_PATH=/opt/old/lib:$LD_LIBRARY_PATH\nHowever, after removing this environment variable things go back to normal",
  ],
]);
