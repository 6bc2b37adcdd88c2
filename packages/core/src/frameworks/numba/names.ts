import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "numba",
  packages: ["numba-cuda", "numba"],
  modules: ["numba"],
  mapped: ["/numba/"],
  asking: ["numba-cuda"],
  mostlyWithoutGpu: ["numba"],
});
