import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "cupy",
  packages: ["cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy"],
  modules: ["cupy"],
  mapped: ["/cupy/", "/cupy_backends/"],
  solve: { name: "cupy", rank: 4 },
  otherBuilds: ["cupy-cuda*"],
  conda: { cupy: "cupy" },
  condaBuilds: {
    package: "cupy",
    withGpu: [],
    withoutGpu: [],
    choosesNone: [],
    follow: [],
    upon: ["cuml", "cudf", "cugraph", "cuspatial", "rapids"],
  },
  sameFolder: ["cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x"],
  perCudaMajor: "cupy-cuda*x",
  asking: ["cupy", "cupy-cuda*"],
});
