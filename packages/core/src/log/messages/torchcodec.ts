import { notice, type Signature } from "../signature.ts";

/** torchcodec: _internally_replaced_utils.py and ops.py, which try one library for each release of FFmpeg. */
export default [
  notice(
    "torchcodec-lost",
    ["could not load libtorchcodec", "libtorchcodec"],
    /Could not load this library: \S{1,300}(?<subject>libtorchcodec_\w{2,20}\.(?:dll|so|dylib))|Could not load libtorchcodec\b/,
    " FFmpeg version 8: Could not load this library: C:\\venv\\Lib\\site-packages\\torchcodec\\libtorchcodec_core8.dll",
    "RuntimeError: Could not load libtorchcodec. Likely causes:",
  ),
  {
    literals: ["the pytorch version ("],
    pattern: /2\. The PyTorch version \((?<version>\d{1,2}\.\d{1,3}\.\d{1,3}[\w.+]{0,40})\) is not compatible with/,
    examples: ["          2. The PyTorch version (2.6.0+cu124) is not compatible with"],
    facts: ({ version }) => ({ kind: "framework", id: "torch", version: version! }),
  },
] satisfies Signature[];
