// What people were told, and what did not end their thread: a cure for what is there already, one that our own knowledge refutes, or one
// for another place than theirs.
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { answered, answerTo } from "./asked.ts";

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

// One cure that would undo the other, or do nothing, is none.
answered({
  "two packages that pin one library at two releases": {
    text: 'tensorflow 2.17.0 requires nvidia-cudnn-cu12==8.9.7.29; extra == "and-cuda", but you have nvidia-cudnn-cu12 9.1.0.70 which is incompatible.\ntorch 2.4.0 requires nvidia-nccl-cu12==2.20.5, but you have nvidia-nccl-cu12 2.19.3 which is incompatible.',
    cause: ["package-conflict"],
    says: [/cannot share an environment/, /culprit solve tensorflow torch/],
    never: [/pip install "nvidia-cudnn/],
  },
  "one package that wants two others": {
    text: "torch 2.4.0 requires nvidia-nccl-cu12==2.20.5, but you have nvidia-nccl-cu12 2.19.3 which is incompatible.\ntorch 2.4.0 requires triton==3.0.0, but you have triton 2.3.1 which is incompatible.",
    cause: ["package-conflict"],
    says: [/"nvidia-nccl-cu12==2\.20\.5" "triton==3\.0\.0"/],
  },
  "a bitsandbytes without a library of the same major": {
    text: "Could not find the bitsandbytes CUDA binary at PosixPath('/v/bitsandbytes/libbitsandbytes_cuda118.so')",
    cause: ["wrong-wheel-cuda-version"],
    never: [/BNB_CUDA_VERSION/],
  },
  "a bitsandbytes with one": {
    text: "Could not find the bitsandbytes CUDA binary at PosixPath('/v/bitsandbytes/libbitsandbytes_cuda127.so')",
    cause: ["wrong-wheel-cuda-version"],
    says: [/export BNB_CUDA_VERSION=12\d/],
  },
  "a PyTorch of another CUDA is there already": {
    text: "The detected CUDA version (12.4) mismatches the version that was used to compile\nPyTorch (11.8). Please make sure to use the same CUDA versions.",
    cause: ["toolkit-vs-framework-at-build"],
    says: [/pip install --force-reinstall torch --index-url https:\/\/download\.pytorch\.org\/whl\/cu124/],
  },
  "a folder that was searched": {
    text: "$ ldd ./solver\n\tlibcudart.so.10.2 => /usr/local/cuda-10.2/lib64/libcudart.so.10.2 (0x00007f0000000000)\n\tlibcublas.so.10 => not found",
    cause: ["library-missing"],
    says: [/`\/usr\/local\/cuda-10\.2\/lib64` was searched/],
    never: [/export LD_LIBRARY_PATH=\/usr\/local\/cuda-10\.2\/lib64/],
  },
  "a cuDNN of another release, by its header": {
    text: "libcudnn.so.7 => not found\n#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 4\n#define CUDNN_PATCHLEVEL 1",
    cause: ["library-wrong-version"],
    says: [/cuDNN 8\.4\.1, by its header/],
    never: [/nothing in the text says that it is installed/],
  },
  "an extension for other GPUs than PyTorch": {
    text: "pytorch version: 2.3.1+cu121\nDevice: cuda:0 NVIDIA GeForce GTX 960 : cudaMallocAsync\nRuntimeError: CUDA error: no kernel image is available for execution on the device",
    cause: ["arch-unsupported"],
    never: [/does not know this GPU/],
  },
  "vLLM for another CUDA than PyTorch": {
    text: "pip list: vllm 0.4.2 torch 2.3.0+cu118\nfrom vllm import _C\nImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
    cause: ["wrong-wheel-cuda-version"],
    says: [/torch==2\.3\.0 --index-url https:\/\/download\.pytorch\.org\/whl\/cu121/],
    never: [/nvidia-cuda-runtime-cu12/],
  },
  "Nsight Systems, without any framework": {
    text: "WARNING: CUDA tracing is not available: Unable to use CUPTI: CUPTI_ERROR_INVALID_DEVICE\nGenerating '/tmp/nsys-report-aa.qdstrm'",
    cause: ["cupti-too-old-for-driver"],
    says: [/Nsight Systems of the CUDA that nvidia-smi shows/],
    never: [/tensorflow/i],
  },
  "Triton's ptxas, where no toolkit is named": {
    text: "ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'\nRuntimeError: Internal Triton PTX codegen error",
    cause: ["toolkit-too-old"],
    says: [/What to do take a PyTorch that was built for this GPU[^]*whl\/cu128[^]*TRITON_PTXAS_PATH/],
  },
  "the same where a new toolkit is there": {
    text: "nvcc: Cuda compilation tools, release 12.8, V12.8.61\nptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'\nRuntimeError: Internal Triton PTX codegen error",
    cause: ["toolkit-too-old"],
    says: [/TRITON_PTXAS_PATH[^]*whl\/cu128/],
  },
  "one command, whatever it is called": {
    text: "WSL: nvidia-smi works\nCould not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or directory",
    cause: ["library-not-on-path"],
    says: [/\/usr\/lib\/wsl\/lib/],
    never: [/(export LD_LIBRARY_PATH=\/usr\/lib\/wsl\/lib:\$LD_LIBRARY_PATH)[^]*\1/],
  },
  "Whisper, which opens no cuDNN itself": {
    text: "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory\nfaster-whisper 1.0.3 ctranslate2 4.3.1 torch 2.5.1+cu121",
    cause: ["package-conflict"],
    says: [/ctranslate2 4\.3\.1, which faster-whisper uses, was built for cuDNN 8/],
    never: [/\bcudnn was built for/],
  },
  "graphs that are empty": {
    text: "I use the profiler, and its GPU graphs are empty in TensorBoard",
    cause: ["library-not-on-path", "not-a-mismatch", "profiler-plugin-version", "library-missing"],
  },
  "a notebook, all in one line": {
    text: '{"cells":[{"outputs":[{"text":["Could not load dynamic library \'libcupti.so.11.2\'; dlerror: libcupti.so.11.2: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /opt/lib64\\n"]}],"source":[]}]}',
    cause: ["library-not-on-path"],
    says: [/not in \/opt\/lib64 /],
  },
});

// Who starts a container by a file, or by Singularity, has other options than `docker run`.
const noDriver = "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver";
answered({
  "Docker Compose": {
    text: `my docker-compose.yml starts the server\n${noDriver}`,
    cause: ["driver-not-exposed"],
    says: [/`deploy: \{resources: [^`]*\[gpu\]\}\]\}\}\}` at its service/],
  },
  "an image that demands more, in a compose file": {
    text: "docker compose up\nnvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container: unknown\nDriver Version: 550.144.03     CUDA Version: 12.4",
    cause: ["driver-too-old"],
    says: [/`environment: \[NVIDIA_DISABLE_REQUIRE=1\]` to the service in the compose file/],
    never: [/to `docker run`/],
  },
  "Singularity without its option": {
    text: "singularity exec train.sif python train.py\ntorch.cuda.is_available() is False",
    cause: ["driver-not-exposed"],
    says: [/`--nv` when the container is started/],
  },
  "Singularity with it": {
    text: "singularity exec --nv train.sif python train.py\ntorch.cuda.is_available() is False",
    cause: ["wrong-wheel-cpu-only", "driver-not-exposed"],
    never: [/a command without it/],
  },
  "a compat library in an image": {
    text: "in our docker container\nError 803: system has unsupported display driver / cuda driver combination",
    cause: ["forward-compat-misuse"],
    says: [/-e LD_LIBRARY_PATH=\/usr\/lib\/x86_64-linux-gnu/],
  },
  "PyTorch for CUDA beside an AMD GPU of which no more is said": {
    text: "I have an AMD GPU\nRuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver",
    cause: ["wrong-vendor"],
    says: [/whl\/rocm\d/],
  },
  "two packages that were installed together, on Colab": {
    text: "in Colab: !pip install torch torchvision\nRuntimeError: The NVIDIA driver on your system is too old (found version 11020).",
    cause: ["driver-too-old"],
    says: [/%pip install --force-reinstall torch torchvision --index-url/],
  },
});

test("what ended a program is known, where it was said before", async () => {
  const { explanation } = await answerTo(
    "node: Test NCCL failure common.cu:777 'unhandled system error'\nTraceback (most recent call last):\nRuntimeError: NCCL Error 2: unhandled system error",
  );
  expect(explanation.diagnoses[0]?.cause).toBe("not-a-mismatch");
  expect(explanation.unexplained).toBeUndefined();
});

test("bytes that are no text say nothing, whatever they spell", async () => {
  const bytes = Uint8Array.from({ length: 4000 }, (_, at) => (at * 7919 + (at >> 3) * 31) & 0xff);
  bytes.set(new TextEncoder().encode(" WSL2 "), 2000);
  const { seen, diagnoses } = await explainLog([bytes]);
  expect([seen.platforms, diagnoses]).toEqual([[], []]);
});

test("what is only possible is not said to be found", async () => {
  const { explanation } = await answerTo(
    "WARNING:2024-02-02 10:00:00 77:77 init.cpp:144] function cbapi->getCuptiStatus() failed with error CUPTI_ERROR_NOT_INITIALIZED (15)",
  );
  const rights = explanation.diagnoses.find(({ cause }) => cause === "profiler-permission");
  expect(rights?.found).toBeUndefined();
  expect(explanation.diagnoses.map(({ certainty }) => certainty)).not.toContain("likely");
});
