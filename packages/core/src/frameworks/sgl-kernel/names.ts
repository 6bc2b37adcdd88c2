import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "sgl-kernel",
  packages: ["sgl-kernel"],
  modules: ["sgl_kernel"],
  mapped: ["/sgl_kernel/"],
});
