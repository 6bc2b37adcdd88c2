import { describeRule } from "../rule.ts";

export default describeRule({
  id: "packages-overwrite-each-other",
  title: "Two packages claim the same files",
  cause: "package-conflict",
  severity: "error",
  page: {
    what: "Two installed packages say that they brought one and the same file, with different contents. Only the one that came last is there.",
    why: "NVIDIA's wheels for CUDA 12 and 13 have different names and the same paths (`nvidia-cudnn-cu12` and `nvidia-cudnn-cu13` both fill `nvidia/cudnn/lib`), and so have a package and its variants (`onnxruntime` and `onnxruntime-gpu`, `cupy-cuda12x` and `cupy-cuda13x`). pip does not notice, and whoever removes one of them takes the files of the other along.",
    how: "The RECORD files of all packages of an environment are compared; the size of the file, or the version in it, says whose it is.",
    fix: "Remove both, then install the one that is needed: removing only one deletes the other's files.",
    observed: "With nvidia-cudnn-cu12 and -cu13, and onnxruntime and onnxruntime-gpu from PyPI, in both orders.",
  },
});
