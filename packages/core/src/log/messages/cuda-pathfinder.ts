import type { Signature } from "../signature.ts";

/** cuda.pathfinder, which CuPy, Numba and cuda-python ask since their newer releases. */
export default [
  {
    // cuda-pathfinder, which CuPy, Numba and cuda-python ask since their newer releases.
    literals: ["failure finding"],
    pattern: /Failure finding "(?<name>lib[\w.+-]{3,80}|[\w.]{3,40}\.dll)(?: or [\w. +-]{3,200})?": No such file/,
    examples: [
      'cuda.pathfinder._dynamic_libs.load_dl_common.DynamicLibNotFoundError: Failure finding "libnvrtc.so.13 or libnvrtc.so.12": No such file: libnvrtc.so.13 or libnvrtc.so.12',
    ],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "cuda-pathfinder" }),
  },
] satisfies Signature[];
