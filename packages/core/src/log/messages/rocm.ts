import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** HIP and ROCm: the same as CUDA's words, of AMD's GPUs; and AMD's GPUs where somebody names them. */
export default [
  notice(
    "hip-no-code",
    [
      "invalid device function",
      "hip error: no kernel image",
      "hiperrornobinaryforgpu",
      "hiperrorinvaliddevicefunction",
      "hsa_status_error_invalid_isa",
      "rocblas error",
      "code_object_to_executable",
      "code_object_manager",
    ],
    /HIP error: (?:[Ii]nvalid device function|[Nn]o kernel image)|hipError(?:NoBinaryForGpu|InvalidDeviceFunction)|HSA_STATUS_ERROR_INVALID_ISA|amd_comgr_do_action\([^\n]{0,120}ERROR|ocBLAS error: Cannot read [^\n]{1,200}?TensileLibrary[\w.]{0,30}: [\w ]{4,40}(?: for GPU arch ?: (?<subject>gfx[\da-f]{3,4}))?/,
    "RuntimeError: HIP error: invalid device function",
    "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",
    "rocBLAS error: Cannot read /v/torch/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : gfx1100",
    "aborting with error : HSA_STATUS_ERROR_INVALID_ISA: The instruction set architecture is invalid. code: 0x100f",
  ),
  {
    literals: ["no hip gpus are available", "hiperrornodevice", "no rocm-capable device", "tensile host: no devices"],
    pattern:
      /Could not initialize Tensile host: No devices found|No HIP GPUs are available|\bhipErrorNoDevice\b|no ROCm-capable device is detected/,
    examples: ["RuntimeError: No HIP GPUs are available", "HIP error: no ROCm-capable device is detected"],
    facts: () => ({ kind: "notice", id: "no-gpu-seen", subject: "hip" }),
  },
  {
    ...notice(
      "hip-error",
      ["hip error: ", "hiperror"],
      /HIP error: (?!out of memory|[Ii]nvalid device function|[Nn]o kernel image|no ROCm)(?<subject>[\w ,-]{4,60})|\bhipError(?!OutOfMemory|NoBinaryForGpu|InvalidDeviceFunction|NoDevice)(?<found>[A-Z]\w{3,40})/,
      "hipErrorInvalidValue",
    ),
    means: ownMatter(
      "ROCm",
      "this is HIP of AMD's ROCm: nothing here is of NVIDIA's stack",
      "see AMD's list of GPUs that this ROCm supports; PyTorch for NVIDIA comes from another index",
    ),
  },
  {
    // Of a list of targets and of files for them, none is the GPU that is there.
    literals: ["gfx"],
    pattern: /(?<![\w;])(?<!gfx[\da-f]{3,4}['",;\s/]{1,4})(?<subject>gfx(?:8|9|1[0-2])[\da-f]{2})\b(?!;|\.\w|['",\s/]{1,4}gfx)/,
    examples: ["amdgcn-amd-amdhsa--gfx1103", "RX470 (gfx803)"],
    facts: ({ subject }) => ({ kind: "notice", id: "amd-gpu", subject: subject! }),
    single: true,
  },
  notice(
    // Who "uses AMD" under a system speaks of his GPU; a processor is named as one.
    "amd-gpu",
    ["using amd", "on amd", "with amd", "amd linux", "amd windows", "amd user"],
    /\b(?:using|on|with) AMD(?= (?:on|under|with) (?:Linux|Windows|Ubuntu|Arch|Fedora)|\s{0,2}[.,;)]|\s{0,2}$)|\bAMD (?:Linux|Windows|users?)\b/i,
    "using amd on linux, was working minutes ago",
    "RuntimeError: Found no NVIDIA driver (AMD Linux)",
  ),
  notice(
    "amd-gpu",
    [
      "radeon",
      "instinct",
      "amd gpu",
      "amd card",
      "amd graphics",
      "amd video",
      "amd 7",
      "amd 6",
      "amd 9",
      "+rocm",
      "firepro",
      "rx 4",
      "rx 5",
      "rx 6",
      "rx 7",
      "rx 9",
      "rx vega",
      "rx4",
      "rx5",
      "rx6",
      "rx7",
      "rx9",
      "0xt",
      "0 xt",
      "amd raven",
      "amd vega",
      "amd renoir",
      "amd cezanne",
      "amd picasso",
      "amd navi",
      "[amd/ati]",
      "mi1",
      "mi2",
      "mi3",
    ],
    /\b(?<subject>(?:AMD )?Radeon(?: (?:RX|Pro|PRO|VII|Vega)? ?\w{3,6})?|(?:AMD )?Instinct MI\d{2,3}\w?|MI(?:100|2[15]0|3[0-5][0-9])[AX]?|AMD [5679]\d{3} ?(?:XTX?|GRE)|(?:AMD )?FirePro(?: ?[WSDV]\d{3,4})?|RX ?(?:Vega ?\d{2}|[45]\d0|[5679]\d{3})(?: ?XTX?| ?GRE)?|[5679][4-9][057]0 ?XTX?|AMD (?:Raven|Vega|Renoir|Cezanne|Picasso|Navi)(?: \d{1,2})?)\b|\bAMD (?:gpus?|(?:graphics |video )?cards?)\b|VGA[^\n]{0,60}\[AMD\/ATI\]|\+rocm\d/i,
    "GPU: AMD 7900XTX",
    "| GPU | AMD Instinct MI250X |",
    "my card is a RX 6800",
    "AMD FirePro W7100",
    "6750 XT",
    "AMD Raven",
    "an AMD 7900 GRE",
    "our MI300X machines",
    "05:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Picasso",
    "torch==2.10.0+rocm7.0",
  ),
  notice(
    "intel-gpu",
    ["intel", "iris xe", "uhd graphics", "ipex"],
    /\b(?<build>(?:[\w-]{2,30}-)?ipex)\b|\b(?<subject>Intel(?:\(R\)|®)? ?(?:Corporation )?(?:Iris|UHD|HD|Xe|Arc|Mesa)(?:\(R\)|\(TM\)|®|™)?(?: ?(?:Xe|Plus|Pro|Graphics|[A-Z]?\d{3,4}\w{0,3})){0,3})|\bIntel (?:integrated )?(?:GPU|graphics)\b|VGA[^\n]{0,40}Intel Corporation (?<found>[\w ./-]{3,40})/i,
    "Graphics Mesa Intel® Xe Graphics (TGL GT2)",
    "comfyui-ipex      | RuntimeError: Found no NVIDIA driver on your system.",
    "GPU: Intel(R) UHD Graphics 620",
    "00:02.0 VGA compatible controller: Intel Corporation TigerLake-LP GT2",
  ),
  notice(
    // Forks and packages of well-known programs for AMD's GPUs, by their names.
    "amd-build",
    ["directml", "amdgpu-forge", "webui-amdgpu", "zluda", "+rocm"],
    /(?<subject>[\w-]{0,40}webui-(?:directml|amdgpu(?:-forge)?)|torch[-_]directml|\bDirectML\b|\bZLUDA\b|torch[=: ]{1,3}[\d.]{3,9}\+rocm[\d.]{1,5})/i,
    "C:\\Users\\u\\stable-diffusion-webui-directml\\launch.py",
    "torch 2.4.0+rocm6.1",
  ),
  notice(
    // rocBLAS, tensile_host.cpp: the file is there or not, and what it reads is of its own release alone.
    "tensile-not-loaded",
    ["could not load", "initialize tensile library"],
    /rocBLAS error: Could not load (?<found>[^\n]{1,200}TensileLibrary[\w.]{0,40})|Could not initialize Tensile library/,
    "rocBLAS error: Could not load /opt/rocm/lib/rocblas/library/TensileLibrary_lazy_gfx1030.dat",
    "rocBLAS error: Could not initialize Tensile library",
  ),
  {
    // A container of AMD's images: what is in it is built for ROCm.
    literals: ["rocm/", "-rocm", ":rocm"],
    pattern:
      /(?<![\w./-])(?<image>rocm\/(?:pytorch|tensorflow|vllm|jax|dev|megatron)[\w./:-]{0,60}|[\w./-]{2,40}:[\w.-]{0,24}rocm[\w.-]{0,24}|[\w/-]{2,40}-rocm(?:dev|hip)?(?::[\w.-]{1,40})?)(?=[\s"'`,)]|$)/,
    examples: ["docker run -it rocm/pytorch:latest", "image: ollama/ollama:rocm", "FROM vllm/vllm-openai-rocm:v0.6"],
    facts: ({ image }, { input }) => [
      { kind: "notice", id: "rocm-image", subject: image! },
      ...(/\b(?:docker|podman|nerdctl) run\b/.test(input) && !/--device|--privileged/.test(input)
        ? [{ kind: "notice" as const, id: "rocm-without-devices", subject: image! }]
        : []),
    ],
    notice: "rocm-image",
    single: true,
  },
  {
    // Which ROCm a wheel is for, by its index or its own name.
    literals: ["whl/", "+rocm", "%2brocm", "torch"],
    pattern: /(?:\/whl\/(?:nightly\/|test\/)?|\+|%2B|\btorch[ =]{1,3}\d\.\d{1,2}(?:\.\d)?,? \(?)rocm ?(?<version>\d\.\d)(?![\d])/i,
    examples: ["pip install torch --index-url https://download.pytorch.org/whl/rocm6.2", "torch 2.11 rocm7.2"],
    facts: ({ version }) => ({ kind: "notice", id: "rocm-of-wheel", subject: version! }),
    notice: "rocm-of-wheel",
  },
  {
    literals: ["/opt/rocm-", "rocm "],
    pattern:
      /\/opt\/rocm-(?<path>\d\.\d)|\bROCm version\W{1,6}(?<form>\d\.\d)(?:\.\d)?|\bto ROCm (?<updated>\d\.\d)|\b(?:using|have|with|running)\b[^\n;]{0,40}\bROCm (?<using>\d\.\d)|\bROCm (?<said>\d\.\d)(?:\.\d)? (?:is |was )?(?:installed|on (?:the|my) (?:system|host|machine))/i,
    examples: ["ls /opt/rocm-6.1.0/lib", "I updated to ROCm 6.1", "-   **ROCm version**: 4.0.0", "Im using ubuntu 19.10 and ROCM 3.5"],
    facts: ({ path, form, updated, using, said }) => ({
      kind: "notice",
      id: "rocm-of-system",
      subject: (path ?? form ?? updated ?? using ?? said)!,
    }),
    notice: "rocm-of-system",
  },
  notice(
    "hsa-mismatch",
    "version mismatch between hsa",
    /Version mismatch between HSA runtime and lib[\w.-]{3,60}/i,
    "Version mismatch between HSA runtime and libhsa-runtime-tools64.so.1",
  ),
  {
    // Files of ROCm by their numbers, wherever they are listed.
    literals: ["/opt/rocm"],
    pattern: /(?<!\w)\/opt\/rocm[\w.-]{0,12}\/lib(?:64)?\/(?<subject>lib[\w-]{2,40}\.so\.\d{1,3})(?![\w]|: cannot)/,
    examples: ["/opt/rocm-6.0.1/lib/libhipblas.so.2"],
    facts: ({ subject }) => ({ kind: "notice", id: "rocm-file", subject: subject! }),
    notice: "rocm-file",
    every: true,
  },
  {
    // The same as `ls` lists them in that folder, one a line.
    literals: [".so."],
    pattern:
      /^\s{0,4}(?<subject>lib(?:amdhip64|hiprtc|hip\w{3,12}|roc\w{3,16}|rccl|MIOpen|hsa-runtime64)\.so\.\d{1,3})(?:\.\d{1,8}){0,3}\s{0,4}$/,
    examples: ["libamdhip64.so.7", "libhipblas.so.2.4"],
    facts: ({ subject }) => ({ kind: "notice", id: "rocm-file", subject: subject! }),
    notice: "rocm-file",
    single: true,
  },
  {
    // A link that somebody made by hand, so that one release answers to the name of another.
    literals: ["ln -s"],
    pattern:
      /\bln -s\w? (?:\S{0,120}\/)?(?<found>lib(?:hip|roc|amd|rccl|hsa|MIOpen)[\w-]{0,30}\.so(?:\.[\d.]{1,16})?) (?:\S{0,120}\/)?(?<subject>lib(?:hip|roc|amd|rccl|hsa|MIOpen)[\w-]{0,30}\.so\.\d{1,3})\b/i,
    examples: ["sudo ln -s libhipblas.so.2 libhipblas.so.1"],
    facts: ({ subject, found }) => ({ kind: "notice", id: "rocm-link", subject: subject!, found: found! }),
    notice: "rocm-link",
    every: true,
  },
  {
    // ROCR (amd_topology.cpp), where the module of the kernel is older than the libraries.
    ...notice(
      "hsa-kernel-apart",
      "incompatible kernel and userspace",
      /Incompatible kernel and userspace(?:, (?<subject>[\w ]{3,24}) disabled)?/,
      "HSA Error: Incompatible kernel and userspace, Vega 20 disabled. Upgrade amdgpu.",
    ),
    means: {
      weight: weights.said,
      name: "amdgpu",
      required: "a kernel driver as new as the ROCm that is installed",
      found: "an older amdgpu",
      next: ["uname -r; dkms status", "cat /opt/rocm/.info/version"],
      may: [
        {
          cause: "kernel-module-mismatch",
          certainty: "likely",
          message: "the kernel module amdgpu is older than the ROCm libraries: the HSA runtime leaves the GPU out",
          fixes: [
            fix(
              "install amdgpu-dkms of the same release as ROCm (or a newer kernel), then restart",
              "sudo apt-get install --only-upgrade amdgpu-dkms",
              "sudo reboot",
            ),
          ],
        },
        { cause: "driver-too-old", message: "so the driver must become as new as ROCm", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
