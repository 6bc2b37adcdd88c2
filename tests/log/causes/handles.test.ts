import step from "../../../packages/core/src/log/causes/handles.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed to initialize, so try looking to see if a warning log message was printed above.",
  ],
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "E tensorflow/stream_executor/cuda/cuda_dnn.cc:329] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED",
  ],
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "Driver Version: 384.81\nCould not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\nTensorFlow 2.4 built with CUDA 11.0",
  ],
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "jaxlib.xla_extension.XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed. Look at the errors above for more details.",
  ],
  // Memory that is free is not what is missing.
  [
    "library-wrong-version > library-shadowed > mixed-cudnn-sublibraries > library-missing > upstream-bug",
    "cuda_dnn.cc:534] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\ncuda_dnn.cc:538] Memory usage: 7973961728 bytes free, 8198619136 bytes total.",
  ],
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "cuda_dnn.cc:534] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\ncuda_dnn.cc:538] Memory usage: 7995392 bytes free, 11721572352 bytes total.",
  ],
  [
    "driver-too-old > library-wrong-version > library-shadowed > mixed-cudnn-sublibraries > library-missing > upstream-bug",
    "Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\nMemory usage: 42069065728 bytes free, 42505273344 bytes total.\nPossibly insufficient driver version: 470.182.3",
  ],
  [
    "library-shadowed > library-wrong-version > not-a-mismatch",
    "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm`\nGeForce RTX 3090\nCUDA 10.2",
  ],
  [
    "library-shadowed > library-wrong-version > not-a-mismatch",
    "RuntimeError: CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasGemmEx`\nLD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64",
  ],
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\ncuDNN error\nlibcublasLt",
  ],
  [
    "arch-unsupported > toolkit-too-old > not-a-mismatch > library-wrong-version > library-shadowed",
    "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\nNVIDIA GeForce RTX 3090\nCUDA 10.2",
  ],
  [
    "arch-unsupported > toolkit-too-old > not-a-mismatch > library-wrong-version > library-shadowed",
    "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\nNVIDIA GeForce RTX 3090\ntorch 1.5.0+cu101",
  ],
  [
    "arch-unsupported > toolkit-too-old > not-a-mismatch > library-wrong-version > library-shadowed",
    "RuntimeError: cuDNN error: CUDNN_STATUS_MAPPING_ERROR\nNVIDIA GeForce RTX 3090\nCUDA 10.0",
  ],
]);
