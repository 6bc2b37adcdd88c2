import { dottedCudnn } from "../../knowledge/cudnn.ts";
import { notice, type Signature } from "../signature.ts";

/** Programs with one or two messages of their own: Caffe, Caffe2, Paddle, MXNet, TensorRT, Numba, PyCUDA, CTranslate2, RAPIDS, Windows. */
export default [
  {
    literals: ["versions mismatch"],
    pattern: /cuDNN compiled \((?<required>\d{4,5})\) and runtime \((?<found>\d{4,5})\) versions mismatch/i,
    examples: ["[enforce fail at common_cudnn.h:118] version_match. cuDNN compiled (7005) and runtime (7003) versions mismatch"],
    facts: ({ required, found }) => ({
      kind: "version-pair",
      library: "cudnn",
      required: dottedCudnn(Number(required)),
      found: dottedCudnn(Number(found)),
      by: "caffe2",
    }),
  },
  {
    literals: ["cudnn_version from cudnn.h"],
    pattern: /cudnnGetVersion\(\) : (?<found>\d{4,6}) ?, CUDNN_VERSION from cudnn\.h : (?<required>\d{4,6})/,
    examples: ["cudnnGetVersion() : 7102 , CUDNN_VERSION from cudnn.h : 7401 (7.4.1)"],
    facts: ({ required, found }) =>
      required === found
        ? undefined
        : {
            kind: "version-pair",
            library: "cudnn",
            required: dottedCudnn(Number(required)),
            found: dottedCudnn(Number(found)),
            by: "sample",
            hint: "header",
          },
  },
  {
    // Paddle: https://github.com/PaddlePaddle/Paddle paddle/fluid/platform/device_context.cc
    literals: ["runtime api version"],
    pattern:
      /GPU Compute Capability: (?<capability>\d{1,2}\.\d), Driver API Version: (?<driver>\d{1,2}\.\d{1,2}), Runtime API Version: (?<runtime>\d{1,2}\.\d{1,2})/,
    examples: [
      "W0101 00:00:00.000000 10000 device_context.cc:447] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 11.4, Runtime API Version: 10.2",
    ],
    facts: ({ capability, driver, runtime }) => [
      { kind: "gpu", capability: capability! },
      { kind: "driver-cuda", version: driver! },
      { kind: "framework", id: "paddle", cuda: runtime! },
    ],
  },
  {
    // Paddle opens its libraries itself, and tries several names of one.
    literals: ["that paddle depends on is not configured"],
    pattern: /third-party dynamic library \((?<names>[\w.;+-]{5,160})\) that Paddle depends on is not configured correctly/,
    examples: [
      "RuntimeError: (PreconditionNotMet) The third-party dynamic library (cublas64_102.dll;cublas64_10.dll) that Paddle depends on is not configured correctly. (error code is 126)",
    ],
    facts: ({ names }) => ({ kind: "not-found", name: names!.split(";").at(-1)!, by: "paddle" }),
  },
  {
    literals: ["copy cudnn into cuda installation directory"],
    pattern: /Note: \[Recommend\] copy cudnn into CUDA installation directory/,
    examples: ["W0101 00:00:00.000000 10000 dynamic_loader.cc:238] Note: [Recommend] copy cudnn into CUDA installation directory."],
    facts: () => ({ kind: "unable-to-load", library: "cudnn", by: "paddle" }),
  },
  {
    literals: ["or newer architecture is required"],
    pattern: /A GPU with NVIDIA \w{4,12}(?:\u2122)? \(Compute Capability (?<minimum>\d{1,2}\.\d)\) or newer architecture is required/,
    examples: ["UserWarning: A GPU with NVIDIA Volta\u2122 (Compute Capability 7.0) or newer architecture is required."],
    facts: ({ minimum }) => ({ kind: "gpu-unsupported", supported: `${minimum} or newer`, by: "rapids", tooOld: true }),
  },
  {
    literals: ["detected gpu ", "detected compute capability"],
    pattern: /^Detected (?:GPU \d{1,2}: (?<name>[\w][\w ()/-]{2,60})|Compute Capability: (?<capability>\d{1,2}\.\d))/,
    examples: ["Detected GPU 0: Tesla M60", "Detected Compute Capability: 5.2"],
    facts: ({ name, capability }) => ({
      kind: "gpu",
      ...(name === undefined ? {} : { name: name.trim() }),
      ...(capability === undefined ? {} : { capability }),
    }),
    single: true,
  },
  {
    literals: ["requires minor version compatibility", "cuda toolkit is newer than cuda driver"],
    pattern:
      /Using CUDA toolkit version \((?<major>\d{1,2}), ?(?<minor>\d{1,2})\) with CUDA driver version \((?<has>\d{1,2}), ?(?<hasMinor>\d{1,2})\) requires minor version compatibility|CUDA Toolkit is newer than CUDA driver/,
    examples: [
      "UserWarning: Using CUDA toolkit version (12, 3) with CUDA driver version (12, 2) requires minor version compatibility, which is not yet supported for CUDA driver versions 12.0 and above.",
      "UserWarning: CUDA Toolkit is newer than CUDA driver. Numba features will not work in this configuration.",
    ],
    facts: ({ major, minor, has, hasMinor }) => ({
      kind: "notice",
      id: "toolkit-newer-than-driver",
      ...(major === undefined ? {} : { required: `${major}.${minor}`, found: `${has}.${hasMinor}` }),
    }),
  },
  notice(
    "dali-plugin",
    "no matching dali plugin",
    /No matching DALI plugin found for installed TensorFlow version/,
    "Exception: No matching DALI plugin found for installed TensorFlow version",
  ),
  {
    literals: ["installed cuda version", "installed paddle"],
    pattern:
      /(?:WARNING: )?device: \d{1,2}\. The installed Paddle is compiled with CU(?<library>DNN|DA) (?<required>\d{1,2}\.\d{1,2}), but CU\w{2,3} version in your machine is (?<found>\d{1,2}\.\d{1,2})/,
    examples: [
      "WARNING: device: 0. The installed Paddle is compiled with CUDNN 8.2, but CUDNN version in your machine is 8.1, which may cause serious incompatible bug. Please recompile or reinstall Paddle with compatible CUDNN version.",
    ],
    facts: ({ library, required, found }) => ({
      kind: "version-pair",
      library: library === "DNN" ? "cudnn" : "cudart",
      required: required!,
      found: found!,
      by: "paddle",
    }),
  },
  {
    literals: ["mismatched gpu architecture", "compiled with cuda"],
    pattern: /The installed Paddle is compiled with CUDA (?<required>\d{1,2}\.\d{1,2}) and the (?:current )?(?:GPU|device)/,
    examples: ["The installed Paddle is compiled with CUDA 10.2 and the device is"],
    facts: ({ required }) => ({ kind: "framework", id: "paddle", cuda: required! }),
  },
  {
    literals: ["linked against cudnn", "linked against cublas"],
    pattern:
      /TensorRT was linked against (?<name>cuDNN|cuBLAS\/cuBLAS ?LT|cuBLAS) (?<required>\d{1,2}\.\d{1,2}\.\d{1,3}) but loaded (?:cuDNN|cuBLAS\/cuBLAS ?LT|cuBLAS) (?<found>\d{1,2}\.\d{1,2}\.\d{1,3})/,
    examples: ["[W] [TRT] TensorRT was linked against cuDNN 8.6.0 but loaded cuDNN 8.3.2"],
    facts: ({ name, required, found }) => ({
      kind: "version-pair",
      library: name === "cuDNN" ? "cudnn" : "cublas",
      required: required!,
      found: found!,
      by: "tensorrt",
    }),
  },
  {
    literals: ["engine plan file is not compatible", "version tag does not match"],
    pattern:
      /engine plan file is not compatible with this version of TensorRT(?:, expecting library version (?<required>\d{1,2}(?:\.\d{1,3}){1,4}) got (?<found>\d{1,2}(?:\.\d{1,3}){1,4}))?|Version tag does not match/,
    examples: [
      "6: The engine plan file is not compatible with this version of TensorRT, expecting library version 8.6.1 got 8.5.2, please rebuild.",
      "1: Serialization (Serialization assertion stdVersionRead == serializationVersion failed.Version tag does not match. Note: Current Version: 213, Serialized Engine Version: 205)",
    ],
    facts: ({ required, found }) => ({
      kind: "notice",
      id: "trt-engine",
      ...(required === undefined ? {} : { required }),
      ...(found === undefined ? {} : { found }),
    }),
  },
  {
    literals: ["generated on an incompatible device"],
    pattern:
      /engine plan file is generated on an incompatible device, expecting compute (?<capability>\d{1,2}\.\d) got compute (?<supported>\d{1,2}\.\d)/,
    examples: ["The engine plan file is generated on an incompatible device, expecting compute 8.6 got compute 7.5, please rebuild."],
    facts: ({ capability, supported }) => ({
      kind: "gpu-unsupported",
      capability: capability!,
      supported: `${supported} only: an engine runs on the GPU that it was made for`,
      by: "tensorrt",
    }),
  },
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
    "dll-load-failed",
    "dll load failed",
    /DLL load failed(?: while importing (?<subject>\w{2,60}))?: (?:The specified (?:module|procedure) could not be found|A dynamic link library)/,
    "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.",
  ),
  notice("bus-error", "bus error", /\bBus error\b|SIGBUS/, "Bus error (core dumped)"),
  notice("segfault", "segmentation fault", /Segmentation fault|SIGSEGV|signal 11/i, "Segmentation fault (core dumped)"),
  notice(
    "ct2-without-cuda",
    "not compiled with cuda support",
    /This CTranslate2 package was not compiled with CUDA support/,
    "ValueError: This CTranslate2 package was not compiled with CUDA support",
  ),
  notice(
    "built-without-cuda",
    ["without cuda", "not compiled with", "not built with cuda", "was not built"],
    /(?:is not compiled with CUDA|was (?:not built|built without) CUDA|Not compiled with (?:CUDA|GPU) support|compiled without CUDA|not built with CUDA|without CUDA support)/i,
    "xgboost.core.XGBoostError: XGBoost version not compiled with GPU support: was built without CUDA",
  ),
  notice(
    "mxnet-without-cuda",
    "compile with use_cuda=1",
    /Compile with USE_CUDA=1 to enable GPU usage/,
    "mxnet.base.MXNetError: src/imperative/imperative.cc:81: Operator _ones is not implemented for GPU. Compile with USE_CUDA=1 to enable GPU usage",
  ),
  notice(
    "numba-nvvm",
    "no supported gpu compute capabilities",
    /No supported GPU compute capabilities found|NvvmSupportError: (?:No|libNVVM cannot be found)/,
    "numba.cuda.cudadrv.error.NvvmSupportError: No supported GPU compute capabilities found. Please check your cudatoolkit version matches your CUDA version.",
  ),
  notice(
    "numba-nvvm",
    "libnvvm cannot be found",
    /libNVVM cannot be found/i,
    "numba.cuda.cudadrv.error.NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`:",
  ),
] satisfies Signature[];
