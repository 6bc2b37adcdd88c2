// What people were told, and what did not end their thread: a cure for what is there already, one that our own knowledge refutes, or one
// for another place than theirs.
import { answered } from "./asked.ts";

// Who has installed a thing is not told to install it.
answered({
  "TensorFlow with its extra, which it does not open": {
    text: 'pip install "tensorflow[and-cuda]==2.18.0"\nTensorFlow version 2.18.0\nCannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly',
    cause: ["library-not-on-path"],
    says: [/nvidia\/\*\/lib/],
  },
  "the same in a project of poetry": {
    text: 'poetry add "tensorflow[and-cuda]"\nTensorFlow version 2.18.0\nCannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly',
    cause: ["library-not-on-path"],
    says: [/\$\(poetry run python -c/, /poetry add "tensorflow\[and-cuda\]@latest"/],
  },
  "a TensorFlow without the extra": {
    text: "TensorFlow version 2.18.0\nCannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly",
    cause: ["library-missing"],
    says: [/pip install "tensorflow\[and-cuda\]/],
  },
  "a plugin of TensorBoard that Python can import": {
    text: "There\u2019s no dashboard by the name of \u201cpytorch_profiler.\u201d\n>>> torch_tb_profiler.__version__\n'0.4.3'",
    cause: ["profiler-plugin-version"],
    says: [/What to do start TensorBoard with the very Python[^]*python -m tensorboard\.main --logdir \./],
  },
});

// One package of two in one folder takes the files of both along.
const both =
  "onnxruntime==1.20.1\nonnxruntime-gpu==1.20.1\n>>> onnxruntime.get_available_providers()\n['AzureExecutionProvider', 'CPUExecutionProvider']";
answered({
  "ONNX Runtime in a project of uv": {
    text: `$ uv add onnxruntime onnxruntime-gpu\n${both}`,
    cause: ["package-conflict"],
    says: [/uv remove onnxruntime uv add onnxruntime-gpu --reinstall-package onnxruntime-gpu/],
  },
  "ONNX Runtime in a project of poetry": {
    text: `$ poetry add onnxruntime onnxruntime-gpu\n${both}`,
    cause: ["package-conflict"],
    says: [/poetry remove onnxruntime poetry add onnxruntime-gpu poetry run pip install --force-reinstall --no-deps onnxruntime-gpu/],
  },
});

// A build that was never made is not installed.
answered({
  "conda, asked for a CUDA for which there is no such PyTorch": {
    text: "conda install pytorch==1.8.1 torchvision cudatoolkit=11.3 -c pytorch\n>>> torch.cuda.is_available()\nFalse",
    cause: ["wrong-wheel-cpu-only"],
    says: [
      /"pytorch=1\.8\.1=\*cuda11\.1\*" torchvision cudatoolkit=11\.1/,
      /"pytorch=1\.10\.0=\*cuda11\.3\*" torchvision cudatoolkit=11\.3/,
    ],
  },
  "one for which there is": {
    text: "conda install pytorch==1.8.1 torchvision cudatoolkit=11.1 -c pytorch\n>>> torch.cuda.is_available()\nFalse",
    cause: ["wrong-wheel-cpu-only", "driver-not-exposed"],
    never: [/never built/],
  },
  "a DLL of CUPTI by a name that no toolkit has": {
    text: "Could not load dynamic library 'cupti64_113.dll'; dlerror: cupti64_113.dll not found\nC:\\CUDA\\v11.3\\extras\\CUPTI\\lib64\\cupti64_2021.1.1.dll",
    cause: ["upstream-bug"],
    says: [/copy "%CUDA_PATH_V11_3%\\extras\\CUPTI\\lib64\\cupti64_20\*\.dll"/],
    never: [/install CUDA 11\.3 and put the folder/],
  },
  "a CuPy for another CUDA": {
    text: "nvcc: Cuda compilation tools, release 11.8, V11.8.89\ncupy-cuda12x is installed, and does not work",
    cause: ["wrong-wheel-cuda-version"],
    says: [/pip uninstall -y cupy-cuda12x pip install cupy-cuda11x/],
  },
  "a library that CuPy opens among others": {
    text: '    import cupy\n  File "/v/lib/python3.11/site-packages/cupy/__init__.py", line 17, in <module>\nImportError: libcudart.so.12: cannot open shared object file: No such file or directory',
    cause: ["library-missing"],
    says: [/pip install -U "cupy-cuda12x\[ctk\]"/],
  },
});

// Whose GPU it is, and where the program runs.
answered({
  "the capability of CUDA, asked of an AMD GPU": {
    text: "UserWarning:\n    Found GPU0 Vega 10 XL/XT [Radeon RX Vega 56/64] which is of cuda capability 3.0.\n    PyTorch no longer supports this GPU because it is too old.",
    cause: ["benign-warning"],
    never: [/whl\/cu\d/, /nvidia-smi/],
  },
  "a stub in a container": {
    text: "docker run my/image\nRuntimeError: CUDA error: CUDA driver is a stub library",
    cause: ["stub-library"],
    says: [/start the container with `--gpus all`/],
  },
  "a stub on a machine": {
    text: "RuntimeError: CUDA error: CUDA driver is a stub library",
    cause: ["stub-library"],
    never: [/--gpus all/],
  },
  "an older copy in a notebook of Kaggle": {
    text: "it fails on Kaggle\nImportError: libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12",
    cause: ["library-shadowed"],
    says: [/import ctypes, sysconfig; ctypes\.CDLL\([^)]*\) \+ "\/nvidia\/nvjitlink\/lib\/libnvJitLink\.so\.12"/, /%pip install/],
    never: [/unset LD_LIBRARY_PATH/],
  },
  "a data set from Kaggle": {
    text: "I train on the data set from Kaggle\nImportError: libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12",
    cause: ["library-shadowed"],
    says: [/unset LD_LIBRARY_PATH/],
  },
  "an OpenCV with CUDA behind that of pip": {
    text: "OpenCV:    4.8.0  with CUDA: YES\n[ WARN:0@1.2] global net_impl.cpp:178 setUpNet DNN module was not built with CUDA backend; switching to CPU",
    cause: ["wrong-wheel-cpu-only"],
    says: [/an OpenCV with CUDA is there/, /pip uninstall -y opencv-python/],
  },
  "wheels that Bazel unpacked": {
    text: 'File "/b/execroot/ws/bazel-out/k8-opt/bin/train.runfiles/pip_torch/site-packages/torch/__init__.py", line 176\nOSError: libcudart.so.12: cannot open shared object file: No such file or directory',
    cause: ["library-not-on-path"],
    says: [/bazel info output_base/],
    never: [/pip install/],
  },
  "a build script in Rust": {
    text: "nvcc: Cuda compilation tools, release 11.7, V11.7.64\nthread 'main' panicked at 'nvcc cannot target gpu arch 89. Available nvcc targets are [50, 52, 60, 61, 70, 75, 80, 86].'",
    cause: ["toolkit-too-old"],
    says: [/CUDA 11\.8 or newer/, /export CUDA_COMPUTE_CAP=86/],
  },
  "a processor without AVX": {
    text: 'level=WARN source=gpu.go:253 msg="CPU does not have minimum vector extensions, GPU inference disabled" required=avx detected="no vector extensions"',
    cause: ["not-a-mismatch"],
    says: [/newest Ollama/, /type `host` in Proxmox/],
  },
  "nsys, and workers that are forked": {
    text: "nsys profile shows no CUDA trace data for my server",
    cause: ["not-a-mismatch"],
    says: [/--trace-fork-before-exec=true/],
  },
});

// Releases are read however they are written, and a warning that means nothing is said to mean nothing.
answered({
  "JAX, with the releases in dots": {
    text: "RuntimeError: Unable to initialize backend 'cuda': Found cuDNN version 9.1.0, but JAX was built against version 9.8.0, which is newer. The copy of cuDNN that is installed must be at least as new as the version against which JAX was built.",
    cause: ["library-wrong-version"],
    says: [/nvidia-cudnn-cu12>=9\.8/],
  },
  "the cycles of PyTorch's profiler": {
    text: "UserWarning: Warning: Profiler clears events at the end of each cycle.Only events from the current cycle will be reported.",
    cause: ["benign-warning"],
    says: [/acc_events=True/],
  },
});
