import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "xformers",
  packages: ["xformers"],
  modules: ["xformers"],
  // It runs inside of torch.
  mapped: [],
});
