import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

// Of the reasons only this one speaks of a start (ERROR_DLL_INIT_FAILED), whatever the language.
const startOf = /initiali[sz]|初始化|инициализ|initialis|inicializa|初期化|초기화|inizializza/i;

// ERROR_PROC_NOT_FOUND speaks of a procedure; Chinese calls it a program.
const functionOf = /procedure|specified program|proc[ée]d|procedimiento|prozedur|процедур|程序|プロシージャ|프로시저/i;

/** The loader of Windows, in the words of Python and ctypes. */
export default [
  {
    // What Windows shows in a box of its own, told with the files' names.
    literals: ["64_8.dll", "64_9.dll", "64_7.dll"],
    pattern:
      /^\s{0,8}[-*]?\s{0,4}[`'"]?(?<subject>cudnn_\w{3,24}64_\d\.dll)[`'"]?\s{0,4}$|entry point[^\n]{0,80}(?<found>cudnn_\w{3,24}64_\d\.dll)/i,
    examples: ["cudnn_adv_infer64_8.dll", "The procedure entry point could not be located in cudnn_cnn_train64_8.dll"],
    facts: ({ subject, found }) => ({ kind: "notice", id: "cudnn-part-named", subject: (subject ?? found)! }),
  },
  {
    // In two words, as a title says it.
    literals: [".dll missing", ".dll is missing", ".dll are missing", ".dll not found", ".dll was not found"],
    pattern: /(?<![\w./\\-])(?<name>(?:cu|nv)[a-z_]{2,30}\d{2}_[\d._]{1,12}\.dll)(?: is| was| are)? (?:missing|not found)/i,
    examples: ["cublas64_12.dll missing", "cudart64_110.dll not found"],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "loader" }),
  },
  notice(
    "entry-point-told",
    "entry point",
    /\bentry point\b[^\n]{0,24}\b(?:not found|could not be located|missing)|["']entry point not found["']/i,
    'starting it gives errors about "entry point not found" for files:',
  ),
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
    pattern:
      /\[?\bWinError (?<code>126|127|193|1114)\b\]?[^\n]{0,200}?(?:Error loading |['"])(?<quoted>"?)(?<file>[^"'\n]{1,300}\.(?:dll|pyd))/,
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
  {
    // cuDNN 8 on Windows unpacks its kernels with this one, which it does not bring.
    literals: ["zlibwapi.dll", "zlibwapi"],
    pattern:
      /Could not (?:locate|load)(?: library)? (?<name>zlibwapi\.dll)|(?<other>zlibwapi\.dll)["']? (?:is missing|was not found|not found|could not be (?:found|loaded))/i,
    examples: ["Could not locate zlibwapi.dll. Please make sure it is in your library path!"],
    facts: () => ({ kind: "notice", id: "zlib-for-cudnn" }),
    notice: "zlib-for-cudnn",
    means: {
      weight: weights.refused,
      name: "zlibwapi.dll",
      required: "zlibwapi.dll on PATH, which cuDNN 8 opens",
      found: "none",
      next: ["where zlibwapi.dll cudnn64_8.dll"],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "cuDNN 8 opens `zlibwapi.dll` on Windows, and no package of NVIDIA's brings it",
          fixes: [
            fix("put the 64-bit zlibwapi.dll, as NVIDIA's cuDNN guide names it, into a folder of PATH, such as the `bin` folder of CUDA"),
            fix("or use a program that is built for cuDNN 9, which does without"),
          ],
        },
        { cause: "library-not-on-path", message: "or it lies in a folder that is not on PATH", fixes: [] },
      ],
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
