import { describeRule } from "../rule.ts";

export default describeRule({
  id: "cupti-missing",
  title: "CUPTI is not found, so the profile has no GPU",
  cause: "library-missing",
  otherCauses: ["library-not-on-path", "library-wrong-version"],
  severity: "error",
  page: {
    what: "A program asks for `libcupti.so.X` and nothing answers. TensorFlow goes on and writes a profile without the GPU; torch, which is linked against it, cannot be imported; JAX falls back to the CPU.",
    why: "CUPTI is not in the main folder of older toolkits but in `extras/CUPTI/lib64`, which ldconfig is not told about; runtime images leave it out; and its name has the minor release up to CUDA 11, so that 11.8 does not answer for 11.2. TensorFlow 2.14 to 2.18 does not find even the wheel that its own extra installs, because the library that asks has no path to that folder.",
    how: "The search for every name that the framework tries is replayed path by path, and compared with every libcupti on the machine. In a Dockerfile upon an image of nvidia/cuda: TensorFlow of pip without its extra, and neither the image nor apt bring the name; a warning where the image is of another CUDA than TensorFlow or a profiler is installed, else a note.",
    fix: "If the file is there, lead the loader to its folder. Else install the package that brings this very name: the wheel nvidia-cuda-cupti-cuNN, the package cuda-cupti-X-Y of NVIDIA's repository, or the whole toolkit. Do not link another release under the name.",
    observed:
      "With the wheels of TensorFlow 2.5 to 2.21 and a driver library that counts one GPU, watched with LD_DEBUG; with torch and jax on an H200, libcupti moved away.",
  },
});
