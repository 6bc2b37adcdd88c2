import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { libcuda } from "../meaning.ts";
import { dottedCudnn } from "../../knowledge/cudnn.ts";
import { noise, notice, type Signature } from "../signature.ts";

/** The stream executor that TensorFlow and JAX share: cuda_dnn.cc, cuda_driver.cc, cuda_diagnostics.cc, asm_compiler.cc. */
export default [
  {
    literals: ["source was compiled with"],
    pattern:
      /Loaded runtime CuDNN library: (?<found>\d{1,2}\.\d{1,2}\.\d{1,2}) but source was compiled with: (?<required>\d{1,2}\.\d{1,2}\.\d{1,2})/i,
    examples: [
      "E tensorflow/stream_executor/cuda/cuda_dnn.cc:359] Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.  CuDNN library needs to have matching major version and equal or higher minor version.",
    ],
    facts: ({ found, required }) => ({ kind: "version-pair", library: "cudnn", required: required!, found: found!, by: "tensorflow" }),
  },
  {
    literals: ["source was compiled with", "source was compiled against"],
    pattern:
      /Loaded (?:runtime )?CuDNN library: (?<found>\d{4,5})(?<compared> \(compatibility version \d{1,5}\))? but source was compiled (?:with|against) (?<required>\d{4,5})/i,
    examples: [
      "Loaded runtime CuDNN library: 5005 (compatibility version 5000) but source was compiled with 4007 (compatibility version 4000).",
    ],
    facts: ({ found, required, compared }) => ({
      kind: "version-pair",
      library: "cudnn",
      required: dottedCudnn(Number(required)),
      found: dottedCudnn(Number(found)),
      by: "tensorflow",
      // Releases that print a "compatibility version" compare it, which is the minor: they end where it differs.
      ...(compared === undefined ? {} : { hint: "same-minor" as const }),
    }),
  },
  {
    literals: ["loaded cudnn version"],
    pattern: /Loaded cuDNN version (?<version>\d{4,6})/,
    examples: ["I external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:454] Loaded cuDNN version 8907"],
    facts: ({ version }) => ({ kind: "opened", name: `libcudnn.so.${dottedCudnn(Number(version)).split(".")[0]}` }),
  },
  {
    literals: ["libcuda reported version is"],
    pattern: /libcuda reported version is: (?:(?<version>\d{3}\.\d{1,3}(?:\.\d{1,3})?)|(?<none>.{0,20}was unable to find libcuda))/,
    examples: ["I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:200] libcuda reported version is: 515.43.4"],
    facts: ({ version }) =>
      version === undefined ? { kind: "notice", id: "libcuda-not-loaded" } : { kind: "driver", version, of: "libcuda" },
  },
  {
    literals: ["kernel reported version is"],
    pattern: /kernel reported version is: (?<version>\d{3}\.\d{1,3}(?:\.\d{1,3})?)/,
    examples: ["I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:204] kernel reported version is: 515.43.4"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "kernel" }),
  },
  notice(
    "kernel-dso-mismatch",
    "does not match dso version",
    /kernel version (?<required>\d{3}\.[\d.]{1,12}) does not match DSO version (?<found>\d{3}\.[\d.]{1,12})/,
    "E tensorflow/stream_executor/cuda/cuda_diagnostics.cc:313] kernel version 460.80.0 does not match DSO version 470.57.2 -- cannot find working devices in this configuration",
  ),
  notice(
    // TensorFlow 1: what dlopen could not give it has no code of CUDA's.
    "cuinit-without-libcuda",
    "failed call to cuinit: curesult(-1)",
    /failed call to cuInit: CUresult\(-1\)/,
    "E tensorflow/stream_executor/cuda/cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
  ),
  {
    literals: ["failed call to cuinit"],
    pattern:
      /failed call to cuInit: (?:INTERNAL: CUDA error: Failed call to cuInit: )?CUDA_ERROR_(?:NOT_INITIALIZED|OPERATING_SYSTEM|NOT_PERMITTED|INVALID_VALUE|DEINITIALIZED)/,
    examples: [
      "E tensorflow/stream_executor/cuda/cuda_driver.cc:328] failed call to cuInit: CUDA_ERROR_NOT_INITIALIZED: initialization error",
    ],
    facts: () => ({ kind: "notice", id: "driver-init-failed" }),
  },
  notice(
    "no-nvidia-device-file",
    "no nvidia gpu device is present",
    /no NVIDIA GPU device is present: \/dev\/nvidia0 does not exist/,
    "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:156] no NVIDIA GPU device is present: /dev/nvidia0 does not exist",
  ),
  notice(
    "no-kernel-driver",
    "kernel driver does not appear to be running",
    /kernel driver does not appear to be running on this host/,
    "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:156] kernel driver does not appear to be running on this host (host): /proc/driver/nvidia/version does not exist",
  ),
  notice(
    "cudnn-not-initialized",
    "could not create cudnn handle",
    /could not create cudnn handle: (?<subject>CUDNN_STATUS_\w{1,40})/i,
    "E tensorflow/stream_executor/cuda/cuda_dnn.cc:329] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED",
  ),
  notice(
    // What the caller gets of it; the lines before say more, and are often not pasted.
    "cudnn-not-initialized",
    ["dnn library initialization failed", "cudnn library could not create a handle"],
    /DNN library initialization failed|cudnn library could not create a handle/,
    "jaxlib.xla_extension.XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed. Look at the errors above for more details.",
  ),
  {
    // What was free when cuDNN did not start: much of it speaks against memory.
    literals: ["bytes free, "],
    pattern: /Memory usage: (?<free>\d{1,15}) bytes free, (?<total>\d{1,15}) bytes total/,
    examples: ["E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:478] Memory usage: 42069065728 bytes free, 42505273344 bytes total."],
    facts: ({ free, total }) => ({ kind: "notice", id: "gpu-memory-free", found: free!, required: total! }),
  },
  {
    // cuda_blas.cc, in the words of cublasGetStatusString.
    literals: ["failed to create cublas handle"],
    pattern: /failed to create cublas handle: the library was not initialized/i,
    examples: ["E tensorflow/stream_executor/cuda/cuda_blas.cc:226] failed to create cublas handle: the library was not initialized"],
    facts: () => ({ kind: "cublas-status", status: "CUBLAS_STATUS_NOT_INITIALIZED" }),
  },
  {
    // cuda_dnn.cc: features that need a newer cuDNN than the one that was compiled in.
    literals: ["only supported with cudnn"],
    pattern:
      /(?<subject>[Cc]u?[Dd][Nn][Nn] [\w ]{3,40}) only supported with [Cc]u[Dd][Nn][Nn] >= (?<required>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)/,
    examples: ["UNIMPLEMENTED: Cudnn flash attention only supported with Cudnn >= 9.1.0"],
    facts: ({ subject, required }) => ({ kind: "notice", id: "cudnn-feature", subject: subject!, required: required! }),
    notice: "cudnn-feature",
    means: {
      weight: weights.said,
      name: "libcudnn.so",
      library: "cudnn",
      about: (_facts, _context, [fact]) => ({ required: `cuDNN ${fact!.required} or newer`, found: "an older one" }),
      next: ["pip list | grep -i cudnn"],
      may: [
        {
          cause: "library-wrong-version",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `${fact!.subject} needs cuDNN ${fact!.required}, and an older one is used`,
          fixes: [fix("install JAX with the libraries that it was built for", 'pip install -U "jax[cuda12]"')],
        },
        { cause: "library-shadowed", message: "or an older copy is found first", fixes: [] },
      ],
    },
  },
  notice(
    "cudnn-no-engine",
    ["no engine configurations found", "no supported engine for the graph"],
    /No engine configurations found for this opGraph|cuDNN reports no supported engine for the graph/,
    "XlaRuntimeError: INTERNAL: No engine configurations found for this opGraph and heuristics.",
  ),
  {
    // jax_plugins/cuda/__init__.py
    ...notice(
      "cublas-known-issue",
      "has a known issue where many kernels",
      /cuBLAS < (?<required>\d{1,2}\.\d{1,2}) \((?<found>\d{5,6}) found\) has a known issue/,
      "cuBLAS < 13.2 (120900 found) has a known issue where many kernels free TMEM buffers multiple times.",
    ),
    means: {
      weight: weights.warned,
      name: "libcublas.so",
      library: "cublas",
      about: (_facts, _context, [fact]) => ({ required: `cuBLAS ${fact!.required} or newer`, found: fact!.found! }),
      may: [
        {
          cause: "upstream-bug",
          certainty: "likely",
          message: "a defect of this cuBLAS on Blackwell: kernels on several streams may corrupt data",
          fixes: [fix("install a newer cuBLAS with JAX for CUDA 13", 'pip install -U "jax[cuda13]"')],
        },
        { cause: "library-wrong-version", message: "a newer cuBLAS is needed", fixes: [] },
      ],
    },
  },
  notice(
    "no-kernel-driver",
    "could not find kernel module information",
    /could not find kernel module information in driver version file contents|driver version not preceded by two spaces in driver version/,
    'could not find kernel module information in driver version file contents: ""',
  ),
  {
    literals: ["possibly insufficient driver version"],
    pattern: /Possibly insufficient driver version: (?<version>\d{3}\.[\d.]{1,10}\d)/,
    examples: ["E tensorflow/stream_executor/cuda/cuda_dnn.cc:394] Possibly insufficient driver version: 384.130.0"],
    facts: ({ version }) => [
      { kind: "driver", version: version!, of: "any" },
      { kind: "notice", id: "maybe-driver", found: version! },
    ],
  },
  {
    literals: ["which is older than", "which is in range"],
    pattern: /You are using ptxas (?<found>\d{1,2}\.\d{1,2}(?:\.\d{1,4})?), which is older than (?<minimum>\d{1,2}\.\d{1,2}(?:\.\d{1,4})?)/,
    examples: ["*** WARNING *** You are using ptxas 9.2.148, which is older than 11.1. ptxas before 11.1 is known to miscompile XLA code"],
    facts: ({ found, minimum }) => ({ kind: "tool-age", tool: "ptxas", found: found!, minimum: minimum! }),
  },
  notice(
    "ptxas-too-old",
    "ptxas too old",
    /ptxas too old\b/,
    "W tensorflow/stream_executor/gpu/redzone_allocator.cc:312] UNIMPLEMENTED: ptxas ptxas too old. Falling back to the driver to compile.",
  ),
  notice(
    "ptxas-too-old",
    "ptxas does not support cc",
    /ptxas does not support CC (?<required>\d{1,2}\.\d)/,
    "W external/xla/xla/stream_executor/cuda/cuda_compiler.cc:95] Falling back to the CUDA driver for PTX compilation; ptxas does not support CC 12.0",
  ),
  notice(
    "ptxas-too-old",
    "cuda software stack is old",
    /Your CUDA software stack is old\b/,
    "W tensorflow/stream_executor/gpu/asm_compiler.cc:77] Your CUDA software stack is old. We fallback to the NVIDIA driver for some compilation. Update your CUDA version to get the best performance.",
  ),
  notice(
    "ptxas-missing",
    ["invoke ptxas", "launch ptxas", "find ptxas", "get ptxas"],
    /(?:Couldn't|Could not|Failed to|Can't) (?:invoke|launch|find|get) ptxas|couldn't get ptxas(?:\/nvlink)? version/i,
    "W tensorflow/stream_executor/gpu/asm_compiler.cc:63] Couldn't invoke ptxas --version",
  ),
  notice(
    "ptxas-missing",
    "relying on driver to perform ptx compilation",
    /Relying on driver to perform ptx compilation/,
    "Relying on driver to perform ptx compilation.",
  ),
  notice(
    "libdevice-missing",
    "libdevice",
    /(?:Can't find libdevice directory|libdevice not found at|could not find libdevice|libdevice is required by this HLO module but was not found)/i,
    "W tensorflow/compiler/xla/service/gpu/nvptx_compiler.cc:71] Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice. This may result in compilation or runtime failures",
  ),
  {
    ...notice(
      "driver-older-than-ptxas",
      "is disabling parallel compilation",
      /driver's CUDA version is (?<found>\d{1,2}\.\d{1,2}) which is older than the (?:ptxas|PTX compiler|nvlink) CUDA version \(?(?<required>\d{1,2}\.\d{1,2})/,
      "W external/xla/xla/service/gpu/nvptx_compiler.cc:742] The NVIDIA driver's CUDA version is 12.2 which is older than the ptxas CUDA version (12.3.103). Because the driver is older than the ptxas version, XLA is disabling parallel compilation, which may slow down compilation.",
    ),
    means: {
      weight: weights.harmless,
      about: (facts) => {
        const [{ required, found } = {}] = facts.notices("driver-older-than-ptxas");
        return { required: `a driver for CUDA ${required}`, found: `one for CUDA ${found}` };
      },
      may: [
        {
          cause: "benign-warning",
          certainty: "likely",
          message: "harmless: the driver is a little older than ptxas; XLA compiles one kernel after the other, and nothing else changes",
        },
        {
          cause: "driver-too-old",
          ...libcuda,
          message: "or, where compilation is too slow, the driver is what to bring up to date",
          fixes: [fix("install a newer NVIDIA driver")],
        },
      ],
    },
  },
  {
    // cuda_diagnostics.cc, since 2.17.
    literals: ["this hides all gpus from cuda"],
    pattern: /CUDA_VISIBLE_DEVICES is set to (?<value>an empty string|-1|none) - this hides all GPUs from CUDA/,
    examples: ["CUDA_VISIBLE_DEVICES is set to -1 - this hides all GPUs from CUDA"],
    facts: ({ value }) => [
      { kind: "variable", name: "CUDA_VISIBLE_DEVICES", value: value === "an empty string" ? "" : value! },
      { kind: "cuda-error", code: 100 },
    ],
  },
  notice(
    "ptxas-missing",
    ["find a suitable version of", "no ptx compilation provider is available"],
    /Couldn't find a suitable version of (?:ptxas|nvlink)|No PTX compilation provider is available/,
    "Couldn't find a suitable version of ptxas. The following locations were considered: ./cuda_sdk_lib/bin/ptxas, /usr/local/cuda/bin/ptxas",
    "No PTX compilation provider is available. Neither ptxas/nvlink nor nvjtlink is available.",
  ),
  notice(
    "ptxas-too-old",
    "libnvptxcompiler is too old",
    /Linked libnvptxcompiler is too old for (?<subject>[\w.]{2,12})/,
    "Linked libnvptxcompiler is too old for sm_120.",
  ),
  noise(
    "a kernel keeps values in memory for want of registers: it may be slower, nothing else",
    "registers are spilled to local memory",
    /Registers are spilled to local memory in function/,
    "ptxas warning : Registers are spilled to local memory in function 'gemm_fusion_dot_1', 40 bytes spill stores, 40 bytes spill loads",
  ),
  noise(
    "a measurement of a kernel was less exact than it could be",
    "measured time has sub-optimal accuracy",
    /[Dd]elay kernel timed out: measured time has sub-optimal accuracy/,
    "W external/local_xla/xla/stream_executor/gpu/gpu_timer.cc:114] Delay kernel timed out: measured time has sub-optimal accuracy. There may be a missing warmup execution, please investigate in Nsight Systems.",
  ),
  noise(
    "the logger says where the first lines go",
    "all log messages before absl::initializelog",
    /All log messages before absl::InitializeLog\(\) is called are written to STDERR/,
    "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
  ),
] satisfies Signature[];
