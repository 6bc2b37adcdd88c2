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
    ["libnvrtc-builtins", "nvrtc-builtins64"],
    /(?:failed|unable|could not|couldn't|cannot)(?: to)? (?:open|load|find|locate)(?: library)? ['"`]?(?<subject>libnvrtc-builtins\.so\.\d{1,2}\.\d{1,2}|nvrtc-builtins64_\d{2,4}\.dll)/i,
    "nvrtc: error: failed to open libnvrtc-builtins.so.12.1. Make sure that libnvrtc-builtins.so.12.1 is installed correctly.",
    "nvrtc: error: failed to open nvrtc-builtins64_118.dll.",
  ),
  {
    // NVRTC does not say which option it refuses; where a program prints the options, it is nearly always the architecture.
    literals: ["nvrtc_error_invalid_option"],
    pattern: /NVRTC_ERROR_INVALID_OPTION/,
    examples: ["nvrtcCompileProgram failed: NVRTC_ERROR_INVALID_OPTION"],
    facts: () => ({ kind: "notice", id: "nvrtc-invalid-option" }),
  },
  {
    literals: ["gpu-architecture=", "-arch="],
    pattern: /-(?:-gpu-architecture|arch)[= ](?:sm|compute)_(?<architecture>\d{2,3})\b/,
    examples: ["--std=c++17 --gpu-architecture=sm_89"],
    facts: ({ architecture }) => ({ kind: "notice", id: "nvrtc-architecture", subject: `sm_${architecture}` }),
  },
] satisfies Signature[];
