import step from "../../../packages/core/src/log/causes/harmless.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "benign-warning",
    "Installed CUDA version 12.2 does not match the version torch was compiled with 12.1 but since the APIs are compatible, accepting this combination",
  ],
  ["benign-warning", "/sbin/ldconfig.real: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link"],
  [
    "benign-warning",
    "Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: \"rocm\". Available platform names are: CUDA",
  ],
  ["benign-warning", "STAGE:2023-05-05 10:10:10 1000:1000 ActivityProfilerController.cpp:311] Completed Stage: Warm Up"],
  ["benign-warning", "[W kineto_shim.cpp:372] Profiler is not initialized: skipping step() invocation"],
  ["benign-warning", "'+ptx85' is not a recognized feature for this target (ignoring feature)"],
  [
    "benign-warning",
    "../src/base.cc:80: cuDNN lib mismatch: linked-against version 8200 != compiled-against version 8100.  Set MXNET_CUDNN_LIB_CHECKING=0 to quiet this warning.",
  ],
  [
    "benign-warning",
    "NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory No plugin found (libnccl-net.so), using internal implementation",
  ],
  [
    "benign-warning",
    "nvcc warning : The 'compute_35', 'compute_37', 'sm_35', and 'sm_37' architectures are deprecated, and may be removed in a future release",
  ],
  [
    "benign-warning",
    "W0101 00:00:00.000000 10000 device_context.cc:447] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 11.4, Runtime API Version: 10.2",
  ],
  [
    "benign-warning",
    "UserWarning: The detected CUDA version (12.4) has a minor version mismatch with the version that was used to compile PyTorch (12.1). Most likely this shouldn't be a problem.",
  ],
  [
    "benign-warning",
    "UserWarning: 1Torch was not compiled with flash attention. (Triggered internally at ..\\aten\\src\\ATen\\native\\transformers\\cuda\\sdp_utils.cpp:455.)",
  ],
  ["benign-warning", "FutureWarning: The pynvml package is deprecated. Please install nvidia-ml-py instead."],
  [
    "benign-warning",
    "PossibleUserWarning: GPU available but not used. Set `accelerator` and `devices` using `Trainer(accelerator='gpu', devices=1)`.",
  ],
  [
    "benign-warning",
    "UserWarning: TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled. Consider setting `torch.set_float32_matmul_precision('high')` for better performance.",
  ],
  [
    "benign-warning",
    "UserWarning: Deterministic behavior was enabled with either `torch.use_deterministic_algorithms(True)` or `at::Context::setDeterministicAlgorithms(true)`, but this operation is not deterministic because it uses CuBLAS and you have CUDA >= 10.2. you must set CUBLAS_WORKSPACE_CONFIG=:4096:8",
  ],
  ["benign-warning", "W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT"],
  [
    "benign-warning",
    "E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
  ],
  [
    "benign-warning",
    "W0000 00:00:1700000000.000000 1000 computation_placer.cc:177] computation placer already registered. Please check linkage and avoid linking the same target more than once.",
  ],
  [
    "benign-warning",
    "I tensorflow/stream_executor/cuda/cuda_gpu_executor.cc:923] could not open file to read NUMA node: /sys/bus/pci/devices/0000:01:00.0/numa_node",
  ],
  [
    "benign-warning",
    "I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.",
  ],
  [
    "benign-warning",
    "oneDNN custom operations are on. You may see slightly different numerical results due to floating-point round-off errors from different computation orders.",
  ],
  ["benign-warning", "I tensorflow/compiler/jit/xla_cpu_device.cc:41] Not creating XLA devices, tf_xla_enable_xla_devices not set"],
  ["benign-warning", "XLA service 0x55d0 initialized for platform CUDA (this does not guarantee that XLA will be used). Devices:"],
  [
    "benign-warning",
    "I tensorflow/compiler/mlir/mlir_graph_optimization_pass.cc:176] None of the MLIR Optimization Passes are enabled (registered 2)",
  ],
  [
    "benign-warning",
    "I tensorflow/core/common_runtime/executor.cc:1197] [/device:CPU:0] (DEBUG INFO) Executor start aborting (this does not indicate an error and you can ignore this message): INVALID_ARGUMENT: You must feed a value for placeholder tensor",
  ],
  [
    "benign-warning",
    "WARNING: [TRT]: Using an engine plan file across different models of devices is not recommended and is likely to affect performance or even cause errors.",
  ],
  [
    "benign-warning",
    "[W] [TRT] CUDA lazy loading is not enabled. Enabling it can significantly reduce device memory usage and speed up TensorRT initialization.",
  ],
  [
    "benign-warning",
    "ptxas warning : Registers are spilled to local memory in function 'gemm_fusion_dot_1', 40 bytes spill stores, 40 bytes spill loads",
  ],
  [
    "benign-warning",
    "W external/local_xla/xla/stream_executor/gpu/gpu_timer.cc:114] Delay kernel timed out: measured time has sub-optimal accuracy. There may be a missing warmup execution, please investigate in Nsight Systems.",
  ],
  ["benign-warning", "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR"],
]);
