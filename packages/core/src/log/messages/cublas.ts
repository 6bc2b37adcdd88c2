import type { Signature } from "../signature.ts";

/** cuBLAS. */
export default [
  {
    literals: ["cublas_status_"],
    pattern: /(?<status>CUBLAS_STATUS_(?!SUCCESS)[A-Z_]{4,40})/,
    examples: ["[FT][ERROR] CUDA runtime error: CUBLAS_STATUS_ARCH_MISMATCH open_attention.h:100"],
    facts: ({ status }) => ({ kind: "cublas-status", status: status! }),
  },
] satisfies Signature[];
