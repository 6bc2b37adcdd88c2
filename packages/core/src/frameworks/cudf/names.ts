import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "cudf",
  packages: ["cudf-cu13", "cudf-cu12", "cudf-cu11", "cudf"],
  modules: ["cudf", "pylibcudf", "libcudf", "libkvikio"],
  mapped: ["/libcudf.so", "/pylibcudf/"],
  parts: ["libcudf-cu*", "pylibcudf-cu*", "libkvikio-cu*"],
  exact: ["libcudf-cu*", "pylibcudf-cu*", "libkvikio-cu*"],
  provides: ["libcudf", "libkvikio"],
  asking: ["cudf-cu*", "libcudf-cu*", "pylibcudf-cu*"],
});
