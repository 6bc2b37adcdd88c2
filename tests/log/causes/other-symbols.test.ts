import step from "../../../packages/core/src/log/causes/other-symbols.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "driver-too-old > library-wrong-version > library-missing",
    "./gpu: symbol lookup error: ./gpu: undefined symbol: nvmlDeviceGetGpuInstanceId\n| NVIDIA-SMI 418.87.01    Driver Version: 418.87.01    CUDA Version: 10.1     |",
  ],
  ["library-missing > driver-not-exposed > driver-too-old", "./info: symbol lookup error: ./info: undefined symbol: nvmlDeviceGetCount_v2"],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "AttributeError: /opt/rocm-7.0.1/lib/libamd_smi.so: undefined symbol: amdsmi_get_gpu_partition_metrics_info",
  ],
  ["library-wrong-version > library-shadowed > package-conflict", "libamdhip64.so.6: undefined reference to `hsa_amd_vmem_map@ROCR_1'"],
  ["library-wrong-version > library-shadowed > package-conflict", "Version mismatch between HSA runtime and libhsa-runtime-tools64.so.1"],
]);
