import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "ucxx",
  packages: ["ucxx-cu13", "ucxx-cu12", "ucxx-cu11", "ucxx"],
  modules: ["ucxx", "libucxx"],
  mapped: ["/libucxx.so", "/ucxx/_lib/"],
  parts: ["libucxx-cu*"],
  exact: ["libucxx-cu*"],
  provides: ["libucxx", "libucxx_python"],
  asking: ["ucxx-cu*", "libucxx-cu*"],
});
