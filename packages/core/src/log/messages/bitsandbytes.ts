import { weights } from "../cause.ts";
import { fix, torchFix } from "../fixes.ts";
import { builtWithoutCuda } from "../meaning.ts";
import type { Draft } from "../fact.ts";
import { notice, type Signature } from "../signature.ts";

const cuda = (digits: string) => `${digits.slice(0, 2)}.${digits.slice(2)}`;

const withoutGpu = builtWithoutCuda(
  "bitsandbytes",
  fix("install a bitsandbytes with CUDA for this system", "pip install --upgrade bitsandbytes"),
  weights.warned,
);

/** bitsandbytes/cuda_setup/main.py of 0.3x, cextension.py since 0.43. */
export default [
  {
    literals: ["libcudart.so not found in any", "no libcudart.so found"],
    pattern: /libcudart\.so not found in any environmental path|[Nn]o libcudart\.so found/,
    examples: [
      "CUDA_SETUP: WARNING! libcudart.so not found in any environmental path. Searching in backup paths...",
      "WARNING: No libcudart.so found! Install CUDA or the cudatoolkit package (anaconda)!",
    ],
    facts: () => ({ kind: "not-found", name: "libcudart.so", by: "bitsandbytes" }),
  },
  {
    // transformers/quantizers/quantizer_bnb_*.py and utils/quantization_config.py ask for releases, and for a GPU that PyTorch sees.
    ...notice(
      "bnb-wanted",
      ["latest version of bitsandbytes"],
      /requires (?:Accelerate: [^\n]{0,60}and )?the latest version of bitsandbytes/,
      "ImportError: Using `bitsandbytes` 4-bit quantization requires the latest version of bitsandbytes: `pip install -U bitsandbytes`",
      "ImportError: Using `load_in_8bit=True` requires Accelerate: `pip install accelerate` and the latest version of bitsandbytes `pip install -i https://test.pypi.org/simple/ bitsandbytes`",
    ),
    means: {
      weight: weights.refused,
      name: "bitsandbytes",
      required: "newer releases of bitsandbytes and accelerate, and a PyTorch that sees a GPU",
      next: [
        'python -c "import torch; print(torch.__version__, torch.cuda.is_available())"',
        "pip list | grep -i 'bitsandbytes\\|accelerate\\|transformers'",
      ],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "transformers finds no bitsandbytes, or no accelerate, as new as it wants",
          fixes: [
            fix(
              "bring both up to date, then start Python anew: in a notebook, restart its kernel",
              "pip install -U bitsandbytes accelerate transformers",
            ),
          ],
        },
        {
          cause: "wrong-wheel-cpu-only",
          name: "torch",
          message: "or PyTorch sees no GPU: transformers says the same where `torch.cuda.is_available()` is False",
          fixes: (_facts, context) => [torchFix(context)],
        },
        {
          cause: "driver-not-exposed",
          name: "libcuda.so.1",
          message: "or the machine, the container or the notebook has no GPU",
          fixes: [],
        },
      ],
    },
  },
  {
    // cuda_setup/main.py before 0.42 goes on with what ctypes did not find.
    literals: ["'cudevicegetcount'", "'cuinit'", "'cudagetdevicecount'"],
    pattern:
      /'NoneType' object has no attribute '(?:(?<driver>cuDeviceGetCount|cuInit)|(?<runtime>cudaGetDeviceCount|cudaRuntimeGetVersion))'/,
    examples: ["AttributeError: 'NoneType' object has no attribute 'cuDeviceGetCount'"],
    facts: ({ driver }) => ({ kind: "not-found", name: driver === undefined ? "libcudart.so" : "libcuda.so", by: "bitsandbytes" }),
  },
  {
    literals: ["main cuda runtime library was not detected", "main cuda library was not detected"],
    pattern: /main CUDA (?:runtime )?library was not detected/,
    examples: ["CUDA SETUP: Problem: The main issue seems to be that the main CUDA runtime library was not detected."],
    facts: () => ({ kind: "not-found", name: "libcudart.so", by: "bitsandbytes" }),
  },
  {
    literals: ["pytorch settings found"],
    pattern: /PyTorch settings found: CUDA_VERSION=(?<cuda>\d{2,3}), Highest Compute Capability: (?<capability>\d{1,2}\.\d)/,
    examples: ["CUDA SETUP: PyTorch settings found: CUDA_VERSION=117, Highest Compute Capability: 7.5."],
    facts: ({ cuda: digits, capability }): Draft[] => [
      { kind: "framework", id: "torch", cuda: cuda(digits!) },
      { kind: "gpu", capability: capability! },
    ],
  },
  {
    literals: ["required library version not found", "libbitsandbytes_cuda"],
    pattern:
      /Required library version not found: (?<file>libs?bitsandbytes_\w{2,30}\.(?:so|dll))|(?<lost>libbitsandbytes_cuda\d{2,3}\w{0,12}\.(?:so|dll))["']?:? (?:not found|(?:was|is) not found|does not exist|cannot be found|cannot open shared object)/,
    examples: ["CUDA SETUP: Required library version not found: libbitsandbytes_cuda122.so. Maybe you need to compile it from source?"],
    facts: ({ file, lost }) => ({ kind: "notice", id: "bnb-no-build", subject: (file ?? lost)! }),
  },
  {
    literals: ["configured cuda binary not found", "find the bitsandbytes cuda binary"],
    pattern:
      /(?:[Cc]onfigured CUDA binary not found at|Could not find the bitsandbytes CUDA binary at) (?:\w{4,12}Path\(')?(?<file>[^\s']{1,300}libbitsandbytes_cuda(?<cuda>\d{2,3})\w{0,12}\.(?:so|dll))/,
    examples: [
      "Configured CUDA binary not found at /opt/venv/bitsandbytes/libbitsandbytes_cuda128.so",
      "Could not find the bitsandbytes CUDA binary at PosixPath('/opt/venv/bitsandbytes/libbitsandbytes_cuda124.so')",
    ],
    facts: ({ file }) => ({ kind: "notice", id: "bnb-no-build", subject: file! }),
  },
  {
    ...notice(
      "bnb-setup-failed",
      "cuda setup failed despite",
      /CUDA Setup failed despite (?:GPU|CUDA) being available/i,
      "RuntimeError: CUDA Setup failed despite GPU being available. Please run the following command to get more info: python -m bitsandbytes",
    ),
    means: {
      weight: weights.failed,
      symptom: "bitsandbytes found the GPU and could not set up CUDA",
      name: "libcudart.so",
      library: "cudart",
      required: "a CUDA runtime that bitsandbytes has a build for",
      unless: (facts) => 0 < facts.notices("bnb-no-build").length || facts.all("not-found").some(({ by }) => by === "bitsandbytes"),
      about: (_facts, _context, [fact]) => ({ evidence: [fact!] }),
      next: ["python -m bitsandbytes", "culprit loads bitsandbytes"],
      may: [
        {
          cause: "library-not-on-path",
          message: "the CUDA runtime lies where bitsandbytes does not look",
          fixes: [fix("let it find the runtime", "export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH")],
        },
        { cause: "library-missing", message: "or no CUDA runtime is installed", fixes: [fix("install one", "conda install cudatoolkit")] },
        {
          cause: "wrong-wheel-cuda-version",
          name: "libbitsandbytes",
          message: "or it has no build for this CUDA",
          fixes: [fix("upgrade bitsandbytes", "pip install --upgrade bitsandbytes")],
        },
        { cause: "library-shadowed", name: "libbitsandbytes", message: "or another CUDA is found first" },
      ],
    },
  },
  {
    ...notice(
      "bnb-without-gpu",
      "compiled without gpu support",
      /The installed version of bitsandbytes was compiled without GPU support/,
      "UserWarning: The installed version of bitsandbytes was compiled without GPU support. 8-bit optimizers, 8-bit multiplication, and GPU quantization are unavailable.",
    ),
    means: withoutGpu,
  },
  {
    literals: ["cuda version", "detected cuda version"],
    pattern: /CUDA SETUP: (?:Detected )?CUDA version (?:specified as |lower than 11|)(?<cuda>\d{3})?/i,
    examples: ["CUDA SETUP: Detected CUDA version 117"],
    facts: ({ cuda: digits }) => (digits === undefined ? undefined : { kind: "toolkit", version: cuda(digits), from: "runtime" }),
  },
  {
    literals: ["cuda_setup", "cuda setup: cuda runtime path found", "runtime path found"],
    pattern: /CUDA runtime path found: (?<path>\S{1,300}libcudart\.so[\w.]{0,12})/,
    examples: ["CUDA SETUP: CUDA runtime path found: /usr/local/cuda/lib64/libcudart.so"],
    facts: ({ path }) => ({ kind: "file", path: path! }),
  },
  {
    // cextension.py since 0.46, after the two lines that say which version was asked for.
    literals: ["requested cuda version:"],
    pattern: /Requested CUDA version: {1,20}(?<required>\d{1,2}\.\d)\s{1,4}Detected PyTorch CUDA version: {1,12}(?<found>\d{1,2}\.\d)/,
    examples: ["Requested CUDA version:          11.8 Detected PyTorch CUDA version:   12.4"],
    facts: ({ required, found }) => [
      { kind: "notice", id: "bnb-no-build", subject: `libbitsandbytes_cuda${required!.replace(".", "")}.so` },
      { kind: "framework", id: "torch", cuda: found! },
    ],
  },
  {
    literals: ["setup error: missing dependency"],
    pattern: /CUDA SETUP ERROR: Missing dependency: (?<name>lib[\w.+-]{3,60})/,
    examples: ["🚨 CUDA SETUP ERROR: Missing dependency: libcusparse.so.11 🚨"],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "bitsandbytes" }),
  },
  {
    ...notice(
      // Functions of its C library: there was none to load, or the one for the CPU, which lacks them.
      "bnb-no-library",
      [
        "'cadam",
        "'clion",
        "'cmomentum",
        "'crmsprop",
        "'cadagrad",
        "'cquantize",
        "'cdequantize",
        "'cget_managed",
        "'cgemm",
        "'cpercentile",
        "'cgemv",
      ],
      /'NoneType' object has no attribute 'c(?:adam|lion|momentum|rmsprop|adagrad|quantize|dequantize|get_managed|gemm|gemv|percentile)\w{0,40}'/,
      "'NoneType' object has no attribute 'cadam32bit_grad_fp32'",
    ),
    means: { ...withoutGpu, unless: (facts) => 0 < facts.notices("bnb-without-gpu").length },
  },
  notice(
    "bnb-without-gpu",
    "not available in cpu-only version of bitsandbytes",
    /not available in CPU-only version of bitsandbytes/,
    "RuntimeError: Method 'cquantize_blockwise_fp16' not available in CPU-only version of bitsandbytes.",
  ),
] satisfies Signature[];
