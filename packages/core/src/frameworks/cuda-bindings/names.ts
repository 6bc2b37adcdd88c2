import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "cuda-bindings",
  packages: ["cuda-bindings"],
  modules: ["cuda.bindings"],
  // What is written in Python, or in Cython upon its modules: they open nothing by themselves.
  parts: ["cuda-core", "cuda-pathfinder", "cuda-python"],
  mapped: ["/cuda/bindings/"],
});
