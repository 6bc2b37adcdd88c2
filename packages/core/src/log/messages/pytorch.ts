import { weights } from "../cause.ts";
import { fix, selectToolkit, containerOption } from "../fixes.ts";
import { libcuda, ownMatter, type May } from "../meaning.ts";
import { dottedCudnn } from "../../knowledge/cudnn.ts";
import { noise, notice, type Signature } from "../signature.ts";

/** `(8, 5, 0)` or `8500`, as torch.backends.cudnn prints them. */
const version = (text: string) => (text.includes(",") ? text.replace(/[() ]/g, "").replaceAll(",", ".") : dottedCudnn(Number(text)));
const driverNumber = (text: string) => `${Math.floor(Number(text) / 1000)}.${Math.floor((Number(text) % 1000) / 10)}`;

// PyTorch asks NVML how much memory is free, most often when none is.
const noMemoryLeft: May = {
  cause: "not-a-mismatch",
  name: "GPU memory",
  message: "PyTorch fails while it asks NVML for the free memory: most often because there is none",
  fixes: [fix("use a smaller batch or model, or end other programs on the GPU")],
};
const nvmlHalves: May = {
  cause: "kernel-module-mismatch",
  message: "NVML does not start: the driver was updated and the machine not restarted, or its two halves are of different releases",
  next: ["nvidia-smi", "cat /proc/driver/nvidia/version"],
  fixes: [fix("restart the machine", "sudo reboot")],
};
const nvmlUnseen: May = {
  cause: "driver-not-exposed",
  message: "or NVML is not passed into the container",
  fixes: [
    containerOption(
      "start the container with `utility` among the driver's capabilities",
      "--gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility",
    ),
  ],
};

/** PyTorch for Intel's GPUs is a build of its own. */
const withoutXpu: Signature = {
  ...notice(
    "torch-without-xpu",
    "torch not compiled with xpu",
    /Torch not compiled with XPU enabled/,
    "AssertionError: Torch not compiled with XPU enabled",
  ),
  means: {
    weight: weights.said,
    name: "torch",
    required: "a PyTorch for Intel's GPUs (XPU)",
    found: "a build without it",
    next: ['python -c "import torch; print(torch.__version__, torch.xpu.is_available())"'],
    may: [
      {
        cause: "wrong-wheel-cpu-only",
        certainty: "likely",
        message: "the PyTorch that is installed has no part for Intel's GPUs: pip or a later installation put another build in its place",
        fixes: [
          fix(
            "install the build for XPU",
            "pip uninstall -y torch torchvision torchaudio",
            "pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/xpu",
          ),
        ],
      },
      { cause: "wrong-vendor", message: "or it is one for NVIDIA's GPUs", fixes: [] },
    ],
  },
};

/** torch/cuda/__init__.py, torch/backends/cudnn/__init__.py, c10/cuda/CUDAFunctions.cpp, torch/utils/cpp_extension.py, profiler.py. */
export default [
  withoutXpu,
  {
    literals: ["was compiled", "pytorch was compiled"],
    pattern:
      /cuDNN version (?:incompatibility|mismatch): PyTorch was compiled {1,2}against (?<required>\([\d, ]{5,14}\)|\d{4,6}) but (?:found runtime version|linked against) (?<found>\([\d, ]{5,14}\)|\d{4,6})(?:\.? (?<bundled>PyTorch already comes bundled))?(?:[^\n]{0,140}(?<path>Looks like your LD_LIBRARY_PATH contains incompatible|conflicting cuDNN in LD_LIBRARY_PATH))?/i,
    examples: [
      "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 5, 0) but found runtime version (8, 4, 1). PyTorch already comes bundled with cuDNN. One option to resolving this error is to ensure PyTorch can find the bundled cuDNN. Looks like your LD_LIBRARY_PATH contains incompatible version of cudnn. Please either remove it from the path or install cudnn (8, 5, 0)",
      "RuntimeError: cuDNN version mismatch: PyTorch was compiled against 7102 but linked against 7605",
    ],
    facts: ({ required, found, bundled, path }, { input }) => ({
      kind: "version-pair",
      library: "cudnn",
      required: version(required!),
      found: version(found!),
      by: "torch",
      // Up to 1.0 PyTorch took no other minor, and said "linked against".
      ...(/ linked against /.test(input)
        ? { hint: "same-minor" }
        : path === undefined
          ? bundled === undefined
            ? {}
            : { hint: "bundled" }
          : { hint: "ld-library-path" }),
    }),
  },
  {
    ...notice(
      // aten/src/ATen/native: shapes that do not go together.
      "tensor-shapes",
      [
        "shapes cannot be multiplied",
        "must match the size of tensor",
        "could not be broadcast together",
        "expected input batch_size",
        "but got input of size",
      ],
      /mat1 and mat2 shapes cannot be multiplied|The size of tensor a \(\d{1,9}\) must match the size of tensor b|operands could not be broadcast together|Expected input batch_size \(\d{1,9}\) to match|[Ss]hape mismatch|size mismatch, (?:m1|got)/,
      "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x10 and 20x5)",
      "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
    ),
    means: ownMatter(
      "the program",
      "the program hands over data whose shapes do not go together: a matter of its code or its data, and no version changes it",
      "print the shapes before the call that is named; most often a layer's size is not that of its input",
    ),
  },
  {
    ...notice(
      "loss-nan",
      "nan",
      /\b(?:loss|grad_norm)(?:[_.]\w{1,30})?['"]?(?: is| became| becomes|:|=){1,2} {0,2}nan\b/i,
      "epoch 1, loss: nan, grad_norm: nan",
      "the loss is nan after ten steps",
    ),
    means: ownMatter(
      "the training",
      "the loss is not a number: a matter of numerics (learning rate, half precision, the data), and no version changes it",
      "train in full precision or with bfloat16 first, lower the learning rate, and look for what is no number in the data",
    ),
  },
  notice(
    "torch-without-cuda",
    "torch not compiled with cuda",
    /Torch not (?:compiled|linked) with CUDA enabled/i,
    "AssertionError: Torch not compiled with CUDA enabled",
  ),
  {
    ...notice(
      // aten/src/ATen/cudnn/Exceptions.h adds this sentence to the one status.
      "cudnn-not-supported",
      "may appear if you passed in a non-contiguous input",
      /CUDNN_STATUS_NOT_SUPPORTED\. This error may appear if you passed in a non-contiguous input/,
      "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a non-contiguous input.",
    ),
    means: ownMatter(
      "the program",
      "cuDNN has no kernel for a tensor of this shape, size or layout: a matter of the data",
      "call `.contiguous()` on the input, make it smaller, or leave cuDNN out to see: `torch.backends.cudnn.enabled = False`",
    ),
  },
  notice(
    "no-convolution-algorithm",
    "find a valid cudnn algorithm",
    /Unable to find a valid cuDNN algorithm to run convolution/,
    "RuntimeError: Unable to find a valid cuDNN algorithm to run convolution",
  ),
  {
    ...notice(
      "no-peer-access",
      "peer access is not supported",
      /peer access is not supported between these two devices/,
      "RuntimeError: CUDA error: peer access is not supported between these two devices",
    ),
    means: ownMatter(
      "the GPUs",
      "one GPU cannot reach the memory of the other: GeForce cards of one machine, or GPUs behind different bridges; no version changes it",
      "copy over the host: `NCCL_P2P_DISABLE=1`, or one process with one GPU",
    ),
  },
  {
    // What only a build with CUDA has in torch._C (torch/csrc/cuda/Module.cpp).
    literals: ["has no attribute '_cuda_"],
    pattern: /module 'torch\._C' has no attribute '_cuda_\w{3,40}'/,
    examples: ["AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'"],
    facts: () => ({ kind: "notice", id: "torch-without-cuda" }),
  },
  notice(
    "no-driver",
    "found no nvidia driver",
    /Found no NVIDIA driver on your system/,
    "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx",
  ),
  {
    literals: ["driver on your system is too old"],
    pattern: /The NVIDIA driver on your system is too old(?: \(found version (?<found>\d{4,6})\))?/,
    examples: ["RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver"],
    facts: ({ found }) => ({ kind: "notice", id: "driver-too-old", ...(found === undefined ? {} : { found: driverNumber(found) }) }),
  },
  {
    literals: ["is not compatible with the current pytorch"],
    pattern:
      /(?<gpu>[\w][\w .()/-]{2,60}?) with CUDA capability (?<capability>sm_\d{2,3}[af]?) is not compatible with the current PyTorch installation/,
    examples: ["NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation."],
    facts: ({ gpu, capability }) => ({ kind: "gpu-unsupported", gpu: gpu!.trim(), capability: capability!, by: "torch" }),
  },
  {
    literals: ["install supports cuda capabilities"],
    pattern: /The current PyTorch install supports CUDA capabilities (?<supported>(?:(?:sm|compute)_\w{2,5}[ ,]{0,2}){1,24})/,
    examples: ["The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90."],
    facts: ({ supported }) => ({ kind: "gpu-unsupported", supported: supported!.trim(), by: "torch" }),
  },
  {
    literals: ["which is of cuda capability", "which is of compute capability"],
    pattern: /Found GPU ?\d{1,2} (?<gpu>[^\n]{2,60}?) which is of (?:cuda|compute) capability (?:\(CC\) )?(?<capability>\d{1,2}\.\d)/,
    examples: [
      "Found GPU0 GeForce 820M which is of cuda capability 2.1.",
      "Found GPU0 NVIDIA GeForce GTX 1080 which is of compute capability (CC) 6.1.",
    ],
    facts: ({ gpu, capability }) => ({ kind: "gpu-unsupported", gpu: gpu!, capability: capability!, by: "torch" }),
  },
  {
    literals: ["no longer supports this gpu", "minimum cuda capability", "maximum cuda capability"],
    pattern:
      /no longer supports this GPU because it is too old|(?:[Mm]inimum(?: and Maximum)? cuda capability supported by this (?:library|version of PyTorch) is \(?(?<minimum>\d{1,2}\.\d)\)?(?: - \((?<maximum>\d{1,2}\.\d)\))?)/,
    examples: [
      "PyTorch no longer supports this GPU because it is too old.",
      "The minimum cuda capability supported by this library is 3.7.",
      "Minimum and Maximum cuda capability supported by this version of PyTorch is (7.0) - (12.0)",
    ],
    facts: ({ minimum, maximum }) => ({
      kind: "gpu-unsupported",
      by: "torch",
      ...(minimum === undefined
        ? { tooOld: true }
        : { supported: maximum === undefined ? `${minimum} or newer` : `${minimum} to ${maximum}` }),
    }),
  },
  {
    literals: ["not compatible with devices with sm <"],
    pattern: /cuDNN version (?<found>\d{4,6}) is not compatible with devices with SM < (?<minimum>\d{1,2}\.\d)/,
    examples: [
      "cuDNN version 91100 is not compatible with devices with SM < 7.5. Please install a version of PyTorch with a compatible cuDNN version.",
    ],
    facts: ({ minimum }) => ({ kind: "gpu-unsupported", supported: `${minimum} or newer`, by: "cudnn", tooOld: true }),
  },
  {
    // The source line that Python prints below a warning of torch/cuda/__init__.py, where the warning itself was left out of the paste.
    literals: ["incompatible_device_warn", "matched_cuda_warn", "old_gpu_warn", "incorrect_binary_warn"],
    pattern: /warnings\.warn\((?:(?<name>incompatible_device|matched_cuda|incorrect_binary)_warn|(?<old>old_gpu)_warn)\b/,
    examples: ['  warnings.warn(incompatible_device_warn.format(device_name, capability, " ".join(arch_list), device_name))'],
    facts: ({ old }) => ({ kind: "gpu-unsupported", by: "torch", ...(old === undefined ? {} : { tooOld: true }) }),
  },
  {
    // torch.version.cuda is None in builds for the CPU and for ROCm, whoever takes it apart.
    literals: ["torch.version.cuda", "nonetype"],
    pattern:
      /torch\.version\.cuda(?:\.(?:split|replace|startswith)\(|\[|\))[^\n]{0,200}?(?:'NoneType' object has no attribute '(?:split|replace|startswith)'|'NoneType' object is not subscriptable|expected string or bytes-like object)/,
    examples: ["    major, minor = map(int, torch.version.cuda.split('.')) AttributeError: 'NoneType' object has no attribute 'split'"],
    facts: () => ({ kind: "notice", id: "torch-without-cuda" }),
  },
  {
    literals: ["which requires cuda_version"],
    pattern:
      /Found GPU\d{1,2} (?<gpu>[^\n]{2,60}?) which requires CUDA_VERSION >= (?<required>\d{4,5}) to\s{1,4}work properly, but your PyTorch was compiled\s{1,4}with CUDA_VERSION (?<found>\d{4,5})/,
    examples: [
      "Found GPU0 GeForce RTX 2080 Ti which requires CUDA_VERSION >= 10000 to work properly, but your PyTorch was compiled with CUDA_VERSION 9000. Please install the correct PyTorch binary",
    ],
    facts: ({ gpu, found }) => [
      { kind: "gpu-unsupported", gpu: gpu!, by: "torch" },
      { kind: "framework", id: "torch", cuda: driverNumber(found!) },
    ],
  },
  {
    literals: ["mismatches the version that was used"],
    pattern:
      /\bdetected CUDA version \((?<other>\d{1,2}\.\d{1,2})\) mismatches the version that was used to compile {1,4}PyTorch \((?<built>\d{1,2}\.\d{1,2})\)/,
    examples: [
      "The detected CUDA version (12.2) mismatches the version that was used to compile PyTorch (11.3). Please make sure to use the same CUDA versions.",
    ],
    facts: ({ other, built }) => ({ kind: "built-with", what: "torch", built: built!, other: "nvcc", otherBuilt: other! }),
  },
  notice(
    "extension-other-cuda",
    "does not match the version used to compile pytorch",
    /compiled with a version of Cuda that does not {1,2}match the version used to compile Pytorch(?: binaries\. {1,2}Pytorch binaries were compiled with Cuda (?<required>\d{1,2}\.\d{1,2}))?/i,
    "RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the version used to compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 12.1.",
  ),
  {
    literals: ["only supports ampere gpus", "gpus with compute capability of at least", "only supported on gpus with compute capability"],
    pattern:
      /FlashAttention only supports (?<family>Ampere) GPUs or newer|only supported on GPUs with compute capability of at least (?<minimum>\d{1,2}\.\d)(?:\. Your (?<gpu>[^\n]{2,40}?) GPU has compute capability (?<capability>\d{1,2}\.\d))?/,
    examples: [
      "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
      "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute capability 7.5.",
    ],
    facts: ({ minimum, gpu, capability }) => ({
      kind: "gpu-unsupported",
      by: "the kernel",
      tooOld: true,
      supported: `${minimum ?? "8.0"} or newer`,
      ...(gpu === undefined ? {} : { gpu }),
      ...(capability === undefined ? {} : { capability }),
    }),
  },
  {
    ...notice(
      "nvcc-too-old",
      "is only supported on cuda",
      /FlashAttention is only supported on CUDA (?<required>\d{1,2}\.\d{1,2}) and above/,
      "RuntimeError: FlashAttention is only supported on CUDA 11.7 and above.  Note: make sure nvcc has a supported version by running nvcc -V.",
    ),
    means: {
      weight: weights.said,
      name: "nvcc",
      about: (_facts, _context, [fact]) => ({
        required: fact!.required === undefined ? "a newer nvcc" : `CUDA ${fact!.required} or newer`,
      }),
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "likely",
          message: "nvcc is older than the extension needs",
          next: ["nvcc --version"],
          fixes: (facts, _context, [fact]) => [
            facts.on("windows")
              ? fix(
                  `install CUDA ${fact!.required === undefined ? "of the release that this PyTorch was built with" : `${fact!.required} or newer, best the release that this PyTorch was built with`}, and let CUDA_PATH and CUDA_HOME name its folder`,
                )
              : selectToolkit("install a newer toolkit, and put it first", fact!.required),
          ],
        },
        {
          cause: "cuda-home-wrong",
          name: "CUDA_HOME",
          message: "or a newer toolkit is installed, and CUDA_HOME or PATH selects the old one",
        },
      ],
    },
  },
  {
    // Releases with a mistake in the raise print the tuple: ('… (%s) … (%s) …', '11.8', '13.0').
    literals: ["mismatches the version that was used"],
    pattern:
      /The detected CUDA version \(%s\) mismatches the version that was used to compile {0,4}PyTorch \(%s\)[^\n]{0,120}?['"], {1,2}'(?<other>\d{1,2}\.\d{1,2})', {1,2}'(?<built>\d{1,2}\.\d{1,2})'/,
    examples: [
      "RuntimeError: ('The detected CUDA version (%s) mismatches the version that was used to compilePyTorch (%s). Please make sure to use the same CUDA versions.', '11.8', '13.0')",
    ],
    facts: ({ other, built }) => ({ kind: "built-with", what: "torch", built: built!, other: "nvcc", otherBuilt: other! }),
  },
  noise(
    "CUDA releases of one major fit together; PyTorch says so itself",
    "has a minor version mismatch",
    /has a minor version mismatch with the version that was used to compile/,
    "UserWarning: The detected CUDA version (12.4) has a minor version mismatch with the version that was used to compile PyTorch (12.1). Most likely this shouldn't be a problem.",
  ),
  notice(
    "cuda-home-unset",
    ["cuda_home environment variable is not set", "cuda was not found on the system"],
    /CUDA_HOME environment variable is not set|CUDA was not found on the system, please set the CUDA_HOME/,
    "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
    "CUDA was not found on the system, please set the CUDA_HOME or the CUDA_PATHenvironment variable or add NVCC to your system PATH. The extension compilation will fail.",
  ),
  {
    literals: ["unknown cuda arch"],
    pattern: /Unknown CUDA arch \((?<architecture>\d{1,2}\.\d[af]?(?:\+PTX)?)\) or GPU not supported/,
    examples: ["ValueError: Unknown CUDA arch (8.9) or GPU not supported"],
    facts: ({ architecture }) => ({ kind: "gpu-unsupported", capability: architecture!.replace("+PTX", ""), by: "torch" }),
  },
  {
    literals: ["were compiled with different cuda"],
    pattern:
      /Detected that PyTorch and (?<what>[\w-]{2,40}) were compiled with different CUDA (?:major )?versions\b\.?(?: PyTorch has CUDA [Vv]ersion[ =](?<torch>\d{1,2}\.\d{1,2}) and [\w-]{2,40} has CUDA [Vv]ersion[ =](?<own>\d{1,2}\.\d{1,2}))?/,
    examples: [
      "RuntimeError: Detected that PyTorch and torch_scatter were compiled with different CUDA versions. PyTorch has CUDA version 11.1 and torch_scatter has CUDA version 10.2. Please reinstall the torch_scatter that matches your PyTorch install.",
      "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. PyTorch has CUDA Version=12.1 and torchvision has CUDA Version=11.8.",
    ],
    facts: ({ what, torch, own }) => ({ kind: "built-with", what: what!, built: own ?? "", other: "torch", otherBuilt: torch ?? "" }),
  },
  {
    literals: ["cuda.is_available"],
    pattern:
      /torch\.cuda\.is_available\(\)\)?(?:[^\w]{0,12}|[`'"]? (?:always )?(?:returned|returns|return|gives) [`'"]?)(?<value>True|False)\b/,
    examples: [">>> torch.cuda.is_available() False", "Warning: torch.cuda.is_available() returned False."],
    facts: ({ value }) => ({ kind: "available", by: "torch", value: value === "True" }),
  },
  {
    literals: ["torch.version.cuda"],
    pattern: /torch\.version\.cuda\)?[^\w']{0,12}(?:'(?<cuda>\d{1,2}\.\d{1,2})'|(?<plain>\d{1,2}\.\d{1,2})|(?<none>None))/,
    examples: [">>> torch.version.cuda '12.1'"],
    facts: ({ cuda, plain, none }) =>
      none === undefined ? { kind: "framework", id: "torch", cuda: (cuda ?? plain)! } : { kind: "framework", id: "torch", cpuOnly: true },
  },
  {
    literals: ["torch.__version__", "torch version", "pytorch version", "torch: version"],
    pattern: /(?:torch\.__version__\)?|(?:Py)?[Tt]orch:? [Vv]ersion)[^\w]{1,12}(?<version>\d{1,2}\.\d{1,3}\.\d{1,3}[\w.+]{0,40})/,
    examples: [">>> torch.__version__ '2.4.1+cu121'", "PyTorch version: 2.0.1+cu117"],
    facts: ({ version: found }) => ({
      kind: "framework",
      id: "torch",
      version: found!,
      ...(/\+cpu/.test(found!) ? { cpuOnly: true } : {}),
    }),
  },
  notice(
    "driver-init-failed",
    "cuda driver initialization failed",
    /CUDA driver initialization failed, you might not have a CUDA gpu/,
    "UserWarning: CUDA initialization: CUDA driver initialization failed, you might not have a CUDA gpu.",
  ),
  notice(
    "torch-cuda-load",
    "attempting to deserialize object on a cuda device",
    /Attempting to deserialize object on a CUDA device but torch\.cuda\.is_available\(\) is False/,
    "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.",
  ),
  {
    // torch/utils/cpp_extension.py, where a toolkit is found and no GPU answers.
    literals: ["no cuda runtime is found, using cuda_home"],
    pattern: /No CUDA runtime is found, using CUDA_HOME='(?<path>[^'\n]{1,200})'/,
    examples: ["No CUDA runtime is found, using CUDA_HOME='/usr/local/cuda'"],
    facts: () => ({ kind: "available", by: "torch", value: false }),
  },
  notice(
    "cudnn-no-engine",
    ["unable to find an engine to execute this computation", "no execution plans support the graph"],
    /(?:GET|FIND) was unable to find an engine to execute this computation|No execution plans support the graph/,
    "RuntimeError: GET was unable to find an engine to execute this computation",
  ),
  noise(
    "this build of PyTorch has no flash attention and uses another kernel",
    "torch was not compiled with flash attention",
    /Torch was not compiled with flash attention/,
    "UserWarning: 1Torch was not compiled with flash attention. (Triggered internally at ..\\aten\\src\\ATen\\native\\transformers\\cuda\\sdp_utils.cpp:455.)",
  ),
  noise(
    "the package that asks NVML has a new name",
    "the pynvml package is deprecated",
    /The pynvml package is deprecated/,
    "FutureWarning: The pynvml package is deprecated. Please install nvidia-ml-py instead.",
  ),
  {
    ...notice(
      "cuda-in-fork",
      "cannot re-initialize cuda in forked subprocess",
      /Cannot re-initialize CUDA in forked subprocess/,
      "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method",
    ),
    means: ownMatter(
      "multiprocessing",
      "CUDA was used before the process forked: a matter of the program",
      "start workers with `spawn`, or use CUDA in the workers only",
    ),
  },
  {
    // c10/cuda/CUDACachingAllocator.cpp asks NVML for the free memory when it has to say that none is left.
    literals: ["nvml_success =="],
    pattern: /NVML_SUCCESS == (?<what>r|DriverAPI::get\(\)->nvml\w{4,40}_?\()[^\n]{0,120}INTERNAL ASSERT FAILED/,
    examples: [
      'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":830, please report a bug to PyTorch.',
      'RuntimeError: NVML_SUCCESS == DriverAPI::get()->nvmlInit_v2_() INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":799, please report a bug to PyTorch.',
    ],
    facts: ({ what }) => ({ kind: "notice", id: what === "r" ? "allocator-nvml" : "torch-nvml" }),
    notice: "allocator-nvml",
    means: {
      name: "libnvidia-ml.so.1",
      library: "nvml",
      next: ["nvidia-smi"],
      unless: (facts) => 0 < facts.notices("torch-nvml").length,
      may: [{ ...noMemoryLeft, certainty: "likely" }, nvmlHalves, nvmlUnseen],
    },
  },
  {
    ...notice(
      // cudaGetDeviceCount needs no memory of the GPU: what is out is something of the driver or of the host.
      "init-out-of-memory",
      "error 2: out of memory",
      /cudaGetDeviceCount\(\)[^\n]{0,200}Error 2: out of memory/,
      "CUDA initialization: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 2: out of memory (Triggered internally at c10/cuda/CUDAFunctions.cpp:109.)",
    ),
    means: {
      ...libcuda,
      symptom: "CUDA does not start for want of memory",
      next: ["nvidia-smi", "free -h; ulimit -v"],
      may: [
        {
          cause: "not-a-mismatch",
          message: "memory of the host or of a limit set for the process, or under WSL of Windows",
          fixes: [
            fix("give the process or the virtual machine more memory; under WSL update Windows, its driver and WSL (`wsl --update`)"),
          ],
        },
        { cause: "driver-not-exposed", message: "or a libcuda that is not the driver's own answers" },
        { cause: "driver-too-old", message: "or the driver is too old for this system or GPU" },
      ],
    },
  },
  {
    ...notice("torch-nvml", "can't initialize nvml", /Can't initialize NVML/, "UserWarning: Can't initialize NVML"),
    means: {
      name: "libnvidia-ml.so.1",
      library: "nvml",
      next: ["nvidia-smi"],
      may: [{ ...nvmlHalves, certainty: "likely" }, nvmlUnseen, noMemoryLeft],
    },
  },
  {
    ...notice(
      "tensors-apart",
      ["expected all tensors to be on the same device", "should be the same", "should be 1-d cpu int64 tensor"],
      /Expected all tensors to be on the same device|Input type \([\w.]{5,40}\) and (?:weight|bias) type \([\w.]{5,40}\) should be the same|should be 1-?D CPU int64 tensor/,
      "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0!",
      "RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same",
    ),
    means: ownMatter(
      "the program",
      "the program mixes data of the CPU and of the GPU: a matter of its code, and no version changes it",
      "bring the model and its inputs to one device (`.to(device)`)",
    ),
  },
  noise(
    "Lightning says that a GPU is there and was not asked for",
    "gpu available but not used",
    /GPU available but not used/,
    "PossibleUserWarning: GPU available but not used. Set `accelerator` and `devices` using `Trainer(accelerator='gpu', devices=1)`.",
  ),
  {
    // ATen/cuda/CUDAContext.cpp: a device that is not, or is no longer, there.
    literals: ["device >= 0 && device < num_gpus"],
    pattern: /device >= 0 && device < num_gpus INTERNAL ASSERT FAILED/,
    examples: [
      'RuntimeError: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED at "../aten/src/ATen/cuda/CUDAContext.cpp":49, please report a bug to PyTorch.',
    ],
    facts: () => ({ kind: "cuda-error", code: 101 }),
  },
  noise(
    "PyTorch says that it could compute faster and less exactly",
    ["tensorfloat32 tensor cores", "to properly utilize them"],
    /TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled|that has Tensor Cores\. To properly utilize them/,
    "UserWarning: TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled. Consider setting `torch.set_float32_matmul_precision('high')` for better performance.",
    "You are using a CUDA device ('NVIDIA GeForce RTX 4090') that has Tensor Cores. To properly utilize them, you should set `torch.set_float32_matmul_precision('medium' | 'high')`",
  ),
  noise(
    "PyTorch says how results become the same each time",
    "cublas_workspace_config",
    /this operation is not deterministic because it uses CuBLAS/,
    "UserWarning: Deterministic behavior was enabled with either `torch.use_deterministic_algorithms(True)` or `at::Context::setDeterministicAlgorithms(true)`, but this operation is not deterministic because it uses CuBLAS and you have CUDA >= 10.2. you must set CUBLAS_WORKSPACE_CONFIG=:4096:8",
  ),
  {
    // torch/amp/autocast_mode.py and grad_scaler.py.
    literals: ["cuda is not available"],
    pattern: /(?:device_type of 'cuda', but|GradScaler is enabled, but|autocast only affects CUDA ops, but) CUDA is not available/,
    examples: [
      "UserWarning: User provided device_type of 'cuda', but CUDA is not available. Disabling",
      "UserWarning: torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
    ],
    facts: () => ({ kind: "available", by: "torch", value: false }),
  },
  notice(
    "extension-build-failed",
    "error compiling objects for extension",
    /RuntimeError: Error compiling objects for extension/,
    "RuntimeError: Error compiling objects for extension",
  ),
] satisfies Signature[];
