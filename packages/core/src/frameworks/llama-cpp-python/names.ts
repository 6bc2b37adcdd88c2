import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "llama-cpp-python",
  packages: ["llama-cpp-python"],
  modules: ["llama_cpp"],
  mapped: ["/llama_cpp/lib/"],
});
