import { dottedCudnn } from "../../knowledge/cudnn.ts";
import { gpuNamed } from "../../knowledge/gpus.ts";
import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { not, sentencesOf } from "../sentence.ts";

type Way = (text: string) => Draft[];

const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");

// "built against cudnn 9.3 but cudnnGetVersion() prints 90100".
const number = /\bcudnn(?:Get|_)version\b(?:\(\))?[^\d\n]{0,30}\b(?<number>\d{4,5})\b/i;
const builtFor =
  /\b(?:built|compiled|linked|wants?|expects?|needs?|requires?)\b(?:(?!\b(?:gcc|cuda|torch|python|tensorrt)\b)[^\d\n.]){0,60}?\b(?<required>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\b/i;
// "I installed the cuDNN deb (9.5)"; "it worked before with cuDNN 8.1".
const newCudnn = /\b(?:installed|upgraded|updated)\b[^\n.]{0,30}\bcudnn\b[^\d\n]{0,14}(?<found>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\b/i;
const before = /\b(?:worked|works|ran|was fine|used)\b[^\n.]{0,30}\bcudnn[ v]{1,2}(?<required>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\b/i;

const ofCudnn: Way = (text) => {
  const told = number.exec(text)?.groups?.["number"];
  const found = told === undefined ? newCudnn.exec(text)?.groups?.["found"] : dottedCudnn(Number(told));
  const required = (told === undefined ? before : builtFor).exec(text)?.groups?.["required"];
  return found === undefined || required === undefined || minorOf(found) === minorOf(required)
    ? []
    : [{ kind: "version-pair", library: "cudnn", required, found, by: "sample" }];
};

// "linked against libcudnn 8, but libcudnn.so.9 is the only one there".
const linked = /\b(?:linked|built|compiled) (?:against|with|for) lib(?<title>cu[a-z]{2,10}|nccl|nvinfer)(?:\.so\.| v?)(?<major>\d{1,2})\b/i;
const present = /\blib(?<title>cu[a-z]{2,10}|nccl|nvinfer)\.so\.(?<major>\d{1,2})\b[^\n.]{0,60}\b(?:only|there|installed|target)\b/i;

const ofLinked: Way = (text) => {
  const [wanted, there] = [linked.exec(text)?.groups, present.exec(text)?.groups];
  if (!wanted || !there || wanted["title"] !== there["title"] || wanted["major"] === there["major"]) return [];
  return [{ kind: "version-pair", library: wanted["title"]!, required: wanted["major"]!, found: there["major"]!, by: "sample" }];
};

// "cudaRuntimeGetVersion gives 12040 and cudaDriverGetVersion gives 11080".
const runtime = /\bcudaRuntimeGetVersion\b(?:\(\))?[^\d\n]{0,30}\b(?<number>\d{4,5})\b/;
const driver = /\bcu(?:da)?DriverGetVersion\b(?:\(\))?[^\d\n]{0,30}\b(?<number>\d{4,5})\b/;
const dottedCuda = (value: string) => `${Math.floor(Number(value) / 1000)}.${Math.floor((Number(value) % 1000) / 10)}`;

const ofDriver: Way = (text) => {
  const [needs, has] = [runtime, driver].map((pattern) => pattern.exec(text)?.groups?.["number"]);
  if (needs === undefined || has === undefined || Number(needs.slice(0, 2)) <= Number(has.slice(0, 2))) return [];
  return [
    { kind: "toolkit", version: dottedCuda(needs), from: "runtime" },
    { kind: "driver-cuda", version: dottedCuda(has) },
    { kind: "cuda-error", code: 35 },
  ];
};

// "the library is 535.161 and the kernel module is 535.154"; "dkms has nvidia for 5.15.0-91 but I run 5.15.0-94".
const release = String.raw`\d{3}\.\d{2,3}(?:\.\d{2})?`;
const halves = [
  new RegExp(
    String.raw`\blibrar(?:y|ies)\b[^\d\n]{0,20}(?<library>${release})\b[^\n]{0,40}\bmodule\b[^\d\n]{0,20}(?<module>${release})\b`,
    "i",
  ),
  new RegExp(
    String.raw`\bmodule\b[^\d\n]{0,20}(?<module>${release})\b[^\n]{0,40}\blibrar(?:y|ies)\b[^\d\n]{0,20}(?<library>${release})\b`,
    "i",
  ),
];
const kernels =
  /\bdkms\b[^\n]{0,60}\bfor (?<built>\d\.\d{1,2}\.\d{1,2}-\d{1,3})\b[^\n]{0,60}\b(?:run|running|boot|booted|kernel(?: is)?)\b[^\d\n]{0,16}(?<runs>\d\.\d{1,2}\.\d{1,2}-\d{1,3})\b/i;

const ofHalves: Way = (text) => {
  const two = halves.map((pattern) => pattern.exec(text)?.groups).find((groups) => groups !== undefined);
  if (two && two["module"] !== two["library"])
    return [{ kind: "notice", id: "nvml-mismatch", required: two["module"]!, found: two["library"]! }];
  const { built, runs } = kernels.exec(text)?.groups ?? {};
  return built === runs ? [] : [{ kind: "notice", id: "module-missing" }];
};

// "-arch=sm_90 and run it on an A100"; "the newest pytorch" on a K80.
const card = String.raw`(?<gpu>(?:RTX|GTX) ?A?\d{3,4}(?: ?Ti| SUPER)?|(?:Tesla )?[KMPVTAHLB]\d{2,3}\b)`;
const builtAs = new RegExp(
  String.raw`\b(?:-?arch[= ]|-gencode\b[^\n]{0,40}|compiled (?:it )?for |built (?:it )?for )sm_(?<sm>\d{2,3})\b[^\n]{0,60}\b(?:run|ran|runs|running|start|works?|on)\b[^\n]{0,16}\b(?:an?|my|the) ${card}`,
  "i",
);
const owned = new RegExp(String.raw`\b(?:GPU|card|have|with|on)\b[^\n.]{0,24}?\b${card}`, "i");
const fresh = /\b(?:newest|latest|current) (?:release of |version of )?(?:py)?torch\b|\b(?:py)?torch[ v=]{1,3}2\.\d{1,2}\b/i;
const noKernel =
  /\b(?:can['’]?t|cannot|can not|unable to) run (?:any\w{0,6}|a kernel|kernels)\b|\b(?:crash(?:es|ed)?|fails?|failed|dies|stops) (?:at|on|with|in) (?:the )?first (?:kernel|operation|op|CUDA call)\b|\bany (?:tensor )?operation (?:on (?:it|the GPU) )?fails\b/i;

const ofCode: Way = (text) => {
  const built = builtAs.exec(text)?.groups;
  if (built && not.test(`${text} `) === false && !/\b(?:nothing|zeros?|wrong|fails?|crash\w{0,3}|error)\b/i.test(text)) return [];
  if (built) return [{ kind: "gpu-unsupported", by: "said", gpu: built["gpu"]!, supported: `sm_${built["sm"]}` }];
  const { gpu } = owned.exec(text)?.groups ?? {};
  return gpu === undefined || !fresh.test(text) || !noKernel.test(text) ? [] : [{ kind: "gpu-unsupported", by: "torch", gpu }];
};

// "nvcc 11.5 … does not know the architecture of my card".
const unknown = /\bnvcc\b(?=[^\n]{0,160}\b(?:not|n['’]t) (?:know|support|recogni[sz]e)\b[^\n]{0,24}\barchitecture\b)/i;
const ofCompiler: Way = (text) => {
  const gpu = new RegExp(String.raw`\b${card}`, "i").exec(text)?.groups?.["gpu"];
  const sm = gpu === undefined ? undefined : gpuNamed(gpu)?.sm;
  return sm !== undefined && unknown.test(text) ? [{ kind: "arch-refused", tool: "nvcc", architecture: sm.replace("sm", "compute") }] : [];
};

// "nvcc --version says 12.2, torch.version.cuda says 11.3, and my extension does not compile".
const ofNvcc = /\bnvcc\b[^\d\n]{0,24}\b(?<nvcc>1\d\.\d)\b/i;
const ofTorch = /\btorch\.version\.cuda\b[^\d\n]{0,16}\b(?<torch>1\d\.\d)\b/i;
const ofBuild: Way = (text) => {
  const [nvcc, torch] = [ofNvcc.exec(text)?.groups?.["nvcc"], ofTorch.exec(text)?.groups?.["torch"]];
  if (nvcc === undefined || torch === undefined || nvcc.split(".")[0] === torch.split(".")[0]) return [];
  return /\b(?:extension|compil|build|setup\.py)/i.test(text) && not.test(text)
    ? [{ kind: "built-with", what: "torch", built: torch, other: "nvcc", otherBuilt: nvcc }]
    : [];
};

// "cmake finds CUDA 11.5 in /usr/bin but I installed 12.3 in /usr/local/cuda-12.3".
const finds =
  /\b(?:cmake|nvcc|make|setup\.py|ninja|build)\b[^\n]{0,24}\b(?:finds?|found|uses?|picks?(?: up)?|takes?|selects?)\b[^\d\n]{0,12}\bCUDA (?<found>\d{1,2}\.\d)\b/i;
const ownToolkit = /\binstalled\b[^\d\n]{0,20}\b(?<wanted>\d{1,2}\.\d)\b[^\n]{0,40}\/usr\/local\/cuda-\d/i;
const ofToolkits: Way = (text) => {
  const [found, wanted] = [finds.exec(text)?.groups?.["found"], ownToolkit.exec(text)?.groups?.["wanted"]];
  return found === undefined || wanted === undefined || found === wanted
    ? []
    : [
        { kind: "toolkit", version: found, from: "nvcc" },
        { kind: "toolkit", version: wanted, from: "nvcc" },
        { kind: "notice", id: "two-compilers" },
      ];
};

// "flash-attn was built for torch 2.1, I upgraded torch to 2.3".
const extension =
  /\b(?:flash[-_]attn|xformers|apex|mmcv|deepspeed|detectron2|extension|torchvision|torchaudio|causal[-_]conv1d|mamba[-_]ssm)\b[^\n]{0,24}\b(?:built|compiled|installed) (?:for|with|against) (?:py)?torch (?<found>\d\.\d{1,2})\b/i;
const upgraded = /\b(?:upgraded|updated|moved|switched)\b[^\d\n]{0,24}\bto (?:(?:py)?torch )?(?<required>\d\.\d{1,2})\b/i;
const ofExtension: Way = (text) => {
  const [found, required] = [extension.exec(text)?.groups?.["found"], upgraded.exec(text)?.groups?.["required"]];
  return found === undefined || required === undefined || found === required
    ? []
    : [
        { kind: "notice", id: "extension-outlived" },
        { kind: "notice", id: "package-upgraded", subject: "torch", required, found },
      ];
};

// What PyTorch says of itself, told in a sentence.
const noCuda = /\btorch\.version\.cuda\b\W{0,3}(?:is|says|gives|prints|returns|shows|was|=|:)?\W{0,3}None\b/;
const replaced = /\btorch\b[^\n.]{0,24}\bfrom \d[\d.]{2,6}\+cu\d{2,3} to (?<version>\d[\d.]{2,6}\+cpu)\b/;
const ofTorchBuild: Way = (text) =>
  noCuda.test(text) || replaced.test(text)
    ? [
        { kind: "framework", id: "torch", cpuOnly: true },
        { kind: "available", by: "torch", value: false },
      ]
    : [];

// A container has its GPU when it runs, and none while its image is built.
const built =
  /\bDockerfile\b[^\n]{0,60}\bRUN\b[^\n]{0,160}\bis_available\b|\bis_available\b[^\n]{0,80}\b(?:while|during|when|at) (?:docker )?build(?:ing)?\b/i;
const building = /\b(?:while|during|when|at) (?:the )?(?:docker )?(?:image )?build(?:ing| time)?\b|\bdocker build\b/i;
const ofImage: Way = (text) =>
  built.test(text) && building.test(text)
    ? [
        { kind: "notice", id: "asked-in-build" },
        { kind: "available", by: "torch", value: false },
      ]
    : [];

// AMD's own name of a GPU, a build for ROCm, and where it ends.
const target = /\b(?<target>gfx\d{3,4}[a-f]?)\b/;
const atFirst =
  /\b(?:crash(?:es|ed)?|segfaults?|dies|fails?|hangs?)\b[^\n]{0,40}\b(?:as soon as|when(?:ever)?|once|at|on|with)\b[^\n.]{0,40}\b(?:tensors?|kernel|operation|moves?|moved|\.to|\.cuda|GPU)\b/i;
const ofTarget: Way = (text) => {
  const named = target.exec(text)?.groups?.["target"];
  return named !== undefined && /\brocm\b/i.test(text) && atFirst.test(text) ? [{ kind: "notice", id: "hip-no-code", subject: named }] : [];
};

// "I installed onnxruntime and onnxruntime-gpu both, and get_device() says CPU".
const ofOnnxruntime: Way = (text) =>
  /\bonnxruntime (?:and|&) onnxruntime-gpu\b|\bonnxruntime-gpu (?:and|&) onnxruntime\b/i.test(text) &&
  /\bget_device\b(?:\(\))?[^\n]{0,16}\bCPU\b|\bonly (?:the )?CPU(?:ExecutionProvider)?\b/i.test(text)
    ? [
        { kind: "notice", id: "ort-both-told" },
        { kind: "available", by: "onnxruntime", value: false },
      ]
    : [];

// "In WSL I installed the Linux NVIDIA driver with apt, since then nvidia-smi doesn't work".
const inWsl = /\bWSL ?2?\b/;
const linuxDriver = /\binstalled (?:the |a )?(?:linux |nvidia ){1,2}drivers?\b/i;
const ofWsl: Way = (text) =>
  inWsl.test(text) && linuxDriver.test(text) && /\bnvidia-smi\b/i.test(text) && not.test(text)
    ? [
        { kind: "platform", is: "wsl2" },
        { kind: "notice", id: "smi-failed" },
      ]
    : [];

const ways: Way[] = [
  ofWsl,
  ofOnnxruntime,
  ofTarget,
  ofCudnn,
  ofLinked,
  ofDriver,
  ofHalves,
  ofCode,
  ofCompiler,
  ofBuild,
  ofToolkits,
  ofExtension,
  ofTorchBuild,
  ofImage,
];

/** Somebody tells two facts that decide, and no error: with what it was built and what is there, each by its number. */
export default {
  id: "people-tell-two-facts",
  beside: true,
  literals: [
    "wsl",
    "is_available",
    "onnxruntime-gpu",
    "gfx",
    "cudnn",
    "libcu",
    "libnccl",
    "libnvinfer",
    "getversion",
    "module",
    "dkms",
    "torch",
    "arch",
    "sm_",
    "nvcc",
    "cmake",
    "cuda",
  ],
  examples: [
    "In WSL2 I installed the Linux NVIDIA driver with apt, since then nvidia-smi doesn't work any more",
    "I installed onnxruntime and onnxruntime-gpu both, and get_device() says CPU",
    "My RX 6600 (gfx1032) crashes with rocm pytorch 2.2 as soon as a tensor moves to the GPU",
    "I built my program against cudnn 9.3 but at run time cudnnGetVersion() prints 90100",
    "Since I installed the cuDNN deb (9.5) it finds no GPU, it worked before with cuDNN 8.1",
    "I linked against libcudnn 8 but libcudnn.so.9 is the only one on the target machine",
    "My program says cudaRuntimeGetVersion gives 12040 and cudaDriverGetVersion gives 11080",
    "nvidia-smi does not work: the library is 535.161 and the kernel module is 535.154",
    "dkms status shows nvidia/535.129.03 for 5.15.0-91 but I run 5.15.0-94",
    "I compiled it with -arch=sm_90 and run it on an A100: all zeros",
    "My GPU is a Tesla K80 and the newest pytorch can't run anything on it",
    "nvcc 11.5 with my RTX 4090 does not know the architecture of my card",
    "nvcc --version says 12.2, torch.version.cuda says 11.3, and my extension does not compile",
    "cmake finds CUDA 11.5 in /usr/bin but I installed 12.3 in /usr/local/cuda-12.3",
    "flash-attn was built for torch 2.1, I upgraded torch to 2.3 and now the import fails",
    "I did pip install torch and torch.version.cuda is None",
    "torch went from 2.3.0+cu121 to 2.3.0+cpu and now there is no GPU",
    "is_available is false while building the image, with docker run it works",
  ],
  read: (text) => (sentencesOf(text).length === 0 ? [] : ways.flatMap((way) => way(text))),
} satisfies Frame;
