import { installed, module, site, wheel } from "../frameworks/python-root.ts";
import type { Files } from "../loader/tree.ts";
import { recordOf } from "./gpu-root.ts";

/** CuPy 14.2.0 with the NVRTC of a wheel; its release decides for which GPUs it compiles. */
export function cupy(nvrtc: string): Files {
  const major = nvrtc.split(".")[0]!;
  const name = major === "13" ? "nvidia-cuda-nvrtc" : `nvidia-cuda-nvrtc-cu${major}`;
  const folder = major === "13" ? "cu13" : "cuda_nvrtc";
  // What the code of NVRTC would tell, the fixture's does not: it asks for the built-in functions of .0.
  const libraries = wheel(folder, { [`libnvrtc.so.${major}`]: { runpath: "$ORIGIN" }, [`libnvrtc-builtins.so.${major}.0`]: {} });
  const blas = wheel(major === "13" ? "cu13" : "cublas", { [`libcublas.so.${major}`]: {}, [`libcublasLt.so.${major}`]: {} });
  return {
    ...installed(`cupy-cuda${major}x`, "14.2.0"),
    ...installed("cuda-pathfinder", "1.8.6"),
    ...installed(name, nvrtc),
    ...recordOf(name, nvrtc, libraries),
    ...libraries,
    ...blas,
    ...Object.fromEntries(["api/runtime", "libs/nvrtc", "libs/cublas"].map((path) => [`${site}/cupy_backends/cuda/${path}.so`, module()])),
  };
}
