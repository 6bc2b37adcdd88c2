import { notice, type Signature } from "../signature.ts";

// Of the reasons only this one speaks of a start (ERROR_DLL_INIT_FAILED), whatever the language.
const startOf = /initiali[sz]|初始化|инициализ|initialis|inicializa|初期化|초기화|inizializza/i;

// ERROR_PROC_NOT_FOUND speaks of a procedure; Chinese calls it a program.
const functionOf = /procedure|proc[ée]d|procedimiento|prozedur|процедур|程序|プロシージャ|프로시저/i;

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
        : {
            kind: "notice",
            id: code === "126" ? "dll-not-found" : code === "1114" ? "dll-not-started" : "dll-refused",
            subject: file!,
          },
  },
  notice(
    // ctypes before Python 3.8, which does not say which module; in the language of the system.
    "dll-not-found",
    "winerror 126",
    /\[WinError 126\] (?![^\n]{0,200}["'][^\n]{1,300}\.(?:dll|pyd))[^\n"']{4,80}$/,
    "OSError: [WinError 126] The specified module could not be found",
    "OSError: [WinError 126] 找不到指定的模块。",
  ),
  {
    // import of an extension: FormatMessage gives the reason in the language of the system, so only its marks tell which it is.
    literals: ["dll load failed"],
    pattern: /DLL load failed(?: while importing (?<subject>\w{2,60}))?: (?<reason>(?!%1)[^\n]{4,200})/,
    examples: [
      "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.",
      "ImportError: DLL load failed: Не найден указанный модуль.",
      "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: A dynamic link library (DLL) initialization routine failed.",
      "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: 动态链接库(DLL)初始化例程失败。",
    ],
    facts: ({ subject, reason }) => ({
      kind: "notice",
      id: startOf.test(reason!) ? "dll-not-started" : functionOf.test(reason!) ? "dll-refused" : "dll-load-failed",
      ...(subject === undefined ? {} : { subject }),
    }),
  },
] satisfies Signature[];
