import { told } from "../../../packages/core/src/log/told.ts";
import { holds } from "./holds.ts";

// What a row of messages/ says that its message may mean; the causes are those that threads, headers and real runs showed.
holds(told, [
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
]);
