import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "numba-cuda-mlir",
  packages: ["numba-cuda-mlir"],
  modules: ["numba_cuda_mlir"],
  mapped: ["/numba_cuda_mlir/"],
  asking: ["numba-cuda-mlir"],
});
