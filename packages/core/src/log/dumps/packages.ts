import type { Draft } from "../fact.ts";
import type { Signature } from "../signature.ts";

// Only packages that take part in a GPU stack are of interest.
const names =
  "torch|torchvision|torchaudio|pytorch|pytorch-cuda|pytorch-triton|triton|tensorflow|tensorflow-gpu|tf-nightly-gpu|tf-nightly|tensorflow-intel|tensorflow-cpu|tensorboard|tensorboard-plugin-profile|xprof|jax|jaxlib|jax-cuda\\d{2}-(?:plugin|pjrt)|cupy|cupy-cuda\\w{2,4}|onnxruntime|onnxruntime-gpu|mxnet|mxnet-cu\\w{2,8}|paddlepaddle|paddlepaddle-gpu|ctranslate2|faster-whisper|bitsandbytes|numba|pycuda|tensorrt|protobuf|cudatoolkit|cudnn|cuda-version|cuda-toolkit|cuda-runtime|cuda-cudart|cuda-cupti|libcudnn|nvidia-[a-z][\\w-]{2,40}|libcudnn\\d[\\w-]{0,14}|cuda-cupti-[\\d-]{4,6}|cuda-toolkit-[\\d-]{4,6}|cpuonly|tensorflow-base|torchtext|torchcodec|xformers|sgl-kernel|sglang|flashinfer-python|transformer-engine|vllm|flash-attn|deepspeed|transformers|tokenizers|cuda-python|xgboost|lightning|flax|taichi|ray|thinc|unsloth|equinox|chex|tensorflow-probability|torch-tensorrt";

const saidNames =
  "pytorch|torch|tensorflow-gpu|tensorflow|jaxlib|jax|onnxruntime-gpu|flash-attn|flash_attn|flash-attention|xformers|bitsandbytes|vllm|deepspeed|transformers|torchvision|torchaudio|triton|ctranslate2|faster-whisper|mmcv|mmcv-full|spconv|pytorch3d|detectron2|transformer-engine|transformer_engine|apex|auto-gptq|exllamav2|sglang|flashinfer|cupy|numba|tensorrt|tensorrt-llm|tensorrt_llm|llama-cpp-python|pycuda|paddlepaddle-gpu|accelerate|nccl|protobuf|tensorboard";

/** People's names for packages. */
const saidAs = (name: string): string => {
  const plain = name.replaceAll("_", "-").toLowerCase();
  return { pytorch: "torch", "tensorflow-gpu": "tensorflow", "flash-attention": "flash-attn", "mmcv-full": "mmcv" }[plain] ?? plain;
};

function packageFacts(manager: "pip" | "conda" | "dpkg", name: string, version: string, build?: string): Draft[] {
  const facts: Draft[] = [{ kind: "package", manager, name, version, ...(build === undefined ? {} : { build }) }];
  const plain = name.replaceAll("_", "-").toLowerCase();
  if (plain === "torch" || plain === "pytorch") {
    const cuda = /\+cu(\d{2})(\d{1,2})/.exec(version) ?? /cuda_?(\d{1,2})\.?(\d)/.exec(build ?? "");
    const cpuOnly = /\+cpu/.test(version) || /(?:^|_)cpu(?:_|$)/.test(build ?? "");
    facts.push({
      kind: "framework",
      id: "torch",
      version,
      ...(cuda ? { cuda: `${cuda[1]}.${cuda[2]}` } : {}),
      ...(cpuOnly ? { cpuOnly: true } : {}),
    });
  }
  if (plain === "cpuonly") facts.push({ kind: "framework", id: "torch", cpuOnly: true });
  if (["tensorflow", "tensorflow-gpu", "tf-nightly-gpu", "tensorflow-base"].includes(plain))
    facts.push({ kind: "framework", id: "tensorflow", version, ...(/^(?:mkl|eigen|cpu)/.test(build ?? "") ? { cpuOnly: true } : {}) });
  if (plain === "tensorflow-cpu" || plain === "tensorflow-intel")
    facts.push({ kind: "framework", id: "tensorflow", version, cpuOnly: true });
  if (plain === "jaxlib" || plain === "jax") facts.push({ kind: "framework", id: "jax", version });
  if (plain === "onnxruntime-gpu") facts.push({ kind: "framework", id: "onnxruntime", version });
  if (plain === "cudatoolkit" || plain === "cuda-version") {
    const cuda = /^\d{1,2}\.\d{1,2}/.exec(version)?.[0];
    if (cuda !== undefined) facts.push({ kind: "toolkit", version: cuda, from: "package" });
  }
  return facts;
}

/** pip list, pip freeze, conda list, dpkg -l; also requirements and install commands. */
export default [
  {
    literals: ["==0", "==1", "==2", "==3", "==4", "==5", "==6", "==7", "==8", "==9"],
    pattern: new RegExp(`(?<![\\w.-])(?<name>${names})==(?<version>\\d[\\w.+!*]{0,40})`, "i"),
    examples: ["nvidia-cudnn-cu12==9.1.0.70", "pip install torch==2.3.1 torchvision==0.18.1"],
    // A release with which it works is the one that is not there.
    facts: ({ name, version }, { input, index }) =>
      /\bwork(?:s|ed)\b[^\n.;]{0,40}\b(?:on|with|in|under|for)[\s`'"]{1,3}$/i.test(input.slice(0, index))
        ? undefined
        : packageFacts("pip", name!, version!.replace(/\.?\*$/, "")),
    every: true,
    single: true,
  },
  {
    literals: [
      "torch ",
      "torchvision ",
      "torchaudio ",
      "pytorch",
      "tensorflow ",
      "tensorflow-",
      "tf-nightly",
      "nvidia-",
      "cuda-",
      "cudatoolkit",
      "cudnn ",
      "libcudnn",
      "cupy",
      "jax ",
      "jaxlib ",
      "jax-",
      "onnxruntime",
      "tensorboard ",
      "tensorboard-",
      "cpuonly",
      "protobuf ",
      "mxnet",
      "xprof ",
      "triton ",
      "numba ",
      "bitsandbytes ",
      "ctranslate2 ",
      "paddle",
      "tensorrt ",
      "pycuda ",
      "torchcodec ",
      "xformers ",
      "sgl",
      "flashinfer",
      "transformer-engine",
      "vllm ",
      "flash-attn ",
      "flash_attn ",
    ],
    pattern: new RegExp(
      `^(?<name>${names})(?: {1,40}| {0,4}\\t {0,4})(?<version>\\d[\\w.+!-]{0,40})(?: {1,40}(?<build>[\\w.]{3,60})(?: {1,40}(?<channel>[\\w./-]{2,40}))?)?\\s{0,4}$`,
      "i",
    ),
    examples: [
      "torch                    2.5.0.dev20240720+cu124",
      "cudatoolkit               11.7.0              hd8887f6_10    conda-forge",
      "pytorch                   1.4.0              py3.7_cpu_0    [cpuonly]",
    ].slice(0, 2),
    facts: ({ name, version, build }) =>
      packageFacts(build === undefined || build.startsWith("/") ? "pip" : "conda", name!, version!, build),
    single: true,
  },
  {
    // conda's own way to name a build: `pytorch=1.13.1=py3.10_cuda11.7_cudnn8.5.0_0`; and what people write of it.
    literals: ["pytorch=", "torch=", "pytorch 1", "pytorch 2", "_cpu", "cpu_"],
    pattern:
      /(?<![\w.-])(?:[\w/-]{2,30}::)?(?<name>pytorch|libtorch|torchvision)(?:=| )(?<version>[12]\.\d{1,2}(?:\.\d)?)(?:=| )(?<build>(?:cpu|cuda|py3|gpu)[\w.]{2,50})\b/,
    examples: ["pytorch=1.13.1=py3.10_cuda11.7_cudnn8.5.0_0", "pixi add pytorch gives me pytorch 2.5.1 cpu_mkl_py312 build"],
    facts: ({ name, version, build }) => packageFacts("conda", name === "libtorch" ? "pytorch" : name!, version!, build!),
    single: true,
  },
  {
    // "the numpy version installed is 1.24.4": what somebody says that he has.
    literals: [" version installed is ", " version is ", " version i have is "],
    pattern: new RegExp(
      `(?<![\\w.-])(?<name>numpy|${saidNames}) version (?:(?:that is |which is )?installed |I have |in use )?is v?(?<version>\\d{1,3}(?:\\.\\d{1,4}){1,2})\\b`,
      "i",
    ),
    examples: ["it seems the numpy version installed is 1.24.4"],
    facts: ({ name, version }) => ({ kind: "package", manager: "said", name: saidAs(name!), version: version! }),
  },
  {
    // Any other package, so that its release can be told where a fault is its own.
    literals: ["==0", "==1", "==2", "==3", "==4", "==5", "==6", "==7", "==8", "==9"],
    pattern: new RegExp(`(?<![\\w.\\]-])(?!(?:${names})==)(?<name>[a-z][\\w.-]{1,60})==(?<version>\\d[\\w.+!]{0,40})`, "i"),
    examples: ["dgl==1.0.1"],
    facts: ({ name, version }) => ({ kind: "package", manager: "said", name: name!, version: version! }),
    every: true,
    single: true,
  },
  {
    // pip show
    literals: ["name: "],
    pattern: new RegExp(`^Name: (?<name>${names}) Version: (?<version>\\d[\\w.+!-]{0,40})`, "i"),
    examples: ["Name: torchvision Version: 0.20.1+cu124"],
    facts: ({ name, version }) => packageFacts("pip", name!, version!),
  },
  {
    // "flash-attn: 2.5.7", "| xformers | 0.0.20 |", "transformers version 4.38.2": what people put into a report. The frameworks' own
    // releases are read elsewhere.
    literals: saidNames.split("|"),
    pattern: new RegExp(
      `(?<![\\w./@-])(?<name>${saidNames})(?: version| ver\\.?)?["'\`*]{0,3}(?: which)?(?: ?[:=|(@]|\\*\\*:| v| is| )[ "'\`*(|v=]{0,20}(?<version>\\d{1,4}(?:\\.\\d{1,4}){1,3}(?:\\+[\\w.]{2,16}|\\.?(?:post|dev|rc)\\d{1,8})?)(?![\\w.]\\d|[\\w<>=])`,
      "i",
    ),
    examples: ["flash-attn: 2.5.7", "- xformers version: 0.0.20", "**bitsandbytes:** 0.46.1 (PyPI aarch64 wheel)"],
    facts: ({ name, version }) => ({ kind: "package", manager: "said", name: saidAs(name!), version: version! }),
    every: true,
    single: true,
  },
  {
    // What a module says of itself, typed into Python; the frameworks' own are read by their files.
    literals: [".__version__"],
    pattern:
      /\b(?<name>(?!torch\b|tf\b|tensorflow\b|jax\b|cupy\b)[a-z]\w{1,40})\.__version__\)? {1,2}['"]?(?<version>\d{1,4}(?:\.\d{1,4}){1,3}(?:[.+]\w{2,16})?)(?:['"]|$| >>>)/,
    examples: [">>> torch_tb_profiler.__version__ '0.4.0'"],
    facts: ({ name, version }) => ({ kind: "package", manager: "said", name: name!.replaceAll("_", "-"), version: version! }),
  },
  {
    literals: ["pytorch ", "cpuonly"],
    // With its sign, the line stands in the plan of conda or mamba.
    pattern:
      /^(?: {0,4}\+ {1,4})?(?<name>pytorch|libtorch|torchvision|cpuonly) {1,40}(?<version>\d[\w.]{0,20}) {1,40}(?<build>[\w.]{1,60})\b/,
    examples: [
      "pytorch                   1.4.0              py3.7_cpu_0    [cpuonly]  pytorch",
      "  + pytorch                  2.5.1  cpu_mkl_py312_h446997d_108    conda-forge",
    ],
    facts: ({ name, version, build }) => packageFacts("conda", name!, version!, build),
    single: true,
  },
  {
    literals: ["ii  "],
    pattern: /^ii {1,4}(?<name>(?:lib)?(?:cu|nv|nccl)[\w.+-]{2,60}(?::\w{3,8})?) {1,60}(?<version>[\w.+~:-]{1,60}) /,
    examples: ["ii  libcudnn8                    8.4.1.50-1+cuda11.6      amd64        cuDNN runtime libraries"],
    facts: ({ name, version }) => packageFacts("dpkg", name!.replace(/:\w{3,8}$/, ""), version!),
    single: true,
  },
  {
    // In running text only a version that says its build is sure to be one.
    literals: ["+cu1", "+cpu"],
    pattern: /\b(?:py)?torch(?: version)?[ :=v]{1,4}(?<version>\d\.\d{1,2}\.\d\+(?:cu\d{3}|cpu))\b/i,
    examples: ["GPU: Tesla K80, torch 2.4.0+cu121"],
    facts: ({ version }) => packageFacts("pip", "torch", version!),
    single: true,
  },
  {
    // "cudnn ver 9.70", "安装了cudnn-8.9", "cuDNN v8.9.7 is installed"; not what something was built with, or asks for.
    literals: ["cudnn"],
    pattern: /(?<![\w/.])cudnn(?: ver\.?| version)?[-_ ]v?(?<version>[5-9]\.\d{1,2}(?:\.\d{1,3})?)(?![\w.]\d)/i,
    examples: ["cudnn ver 9.70", "安装了cudnn-8.9"],
    facts: ({ version }, { input, index }) =>
      /\b(?:at least|requires?|needs?|minimum|expects?|expected|wants?|compiled|built|linked|supports?|for)\b[^,;.]{0,24}$/i.test(
        input.slice(0, index),
      )
        ? undefined
        : { kind: "package", manager: "said", name: "cudnn", version: version!.replace(/^(\d\.\d)0$/, "$1") },
    single: true,
  },
  {
    // The form that TensorFlow's issues are written in, with both numbers in one line.
    literals: ["cuda/cudnn version"],
    pattern:
      /\bCUDA\/cuDNN version[:\s]{1,4}(?:CUDA )?v?\d{1,2}\.\d(?:\.\d{1,3})? ?[,/&] ?(?:cuDNN )?v?(?<version>[5-9]\.\d{1,2}(?:\.\d{1,2})?)\b/i,
    examples: ["- CUDA/cuDNN version: 10.2, 8.0.2"],
    facts: ({ version }) => ({ kind: "package", manager: "said", name: "cudnn", version: version! }),
    single: true,
  },
  {
    literals: ["cudnn version", "cudnn:"],
    pattern: /(?<![/\w])cudnn(?: version)? ?[:=] ?v?(?<version>[4-9]\.\d{1,2}(?:\.\d{1,3})?)/i,
    examples: ["cuDNN version: 8.4.1"],
    facts: ({ version }) => ({ kind: "package", manager: "dpkg", name: "cudnn", version: version! }),
  },
  {
    literals: ["cudnn"],
    pattern:
      /\bcuda ?v?\d{1,2}\.\d{1,2}(?:\.\d{1,3})?(?:,| and| with| \+|\/| \/)? {0,2}cudnn ?v?(?<version>[4-9]\.\d{1,2}(?:\.\d{1,3})?)\b/i,
    examples: ["cuda 12.6, cudnn 9.3, jetpack 6.1"],
    facts: ({ version }) => ({ kind: "package", manager: "dpkg", name: "cudnn", version: version! }),
  },
] satisfies Signature[];
