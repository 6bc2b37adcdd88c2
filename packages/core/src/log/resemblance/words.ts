import type { Cause } from "../../model/cause.ts";

/** What a text that resembles those of a cause is told: what may be, what shows it, and what to do then. */
interface Words {
  message: string;
  next: string[];
  fix: string;
}

const packages = "pip list | grep -i 'torch\\|tensorflow\\|jax\\|nvidia\\|cuda'";

/** What a likeness can say: of harmless lines it says nothing. */
export type Told = Exclude<Cause, "benign-warning">;

export const words: { [cause in Told]: Words } = {
  "library-missing": {
    message: "a library that the program opens is not installed",
    next: ["culprit list"],
    fix: "install the library that the message names, in the release that the program asks for",
  },
  "library-not-on-path": {
    message: "a library, or a tool, is installed where the program does not look",
    next: ["culprit list", "echo $LD_LIBRARY_PATH"],
    fix: "add its folder to LD_LIBRARY_PATH (on Windows to PATH), or install the package that brings it along",
  },
  "library-wrong-version": {
    message: "a library is there in another release than the program was built with",
    next: ["culprit list", packages],
    fix: "install the release that the program was built with",
  },
  "library-shadowed": {
    message: "the right library is there, and another copy is found before it",
    next: ["culprit list", "echo $LD_LIBRARY_PATH"],
    fix: "start the program without LD_LIBRARY_PATH, or remove the other copy",
  },
  "library-damaged": {
    message: "a file of a library or package is cut off, empty or for another system",
    next: ["culprit check"],
    fix: "install the package anew, without the cache",
  },
  "two-copies": {
    message: "two copies of one library meet in the process",
    next: ["culprit list", packages],
    fix: "leave only one of the two packages or installations that bring it",
  },
  "mixed-cudnn-sublibraries": {
    message: "parts of two cuDNN releases meet",
    next: ["culprit list"],
    fix: "leave one cuDNN: remove the others from LD_LIBRARY_PATH and from the folders of CUDA",
  },
  "package-conflict": {
    message: "two packages are of releases that do not go together",
    next: ["pip check", packages],
    fix: "install both in one step, in releases that name each other, in an environment of their own",
  },
  "wrong-wheel-cuda-version": {
    message: "a package was built for another CUDA than the one that is here",
    next: [packages, "nvidia-smi"],
    fix: "install its build for the CUDA that the framework and the driver have",
  },
  "wrong-wheel-cpu-only": {
    message: "the program, or a package that it uses, was built without GPU support",
    next: [packages],
    fix: "install its build for GPUs",
  },
  "wrong-wheel-platform": {
    message: "there is no build for this system, processor or Python, or one for another is installed",
    next: ["python -VV", "pip debug --verbose"],
    fix: "take a Python and a release for which the package has a build, or build it from source",
  },
  "driver-too-old": {
    message: "the driver is older than the CUDA of the program needs",
    next: ["nvidia-smi"],
    fix: "install a newer driver, or a build of the program for an older CUDA",
  },
  "driver-not-exposed": {
    message: "the driver, or the GPU, does not reach the process: it is not installed, or the container or job was started without it",
    next: ["nvidia-smi"],
    fix: "where `nvidia-smi` fails in the same place, install the driver, or start the container or job with a GPU",
  },
  "kernel-module-mismatch": {
    message: "the driver's libraries and its kernel module are of two releases",
    next: ["cat /proc/driver/nvidia/version; nvidia-smi"],
    fix: "restart the machine after an update of the driver",
  },
  "kernel-module-missing": {
    message: "the driver's kernel module is not loaded for the kernel that runs",
    next: ["lsmod | grep nvidia; uname -r"],
    fix: "build the module for this kernel (DKMS and the kernel's headers), and see that Secure Boot takes it",
  },
  "forward-compat-misuse": {
    message: "the libraries of a cuda-compat package take the place of the driver's own, where they do not help",
    next: ["ls -d /usr/local/cuda*/compat; echo $LD_LIBRARY_PATH"],
    fix: "take the folder `compat` out of LD_LIBRARY_PATH, and update the driver of the host",
  },
  "stub-library": {
    message: "a stub of the driver's library, made for linking, is loaded in its place",
    next: ["echo $LD_LIBRARY_PATH; ldconfig -p | grep libcuda"],
    fix: "take the folder `stubs` out of LD_LIBRARY_PATH and of the loader's settings",
  },
  "ptx-newer-than-driver": {
    message: "the code was made by a newer toolkit than the driver can translate",
    next: ["nvidia-smi; nvcc --version"],
    fix: "update the driver, or build for this GPU with a toolkit as old as the driver",
  },
  "toolkit-too-old": {
    message: "the CUDA toolkit, or its compiler, is older than the GPU or the sources ask for",
    next: ["nvcc --version"],
    fix: "install a newer toolkit, and build with it",
  },
  "arch-unsupported": {
    message: "the build has no code for this GPU",
    next: ["nvidia-smi --query-gpu=name,compute_cap --format=csv"],
    fix: "install a build, or build it, for this GPU's architecture",
  },
  "toolkit-vs-framework-at-build": {
    message: "an extension is compiled with another CUDA, or for another framework, than it runs with",
    next: ["nvcc --version", 'python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
    fix: "build it again with the toolkit of the framework's CUDA, against the framework that is installed",
  },
  "cuda-home-wrong": {
    message: "CUDA_HOME, CUDA_PATH or PATH leads to another toolkit than the one that is meant, or to none",
    next: ["echo $CUDA_HOME; which -a nvcc; ls -d /usr/local/cuda*"],
    fix: "set CUDA_HOME and PATH to the toolkit that is meant",
  },
  "profiler-permission": {
    message: "the GPU's performance counters are closed to this user or container",
    next: ["grep RmProfilingAdminOnly /proc/driver/nvidia/params"],
    fix: "open the counters to all users (NVIDIA's page ERR_NVGPUCTRPERM), or profile as administrator",
  },
  "profiler-conflict": {
    message: "another profiler or monitor holds what only one may have at a time",
    next: ["ps aux | grep -i 'nsys\\|ncu\\|dcgm\\|cupti'"],
    fix: "leave only one profiler on the process, and pause DCGM's profiling",
  },
  "profiler-plugin-version": {
    message: "the plugin that shows the profile does not fit TensorBoard or the framework that wrote it",
    next: ["pip list | grep -i 'tensorboard\\|xprof\\|profile\\|protobuf'"],
    fix: "install the releases of TensorBoard, its profile plugin and the framework that belong together",
  },
  "profiler-platform-unsupported": {
    message: "the platform, the GPU or this release of the tool does not offer this kind of profile",
    next: ["nvidia-smi", "nsys status --environment"],
    fix: "profile on a system that the tool supports, or with another tool",
  },
  "cupti-too-old-for-driver": {
    message: "CUPTI, or the profiler that holds it, is older than the driver or the GPU",
    next: ["nvidia-smi", "culprit list"],
    fix: "take a profiler, or a CUPTI, of a toolkit as new as the driver",
  },
  "wrong-vendor": {
    message: "the build is for another maker's GPU than the one that is here",
    next: [packages, "lspci | grep -i 'vga\\|3d\\|display'"],
    fix: "install the build for this maker's GPU: ROCm for AMD, XPU for Intel, Metal for Apple",
  },
  "stale-artefact": {
    message: "something that was made for another release is used again: an extension, an engine, kernels in a cache",
    next: ["ls ~/.cache ~/.nv ~/.triton 2>/dev/null"],
    fix: "delete it, and let it be made again with what is installed now",
  },
  "upstream-bug": {
    message: "this release has a defect of its own",
    next: [packages],
    fix: "take the release before it or after it, and look into the tracker of the project",
  },
  "not-a-mismatch": {
    message:
      "its words are those of texts in which no release had to change: memory, data, settings, the network, the hardware or the program itself",
    next: [],
    fix: "look at the first error of the run, not the last, and whether a small run on the CPU fails in the same way",
  },
};
