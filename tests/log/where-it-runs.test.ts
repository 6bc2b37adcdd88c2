// What ends a thread depends on where the program runs: who gives the GPU there, and what its user may change.
import { answered } from "./asked.ts";

const noGpus = "RuntimeError: No CUDA GPUs are available";
const noDriver = "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver";
const noCounters =
  "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.";
const noCode = '"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"';

// A pod gets its GPU by its limits, and its driver by the runtime.
answered({
  "a pod that asked for none": {
    text: `The pod runs on the GPU node of our Kubernetes cluster\n${noGpus}`,
    cause: ["not-a-mismatch"],
    says: [/nvidia\.com\/gpu: 1/, /runtimeClassName: nvidia/],
    never: [/unset CUDA_VISIBLE_DEVICES/],
  },
  "a pod that asked for one": {
    text: `on GKE\n    resources:\n      limits:\n        nvidia.com/gpu: 1\n${noDriver}`,
    cause: ["driver-not-exposed"],
    says: [/runtimeClassName: nvidia/, /kubectl get runtimeclass/],
    never: [/docker/],
  },
  "a small cluster by its name": {
    text: `microk8s kubectl logs cuda-test\n${noDriver}`,
    cause: ["driver-not-exposed"],
    says: [/runtimeClassName: nvidia/],
    never: [/docker/],
  },
});

answered({
  "a job that asked the scheduler for no GPU": {
    text: "srun -N 1 --partition=a2 --pty bash\n$ nvidia-smi\nNo devices were found",
    cause: ["not-a-mismatch", "driver-not-exposed"],
    says: [/srun --gres=gpu:1/],
    never: [/unset CUDA_VISIBLE_DEVICES/],
  },
  "a GPU that a variable hides is shown by the variable": {
    text: `sbatch job.sh\nexport CUDA_VISIBLE_DEVICES=""\n${noGpus}`,
    cause: ["not-a-mismatch"],
    says: [/unset CUDA_VISIBLE_DEVICES/],
  },
});

// What --nv brings of the host.
answered({
  "a part of the driver that its list does not name": {
    text: "apptainer exec --nv tools.sif clinfo\nlibnvidia-nvvm.so.4: cannot open shared object file: No such file or directory",
    cause: ["driver-not-exposed"],
    says: [/nvliblist\.conf/, /APPTAINER_CONTAINLIBS="\$\(\/sbin\/ldconfig -p/],
    never: [/docker/],
  },
  "the debugger's back end is a part of the driver": {
    text: "apptainer shell --nv cuda.sif\nCould not find CUDA Debugger back-end. Please try upgrading/re-installing the GPU driver",
    cause: ["driver-not-exposed"],
    says: [/libcudadebugger\.so\.1/, /nvliblist\.conf/],
  },
  "a library of a host that is newer than the image": {
    text: "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by /.singularity.d/libs/libGLdispatch.so.0)",
    cause: ["library-wrong-version"],
    says: [/image's glibc is older than the host's/, /libGLdispatch\.so` out of nvliblist\.conf/],
  },
  "any other program that needs a newer glibc": {
    text: "./tool: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by ./tool)",
    cause: ["library-wrong-version"],
    never: [/--nv|nvliblist/],
  },
});

// Counters in a container that is rented.
answered({
  "what the host of rented containers does not give": {
    text: `I use a GPU rented on RunPod\n${noCounters}`,
    cause: ["profiler-permission"],
    says: [/rented container/, /Nsight Systems/],
    never: [/--cap-add|NVreg_/],
  },
  "a container of one's own": {
    text: `docker run --gpus all -it cuda\n${noCounters}`,
    cause: ["profiler-permission"],
    says: [/--cap-add=SYS_ADMIN/],
  },
});

answered({
  "a Windows that shows WSL no GPU": {
    text: "Microsoft Windows [Version 10.0.19043.1586]\nUbuntu 20.04 in WSL 2\ncudaGetDeviceCount returned 35\n-> CUDA driver version is insufficient for CUDA runtime version",
    cause: ["driver-too-old", "driver-not-exposed"],
    says: [/build 19043 shows WSL no GPU/, /21H2/],
  },
  "one that does": {
    text: "Microsoft Windows [Version 10.0.22631.3593]\nUbuntu 20.04 in WSL 2\ncudaGetDeviceCount returned 35\n-> CUDA driver version is insufficient for CUDA runtime version",
    cause: ["driver-too-old", "driver-not-exposed"],
    never: [/shows WSL no GPU/],
  },
  "PyTorch's profiler under WSL is not Nsight": {
    text: "PyTorch 2.1.2+cu121 in WSL 2\nthe torch profiler records no CUDA kernels, only the CPU",
    cause: ["profiler-platform-unsupported"],
    says: [/PyTorch's profiler/],
    never: [/Nsight Systems traces/],
  },
});

// AMD's GPUs: code for a sibling, by target, by name, or by series.
answered({
  "a target with a sibling": { text: `gfx1032\n${noCode}`, cause: ["arch-unsupported"], says: [/HSA_OVERRIDE_GFX_VERSION=10\.3\.0/] },
  "a small card by its name": {
    text: `GPU: Radeon RX 6600 XT\n${noCode}`,
    cause: ["arch-unsupported"],
    says: [/HSA_OVERRIDE_GFX_VERSION=10\.3\.0/],
    never: [/11\.0\.0/],
  },
  "no name at all": {
    text: `torch is +rocm5.2\n${noCode}`,
    cause: ["arch-unsupported"],
    says: [/RX 6000/, /10\.3\.0/, /RX 7000/, /11\.0\.0/],
  },
  "a card that ROCm has left": {
    text: `GPU: Radeon RX 580 Series\n${noCode}`,
    cause: ["arch-unsupported"],
    says: [/does not serve this GPU any more/],
    never: [/HSA_OVERRIDE/],
  },
  "what was tried is not advised": {
    text: `export HSA_OVERRIDE_GFX_VERSION=10.3.0\n${noCode}`,
    cause: ["arch-unsupported"],
    never: [/HSA_OVERRIDE_GFX_VERSION=1/],
  },
});

// CMake finds its compiler by CUDACXX or PATH; Visual Studio by what the toolkit's installer put into it.
answered({
  "a build by CMake": {
    text: "-- The CUDA compiler identification is unknown\nCMake Error at CMakeLists.txt:3 (project):\n  No CMAKE_CUDA_COMPILER could be found.",
    cause: ["library-missing", "cuda-home-wrong"],
    says: [/CUDACXX=\/usr\/local\/cuda\/bin\/nvcc/],
    never: [/an extension is to be compiled/],
  },
  "a build by Visual Studio": {
    text: "F:\\src>cmake . -B build\n-- Building for: Visual Studio 16 2019\nCMake Error at CMakeLists.txt:18 (PROJECT):\n  No CMAKE_CUDA_COMPILER could be found.",
    cause: ["library-missing"],
    says: [/Visual Studio Integration/],
    never: [/conda|apt-get/],
  },
  "its toolset by name": {
    text: "CMake Error at C:/cmake/CMakeDetermineCompilerId.cmake:491 (message):\n  No CUDA toolset found.",
    cause: ["library-missing"],
    says: [/Visual Studio Integration/],
  },
  "vcpkg's own words": {
    text: "-- Executing NVCC-NOTFOUND --version resulted in error: 1\nCMake Error at vcpkg_find_cuda.cmake:69 (message):\n  Could not find CUDA.  Before continuing, please download and install CUDA",
    cause: ["library-missing", "cuda-home-wrong"],
    says: [/nvcc/],
  },
  "nvcc that answers, and CMake that does not take it": {
    text: "-- Looking for a CUDA compiler - NOTFOUND\n$ nvcc -V\nCuda compilation tools, release 10.1, V10.1.243",
    cause: ["cuda-home-wrong"],
    says: [/CUDACXX="\$\(which nvcc\)"/],
  },
  "a host compiler that is too new, whoever builds": {
    text: "/usr/include/crt/host_config.h:119:2: error: #error -- unsupported GNU version! gcc versions later than 7 are not supported!",
    cause: ["toolkit-too-old"],
    says: [/CC=gcc-7 CXX=g\+\+-7 CUDAHOSTCXX=g\+\+-7/],
  },
});

answered({
  "TensorFlow opened no CUPTI: a right or a platform is not in question": {
    text: "function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI could not be loaded or symbol could not be found.",
    cause: ["library-not-on-path", "library-missing"],
    says: [/extras\/CUPTI\/lib64/],
    never: [/NVreg_|--cap-add|sudo/],
  },
  "an error before it: the sentence stands for whatever that was": {
    text: "cuptiGetTimestamp: ignored due to a previous error.\nfunction cupti_interface_->Subscribe() failed with error CUPTI could not be loaded or symbol could not be found.",
    cause: ["library-not-on-path", "library-missing"],
    says: [/profiler-permission/],
  },
  "XLA's command buffers hide operations, and the kernels are there": {
    text: "XProf captures GPU activity and shows kernel stats, but HLO Op Profile and HLO Op Stats contain no useful data",
    cause: ["not-a-mismatch"],
    says: [/xla_gpu_enable_command_buffer=/],
    never: [/permission|NVreg_/],
  },
  "ONNX Runtime's part that did not load": {
    text: "ImportError: cannot import name 'get_all_providers' from 'onnxruntime.capi._pybind_state' (C:\\v\\lib\\site-packages\\onnxruntime\\capi\\_pybind_state.py)",
    cause: ["library-missing"],
    says: [/did not load/, /VCRedist/],
    never: [/older or newer one/],
  },
});
