import step from "../../../packages/core/src/log/causes/missing-library.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "CUDA_SETUP: WARNING! libcudart.so not found in any environmental path. Searching in backup paths...",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "🚨 CUDA SETUP ERROR: Missing dependency: libcusparse.so.11 🚨",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "RuntimeError: Library libcublas.so.12 is not found or cannot be loaded",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    'cuda.pathfinder._dynamic_libs.load_dl_common.DynamicLibNotFoundError: Failure finding "libnvrtc.so.13 or libnvrtc.so.12": No such file: libnvrtc.so.13 or libnvrtc.so.12',
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version > upstream-bug",
    'Unable to dynamically load the "cublas" shared library - searched for library names: ["libcublas.so", "libcublas64.so", "libcublas64_12.so", "libcublas.so.12"]. Ensure that `LD_LIBRARY_PATH` has the correct path to the installed library.',
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "Could not load library cudnn_cnn_infer64_8.dll. Error code 126",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "Invalid handle. Cannot load symbol cublasLtCreate",
  ],
  ["library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version", "Could not load symbol nvrtcCreateProgram"],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "RuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file: No such file or directory",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "ImportError: libcupti.so.11.2: cannot open shared object file: No such file or directory",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "./train: error while loading shared libraries: libcudart.so.11.0: cannot open shared object file: No such file or directory",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "RuntimeError: Failed to load the shared library libcudnn.so.8",
  ],
  ["library-missing > library-not-on-path > library-wrong-version > library-damaged", "collect2: /usr/bin/ld: cannot find -lcudart"],
  ["library-missing > library-not-on-path > library-wrong-version > library-damaged", "/usr/bin/ld: 找不到 -lcublas: 没有那个文件或目录"],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "numba.cuda.cudadrv.error.NvrtcSupportError: NVRTC cannot be loaded",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "[ONNXRuntimeError] : 1 : FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared object file: No such file or directory",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "RuntimeError: (PreconditionNotMet) The third-party dynamic library (cublas64_102.dll;cublas64_10.dll) that Paddle depends on is not configured correctly. (error code is 126)",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "Failed to find dynamic library: libcudnn.so ( libcudnn.so: cannot open shared object file: No such file or directory )",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "2021-03-02 10:11:12.131415: W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcupti.so.11.2'; dlerror: libcupti.so.11.2: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda/lib64",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version",
    "I tensorflow/stream_executor/dso_loader.cc:141] Couldn't open CUDA library libcupti.so.9.0. LD_LIBRARY_PATH: /usr/local/cuda-9.0/lib64",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "Failed precondition: could not dlopen DSO: libcupti.so.9.0; dlerror: libcupti.so.9.0: cannot open shared object file",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "AttributeError: module 'tinygrad.runtime.autogen.cuda' has no attribute 'nvrtcCreateProgram'",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "'libcudnn (R5) not found in library path. Please install CuDNN from https://developer.nvidia.com/cuDNN",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nRuntimeError: Library libcublas.so.12 is not found or cannot be loaded",
  ],
  [
    "library-missing > library-wrong-version > library-not-on-path > wrong-wheel-cuda-version",
    '| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\ncuda.pathfinder._dynamic_libs.load_dl_common.DynamicLibNotFoundError: Failure finding "libnvrtc.so.13 or libnvrtc.so.12": No such file: libnvrtc.so.13 or libnvrtc.so.12',
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nRuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file: No such file or directory",
  ],
  [
    "library-missing > library-wrong-version > library-not-on-path > wrong-wheel-cuda-version",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nImportError: libcupti.so.11.2: cannot open shared object file: No such file or directory",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    '| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nError loading "C:\\venv\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll" which depends on "cublasLt64_12.dll" which is missing. (Error 126: "The specified module could not be found.")',
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nRuntimeError: (PreconditionNotMet) The third-party dynamic library (cublas64_102.dll;cublas64_10.dll) that Paddle depends on is not configured correctly. (error code is 126)",
  ],
  [
    "library-missing > library-wrong-version > library-not-on-path > wrong-wheel-cuda-version",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\n2021-03-02 10:11:12.131415: W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcupti.so.11.2'; dlerror: libcupti.so.11.2: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda/lib64",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "Cuda compilation tools, release 11.3, V11.3.109\n🚨 CUDA SETUP ERROR: Missing dependency: libcusparse.so.11 🚨",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "Cuda compilation tools, release 11.3, V11.3.109\nRuntimeError: Library libcublas.so.12 is not found or cannot be loaded",
  ],
  [
    "library-wrong-version > library-missing > library-not-on-path > wrong-wheel-cuda-version",
    'Cuda compilation tools, release 11.3, V11.3.109\ncuda.pathfinder._dynamic_libs.load_dl_common.DynamicLibNotFoundError: Failure finding "libnvrtc.so.13 or libnvrtc.so.12": No such file: libnvrtc.so.13 or libnvrtc.so.12',
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "Cuda compilation tools, release 11.3, V11.3.109\nRuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file: No such file or directory",
  ],
  [
    "library-wrong-version > library-missing > library-not-on-path > wrong-wheel-cuda-version",
    "Cuda compilation tools, release 11.3, V11.3.109\nImportError: libcupti.so.11.2: cannot open shared object file: No such file or directory",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version",
    "Cuda compilation tools, release 11.3, V11.3.109\n./train: error while loading shared libraries: libcudart.so.11.0: cannot open shared object file: No such file or directory",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "Cuda compilation tools, release 11.3, V11.3.109\n[ONNXRuntimeError] : 1 : FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared object file: No such file or directory",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    'Cuda compilation tools, release 11.3, V11.3.109\nError loading "C:\\venv\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll" which depends on "cublasLt64_12.dll" which is missing. (Error 126: "The specified module could not be found.")',
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "Cuda compilation tools, release 11.3, V11.3.109\nRuntimeError: (PreconditionNotMet) The third-party dynamic library (cublas64_102.dll;cublas64_10.dll) that Paddle depends on is not configured correctly. (error code is 126)",
  ],
  [
    "library-wrong-version > library-missing > library-not-on-path > wrong-wheel-cuda-version",
    "Cuda compilation tools, release 11.3, V11.3.109\n2021-03-02 10:11:12.131415: W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcupti.so.11.2'; dlerror: libcupti.so.11.2: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda/lib64",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nCUDA_SETUP: WARNING! libcudart.so not found in any environmental path. Searching in backup paths...",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nRuntimeError: Library libcublas.so.12 is not found or cannot be loaded",
  ],
  [
    "library-wrong-version > library-missing > library-not-on-path > wrong-wheel-cuda-version",
    'export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\ncuda.pathfinder._dynamic_libs.load_dl_common.DynamicLibNotFoundError: Failure finding "libnvrtc.so.13 or libnvrtc.so.12": No such file: libnvrtc.so.13 or libnvrtc.so.12',
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version > upstream-bug",
    'export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nUnable to dynamically load the "cublas" shared library - searched for library names: ["libcublas.so", "libcublas64.so", "libcublas64_12.so", "libcublas.so.12"]. Ensure that `LD_LIBRARY_PATH` has the correct path to the installed library.',
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nCould not load library cudnn_cnn_infer64_8.dll. Error code 126",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nInvalid handle. Cannot load symbol cublasLtCreate",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nCould not load symbol nvrtcCreateProgram",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nRuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file: No such file or directory",
  ],
  [
    "library-wrong-version > library-missing > library-not-on-path > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\n./train: Fehler beim Laden der Shared Libraries: libcublas.so.12: Kann die Shared-Object-Datei nicht öffnen: Datei oder Verzeichnis nicht gefunden",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nRuntimeError: Failed to load the shared library libcudnn.so.8",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > library-damaged",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\ncollect2: /usr/bin/ld: cannot find -lcudart",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > library-damaged",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\n/usr/bin/ld: 找不到 -lcublas: 没有那个文件或目录",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nnumba.cuda.cudadrv.error.NvrtcSupportError: NVRTC cannot be loaded",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    'export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nError loading "C:\\venv\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll" which depends on "cublasLt64_12.dll" which is missing. (Error 126: "The specified module could not be found.")',
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nRuntimeError: (PreconditionNotMet) The third-party dynamic library (cublas64_102.dll;cublas64_10.dll) that Paddle depends on is not configured correctly. (error code is 126)",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nFailed to find dynamic library: libcudnn.so ( libcudnn.so: cannot open shared object file: No such file or directory )",
  ],
  [
    "library-wrong-version > library-missing > library-not-on-path > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nFailed precondition: could not dlopen DSO: libcupti.so.9.0; dlerror: libcupti.so.9.0: cannot open shared object file",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nAttributeError: module 'tinygrad.runtime.autogen.cuda' has no attribute 'nvrtcCreateProgram'",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version > wrong-wheel-cuda-version",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\n'libcudnn (R5) not found in library path. Please install CuDNN from https://developer.nvidia.com/cuDNN",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-not-on-path",
    "/usr/local/cuda-11.8/lib64/libcudart.so.11.0\nCUDA_SETUP: WARNING! libcudart.so not found in any environmental path. Searching in backup paths...",
  ],
  [
    "library-not-on-path > library-missing",
    "/usr/local/cuda-11.8/lib64/libcudart.so.11.0\n./train: error while loading shared libraries: libcudart.so.11.0: cannot open shared object file: No such file or directory",
  ],
  [
    "library-wrong-version > library-missing > library-not-on-path > wrong-wheel-cuda-version",
    "/usr/local/cuda-11.8/lib64/libcudart.so.11.0\nError loading shared library libcudart.so.12: No such file or directory (needed by /opt/app/infer)",
  ],
  [
    "library-wrong-version > library-missing > library-not-on-path > library-damaged",
    "/usr/local/cuda-11.8/lib64/libcudart.so.11.0\ncollect2: /usr/bin/ld: cannot find -lcudart",
  ],
  [
    "library-not-on-path > library-missing > library-wrong-version",
    'File "/b/execroot/ws/bazel-out/k8-opt/bin/train.runfiles/pip_torch/site-packages/torch/__init__.py", line 176\nOSError: libcudart.so.12: cannot open shared object file: No such file or directory',
  ],
  [
    "upstream-bug > library-missing > library-not-on-path > library-wrong-version",
    "Could not load dynamic library 'cupti64_112.dll'; dlerror: cupti64_112.dll not found",
  ],
  [
    "upstream-bug > library-wrong-version > library-not-on-path > library-missing",
    "Could not load dynamic library 'cupti64_112.dll'; dlerror: cupti64_112.dll not found\nD:\\CUDA\\v11.2\\extras\\CUPTI\\lib64 has `cupti64_2020.3.0.dll` in it",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version",
    "NVIDIA GeForce RTX 3090\nImportError: libopenblas.so.0: cannot open shared object file: No such file or directory",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version",
    "ImportError: libopenblas.so.0: cannot open shared object file: No such file or directory",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > stale-artefact > wrong-wheel-cuda-version",
    "I upgraded Ubuntu from 20.04 to 22.04\nImportError: libcudart.so.10.2: cannot open shared object file: No such file or directory",
  ],
]);
