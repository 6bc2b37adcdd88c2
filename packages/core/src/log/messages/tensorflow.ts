import type { Draft } from "../fact.ts";
import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { builtWithoutCuda, ownMatter } from "../meaning.ts";
import { noise, notice, type Signature } from "../signature.ts";

/** TensorFlow of all eras: dso_loader.cc, gpu_device.cc, cudart_stub.cc, py_utils.cc, and the wrappers of its own. */
/** A field of `tf.sysconfig.get_build_info()`. */
function ofBuild(key: string, value: string): Draft | undefined {
  if (key === "is_cuda_build") return { kind: "framework", id: "tensorflow", cpuOnly: value === "False" };
  if (!/^\d/.test(value)) return undefined;
  return { kind: "framework", id: "tensorflow", [key === "cuda_version" ? "cuda" : "cudnn"]: value };
}

export default [
  {
    // tensorflow_io/python/ops/__init__.py: compiled upon one TensorFlow.
    ...notice(
      "tfio-other-tensorflow",
      "tensorflow_io",
      /tensorflow_io[/\\]python[/\\]ops[/\\]__init__\.py:\d{1,4}: UserWarning: (?:unable to load|file system plugins are not loaded)|unable to open file: libtensorflow_io/,
      "/v/tensorflow_io/python/ops/__init__.py:98: UserWarning: unable to load libtensorflow_io_plugins.so: unable to open file: libtensorflow_io_plugins.so, from paths: ['/v/tensorflow_io/python/ops/libtensorflow_io_plugins.so']",
    ),
    means: {
      weight: weights.refused + 1,
      name: "tensorflow-io",
      required: "the tensorflow-io that was built for this TensorFlow",
      next: ["pip list | grep -i tensorflow"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "tensorflow-io was compiled for another TensorFlow than the one that is installed: its README has a table of the pairs",
          fixes: [fix("take the pair that its README names, both in one step")],
        },
        { cause: "library-wrong-version", message: "so its symbols are those of another release", fixes: [] },
      ],
    },
  },
  {
    // The kernel exists in builds with CUDA alone.
    ...notice(
      "tf-no-cuda-kernel",
      "no opkernel was registered to support op",
      /No OpKernel was registered to support Op '(?<subject>Cudnn\w{2,30}|NcclAllReduce|\w{2,30}Cuda\w{0,20})'/,
      "No OpKernel was registered to support Op 'CudnnRNN' used by node with these attrs",
    ),
    means: builtWithoutCuda("tensorflow", fix("install TensorFlow with CUDA, or build the model without what only a GPU computes")),
  },
  {
    // tf.sysconfig.get_build_info() has these keys in builds with CUDA only.
    literals: ["keyerror: 'cuda_version'", "keyerror: 'cudnn_version'"],
    pattern: /KeyError: '(?:cuda|cudnn)_version'/,
    examples: ["KeyError: 'cuda_version'"],
    facts: () => ({ kind: "framework", id: "tensorflow", cpuOnly: true }),
  },
  {
    literals: ["tensorflow/", "local_xla/", "local_tsl/"],
    pattern: /(?:\btensorflow\/(?:core|stream_executor|compiler|tsl|c)\/|external\/local_(?:xla|tsl)\/)[\w/.-]{2,80}:\d{1,5}\]/,
    examples: ["2022-05-01 10:00:00.000000: E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1666] "],
    facts: () => ({ kind: "voice", id: "tensorflow" }),
    single: true,
  },
  {
    literals: ["could not load dynamic library"],
    pattern:
      /Could not load dynamic library '(?<name>[^']{1,200})'(?:; dlerror: (?:(?<inner>[^\s:;']{1,200}): cannot open)?)?(?:[^;]{0,400}; LD_LIBRARY_PATH: {0,2}(?<searched>[^\s"'\\]{1,3000}))?/,
    examples: [
      "2021-03-02 10:11:12.131415: W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcupti.so.11.2'; dlerror: libcupti.so.11.2: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda/lib64",
      "Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found",
    ],
    facts: ({ name, inner, searched }) => {
      const other = inner !== undefined && inner !== name;
      return {
        kind: "not-found",
        name: other ? inner : name!,
        by: "tensorflow",
        ...(other ? { wantedBy: name! } : {}),
        ...(searched === undefined ? {} : { searched }),
      };
    },
  },
  {
    literals: ["open cuda library"],
    pattern: /Couldn't open CUDA library (?<name>[^\s:]{1,100}?)\.?(?: LD_LIBRARY_PATH: {0,2}(?<searched>[^\s"'\\]{0,3000})|\s{0,4}$)/,
    examples: [
      "I tensorflow/stream_executor/dso_loader.cc:141] Couldn't open CUDA library libcupti.so.9.0. LD_LIBRARY_PATH: /usr/local/cuda-9.0/lib64",
    ],
    facts: ({ name, searched }) => ({
      kind: "not-found",
      name: name!,
      by: "tensorflow",
      ...(searched === undefined || searched === "" ? {} : { searched }),
    }),
  },
  {
    literals: ["could not dlopen dso"],
    pattern: /could not dlopen DSO: (?<name>[^\s;]{1,100}); dlerror:/,
    examples: ["Failed precondition: could not dlopen DSO: libcupti.so.9.0; dlerror: libcupti.so.9.0: cannot open shared object file"],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "tensorflow" }),
  },
  {
    literals: ["successfully opened"],
    pattern: /successfully opened (?:dynamic|CUDA) library (?<name>[\w.+-]{1,100}?)\.?(?:\s|$)/i,
    examples: [
      "I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library libcudart.so.11.0",
      "I tensorflow/stream_executor/dso_loader.cc:108] successfully opened CUDA library libcublas.so locally",
    ],
    facts: ({ name }) => ({ kind: "opened", name: name! }),
    single: true,
  },
  notice(
    "tf-skipped-gpus",
    "cannot dlopen some gpu libraries",
    /Cannot dlopen some GPU libraries/,
    "W tensorflow/core/common_runtime/gpu/gpu_device.cc:1766] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU.",
  ),
  notice(
    "tf-no-cuda-drivers",
    "could not find cuda drivers",
    /Could not find cuda drivers on your machine, GPU will not be used/,
    "I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.",
  ),
  notice(
    "tf-no-gpu-set-up",
    "if you do not have a gpu set up",
    /Ignore above cudart dlerror if you do not have a GPU set up on your machine/,
    "I tensorflow/stream_executor/cuda/cudart_stub.cc:29] Ignore above cudart dlerror if you do not have a GPU set up on your machine.",
  ),
  {
    literals: ["computecapability: ", "compute capability: ", "major: "],
    pattern:
      /name: (?<name>[^,]{2,60}?),? (?:pci bus id: [^,]{1,30}, compute capability: (?<capability>\d{1,2}\.\d)|computeCapability: (?<old>\d{1,2}\.\d)|major: (?<major>\d{1,2}) minor: (?<minor>\d))/,
    examples: [
      "pciBusID: 0000:01:00.0 name: NVIDIA GeForce RTX 4060 Laptop GPU computeCapability: 8.9",
      "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 22000 MB memory:  -> device: 0, name: NVIDIA A10G, pci bus id: 0000:00:1e.0, compute capability: 8.6",
      "name: GeForce GTX 1080 Ti major: 6 minor: 1 memoryClockRate(GHz): 1.582",
    ],
    facts: ({ name, capability, old, major, minor }) => ({
      kind: "gpu",
      name: name!.trim(),
      capability: capability ?? old ?? `${major}.${minor}`,
    }),
  },
  {
    literals: ["created tensorflow device", "created device /job", "with compute capability", "streamexecutor device ("],
    pattern: /Created (?:TensorFlow )?device [("/]?\/?(?:job:|device:)?[^\n]{0,60}GPU:0/,
    examples: ["Created device /job:localhost/replica:0/task:0/device:GPU:0 with 22000 MB memory:  -> device: 0, name: NVIDIA A10G"],
    facts: () => ({ kind: "available", by: "tensorflow", value: true }),
  },
  {
    literals: ["ignoring visible gpu device"],
    pattern:
      /Ignoring visible gpu device \(device: \d{1,3}, name: (?<gpu>[^,]{1,60}),[^)]{0,120}\) with Cuda compute capability (?<capability>\d{1,2}\.\d)\b(?:\. The minimum required Cuda capability is (?<minimum>\d{1,2}\.\d))?/,
    examples: [
      "Ignoring visible gpu device (device: 0, name: GeForce GT 730, pci bus id: 0000:01:00.0, compute capability: 3.0) with Cuda compute capability 3.0. The minimum required Cuda capability is 3.5.",
    ],
    facts: ({ gpu, capability, minimum }) => ({
      kind: "gpu-unsupported",
      gpu: gpu!,
      capability: capability!,
      ...(minimum === undefined ? {} : { supported: `${minimum} or newer` }),
      by: "tensorflow",
      tooOld: true,
    }),
  },
  {
    literals: ["was not built with cuda kernel binaries"],
    pattern: /TensorFlow was not built with CUDA kernel binaries compatible with compute capability (?<capability>\d{1,2}\.\d)/,
    examples: [
      "TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.",
    ],
    facts: ({ capability }) => ({ kind: "gpu-unsupported", capability: capability!, by: "tensorflow" }),
  },
  {
    literals: ["dnn library is not found"],
    pattern: /DNN library is not found/,
    examples: ["UNIMPLEMENTED: DNN library is not found."],
    facts: () => ({ kind: "unable-to-load", library: "cudnn", by: "tensorflow" }),
  },
  notice(
    "no-convolution-algorithm",
    "failed to get convolution algorithm",
    /Failed to get convolution algorithm/,
    "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed to initialize, so try looking to see if a warning log message was printed above.",
  ),
  {
    literals: ["is_built_with_cuda"],
    pattern: /is_built_with_cuda\(\)\)?[^\w]{0,12}(?<value>True|False)\b/,
    examples: [">>> print(tf.test.is_built_with_cuda()) False"],
    facts: ({ value }) =>
      value === "False" ? { kind: "framework", id: "tensorflow", cpuOnly: true } : { kind: "framework", id: "tensorflow", cpuOnly: false },
  },
  {
    // Its last release with files is 2.11; 2.12 is an empty one that refuses to be installed (its page on PyPI).
    ...notice(
      "tensorflow-gpu-ended",
      ["tensorflow-gpu", "tensorflow_gpu"],
      /\btensorflow[-_]gpu(?: version|==|[ @])?\s{0,2}v?(?<subject>2\.1[2-9](?:\.\d)?)\b[^\n]{0,30}\b(?:not available|not found|fails?|cannot|no (?:matching|such))|\bno (?:version|release) (?<found>2\.1[2-9](?:\.\d)?) of (?:the )?tensorflow[-_]gpu\b/i,
      "tensorflow-gpu version 2.12.0 is not available",
      "No version 2.12.0 of the tensorflow-gpu was found.",
    ),
    means: {
      weight: weights.refused,
      about: (_facts, _context, [fact]) => ({
        name: "tensorflow-gpu",
        required: "a package that still exists: tensorflow-gpu ended with 2.11",
        found: `tensorflow-gpu ${fact!.subject ?? fact!.found}`,
      }),
      next: ["python --version"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          when: (facts) => !facts.on("windows"),
          message: "`tensorflow-gpu` is no more: `tensorflow` itself serves GPUs, and its extra brings CUDA along",
          fixes: [fix("take TensorFlow with its CUDA packages", 'pip install "tensorflow[and-cuda]"')],
        },
        {
          cause: "wrong-wheel-cpu-only",
          certainty: "likely",
          when: (facts) => facts.on("windows"),
          message: "`tensorflow-gpu` is no more, and since TensorFlow 2.11 no wheel for Windows has CUDA",
          fixes: [
            fix("use WSL 2, where TensorFlow still has it", 'pip install "tensorflow[and-cuda]"'),
            fix("or TensorFlow 2.10, the last for Windows itself, with Python 3.7 to 3.10", 'pip install "tensorflow<2.11"'),
          ],
        },
      ],
    },
  },
  // The stub for libcudart answers so where the library itself could not be opened.
  {
    literals: ["cudageterrorstring symbol not found"],
    pattern: /cudaGetErrorString symbol not found/,
    examples: ["Internal: cudaGetDevice() failed. Status: cudaGetErrorString symbol not found."],
    facts: () => ({ kind: "unable-to-load", library: "cudart", by: "tensorflow" }),
  },
  // The answer under a label that people give it when they print it.
  {
    literals: ["built with cuda"],
    pattern: /(?:\b(?<torch>(?:py)?torch) (?:is |was )?)?\bbuilt with cuda(?: support)?\?? ?[:=]\s{0,16}(?<value>True|False)\b/i,
    examples: ["Is TensorFlow built with CUDA?: False", "Built with CUDA:  False", "PyTorch built with CUDA:         False"],
    facts: ({ torch, value }) =>
      /true/i.test(value!)
        ? undefined
        : torch === undefined
          ? { kind: "notice", id: "built-without-cuda" }
          : [
              { kind: "framework", id: "torch", cpuOnly: true },
              { kind: "notice", id: "torch-without-cuda" },
            ],
  },
  {
    literals: ["gpu available", "gpus available", "available gpus", "gpu devices"],
    pattern: /\b(?:(?:is )?GPUs? available|available GPUs|GPU devices(?: available)?) ?\??[:=]? {0,3}\[\]/i,
    examples: ["Is GPU available? []", "GPUs available: []"],
    facts: () => ({ kind: "available", by: "tensorflow", value: false }),
  },
  {
    literals: ["list_physical_devices", "num gpus", "is_gpu_available", "gpu_device_name"],
    pattern:
      /(?:list_physical_devices\(['"]GPU['"]\)[^[\n]{0,60}?(?:(?<empty>\[ ?\])|(?<words>empty (?:list|array)|no GPU))|Num GPUs(?: Available)?: {1,3}(?<count>\d{1,3})|is_gpu_available\([^)]{0,40}\)\)?[^\w]{0,6}(?<value>True|False)|gpu_device_name\(\)\)?\s{1,4}(?<none>''))/i,
    examples: [">>> tf.config.list_physical_devices('GPU') []", "Num GPUs Available:  0"],
    facts: ({ empty, words, count, value, none }) => ({
      kind: "available",
      by: "tensorflow",
      value: empty === undefined && words === undefined && none === undefined && count !== "0" && value !== "False",
    }),
  },
  {
    literals: [
      "tensorflow version",
      "tensor flow version",
      "tensorflow: ",
      "tensorflow ",
      "tf.__version__",
      "tf.version.version",
      "tensorflow==",
    ],
    pattern:
      /(?:tensor ?flow(?:-gpu)? version(?: is| \(use command below\))?|tf\.__version__\)?|tf\.version\.VERSION\)?|^- tensorflow|\btensorflow(?:-gpu)?)[\s:=*'"`)]{1,8}(?:tf |v)?(?<version>[12]\.\d{1,2}(?:\.\d{1,2})?(?:rc\d)?)\b/i,
    examples: ["### TensorFlow version 2.14", ">>> tf.__version__ '2.10.0'", "- TensorFlow version (use command below): 2.1.0"],
    facts: ({ version }) => ({ kind: "framework", id: "tensorflow", version: version! }),
  },
  {
    // Somebody had NVIDIA's wheels installed with it, by whichever tool.
    ...notice(
      "tf-cuda-extra",
      "tensorflow[and-cuda",
      /\b(?:install|add|sync)\b[^\n]{0,60}["'`]?tensorflow\[and-cuda\]/i,
      "pip install tensorflow[and-cuda]",
    ),
    single: true,
  },
  {
    // device_lib.list_local_devices(), one block for each device, and tf.config.list_physical_devices(), all in one line.
    literals: ['name: "/device:', "/physical_device:"],
    pattern: /name(?:: "\/device|='\/physical_device):(?<device>CPU|GPU):0['"]/,
    examples: ['[name: "/device:CPU:0"', 'name: "/device:GPU:0"', "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]"],
    every: true,
    facts: ({ device }) =>
      device === "GPU" ? { kind: "available", by: "tensorflow", value: true } : { kind: "notice", id: "tf-lists-cpu" },
  },
  notice(
    // TensorFlow 1 names its devices so.
    "tf-lists-cpu",
    ["/cpu:0", "no known devices"],
    /\bno known devices\b|\bonly (?:shows?|lists?|has|sees?|finds?|the )? ?["'`[]{0,3}\/(?:device:)?cpu:0|^\s{0,4}\[u?['"]\/(?:device:)?cpu:0['"]\]\s{0,4}$/i,
    "Device mapping: no known devices.",
    "tensorflow has only /cpu:0",
    "['/cpu:0']",
  ),
  notice(
    "gpu-not-seen",
    [
      "gpu is not available",
      "gpu is not ",
      "gpu isn't ",
      "gpu was not ",
      "available: ",
      "gpu not ",
      "gpu could",
      "gpu can",
      "gpus are not",
      "gpu device",
      "lose gpu",
      "loses gpu",
      "lost gpu",
      ...["detect", "find", "see", "use", "utilize", "recognize", "recognizing"].flatMap((verb) => [
        `${verb} gpu`,
        `${verb} my gpu`,
        `${verb} the gpu`,
      ]),
    ],
    /\bGPU is NOT AVAILABLE|\bGPUs? Available: {1,3}\[\]|\bGPU (?:not|is not|isn't|was not|is never) (?:found|detected|recogni[sz]ed|seen|visible)|\bGPU(?: devices?)? (?:could|can)(?: not|not|n['\u2019]?t) be (?:found|detected|recogni[sz]ed|seen|used)|\blos(?:es?|t|ing) (?:my |the )?GPU(?: device)?\b(?! memory)|(?:\bcan ?not|n['\u2019]?t|\bnot|\bunable to) (?:able to )?(?:detect|find|see|use|utilize|recogniz(?:e|ing)) (?:my |the )?GPU/i,
    "GPU is NOT AVAILABLE",
    "GPU Available:  []",
    "Tensorflow can't detect my gpu",
    "GPU could not be recognized on Windows 11",
  ),
  {
    literals: ["cuda_version", "is_cuda_build"],
    pattern: /['"](?<key>cuda_version|cudnn_version|is_cuda_build)['"]: ?['"]?(?<value>[\w.]{1,20})['"]?/,
    examples: ["OrderedDict([('cpu_compiler', '/usr/bin/gcc')]) {'cuda_version': '11.2', 'cudnn_version': '8', 'is_cuda_build': True}"],
    facts: ({ key, value }) => ofBuild(key!, value!),
    every: true,
  },
  {
    literals: ["'cuda_version', '", "'cudnn_version', '", "'is_cuda_build', "],
    pattern: /\('(?<key>cuda_version|cudnn_version|is_cuda_build)', '?(?<value>[\w.]{1,20})'?\)/,
    examples: ["OrderedDict([('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)])"],
    facts: ({ key, value }) => ofBuild(key!, value!),
    every: true,
  },
  noise(
    "TensorFlow looks for TensorRT, which nearly nobody needs, and says when it is not there",
    "tf-trt warning",
    /TF-TRT Warning: (?:Could not find TensorRT|Cannot dlopen some TensorRT libraries)/,
    "W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT",
  ),
  noise(
    "two parts of the program register the same plugin; the first stays, and nothing is lost",
    "unable to register",
    /Unable to register (?:cuDNN|cuFFT|cuBLAS) factory/,
    "E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
  ),
  noise(
    "two parts of the program register the same placer; the first stays, and nothing is lost",
    "computation placer already registered",
    /computation placer already registered/,
    "W0000 00:00:1700000000.000000 1000 computation_placer.cc:177] computation placer already registered. Please check linkage and avoid linking the same target more than once.",
  ),
  noise(
    "the kernel tells nothing about NUMA nodes; with one processor socket there is only one",
    "numa",
    /could not open file to read NUMA node|kernel may have been built without NUMA support|had negative value \(-1\), but there must be at least one NUMA node/,
    "I tensorflow/stream_executor/cuda/cuda_gpu_executor.cc:923] could not open file to read NUMA node: /sys/bus/pci/devices/0000:01:00.0/numa_node",
    "Your kernel may have been built without NUMA support.",
    "successful NUMA node read from SysFS had negative value (-1), but there must be at least one NUMA node, so returning NUMA node zero",
  ),
  noise(
    "TensorFlow says which processor instructions it uses",
    "tensorflow binary",
    /This TensorFlow binary is optimized|Your CPU supports instructions that this TensorFlow binary was not compiled to use/,
    "I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.",
    "I tensorflow/core/platform/cpu_feature_guard.cc:141] Your CPU supports instructions that this TensorFlow binary was not compiled to use: AVX2 FMA",
  ),
  noise(
    "TensorFlow says that rounding may differ with oneDNN",
    "onednn custom operations",
    /oneDNN custom operations are on/,
    "oneDNN custom operations are on. You may see slightly different numerical results due to floating-point round-off errors from different computation orders.",
  ),
  {
    // tensorflow/python/platform/self_check.py, on Windows alone.
    ...notice(
      "tf-vc-runtime",
      "could not find the dll(s)",
      /Could not find the DLL\(s\) '(?<subject>[\w. ]{4,120})'/,
      "ImportError: Could not find the DLL(s) 'msvcp140.dll or msvcp140_1.dll'. TensorFlow requires that these DLLs be installed in a directory that is named in your %PATH% environment variable.",
    ),
    means: {
      weight: weights.refused,
      about: (_facts, _context, [fact]) => ({ name: fact!.subject!.split(" or ").at(-1)!, required: fact!.subject! }),
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "Microsoft's Visual C++ runtime is not installed, or older than TensorFlow was built with",
          fixes: [
            fix(
              "install Microsoft's newest Visual C++ runtime (x64), and start a new terminal",
              "winget install --id Microsoft.VCRedist.2015+.x64 -e",
            ),
          ],
        },
        {
          cause: "library-not-on-path",
          message: "or its folder (C:\\Windows\\System32) is not on PATH",
          next: ["where msvcp140_1.dll"],
          fixes: [],
        },
      ],
    },
  },
  {
    ...notice(
      "tf-conflicting-installs",
      "found conflicting tensorflow installations",
      /Found conflicting TensorFlow installations in this environment: (?<found>[\w., +-]{5,160}?)\. These/,
      "ImportError: Found conflicting TensorFlow installations in this environment: tensorflow 2.19.0, tensorflow-cpu 2.16.1. These distributions install into the same directory",
    ),
    means: {
      weight: weights.said,
      name: "tensorflow",
      required: "one distribution of TensorFlow",
      about: (_facts, _context, [fact]) => ({ found: fact!.found! }),
      may: [
        {
          cause: "package-conflict",
          certainty: "certain",
          message: "two distributions of TensorFlow lie in one folder, in two releases",
          next: ["pip list | grep -i tensorflow"],
          fixes: [
            fix(
              "remove them all, and install one",
              "pip uninstall -y tensorflow tensorflow-cpu tensorflow-intel tf-nightly",
              "pip install tensorflow",
            ),
          ],
        },
      ],
    },
  },
  {
    ...notice(
      "tf-bits",
      "64-bit python interpreter",
      /TensorFlow requires a 64-bit Python interpreter, but this interpreter is (?<found>\d{2})-bit/,
      "ImportError: TensorFlow requires a 64-bit Python interpreter, but this interpreter is 32-bit.",
    ),
    means: {
      weight: weights.said,
      name: "python",
      required: "a Python of 64 bits",
      found: "one of 32 bits",
      may: [
        {
          cause: "wrong-wheel-platform",
          certainty: "certain",
          message: "Python itself is a 32-bit program, and TensorFlow has no builds for it",
          next: ["python -c \"import struct; print(struct.calcsize('P') * 8)\""],
          fixes: [fix("install the 64-bit Python of python.org, make the environment anew with it, and install TensorFlow there")],
        },
      ],
    },
  },
  {
    ...notice(
      "tf-in-its-sources",
      "do not import tensorflow from its source directory",
      /Do not import\s{1,3}tensorflow from its source directory/,
      "ImportError: Could not import tensorflow. Do not import tensorflow from its source directory; change directory to outside the TensorFlow source tree",
    ),
    means: ownMatter(
      "the working folder",
      "a folder named `tensorflow` stands before the installed package, or a package that was not built is imported",
      "start Python in another folder; where that does not help, install TensorFlow again",
    ),
  },
  notice(
    "native-runtime",
    "failed to load the native tensorflow runtime",
    /Failed to load the native TensorFlow runtime/,
    "Failed to load the native TensorFlow runtime.",
  ),
  {
    // core/common_runtime/placer.cc; a list with XLA_GPU and no GPU is of a CUDA build whose libraries did not open.
    literals: ["but available devices are"],
    pattern: /assigned to \/device:GPU:\d{1,2} but available devices are \[(?<devices>[^\]\n]{1,2000})/,
    examples: [
      "Cannot assign a device for operation MatMul: node MatMul was explicitly assigned to /device:GPU:0 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0, /job:localhost/replica:0/task:0/device:XLA_GPU:0 ]. Make sure the device specification refers to a valid device.",
    ],
    facts: ({ devices }): Draft[] | undefined =>
      devices!.includes("/device:GPU:")
        ? undefined
        : [
            { kind: "available", by: "tensorflow", value: false },
            ...(devices!.includes("XLA_GPU") ? ([{ kind: "framework", id: "tensorflow", cpuOnly: false }] as const) : []),
          ],
  },
  noise(
    "TensorFlow says that a kind of device which is no longer made by default was not made",
    "not creating xla devices",
    /Not creating XLA devices, tf_xla_enable_xla_devices not set/,
    "I tensorflow/compiler/jit/xla_cpu_device.cc:41] Not creating XLA devices, tf_xla_enable_xla_devices not set",
  ),
  noise(
    "TensorFlow says that XLA is ready, not that it is used",
    "this does not guarantee that xla will be used",
    /XLA service 0x[\da-f]{1,16} (?:initialized for platform \w{2,12}|executing computations on platform \w{2,12})/,
    "XLA service 0x55d0 initialized for platform CUDA (this does not guarantee that XLA will be used). Devices:",
  ),
  noise(
    "TensorFlow says which passes of its compiler are on",
    "mlir optimization pass",
    /None of the MLIR [Oo]ptimization [Pp]asses are enabled/,
    "I tensorflow/compiler/mlir/mlir_graph_optimization_pass.cc:176] None of the MLIR Optimization Passes are enabled (registered 2)",
  ),
  noise(
    "the message says itself that it is no error",
    "this does not indicate an error and you can ignore this message",
    /Executor start aborting \(this does not indicate an error and you can ignore this message\)/,
    "I tensorflow/core/common_runtime/executor.cc:1197] [/device:CPU:0] (DEBUG INFO) Executor start aborting (this does not indicate an error and you can ignore this message): INVALID_ARGUMENT: You must feed a value for placeholder tensor",
  ),
  {
    literals: ["the supported amdgpu versions are"],
    pattern: /with AMDGPU version ?: (?<subject>gfx[\da-f]{3,4})\b/,
    examples: [
      "Ignoring visible gpu device (device: 0, name: AMD Radeon RX 6700 XT, pci bus id: 0000:03:00.0) with AMDGPU version : gfx1031. The supported AMDGPU versions are gfx900, gfx906, gfx908.",
    ],
    facts: ({ subject }) => ({ kind: "notice", id: "hip-no-code", subject: subject! }),
  },
] satisfies Signature[];
