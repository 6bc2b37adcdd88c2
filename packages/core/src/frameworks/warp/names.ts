import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "warp",
  packages: ["warp-lang"],
  modules: ["warp"],
  mapped: ["/warp/bin/"],
});
