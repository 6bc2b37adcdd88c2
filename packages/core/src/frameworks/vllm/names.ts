import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "vllm",
  packages: ["vllm"],
  modules: ["vllm"],
  mapped: ["/vllm/_C", "/vllm/_moe_C"],
  asking: ["vllm"],
});
