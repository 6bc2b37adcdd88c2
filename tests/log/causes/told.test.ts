import { expect, test } from "vitest";
import { factsOf } from "../../../packages/core/src/log/fact.ts";
import { signatures } from "../../../packages/core/src/log/index.generated.ts";
import { logReader } from "../../../packages/core/src/log/read.ts";
import { told } from "../../../packages/core/src/log/told.ts";
import { holds } from "./holds.ts";
import { ofLeftovers } from "./told-leftovers.ts";
import { ofSystems } from "./told-systems.ts";

// What a row of messages/ says that its message may mean; the causes are those that threads, headers and real runs showed.
const rows: [causes: string, text: string][] = [
  ["kernel-module-mismatch > driver-too-old", "HSA Error: Incompatible kernel and userspace, Vega 20 disabled. Upgrade amdgpu."],
  [
    "wrong-wheel-cpu-only > wrong-vendor",
    "Specified provider 'ROCMExecutionProvider' is not in available provider names. Available providers: 'CPUExecutionProvider'",
  ],
  [
    "profiler-plugin-version > not-a-mismatch > profiler-plugin-version",
    "No dashboards are active for the current data set.\nrun.pt.trace.json",
  ],
  [
    "wrong-wheel-platform > package-conflict > wrong-wheel-platform",
    "Windows 11: pip install torch --index-url https://download.pytorch.org/whl/rocm6.0\nERROR: Could not find a version that satisfies the requirement torch (from versions: none)",
  ],
  [
    "arch-unsupported > upstream-bug > toolkit-too-old",
    "ptxas /tmp/a.ptx, line 6; error   : PTX .version 8.4 does not support .target sm_120a",
  ],
  ["upstream-bug > profiler-conflict > cupti-too-old-for-driver", "`jax.profiler.stop_trace()` segfaults in `cuptiFinalize`"],
  ["not-a-mismatch", 'msg="CPU does not have minimum vector extensions, GPU inference disabled" required=avx'],
  // Questions of people.
  ["not-a-mismatch", "why is cupy slower than numpy on my GPU?"],
  ["not-a-mismatch", "No backend with GPU available. Would you like to use a runtime with no accelerator?"],
  ["package-conflict", "No version 2.12.0 of the tensorflow-gpu was found."],
  ["wrong-wheel-cpu-only", "Windows 11: No version 2.12.0 of the tensorflow-gpu was found."],
  ["package-conflict > library-wrong-version", "PJRT plugin 0.4.33 with jaxlib 0.4.30"],
  [
    "not-a-mismatch",
    "nvcc --version prints: Cuda compilation tools, release 11.8, V11.8.89\nWhich CUDA version is actually used by PyTorch?",
  ],
  ["profiler-plugin-version > not-a-mismatch > library-missing", "There’s no dashboard by the name of “pytorch_profiler.”"],
  // Linkers and CMake.
  ["library-not-on-path > library-missing > cuda-home-wrong", "/usr/bin/ld: cannot find -lcufft_static"],
  ["library-missing > upstream-bug", "CUDA_cublas_device_LIBRARY (ADVANCED)"],
  ["library-not-on-path > library-missing > upstream-bug", "/usr/bin/ld: cannot find -lCUDNN_LIBRARY-NOTFOUND"],
  [
    "stub-library > upstream-bug > driver-not-exposed > library-not-on-path",
    "/usr/bin/ld: warning: libcuda.so.1, needed by /opt/x/libmesh.so, not found (try using -rpath or -rpath-link)",
  ],
  ["cuda-home-wrong > toolkit-too-old > library-missing > not-a-mismatch", "-- The CUDA compiler identification is unknown"],
  ["toolkit-too-old > cuda-home-wrong > not-a-mismatch", "nvcc fatal   : Unsupported gpu architecture 'sm_native'"],
  // Nsight Compute, Nsight Systems, nvprof and sessions of profilers; notebooks.
  [
    "not-a-mismatch > library-wrong-version > library-missing > mixed-cudnn-sublibraries > package-conflict",
    "The kernel appears to have died. It will restart automatically.",
  ],
  [
    "library-not-on-path > library-missing",
    "======== Warning: The path to CUPTI and CUDA Injection libraries might not be set in LD_LIBRARY_PATH.",
  ],
  ["driver-too-old > profiler-conflict", "======== Error: incompatible CUDA driver version."],
  [
    "profiler-platform-unsupported > not-a-mismatch > upstream-bug > profiler-permission",
    "==1234== Error: Internal profiling error 4054:1.",
  ],
  ["not-a-mismatch", "======== Error: Application received signal 139"],
  [
    "not-a-mismatch > upstream-bug > profiler-platform-unsupported > profiler-conflict",
    "==ERROR== The application returned an error code (11).",
  ],
  ["not-a-mismatch > profiler-platform-unsupported > profiler-permission > upstream-bug", "==ERROR== LaunchFailed"],
  [
    "not-a-mismatch > profiler-permission",
    "==ERROR== Failed to open/create lock file /tmp/nsight-compute-lock. Please check that the process has write permissions",
  ],
  ["profiler-platform-unsupported > not-a-mismatch", "==ERROR== Failed to find metric smsp__inst_executed.sum"],
  ["not-a-mismatch", "==WARNING== Profiling kernels launched by child processes requires the --target-processes all option."],
  ["not-a-mismatch > profiler-platform-unsupported", "==WARNING== No kernels were profiled."],
  [
    "cupti-too-old-for-driver > benign-warning",
    "Installed CUDA driver version (12.4) is not supported by this build of Nsight Systems. CUDA trace will be collected",
  ],
  ["profiler-conflict > upstream-bug > not-a-mismatch", "ALREADY_EXISTS: Another profiler session is active."],
  ["not-a-mismatch > upstream-bug", "ProfilerNotRunningError: Cannot stop profiling. No profiler is running."],
  ["not-a-mismatch > profiler-plugin-version > profiler-permission", "Failed to capture profile: empty trace result."],
  [
    "upstream-bug > not-a-mismatch > profiler-plugin-version",
    "ValueError: Invalid trace folder: /tmp/log/plugins/profile/2023_01_22_17_22_49",
  ],
  ["profiler-plugin-version > upstream-bug", "It is able to capture a trace but there are no tools to investigate the trace."],
  ["upstream-bug > profiler-conflict > profiler-platform-unsupported > not-a-mismatch", "my program hangs when profiling with nsys"],
  ["package-conflict > wrong-wheel-cpu-only > wrong-wheel-platform", "ERROR: No matching distribution found for tensorflow-gpu==2.12.0"],
  // Sources of Kineto, numba-cuda, Paddle, TensorFlow and XLA.
  ["not-a-mismatch", "State: CollectTrace stopped by CUPTI. (Buffer size configured is 128MB)"],
  ["package-conflict > library-missing", "NVIDIA CUDA Python bindings not found. Install the 'cuda' package"],
  ["library-missing > library-wrong-version", "RuntimeError: Link time optimization requires nvJitLink."],
  ["library-missing > library-not-on-path > not-a-mismatch", "3. NVIDIA-NCCL2 is not installed correctly on your system."],
  ["library-missing > library-not-on-path", "ImportError: Could not find the DLL(s) 'msvcp140_1.dll'. TensorFlow requires that these DLLs"],
  [
    "package-conflict",
    "ImportError: Found conflicting TensorFlow installations in this environment: tensorflow 2.19.0, tensorflow-cpu 2.16.1. These distributions",
  ],
  ["wrong-wheel-platform", "TensorFlow requires a 64-bit Python interpreter, but this interpreter is 32-bit."],
  ["not-a-mismatch", "Do not import tensorflow from its source directory; change directory"],
  ["library-wrong-version > library-shadowed", "UNIMPLEMENTED: Cudnn flash attention only supported with Cudnn >= 9.1.0"],
  [
    "upstream-bug > library-wrong-version",
    "cuBLAS < 13.2 (120900 found) has a known issue where many kernels free TMEM buffers multiple times.",
  ],
  ["not-a-mismatch > cuda-home-wrong > toolkit-too-old", "CUDA version in nvcc -V and nvidia-smi is different"],
  ["library-wrong-version > wrong-wheel-cuda-version", "tensorflow was looking for CUDA 11 libraries, instead of 12"],
  ["driver-not-exposed > not-a-mismatch", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."],
  ["driver-not-exposed", "Incompatible strategy detected auto"],
  ["not-a-mismatch > upstream-bug > profiler-plugin-version", "No step marker observed and hence the step time is unknown."],
  ["benign-warning > profiler-plugin-version", "Profiler only generates xplane.pb"],
  ["upstream-bug > cupti-too-old-for-driver > not-a-mismatch", "Importer error status: Importation failed."],
  ["not-a-mismatch > upstream-bug", "The request is not applicable in this state: StopRequest."],
  ["upstream-bug", "Error: Nsight Systems #VERSION_RSPLIT# hasn't been installed with CUDA Toolkit #CUDA_MAJOR#.#CUDA_MINOR#"],
  ["package-conflict > not-a-mismatch", "ImportError: cannot import name 'numpy_support' from 'numba' (/v/numba/__init__.py)"],
  ["package-conflict > wrong-wheel-cuda-version", "ModuleNotFoundError: No module named 'pynvjitlink'"],
  ["wrong-wheel-cuda-version > toolkit-too-old > package-conflict", "ERROR: No matching distribution found for cumm-cu100"],
  [
    "package-conflict > two-copies",
    'ImportError: generic_type: cannot initialize type "GemmAlgoDesp": an object with that name is already defined',
  ],
  [
    "package-conflict > library-missing > wrong-wheel-cuda-version > upstream-bug",
    "FileNotFoundError: Cannot find DGL C++ graphbolt library at /v/dgl/graphbolt/libgraphbolt_pytorch_2.4.1.so",
  ],
  ["package-conflict > library-missing > wrong-wheel-cuda-version > upstream-bug", "RuntimeError: failed to load the CUDA kernels"],
  ["library-wrong-version > upstream-bug", "-- *** Found cuDNN, but it looks like the wrong version so dlib will not use it. ***"],
  ["library-wrong-version > upstream-bug", "configure: error: unsupported version of NCCL"],
  ["wrong-wheel-cpu-only > driver-not-exposed", "OSError: Unknown compute capability. Ensure PyTorch with CUDA support is installed."],
  ["driver-too-old > package-conflict", "NVIDIA driver: 550.163.01\nMinimum required Nvidia driver is 570.0 or newer"],
  [
    "cuda-home-wrong > toolkit-too-old > toolkit-vs-framework-at-build > not-a-mismatch",
    "i follow all the step to install Cuda 11.8 but when i run nvcc -V, i get Cuda 11.5",
  ],
  ["driver-too-old > forward-compat-misuse", "==ERROR== Cuda driver is not compatible with Nsight Compute."],
  [
    "library-wrong-version > library-shadowed > not-a-mismatch",
    "cudnn.hpp:113] Check failed: status == CUDNN_STATUS_SUCCESS (3 vs. 0)  CUDNN_STATUS_BAD_PARAM",
  ],
  ["not-a-mismatch", "nvidia-container-cli: device error: 2: unknown device: unknown"],
  [
    "driver-not-exposed",
    'C:\\Users\\me>docker run\nerror gathering device information while adding custom device "/dev/kfd": no such file or directory',
  ],
  [
    "kernel-module-missing > driver-not-exposed",
    'error gathering device information while adding custom device "/dev/nvidia-uvm": no such file or directory',
  ],
  [
    "not-a-mismatch",
    "nvidia-container-cli: mount error: failed to add device rules: unable to find any existing device filters attached to the cgroup: bpf_prog_query(BPF_CGROUP_DEVICE) failed: operation not permitted",
  ],
  ["not-a-mismatch > driver-too-old > arch-unsupported", "CUDARuntimeError: cudaErrorNotSupported: operation not supported"],
  ["not-a-mismatch", "CUDA error: CUDA-capable device(s) is/are busy or unavailable"],
  [
    "not-a-mismatch",
    "request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]",
  ],
  [
    "not-a-mismatch > driver-not-exposed > driver-too-old > kernel-module-mismatch",
    "RuntimeError: Unable to initialize backend 'cuda': INTERNAL: no supported devices found for platform CUDA",
  ],
  [
    "not-a-mismatch",
    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1691, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.19.3",
  ],
  [
    "not-a-mismatch",
    "node:100:200 [0] misc/socket.cc:480 NCCL WARN socketStartConnect: Connect to 10.0.0.1<38007> failed : Connection refused",
  ],
  [
    "not-a-mismatch",
    "numba.cuda.cudadrv.error.CudaSupportError: CUDA is disabled due to setting NUMBA_DISABLE_CUDA=1 in the environment, or because CUDA is unsupported on 32-bit systems.",
  ],
  [
    "not-a-mismatch > driver-not-exposed > driver-too-old",
    "CudaSupportError: Error at driver init: Call to cuInit results in CUDA_ERROR_OUT_OF_MEMORY (2)",
  ],
  ["not-a-mismatch", "Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.  Reboot the system to recover this GPU"],
  [
    "not-a-mismatch",
    "size mismatch for fc.weight: copying a param with shape torch.Size([8, 32]) from checkpoint, the shape in current model is torch.Size([2, 32]).",
  ],
  ["not-a-mismatch", "ValueError: operands could not be broadcast together"],
  ["not-a-mismatch", "epoch 1, loss: nan, grad_norm: nan"],
  [
    "not-a-mismatch",
    "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method",
  ],
  ["not-a-mismatch", "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0!"],
  ["not-a-mismatch", "HIP error: invalid argument"],
  ["not-a-mismatch", "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"],
  ["not-a-mismatch", "OSError: [Errno 24] Too many open files"],
  ["not-a-mismatch", "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm)."],
  [
    "library-missing > library-not-on-path > not-a-mismatch",
    "RuntimeError: Failed to find C compiler. Please specify via CC environment variable or set triton.knobs.build.impl.",
  ],
  [
    "stale-artefact > library-wrong-version",
    "6: The engine plan file is not compatible with this version of TensorRT, expecting library version 8.6.1 got 8.5.2, please rebuild.",
  ],
  [
    "library-wrong-version > stale-artefact",
    "$ docker run --gpus all nvcr.io/nvidia/tritonserver:22.12-py3 tritonserver --model-repository=/models\n6: The engine plan file is not compatible with this version of TensorRT, expecting library version 8.5.1 got 8.6.1, please rebuild.",
  ],
  ["package-conflict > library-missing", "E: Version '8.2.0.53-1+cuda11.3' for 'libcudnn8' was not found"],
  [
    "package-conflict",
    "RuntimeWarning: JAX plugin jax_cuda12_plugin version 0.9.2 is installed, but it is not compatible with the installed jaxlib version 0.9.0.1, so it will not be used.",
  ],
  [
    "library-wrong-version > library-shadowed > not-a-mismatch",
    "RuntimeError: jaxlib/cuda/versions_helpers.cc:72: operation cublasGetVersion( nullptr, &version) failed: cuBlas internal error",
  ],
  ["profiler-permission > profiler-platform-unsupported > driver-too-old > not-a-mismatch", "==ERROR== Unknown Error on device 0."],
  [
    "driver-not-exposed > library-not-on-path > library-shadowed > kernel-module-mismatch",
    "| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: ERR!     |",
  ],
  ["driver-not-exposed > kernel-module-mismatch", "Failed to initialize NVML: Unknown Error"],
  ["driver-not-exposed", "Failed to initialize NVML: GPU access blocked by the operating system"],
  ["profiler-platform-unsupported > profiler-permission", "pynvml.nvml.NVMLError_NoPermission: Insufficient Permissions"],
  ["profiler-platform-unsupported", "docker run --gpus device=MIG-3eb9\npynvml.nvml.NVMLError_NoPermission: Insufficient Permissions"],
  ["library-missing > not-a-mismatch", "FileNotFoundError: Shared library with base name 'llama' not found"],
  ["not-a-mismatch", "socket.gaierror: [Errno 11001] getaddrinfo failed"],
  ["not-a-mismatch", "CuDNN error: conv2d() missing 2 required positional arguments: 'input' and 'filter'"],
  ["not-a-mismatch", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x10 and 20x5)"],
  ["not-a-mismatch > profiler-plugin-version", "No dashboards are active for the current data set."],
  [
    "benign-warning > driver-too-old",
    "W external/xla/xla/service/gpu/nvptx_compiler.cc:742] The NVIDIA driver's CUDA version is 12.2 which is older than the ptxas CUDA version (12.3.103). Because the driver is older than the ptxas version, XLA is disabling parallel compilation, which may slow down compilation.",
  ],
  [
    "driver-too-old > package-conflict",
    "  - package cudatoolkit-11.0.3-h15472ef_6 has constraint __cuda >=11.0 conflicting with __cuda-10.2-0",
  ],
  ["driver-not-exposed > driver-too-old > package-conflict", "  - nothing provides __cuda needed by pytorch-gpu-2.1.0-cuda118py310_0"],
  [
    "driver-too-old > forward-compat-misuse",
    "ERROR: This container was built for NVIDIA Driver Release 450.51 or later, but version 440.33.01 was detected and compatibility mode is UNAVAILABLE.",
  ],
  [
    "library-shadowed > driver-not-exposed > two-copies",
    "nvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/0a1b/merged/usr/lib/x86_64-linux-gnu/libcuda.so.1: file exists",
  ],
  [
    "kernel-module-mismatch > package-conflict",
    "fabric manager NVIDIA GPU driver interface version 535.104.05 don't match with driver version 535.129.03. Please update with matching NVIDIA driver package.",
  ],
  ["driver-too-old", "[h264_nvenc @ 0x5581] Driver does not support the required nvenc API version. Required: 13.0 Found: 12.1"],
  [
    "driver-too-old > library-wrong-version > stub-library",
    "numba.cuda.cudadrv.error.CudaDriverError: Driver missing function: cuDevicePrimaryCtxRelease",
  ],
  [
    "arch-unsupported > driver-too-old",
    "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1180) NVRM: installed in this system is not supported by the NVIDIA 570.86 driver release.",
  ],
  ["arch-unsupported", "NVRM: installed in this system requires use of the NVIDIA open kernel modules."],
  ["not-a-mismatch", "NVRM: No NVIDIA graphics adapter found!"],
  [
    "driver-too-old > ptx-newer-than-driver",
    "UserWarning: Using CUDA toolkit version (12, 3) with CUDA driver version (12, 2) requires minor version compatibility, which is not yet supported for CUDA driver versions 12.0 and above.",
  ],
  ["toolkit-too-old > library-wrong-version", "Outdated NVIDIA CUDA Toolkit version '9000' detected!"],
  ["toolkit-too-old > arch-unsupported", "'sm_120' is not a recognized processor for this target (ignoring processor)"],
  [
    "library-missing > library-not-on-path > cuda-home-wrong > library-wrong-version",
    "numba.cuda.cudadrv.error.NvvmSupportError: No supported GPU compute capabilities found. Please check your cudatoolkit version matches your CUDA version.",
  ],
  ["toolkit-too-old", "#error -- unsupported GNU version! gcc versions later than 11 are not supported!"],
  ["toolkit-too-old > cuda-home-wrong", "nvcc fatal   : Value 'c++17' is not defined for option 'std'"],
  [
    "library-not-on-path > library-missing > library-wrong-version",
    "nvrtc: error: failed to open libnvrtc-builtins.so.12.1. Make sure that libnvrtc-builtins.so.12.1 is installed correctly.",
  ],
  ["toolkit-too-old > library-wrong-version > not-a-mismatch", "nvrtcCompileProgram failed: NVRTC_ERROR_INVALID_OPTION"],
  [
    "toolkit-too-old > library-wrong-version > not-a-mismatch",
    "nvrtcCompileProgram failed: NVRTC_ERROR_INVALID_OPTION\noptions: --gpu-architecture=sm_120",
  ],
  [
    "toolkit-too-old",
    "subprocess.CalledProcessError: Command '['/opt/venv/triton/backends/nvidia/bin/ptxas', '-lineinfo', '-v', '--gpu-name=sm_120', '/tmp/a.ptx', '-o', '/tmp/a.ptx.o']' returned non-zero exit status 255.",
  ],
  ["toolkit-too-old", "RuntimeError: Triton only support CUDA 10.0 or higher, but got CUDA version: 9.2"],
  [
    "library-not-on-path > library-missing > wrong-wheel-cuda-version > library-shadowed",
    "RuntimeError: CUDA Setup failed despite GPU being available. Please run the following command to get more info: python -m bitsandbytes",
  ],
  [
    "wrong-wheel-cpu-only",
    "UserWarning: The installed version of bitsandbytes was compiled without GPU support. 8-bit optimizers, 8-bit multiplication, and GPU quantization are unavailable.",
  ],
  [
    "wrong-wheel-cuda-version > wrong-wheel-cpu-only > driver-too-old",
    "CatBoostError: Can't load GPU learning library. Module was not compiled or CUDA version/driver  is incompatible with package",
  ],
  [
    "wrong-wheel-cpu-only",
    "WARNING:jax._src.xla_bridge:An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
  ],
  [
    "wrong-wheel-cpu-only",
    "INFO:jax._src.xla_bridge:Unable to initialize backend 'cuda': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'",
  ],
  [
    "wrong-wheel-cpu-only",
    "mxnet.base.MXNetError: src/imperative/imperative.cc:81: Operator _ones is not implemented for GPU. Compile with USE_CUDA=1 to enable GPU usage",
  ],
  [
    "wrong-wheel-cpu-only",
    "UserWarning: Specified provider 'CUDAExecutionProvider' is not in available provider names. Available providers: 'AzureExecutionProvider, CPUExecutionProvider'",
  ],
  ["wrong-wheel-cpu-only", "Cannot use GPU because you have installed CPU version PaddlePaddle."],
  ["wrong-wheel-platform", "ERROR: torch-2.1.0+cu118-cp310-cp310-win_amd64.whl is not a supported wheel on this platform."],
  [
    "wrong-wheel-cpu-only > package-conflict",
    "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend.",
  ],
  [
    "package-conflict > library-missing",
    "PackagesNotFoundError: The following packages are not available from current channels:   - cudatoolkit=11.1",
  ],
  ["package-conflict > driver-too-old", "Your installed CUDA driver is: 11.0"],
  [
    "package-conflict",
    "UserWarning: CuPy may not function correctly because multiple CuPy packages are installed in your environment: cupy-cuda11x, cupy-cuda12x",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-not-on-path",
    "ImportError: CuPy is not correctly installed. If you are using wheel distribution (cupy-cudaXX), make sure that the version of CuPy you installed matches with the version of CUDA on your host.",
  ],
  ["library-wrong-version > wrong-wheel-cuda-version", "AssertionError: *** The requested function could not be found in the library."],
  ["package-conflict > library-missing", "Exception: No matching DALI plugin found for installed TensorFlow version"],
  ["package-conflict > library-wrong-version", "jax.errors.JaxRuntimeError: ALREADY_EXISTS: PJRT_Api already exists for device type cuda"],
  [
    "package-conflict > wrong-wheel-platform",
    "ERROR: Could not find a version that satisfies the requirement torch==1.7.1+cu110 (from versions: 1.13.0, 1.13.1, 2.0.0)",
  ],
  [
    "package-conflict > driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nYour installed CUDA driver is: 11.0",
  ],
  ["not-a-mismatch", "RuntimeError: CUDA error: device-side assert triggered"],
  ["not-a-mismatch", "RuntimeError: CUDA error: an illegal memory access was encountered"],
  ["not-a-mismatch", "RuntimeError: CUDA error: unspecified launch failure"],
  ["not-a-mismatch", "RuntimeError: CUDA error: the launch timed out and was terminated"],
  ["not-a-mismatch", "RuntimeError: CUDA error: uncorrectable ECC error encountered"],
  ["not-a-mismatch", "RuntimeError: CUDA error: misaligned address"],
  [
    "library-shadowed > library-wrong-version > not-a-mismatch > arch-unsupported",
    "CUDNN_FE failure 11: CUDNN_BACKEND_API_FAILED ; GPU=0 ; hostname=node ; file=conv.cc ; line=224",
  ],
  [
    "library-wrong-version > not-a-mismatch > driver-too-old > arch-unsupported",
    "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:47, unhandled cuda error, NCCL version 21.0.3",
  ],
  ["library-wrong-version", "NCCL WARN Mismatched NCCL version detected : rank 0 version 21803 rank 1 version 21903"],
  ["not-a-mismatch", "NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus."],
  [
    "not-a-mismatch > wrong-wheel-cpu-only",
    "ValueError: This ORT build has ['AzureExecutionProvider', 'CPUExecutionProvider'] enabled. Since ORT 1.9, you are required to explicitly set the providers parameter when instantiating InferenceSession.",
  ],
  [
    "not-a-mismatch > kernel-module-mismatch > driver-not-exposed",
    'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":830, please report a bug to PyTorch.',
  ],
  [
    "kernel-module-mismatch > driver-not-exposed > not-a-mismatch",
    'RuntimeError: NVML_SUCCESS == DriverAPI::get()->nvmlInit_v2_() INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":799, please report a bug to PyTorch.',
  ],
  ["not-a-mismatch > wrong-wheel-cpu-only > driver-too-old > driver-not-exposed", "the Volatile GPU-Util is 0%"],
  ["wrong-wheel-cpu-only", "ValueError: This CTranslate2 package was not compiled with CUDA support"],
  [
    "package-conflict > wrong-wheel-platform",
    "╰─▶ Because there is no version of torch==1.6.0+cu101 and your project depends on torch==1.6.0+cu101, we can conclude that your project's requirements are unsatisfiable.",
  ],
  [
    "wrong-wheel-cuda-version > wrong-wheel-cpu-only > driver-too-old",
    "CatBoostError: Can't load GPU learning library. Module was not compiled or driver  is incompatible with package",
  ],
  // NVIDIA-AI-IOT/torch2trt issue 563, pytorch/pytorch issue 2575: an earlier import or LD_PRELOAD helps.
  ["not-a-mismatch > upstream-bug", "OSError: /usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block"],
  // NVIDIA/nccl issues 1092 and 1247.
  [
    "not-a-mismatch > library-wrong-version > upstream-bug",
    "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1333, internal error - please report this issue to the NCCL developers, NCCL version 2.18.1\nncclInternalError: Internal check failed.\nLast error:\nProxy Call to rank 0 failed (Connect)",
  ],
  ["package-conflict", "AttributeError: module 'numpy' has no attribute 'float'."],
  ["driver-not-exposed", "Unable to open /dev/kfd read-write: Permission denied"],
  ["driver-not-exposed > kernel-module-missing", "Unable to open /dev/kfd read-write: No such file or directory"],
  ["library-not-on-path > library-missing", "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH"],
  [
    "not-a-mismatch",
    "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600123 milliseconds before timing out.",
  ],
  [
    "stale-artefact > arch-unsupported",
    "The engine plan file is generated on an incompatible device, expecting compute 8.6 got compute 7.5, please rebuild.",
  ],
  ["driver-not-exposed > not-a-mismatch", "nvcc fatal   : Unsupported gpu architecture 'compute_No CUDA devices found.'"],
  [
    "arch-unsupported > not-a-mismatch",
    "ValueError: Requested float16 compute type, but the target device or backend do not support efficient float16 computation.",
  ],
  ["library-missing > not-a-mismatch", "main.c:5:10: fatal error: Python.h: No such file or directory"],
  ["toolkit-too-old > library-not-on-path > not-a-mismatch", "nvcc fatal   : Host compiler targets unsupported OS."],
  [
    "toolkit-too-old > library-not-on-path > not-a-mismatch",
    "nvcc fatal   : The version ('80100') of the host compiler ('Apple clang') is not supported",
  ],
  ["toolkit-too-old > cuda-home-wrong", "nvcc fatal   : Unknown option '-generate-dependencies-with-compile'"],
  [
    "package-conflict > wrong-wheel-platform",
    "  ╰─▶ Because torch==2.3.0 has no wheels with a matching Python version tag (e.g., `cp313`), we can conclude",
  ],
  [
    "package-conflict > wrong-wheel-platform",
    "error: Distribution `torch==2.5.1 @ registry+https://download.pytorch.org/whl/cu124` can't be installed because it doesn't have a source distribution or wheel for the current platform",
  ],
  ["package-conflict > wrong-wheel-platform", "    | Unable to find installation candidates for torch (2.5.1+cu124)"],
  ["package-conflict > wrong-wheel-cuda-version > wrong-wheel-cpu-only", "    xFormers wasn't build with CUDA support"],
  [
    "library-missing > library-not-on-path > not-a-mismatch",
    "RuntimeError: Failed to find C compiler. Please specify via CC environment variable.",
  ],
  ["library-missing > package-conflict > not-a-mismatch", "RuntimeError: Cannot find a working triton installation."],
  [
    "wrong-wheel-platform > library-missing > package-conflict > not-a-mismatch",
    "C:\\venv\\Scripts\\python.exe main.py\nRuntimeError: Cannot find a working triton installation. Either the package is not installed or it is too old.",
  ],
  [
    "library-not-on-path > library-missing > not-a-mismatch",
    "subprocess.CalledProcessError: Command '['/usr/bin/gcc', '/tmp/t/main.c', '-O3', '-shared', '-fPIC', '-lcuda', '-o', '/tmp/t/k.so']' returned non-zero exit status 1.",
  ],
  ["package-conflict > upstream-bug", "fatal error: THC/THC.h: No such file or directory"],
  ["package-conflict > upstream-bug", "error: ‘AT_CHECK’ was not declared in this scope"],
  ["package-conflict > toolkit-too-old", "error: #error C++17 or later compatible compiler is required to use PyTorch."],
  ["toolkit-too-old", "std_function.h:435:145: error: parameter packs not expanded with ‘...’:"],
  [
    "toolkit-too-old",
    "RuntimeError: The current installed version of g++ (4.8.5) is less than the minimum required version by CUDA 11.7 (6.0.0). Please make sure",
  ],
  [
    "toolkit-too-old",
    "RuntimeError: The current installed version of g++ (13.2.0) is greater than the maximum required version by CUDA 11.8 (11.0.0). Please make sure",
  ],
  ["library-missing > library-not-on-path > not-a-mismatch", "RuntimeError: Ninja is required to load C++ extensions"],
  ["driver-not-exposed > driver-too-old", "    arch_list[-1] += '+PTX'\nIndexError: list index out of range"],
  ["not-a-mismatch", "RuntimeError: CUDA error: peer access is not supported between these two devices"],
  ["not-a-mismatch", "CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a non-contiguous input."],
  [
    "not-a-mismatch > arch-unsupported",
    "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: 101376.",
  ],
  [
    "package-conflict > wrong-wheel-cpu-only > driver-not-exposed",
    "ImportError: Using `bitsandbytes` 4-bit quantization requires the latest version of bitsandbytes: `pip install -U bitsandbytes`",
  ],
  [
    "library-missing > package-conflict > wrong-wheel-cpu-only > toolkit-vs-framework-at-build > not-a-mismatch",
    "NameError: name 'selective_scan_cuda' is not defined",
  ],
  [
    "library-missing > package-conflict > wrong-wheel-cpu-only > toolkit-vs-framework-at-build > not-a-mismatch",
    "AttributeError: 'NoneType' object has no attribute 'causal_conv1d_fwd'",
  ],
  ["package-conflict > not-a-mismatch", "2. You run 'pip install' with --no-build-isolation flag"],
  ["not-a-mismatch", "huggingface_hub.errors.GatedRepoError: 401 Client Error."],
  ["not-a-mismatch", "      error: <urlopen error [Errno 104] Connection reset by peer>"],
  ["package-conflict > library-wrong-version > upstream-bug", "Unsupported cuda toolkit version: `13.0`. Please raise a github issue."],
  ["library-missing > library-not-on-path", "Cannot find a libtorch install, you can use the 'download-libtorch' feature"],
  [
    "driver-not-exposed > library-not-on-path",
    "`nvidia-smi` failed. Ensure that you have CUDA installed and that `nvidia-smi` is in your PATH.",
  ],
  ["wrong-wheel-cpu-only > library-shadowed", "Unknown encoder 'h264_nvenc'"],
  [
    "wrong-wheel-cpu-only > cuda-home-wrong",
    "llama_cpp with n_gpu_layers=35 prints AVX = 1 | AVX2 = 1 | FMA = 1 | BLAS = 0 | SSE3 = 1 | VSX = 0 |",
  ],
  [
    "wrong-wheel-platform > not-a-mismatch > package-conflict",
    "The installation of nvidia-dali-cuda120 for version 1.44.0 failed.\nOperating System: Windows 10",
  ],
  ["wrong-wheel-platform > not-a-mismatch > package-conflict", "The installation of nvidia-dali-cuda120 for version 1.44.0 failed."],
  [
    "library-missing > wrong-wheel-cuda-version > package-conflict > library-not-on-path > driver-not-exposed",
    "ValueError: GPU is not accessible. Was the library installed correctly?",
  ],
  ["library-damaged > benign-warning > stale-artefact", "ldconfig: File /usr/lib/libcuda.so.418.56 is empty, not checked."],
  ["upstream-bug > package-conflict", "cu124 index no longer serves nvidia-cudnn-cu12==9.1.0.70, which all torch cu124 wheels pin"],
  ["not-a-mismatch > driver-too-old", "I installed pytorch with cuda 12.4 but my driver only supports CUDA 12.2"],
  ["driver-too-old", "I installed pytorch with cuda 12.4 but my driver only supports CUDA 11.4"],
  ["not-a-mismatch", "within the docker container nvidia-smi shows _all_ gpus of the machine"],
  ["library-missing > library-not-on-path", "Could not locate zlibwapi.dll. Please make sure it is in your library path!"],
  ["wrong-wheel-cpu-only", "No OpKernel was registered to support Op 'CudnnRNN' used by node with these attrs"],
  ["not-a-mismatch > wrong-wheel-cpu-only", "My GPU is not used, why? I read frames with opencv and its dnn module."],
  [
    "package-conflict > not-a-mismatch",
    "ImportError: cannot import name 'packaging' from 'pkg_resources' (/v/lib/python3.10/site-packages/pkg_resources/__init__.py)",
  ],
  [
    "wrong-wheel-cuda-version > not-a-mismatch > package-conflict > upstream-bug",
    "! cannot open URL 'https://download.pytorch.org/libtorch/cu113/libtorch-win-shared-with-deps-2.5.1%2Bcu113.zip'",
  ],
  [
    "library-shadowed > mixed-cudnn-sublibraries > upstream-bug > package-conflict > not-a-mismatch",
    "#1  0x00007ffe5ee187e6 in cudnnStatus_t conv<float>(cudnnContext*) ()\n   from /v/nvidia/cudnn/lib/libcudnn_cnn_infer.so.8",
  ],
  ["library-missing > library-not-on-path > benign-warning", "* Device #1: CUDA SDK Toolkit installation NOT detected."],
  [
    "wrong-wheel-cpu-only > library-not-on-path > wrong-wheel-cuda-version > driver-not-exposed",
    'println!("Cuda available: {:?}", Cuda::is_available()); > false',
  ],
  [
    "library-shadowed > library-wrong-version > package-conflict > not-a-mismatch",
    "cupy.cuda.compiler.JitifyException: Runtime compilation failed",
  ],
  [
    "stale-artefact > package-conflict > library-wrong-version",
    "Load model from m.onnx failed: Unsupported model IR version: 9, max supported IR version: 8",
  ],
  ["not-a-mismatch > wrong-wheel-cpu-only", "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'"],
  ["wrong-wheel-cpu-only", "AttributeError: module 'faiss' has no attribute 'StandardGpuResources'"],
  ["library-missing > wrong-wheel-cpu-only", "ValueError: Cannot use GPU, CuPy is not installed"],
  ["driver-not-exposed > wrong-wheel-cpu-only > package-conflict > not-a-mismatch", "RuntimeError: Failed to infer device type"],
  ["not-a-mismatch", "nvcc error : 'cicc' died due to signal 9 (Kill signal)"],
  ["not-a-mismatch", "llama_model_load: error loading model: unable to allocate CUDA0 buffer"],
  ["library-missing > not-a-mismatch", 'The following module(s) are unknown: "cuda/12.1"'],
  ["upstream-bug > wrong-wheel-platform", "Illegal instruction (core dumped) when importing numpy on Jetson Nano"],
  ["kernel-module-missing > driver-not-exposed > not-a-mismatch", "ROCk module is NOT loaded, possibly no GPU devices"],
  ["driver-too-old > arch-unsupported > driver-not-exposed", "No compatible GPUs found for Cycles"],
  ["not-a-mismatch", "[TRT] [E] 4: [network.cpp::validate] Error Code 4: Internal Error (Network must have at least one output)"],
  ["not-a-mismatch", "RuntimeError: DataLoader worker (pid 1234) is killed by signal: Killed."],
  [
    "library-missing > library-not-on-path > package-conflict",
    "ImportError: cannot import name 'get_device' from 'onnxruntime.capi._pybind_state' (/v/onnxruntime/capi/_pybind_state.py)",
  ],
  ["not-a-mismatch > profiler-plugin-version", "The HLO Op Profile page contains no data, kernel stats are there"],
  ["not-a-mismatch", "I have an A100 with MIG and torch.cuda.device_count() shows only one gpu"],
  ["not-a-mismatch > wrong-wheel-cuda-version", "there is no pytorch compatible with CUDA 11.4, what should I do?"],
  ...ofSystems,
  ...ofLeftovers,
];

holds(told, rows);

test("every row of messages/ that says what it means is held here", () => {
  const seen = new Set(
    rows.flatMap(([, text]) => {
      const reader = logReader();
      reader.push(new TextEncoder().encode(text));
      return factsOf(reader.end().facts)
        .all("notice")
        .map(({ id }) => id);
    }),
  );
  const meaning = signatures.flat().flatMap(({ notice, means }) => (means === undefined ? [] : notice!));
  expect(meaning.filter((id) => !seen.has(id))).toEqual([]);
});
