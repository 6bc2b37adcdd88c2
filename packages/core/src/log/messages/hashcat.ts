import { notice, type Signature } from "../signature.ts";

/** hashcat (src/backend.c). */
export default [
  notice(
    "hashcat-toolkit",
    ["outdated nvidia cuda toolkit version", "outdated nvidia nvrtc"],
    /Outdated NVIDIA (?:CUDA Toolkit|NVRTC driver) version '(?<found>\d{1,6}(?:\.\d{1,3})?)' detected/,
    "Outdated NVIDIA CUDA Toolkit version '9000' detected!",
  ),
] satisfies Signature[];
