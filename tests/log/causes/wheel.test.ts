import step from "../../../packages/core/src/log/causes/wheel.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-shadowed",
    "CUDA SETUP: Required library version not found: libbitsandbytes_cuda122.so. Maybe you need to compile it from source?",
  ],
  [
    "library-not-on-path > library-missing > wrong-wheel-cuda-version > library-shadowed",
    "RuntimeError: CUDA Setup failed despite GPU being available. Please run the following command to get more info: python -m bitsandbytes",
  ],
  [
    "wrong-wheel-cpu-only",
    "UserWarning: The installed version of bitsandbytes was compiled without GPU support. 8-bit optimizers, 8-bit multiplication, and GPU quantization are unavailable.",
  ],
  [
    "wrong-wheel-cpu-only > toolkit-vs-framework-at-build",
    "xgboost.core.XGBoostError: XGBoost version not compiled with GPU support: was built without CUDA",
  ],
  ["wrong-wheel-cpu-only", "[LightGBM] [Fatal] CUDA Tree Learner was not enabled in this build."],
  [
    "wrong-wheel-cuda-version > wrong-wheel-cpu-only > driver-too-old",
    "CatBoostError: Can't load GPU learning library. Module was not compiled or CUDA version/driver  is incompatible with package",
  ],
  ["wrong-wheel-cpu-only", "  pytorch            pytorch/win-64::pytorch-1.10.0-py3.6_cpu_0"],
  ["wrong-wheel-cpu-only", "ValueError: This CTranslate2 package was not compiled with CUDA support"],
  [
    "wrong-wheel-cpu-only",
    "WARNING:jax._src.xla_bridge:An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
  ],
  [
    "wrong-wheel-cpu-only",
    "INFO:jax._src.xla_bridge:Unable to initialize backend 'cuda': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'",
  ],
  [
    "wrong-wheel-cpu-only > driver-not-exposed > driver-too-old > not-a-mismatch",
    "UserWarning: CUDA is not available, disabling CUDA profiling",
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
    "not-a-mismatch > wrong-wheel-cpu-only > driver-not-exposed",
    "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.",
  ],
  ["wrong-wheel-cpu-only > wrong-wheel-platform > driver-not-exposed", "Cuda available: False, in jetson orin nx"],
  [
    "library-missing > library-not-on-path > library-wrong-version",
    "W tensorflow/core/common_runtime/gpu/gpu_device.cc:1766] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU.",
  ],
  ["wrong-wheel-cpu-only", ">>> print(tf.test.is_built_with_cuda()) False"],
  ["wrong-wheel-cpu-only > library-missing > library-not-on-path > library-wrong-version > driver-not-exposed", "Is GPU available? []"],
  [
    "library-missing > library-not-on-path > library-wrong-version > driver-not-exposed",
    "Cannot assign a device for operation MatMul: node MatMul was explicitly assigned to /device:GPU:0 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0, /job:localhost/replica:0/task:0/device:XLA_GPU:0 ]. Make sure the device specification refers to a valid device.",
  ],
  ["wrong-wheel-cpu-only", "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend."],
  ["wrong-wheel-cpu-only > wrong-wheel-platform", "C:\\Users\\me>python\n>>> print(tf.test.is_built_with_cuda()) False"],
  ["not-a-mismatch > wrong-wheel-cpu-only", "OS: macOS 14.1 (arm64)\nAssertionError: Torch not compiled with CUDA enabled"],
  [
    "driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nRequested CUDA version:          11.8 Detected PyTorch CUDA version:   12.4",
  ],
  [
    "wrong-wheel-cpu-only > driver-not-exposed > not-a-mismatch",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nRuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.",
  ],
  [
    "driver-not-exposed > driver-too-old > not-a-mismatch",
    "PyTorch 2.1.0 built with CUDA 12.1\nUserWarning: CUDA is not available, disabling CUDA profiling",
  ],
  [
    "arch-unsupported",
    "PyTorch 2.1.0 built with CUDA 12.1\nNVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
  ],
  [
    "arch-unsupported",
    "PyTorch 2.1.0 built with CUDA 12.1\nIgnoring visible gpu device (device: 0, name: GeForce GT 730, pci bus id: 0000:01:00.0, compute capability: 3.0) with Cuda compute capability 3.0. The minimum required Cuda capability is 3.5.",
  ],
  [
    "arch-unsupported",
    "GPU 0: NVIDIA GeForce RTX 5090\nERROR: Could not find a version that satisfies the requirement torch==1.7.1+cu110 (from versions: 1.13.0, 1.13.1, 2.0.0)",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > upstream-bug",
    "TensorFlow 2.16.1\nCannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly.\nSkipping registering GPU devices...",
  ],
]);
