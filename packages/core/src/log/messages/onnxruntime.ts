import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { builtWithoutCuda, ownMatter } from "../meaning.ts";
import { noise, notice, type Signature } from "../signature.ts";

/** Windows' own codes: 126, a library that it needs is not found; 1114, one of them refused to start. */
function codeIn(text: string): { found?: string } {
  const found = /(?:error(?: code)?|failed with error):? {0,2}(?<code>126|127|193|1114)\b/i.exec(text)?.groups?.["code"];
  return found === undefined ? {} : { found };
}

/** provider_bridge_ort.cc and onnxruntime_pybind_state.cc. */
export default [
  {
    literals: ["failed to load library", "error loading"],
    pattern:
      /(?:Failed to load library|Error loading) "?(?<provider>[^\s"]{1,300}onnxruntime_providers_\w{2,20}\.(?:so|dll)|\S{0,200}onnxruntime_providers_\w{2,20}\.(?:so|dll))"? (?:with error: (?:(?<name>[^\s:]{1,200}): cannot open)?|which (?:depends on "(?<missing>[^"]{1,100})" which is missing|is missing)|: ["'`]?(?<lost>[\w.]{4,60}\.dll)["'`]? (?:is |was )?(?:missing|not found))?/,
    examples: [
      "[ONNXRuntimeError] : 1 : FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared object file: No such file or directory",
      'Error loading "C:\\venv\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll" which depends on "cublasLt64_12.dll" which is missing. (Error 126: "The specified module could not be found.")',
    ],
    facts: ({ provider, name, missing }) =>
      name === undefined && missing === undefined
        ? { kind: "notice", id: "ort-provider-failed", subject: provider! }
        : { kind: "not-found", name: (name ?? missing)!, by: "onnxruntime", wantedBy: provider! },
  },
  {
    // A program's own words around the loader's refusal, with Windows' number or without.
    literals: ["onnxruntime_providers_"],
    pattern:
      /(?:fail(?:ed|s|ure)?|unable|could(?: not|n't)|cannot|can't) (?:to |in |while )?(?:load(?:ing)?|open(?:ing)?|find(?:ing)?)(?: \w{1,12}){0,3} ["'`]?(?<provider>[^\s"'`]{0,200}onnxruntime_providers_(?:cuda|tensorrt|shared|rocm|migraphx|nv_tensorrt_rtx)\.(?:dll|so))(?!"? (?:with error: \S{1,200}: cannot open|which depends on))|(?<named>onnxruntime_providers_(?:cuda|tensorrt|shared|rocm|migraphx)\.(?:dll|so))["'`]? (?:failed to load|could not be (?:loaded|found)|cannot be (?:loaded|found)|was not (?:loaded|found)|is missing)/i,
    examples: [
      "Failed to load onnxruntime_providers_cuda.dll, error code: 1114",
      "[engine] unable to load the library onnxruntime_providers_shared.dll",
      "onnxruntime_providers_cuda.dll could not be loaded",
    ],
    facts: ({ provider, named }, { input }) => ({
      kind: "notice",
      id: "ort-provider-failed",
      subject: (provider ?? named)!,
      ...codeIn(input),
    }),
  },
  notice(
    "ort-provider-failed",
    "is set but cuda was",
    /(?<subject>CUDA)_PATH is set but CUDA was(?:n['\u2019]?t| not) able to be loaded/,
    "EP Error onnxruntime_pybind_state.cc:857 onnxruntime::python::CreateExecutionProviderInstance CUDA_PATH is set but CUDA wasnt able to be loaded. Please install the correct version of CUDA andcuDNN as mentioned in the GPU requirements page",
  ),
  {
    literals: ["loadlibrary failed with error 1"],
    pattern: /LoadLibrary failed with error (?:126|127|193|1114) "?[^\n]{0,80}when trying to load "(?<provider>[^"\n]{1,300}?\.dll)/,
    examples: ['LoadLibrary failed with error 126 "" when trying to load "C:\\venv\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"'],
    facts: ({ provider }, { input }) => ({ kind: "notice", id: "ort-provider-failed", subject: provider!, ...codeIn(input) }),
  },
  notice(
    "ort-provider-failed",
    "loadlibrary failed with error 126",
    /ONNXRuntimeError\]? ?: 1 : FAIL : LoadLibrary failed with error 126(?:(?! when trying to load)[^\n]){0,80}$/m,
    "ONNXRuntimeError : 1 : FAIL : LoadLibrary failed with error 126",
  ),
  notice(
    "ort-provider-failed",
    "sessionoptionsappendexecutionprovider",
    /OrtSessionOptionsAppendExecutionProvider_(?:Cuda|TensorRT|CUDA|Tensorrt): Failed to load shared library/,
    "OrtException: Error code - ORT_FAIL - message: OrtSessionOptionsAppendExecutionProvider_Cuda: Failed to load shared library",
  ),
  notice(
    "ort-provider-failed",
    ["failed to create cudaexecutionprovider", "failed to create tensorrtexecutionprovider"],
    /Failed to create (?<subject>CUDA|Tensorrt)ExecutionProvider\.?(?: (?:Please reference|Require)|\s{0,4}$)/,
    "[W:onnxruntime:Default, onnxruntime_pybind_state.cc:861 CreateExecutionProviderInstance] Failed to create CUDAExecutionProvider. Please reference https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html#requirements to ensure all dependencies are met.",
  ),
  {
    // NuGet's package, in a list of packages or in somebody's words.
    literals: ["microsoft.ml.onnxruntime"],
    pattern: /Microsoft\.ML\.OnnxRuntime(?:\.Gpu(?:\.Windows|\.Linux)?)?["' ]{1,3}[^\d\n]{0,40}(?<version>1\.\d{1,2}(?:\.\d{1,2})?)\b/i,
    examples: [
      "I am using Microsoft.ML.OnnxRuntime.GPU (nuget package VERSION 1.16.0)",
      '<PackageReference Include="Microsoft.ML.OnnxRuntime.Gpu" Version="1.17.1" />',
    ],
    facts: ({ version }) => ({ kind: "framework", id: "onnxruntime", version: version! }),
  },
  {
    ...notice(
      "ort-arena",
      "failed to allocate memory for requested buffer",
      /Failed to allocate memory for requested buffer of size (?<subject>\d{4,14})/,
      "onnxruntime::BFCArena::AllocateRawInternal Failed to allocate memory for requested buffer of size 285081600",
    ),
    means: ownMatter(
      "memory",
      "ONNX Runtime finds no memory for what the model asks: no release of CUDA changes that",
      "use a smaller batch or input, end other programs on the device, or bound the arena (`gpu_mem_limit`, `arena_extend_strategy`)",
    ),
  },
  noise(
    "ONNX Runtime keeps small operations on the CPU on purpose; the GPU has the others",
    "assigned to the preferred execution providers",
    /Some nodes were not assigned to the preferred execution providers/,
    "[W:onnxruntime:, session_state.cc:1168 VerifyEachNodeIsAssignedToAnEp] Some nodes were not assigned to the preferred execution providers which may or may not have an negative impact on performance.",
  ),
  notice(
    // The one is put over the other, and the GPU is lost by it.
    "ort-overwritten-told",
    "onnxruntime-gpu",
    /\bonnxruntime[`'"’]? (?:on top of|alongside|beside|over|after|next to|overwrites|replaces) (?:the )?[`'"‘]?onnxruntime-gpu\b[^\n]{0,80}\b(?:strips?|CPU|loses?|lost|breaks?|overwrites?|replaces?|disables?|no longer|not work|conflicts?)\b/i,
    "It seems installing `onnxruntime` on top of `onnxruntime-gpu` will strip the ability of ONNX runtime to use CUDA.",
  ),
  notice(
    "ort-both-told",
    "onnxruntime-gpu",
    /\bboth [`'"‘]?onnxruntime(?:-gpu)?[`'"’]? (?:and|&) [`'"‘]?onnxruntime(?:-gpu)?[`'"’]?(?= |\b)|\b(?:installed|have|has) [`'"‘]?onnxruntime[`'"’]? (?:and|&) [`'"‘]?onnxruntime-gpu\b/i,
    "When I install both `onnxruntime` and `onnxruntime-gpu` packages, only the CPU is used",
  ),
  {
    literals: ["cudnn 9.* and cuda", "require cudnn"],
    pattern: /Require cuDNN (?<cudnn>\d{1,2})\.\*? and CUDA (?<cuda>\d{1,2})\.\*?/,
    examples: [
      "Failed to create CUDAExecutionProvider. Require cuDNN 9.* and CUDA 12.*. Please install all dependencies as mentioned in the GPU requirements page",
    ],
    facts: ({ cudnn, cuda }) => ({ kind: "framework", id: "onnxruntime", cuda: cuda!, cudnn: cudnn! }),
  },
  {
    ...notice(
      "ort-without-amd",
      ["rocmexecutionprovider", "migraphxexecutionprovider"],
      /(?:provider ['‘]?|\b)(?<subject>ROCM|MIGraphX)ExecutionProvider['’"`]? (?:is )?(?:not|n['’]t) (?:in available provider names|available|found|supported|listed|enabled)/i,
      "Specified provider 'ROCMExecutionProvider' is not in available provider names. Available providers: 'CPUExecutionProvider'",
    ),
    means: {
      weight: weights.refused,
      name: "onnxruntime",
      required: "a build of ONNX Runtime for AMD's GPUs",
      about: (_facts, { framework, packages }, [fact]) => {
        const version = framework("onnxruntime").version ?? packages(/^onnxruntime(?:-gpu)?$/)[0]?.version;
        return { evidence: [fact!], ...(version === undefined ? {} : { found: `onnxruntime ${version}, built without it` }) };
      },
      next: ["pip list | grep -i onnxruntime", "rocminfo | grep gfx"],
      may: [
        {
          cause: "wrong-wheel-cpu-only",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `the ONNX Runtime that is installed was built without ${fact!.subject}`,
          fixes: [
            fix(
              "install AMD's build in its place: AMD publishes wheels for each ROCm (repo.radeon.com; its guide for ONNX Runtime names them), of MIGraphX since ROCm 7 and of ROCm before",
              "pip uninstall -y onnxruntime onnxruntime-gpu",
            ),
          ],
        },
        { cause: "wrong-vendor", message: "or it is the build for NVIDIA's GPUs", fixes: [] },
      ],
    },
  },
  {
    literals: ["cudaexecutionprovider", "cpuexecutionprovider"],
    pattern:
      /Specified provider ['‘]CUDAExecutionProvider['’] is not in available provider names|\bonly (?:has|have|lists?|shows?|gets?|uses?|sees?|contains?|includes?|the )?\s?(?:the )?\[?['‘"`]?CPUExecutionProvider\b|\bCUDAExecutionProvider['’"`]? (?:is )?(?:not|n['’]t) (?:available|found|supported|listed|enabled)\b/i,
    examples: [
      "the session only has CPUExecutionProvider",
      "CUDAExecutionProvider not available — ONNX will fall back to CPU.",
      "UserWarning: Specified provider 'CUDAExecutionProvider' is not in available provider names. Available providers: 'AzureExecutionProvider, CPUExecutionProvider'",
    ],
    facts: () => ({ kind: "notice", id: "ort-without-cuda" }),
    notice: "ort-without-cuda",
    means: builtWithoutCuda(
      "onnxruntime",
      fix("keep only the GPU package", "pip uninstall -y onnxruntime onnxruntime-gpu", "pip install onnxruntime-gpu"),
    ),
  },
  {
    // The package swallows the loader's refusal with a warning, and then misses every name of its compiled part.
    ...notice(
      "ort-part-not-loaded",
      "pybind",
      /cannot import name ['"](?<subject>\w{2,60})['"] from (?:partially initialized module )?['"]onnxruntime\.capi\.(?:_pybind_state|onnxruntime_pybind11_state)['"]/,
      "ImportError: cannot import name 'get_all_providers' from 'onnxruntime.capi._pybind_state' (C:\\v\\onnxruntime\\capi\\_pybind_state.py)",
    ),
    means: {
      weight: weights.failed,
      unless: (facts) => facts.has("not-found") || 0 < facts.notices("dll-load-failed").length,
      name: "onnxruntime_pybind11_state",
      required: "all libraries that ONNX Runtime's compiled part needs",
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message:
            "ONNX Runtime's compiled part did not load, so the name is not there: a library that it needs is not found, mostly CUDA, cuDNN or the Visual C++ runtime",
          fixes: (facts) => [
            ...(facts.on("windows")
              ? [fix("install Microsoft's newest Visual C++ runtime (x64)", "winget install --id Microsoft.VCRedist.2015+.x64 -e")]
              : []),
            fix("put the CUDA and cuDNN that this release of ONNX Runtime was built with on the path: its requirements page has the table"),
            fix("or take a release that finds CUDA later and says what it misses", "pip install -U onnxruntime-gpu"),
          ],
        },
        { cause: "library-not-on-path", message: "or they lie where the loader does not look", fixes: [] },
        { cause: "package-conflict", message: "or files of two releases of the package lie in one folder", fixes: [] },
      ],
    },
  },
  notice(
    "ort-both",
    "onnxruntime-gpu",
    /pip3? install [^\n]{0,80}\bonnxruntime-gpu(?![\w-])[^\n]{0,60} onnxruntime(?![\w-])|pip3? install [^\n]{0,80}\bonnxruntime(?![\w-])[^\n]{0,60} onnxruntime-gpu\b|\bboth onnxruntime(?:-gpu)? and onnxruntime(?:-gpu)?\b/,
    "pip install onnxruntime onnxruntime-gpu",
    "both onnxruntime and onnxruntime-gpu are installed",
  ),
  notice(
    "ort-provider-failed",
    "please install tensorrt libraries as mentioned",
    /Please install (?<subject>TensorRT) libraries as mentioned in the GPU requirements page/,
    "EP Error onnxruntime_pybind_state.cc:456 onnxruntime::python::RegisterTensorRTPluginsAsCustomOps Please install TensorRT libraries as mentioned in the GPU requirements page, make sure they're in the PATH or LD_LIBRARY_PATH, and that your GPU is supported.",
  ),
  notice(
    "ort-provider-failed",
    "failed to load library, error code: 126",
    /ProviderLibrary\] Failed to load library, error code: 126/,
    "[E:onnxruntime:test, provider_bridge_ort.cc:633 onnxruntime::ProviderLibrary::ProviderLibrary] Failed to load library, error code: 126",
  ),
  {
    // onnxruntime_inference_collection.py: a session was made without naming providers.
    literals: ["this ort build has ["],
    pattern: /This ORT build has \[(?<providers>[^\]\n]{3,300})\] enabled\. Since ORT 1\.9/,
    examples: [
      "ValueError: This ORT build has ['AzureExecutionProvider', 'CPUExecutionProvider'] enabled. Since ORT 1.9, you are required to explicitly set the providers parameter when instantiating InferenceSession.",
    ],
    facts: ({ providers }) => ({
      kind: "notice",
      id: "ort-providers-unnamed",
      subject: providers!.includes("CUDA") ? "with CUDA" : "without CUDA",
    }),
    notice: "ort-providers-unnamed",
    means: {
      // ONNX Runtime wants to be told where to run; the list shows what this build can do.
      weight: weights.other + 1,
      name: "the program",
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "since 1.9 ONNX Runtime must be told which providers to use: a matter of the program",
          fixes: [fix("name them: `InferenceSession(path, providers=['CUDAExecutionProvider', 'CPUExecutionProvider'])`")],
        },
        {
          cause: "wrong-wheel-cpu-only",
          name: "onnxruntime",
          required: "onnxruntime-gpu",
          found: "a build without CUDA",
          when: (facts) => facts.notices("ort-providers-unnamed").some(({ subject }) => subject === "without CUDA"),
          message: "where a GPU is wanted: this build has none of CUDA",
          fixes: [fix("keep only the GPU package", "pip uninstall -y onnxruntime onnxruntime-gpu", "pip install onnxruntime-gpu")],
        },
      ],
    },
  },
  {
    literals: [
      "get_available_providers",
      "onnxruntime.get_device",
      "only ['cpuexecutionprovider",
      "only 'cpuexecutionprovider",
      "only `cpuexecutionprovider",
      'only ["cpuexecutionprovider',
    ],
    pattern:
      /(?:get_available_providers\(\)\)?[^[\n]{0,12}\[(?<providers>[^\]\n]{3,300})\]|\b(?<only>only) \[?['"`]CPUExecutionProvider|(?:onnxruntime|ort|rt)\.get_device\(\)\)?[^\w]{0,8}(?<device>CPU|GPU)\b)/,
    examples: [
      ">>> onnxruntime.get_available_providers() ['AzureExecutionProvider', 'CPUExecutionProvider']",
      ">>> onnxruntime.get_device() 'CPU'",
    ],
    facts: ({ providers, device, only }) => ({
      kind: "available",
      by: "onnxruntime",
      value: only !== undefined ? false : device === undefined ? providers!.includes("CUDA") : device === "GPU",
    }),
  },
] satisfies Signature[];
