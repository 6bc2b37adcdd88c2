import step from "../../../packages/core/src/log/causes/lost-torch.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["package-conflict > library-not-on-path", "ImportError: libtorch_cuda_cu.so: cannot open shared object file: No such file or directory"],
  [
    "wrong-vendor > package-conflict > library-not-on-path",
    "OSError: libtorch_hip.so: cannot open shared object file: No such file or directory",
  ],
]);
