import { describeRule } from "../rule.ts";

export default describeRule({
  id: "built-for-another-cuda",
  title: "A companion of torch was built for another CUDA",
  cause: "wrong-wheel-cuda-version",
  severity: "warning",
  page: {
    what: "torchvision, torchaudio or xformers was built for another CUDA than torch, or without CUDA: the labels behind the plus sign of their versions differ (`+cu124`, `+cpu`).",
    why: "They came from different indexes: `pip install torchvision` without the index that torch was installed from. The release may fit and the CUDA not.",
    how: "The label of the installed version is compared with torch/version.py; in a dependency file, with the build of torch that its index or its own label names. A package without a label (all of PyPI) is not judged.",
    fix: "Install both with one command, from one index.",
    observed:
      "The comparison of majors was read in torchvision 0.21 (“compiled with different CUDA major versions”). That operators without CUDA raise NotImplementedError is known from reports only.",
  },
});
