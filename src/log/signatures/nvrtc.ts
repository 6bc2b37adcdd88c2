import { notice, type Signature } from "../signature.ts";

/** NVRTC. */
export default [
  {
    literals: ["invalid value for --gpu-architecture"],
    pattern: /nvrtc: error: invalid value for --gpu-architecture \(-arch\)/,
    examples: ["RuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)"],
    facts: () => ({ kind: "arch-refused", tool: "nvrtc" }),
  },
  notice(
    "nvrtc-builtins",
    "failed to open libnvrtc-builtins",
    /failed to open (?<subject>libnvrtc-builtins\.so\.\d{1,2}\.\d{1,2}|nvrtc-builtins64_\d{2,4}\.dll)/,
    "nvrtc: error: failed to open libnvrtc-builtins.so.12.1. Make sure that libnvrtc-builtins.so.12.1 is installed correctly.",
  ),
] satisfies Signature[];
