import { expect, test } from "vitest";
import { factsOf } from "../../../packages/core/src/log/fact.ts";
import { signatures } from "../../../packages/core/src/log/index.generated.ts";
import { logReader } from "../../../packages/core/src/log/read.ts";
import { told } from "../../../packages/core/src/log/told.ts";
import { holds } from "./holds.ts";

// What a row of messages/ says that its message may mean; the causes are those that threads, headers and real runs showed.
const rows: [causes: string, text: string][] = [
  ["not-a-mismatch > upstream-bug > profiler-plugin-version", "No step marker observed and hence the step time is unknown."],
  ["benign-warning > profiler-plugin-version", "Profiler only generates xplane.pb"],
  ["upstream-bug > cupti-too-old-for-driver > not-a-mismatch", "Importer error status: Importation failed."],
  ["not-a-mismatch > upstream-bug", "The request is not applicable in this state: StopRequest."],
  ["upstream-bug", "Error: Nsight Systems #VERSION_RSPLIT# hasn't been installed with CUDA Toolkit #CUDA_MAJOR#.#CUDA_MINOR#"],
  ["package-conflict > not-a-mismatch", "ImportError: cannot import name 'numpy_support' from 'numba' (/v/numba/__init__.py)"],
  ["not-a-mismatch > package-conflict", "AttributeError: module 'numpy' has no attribute 'float'."],
  ["package-conflict > wrong-wheel-cuda-version", "ModuleNotFoundError: No module named 'pynvjitlink'"],
  ["driver-too-old > forward-compat-misuse", "==ERROR== Cuda driver is not compatible with Nsight Compute."],
  [
    "library-wrong-version > library-shadowed > not-a-mismatch",
    "cudnn.hpp:113] Check failed: status == CUDNN_STATUS_SUCCESS (3 vs. 0)  CUDNN_STATUS_BAD_PARAM",
  ],
  ["not-a-mismatch", "nvidia-container-cli: device error: 2: unknown device: unknown"],
  [
    "not-a-mismatch",
    "nvidia-container-cli: mount error: failed to add device rules: unable to find any existing device filters attached to the cgroup: bpf_prog_query(BPF_CGROUP_DEVICE) failed: operation not permitted",
  ],
  ["not-a-mismatch > arch-unsupported", "CUDARuntimeError: cudaErrorNotSupported: operation not supported"],
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
  ["not-a-mismatch", "==WARNING== No kernels were profiled."],
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
  ["not-a-mismatch", "RuntimeError: No HIP GPUs are available"],
  ["not-a-mismatch", "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"],
  ["not-a-mismatch", "OSError: [Errno 24] Too many open files"],
  ["not-a-mismatch", "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm)."],
  ["not-a-mismatch", "RuntimeError: Failed to find C compiler. Please specify via CC environment variable or set triton.knobs.build.impl."],
  [
    "library-wrong-version > stale-artefact",
    "6: The engine plan file is not compatible with this version of TensorRT, expecting library version 8.6.1 got 8.5.2, please rebuild.",
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
