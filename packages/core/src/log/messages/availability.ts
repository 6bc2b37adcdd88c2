import { notice, type Signature } from "../signature.ts";

/** Whether a framework says that it can use a GPU, in the words of people and in languages beside Python; and what is said of NVML in prose. */
export default [
  {
    literals: ["is_available"],
    pattern:
      /\bcuda[._]is_available\b(?:\(\s?\))?(?:[\s)`'";*>]{1,8}|[^\n?]{0,60}?\b(?:bounced back|came back|comes back|outputs?|says?|said|got|evaluates to|equals|reports?|reported|yields?|answers?|answered|responds?|returned|returns?|gives?|gave|printed|prints?|shows?|showed|as)\b[^\w\n]{0,6})(?<value>false|true)\b/i,
    examples: [
      'when I type in torch.cuda.is_available() in python3, it bounced back "False".',
      "`torch.cuda.is_available() ` false",
      "If I call `cuda_is_available`, the method returned `False`.",
    ],
    facts: ({ value }) => ({ kind: "available", by: "torch", value: value!.toLowerCase() === "true" }),
  },
  {
    // "the nvcc is still version of 10.1", "nvcc --version says 11.8".
    literals: ["nvcc"],
    pattern:
      /\bnvcc\b(?: -V| --version)?(?: (?:is|was|still|only|at|version|of|says?|shows?|reports?|gives?|release|CUDA|it|that|prints?|in|on)){1,5} (?<version>(?:[7-9]|1\d)\.\d)\b(?![\w%]|\.\d{3})/i,
    examples: ["But the nvcc is still version of 10.1.", "nvcc --version says 11.8"],
    facts: ({ version }) => ({ kind: "toolkit", version: version!, from: "nvcc" }),
  },
  notice(
    "nvml-mismatch",
    "version mismatch",
    /\b(?:NVML|nvidia-smi)\b[^\n.;]{0,60}\bversion mismatch\b/i,
    'an error "NVML version mismatch" is shown',
  ),
  notice(
    // Their packages on PyPI are built without CUDA (each project's own installation page).
    "pypi-without-cuda",
    ["llama_cpp_python", "llama-cpp-python", "opencv-python", "opencv_python", "faiss-cpu", "faiss_cpu"],
    /(?<![\w/.-])(?<subject>llama[-_]cpp[-_]python|opencv[-_](?:contrib[-_])?python|faiss[-_]cpu)(?![\w/-])/i,
    "llama_cpp_python       0.2.64",
  ),
] satisfies Signature[];
