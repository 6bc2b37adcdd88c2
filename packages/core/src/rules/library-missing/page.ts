import { describeRule } from "../rule.ts";

export default describeRule({
  id: "library-missing",
  title: "A library is not installed anywhere",
  cause: "library-missing",
  severity: "error",
  page: {
    what: "A program asks for a library under an exact name, and no file of that name was found on the machine.",
    why: "Names carry the version: `libcupti.so.11.2` is not satisfied by `libcupti.so.11.7`. A framework's wheel that does not bring its libraries, or an installation without its CUDA extra, leaves them to chance.",
    how: "The loader's search is replayed path by path, and every copy of every known library on the machine is listed; none has that name. What the same program misses besides is told with it, and what its own metadata would bring is looked up there. Of a list for pip alone it is a warning, where a GPU is asked about and TensorFlow comes without its extra, or where onnxruntime-gpu is for another CUDA than the wheels beside it: the machine may have what pip does not bring.",
    fix: "Install the framework with its own libraries (`tensorflow[and-cuda]`, `jax[cuda12]`), in the release that is there; else the package that brings that very name, and for a program that looks into no wheel a way to it. Do not link another version under the name.",
    observed:
      "On an H200 with single libraries moved away; with the wheels of TensorFlow 2.8.0 and 2.17.1 and jax 0.6.2 without NVIDIA's, healed and undone, with a driver library that counts one GPU. That jax before 0.6.1 stops at its first computation is known from reports.",
  },
});
