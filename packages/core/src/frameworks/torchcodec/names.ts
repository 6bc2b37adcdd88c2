import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "torchcodec",
  packages: ["torchcodec"],
  modules: ["torchcodec"],
  // It runs inside of torch.
  mapped: [],
  bundling: { packages: ["torchcodec"], folders: ["torchcodec.libs"] },
});
