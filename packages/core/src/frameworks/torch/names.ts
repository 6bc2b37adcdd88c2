import { defineNames } from "../../model/framework-names.ts";

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
  },
  profilesWithCupti: true,
  ngc: { image: "pytorch", packages: ["torch", "torchvision"] },
});
