import { describeRule } from "../rule.ts";

export default describeRule({
  id: "cpu-only-build",
  title: "This build of a framework has no CUDA",
  cause: "wrong-wheel-cpu-only",
  severity: "error",
  page: {
    what: "The installed package was built without CUDA. No driver and no toolkit will make it see a GPU.",
    why: "`pip install` chose the build of the default index, a requirement without the CUDA extra, or with one that the release no longer has (`jax[cuda11_pip]`: pip only warns), or a package whose name says so (`tensorflow-cpu`, `onnxruntime`). A later installation may have replaced a GPU build.",
    how: "It is an error where the framework is asked for or lies upon its own build with CUDA, a warning where a GPU is there or asked about and nothing else of the environment uses it, else a note. What the package's own files say about the build: torch/version.py, TensorFlow's build_info.py, JAX without a CUDA plugin, ONNX Runtime without its CUDA provider.",
    fix: "Install the build for the CUDA release that your driver runs.",
    observed: "With the CPU builds of tensorflow, jax and onnxruntime from PyPI; torch by what its version.py says.",
  },
});
