import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "rmm",
  packages: ["rmm-cu13", "rmm-cu12", "rmm-cu11", "rmm"],
  modules: ["rmm", "librmm", "rapids_logger"],
  mapped: ["/rmm/pylibrmm/", "/librmm.so"],
  parts: ["librmm", "librmm-cu*", "rapids-logger"],
  exact: ["librmm-cu*", "rmm-cu*", "rapids-logger"],
  provides: ["librmm", "librapids_logger"],
  asking: ["rmm-cu*", "librmm-cu*"],
});
