import step from "../../../packages/core/src/log/causes/package-conflicts.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "package-conflict",
    "conda install -c rapidsai cuml=0.16\nUnsatisfiableError: The following specifications were found to be incompatible with each other:",
  ],
  [
    "package-conflict > upstream-bug",
    "The conflict is caused by:\n    torch 2.5.1+cu124 depends on nvidia-cudnn-cu12==9.1.0.70; platform_system == 'Linux'\nERROR: ResolutionImpossible: for help visit https://pip.pypa.io/en/latest/topics/dependency-resolution/",
  ],
  [
    "package-conflict",
    " Problem 1: package cuda-drivers-550.54.15-1.x86_64 requires nvidia-driver >= 3:550.54.15, but none of the providers can be installed",
  ],
  [
    "package-conflict",
    'torch 2.2.1+cu121 requires nvidia-cublas-cu12==12.1.3.1; platform_system == "Linux" and platform_machine == "x86_64", which is not installed.',
  ],
  ["package-conflict", "torchaudio 2.0.2+cu118 requires torch==2.0.1, but you have torch 1.13.1+cu117 which is incompatible."],
  ["package-conflict", "ERROR: torchvision 0.9.1 has requirement torch==1.8.1, but you'll have torch 1.11.0 which is incompatible."],
  [
    "package-conflict",
    "ERROR: Cannot install torch==2.1.0 and torchvision==0.15.0 because these package versions have conflicting dependencies.",
  ],
  ["package-conflict", "  - nothing provides cuda 11.8.* needed by pytorch-cuda-11.8-h7e8668a_3"],
]);
