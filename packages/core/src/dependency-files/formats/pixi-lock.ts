import { defineFormat } from "../format.ts";
import { readPixiLock } from "./conda-lock.ts";

export default defineFormat({
  id: "pixi-lock",
  words: "pixi.lock",
  place: 12,
  signs: [{ by: "name", is: ({ name }) => name === "pixi.lock" }],
  read: readPixiLock,
  example: {
    file: "pixi.lock",
    text: "version: 6\nenvironments:\n  default:\n    channels:\n    - url: https://conda.anaconda.org/conda-forge/\n    packages:\n      linux-64:\n      - pypi: https://files.pythonhosted.org/packages/torch-2.4.1-cp311-cp311-manylinux1_x86_64.whl\npackages:\n- pypi: https://files.pythonhosted.org/packages/torch-2.4.1-cp311-cp311-manylinux1_x86_64.whl\n  name: torch\n  version: 2.4.1\n",
  },
});
