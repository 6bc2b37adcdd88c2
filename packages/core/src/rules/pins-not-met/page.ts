import { describeRule } from "../rule.ts";

export default describeRule({
  id: "pins-not-met",
  title: "A package is there in another version than a framework asks for",
  cause: "package-conflict",
  severity: "error",
  page: {
    what: "The metadata of an installed framework asks for NVIDIA's wheels, triton, jaxlib or torch in versions that are not the installed ones.",
    why: "A later `pip install` for another package replaced them (pip warns once and goes on), a framework was installed with `--no-deps`, or two frameworks of one environment pin different versions. A framework is built and tested with what it pins: an older library may lack symbols, another major has other names, and torchvision, triton and jaxlib fit one release only.",
    how: "Every Requires-Dist line that applies here (PEP 508 markers, extras that another package asks for or that are all there) is compared with the installed version (PEP 440). Newer within the same major is only unusual.",
    fix: "Install the pinned versions, or give each framework its own environment.",
    observed:
      "With torch 2.6, jax 0.7 and torchvision from PyPI, their pins swapped: an older cuDNN is refused by torch at the first recurrent layer and by jax at the first convolution, an older nvJitLink ends the import with an undefined symbol, jax refuses another jaxlib when it is imported, and torchvision for another torch is not loaded, or is loaded and its operators land at another device.",
  },
});
