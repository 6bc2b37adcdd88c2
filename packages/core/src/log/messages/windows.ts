import { notice, type Signature } from "../signature.ts";

/** The loader of Windows, in the words of Python and ctypes. */
export default [
  {
    // ctypes, whose words stand for every library; only those of this stack count.
    literals: ["or one of its dependencies). try using the full path"],
    pattern:
      /Could not find module '(?<subject>[^'\n]{0,300}(?:cuda|cudnn|cublas|nvrtc|nvinfer|ggml|llama|torch|onnxruntime|bitsandbytes|ctranslate2)[^'\n\\/]{0,60}\.dll)' \(or one of its dependencies\)/i,
    examples: [
      "FileNotFoundError: Could not find module 'C:\\venv\\llama_cpp\\lib\\ggml-cuda.dll' (or one of its dependencies). Try using the full path with constructor syntax.",
    ],
    facts: ({ subject }) => ({ kind: "notice", id: "dll-not-found", subject: subject! }),
  },
  {
    literals: ["winerror 126", "winerror 127", "winerror 193", "winerror 1114"],
    pattern: /\[WinError (?<code>126|127|193|1114)\][^\n]{0,200}?(?:Error loading |['"])(?<quoted>"?)(?<file>[^"'\n]{1,300}\.(?:dll|pyd))/,
    examples: [
      'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\venv\\torch\\lib\\cudnn_cnn_infer64_8.dll" or one of its dependencies.',
    ],
    facts: ({ code, file }) =>
      code === "193"
        ? { kind: "damaged", file: file!, reason: "wrong-class" }
        : { kind: "notice", id: code === "126" ? "dll-not-found" : "dll-refused", subject: file! },
  },
  notice(
    // ctypes before Python 3.8, which does not say which module.
    "dll-not-found",
    "winerror 126",
    /\[WinError 126\] The specified module could not be found\.?$/,
    "OSError: [WinError 126] The specified module could not be found",
  ),
  notice(
    "dll-load-failed",
    "dll load failed",
    /DLL load failed(?: while importing (?<subject>\w{2,60}))?: (?:The specified (?:module|procedure) could not be found|A dynamic link library)/,
    "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.",
  ),
] satisfies Signature[];
