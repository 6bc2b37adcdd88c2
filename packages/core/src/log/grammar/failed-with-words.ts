import { errorNamed } from "../../knowledge/error-codes.ts";
import type { Frame } from "../frame.ts";
import { codeDrafts } from "./failed-with-code.ts";

/** What cudaGetErrorString and cuGetErrorString say (the words are the driver's own, since CUDA 5), and the error that it is. */
const sentences: { [words: string]: string } = {
  "initialization error": "CUDA_ERROR_NOT_INITIALIZED",
  "driver shutting down": "CUDA_ERROR_DEINITIALIZED",
  "invalid argument": "CUDA_ERROR_INVALID_VALUE",
  "invalid configuration argument": "cudaErrorInvalidConfiguration",
  "invalid device symbol": "cudaErrorInvalidSymbol",
  "invalid texture reference": "cudaErrorInvalidTexture",
  "invalid device context": "CUDA_ERROR_INVALID_CONTEXT",
  "mapping of buffer object failed": "CUDA_ERROR_MAP_FAILED",
  "limit is not supported on this architecture": "CUDA_ERROR_UNSUPPORTED_LIMIT",
  "exclusive-thread device already in use by a different thread": "CUDA_ERROR_CONTEXT_ALREADY_IN_USE",
  "uncorrectable nvlink error detected during the execution": "CUDA_ERROR_NVLINK_UNCORRECTABLE",
  "ptx jit compilation was disabled": "CUDA_ERROR_JIT_COMPILATION_DISABLED",
  "device kernel image is invalid": "CUDA_ERROR_INVALID_IMAGE",
  "no kernel image is available": "CUDA_ERROR_NO_BINARY_FOR_GPU",
  "file not found": "CUDA_ERROR_FILE_NOT_FOUND",
  "shared object symbol not found": "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND",
  "shared object initialization failed": "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
  "os call failed or operation not supported on this os": "CUDA_ERROR_OPERATING_SYSTEM",
  "invalid resource handle": "CUDA_ERROR_INVALID_HANDLE",
  "named symbol not found": "CUDA_ERROR_NOT_FOUND",
  "device not ready": "CUDA_ERROR_NOT_READY",
  "too many resources requested for launch": "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
  "an illegal instruction was encountered": "CUDA_ERROR_ILLEGAL_INSTRUCTION",
  "hardware stack error": "CUDA_ERROR_HARDWARE_STACK_ERROR",
  "invalid program counter": "CUDA_ERROR_INVALID_PC",
  "operation not supported on global/shared address space": "CUDA_ERROR_INVALID_ADDRESS_SPACE",
  "too many blocks in cooperative launch": "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
  "operation not permitted": "CUDA_ERROR_NOT_PERMITTED",
  "operation not supported": "CUDA_ERROR_NOT_SUPPORTED",
  "mps client failed to connect to the mps control daemon": "CUDA_ERROR_MPS_CONNECTION_FAILED",
  "operation not permitted when stream is capturing": "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
  "operation failed due to a previous error during capture": "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
  "unknown error": "CUDA_ERROR_UNKNOWN",
  "out of memory": "CUDA_ERROR_OUT_OF_MEMORY",
  "busy error": "cudaErrorDevicesUnavailable",
  // cublasGetStatusString
  "the library was not initialized": "CUBLAS_STATUS_NOT_INITIALIZED",
  "the resource allocation failed": "CUBLAS_STATUS_ALLOC_FAILED",
  "the function requires a feature absent from the device architecture": "CUBLAS_STATUS_ARCH_MISMATCH",
  "the gpu program failed to execute": "CUBLAS_STATUS_EXECUTION_FAILED",
  "an internal operation failed": "CUBLAS_STATUS_INTERNAL_ERROR",
};

// The longest first: one sentence begins with another.
const phrase = Object.keys(sentences)
  .toSorted((a, b) => b.length - a.length)
  .map((words) => words.replaceAll("/", "\\/"))
  .join("|");

/** CUDA, a call of it or a macro of somebody's program says that it failed, and then why. */
const said = new RegExp(
  `(?<![\\w-])(?:CUDA|GPU|cu(?:blas|sparse|solver|fft|rand|dnn)\\w{0,40}|cu[A-Z]\\w{3,40}|cuda[A-Z]\\w{3,40}|nv[a-z]{2,12}[A-Z]\\w{2,40}|GPUassert|CUDAassert|gpuErrchk|CUDA_CHECK|CUDA_SAFE_CALL|checkCudaErrors)(?:\\(\\w{0,20}\\))?(?: (?:call|kernel|launch|driver|runtime|API|memory|device|stream|kernel launch)){0,3}[ :]{0,2}(?:[Ee]rror|[Ff]ailure|[Ff]ailed|[Aa]ssert|returned|exception)?\\b[^\\n]{0,90}?(?<![\\w-])(?<words>${phrase})(?![\\w-])`,
  "i",
);
/** `Error named symbol not found at line 233 in file ops.cu`: what macros around CUDA's calls print. */
const inSource = new RegExp(
  `\\b(?:Error|ERROR|error)[ :]{1,2}(?<words>${phrase}) (?:at line \\d{1,5} in file|in|at) \\S{1,200}\\.cuh?\\b`,
  "i",
);
const failed = /error|fail|assert|exception|abort|returned|safe_call|errchk|cuda_check|checkcuda/i;
// Somebody explains or handles it; a test is left out.
const weighed = /\b(?:if|when|unless|whether|in case|may|might|can be|could be|ignor(?:e|ed|ing)|except|skip\w{0,4})\b/i;

/** An error by the words that CUDA has for it, in whatever sentence of whatever program. */
export default {
  id: "failed-with-words",
  literals: [
    "cuda",
    "gpuassert",
    "gpuerrchk",
    "culaunch",
    "cumem",
    "cumodule",
    "custream",
    "cuctx",
    "cuevent",
    "cudevice",
    "cuinit",
    ".cu",
  ],
  examples: [
    "GPUassert: invalid resource handle main.cu 42",
    "[worker 3] kernels.cu(44): CUDA Runtime API error: uncorrectable NVLink error detected during the execution.",
    "transport: Cuda failure 'named symbol not found'",
    "cuMemGetAddressRange() failed: invalid argument",
    "RuntimeError: Error named symbol not found at line 233 in file /src/csrc/ops.cu",
  ],
  read(text) {
    const match = inSource.exec(text) ?? said.exec(text);
    if (!match || !failed.test(text) || weighed.test(text.slice(0, match.index + match[0].length))) return [];
    const row = errorNamed(sentences[match.groups!["words"]!.toLowerCase()]!);
    return row ? codeDrafts(row) : [];
  },
} satisfies Frame;
