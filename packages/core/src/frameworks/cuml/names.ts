import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "cuml",
  packages: ["cuml-cu13", "cuml-cu12", "cuml-cu11", "cuml"],
  modules: ["cuml", "libcuml"],
  mapped: ["/libcuml++.so", "/libcuml.so", "/cuml/"],
  parts: ["libcuml-cu*", "pylibraft-cu*", "libraft-cu*", "libcuvs-cu*"],
  exact: ["libcuml-cu*", "libraft-cu*", "pylibraft-cu*", "libcuvs-cu*"],
  provides: ["libcuml++", "libcuml", "libraft", "libcuvs"],
  asking: ["cuml-cu*", "libcuml-cu*", "libraft-cu*"],
});
