import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "torchvision",
  packages: ["torchvision"],
  modules: ["torchvision"],
  // It runs inside of torch.
  mapped: [],
  bundling: { packages: ["torchvision"], folders: ["torchvision.libs"] },
});
