import type { Facts } from "../fact.ts";
import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { libcuda, builtWithoutCuda, type ToldFixes } from "../meaning.ts";
import { comparePythonVersions } from "../../lib/pep440.ts";
import { dottedCudnn } from "../../knowledge/cudnn.ts";
import { dottedNumber } from "../numbers.ts";
import { noise, notice, type Signature } from "../signature.ts";

const libraries: { [name: string]: string } = {
  CUDA: "cudart",
  cuDNN: "cudnn",
  cuBLAS: "cublas",
  cuFFT: "cufft",
  cuSOLVER: "cusolver",
  cuSPARSE: "cusparse",
  CUPTI: "cupti",
  NVRTC: "nvrtc",
};

// JAX says this also when its plugin is there and could not start.
const pluginTried = (facts: Facts) =>
  0 < facts.notices("jax-plugin-failed").length || facts.has("unable-to-load") || facts.all("version-pair").some(({ by }) => by === "jax");
const withCuda = fix("install JAX with CUDA", `pip install -U "jax[cuda12]"`);
const inOneStep: ToldFixes = (_facts, context) => {
  const version = context.framework("jax").version?.replace(/\+.*/, "");
  if (version === undefined || !/^0\.\d+\.\d+$/.test(version))
    return [fix("install all parts in one step", `pip install -U "jax[cuda12]"`)];
  // Before 0.4.30 the builds for CUDA lay beside PyPI.
  const beside =
    comparePythonVersions(version, "0.4.30") < 0 ? " -f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html" : "";
  return [
    fix(`install all parts of ${version} in one step`, `pip install "jax[cuda12]==${version}"${beside}`),
    fix("or all parts of the newest release", `pip install -U "jax[cuda12]"`),
  ];
};

/** jax/_src/xla_bridge.py, jax_plugins/cuda/__init__.py, jaxlib/cuda/versions. */
export default [
  {
    // jax_plugins/xla_cuda12/__init__.py; a warning that Python may break into two lines.
    ...notice(
      "jax-plugin-release",
      "jax plugin ",
      /JAX plugin (?<subject>\w{4,40}) version (?<found>[\w.+]{3,30}) is installed, {1,2}but it is not compatible with the installed jaxlib version (?<required>[\w.+]{3,30}\w)/,
      "RuntimeWarning: JAX plugin jax_cuda12_plugin version 0.9.2 is installed, but it is not compatible with the installed jaxlib version 0.9.0.1, so it will not be used.",
      "WARNING:jax._src.xla_bridge:JAX plugin jax_cuda12_plugin version 0.4.31 is installed, but it is not compatible with the installed jaxlib version 0.4.35, so it will not be used.",
    ),
    means: {
      weight: weights.said,
      about: (facts) => {
        const [{ subject, required, found } = {}] = facts.notices("jax-plugin-release");
        return {
          name: subject!.replaceAll("_", "-"),
          required: `the plugin of jaxlib ${required}`,
          found: `${subject!.replaceAll("_", "-")} ${found}`,
        };
      },
      next: ["pip list | grep -i jax"],
      may: [
        {
          cause: "package-conflict",
          certainty: "certain",
          message: "JAX's plugin for CUDA and jaxlib are of different releases, and JAX goes on without the GPU",
          fixes: (facts) => {
            const [{ subject = "jax_cuda12_plugin", required } = {}] = facts.notices("jax-plugin-release");
            const names = [subject, subject.replace("_plugin", "_pjrt")].map((name) => `"${name.replaceAll("_", "-")}==${required}"`);
            return [fix("install the plugin and its pjrt in the release of jaxlib", `pip install ${names.join(" ")}`)];
          },
        },
      ],
    },
  },
  {
    // jaxlib/cuda/versions_helpers.cc, which asks each library for its release before the first use.
    ...notice(
      "jax-version-asked",
      "versions_helpers.cc",
      /versions_helpers\.cc:\d{1,4}: operation (?!cuInit\b|cuDevice|gpuDevice)(?<subject>\w{4,40})\([^\n]{0,80}\) failed: (?!Error loading)(?<found>[^\n]{4,80})/,
      "RuntimeError: jaxlib/cuda/versions_helpers.cc:72: operation cublasGetVersion( nullptr, &version) failed: cuBlas internal error",
    ),
    means: {
      weight: weights.failed,
      symptom: "a library of CUDA does not even tell JAX its release",
      unless: (facts) => facts.has("not-found") || facts.has("unable-to-load") || facts.has("version-pair"),
      about: (facts) => ({
        name: `lib${/^cu[a-z]{3,8}|^cuda/.exec(facts.notices("jax-version-asked")[0]?.subject ?? "")?.[0]?.replace("cudaruntime", "cudart") ?? "cuda"}.so`,
      }),
      next: ["pip list | grep -i 'jax\\|nvidia'", "echo $LD_LIBRARY_PATH"],
      may: [
        {
          cause: "library-wrong-version",
          message: "it is of another release than JAX's plugin was built for, or its own parts are of two",
          fixes: [
            fix(
              "let JAX bring its own CUDA libraries, and start it without LD_LIBRARY_PATH",
              `pip install -U "jax[cuda12]"`,
              "unset LD_LIBRARY_PATH",
            ),
          ],
        },
        { cause: "library-shadowed", message: "or another copy, of a module or of LD_LIBRARY_PATH, is found before JAX's own" },
        { cause: "not-a-mismatch", message: "or the GPU has no memory left for it" },
      ],
    },
  },
  {
    literals: ["but jax was built against version"],
    // As cuDNN counts, and since it counts otherwise as people write it.
    pattern:
      /Found (?<name>\w{3,12}) version (?<found>\d{1,7}(?:\.\d{1,4}){0,3}), but JAX was built against version (?<required>\d{1,7}(?:\.\d{1,4}){0,3})/,
    examples: [
      "CUDA backend failed to initialize: Found cuDNN version 8600, but JAX was built against version 8906, which is newer. The copy of cuDNN that is installed must be at least as new as the version against which JAX was built.",
      "RuntimeError: Unable to initialize backend 'cuda': Found cuDNN version 9.1.0, but JAX was built against version 9.8.0, which is newer.",
    ],
    facts: ({ name, found, required }) => {
      const library = libraries[name!] ?? name!.toLowerCase();
      const dotted = (text: string) => (text.includes(".") ? text : dottedNumber(library, text));
      return {
        kind: "version-pair",
        library,
        required: dotted(required!),
        found: dotted(found!),
        by: "jax",
      };
    },
  },
  {
    literals: ["installation found"],
    pattern:
      /Outdated (?<name>\w{3,12}) installation found\.?(?: Version JAX was built against: (?<built>\d{1,7}))?(?: Minimum supported: (?<minimum>\d{1,7}))?(?: Installed version: (?<found>\d{1,7}))/,
    examples: ["Outdated cuDNN installation found. Version JAX was built against: 8907 Minimum supported: 9100 Installed version: 8907"],
    facts: ({ name, built, minimum, found }) => {
      const library = libraries[name!] ?? name!.toLowerCase();
      const needed = minimum ?? built ?? "";
      // A minimum of 9100 is 9.1.0, written in the old way of counting.
      const text =
        library === "cudnn" && needed.length === 4 && needed.startsWith("9")
          ? `9.${Number(needed.slice(1, 2))}.${Number(needed.slice(2))}`
          : dottedNumber(library, needed);
      return { kind: "version-pair", library, required: text, found: dottedNumber(library, found!), by: "jax" };
    },
  },
  {
    literals: ["unable to load"],
    pattern:
      /Unable to load (?<name>cuDNN|cuBLAS|cuFFT|cuSOLVER|cuSPARSE|CUPTI|NVRTC|CUDA|NCCL|nvJitLink)\b(?!-)(?! (?:driver|librar|kernel|module|backend))/i,
    examples: [
      "CUDA backend failed to initialize: Unable to load cuDNN. Is it installed?",
      "RuntimeError: Unable to load cuSPARSE. Is it installed?",
    ],
    facts: ({ name }) => ({
      kind: "unable-to-load",
      library: Object.entries(libraries).find(([title]) => title.toLowerCase() === name!.toLowerCase())?.[1] ?? name!.toLowerCase(),
      by: "jax",
    }),
  },
  {
    // xla/tsl/cuda/*_stub.cc: the words of a library that was never opened.
    literals: ["library was not found"],
    pattern: /failed: The (?<name>cuDNN|cuBLAS|cuBLASLt|cuFFT|cuSOLVER|cuSPARSE|CUPTI|NCCL) library was not found/i,
    examples: [
      "RuntimeError: jaxlib/cuda/versions_helpers.cc:81: operation cusparseGetProperty(MAJOR_VERSION, &major) failed: The cuSPARSE library was not found.",
    ],
    facts: ({ name }) => ({ kind: "unable-to-load", library: name!.toLowerCase(), by: "jax" }),
  },
  notice(
    "jax-cpu",
    "falling back to cpu",
    /No GPU\/TPU found, falling back to CPU|\b(?:jax|jaxlib|xla_bridge|TPU)\b[^\n]{0,200}Falling back to cpu/i,
    "WARNING:absl:No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
  ),
  {
    ...notice(
      "jax-no-cuda-plugin",
      "an nvidia gpu may be present on this machine",
      /An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed/i,
      "WARNING:jax._src.xla_bridge:An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
    ),
    means: { ...builtWithoutCuda("jax", withCuda), unless: pluginTried },
  },
  {
    literals: ["jaxlib", "jax:"],
    pattern: /^(?:jax|jaxlib): {1,8}(?<version>\d\.\d{1,2}\.\d{1,3}[\w.+]{0,30})$/,
    examples: ["jaxlib: 0.4.25"],
    facts: ({ version }) => ({
      kind: "framework",
      id: "jax",
      version: version!,
      ...(/\+cuda(\d{2})/.test(version!) ? { cuda: /\+cuda(\d\d)/.exec(version!)![1]! } : {}),
    }),
    single: true,
  },
  {
    literals: ["rocm/tpu/", "unable to initialize backend 'cuda'", 'unable to initialize backend "cuda"'],
    pattern: /Unable to initialize backend 'cuda':? ?(?<subject>[^\n]{0,120})/,
    examples: [
      "RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices. (you may need to uninstall the failing plugin package, or set JAX_PLATFORMS=cpu to skip this backend.)",
    ],
    facts: ({ subject }) =>
      /No visible GPU devices/.test(subject ?? "")
        ? { kind: "cuda-error", code: 100 }
        : { kind: "notice", id: "jax-backend-failed", subject: subject! },
  },
  {
    ...notice(
      // xla/client: every device was skipped, most often because none of its memory could be taken.
      "xla-no-devices",
      "no supported devices found for platform",
      /no supported devices found for platform CUDA/i,
      "RuntimeError: Unable to initialize backend 'cuda': INTERNAL: no supported devices found for platform CUDA",
    ),
    means: {
      symptom: "XLA could use no GPU",
      name: "the GPU",
      next: ["nvidia-smi", "run it again with TF_CPP_MIN_LOG_LEVEL=0 set: the lines before say why each GPU was left out"],
      // It says why only in the lines before.
      unless: (facts) => facts.has("cuda-error"),
      may: [
        {
          cause: "not-a-mismatch",
          message: "most often another process holds its memory, or none is visible",
          fixes: [fix("end other programs on the GPU, or take less of its memory", "export XLA_PYTHON_CLIENT_PREALLOCATE=false")],
        },
        { cause: "driver-not-exposed", ...libcuda, message: "or the container was started without GPU access" },
        { cause: "driver-too-old", ...libcuda, message: "or the driver is older than this jaxlib needs" },
        { cause: "kernel-module-mismatch", ...libcuda, message: "or the driver was updated and the machine not restarted" },
      ],
    },
  },
  notice(
    // Without libcuda no error has a name.
    "libcuda-not-loaded",
    "jax was unable to load the cuda libraries",
    /This probably means that JAX was unable to load the CUDA libraries/,
    "jaxlib/cuda/versions_helpers.cc:98: operation cuInit(0) failed: Unknown CUDA error 303; cuGetErrorName failed. This probably means that JAX was unable to load the CUDA libraries.",
  ),
  {
    // jaxlib/cuda/versions_helpers.cc and its relatives; the codes with a meaning of their own are read by the CUDA signatures.
    literals: ["_helpers.cc"],
    pattern:
      /operation (?:cuInit|gpuDeviceGet\w{0,30}|cuDeviceGet\w{0,30})\([^\n]{0,160}\) failed: CUDA_ERROR_(?!NO_DEVICE|STUB|SYSTEM_|COMPAT_|UNKNOWN|OUT_OF|INVALID_DEVICE)\w{4,40}/,
    examples: ["jaxlib/cuda/versions_helpers.cc:98: operation cuInit(0) failed: CUDA_ERROR_OPERATING_SYSTEM"],
    facts: () => ({ kind: "notice", id: "driver-init-failed" }),
  },
  {
    ...notice(
      // A jaxlib for the CPU lacks this name, at which JAX looks for the GPU.
      "jax-cpu-jaxlib",
      "has no attribute 'gpuallocatorconfig'",
      /backend '(?:cuda|gpu)'[^\n]{0,4}: module 'jaxlib\.[\w.]{3,40}' has no attribute 'GpuAllocatorConfig'/,
      "INFO:jax._src.xla_bridge:Unable to initialize backend 'cuda': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'",
    ),
    means: { ...builtWithoutCuda("jaxlib", withCuda, weights.warned), unless: pluginTried },
  },
  {
    ...notice(
      "jax-parts",
      "pjrt_api already exists for device type",
      /PJRT_Api already exists for device type (?:cuda|gpu)/,
      "jax.errors.JaxRuntimeError: ALREADY_EXISTS: PJRT_Api already exists for device type cuda",
    ),
    means: {
      // jax, jaxlib and the CUDA plugin are three packages of one release.
      unless: (facts) => 0 < facts.notices("jax-plugin-release").length,
      weight: weights.said,
      next: ["pip list | grep -i jax"],
      about: (_facts, _context, parts) => {
        const told = parts.find(({ required }) => required !== undefined) ?? parts[0]!;
        return {
          name: told.subject ?? "jaxlib",
          ...(told.required === undefined ? {} : { required: told.required }),
          ...(told.found === undefined ? {} : { found: told.found }),
          evidence: parts.slice(0, 4),
        };
      },
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "jax, jaxlib and the CUDA plugin are of different releases",
          fixes: inOneStep,
        },
        { cause: "library-wrong-version", message: "one part of JAX is older or newer than the others accept", fixes: inOneStep },
      ],
    },
  },
  notice(
    "jax-parts",
    "pjrt api version",
    /Mismatched PJRT plugin PJRT API version \((?<found>[\d.]{1,8})\) and framework PJRT API version \(?(?<required>[\d.]{1,8}\d)/,
    "INVALID_ARGUMENT: Mismatched PJRT plugin PJRT API version (0.54) and framework PJRT API version 0.51).",
  ),
  notice(
    "jax-parts",
    ["incompatible with jax version", "but this version of jax requires version"],
    /jaxlib (?:version|is version) (?<found>\d[\w.+]{2,30}?),? (?:is newer than and incompatible with jax version|but this version of jax requires version >=) ?(?<required>\d[\w.]{2,20}\w)/,
    "RuntimeError: jaxlib version 0.4.35 is newer than and incompatible with jax version 0.4.31. Please update your jax and/or jaxlib packages.",
    "RuntimeError: jaxlib is version 0.4.7, but this version of jax requires version >=0.4.14.",
  ),
  notice(
    "jax-parts",
    "module 'jaxlib",
    /AttributeError: module '(?<subject>jaxlib[\w.]{0,40})' has no attribute '/,
    "AttributeError: module 'jaxlib.xla_client' has no attribute 'generate_pjrt_gpu_plugin_options'",
  ),
  notice(
    // The plugin calls into jaxlib with arguments that only the jaxlib of its own release knows.
    "jax-parts",
    ["register_custom_call_target", "register_custom_type_id", "register_plugin", "make_c_api_client"],
    /TypeError: (?:register_custom_call_(?:target|handler)|register_custom_type_id(?:_handler)?|register_plugin|make_c_api_client|load_pjrt_plugin_dynamically)\(\)(?::? (?:incompatible function arguments|got an unexpected keyword argument|missing \d{1,2} required|takes ))/,
    "TypeError: register_custom_call_target(): incompatible function arguments. The following argument types are supported:",
    "TypeError: register_plugin() got an unexpected keyword argument 'c_api'",
  ),
  notice(
    "jax-plugin-failed",
    "jax plugin configuration error",
    /Jax plugin configuration error: Exception when calling jax_plugins\.xla_cuda\d{2}\.initialize/,
    "Jax plugin configuration error: Exception when calling jax_plugins.xla_cuda13.initialize()",
  ),
  {
    // jax_plugins/cuda/__init__.py: releases of cuDNN with a known defect.
    literals: ["cudnn < 9.10", "cudnn 9.10.0 had"],
    pattern:
      /cuDNN (?:< 9\.10\.0 \((?<old>\d{4,6}) found\) had an issue|9\.10\.0 had a binary backward-compatibility issue)[^\n]{0,300}?Please upgrade to (?<required>9\.\d{1,2}\.\d{1,2}) or above/,
    examples: [
      "cuDNN < 9.10.0 (90800 found) had an issue that caused some multi-GPU matmuls, in which the same finalized execution plan is used across different GPUs, to be functionally incorrect when run with cublasLt >= 12.9 (120901 found). Please upgrade to 9.10.1 or above.",
    ],
    facts: ({ old, required }) => ({
      kind: "version-pair",
      library: "cudnn",
      required: required!,
      found: old === undefined ? "9.10.0" : dottedCudnn(Number(old)),
      by: "jax",
    }),
  },
  notice(
    "jax-no-cuda-plugin",
    ["unknown backend", "is not in the list of known backends"],
    /Unknown backend:? '?(?:cuda|gpu)'? requested, but no|Backend '(?:cuda|gpu)' is not in the list of known backends|Unknown backend (?:cuda|gpu)\. Available backends are/,
    "RuntimeError: Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are present. Platforms present are: cpu",
    "RuntimeError: Unable to initialize backend 'cuda': Backend 'cuda' is not in the list of known backends: ['cpu', 'tpu'].",
  ),
  notice(
    "jax-parts",
    "cuda_plugin_extension is not found",
    /cuda_plugin_extension is not found/,
    "WARNING:jax_plugins.xla_cuda12:cuda_plugin_extension is not found.",
  ),
  notice(
    "jax-parts",
    "this version of jax requires jaxlib version",
    /This version of jax requires jaxlib version >= (?<required>\d[\w.]{2,20}\w)/,
    "ImportError: This version of jax requires jaxlib version >= 0.4.19.",
  ),
  noise(
    "JAX says which kinds of devices are not there",
    "unable to initialize backend",
    /Unable to initialize backend '(?:rocm|tpu|tpu_driver|interpreter|plugin|oneapi)'/,
    "Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: \"rocm\". Available platform names are: CUDA",
  ),
  {
    // jax.print_environment_info(), and jax.devices() in a session.
    literals: ["cpudevice(id=", "cudadevice(id=", "cuda(id="],
    pattern: /(?:jax\.devices(?: \(\d{1,3} total, \d{1,3} local\)|\(\)\)?)):? {0,4}\[(?<first>CpuDevice|CudaDevice|cuda|gpu)\(/,
    examples: ["jax.devices (1 total, 1 local): [CpuDevice(id=0)]", ">>> jax.devices() [CpuDevice(id=0)]"],
    facts: ({ first }) => ({ kind: "available", by: "jax", value: first !== "CpuDevice" }),
  },
  {
    // The parts of JAX speak to each other by an interface of one release; people tell it in their own words (a frame takes them).
    ...notice(
      "jax-parts-apart",
      "pjrt",
      /\bPJRT plugin (?<found>0\.\d{1,2}\.\d{1,3}) (?:with|and|beside) jax(?:lib)? (?<required>0\.\d{1,2}\.\d{1,3})\b/i,
      "PJRT plugin 0.4.33 with jaxlib 0.4.30",
    ),
    means: {
      weight: weights.failed,
      about: (_facts, { framework }, [fact]) => ({
        name: "jaxlib",
        required: `jax, jaxlib and the CUDA plugin of one release${framework("jax").version === undefined ? "" : ` (${framework("jax").version})`}`,
        found: fact!.found === undefined ? "parts of different releases" : `a plugin of ${fact!.found} beside an older jax`,
      }),
      next: ["pip list | grep -i jax"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message:
            "jax, jaxlib and the CUDA plugin are of different releases, and pip does not hold them together: the plugin is loaded whenever it is there",
          fixes: [
            fix("install all parts in one step", 'pip install -U "jax[cuda12]"'),
            fix("or take the plugin of a jax that was removed away", "pip uninstall -y jax-cuda12-plugin jax-cuda12-pjrt"),
          ],
        },
        { cause: "library-wrong-version", message: "or the plugin finds a CUDA of another release", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
