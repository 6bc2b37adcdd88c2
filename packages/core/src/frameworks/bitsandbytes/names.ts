import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "bitsandbytes",
  packages: ["bitsandbytes"],
  modules: ["bitsandbytes"],
  mapped: ["/bitsandbytes/"],
  asking: ["bitsandbytes"],
});
