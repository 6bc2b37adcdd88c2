import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "triton",
  packages: ["triton"],
  modules: ["triton"],
  // It runs inside of others, mostly of torch.
  mapped: [],
  comesAlong: true,
  otherBuilds: ["pytorch-triton"],
  asking: ["triton", "pytorch-triton"],
  exact: ["triton", "pytorch-triton"],
  bundling: { packages: ["triton"], folders: ["triton/backends/nvidia/lib/cupti"] },
});
