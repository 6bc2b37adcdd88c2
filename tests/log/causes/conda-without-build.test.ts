import step from "../../../packages/core/src/log/causes/conda-without-build.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["wrong-wheel-cpu-only", "conda install pytorch==1.8.1 torchvision cudatoolkit=11.3 -c pytorch\n>>> torch.cuda.is_available()\nFalse"],
  ["wrong-wheel-cpu-only", "conda install -c pytorch -c nvidia pytorch=2.1.0 pytorch-cuda=12.4\ntorch.cuda.is_available() is False"],
]);
