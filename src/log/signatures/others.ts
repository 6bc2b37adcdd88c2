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
    literals: ["engine plan file is generated", "serialized engine"],
    pattern:
      /(?:engine plan file is not compatible with this version of TensorRT|Serialization assertion[^\n]{0,80}Version tag does not match)[^\n]{0,60}(?:expecting library version (?<required>[\d.]{3,14}) got (?<found>[\d.]{3,14}))?/,
    examples: [
      "The engine plan file is generated on an incompatible device; engine plan file is not compatible with this version of TensorRT, expecting library version 8.6.1 got 8.5.2",
    ],
    facts: ({ required, found }) => ({
      kind: "notice",
      id: "trt-engine",
      ...(required === undefined ? {} : { required }),
      ...(found === undefined ? {} : { found }),
    }),
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
