import step from "../../../packages/core/src/log/causes/lost-torch.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "wrong-vendor",
    "torch 2.5.1+rocm6.2 on a Radeon 780M\nOSError: libtorch_cuda.so: cannot open shared object file: No such file or directory",
  ],
  ["package-conflict > library-not-on-path", "ImportError: libtorch_cuda_cu.so: cannot open shared object file: No such file or directory"],
  [
    "wrong-vendor > package-conflict > library-not-on-path",
    "OSError: libtorch_hip.so: cannot open shared object file: No such file or directory",
  ],
]);
