import { defineNames } from "../../model/framework-names.ts";

// PACKAGE_ALLOW_LIST and PACKAGE_LINKS_ALLOW_LIST of github:pytorch/test-infra@00b05fc2b128016867186ba56f7ede3ec641a6eb:s3_management/manage_v2.py
const besides =
  "aiohttp aiosignal aiohappyeyeballs antlr4-python3-runtime async-timeout attrs blobfile datasets dill frozenlist huggingface- " +
  "hub llnl-hatchet lxml jinja2 multidict multiprocess omegaconf pandas psutil pyarrow pyarrow-hotfix pycryptodomex python- " +
  "dateutil pytz pyyaml regex safetensors sentencepiece six tiktoken tzdata xxhash yarl arpeggio caliper-reader contourpy cycler " +
  "fonttools kiwisolver matplotlib pydot pyparsing textx importlib-metadata importlib-resources zipp certifi charset-normalizer " +
  "cmake colorama fbgemm-gpu* idna iopath lit lightning-utilities markupsafe mypy-extensions nestedtensor nvidia-* cuda-* " +
  "packaging portalocker pyre-extensions pytorch-triton* triton* requests typing-inspect urllib3 xformers executorch setuptools " +
  "setuptools-scm wheel flash-attn-3 ninja pynvml einops cachetools blake3 py-cpuinfo transformers hf-xet hf-transfer tokenizers " +
  "protobuf fastapi annotated-types anyio pydantic pydantic-core sniffio starlette typing-inspection openai distro h11 httpcore " +
  "httpx jiter prometheus-client prometheus-fastapi-instrumentator lm-format-enforcer interegular llguidance outlines-core " +
  "diskcache lark xgrammar partial-json-parser pyzmq msgspec gguf mistral-common rpds-py pycountry referencing pydantic-extra- " +
  "types jsonschema-specifications jsonschema opencv-python-headless compressed-tensors frozendict depyf astor cloudpickle " +
  "watchfiles python-json-logger scipy pybase64 cbor2 setproctitle openai-harmony numba llvmlite ray click msgpack fastapi-cli " +
  "fastapi-cloud-cli httptools markdown-it-py pygments python-dotenv rich rich-toolkit shellingham typer uvicorn uvloop " +
  "websockets python-multipart email-validator dnspython mdurl rignore sentry-sdk cupy-cuda12x fastrlock soundfile cffi " +
  "pycparser vllm flashinfer-python absl-py docker docstring-parser exceptiongroup gitdb gitpython grpcio markdown monarch " +
  "opentelemetry-api pip platformdirs propcache pygtrie shtab smmap soxr tabulate tensorboard tensorboard-data-server tomli tqdm " +
  "typeguard tyro wandb werkzeug mslk filelock sympy mpmath pillow networkx numpy fsspec typing-extensions spmd-types intel-* " +
  "mkl tbb pyelftools";

export default defineNames({
  id: "torch",
  packages: ["torch"],
  modules: ["torch"],
  provides: ["libtorch", "libtorch_*", "libc10", "libc10_*"],
  mapped: ["/torch/lib/libtorch.so", "/torch/lib/libtorch_cuda.so", "/torch/lib/libtorch_cpu.so", "/torch/lib/libtorch_python.so"],
  solve: { name: "torch", rank: 1 },
  aliases: ["pytorch"],
  companions: ["torchvision", "torchaudio"],
  asking: ["torch", "torchvision", "torchaudio", "torchtext", "torchao", "xformers", "vllm", "flash-attn"],
  exact: ["torch"],
  bundling: { packages: ["torch"], folders: ["torch/lib"] },
  conda: { pytorch: "torch", "pytorch-gpu": "torch", "pytorch-cpu": "torch", torchvision: "torchvision", torchaudio: "torchaudio" },
  condaBuilds: {
    package: "pytorch",
    withGpu: ["pytorch-gpu"],
    withoutGpu: ["pytorch-cpu"],
    choosesNone: ["cpuonly"],
    follow: ["torchvision", "torchaudio"],
    upon: ["torch*", "pytorch*", "fastai", "fastbook", "dgl", "pyg", "pykeops", "lightning", "monai"],
  },
  labelled: {
    index: "https://download.pytorch.org/whl",
    addresses: ["download.pytorch.org/whl", "download-r2.pytorch.org/whl"],
    holds: ["torch*"],
    marks: ["torchvision", "torchaudio", "xformers", "torchcodec"],
    varies: ["nvidia-*", "cuda-*", "triton"],
    besides: besides.split(" "),
    compiledFor: "torch(\\d+\\.\\d+)|(?:^|\\.)pt(\\d)(\\d{1,2})cu\\d",
  },
  profilesWithCupti: true,
  ngc: { image: "pytorch", packages: ["torch", "torchvision"] },
});
