import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);

// Rarer wordings of known troubles, each as its program builds it: what comes first, and what it names.
test.each<[text: string, cause: string, named?: { name?: string; required?: string; found?: string }]>([
  // NVML, by name and in pynvml's words.
  ["NVMLError_LibRmVersionMismatch: RM has detected an NVML/RM version mismatch.", "kernel-module-mismatch", { name: "libnvidia-ml" }],
  ["nvml init failed: ERROR_LIB_RM_VERSION_MISMATCH", "kernel-module-mismatch", { name: "libnvidia-ml" }],
  ["pynvml.nvml.NVMLError_DriverNotLoaded: Driver Not Loaded", "kernel-module-missing"],
  ["E0101 00:00:00.000000 1 main.go:123] nvml init failed: ERROR_LIBRARY_NOT_FOUND", "driver-not-exposed", { name: "libnvidia-ml" }],
  ["Failed to initialize NVML: could not load NVML library.", "driver-not-exposed", { name: "libnvidia-ml", required: "libnvidia-ml" }],
  [
    "Failed to initialize NVML: Driver/library version mismatch\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023\nii  nvidia-smi     545.23.08-1  amd64        NVIDIA System Management Interface",
    "kernel-module-mismatch",
    { required: "535.54.03", found: "545.23.08" },
  ],
  // cuInit, in all its failures.
  ["E tensorflow/stream_executor/cuda/cuda_driver.cc:397] failed call to cuInit: CUresult(-1)", "driver-not-exposed"],
  [
    "failed call to cuInit: CUresult(-1)\nlrwxrwxrwx 1 root root 38 Jan  1 00:00 libcuda.so.1 -> /usr/local/cuda/lib64/stubs/libcuda.so",
    "stub-library",
  ],
  ["E tensorflow/stream_executor/cuda/cuda_driver.cc:406] failed call to cuInit: CUDA_ERROR_UNKNOWN", "not-a-mismatch"],
  ["numba.cuda.cudadrv.driver.CudaAPIError: [999] Call to cuInit results in CUDA_ERROR_UNKNOWN", "not-a-mismatch"],
  ["CudaSupportError: Error at driver init: Call to cuInit results in CUDA_ERROR_OUT_OF_MEMORY (2)", "not-a-mismatch"],
  ["[2024-01-01 00:00:00] CUDA error: error code 34", "stub-library"],
  [
    "RuntimeError: Unable to initialize backend 'cuda': jaxlib/cuda/versions_helpers.cc:98: operation cuInit(0) failed: Unknown CUDA error 303; cuGetErrorName failed. This probably means that JAX was unable to load the CUDA libraries.",
    "driver-not-exposed",
  ],
  ["RuntimeError: Unable to initialize backend 'cuda': INTERNAL: no supported devices found for platform CUDA", "not-a-mismatch"],
  ["Unable to initialize backend 'cuda': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'", "wrong-wheel-cpu-only"],
  ["jax.errors.JaxRuntimeError: ALREADY_EXISTS: PJRT_Api already exists for device type cuda", "package-conflict"],
  [
    "Warp CUDA error: Warp requires CUDA driver 12.0 or higher, but the current driver only supports CUDA 11.4",
    "driver-too-old",
    { found: "11.4" },
  ],
  // A compat libcuda betrays itself in nvidia-smi: release 470 ends with CUDA 11.4.
  [
    "kernel version 470.182.3 does not match DSO version 520.61.5 -- cannot find working devices in this configuration\n| NVIDIA-SMI 470.182.03   Driver Version: 470.182.03   CUDA Version: 11.8     |",
    "forward-compat-misuse",
    { name: "libcuda.so.1", required: "470.182", found: "520.61" },
  ],
  [
    "kernel version 470.57.2 does not match DSO version 470.82.1 -- cannot find working devices in this configuration\n| NVIDIA-SMI 470.57.02   Driver Version: 470.57.02   CUDA Version: 11.4     |",
    "kernel-module-mismatch",
  ],
  // Builds.
  ["Cannot use GPU because you have installed CPU version PaddlePaddle.", "wrong-wheel-cpu-only", { name: "paddlepaddle" }],
  [
    "PermissionDeniedError: Cannot use CUDAPlace in CPU only version, Please recompile or reinstall Paddle with CUDA support.",
    "wrong-wheel-cpu-only",
  ],
  [
    "ValueError: Could not find the operator torchvision::nms. Please make sure you have already registered the operator",
    "package-conflict",
  ],
  [
    "These bindings are for CUDNN 5.x (5005 <= cudnn.version > 6000) , while the loaded CuDNN is version: 7005  \nAre you using an older or newer version of CuDNN?",
    "library-wrong-version",
    { name: "libcudnn.so", required: "5.0.5", found: "7.0.5" },
  ],
  [
    "'libcudnn (R5) not found in library path. Please install CuDNN from https://developer.nvidia.com/cuDNN",
    "library-missing",
    { name: "libcudnn.so.5" },
  ],
  ["nvrtc: error: failed to open nvrtc-builtins64_118.dll.", "library-not-on-path", { name: "nvrtc-builtins64_118.dll" }],
  [
    "pytools.prefork.ExecError: error invoking 'nvcc --version': [Errno 2] No such file or directory: 'nvcc'",
    "library-missing",
    { name: "nvcc" },
  ],
  ["nvcc fatal   : Unsupported gpu architecture 'compute_20'", "arch-unsupported", { required: "8.0" }],
  ["nvcc fatal   : Unsupported gpu architecture 'compute_120'\nnvcc version: 12.4", "toolkit-too-old", { required: "12.8", found: "12.4" }],
  ["cudnn.hpp:113] Check failed: status == CUDNN_STATUS_SUCCESS (3 vs. 0)  CUDNN_STATUS_BAD_PARAM", "library-wrong-version"],
  // Packages of two CUDA releases in one folder.
  [
    "ImportError: /venv/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclMemAlloc\n[pip3] nvidia-nccl-cu11==2.14.3\n[pip3] nvidia-nccl-cu12==2.21.5",
    "package-conflict",
    { name: "libnccl.so.2", found: "2.14.3" },
  ],
  // The PyTorch that was installed is not the one that is imported.
  [
    'pip install https://download.pytorch.org/whl/cu100/torch-1.1.0-cp36-cp36m-linux_x86_64.whl\n  File "/usr/lib/python3/dist-packages/torch/__init__.py", line 79, in <module>\nImportError: libcurand.so.8.0: cannot open shared object file: No such file or directory',
    "package-conflict",
    { name: "libcurand.so.8.0", found: "10.0" },
  ],
  // The steps of a docker build, shown again where it failed.
  [
    "14.87 No CUDA runtime is found, using CUDA_HOME='/usr/local/cuda'\n15.12 RuntimeError: \n15.12 The detected CUDA version (11.8) mismatches the version that was used to compile\n15.12 PyTorch (12.1). Please make sure to use the same CUDA versions.",
    "toolkit-vs-framework-at-build",
    { required: "12.1", found: "11.8" },
  ],
])("%s", async (text, cause, named = {}) => {
  const first = (await explain(text)).diagnoses[0];
  expect(first?.cause).toBe(cause);
  for (const [key, value] of Object.entries(named)) expect(String(first?.[key as keyof typeof named])).toContain(value);
});

// Half a message, or another half: what is left of it decides.
test.each<[text: string, cause: string, named?: { name?: string; required?: string; found?: string }]>([
  ["fatal error: cuda_fp8.h: No such file or directory", "toolkit-too-old"],
  ["fatal error: cudnn.h: No such file or directory", "library-missing"],
  [
    "WARNING:\n\nYou should always run with libnvidia-ml.so that is installed with your\nNVIDIA Display Driver. By default it's installed in /usr/lib and /usr/lib64.\nlibnvidia-ml.so in GDK package is a stub library that is attached only for\nbuild purposes",
    "stub-library",
    { name: "libnvidia-ml" },
  ],
  ["deviceQuery Starting...\n\ncudaGetDeviceCount returned 30\n-> unknown error\nResult = FAIL", "not-a-mismatch"],
  [
    "deviceQuery Starting...\n\ncudaGetDeviceCount returned 35\n-> CUDA driver version is insufficient for CUDA runtime version",
    "driver-too-old",
  ],
  [
    "torch                    2.4.0\nnvidia-cudnn-cu12        8.9.2.26\nnvidia-cublas-cu12       12.1.3.1",
    "package-conflict",
    { name: "nvidia-cudnn-cu12", found: "8.9.2.26" },
  ],
  [
    ">>> jax.devices()\n[CpuDevice(id=0)]\n| NVIDIA-SMI 535.54.03   Driver Version: 535.54.03   CUDA Version: 12.2     |",
    "wrong-wheel-cpu-only",
    { name: "jax" },
  ],
  // TensorFlow on Windows after 2.10, in the forms in which people tell it.
  [
    "### TensorFlow version\n\n2.17.0\n\n### OS platform and distribution\n\nWindows 11\n\nTensorFlow can't detect my GPU",
    "wrong-wheel-cpu-only",
    { name: "tensorflow" },
  ],
  ["Tensor Flow Version: 2.12.0\nOS: win10\nGPU is NOT AVAILABLE", "wrong-wheel-cpu-only", { found: "2.12.0" }],
  ['my tensorflow version is 2.13.0 on Windows 11\n[name: "/device:CPU:0"\ndevice_type: "CPU"\n]', "wrong-wheel-cpu-only"],
  ['could not select device driver "nvidia" with capabilities: [[compute utility]]', "driver-not-exposed"],
  ["nvcc fatal: Unsupported gpu architecture 'compute_89'", "toolkit-too-old"],
  ["[ONNXRuntimeError] : 1 : FAIL : LoadLibrary failed with error 126", "library-missing"],
  [
    "nvidia-container-cli: initialization error: cuda error: no cuda-capable device is detected\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  384.98  Thu Oct 26 15:16:01 PDT 2017",
    "driver-not-exposed",
  ],
])("%s reads as %s", async (text, cause, named = {}) => {
  const first = (await explain(text)).diagnoses[0];
  expect(first?.cause).toBe(cause);
  for (const key of ["name", "required", "found"] as const) if (named[key] !== undefined) expect(first?.[key]).toContain(named[key]);
});

// What is no mismatch is said to be none, and is never mixed up with one.
test.each<[text: string, cause: string]>([
  ["ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "not-a-mismatch"],
  ["misc/socket.cc:480 NCCL WARN socketStartConnect: Connect to 10.0.0.1<38007> failed : Connection refused", "not-a-mismatch"],
  ["F0101 00:00:00.000000  1000 syncedmem.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory", "not-a-mismatch"],
  ["`nvcc -V` shows 11.3, but `nvidia-smi` still shows the version 12.2", "not-a-mismatch"],
  [
    "ValueError: This ORT build has ['AzureExecutionProvider', 'CPUExecutionProvider'] enabled. Since ORT 1.9, you are required to explicitly set the providers parameter",
    "not-a-mismatch",
  ],
  ["CUDARuntimeError: cudaErrorNotSupported: operation not supported", "not-a-mismatch"],
  ["ModuleNotFoundError: No module named 'torch'", "not-a-mismatch"],
  ["ModuleNotFoundError: No module named 'causal_conv1d_cuda'", "not-a-mismatch"],
  ["RuntimeError: DataLoader worker (pid 4242) is killed by signal: Bus error.", "not-a-mismatch"],
  ["OSError: [Errno 24] Too many open files", "not-a-mismatch"],
  ["UserWarning: TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled.", "benign-warning"],
  [
    "tensorboard_data_server/bin/server: /lib64/libc.so.6: version `GLIBC_2.33' not found (required by tensorboard_data_server/bin/server)",
    "benign-warning",
  ],
  ["KeyError: 'state_dict'", "not-a-mismatch"],
  ["KeyError: 'cuda'", "not-a-mismatch"],
])("%s is no mismatch", async (text, cause) => {
  expect((await explain(text)).diagnoses[0]?.cause).toBe(cause);
});

test("TensorFlow under WSL 2, or with a GPU that it lists, is not blamed for Windows", async () => {
  const told = "tensorflow version: 2.15.0\nWindows 11\nTensorFlow can't detect my GPU";
  const blamed = { cause: "wrong-wheel-cpu-only", certainty: expect.stringMatching(/likely|certain/) };
  expect((await explain(`${told}\nUbuntu in WSL2`)).diagnoses).not.toContainEqual(expect.objectContaining(blamed));
  expect((await explain(`${told}\nname: "/device:GPU:0"`)).diagnoses).not.toContainEqual(expect.objectContaining(blamed));
});

test("an amount of memory under HIP is memory all the same", async () => {
  expect((await explain("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB")).diagnoses[0]?.name).toBe("GPU memory");
});

test("a number of four digits at the beginning of a line is no version that was read", async () => {
  const { diagnoses } = await explain("12.10 is what nvidia-smi calls my CUDA");
  expect(diagnoses).toEqual([]);
});

// What people say about their machine beside the message, in plain words.
test.each<[text: string, cause: string, named?: { name?: string; required?: string; found?: string }]>([
  [
    "OSError: libcufft.so.9.1: cannot open shared object file: No such file or directory\nIn the folder of the toolkit I only found libcufft.so.9.0.",
    "library-wrong-version",
    { name: "libcufft.so.9.1", found: "9.0" },
  ],
  [
    "app: error while loading shared libraries: libcudart.so.8.0: cannot open shared object file: No such file or directory\nI don't have libcudart.so.8.0, but there is libcudart.so.9.1",
    "library-wrong-version",
    { found: "9.1" },
  ],
  [
    "Could not load dynamic library 'cupti64_112.dll'; dlerror: cupti64_112.dll not found\nAll that I have is D:\\CUDA\\v11.2\\extras\\CUPTI\\lib64\\cupti64_2020.3.0.dll",
    "upstream-bug",
    { name: "cupti64_112.dll", found: "2020.3.0" },
  ],
  [
    "OS: Windows 11\nTensorFlow version: 2.17.0\nBuilt with CUDA: False\nAvailable GPUs: []",
    "wrong-wheel-cpu-only",
    { name: "tensorflow", found: "2.17.0" },
  ],
  [
    "PyTorch version: 1.9.0\nIs CUDA available (PyTorch): No\nCUDA runtime version: 11.1.105\nGPU models and configuration: Could not collect\nNvidia driver version: Could not collect",
    "driver-not-exposed",
  ],
  [
    "Failed to initialize NVML: Driver/library version mismatch\nUpgrade: libnvidia-compute-535:amd64 (535.129.03-0ubuntu1, 535.154.05-0ubuntu1), curl:amd64 (7.81.0-1, 7.81.0-2)",
    "kernel-module-mismatch",
    { required: "535.129.03", found: "535.154.05" },
  ],
  [
    "Failed to initialize NVML: Driver/library version mismatch\n2024-01-20 06:12:01 upgrade libnvidia-compute-535:amd64 535.129.03-0ubuntu1 535.154.05-0ubuntu1",
    "kernel-module-mismatch",
    { required: "535.129.03", found: "535.154.05" },
  ],
  [
    "Failed to initialize NVML: Driver/library version mismatch\nnvidia-driver-libs-530.30.02-1.el8.x86_64",
    "kernel-module-mismatch",
    { found: "530.30.02" },
  ],
  ["  + pytorch                  2.5.1  cpu_mkl_py312_h446997d_108    conda-forge     Cached", "wrong-wheel-cpu-only", { name: "torch" }],
  ["Warning: torch.cuda.is_available() returned False.", "wrong-wheel-cpu-only"],
  ["pip install onnxruntime onnxruntime-gpu\n>>> ort.get_available_providers()\n['CPUExecutionProvider']", "package-conflict"],
  ["I have both onnxruntime-gpu and onnxruntime, and only ['CPUExecutionProvider'] is offered", "package-conflict"],
  [
    "TensorFlow version: 2.1.0\nCUDA/cuDNN version: 10.2.89\n[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
    "library-wrong-version",
    { required: "10.1", found: "10.2" },
  ],
  ["cudaGetDevice() failed. Status: cudaGetErrorString symbol not found.", "library-missing", { name: "libcudart" }],
  ["-- CUDA detected: 10.2\nnvcc fatal   : Unsupported gpu architecture 'compute_86'", "toolkit-too-old", { found: "10.2" }],
  [
    "train: relocation error: /usr/local/cuda-11.3/lib64/libcublas.so.11: symbol cublasLtGetVersion, version libcublasLt.so.11 not defined in file libcublasLt.so.11 with link time reference",
    "library-shadowed",
    { name: "libcublasLt.so.11", required: "11.3" },
  ],
])("%s", async (text, cause, named = {}) => {
  const first = (await explain(text)).diagnoses[0];
  expect(first?.cause).toBe(cause);
  for (const [key, value] of Object.entries(named)) expect(first?.[key as "name"]).toContain(value);
});

test("a file that someone lacks, or is told to have, is no file that is there", async () => {
  const error = "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory";
  for (const said of ["I don't have libcudart.so.10.2", "you should have libcudart.so.10.2", "there is no libcudart.so.10.2"])
    expect((await explain(`${error}\n${said}`)).diagnoses[0]?.found ?? "").not.toContain("10.2");
});

test("a name of CUPTI that no toolkit for Windows has is a defect of who asks, among others", async () => {
  const { diagnoses } = await explain("Could not load dynamic library 'cupti64_113.dll'; dlerror: cupti64_113.dll not found");
  expect(diagnoses.map(({ cause }) => cause)).toContain("upstream-bug");
  const older = await explain("Could not load dynamic library 'cupti64_101.dll'; dlerror: cupti64_101.dll not found");
  expect(older.diagnoses.map(({ cause }) => cause)).not.toContain("upstream-bug");
});

test("a list of devices says nothing where the toolkit fits, or a GPU is in it", async () => {
  const list = (device: string) => `PhysicalDevice(name='/physical_device:${device}:0', device_type='${device}')`;
  const told = (cuda: string) => `TensorFlow version: 2.1.0\nCUDA/cuDNN version: ${cuda}`;
  expect((await explain(`${told("10.1")}\n[${list("CPU")}]`)).diagnoses).toEqual([]);
  expect((await explain(`${told("10.2")}\n[${list("CPU")}, ${list("GPU")}]`)).diagnoses).toEqual([]);
});

test("a toolkit that has the symbol is not the older copy", async () => {
  const text = (release: string) =>
    `ImportError: /env/lib/python3.11/site-packages/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12\nCuda compilation tools, release ${release}, V${release}.66`;
  expect((await explain(text("12.1"))).diagnoses[0]?.found).toContain("12.1");
  expect((await explain(text("12.4"))).diagnoses[0]?.found).not.toContain("12.4");
});

// One name, several packages: that of the framework's CUDA.
test.each([
  ["", "libcudnn.so.9", "nvidia-cudnn-cu12==9.*", "libcudnn9-cuda-12"],
  ["torch 2.5.1+cu124\n", "libcudnn.so.9", "nvidia-cudnn-cu12==9.*", "libcudnn9-cuda-12"],
  ["torch 2.9.0+cu130\n", "libcudnn.so.9", "nvidia-cudnn-cu13==9.*", "libcudnn9-cuda-13"],
  ["nvidia-cublas-cu12==12.2.5.6\n", "libcudnn.so.8", "nvidia-cudnn-cu12==8.*", "libcudnn8"],
])("%j and no %s: %s", async (before, name, wheel, apt) => {
  const { diagnoses } = await explain(`${before}ImportError: ${name}: cannot open shared object file: No such file or directory\n`);
  const commands = diagnoses[0]!.fixes.flatMap((each) => each.commands);
  expect(commands).toContain(`pip install "${wheel}"`);
  expect(commands).toContain(`sudo apt-get install ${apt}`);
});
