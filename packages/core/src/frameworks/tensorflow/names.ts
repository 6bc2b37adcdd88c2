import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "tensorflow",
  packages: ["tensorflow", "tensorflow-gpu", "tf-nightly", "tensorflow-cpu"],
  modules: ["tensorflow"],
  provides: ["libtensorflow_framework", "libtensorflow_cc"],
  mapped: ["/tensorflow/libtensorflow_", "/tensorflow/python/"],
  solve: { name: "tensorflow", rank: 2 },
  aliases: ["tensorflow-gpu", "tf"],
  otherBuilds: [
    "tf-nightly-cpu",
    "tensorflow-intel",
    "intel-tensorflow",
    "tensorflow-rocm",
    "tensorflow-cpu-aws",
    "tensorflow-aarch64",
    "nvidia-tensorflow",
  ],
  sameFolder: ["tensorflow", "tensorflow-gpu", "tensorflow-cpu"],
  withoutGpu: ["tensorflow-cpu"],
  asking: ["tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tf-nightly"],
  needsPath: true,
  bundling: { packages: ["tensorflow", "tensorflow-cpu", "tensorflow-gpu"], folders: [] },
  conda: { tensorflow: "tensorflow", "tensorflow-gpu": "tensorflow" },
  profilesWithCupti: true,
  ngc: { image: "tensorflow", packages: ["tensorflow"] },
});
