import { weights } from "../cause.ts";
import { libcuda, ownMatter, type Meaning } from "../meaning.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

// Kernels that misbehave.
const programFault: Meaning = {
  weight: weights.other,
  name: "a kernel",
  next: ["run it again with CUDA_LAUNCH_BLOCKING=1 set: the call that fails is then the one that is named"],
  about: (_facts, _context, all) => ({
    certainty: all.some(({ subject }) => subject === "device-side assert triggered") ? "likely" : "possible",
  }),
  may: [
    {
      cause: "not-a-mismatch",
      message: (_facts, _context, [fact]) =>
        `a kernel of the program failed (${fact!.subject}): most often an index out of range, and no matter of versions`,
      fixes: [fix("run with CUDA_LAUNCH_BLOCKING=1 to see which call fails; on the CPU the message is clearer")],
    },
  ],
};

/**
 * What cudaGetErrorString and cuGetErrorString say (also their names), and bare numbers in the words of those who call them.
 * The runtime renumbered in CUDA 10.1: what was 48 is 209 since. Numbers stand for the newer meaning.
 */
const texts: [code: number, literal: string, pattern: RegExp, example: string][] = [
  [
    35,
    "driver version is insufficient",
    /CUDA driver version is insufficient\b/i,
    "CUDA driver version is insufficient for CUDA runtime version",
  ],
  [35, "cudaerrorinsufficientdriver", /cudaErrorInsufficientDriver/, "cudaErrorInsufficientDriver"],
  [34, "cuda driver is a stub library", /CUDA driver is a stub library/i, "CUDA API Error: CUDA driver is a stub library"],
  [34, "stub_library", /CUDA_ERROR_STUB_LIBRARY/, "CUDA_ERROR_STUB_LIBRARY"],
  [100, "no cuda-capable device", /no CUDA-capable device\b/i, "CUDA error: no CUDA-capable device is detected"],
  [100, "errornodevice", /cudaErrorNoDevice/, "cudaErrorNoDevice: no CUDA-capable device is detected"],
  [100, "error_no_device", /CUDA_ERROR_NO_DEVICE/, "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"],
  [100, "no cuda gpus are available", /No CUDA GPUs are available/, "RuntimeError: No CUDA GPUs are available"],
  [101, "invalid device ordinal", /invalid device ordinal/i, "CUDA error: invalid device ordinal"],
  [
    209,
    "no kernel image",
    /no kernel image is available(?! for (?!execution))|["'“`]no kernel image["'”`]/i,
    "CUDA error: no kernel image is available for execution on the device",
  ],
  [209, "nokernelimagefordevice", /cudaErrorNoKernelImageForDevice/, "cudaErrorNoKernelImageForDevice"],
  [
    209,
    "error_no_binary_for_gpu",
    /CUDA_ERROR_NO_BINARY_FOR_GPU/,
    "CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the device",
  ],
  [200, "device kernel image is invalid", /device kernel image is invalid/i, "RuntimeError: CUDA error: device kernel image is invalid"],
  [
    200,
    "error_invalid_image",
    /CUDA_ERROR_INVALID_IMAGE/,
    "pycuda._driver.LogicError: cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_IMAGE",
  ],
  [218, "a ptx jit compilation failed", /a PTX JIT compilation failed/i, "CUDA error: a PTX JIT compilation failed"],
  [218, "error_invalid_ptx", /CUDA_ERROR_INVALID_PTX/, "CUDA_ERROR_INVALID_PTX"],
  [
    222,
    "unsupported toolchain",
    /PTX was compiled with an unsupported toolchain/i,
    "CUDA error: the provided PTX was compiled with an unsupported toolchain.",
  ],
  [222, "unsupported_ptx_version", /CUDA_ERROR_UNSUPPORTED_PTX_VERSION/, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"],
  [222, "errorunsupportedptxversion", /cudaErrorUnsupportedPtxVersion/, "cudaErrorUnsupportedPtxVersion"],
  [
    803,
    "unsupported display driver / cuda driver",
    /unsupported display driver ?\/ ?cuda driver combination/i,
    "Error 803: system has unsupported display driver / cuda driver combination",
  ],
  [803, "system_driver_mismatch", /CUDA_ERROR_SYSTEM_DRIVER_MISMATCH/, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"],
  [803, "errorsystemdrivermismatch", /cudaErrorSystemDriverMismatch/, "cudaErrorSystemDriverMismatch"],
  [
    804,
    "forward compatibility was attempted",
    /forward compatibility was attempted on non[- ]supported HW/i,
    "cudaErrorCompatNotSupportedOnDevice: forward compatibility was attempted on non supported HW",
  ],
  [804, "compat_not_supported_on_device", /CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE/, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"],
  [804, "compatnotsupportedondevice", /cudaErrorCompatNotSupportedOnDevice/, "cudaErrorCompatNotSupportedOnDevice"],
  [
    36,
    "api call is not supported in the installed cuda driver",
    /API call is not supported in the installed CUDA driver/,
    "cudaErrorCallRequiresNewerDriver: API call is not supported in the installed CUDA driver",
  ],
  [36, "callrequiresnewerdriver", /cudaErrorCallRequiresNewerDriver/, "cudaErrorCallRequiresNewerDriver"],
  [
    98,
    "invalid device function",
    /(?<!If you get `CUDA error: )\binvalid device function\b/,
    "Check failed: error == cudaSuccess (8 vs. 0)  invalid device function",
  ],
  [221, "ptx jit compiler library not found", /PTX JIT compiler library not found/, "CUDA error: PTX JIT compiler library not found"],
  [221, "jit_compiler_not_found", /CUDA_ERROR_JIT_COMPILER_NOT_FOUND/, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"],
  [802, "system not yet initialized", /system not yet initialized/, "Error 802: system not yet initialized"],
  [802, "802 system", /\bCUDA\b[^\n]{0,80}\b802 system error\b/i, "CUDA initialization fails with 802 system error"],
  [999, "cuda_error_unknown", /CUDA_ERROR_UNKNOWN/, "failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error"],
  [
    999,
    "cuda unknown error",
    /CUDA unknown error/,
    "CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start.",
  ],
  [
    2,
    "out of memory",
    /(?:CUDA|cuda runtime error|GPU|HIP|cudaSuccess)\b[^\n]{0,60}out of memory|out of memory[^\n]{0,40}(?:CUDA|GPU)|OutOfMemoryError: CUDA/i,
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 10.01 GiB",
  ],
  [
    2,
    "error_out_of_memory",
    /CUDA_ERROR_OUT_OF_MEMORY/,
    "failed to allocate 2.00G (2147483648 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
  ],
];

const saidByHip = ({ input, index }: RegExpExecArray) => /\bHIP error: {0,2}$/.test(input.slice(Math.max(0, index - 12), index));

const known = new Set([30, 34, 35, 36, 38, 48, 100, 101, 200, 209, 218, 221, 222, 303, 500, 802, 803, 804, 999]);
const newer: { [old: number]: number } = { 48: 209, 38: 100, 10: 101, 30: 999 };

export default [
  {
    // In the words of those who found it.
    literals: ["is a stub", "is the stub", "stub library", "lib64/stubs", "/stubs/libcuda"],
    pattern:
      /\bCUDA (?:library|driver|runtime)(?: library)? is (?:a|the|only a|just a) stub(?! library)|\b(?:loads?|loading|loaded|finds|picks? up|uses|using|linked (?:to|against|with)|links (?:to|against)|instead of)\b[^\n]{0,40}(?:\/stubs\/libcuda\.so|\bstub (?:libcuda|driver))|\brm (?:-\w{1,3} )?\S{0,60}\/lib64\/stubs\b/i,
    examples: [
      "CUDA library is a stub, had to remove /usr/local/cuda/lib64/stubs",
      "it loads /usr/local/cuda/lib64/stubs/libcuda.so instead of the driver's",
    ],
    facts: () => ({ kind: "cuda-error", code: 34 }),
  },
  {
    ...notice(
      "not-supported",
      ["cudaerrornotsupported", "cuda error: operation not supported", "cuda_error_not_supported"],
      /cudaErrorNotSupported\b|CUDA error: operation not supported|CUDA_ERROR_NOT_SUPPORTED\b/,
      "CUDARuntimeError: cudaErrorNotSupported: operation not supported",
    ),
    means: {
      name: "the GPU",
      next: ["nvidia-smi"],
      may: [
        {
          cause: "not-a-mismatch",
          message:
            "CUDA does not offer this operation here: managed memory, memory pools and IPC may be missing under WSL 2 and on virtual GPUs",
          fixes: [fix("run on Linux itself or on another GPU, or switch off in the program what it asks for")],
        },
        {
          ...libcuda,
          cause: "driver-too-old",
          message:
            "or the driver is older than what the program was compiled with asks of it: some calls need a newer one within a major, too",
        },
        { cause: "arch-unsupported", message: "or the GPU is older than the program supports" },
      ],
    },
  },
  ...[
    "device-side assert triggered",
    "an illegal memory access was encountered",
    "unspecified launch failure",
    "the launch timed out and was terminated",
    "uncorrectable ECC error encountered",
    "misaligned address",
  ].map((text, index): Signature => ({
    literals: [text.toLowerCase()],
    pattern: new RegExp(text),
    examples: [`RuntimeError: CUDA error: ${text}`],
    facts: () => ({ kind: "notice", id: "program-fault", subject: text }),
    ...(index === 0 ? { notice: "program-fault", means: programFault } : {}),
  })),
  ...texts.map(([code, literal, pattern, example]): Signature => ({
    literals: [literal],
    pattern,
    examples: [example],
    // HIP has the same words; what it says of AMD's GPUs is read elsewhere. Memory is memory.
    facts: (_, match) => (code !== 2 && saidByHip(match) ? undefined : { kind: "cuda-error", code }),
  })),
  {
    // THCudaCheck FAIL file=… error=35 : …; cuda runtime error (804) : …; CUDA failure 35: …; CUDA error 803; Numba: [34] Call to …
    literals: [
      "unexpected error from cudagetdevicecount",
      "error=3",
      "error=8",
      "error = 3",
      "error = 4",
      "error=4",
      "error=2",
      "error=1",
      "error=9",
      "runtime error (",
      "cuda failure",
      "cuda error",
      "cudaapierror",
      "error 8",
      "unknown error (",
      "cudaerror",
      "cudadriver",
      "linkererror",
      "initialization failure with error",
      "cudasetdevice err",
      "cudart init failure",
      "cudagetdevicecount returned",
    ],
    pattern:
      /(?:THCudaCheck FAIL[^\n]{0,200}error ?= ?|cuda runtime error \(|CUDA failure (?:code )?|CUDA (?:driver |runtime )?error:? {0,2}(?:error )?(?:code )?[(=]?|(?:CudaAPI|Linker)Error: \[|CUDA initialization failure with error:? {1,2}|cudaSetDevice err: |cudart init failure: |CudaDriverError: {0,2}\[?|cudaGetDeviceCount(?:[^\n]{0,160}Error | returned )|cuInit[^\n]{0,60}UNKNOWN ERROR \(|cudaError(?:_t)?[ :(=]{1,3}|CUDARuntimeError: )(?<code>\d{1,3})\b/i,
    examples: [
      "THCudaCheck FAIL file=/torch/THCGeneral.cpp line=70 error=35 : CUDA driver version is insufficient for CUDA runtime version",
      "CUDA error 803",
      "onnxruntime::CudaCall CUDA failure 35: CUDA driver version is insufficient",
      "numba.cuda.cudadrv.driver.CudaAPIError: [34] Call to cuInit results in UNKNOWN_CUDA_ERROR",
      "failed call to cuInit: UNKNOWN ERROR (303)",
      "numba.cuda.cudadrv.driver.LinkerError: [218] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR",
      "cudaSetDevice err: 35",
      "CUDA error: error code 34",
      "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 500: named symbol not found",
      "cudaGetDeviceCount returned 999",
      "[W] [TRT] CUDA initialization failure with error: 35. Please check your CUDA installation",
    ],
    facts: ({ code }, { 0: said }) => {
      const number = Number(code);
      // Elsewhere it is said of a kernel that a module does not have.
      if (number === 500 && !/cudaGetDeviceCount|cuInit/.test(said)) return undefined;
      return known.has(number) ? { kind: "cuda-error", code: newer[number] ?? number } : undefined;
    },
  },
  {
    literals: ["busy or unavailable"],
    pattern: /(?:all )?CUDA-capable device(?:\(s\) is\/are|s are) busy or unavailable/,
    examples: [
      "CUDA error: CUDA-capable device(s) is/are busy or unavailable",
      "CUDA error: all CUDA-capable devices are busy or unavailable",
    ],
    facts: () => ({ kind: "notice", id: "gpu-busy" }),
    notice: "gpu-busy",
    means: ownMatter(
      "the GPU",
      "another process holds the GPU for itself, or it waits to be reset",
      "see `nvidia-smi`; switch exclusive mode off with `nvidia-smi -c 0`",
    ),
  },
] satisfies Signature[];
