import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "deepspeed",
  packages: ["deepspeed"],
  modules: ["deepspeed"],
  mapped: ["/deepspeed/ops/"],
  startsNvcc: true,
});
