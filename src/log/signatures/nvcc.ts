import { notice, type Signature } from "../signature.ts";

/** nvcc and the host_config.h of its headers. */
export default [
  {
    literals: ["unsupported gpu architecture"],
    pattern: /nvcc fatal {1,4}: '?Unsupported gpu architecture '(?<architecture>(?:compute|sm)_\w{2,5})/,
    examples: ["nvcc fatal   : Unsupported gpu architecture 'compute_86'"],
    facts: ({ architecture }) => ({ kind: "arch-refused", tool: "nvcc", architecture: architecture! }),
  },
  notice(
    "nvcc-missing",
    "nvcc",
    /nvcc: (?:command )?not found|No such file or directory: '?[^\n']{0,120}\/nvcc'?|Could not find nvcc|nvcc was not found|Failed to find nvcc|nvcc not in path/i,
    "/bin/sh: 1: nvcc: not found",
    "FileNotFoundError: [Errno 2] No such file or directory: '/usr/local/cuda/bin/nvcc'",
  ),
  notice(
    "host-compiler",
    "unsupported gnu version",
    /unsupported GNU version! gcc versions later than (?<found>\d{1,2})/,
    "#error -- unsupported GNU version! gcc versions later than 11 are not supported!",
  ),
] satisfies Signature[];
