import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);

// One text of each emitter, written as its source writes it: the cause that comes first, and what it names.
test.each<[text: string, cause: string, named?: { name?: string; required?: string; found?: string }]>([
  [
    "ERROR: This container was built for NVIDIA Driver Release 525.60 or later, but\n       version 470.129.06 was detected and compatibility mode is UNAVAILABLE.",
    "driver-too-old",
    { required: "525.60", found: "470.129.06" },
  ],
  ["Error response from daemon: could not select device driver with capabilities: [[gpu]]", "driver-not-exposed"],
  [
    'Unable to find cudnn lib under the names ["cudnn", "cudnn64", "cudnn64_9"]. Please open GitHub issue.',
    "library-missing",
    { name: "libcudnn.so" },
  ],
  ["requires device with capability <= (9, 0) but your GPU has capability (10, 0) (too new)", "arch-unsupported", { found: "9.0" }],
  [
    "LLVM ERROR: PTX version 8.4 does not support target 'sm_100a'. Minimum required PTX version is 8.6",
    "arch-unsupported",
    { found: "PTX 8.4" },
  ],
  [
    "TypeError: Descriptors should not be created directly, but only retrieved from their parent.",
    "package-conflict",
    { name: "protobuf" },
  ],
  ["nvrtc: error: unable to load nvrtc-builtins64_121.dll", "library-not-on-path", { name: "nvrtc-builtins64_121.dll" }],
  ["failed: CUDA_ERROR_INVALID_PTX", "ptx-newer-than-driver"],
  ["ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library", "package-conflict"],
  [
    "Located at /v/lib/python3.12/site-packages/nvidia/cu13/lib/libnvvm.so.4\nLocated at /v/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    "package-conflict",
    { found: "CUDA 13" },
  ],
  [
    "The following specifications were found to be incompatible with your CUDA driver:\n  - feature:/linux-64::__cuda==11.4=0\nYour installed CUDA driver is: 11.4",
    "package-conflict",
  ],
  ["step 20 loss: nan lr 1e-3", "not-a-mismatch"],
  ["RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 1024x10)", "not-a-mismatch"],
  [
    "$ apptainer run x.sif\napptainer: error while loading shared libraries: libfuse3.so.3: cannot open shared object file: No such file or directory",
    "library-missing",
    { name: "libfuse3.so.3" },
  ],
  [
    "OSError: libcuda.so: cannot open shared object file: No such file or directory\n\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/wsl/lib/libcuda.so.1",
    "library-not-on-path",
    { name: "libcuda.so" },
  ],
  ["==ERROR== Cuda driver is not compatible with Nsight Compute.", "driver-too-old"],
  // Package managers of systems.
  [
    "The following packages have unmet dependencies:\n nvidia-driver-525 : Depends: nvidia-kernel-common-525 (>= 525.60.13) but 525.53-0ubuntu1 is to be installed\nE: Unable to correct problems, you have held broken packages.",
    "package-conflict",
    { name: "nvidia-kernel-common-525", required: "525.60.13", found: "525.53" },
  ],
  [
    "dpkg: error processing archive libnvidia-cfg1_535_amd64.deb (--unpack):\n trying to overwrite '/usr/lib/x86_64-linux-gnu/libnvidia-cfg.so', which is also in package nvidia-340 340.108-0ubuntu2",
    "package-conflict",
    { name: "nvidia-340" },
  ],
  [
    "Error: \n Problem: package cuda-drivers-550.54.15-1.x86_64 requires nvidia-driver >= 3:550.54.15, but none of the providers can be installed",
    "package-conflict",
    { name: "nvidia-driver" },
  ],
  [
    ":: installing nvidia-utils (565.77-1) breaks dependency 'nvidia-utils=560.35.03' required by nvidia-dkms",
    "package-conflict",
    { required: "560.35.03", found: "565.77" },
  ],
  ["==> Error: py-torch@2.1 cuda_arch=80 ^cuda@12.4 is unsatisfiable, conflicts are:", "package-conflict", { name: "py-torch" }],
  // Programs that open CUDA's libraries themselves.
  [
    'Unable to dynamically load the "cublas" shared library - searched for library names: ["libcublas.so", "libcublas64_12.so", "libcublas.so.12"].',
    "library-missing",
    { name: "libcublas.so" },
  ],
  [
    'Unable to dynamically load the "cuda" shared library - searched for library names: ["cuda", "nvcuda"].',
    "driver-not-exposed",
    { name: "libcuda.so.1" },
  ],
  [
    "Error: You are using a local CUDA 12.4.0 toolkit, but CUDA.jl was precompiled for CUDA 12.6.0. This is unsupported.",
    "library-wrong-version",
    { required: "12.6", found: "12.4" },
  ],
  [
    "Warning: CUDA runtime library `libcublasLt.so.12` was loaded from a system path, `/usr/local/cuda/lib64/libcublasLt.so.12`.",
    "library-shadowed",
    { name: "libcublasLt.so.12", found: "/usr/local/cuda/lib64" },
  ],
  ["Error: CUDA.jl could not find an appropriate CUDA runtime to use.", "library-missing"],
  ["Error: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 10.2.0)", "driver-too-old"],
  [
    "[h264_nvenc @ 0x5581] Driver does not support the required nvenc API version. Required: 13.0 Found: 12.1\n[h264_nvenc @ 0x5581] The minimum required Nvidia driver for nvenc is 570.0 or newer",
    "driver-too-old",
    { required: "570.0", found: "12.1" },
  ],
  ["[h264_nvenc @ 0x5581] Cannot load libnvidia-encode.so.1", "driver-not-exposed", { name: "libnvidia-encode.so.1" }],
  ["Outdated NVIDIA CUDA Toolkit version '9000' detected!", "toolkit-too-old", { found: "9.0" }],
  ["[LightGBM] [Fatal] CUDA Tree Learner was not enabled in this build.", "wrong-wheel-cpu-only"],
  // Words of the loader and the linker in other languages.
  ["ImportError: libcudart.so.11.0: 无法打开共享对象文件: 没有那个文件或目录", "library-missing", { name: "libcudart.so.11.0" }],
  [
    "./train: Fehler beim Laden der Shared Libraries: libcublas.so.12: Kann die Shared-Object-Datei nicht öffnen: Datei oder Verzeichnis nicht gefunden",
    "library-missing",
    { name: "libcublas.so.12" },
  ],
  ["/usr/bin/ld: no se puede encontrar -lcudart: No existe el fichero o el directorio", "library-missing", { name: "libcudart.so" }],
  // The driver and its parts.
  [
    "nv-fabricmanager[1201]: fabric manager NVIDIA GPU driver interface version 535.104.05 don't match with driver version 535.129.03. Please update with matching NVIDIA driver package.",
    "kernel-module-mismatch",
    { name: "nvidia-fabricmanager", required: "535.129.03", found: "535.104.05" },
  ],
  [
    "nvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/0a1b/merged/usr/lib/x86_64-linux-gnu/libcuda.so.1: file exists: unknown",
    "library-shadowed",
    { name: "libcuda.so.1" },
  ],
  ['failed to get sandbox runtime: no runtime for "nvidia" is configured', "driver-not-exposed"],
  ["pynvml.NVMLError_LibraryNotFound: NVML Shared Library Not Found", "driver-not-exposed"],
  ["DKMS module 'nvidia-535.129.03' failed to build, please check /var/lib/dkms", "kernel-module-missing"],
  [
    "[    5.499014] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.105.08  Wed Oct 29 23:15:11 UTC 2025\n[    5.559842] NVRM: The NVIDIA GPU 0000:02:00.0 (PCI ID: 10de:2c58)\n               NVRM: installed in this system requires use of the NVIDIA open kernel modules.\n[    5.559858] NVRM: GPU 0000:02:00.0: RmInitAdapter failed! (0x22:0x56:884)",
    "arch-unsupported",
    { required: "the open flavor of the kernel module" },
  ],
  [
    "Error! Bad return status for module build on kernel: 6.8.0-31-generic (x86_64)\nConsult /var/lib/dkms/nvidia/535.129.03/build/make.log for more information.",
    "kernel-module-missing",
  ],
  ["ERROR: Unable to find the kernel source tree for the currently running kernel.", "kernel-module-missing"],
  [
    "nvidia-fabricmanager-start.sh[77]: request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]",
    "not-a-mismatch",
    { name: "nvidia-fabricmanager" },
  ],
  ["NVRM: No NVIDIA graphics adapter found!\nmodprobe: ERROR: could not insert 'nvidia': No such device", "not-a-mismatch"],
  ['msg="Unable to load cudart library /usr/lib/libcuda.so.1: cuda driver library init failure: 999"', "not-a-mismatch"],
  [
    "CUDA initialization: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 2: out of memory",
    "not-a-mismatch",
  ],
  // Parts of one thing.
  ["TypeError: register_plugin() got an unexpected keyword argument 'c_api'", "package-conflict"],
  ["Invalid handle. Cannot load symbol cublasLtCreate", "library-missing", { name: "libcublasLt.so" }],
  [
    "Could not locate cudnn_graph64_9.dll. Please make sure it is in your library path!\nError: CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED; Reason: finalize()",
    "library-missing",
    { name: "cudnn_graph64_9.dll" },
  ],
  [
    "python: symbol lookup error: /opt/lib/python3.8/site-packages/torch/_C.so: undefined symbol: cudnnGetVersion",
    "library-shadowed",
    { name: "libcudnn.so" },
  ],
  [
    "cuDNN reports version 8100 which does not match with the version 7605 with which OpenCV was built",
    "library-wrong-version",
    { required: "7.6.5", found: "8.1.0" },
  ],
  [
    "nvrtcCompileProgram failed: NVRTC_ERROR_INVALID_OPTION\noptions: --std=c++17 --gpu-architecture=sm_89",
    "toolkit-too-old",
    { required: "11.8" },
  ],
  [
    "GPU: RTX 3070\nCUDA 10.1\nRuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
    "arch-unsupported",
    { required: "sm_86", found: "10.1" },
  ],
  ["GPU: RTX 2080\nCUDA 11.7\nRuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED", "not-a-mismatch"],
  [
    "Installed CUDA version 12.2 does not match the version torch was compiled with 12.1 but since the APIs are compatible, accepting this combination",
    "benign-warning",
  ],
  ["======== Warning: nvprof is not supported on devices with compute capability 8.0 and higher.", "profiler-platform-unsupported"],
  [
    "==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data.",
    "profiler-conflict",
  ],
  [
    "==PROF== Connected to process 4900\n==ERROR== The application returned an error code (11)\n==WARNING== No kernels were profiled",
    "not-a-mismatch",
  ],
  [
    "NVRM: API mismatch: the client has the version 535.54.03, but\nNVRM: this kernel module has the version 530.30.02.  Please",
    "kernel-module-mismatch",
    { required: "530.30.02", found: "535.54.03" },
  ],
  ["libcuda reported version is: 450.142.0\nkernel reported version is: 450.66.0", "kernel-module-mismatch"],
  ["nvidia: version magic '5.15.0-91-generic SMP ' should be '5.15.0-92-generic SMP '", "kernel-module-missing"],
  ["Unable to determine the device handle for GPU0000:25:00.0: Unknown Error", "not-a-mismatch"],
  ["Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all", "driver-not-exposed"],
  ["nvidia-container-cli: device error: 2: unknown device: unknown", "not-a-mismatch"],
  [
    "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory",
    "driver-not-exposed",
    { name: "libnvidia-ml.so.1" },
  ],
  ["  - nothing provides __cuda needed by pytorch-gpu-2.1.0-cuda118py310_0", "driver-not-exposed"],
  [
    "  - package cuda-version-12.0-hffde075_0 has constraint __cuda >=12 conflicting with __cuda-11.4-0",
    "driver-too-old",
    { required: "12", found: "11.4" },
  ],
  [
    "Because torch==2.11.0+cu130 depends on cuda-toolkit[cublas]==13.0.2 and you require cuda-toolkit==13.2.1, we can conclude\nNo solution found when resolving dependencies:",
    "package-conflict",
    { required: "13.0.2", found: "13.2.1" },
  ],
  [
    "Because there is no version of torch==1.6.0+cu101 and your project depends on torch==1.6.0+cu101, we can conclude that",
    "package-conflict",
    { required: "1.6.0" },
  ],
  ["ERROR: No matching distribution found for torch==1.7.1+cu110", "package-conflict", { name: "torch" }],
  [
    "RuntimeError: Detected that PyTorch and torchvision were compiled with different\nCUDA versions. PyTorch has CUDA Version=11.7 and torchvision has CUDA \nVersion=11.8. Please reinstall",
    "wrong-wheel-cuda-version",
    { required: "11.7", found: "11.8" },
  ],
  [
    "RuntimeError: operator torchvision::nms does not exist\ntorch==2.6.0+cu124\ntorchvision==0.21.0+cu126",
    "wrong-wheel-cuda-version",
    { required: "cu124", found: "cu126" },
  ],
  [
    "NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`:\nlibrary nvvm not found",
    "library-missing",
    { name: "libnvvm.so" },
  ],
  ["CudaDriverError: Driver missing function: cuDevicePrimaryCtxRelease", "driver-too-old"],
  [
    "UserWarning: CUDA Toolkit 10.2 is unsupported by Numba - 11.2 is the minimum required version.",
    "toolkit-too-old",
    { required: "11.2", found: "10.2" },
  ],
  ["NvvmSupportError: GPU compute capability 3.0 is not supported(requires >=3.5)", "arch-unsupported", { required: "3.5", found: "3.0" }],
  [
    "ptxas application ptx input, line 9; fatal   : Unsupported .version 7.3; current version is '7.1'\nLinkerError: [222] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR",
    "ptx-newer-than-driver",
    { required: "7.3", found: "7.1" },
  ],
  [
    "Falling back to the CUDA driver for PTX compilation; ptxas does not support CC 8.9\nfailed to load PTX text as a module: CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid",
    "toolkit-too-old",
  ],
  [
    "Error: Cannot load cudnn shared library. Cannot invoke method cudnnGetVersion at (/paddle/dynload/cudnn.cc:63)",
    "library-missing",
    { name: "libcudnn.so" },
  ],
  ["../src/base.cc:80: cuDNN lib mismatch: linked-against version 8200 != compiled-against version 8100.", "benign-warning"],
  [
    "../src/base.cc:80: cuDNN lib mismatch: linked-against version 7605 != compiled-against version 8100.",
    "library-wrong-version",
    { required: "8.1.0", found: "7.6.5" },
  ],
  [
    "the engine plan file is not compatible with this version of TensorRT, expecting library version 5.1.6 got 5.0.6, please rebuild.",
    "stale-artefact",
    { required: "5.1.6", found: "5.0.6" },
  ],
  ["API Usage Error (Target GPU SM 61 is not supported by this TensorRT release.)", "arch-unsupported", { required: "6.1" }],
  ["RuntimeError: Library libcublas.so.12 is not found or cannot be loaded", "library-missing", { name: "libcublas.so.12" }],
  [
    "NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory No plugin found (libnccl-net.so), using internal implementation",
    "benign-warning",
  ],
  [
    "NCCL WARN NCCL library is too old. This application was compiled with NCCL version 2.29.2, but is running with NCCL library version 2.27.5.",
    "library-wrong-version",
    { required: "2.29.2", found: "2.27.5" },
  ],
  ["Check failed: error == cudaSuccess (8 vs. 0)  invalid device function", "arch-unsupported"],
  ["cudaErrorCallRequiresNewerDriver: API call is not supported in the installed CUDA driver", "driver-too-old"],
  ["CUDA error: PTX JIT compiler library not found", "driver-not-exposed", { name: "libnvidia-ptxjitcompiler.so.1" }],
  [
    "Please install TensorRT libraries as mentioned in the GPU requirements page, make sure they're in the PATH or LD_LIBRARY_PATH, and that your GPU is supported.",
    "library-missing",
    { name: "libnvinfer.so" },
  ],
  ['RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":830', "not-a-mismatch"],
  ["RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0!", "not-a-mismatch"],
  ["CUDA_VISIBLE_DEVICES is set to -1 - this hides all GPUs from CUDA", "not-a-mismatch"],
  ["RuntimeError: 0 active drivers ([]). There should only be one.", "driver-not-exposed"],
  ["/usr/bin/ld: cannot find -lcuda: No such file or directory", "library-not-on-path", { name: "libcuda.so" }],
  [
    "#error -- unsupported Microsoft Visual Studio version! Only the versions between 2017 and 2022 (inclusive) are supported!",
    "toolkit-too-old",
    { found: "2017 and 2022" },
  ],
  [
    "cuDNN reports version 7.6 which is not compatible with the version 8.2 with which OpenCV was built",
    "library-wrong-version",
    { required: "8.2", found: "7.6" },
  ],
  ["cuDNN reports version 91.9 which is not compatible with the version 9.3 with which OpenCV was built", "benign-warning"],
  [
    "Found cuSOLVER version 11002, but JAX was built against version 11401, which is newer.",
    "library-wrong-version",
    { required: "11.4.1", found: "11.0.2" },
  ],
  [
    "ImportError: libcurand.so.10: cannot open shared object file: No such file or directory\n/usr/local/cuda/lib64/libcurand.so.10.0\n/usr/local/cuda/lib64/libcurand.so.10.0.130",
    "library-wrong-version",
    { name: "libcurand.so.10", found: "10.0.130" },
  ],
  [
    "2020-11-08 00:00:00.000000: I tensorflow/compiler/jit/xla_cpu_device.cc:41] Not creating XLA devices, tf_xla_enable_xla_devices not set",
    "benign-warning",
  ],
])("%s", async (text, cause, named = {}) => {
  const [first] = (await explain(text)).diagnoses;
  expect(first?.cause).toBe(cause);
  for (const key of ["name", "required", "found"] as const) if (named[key] !== undefined) expect(first?.[key]).toContain(named[key]);
});

test.each([
  "ModuleNotFoundError: No module named 'pandas'",
  "/usr/bin/ld: cannot find -lssl",
  "error: undefined reference to `main'",
  "ERROR: No matching distribution found for foobar==9",
  "ImportError: /opt/venv/lib/python3.10/site-packages/PIL/_imaging.so: undefined symbol: _ZN3foo3barEv",
  "  - nothing provides requested numpy 99",
  "nvcc warning : incompatible redefinition for option 'compiler-bindir', the last value of this option was used",
])("%s says nothing about a GPU stack", async (text) => {
  expect((await explain(text)).diagnoses).toEqual([]);
});

// The same words about other things.
test.each([
  "The following packages have unmet dependencies:\n libreoffice-core : Depends: libboost-locale1.74.0 (>= 1.74.0) but it is not going to be installed",
  "Error! Bad return status for module build on kernel: 6.8.0-31-generic (x86_64)\nConsult /var/lib/dkms/virtualbox/6.1.50/build/make.log for more information.",
  " Problem: package python3-foo-1.2-1.fc39.noarch requires python(abi) = 3.11, but none of the providers can be installed",
  ":: installing icu (75.1-1) breaks dependency 'libicui18n.so=74-64' required by electron28",
  "==> Error: hdf5@1.14+mpi ^openmpi@4.1 is unsatisfiable, conflicts are:",
  "./firefox: Fehler beim Laden der Shared Libraries: libgtk-3.so.0: Kann die Shared-Object-Datei nicht öffnen: Datei nicht gefunden",
  "g++ -o app main.o -L/usr/local/cuda/lib64 -lcudart -lcublas -lcuda\n/usr/bin/ld: skipping incompatible /usr/lib/libcuda.so when searching for -lcuda",
  "nvcc -O3 --gpu-architecture=sm_86 -o saxpy saxpy.cu\nMax error: 0.000000 on a RTX 3090 with CUDA 11.0",
])("says nothing of %j", async (text) => {
  expect((await explain(text)).diagnoses).toEqual([]);
});
