import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "flash-attn",
  packages: ["flash-attn"],
  modules: ["flash_attn"],
  // It runs inside of torch.
  mapped: [],
});
