import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { builtWithoutCuda, ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** Libraries that say in a word of their own that they have no part for the GPU, or cannot reach it: faiss, dlib, UCX, spaCy, vLLM, tiny-cuda-nn. */
export default [
  {
    ...notice(
      "faiss-cpu-build",
      ["standardgpuresources", "dlib_use_cuda", "cpu_to_gpu", "cuda_copy"],
      /module 'faiss' has no attribute '(?:StandardGpuResources|index_cpu_to_gpu\w{0,20}|get_num_gpus|GpuIndex\w{2,30})'|DLIB_USE_CUDA\)?[\s:=]{1,4}False|transport '(?:cuda_copy|cuda_ipc|gdr_copy)' is not available/,
      "AttributeError: module 'faiss' has no attribute 'StandardGpuResources'",
      "dlib.DLIB_USE_CUDA False",
      "UCX  WARN  transport 'cuda_copy' is not available, please use one or more of: cma, self",
    ),
    means: builtWithoutCuda("the library", fix("install its build for GPUs (conda has one of faiss and of UCX), or build it with CUDA")),
  },
  {
    ...notice(
      "cupy-wanted",
      "cupy is not installed",
      /Cannot use GPU, CuPy is not installed|CuPy is not installed/,
      "ValueError: Cannot use GPU, CuPy is not installed",
    ),
    means: {
      weight: weights.refused,
      name: "cupy",
      required: "a CuPy for the CUDA here",
      found: "none",
      next: ["nvidia-smi", "pip list | grep -i cupy"],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "CuPy, through which the program reaches the GPU, is not installed",
          fixes: [fix("install the one for the CUDA that nvidia-smi shows", "pip install cupy-cuda12x")],
        },
        { cause: "wrong-wheel-cpu-only", message: "so the program runs on the CPU alone", fixes: [] },
      ],
    },
  },
  {
    // vllm/config.py, where no platform answers.
    ...notice("vllm-no-device", "failed to infer device type", /Failed to infer device type/, "RuntimeError: Failed to infer device type"),
    means: {
      weight: weights.failed,
      symptom: "vLLM finds no device to run on",
      name: "vllm",
      unless: (facts) => facts.has("not-found") || facts.has("cuda-error"),
      next: ["nvidia-smi", 'python -c "import torch; print(torch.__version__, torch.cuda.is_available())"'],
      may: [
        {
          cause: "driver-not-exposed",
          name: "libcuda.so.1",
          message: "no NVIDIA driver reaches the process: NVML does not answer",
          fixes: [],
        },
        { cause: "wrong-wheel-cpu-only", message: "or vLLM, or the PyTorch beside it, was installed or built without CUDA", fixes: [] },
        {
          cause: "package-conflict",
          message: "or another package that calls itself pynvml is installed in place of NVIDIA's own",
          fixes: [],
        },
        { cause: "not-a-mismatch", message: "or there is no GPU here, and the device was not named", fixes: [] },
      ],
    },
  },
  {
    // tinycudann/modules.py
    literals: ["compatible tinycudann extension"],
    pattern: /Could not find compatible tinycudann extension for compute capability (?<capability>\d{2,3})/,
    examples: ["Could not find compatible tinycudann extension for compute capability 86."],
    facts: ({ capability }) => ({ kind: "gpu-unsupported", capability: `sm_${capability}`, by: "said" }),
  },
  {
    ...notice(
      "compiler-killed",
      ["died due to signal 9", "killed signal terminated program", "fatal error: killed signal"],
      /'(?:cicc|ptxas|nvlink|cudafe\+\+)' died due to signal 9|Killed signal terminated program (?<subject>\w{2,12})/,
      "nvcc error : 'cicc' died due to signal 9 (Kill signal)",
      "fatal error: Killed signal terminated program cc1plus",
    ),
    means: ownMatter(
      "the machine's memory",
      "the machine ran out of memory while it compiled: no version is wrong",
      "compile with fewer jobs at once (`MAX_JOBS=2`), or on a machine with more memory",
    ),
  },
  {
    ...notice(
      "gpu-buffer-lost",
      ["unable to allocate cuda", "nvmapmemalloc", "failed to allocate cuda"],
      /unable to allocate CUDA\d{0,2} buffer|NvMapMemAllocInternalTagged: \d{1,12} error 12|failed to allocate CUDA\d{0,2} buffer/i,
      "llama_model_load: error loading model: unable to allocate CUDA0 buffer",
      "NvMapMemAllocInternalTagged: 1075072515 error 12",
    ),
    means: ownMatter(
      "GPU memory",
      "the GPU's memory does not suffice for what is loaded: no version is wrong",
      "end other programs on the GPU, take a smaller model or context, or offload fewer layers",
    ),
  },
  {
    // Lmod and Environment Modules.
    ...notice(
      "module-unknown",
      ["module(s) are unknown", "unable to locate a modulefile"],
      /following module\(s\) are unknown: ["'](?<subject>[\w./+-]{2,60})["']|Unable to locate a modulefile for ['"](?<found>[\w./+-]{2,60})['"]/,
      'Lmod has detected the following error: The following module(s) are unknown: "cuda/12.1"',
      "ModuleCmd_Load.c(213):ERROR:105: Unable to locate a modulefile for 'cuda/11.3'",
    ),
    means: {
      weight: weights.other + 1,
      about: (_facts, _context, [fact]) => ({
        name: (fact!.subject ?? fact!.found)!,
        required: (fact!.subject ?? fact!.found)!,
        found: "no such module",
      }),
      next: ["module avail cuda", "module spider cuda"],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "this cluster has no module of that name and release: what it would bring is not there",
          fixes: [
            fix("see which releases there are, and load one of them, or another for which the program is built", "module avail cuda"),
          ],
        },
        { cause: "not-a-mismatch", message: "or another module must be loaded first, such as that of a compiler", fixes: [] },
      ],
    },
  },
  {
    // OpenBLAS of NumPy's wheels for aarch64 takes a Jetson's processor for another (numpy/numpy#18131).
    ...notice(
      "jetson-numpy",
      "illegal instruction",
      /Illegal instruction(?: \(core dumped\))?[^\n]{0,60}(?:numpy|Jetson)/i,
      "Illegal instruction (core dumped) when importing numpy on Jetson Nano",
    ),
    means: {
      weight: weights.failed,
      name: "numpy",
      next: ["python3 -c 'import numpy; print(numpy.__version__)'"],
      may: [
        {
          cause: "upstream-bug",
          certainty: "likely",
          message: "the OpenBLAS in NumPy 1.19.5 and its time takes the Jetson's processor for another one",
          fixes: [
            fix("tell it which it is", "export OPENBLAS_CORETYPE=ARMV8"),
            fix("or take NumPy 1.19.4", 'pip3 install "numpy==1.19.4"'),
          ],
        },
        { cause: "wrong-wheel-platform", message: "or a wheel was built for a newer processor than this one", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
