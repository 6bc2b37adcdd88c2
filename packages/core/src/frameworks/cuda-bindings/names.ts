import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "cuda-bindings",
  packages: ["cuda-bindings"],
  modules: ["cuda.bindings"],
  mapped: ["/cuda/bindings/"],
});
