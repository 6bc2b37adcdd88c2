import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { frames } from "../../packages/core/src/log/index.generated.ts";
import { logReader } from "../../packages/core/src/log/read.ts";
import { rewordedFacts, unmarked } from "../../packages/core/src/log/reworded.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const explain = (text: string) => explainLog([bytes(text)]);

function factsIn(text: string) {
  const reader = logReader();
  reader.push(bytes(text));
  return reader.end().facts;
}

test.each(frames.flatMap((frame) => frame.examples.map((example) => [frame, example] as const)))(
  "$0.id understands: $1",
  ({ literals, read }, example) => {
    expect(literals.some((literal) => example.toLowerCase().includes(literal))).toBe(true);
    expect(read(example).length).toBeGreaterThan(0);
  },
);

// What frames make of sentences that are nobody's: the first cause, and the two sides where both are told.
test.each<[text: string, cause: string, named?: { name?: string; required?: string; found?: string }]>([
  ["_libcudart.so.12: cannot open shared object file: No such file or directory_", "library-missing", { name: "libcudart.so.12" }],
  ["engine: the module libcudnn.so.9 could not be located by the runtime", "library-missing", { name: "libcudnn.so.9" }],
  ["[plugin] failed while loading cublas64_12.dll", "library-missing", { name: "cublas64_12.dll" }],
  ["fatal: NCCL library is missing", "library-missing", { name: "libnccl.so" }],
  // A library or a tool by any name, in any order of the words.
  ["OSError: library nvrtc not found", "library-missing", { name: "libnvrtc.so" }],
  ["could not load NVVM.", "library-missing", { name: "libnvvm.so" }],
  ["roctracer: Loading 'libamdhip64.so' failed, (null)", "library-missing", { name: "libamdhip64.so" }],
  ['Tool lib "/opt/rocm/rocprofiler/lib/libroctracer64.so" failed to load.', "library-missing", { name: "libroctracer64.so" }],
  [
    "ImportError: librocblas.so.4: cannot open shared object file: No such file or directory",
    "library-missing",
    { name: "librocblas.so.4" },
  ],
  // No GPU, as programs say it.
  ["  what():  #owl: no CUDA capable devices found!", "driver-not-exposed"],
  ["No CUDA capable GPU detected, but have RTX 2060", "driver-not-exposed"],
  ["RuntimeError: No supported GPU found", "driver-not-exposed"],
  ["MisconfigurationException: No supported gpu backend found!", "driver-not-exposed"],
  ["System.NotSupportedException: There isn't a supported GPU device on the current machine", "driver-not-exposed"],
  ["Error: No NVIDIA GPU detected on PCI bus. Aborting before changing", "driver-not-exposed"],
  ['When I start it with the GPU, I get "error: CUDA was requested, but is not available"', "driver-not-exposed"],
  ["fatal: could not detect any CUDA device", "driver-not-exposed"],
  ["my GPU is a RTX 3090, and it says: no CUDA devices found, CUDA will be disabled", "driver-not-exposed"],
  ["ERROR: GPU drivers are not configured or cuda-capable device not found", "driver-not-exposed"],
  ["ValueError: int4 quantization requires a CUDA-enabled PyTorch environment.", "driver-not-exposed"],
  ["monitor: could not initialize NVML.", "driver-not-exposed"],
  ["hipGetDeviceCount failed with code 100", "driver-not-exposed"],
  ["Error: could not open /dev/nvidiactl: No such file or directory", "driver-not-exposed"],
  ["failed to open /dev/dri/renderD128: Permission denied", "driver-not-exposed", { name: "ROCm" }],
  ["variant: no NVIDIA driver found; only use_gpu=false will work", "driver-not-exposed"],
  ["unable to create plugin manager: platform detection failed: ERROR_LIBRARY_NOT_FOUND", "driver-not-exposed"],
  // Too little memory, as programs say it.
  ["ValueError: Free memory on device (3.2/4.0 GiB) on startup is less than desired GPU memory utilization (0.9)", "not-a-mismatch"],
  ["RuntimeError: not enough GPU memory to load the weights", "not-a-mismatch"],
  ["error: the model does not fit into the GPU", "not-a-mismatch"],
  // What was compiled of a package, and a library that is there and will not do.
  ["ImportError: could not load the CUDA operators of the renderer: cannot load CUDA operators", "package-conflict"],
  ["configure: error: incompatible version of TensorRT", "library-wrong-version"],
  ["the container ends with Error 804", "forward-compat-misuse"],
  // Libraries and toolkits by what people call them, without the word library.
  ["CMake Error: cuDNN not found in /opt/cudnn", "library-missing", { name: "libcudnn.so" }],
  ["probe: no CUDA runtime found", "driver-not-exposed"],
  ["Error: no cuDNN found", "library-missing", { name: "libcudnn.so" }],
  ["log_error: CUDA Toolkit not found. Please install it.", "library-missing", { name: "nvcc" }],
  // Two releases that should be one.
  ["RuntimeError: TensorRT version mismatch: engine=8.5.2, runtime=8.6.1", "library-wrong-version", { required: "8.5.2", found: "8.6.1" }],
  ["CUDA version mismatch, `torch` version: 12.1, env version: 11.8", "wrong-wheel-cuda-version", { required: "12.1", found: "11.8" }],
  ["A GPU with driver version 450.80.02 is unsupported; requires 525.60.13 or newer", "driver-too-old", { required: "525.60.13" }],
  ["CUDA GPU is too old. Compute Capability detected: 3.5", "arch-unsupported", { name: "sm_35" }],
  [
    "ValueError: clc=True requires NVIDIA SM100+ (Blackwell); current target is sm_86",
    "arch-unsupported",
    { name: "sm_86", required: "10.0" },
  ],
  [
    "ValueError: The quantization method awq is not supported for the current GPU. Minimum capability: 75. Current capability: 70.",
    "arch-unsupported",
    { required: "7.5", found: "7.0" },
  ],
  ["RuntimeError: AWQ Gemm does not support for cuda arch < 7.5", "arch-unsupported", { required: "7.5" }],
  ["RuntimeError: apex.optimizers.FusedAdam requires cuda extensions", "wrong-wheel-cpu-only"],
  ["MisconfigurationException: GPUs requested but none are available.", "driver-not-exposed"],
  ["RuntimeError: Bitsandbytes is only supported on CUDA GPUs.", "driver-not-exposed"],
  [
    "Cannot use FA version 2 is not supported due to FA3 is only supported on devices with compute capability >= 8 excluding 8.6",
    "arch-unsupported",
    { required: "8.0" },
  ],
  ["AssertionError: MXFP8 requires SM100", "arch-unsupported", { required: "10.0" }],
  ["ValueError: The 'fa3' backend is not supported on Blackwell GPUs", "arch-unsupported", { name: "sm_100" }],
  [
    "RuntimeError: only compute capability >= 9.0 is supported, this device has compute capability 8.6",
    "arch-unsupported",
    { required: "9.0" },
  ],
  // A build without its part for GPUs.
  ["terminate called: xSpMM was not compiled with CUDA support.", "wrong-wheel-cpu-only"],
  ["pq built without GPU support; rebuild with --features cuda", "wrong-wheel-cpu-only"],
  ["CUDA Tree Learner was not enabled in this build.", "wrong-wheel-cpu-only"],
  // The driver is behind, told in other words.
  [
    "ImportError: Please update your NVIDIA GPU driver to support CUDA 12. Current supported version: 11.4",
    "driver-too-old",
    { found: "11.4" },
  ],
  ["The detected CUDA runtime (12.4) is newer than the driver supports (11.4)", "driver-too-old"],
  ["Unsupported graphics driver. NVIDIA driver version is 391.35. Minimum required driver: 461.09", "driver-too-old", { found: "391.35" }],
  ["Error: This version of Foo.jl requires CUDA driver 11.0 or higher; found 10.2", "driver-too-old", { required: "11.0", found: "10.2" }],
  // One side alone, where a program stops.
  ["GGML_ABORT: native F8 requires a CUDA Toolkit 13.2 or newer build", "toolkit-too-old", { required: "13.2" }],
  ["OptiX backend requires a GPU with Maxwell architecture or newer", "arch-unsupported", { required: "5.0" }],
  ["thread 'main' panicked at src/gpu.rs:77: Unsupported compute capability: 5.0", "arch-unsupported", { name: "sm_50" }],
  ["System.DllNotFoundException: Unable to load DLL 'cublas' or one of its dependencies", "library-missing", { name: "libcublas.so" }],
  ["cuInit failed: 803", "kernel-module-mismatch"],
  // One is refused, and those that are taken are listed.
  [
    "Unknown GPU architecture: gfx1151. Supported architectures: ['native', 'gfx90a', 'gfx908', 'gfx942', 'gfx1100']",
    "arch-unsupported",
    { name: "gfx1151", found: "gfx90a, gfx908" },
  ],
  ["GPU#0 error: CUDA error: architecture (103) is not supported", "arch-unsupported", { name: "sm_103" }],
  ["Unsupported CUDA architecture: sm75", "arch-unsupported", { name: "sm_75" }],
  ["CUDA driver 9.1 is not supported; supported CUDA releases: 11.4, 11.8, 12.2", "driver-too-old", { required: "11.4", found: "9.1" }],
  ["CUDA 13.0 is not supported; supported versions: 11.8, 12.1, 12.4", "wrong-wheel-cuda-version", { required: "12.4", found: "13.0" }],
  ["This program requires CUDA 12.4 or newer, but CUDA 11.8 was detected", "toolkit-too-old", { required: "12.4", found: "11.8" }],
  ["the renderer needs NVIDIA driver 535.54 or later; 470.82 is installed", "driver-too-old", { required: "535.54", found: "470.82" }],
  ["driver 460.32 found, this image expects driver 525.60 or newer", "driver-too-old", { required: "525.60", found: "460.32" }],
  ["Minimum compute capability is 7.0, your GPU has 6.1", "arch-unsupported", { required: "7.0", found: "6.1" }],
  ["ERROR: this GPU (sm_61) is not supported; only sm_70 and later are supported", "arch-unsupported", { found: "6.1" }],
  ["GPU profiling is not supported on a device of compute capability 7.5 or higher", "profiler-platform-unsupported", { required: "7.5" }],
  ["FooLib needs at least cuDNN 9.1, found 8.9.2", "library-wrong-version", { required: "9.1", found: "8.9.2" }],
  ["the module was compiled with PTX 8.5 but the driver has only PTX 8.2", "ptx-newer-than-driver", { required: "8.5", found: "8.2" }],
  ["this wheel needs glibc 2.34 or newer, the system has glibc 2.31", "library-wrong-version", { required: "2.34", found: "2.31" }],
  ["CUDA call failed with code 46 (cudaErrorDevicesUnavailable)", "not-a-mismatch", { name: "cudaErrorDevicesUnavailable" }],
  ["CUDA error 222", "ptx-newer-than-driver"],
  ["profiler thread: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "profiler-permission"],
  // A profile without its GPU part, in the order of words that somebody happens to have.
  ["[Bug]: nsys cannot track the cuda kernel called by the process except rank 0", "not-a-mismatch", { name: "the profile" }],
  ["I see NVTX ranges in Nsight Systems, but there is no sign of our kernels in the report", "not-a-mismatch", { name: "the profile" }],
  ["the exported json of torch.profiler never contains the kernels", "not-a-mismatch", { name: "the profile" }],
  ["worker 3: cupti said error 35", "profiler-permission"],
  ["nvmlInit failed with status 9", "kernel-module-missing"],
  ["NVML error 18", "kernel-module-mismatch"],
  ["pynvml.NVMLError_FunctionNotFound", "driver-too-old"],
  ["cufftPlan1d returned CUFFT_INTERNAL_ERROR", "arch-unsupported"],
  ["backend: cusolverDnCreate gave CUSOLVER_STATUS_ARCH_MISMATCH", "arch-unsupported"],
  ["nvrtcCompileProgram ended with NVRTC_ERROR_BUILTIN_OPERATION_FAILURE", "library-missing"],
  // Emitters that nobody knows, in the words that any of them may take.
  ["FATAL: loading of libcusparse.so.12 did not succeed", "library-missing", { name: "libcusparse.so.12" }],
  ["Error: the runtime component cublasLt64_12.dll is not present on this system", "library-missing", { name: "cublasLt64_12.dll" }],
  ["mlrun: no such library: libnccl.so.2", "library-missing", { name: "libnccl.so.2" }],
  ["[E] hiprtc library not found", "library-missing", { name: "libhiprtc.so" }],
  ["kernelforge: libamdhip64.so.6: file missing", "library-missing", { name: "libamdhip64.so.6" }],
  ['ERROR dlopen("libroctracer64.so.4") returned NULL', "library-missing", { name: "libroctracer64.so.4" }],
  ["renderd: unable to bind libnvidia-encode.so.1", "driver-not-exposed", { name: "libnvidia-encode.so.1" }],
  ["zenith requires NVIDIA driver 550 or newer, found 535.104.05", "driver-too-old", { required: "550", found: "535.104.05" }],
  [
    "quark: this binary was compiled for CUDA 12.8; your driver only goes up to CUDA 12.4",
    "driver-too-old",
    { required: "12.8", found: "12.4" },
  ],
  ["driver r535 does not support CUDA 12.6", "driver-too-old", { required: "12.6" }],
  ["This build targets sm_80 sm_86 sm_90, the GPU is sm_120", "arch-unsupported", { name: "sm_120", found: "sm_90" }],
  ["GPU arch gfx1100 not in list of supported archs (gfx90a, gfx942)", "arch-unsupported", { name: "gfx1100" }],
  ["python 3.10 or later is needed (running 3.8.10)", "package-conflict", { required: "3.10", found: "3.8.10" }],
  ["Your NCCL (2.18.3) is older than the needed 2.20.5", "library-wrong-version", { required: "2.20.5", found: "2.18.3" }],
  ["PTX ISA 8.5 needed; the driver accepts at most 8.2", "ptx-newer-than-driver", { required: "8.5", found: "8.2" }],
  ["gpuprof: CUPTI API version 18 required, library reports 14", "library-wrong-version", { name: "libcupti.so", found: "14" }],
  ["pipeline wants TensorRT 10.3, got 8.6.1", "library-wrong-version", { name: "libnvinfer.so.8", required: "10.3" }],
  ["zenith: supports CUDA 11.x only (detected: 12.3)", "wrong-wheel-cuda-version", { required: "11", found: "12.3" }],
  ["error: numpy<2 needed but numpy 2.1.0 present", "package-conflict", { required: "below 2", found: "2.1.0" }],
  ["[blitz] CUDA version mismatch: want 12.1 have 12.6", "wrong-wheel-cuda-version", { required: "12.1", found: "12.6" }],
  ["fastattn: torch 2.6.0 was expected, 2.5.1 is installed", "package-conflict", { required: "torch 2.6.0", found: "2.5.1" }],
  ["quark: rc=222 from cuModuleLoadData", "ptx-newer-than-driver"],
  ["nvmlInit_v2 = 9", "kernel-module-missing"],
  ["profd: cuptiSubscribe -> 39", "profiler-conflict"],
  ["rand: curandCreateGenerator failed with 203", "not-a-mismatch", { name: "CURAND_STATUS_INITIALIZATION_FAILED" }],
])("%s", async (text, cause, named = {}) => {
  const first = (await explain(text)).diagnoses[0];
  expect(first?.cause).toBe(cause);

  for (const [key, value] of Object.entries(named)) expect(String(first?.[key as keyof typeof named])).toContain(value);
});

// What is met, only mentioned, or said to be all right.
test.each([
  "If there is not enough GPU memory, lower the batch size",
  "Using 0.9 of available GPU memory for the KV cache",
  "free memory on device: 70.1 GiB of 80.0 GiB",
  "insufficient memory on the host for pinned buffers",
  "could not load the CUDA kernels when no GPU is there: falling back to the CPU",
  "make sure that this is not an unsupported version of NCCL",
  "served 804 requests, error rate 0.1",
  "CUDA toolkit 12.1 requires driver 530.30.02 or newer; driver 550.54.15 found",
  "GPU supports compute capability 8.6 (minimum required 5.0)",
  '-- Found CUDAToolkit: /usr/local/cuda/include (found suitable version "12.4.131", minimum required is "11.0")',
  "This needs driver 535 or newer.",
  "SKIPPED [1] tests/test_fp8.py:12: requires compute capability 8.9 or higher",
  "compiled with cuDNN 9.1.0, running with cuDNN 9.3.0",
  "libfoo.so: optional plugin could not be loaded, skipping",
  "If the profiler shows no kernels, run it as root",
  "You do not need to profile the GPU to see the timeline of the CPU",
  "nsys profile --trace=cuda,nvtx python train.py",
  "cudaMalloc returned 0",
  "cudaGetDeviceCount = 2",
  "cuDriverGetVersion -> 9020",
  "cuptiActivityEnable: 35 ms",
  "supports CUDA 11.x only (detected: 11.8)",
  "numpy<2 needed, numpy 1.26.4 present",
  "python 3.10 or later is needed (running 3.12.1)",
  "This build targets sm_80 sm_86 sm_90, the GPU is sm_90",
  "nccl: 4 channels, status 0",
  "Libc version: N/A",
  // No GPU is a fault only where one is wanted.
  "No supported GPU found. Running in CPU mode.",
  "INFO no GPU detected",
  "SKIPPED [1] tests/test_render.py:12: No CUDA devices found",
  'raise RuntimeError("No supported GPU found")',
  "If no GPU is detected, the CPU is used",
  "no other GPU found for peer access",
  "there is no GPU utilization in the first seconds",
  "GPU available: False, used: False",
  "no USB devices found",
  "-- Could NOT find NCCL (missing: NCCL_INCLUDE_DIR NCCL_LIBRARY)",
  "CUDA 12.4 found; supported versions: 11.8, 12.1, 12.4",
  "Supported architectures: gfx90a, gfx942, gfx1100",
  "building for sm_80, sm_86 and sm_90",
  // What is weighed, offered, told of others' code, or met.
  "Support for CPU mode when CUDA is not available",
  "HasGPU returns false when built without CUDA support.",
  "| HTS_CPU_ONLY | Build without CUDA support | OFF |",
  "If the extension is built without GPU support, gpu=True raises a runtime error.",
  "Training requires a CUDA GPU host",
  "Requirements: NVIDIA driver 535 or newer",
  "The minimum supported driver version is 525.60.13 (see the release notes)",
  "2024-01-01 INFO The engine requires CUDA 12.0 or newer; found 12.4",
  "Please update your drivers regularly for best performance on NVIDIA GPUs",
  "Vulkan driver is outdated, please update",
  "CUDA initialized successfully",
  "Optional: hipcc not found, skipping the tests for AMD",
  "Optional: nvcc not found, skipping CUDA tests",
  "CUDA graphs are not supported for this model; running eagerly",
  "INFO Profiling metrics disabled by default",
  "PASSED tests/test_backend.py::test_failed_to_load_cuda_backend",
  "provider: CUDA found",
  "cuDNN not found via dpkg (may be in CUDA toolkit)",
  "[INFO] CUDA toolkit not found: the installer goes on",
  "training runs on CPU. No NVIDIA driver or CUDA toolkit is required.",
  "LibraryNotFound: If NCCL library not found",
  "unable to stat /usr/libexec/polkitd (No such file or directory)",
  // A generation of GPUs is spoken of, and nothing fails.
  "WARNING: FlashInfer allreduce requires SM90+; falling back to NCCL",
  "Set DSA backends for FP8 KV Cache on SM120/SM121: prefill=a, decode=b.",
  "RuntimeError: this kernel requires SM80+; got SM86 and batch 0",
  "the MoE kernel requires Hopper or newer GPUs",
  "ValueError: weights are required: pass an Sm90PushWeights bundle or four tensors",
])("nothing is wrong: %s", async (text) => expect((await explain(text)).diagnoses).toEqual([]));

test("a driver that is as new as it must be is never too old, in any order of the words", async () => {
  for (const [required, found] of [
    ["450.80.02", "535.104.05"],
    ["470", "470.57.02"],
    ["535.54.03", "535.54.03"],
    ["99.1", "535.1"],
  ])
    for (const text of [
      `requires driver ${required} or newer, but driver ${found} was found`,
      `driver ${found} found; at least driver ${required} is required`,
      `built for driver ${required} or later, you have ${found}`,
    ])
      expect((await explain(text)).diagnoses.map(({ cause }) => cause)).not.toContain("driver-too-old");
});

test("what a frame understood is marked, and a line that a signature took is left to it", () => {
  expect(factsIn("FooLib needs at least cuDNN 9.1, found 8.9.2").map(({ grammar }) => grammar)).toContain("needs-has");
  const known = factsIn("ImportError: libcupti.so.11.2: cannot open shared object file: No such file or directory");
  expect(known.length).toBeGreaterThan(0);
  expect(known.filter(({ grammar }) => grammar !== undefined)).toEqual([]);
});

test("a word that turns a sentence round is no other wording of it", () => {
  expect(rewordedFacts("no kernel image is really available for execution on the device")).not.toEqual([]);
  expect(rewordedFacts("a kernel image is available for execution on the device")).toEqual([]);
  expect(rewordedFacts("CUDA driver version is sufficient for CUDA runtime version")).toEqual([]);
});

test("words that say the same are the same, also over the end of a line", () => {
  for (const text of [
    "Failed to load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: unable to open shared object file",
    "cuDNN version conflict: PyTorch was built against 7102 but linked against 7605",
    "the provided PTX was built with a not supported toolchain",
    "CUDA driver version is too low for CUDA runtime version",
    "nvcc fatal   : Not supported gpu architecture 'compute_86'",
  ])
    expect(factsIn(text), text).not.toEqual([]);
  const wrapped =
    "The detected CUDA version (12.2) does not match the version that was used to compile\n    PyTorch (11.3). Please make sure to use the same CUDA versions.";
  expect(factsIn(wrapped).map(({ grammar }) => grammar)).toContain("reworded");
  expect(rewordedFacts("CUDA driver version is not insufficient for CUDA runtime version")).toEqual([]);
});

test("marks of a web page are no part of a line", () => {
  for (const text of ["**a b c d**", "- `a b c d`", "> _a b c d_", "1. a b c d"]) expect(unmarked(text)).toBe("a b c d");
  expect(unmarked("__nvJitLinkComplete_12_4 is missing")).toBe("__nvJitLinkComplete_12_4 is missing");
});
