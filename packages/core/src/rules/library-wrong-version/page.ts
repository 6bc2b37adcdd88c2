import { describeRule } from "../rule.ts";

export default describeRule({
  id: "library-wrong-version",
  title: "Another version is found than the one it was built for",
  cause: "library-wrong-version",
  severity: "error",
  page: {
    what: "The library is there, but in a version that the program refuses, that lacks a symbol it needs, or under a name with another number.",
    why: "A framework is compiled against one release. The loader checks names, symbol versions and symbols; frameworks check numbers by themselves: torch and XLA take no older minor of cuDNN, JAX has minimums for CUDA, cuBLAS, cuSPARSE and CUPTI.",
    how: "The version is read from the constant in the library's own version function, and compared with what the framework was compiled for; symbols are looked up in the very files that would be loaded.",
    fix: "Install the version that the framework pins, in the environment of that framework.",
    observed: "On an H200: torch with cuDNN 9.14 in the place of 9.19, a libcupti of CUDA 11 in the place of 13.",
  },
});
