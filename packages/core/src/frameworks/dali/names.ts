import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "dali",
  packages: ["nvidia-dali-cuda130", "nvidia-dali-cuda120", "nvidia-dali-cuda110"],
  modules: ["nvidia.dali"],
  mapped: ["/nvidia/dali/"],
});
