import { notice, type Signature } from "../signature.ts";

const asked = /\b(?:my|why|I|I['\u2019]m|our|anyone|how)\b|\?/i;

/** Whether a framework says that it can use a GPU, in the words of people and in languages beside Python; and what is said of NVML in prose. */
export default [
  {
    literals: ["is_available", "cuda.available", "false", "is_availible"],
    pattern:
      /(?:\bcuda\.(?:is_)?availab?i?le|\bcuda\.is_availible)\(\s?\)[`'"*]{0,3} ?(?:[^\w\n]{1,3}|(?:为|為|是|返回|一直|总是|always|returns?|returned|gives?|is|shows?|still|prints?|结果|=|:|：| ){1,6})[`'"*]{0,2}(?<value>false|true)\b|\b(?:get|gets|getting|got|prints?|printed|returns?|returned|gives?|gave|see|outputs?) (?:me |a |an |only )?[`'"*]{0,2}(?<before>false|true)[`'"*]{0,2}\b[^\n]{0,70}\bcuda\.is_available\b/i,
    examples: [
      "but `torch.cuda.available()` returns False.",
      "torch 的cuda.is_available() 为false",
      "I'm getting `False` when i'm running `python -c \"import torch; print(torch.cuda.is_available())\"` inside the container",
    ],
    facts: ({ value, before }) => ({ kind: "available", by: "torch", value: (value ?? before)!.toLowerCase() === "true" }),
  },
  {
    literals: ["is_available"],
    pattern:
      /\bcuda[._]is_available\b(?:\(\s?\))?(?:[\s)`'";*>=:]{1,8}|[^\n?]{0,60}?\b(?:bounced back|came back|comes back|outputs?|says?|said|got|evaluates to|equals|reports?|reported|yields?|answers?|answered|responds?|returned|returns?|gives?|gave|printed|prints?|shows?|showed|returning|gets?|getting|as)\b[^\w\n]{0,6}(?:with |as )?)(?<value>false|true)\b/i,
    examples: [
      'when I type in torch.cuda.is_available() in python3, it bounced back "False".',
      "`torch.cuda.is_available() ` false",
      "If I call `cuda_is_available`, the method returned `False`.",
      "torch.cuda.is_available() returning False.",
      "torch.cuda.is_available() i get false",
    ],
    facts: ({ value }) => ({ kind: "available", by: "torch", value: value!.toLowerCase() === "true" }),
  },
  {
    // A sentence, and no condition: "torch.cuda.is_available() is always False under Slurm".
    literals: ["is_available"],
    pattern:
      /(?<!\b(?:if|when|unless|whether|whenever|that|until|elif|while|and|or|not|assert) )\b(?:torch\.)?cuda\.is_available\b(?:\(\s?\))?[`'"*]{0,3} (?:is|was|stays|stayed|remains|remained|becomes|became|keeps returning|still returns) (?:\w{3,9} )?[`'"*]{0,3}False\b/i,
    examples: ["nvidia-smi shows it, but torch.cuda.is_available() is always False under slurm"],
    facts: () => ({ kind: "available", by: "torch", value: false }),
  },
  {
    // Programs that ask PyTorch at their start, and stop (the web interfaces for Stable Diffusion among them).
    literals: [
      "able to use gpu",
      "able to use the gpu",
      "able to use cuda",
      "able to access cuda",
      "able to access gpu",
      "able to access the gpu",
    ],
    pattern: /\b(?:Py)?Torch (?:is )?(?:not|un)(?: |)able to (?:use|access) (?:the |your )?(?:GPU|CUDA)\b/i,
    examples: [
      "PyTorch is not able to access CUDA",
      "RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this check",
    ],
    facts: () => ({ kind: "available", by: "torch", value: false }),
  },
  {
    // "the nvcc is still version of 10.1", "nvcc --version says 11.8".
    literals: ["nvcc"],
    pattern:
      /\bnvcc\b(?: -V| --version)?(?: (?:on|in|of) (?:this|my|the|our) [\w-]{2,12})?(?: (?:is|was|still|only|at|version|of|says?|shows?|reports?|gives?|release|CUDA|it|that|prints?|in|on)){1,5} (?<version>(?:[7-9]|1\d)\.\d)\b(?![\w%]|\.\d{3})/i,
    examples: ["But the nvcc is still version of 10.1.", "nvcc --version says 11.8"],
    facts: ({ version }) => ({ kind: "toolkit", version: version!, from: "nvcc" }),
  },
  {
    // Somebody sees that the CPU works and the GPU does not; a program that says so of itself has no "my" and asks no question.
    literals: ["gpu", "graphics card", "video card"],
    pattern:
      /(?:\bnot|n['\u2019]t|\bnever) (?:even |really |actually )?(?:us(?:e|es|ing)|utili[sz](?:e|es|ing)|run(?:s|ning)? on|touch(?:es|ing)?) (?:my |the |any |our )?(?:\w{2,12} ){0,2}?(?:GPU|graphics card|video card)\b(?! (?:that much|so much|much|enough|fully|completely|to its|at full|efficiently))|\b(?:us(?:e|es|ing)|runs?|running|calls?)(?: \w{2,10}){0,2} CPU (?:instead of|rather than|and not) (?:\w{2,10} )?GPU\b|\bGPU (?:(?:is|was|has|have|seems|does) )?(?:\w{2,10} )?not (?:been |being |get )?(?:used|involved|utili[sz]ed)\b|\bno GPU (?:load|usage|utili[sz]ation)\b/i,
    examples: [
      "Any ideas why it's not using my GPU during training or testing",
      "why does it run on CPU instead of GPU?",
      "my GPU is not used at all",
    ],
    facts: (_, { input }) => (asked.test(input) ? { kind: "notice", id: "gpu-unused" } : undefined),
  },
  {
    // The same in Chinese.
    literals: ["gpu", "cpu"],
    pattern:
      /(?:只|仅|一直|还是|都是?|默认|自动)(?:在)?(?:使?用|能用|跑)了?\s?CPU|(?:GPU|显卡)\s?(?:的)?(?:使用率?|占用率?|利用率)[^。\n]{0,8}?(?:是|为|只有)?\s?[01]\s?%|(?:没有?|未|不)(?:使?用|调用|跑)(?:到|上)?\s?(?:GPU|显卡)|(?:GPU|显卡)(?:没有?|未)(?:被)?(?:使?用|调用|识别|检测)/i,
    examples: ["有4080显卡，却只使用CPU是怎么回事？GPU使用率一直是0%。", "GPU没有被使用"],
    facts: () => ({ kind: "notice", id: "gpu-unused" }),
  },
  notice(
    // A step of a build of an image: no GPU is handed on to those.
    "asked-in-build",
    "is_available",
    /^\s{0,8}(?:#\d{1,3} \[[^\]]{1,40}\] )?RUN [^\n]{0,200}cuda\.is_available\(/,
    'RUN python -c "import torch; print(torch.cuda.is_available())"',
  ),
  notice(
    // Their packages on PyPI are built without CUDA (each project's own installation page).
    "pypi-without-cuda",
    ["llama_cpp_python", "llama-cpp-python", "opencv-python", "opencv_python", "faiss-cpu", "faiss_cpu"],
    /(?<![\w/.-])(?<subject>llama[-_]cpp[-_]python|opencv[-_](?:contrib[-_])?python|faiss[-_]cpu)(?![\w/-])/i,
    "llama_cpp_python       0.2.64",
  ),
] satisfies Signature[];
