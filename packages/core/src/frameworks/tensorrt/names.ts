import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "tensorrt",
  packages: ["tensorrt-cu13-bindings", "tensorrt-cu12-bindings", "tensorrt-cu11-bindings", "tensorrt-bindings", "tensorrt"],
  modules: ["tensorrt", "tensorrt_bindings"],
  mapped: ["/tensorrt_bindings/", "/tensorrt/tensorrt.so", "/tensorrt_libs/"],
  parts: ["tensorrt-cu*", "tensorrt-cu*-libs", "tensorrt-libs"],
  asking: ["tensorrt", "tensorrt-cu*"],
});
