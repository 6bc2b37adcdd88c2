// What the text itself rules out is neither named nor advised: a driver that answers elsewhere, a switch that was set, a release that works.
import { answered } from "./asked.ts";

const unseen = "my program does not see the GPU, it only uses the CPU";

answered({
  "another framework sees the GPU: its driver is well": {
    text: `${unseen}. I tried torch.cuda.is_available() and it returns with true`,
    cause: ["wrong-wheel-cpu-only"],
    never: [/NVIDIA driver/, /driver-too-old|driver-not-exposed/],
  },
  "somebody's own words, and no driver in them": {
    text: "CodeFormer uses the CPU for calculations throughout the entire process, rather than the GPU. CUDA is installed.",
    cause: ["wrong-wheel-cpu-only"],
  },
  "a driver that was updated": {
    text: `${unseen}. I installed the latest drivers, no change`,
    cause: ["wrong-wheel-cpu-only"],
    never: [/newer NVIDIA driver/],
  },
  "a program that asked CUDA itself": {
    text: "fatal: could not detect any CUDA device",
    cause: ["driver-not-exposed"],
    says: [/newer NVIDIA driver/],
  },
  "no kernel module: the driver does not answer": {
    text: "failed call to cuInit: CUDA_ERROR_NO_DEVICE\nkernel driver does not appear to be running on this host (joao): /proc/driver/nvidia/version does not exist\nI do have a GPU and want to use it",
    cause: ["kernel-module-missing"],
    never: [/the driver answers/],
  },
  "a release with which it works is not the one that is there": {
    text: "On an A100 torch.cuda.device_count() returns 0. It works as expected with torch==1.12.1",
    cause: [],
  },
});

answered({
  "counters that were opened, in a container of a plain user": {
    text: 'options nvidia "NVreg_RestrictProfilingToAdminUsers=0" is in /etc/modprobe.d, and I rebooted\ndocker run --gpus=all --user "$(id -u)" tf\nCUPTI_ERROR_INSUFFICIENT_PRIVILEGES',
    cause: ["profiler-permission"],
    says: [/as root in it/, /RmProfilingAdminOnly/],
    never: [/sudo tee/],
  },
  "a program that works without the profiler": {
    text: "==ERROR== The application returned an error code (11)\nRunning it without ncu works fine",
    cause: ["upstream-bug"],
    never: [/the program itself fails/],
  },
  "a GPU before Volta": {
    text: "GPU: Quadro GP100\n==PROF== No kernels were profiled",
    cause: ["profiler-platform-unsupported"],
    says: [/begins with Volta/, /nvprof/],
  },
  "one after it": { text: "GPU: Tesla T4\n==WARNING== No kernels were profiled.", cause: ["not-a-mismatch"], never: [/this older GPU/] },
  "Nsight Compute's own words before all that an empty profile may mean": {
    text: '==ERROR== Error: Failed to prepare kernel for profiling\n==ERROR== Failed to profile kernel "gemv" in process 10096\n==WARNING== No kernels were profiled.',
    cause: ["not-a-mismatch"],
    never: [/nsys status/],
  },
});

// Parts of a GPU.
answered({
  "a part that must be named": {
    text: 'RuntimeError: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED at "CUDAContext.cpp":49\nGPU 0: NVIDIA A100-SXM4-80GB\n  MIG 3g.40gb     Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)',
    cause: ["not-a-mismatch"],
    says: [/CUDA_VISIBLE_DEVICES=MIG-c6d4f1ef/],
    never: [/unset CUDA_VISIBLE_DEVICES/],
  },
  "one part is all that a process sees": {
    text: "I have an a100 with MIG and torch.cuda.device_count() shows only one gpu",
    cause: ["not-a-mismatch"],
    says: [/one process for each part/],
  },
});

// Releases by their numbers.
answered({
  "a build that this release never had": {
    text: "ERROR: Could not find a version that satisfies the requirement torch==2.0.1+cu121",
    cause: ["package-conflict"],
    says: [
      /2\.0\.1 was built for cu117, cu118/,
      /torch==2\.0\.1 --index-url https:\/\/download\.pytorch\.org\/whl\/cu118/,
      /torch==2\.1\.0 .*cu121/,
    ],
  },
  "a build that lies on PyTorch's own index": {
    text: "ERROR: Could not find a version that satisfies the requirement torch==2.0.1+cu118",
    cause: ["package-conflict"],
    says: [/torch==2\.0\.1\+cu118 --index-url https:\/\/download\.pytorch\.org\/whl\/cu118/],
  },
  "a CUDA for which there is no wheel, and need be none": {
    text: "What should I do, there is no pytorch compatible with CUDA 11.4?",
    cause: ["not-a-mismatch"],
    says: [/bring their own CUDA/, /whl\/cu118/],
  },
  "libtorch and the toolkit beside it": {
    text: '/usr/bin/ld: libtorch_cuda.so: undefined reference to `cudaLaunchKernelExC@libcudart.so.11.0\'\n-- Found CUDA: /usr/local/cuda-11.7 (found version "11.7")\nlibtorch-cxx11-abi-shared-with-deps-2.3.0+cu118',
    cause: ["library-wrong-version"],
    says: [/built with CUDA 11\.8, and the linker takes CUDA 11\.7/, /CUDA_HOME=\/usr\/local\/cuda-11\.8/],
    never: [/CUDA_HOME=\/usr\/local\/cuda-11\.7/],
  },
  "those that a program lists": {
    text: "Cuda 11.0 detected but torch only supports: cpu, 10.1, 10.2, 9.2",
    cause: ["wrong-wheel-cuda-version"],
    says: [/10\.2/, /11\.0/],
  },
  "a plugin that was never published for this TensorFlow": {
    text: 'Failed to load plugin ProfilePluginLoader.load; ignoring it.\n  File "/v/site-packages/tensorboard_plugin_profile/profile_plugin.py", line 36, in <module>\ntensorflow 2.12.0',
    cause: ["profiler-plugin-version"],
    says: [/tensorboard-plugin-profile==2\.13\.\*/],
    never: [/tensorboard-plugin-profile==2\.12/],
  },
  "a PyTorch that pip takes for a build alone": {
    text: 'File "/tmp/pip-build-env-4xnh4rb6/overlay/lib/python3.10/site-packages/torch/utils/cpp_extension.py", line 387\nRuntimeError:\nThe detected CUDA version (12.2) mismatches the version that was used to compile\nPyTorch (11.7). Please make sure to use the same CUDA versions.',
    cause: ["toolkit-vs-framework-at-build"],
    says: [/--no-build-isolation/],
  },
});

answered({
  "ldd: a copy of one's own beside that of a package": {
    text: "CUBLAS_STATUS_NOT_INITIALIZED\n$ ldd ./app\n\tlibcublas.so.12 => /usr/local/cuda-12.1/lib64/libcublas.so.12 (0x00007f10)\n\tlibcublas-f6c022dc.so.12 => /opt/libtorch/lib/libcublas-f6c022dc.so.12 (0x00007f20)",
    cause: ["two-copies"],
  },
  "AMD: a build for ROCm is no build for CUDA": {
    text: "torch.cuda.is_available() returns False\nRadeon RX 7900 XTX\ntorch 2.3.0+rocm6.0",
    cause: ["driver-not-exposed"],
    says: [/render,video/],
    never: [/wrong-vendor|built for CUDA, and the GPU is AMD/],
  },
  "AMD: Docker on Windows": {
    text: 'C:\\src>docker run --device=/dev/kfd --device=/dev/dri rocm/pytorch\ndocker: Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no such file or directory.',
    cause: ["driver-not-exposed"],
    says: [/Linux/],
    never: [/nvidia-modprobe|persistenced/],
  },
  "AMD: ZLUDA's files": {
    text: 'ComfyUI-Zluda\nOSError: [WinError 126] The specified module could not be found. Error loading "E:\\venv\\Lib\\site-packages\\torch\\lib\\caffe2_nvrtc.dll" or one of its dependencies.',
    cause: ["library-not-on-path"],
    says: [/HIP/],
  },
  "Windows: the code without brackets": {
    text: "WinError 127 Error loading D:\\Python37\\Lib\\site-packages\\torch\\lib\\caffe2.dll or one of its dependencies.",
    cause: ["library-wrong-version"],
  },
});

// Conda's older words, and who was built with what.
answered({
  "a toolkit that the framework was not built with": {
    text: "UnsatisfiableError: The following specifications were found to be in conflict:\n  - cudatoolkit 10.1*\n  - pytorch 1.0.1* -> cudatoolkit >=10.0.130,<10.1.0a0",
    cause: ["package-conflict"],
    says: [/10\.1 by you/, /conda install "pytorch=1\.0\.1" "cudatoolkit>=10\.0\.130,<10\.1\.0a0"/],
  },
  "with builds": {
    text: "UnsatisfiableError: The following specifications were found to be in conflict:\n  - cudatoolkit==8.0=3\n  - pytorch==0.4.0=py35_cuda9.0.176_cudnn7.1.2_1 -> cudatoolkit=9",
    cause: ["package-conflict"],
    says: [/conda install "pytorch=0\.4\.0" "cudatoolkit=9"/],
  },
  "where conda names nobody": {
    text: "UnsatisfiableError: The following specifications were found to be incompatible with each other:\n  - feature:/linux-64::__cuda==10.1=0\nYour installed CUDA driver is: 10.1\npytorch",
    cause: ["package-conflict"],
    says: [/libmamba/],
    never: [/drop the pin/],
  },
  "CUDA's numbers of a driver": {
    text: "panic: Update GPU drivers. The maximum supported version is 12040 but the program requires 12060",
    cause: ["driver-too-old"],
    says: [/CUDA 12\.6/, /CUDA 12\.4/],
  },
  "a Visual Studio of which only the number is new": {
    text: "C:\\CUDA\\v11.8\\include\\crt/host_config.h(153): fatal error C1189: #error:  -- unsupported Microsoft Visual Studio version! Only the versions between 2017 and 2022 (inclusive) are supported!",
    cause: ["toolkit-too-old"],
    says: [/CUDA 12\.4/, /NVCC_APPEND_FLAGS=-allow-unsupported-compiler/],
  },
  "a package for CUDA beside a PyTorch for ROCm": {
    text: "torch.__version__  = 2.7.0+rocm6.3\nOSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
    cause: ["wrong-vendor"],
    never: [/apt-get install cuda/],
  },
  "nvidia-smi answers in the container, and CUDA does not": {
    text: "docker compose up\nRuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU\nnvidia-smi in the container shows the GPU",
    cause: ["driver-not-exposed"],
    says: [/NVIDIA_DRIVER_CAPABILITIES=compute,utility/],
  },
});

// Nothing is missed where nothing is wanted; and who is to blame where two could be.
answered({
  "TensorFlow on a machine that is said to have no GPU": {
    text: "Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory\nmy laptop has no NVIDIA GPU",
    cause: ["benign-warning"],
    never: [/library-missing|apt-get|pip install/],
  },
  "a GPU that is there": {
    text: "Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory\nmy laptop has no GPU memory left for it",
    cause: ["library-missing", "library-not-on-path", "benign-warning"],
    says: [/libcudart/],
  },
  "code of one nvcc beside the runtime of another": {
    text: "ImportError: /v/site-packages/model/_C.cpython-36m-x86_64-linux-gnu.so: undefined symbol: __cudaRegisterFatBinaryEnd",
    cause: ["toolkit-vs-framework-at-build"],
    says: [/came with CUDA 10\.1/],
  },
  "a release for another Python": {
    text: "Python 3.12.1\nERROR: Could not find a version that satisfies the requirement tensorflow==2.10.0 (from versions: 2.16.0rc0, 2.16.1)",
    cause: ["wrong-wheel-platform"],
    says: [/3\.7 to 3\.10/, /--python 3\.10/],
  },
  "a Mac with an AMD GPU": {
    text: "I use an iMac with an AMD GPU: torch.cuda.is_available() returns False",
    cause: ["wrong-vendor"],
    never: [/ROCm/],
  },
  "Singularity without NVIDIA's container toolkit": {
    text: "FATAL:   While setting GPU configuration: nvidia-container-cli not found on PATH\nsingularity run --nvccli image.sif",
    cause: ["driver-not-exposed"],
    says: [/plain `--nv`/],
    never: [/Docker/],
  },
  "TensorBoard's own code, and no profile plugin": {
    text: 'TypeError: Descriptors cannot not be created directly.\n  File "/v/site-packages/tensorboard/compat/proto/tensor_shape_pb2.py", line 36, in <module>',
    cause: ["package-conflict"],
  },
});
