import { notice, type Signature } from "../signature.ts";

/** cupy_backends/cuda/_softlink.pyx, cupy/_environment.py. */
export default [
  {
    literals: ["cupy failed to load"],
    pattern: /CuPy failed to load (?<name>[\w.+-]{3,80})(?:: \w{2,30}: (?:(?<inner>[^\s:]{1,200}): cannot open)?)?/,
    examples: [
      "RuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file: No such file or directory",
    ],
    facts: ({ name, inner }) => ({
      kind: "not-found",
      name: inner ?? name!,
      by: "cupy",
      ...(inner !== undefined && inner !== name ? { wantedBy: name! } : {}),
    }),
  },
  notice(
    "cupy-two-packages",
    "multiple cupy packages are installed",
    /CuPy may not function correctly because multiple CuPy packages are installed/,
    "UserWarning: CuPy may not function correctly because multiple CuPy packages are installed in your environment: cupy-cuda11x, cupy-cuda12x",
  ),
  notice(
    "cuda-path-missing",
    "cuda path could not be detected",
    /CUDA path could not be detected/,
    "UserWarning: CUDA path could not be detected. Set CUDA_PATH environment variable if CuPy fails to load.",
  ),
] satisfies Signature[];
