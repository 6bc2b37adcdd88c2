import { libraryOf } from "../../knowledge/libraries.ts";
import { weights } from "../cause.ts";
import { fix, reloadMemoryModule, whyLine, withoutSearchPath } from "../fixes.ts";
import { objectNamed } from "../objects.ts";
import { notice, type Signature } from "../signature.ts";

/** What people say about their stack when they ask, without a program's own words. */
export default [
  notice(
    "package-upgraded",
    ["updated", "upgraded", "upgrading", "updating", "moved from", "switched from", "after upgrad", "after updat"],
    /\b(?:updat|upgrad|mov|switch|bump)(?:ed|ing)(?: from)? (?<subject>(?:Py)?[Tt]orch|[Tt]ensor[Ff]low|jax|cuDNN|CUDA|NCCL|TensorRT|transformers|vllm)(?: version)?(?: from)? v?(?<found>\d{1,2}(?:\.\d{1,3}){1,2}) to (?:(?:version |v|\k<subject> ?v?))?(?<required>\d{1,2}(?:\.\d{1,3}){1,2})\b/i,
    "i updated PyTorch 1.1 to PyTorch 1.2 but not reinstall pytorch_sparse",
    "after upgrading torch from 2.5.1 to 2.6.0",
  ),
  {
    // Where somebody has seen the very file.
    literals: [".so"],
    pattern:
      /\b(?:[Ll]ib(?:rary)?|[Ff]ile|[Ii]t|copy) (?:is )?(?:located|installed|lies|exists?|present|available|is) (?:in|at|under) [`'"]?(?<folder>\/[\w./+-]{2,200})\/(?<name>lib[\w+-]{2,60}\.so(?:\.\d{1,4}){0,4})(?![\w.]{0,60}\/)/,
    examples: ["Lib located in /opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn_ops_infer.so.8"],
    facts: ({ name, folder }) => ({ kind: "file", path: `${folder}/${name}` }),
  },
  {
    literals: [".so"],
    pattern:
      /\b(?<name>lib(?:cu|nv|amd|hip|roc|hsa)[\w+-]{1,50}\.so(?:\.\d{1,4}){0,4})["'`]? (?:is|lies|exists|resides|was found) (?:actually |indeed )?(?:in|at|under|inside|located in|installed in) (?:the (?:folder |directory )?)?["'`]?(?<folder>\/[\w./+-]{2,200}[\w+-])/,
    examples: ['The libnvrtc.so.12 is in "/opt/miniconda3/envs/py311/lib", how to specify the path ?'],
    facts: ({ name, folder }) => ({
      kind: "file",
      path: `${folder!.endsWith(name!) ? folder!.slice(0, -name!.length - 1) : folder!}/${name!}`,
    }),
  },
  {
    literals: ["mismatch", "incompatib"],
    pattern:
      /(?:mismatch(?:es)?|incompatible|incompatibility)(?: [\w-]{1,14}){0,6}? (?<after>libcupti|CUPTI|libcudnn|cuDNN)\b|\b(?<before>libcupti|CUPTI|libcudnn|cuDNN)(?: library)?(?: versions?)? (?:mismatch|incompatib)/i,
    examples: ["Why is TensorBoard Profiler using an incompatible libcupti version?", "Why does the CuDNN version mismatch?"],
    facts: ({ after, before }) => ({ kind: "notice", id: "said-mismatch", subject: /cupti/i.test((after ?? before)!) ? "cupti" : "cudnn" }),
  },
  {
    // "cuDNN: loaded 8.0.5, compiled 8.1.0", in this order or the other.
    literals: ["cudnn"],
    pattern:
      /\bcudnn\b[^\n]{0,160}?\b(?:(?:loaded|runtime|found|installed|linked)(?<had>[^\d\n]{0,24}?)v?(?<found>[5-9]\.\d{1,2}(?:\.\d{1,2})?)\b[^\n]{0,50}?\b(?:compiled|built|expected|expects|requires|needs)(?<needed>[^\d\n]{0,24}?)v?(?<required>[5-9]\.\d{1,2}(?:\.\d{1,2})?)\b|(?:compiled|built|expected|expects|requires|needs)(?<asked>[^\d\n]{0,24}?)v?(?<wanted>[5-9]\.\d{1,2}(?:\.\d{1,2})?)\b[^\n]{0,50}?\b(?:loaded|runtime|found|installed|linked)(?<having>[^\d\n]{0,24}?)v?(?<there>[5-9]\.\d{1,2}(?:\.\d{1,2})?)\b)/i,
    examples: [
      "Is a mismatch of CuDNN affecting Colab's runtime? Loaded 8.0.5, compiled 8.1.0",
      "my cuDNN does not fit: it was compiled with 8.1.0 but the loaded one is 8.0.5",
    ],
    facts: ({ had = "", needed = "", asked = "", having = "", found, required, wanted, there }) =>
      // A number behind another name is that one's.
      /cuda|driver|python|torch|tensorflow|keras|ubuntu|gcc/i.test(`${had} ${needed} ${asked} ${having}`)
        ? undefined
        : { kind: "version-pair", library: "cudnn", required: (required ?? wanted)!, found: (found ?? there)!, by: "the program" },
  },
  {
    literals: ["compiled against cu", "compiled with cu", "built against cu", "built with cu", "compiled for cu", "built for cu"],
    pattern:
      /(?:compiled|built) (?:against|with|for) (?:CUDA (?:toolkit )?(?<cuda>\d{1,2}\.\d{1,2})|cuDNN (?<cudnn>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?))/i,
    examples: ["# Assuming TensorFlow compiled against CUDA 11.0", "a TensorFlow that was built against CuDNN 8.2.0"],
    facts: ({ cuda, cudnn }) => ({
      kind: "framework",
      id: "program",
      ...(cuda === undefined ? {} : { cuda }),
      ...(cudnn === undefined ? {} : { cudnn }),
    }),
  },
  {
    // "TensorFlow 2.4 (CUDA 11.0)", "PyTorch 2.1 built for CUDA 12.1": the CUDA of a build.
    literals: ["tensorflow", "pytorch"],
    pattern:
      /\b(?:(?<tensorflow>TensorFlow)|PyTorch) v?(?<version>\d\.\d{1,2}(?:\.\d{1,2})?) ?(?:\((?:(?:built )?(?:for|with) )?|(?:(?:was |is )?built |compiled )?(?:for|with) )CUDA v?(?<cuda>\d{1,2}\.\d)\b/i,
    examples: ["TensorFlow 2.4 (CUDA 11.0), nvidia-smi says 12.0", "PyTorch 2.1.0 built with CUDA 12.1"],
    facts: ({ tensorflow, version, cuda }) => ({
      kind: "framework",
      id: tensorflow === undefined ? "torch" : "tensorflow",
      version: version!,
      cuda: cuda!,
    }),
  },
  {
    // What programs print of tf.sysconfig.get_build_info().
    literals: ["cuda build version"],
    pattern: /\bTensorFlow[\w .]{0,12} CUDA Build version: (?<cuda>\d{1,2}\.\d)\b/i,
    examples: ["INFO:tensorflow:TensorFlow CUDA Build version: 11.2"],
    facts: ({ cuda }) => ({ kind: "framework", id: "tensorflow", cuda: cuda! }),
  },
  {
    literals: [" installed", "cudnn"],
    pattern: /\bcuDNN (?<version>[4-9]\.\d{1,2}\.\d{1,2})(?: is| was)? (?:installed|loaded)/i,
    examples: ["Colab has CuDNN 8.4.0 installed"],
    facts: ({ version }) => ({ kind: "package", manager: "dpkg", name: "cudnn", version: version! }),
  },
  {
    // "found libcudart.so.9.0", "I only have libcupti.so.11.8": a file that is there, unless the sentence says that it is not.
    literals: [
      "have lib",
      "has lib",
      "found lib",
      "see lib",
      "got lib",
      "only lib",
      "contains lib",
      "there is lib",
      "have a lib",
      "is a lib",
    ],
    pattern:
      /(?<!(?:\b(?:not|no|cannot|never|if|should|must|would|to|dont|didnt|cant)|n['’]t) (?:\w{1,12} ){0,2})\b(?:have|has|found|see|got|contains|there is)(?: only| just| an?| the)? (?:lib[\w+-]{2,40}\.so[\d.]{0,12},? (?:and )?){0,4}(?<name>lib[\w+-]{2,40}\.so(?:\.\d{1,4}){1,3})(?![\w:]| ?=>| (?:is |was )?(?:missing|not )|\.\d)/i,
    examples: ["in /usr/local/cuda/lib64 I found libcudart.so.9.0.", "I only have libcupti.so.11.8 here"],
    facts: ({ name }) => (libraryOf(name!) ? { kind: "file", path: name! } : undefined),
  },
  {
    // The same of a DLL, with its folder or without.
    literals: [".dll"],
    pattern:
      /(?<!(?:\b(?:not|no|cannot|never|if|should|must|would|to|dont|didnt|cant)|n['’]t) (?:\w{1,12} ){0,2})\b(?:have|has|is|found|see|contains)(?: only| just| an?| the)? [`'"]?(?<path>(?:[A-Z]:\\[^"'`<>|:\n]{3,200}\\)?(?:cu|nv)[a-z_]{2,20}64_[\d._]{1,12}\.dll)[`'"]?(?: in\b| there\b|[,.]?$|[,.] )/i,
    examples: [
      "all I can find is D:\\CUDA\\v11.2\\extras\\CUPTI\\lib64\\cupti64_2020.3.0.dll",
      "I have `cudnn64_7.dll` in the folder of CUDA",
    ],
    facts: ({ path }) => (objectNamed(path!) ? { kind: "file", path: path! } : undefined),
  },
  {
    literals: ["rtx", "gtx", "titan", "tesla", "a100", "h100", "quadro"],
    pattern:
      /(?<!\b(?:AMD|Radeon) (?:Radeon )?)\b(?<name>(?:RTX|GTX)[ -]?(?:A?\d{3,4}(?: ?Ti\b| SUPER\b)?)|TITAN (?:Xp?|V|RTX)|(?:Tesla )?[ATVPKLH]\d{1,3}|GB?200)\b/i,
    examples: ["my GPU is a RTX 3090", "GeForce GTX 1080 Ti"],
    facts: ({ name }) => ({
      kind: "notice",
      id: "gpu-said",
      // There is no GTX of these generations; people write it all the same.
      subject: name!.replace(/^(?:RTX|GTX)[ -]?(?=(?<series>[2345]0\d0))/i, "RTX ").replace(/(?<=\d)Ti$/i, " Ti"),
    }),
  },
  {
    // A whole series, where no card of it is named.
    literals: ["rtx 50", "50xx", "50 series", "50-series", "5000 series"],
    pattern: /\b(?:RTX ?50(?:xx|00)?(?: |-)?series\b|RTX ?50xx\b|\b50(?:xx|[ -]series)\b)/i,
    examples: ["torch doesn't work with the new NVIDIA RTX 50xx"],
    facts: () => ({ kind: "gpu", name: "RTX 50 series", capability: "12.0" }),
  },
  {
    ...notice(
      // The package of conda that is called so has the libraries and no compiler.
      "cudatoolkit-without-nvcc",
      ["cudatoolkit"],
      /\bnvcc\b[^\n]{0,80}\b(?:doesn['’]?t|does not|not|no|still|missing|n['’]t)\b[^\n]{0,80}\bcudatoolkits?\b|\bcudatoolkits?\b[^\n]{0,60}\b(?:doesn['’]?t|does not|not|no|without|lacks?|missing)\b[^\n]{0,40}\bnvcc\b/i,
      "nvcc version doesn't change when installing different cudatoolkits",
      "conda's cudatoolkit does not bring nvcc",
    ),
    means: {
      weight: weights.hint + 1,
      name: "cudatoolkit",
      required: "a package of conda with the compiler",
      found: "cudatoolkit, which holds the libraries that run programs",
      next: ["which -a nvcc", "conda list | grep -i cuda"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "conda's `cudatoolkit` brings no nvcc: the one that answers is the system's, whatever release of cudatoolkit is installed",
          fixes: [
            fix(
              "where something must be compiled: install the compiler too, in the release that PyTorch was built with",
              "conda install -c nvidia cuda-nvcc",
            ),
          ],
        },
        { cause: "cuda-home-wrong", message: "so PATH and CUDA_HOME lead to another toolkit than the environment's", fixes: [] },
        { cause: "library-missing", message: "or no nvcc is installed at all", fixes: [] },
      ],
    },
  },
  notice(
    "gpu-there-told",
    ["gpu", "graphics card", "graphic card"],
    /\b(?:I|we|my|our|machine|PCs?|laptop|runtime|server|workstation|system|instance|node|desktop|computer)\b[^\n.]{0,60}\b(?:have|has|having|with|an?|each|got)\b[^\n.]{0,24}\b(?:nvidia|geforce|cuda)[- ](?:\w{1,12} ){0,2}?(?:gpus?|cards?|graphics? cards?)\b|\bGPU(?:\/TPU)?(?: \w{2,12})?(?: is| was| has been| were) (?:(?!not\b|no\b|never\b)\w{2,8} )?(?:turned on|enabled|selected|chosen|available|there|recognized|detected by)\b|\bhow (?:to|can I|do I) run (?:it |this )?on (?:my |the |a )?GPUs?\b/i,
    "I am running on two PCs with Windows 11, each with Nvidia GPU",
    "The TPU/GPU was turned on.",
    "Could you help me please how to run it on GPU/TPU?",
  ),
  {
    // "it looks for 'cupti64_110.dll', but the toolkit installs another": what is looked for is not there.
    literals: ["look for ", "looks for ", "looking for ", "searches for ", "searching for ", "asks for "],
    pattern:
      /\b(?:looks?|looking|search(?:es|ing)|asks|asking) for (?:the )?(?:file |library )?[`'"]?(?<name>(?:lib[\w+-]{2,40}\.so(?:\.\d{1,4}){0,3}|(?:cu|nv)[a-z_]{2,20}64_[\d._]{1,12}\.dll))[`'"]?,? (?:however|but|while|whereas|although|though|and (?:does not|doesn|cannot|fails))/i,
    examples: ["TensorFlow looks for 'cupti64_110.dll' however the toolkit installs cupti64_2020.1.0.dll"],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "said" }),
  },
  {
    // "nvcc is 10.1", "nvidia-smi shows 11.7", in a sentence.
    literals: ["nvcc", "nvidia-smi"],
    pattern:
      /\bnvcc(?: -V| --version)?[`'"]? (?:is|says|shows|reports|gives|prints)(?: that)?(?: it is)?(?: CUDA)?(?: version)?:? ?(?<nvcc>\d{1,2}\.\d)\b|\bnvidia-smi[`'"]? (?:is|says|shows|reports|gives|prints)(?: that)?(?: CUDA)?(?: version)?:? ?(?:CUDA )?(?<smi>\d{1,2}\.\d)\b(?!\.\d)/i,
    examples: ["My nvcc is 10.1", "and nvidia-smi shows CUDA 11.7"],
    facts: ({ nvcc, smi }) =>
      nvcc === undefined ? { kind: "driver-cuda", version: smi! } : { kind: "toolkit", version: nvcc, from: "nvcc" },
    every: true,
  },
  notice(
    // Somebody says that there is none: then nothing that is missing for one is missed.
    "no-gpu-here",
    ["gpu", "graphics card", "video card"],
    /\b(?:I|we|it|(?:my|this|our|the) (?:laptop|machine|computer|server|PC|VM|notebook|instance|system))\s(?:(?:really |just |actually )?(?:do(?:es)?n['\u2019]t|do(?:es)? not) (?:even |really )?have|ha(?:s|ve)(?: got)? no|is without|without)(?: an?y?)?(?: (?:nvidia|dedicated|discrete|cuda(?:[- ](?:capable|enabled))?|supported)){0,2} (?:GPUs?|graphics cards?|video cards?)\b(?! (?:memory|support|access|left|available|version))/i,
    "I don't have a GPU in this laptop",
    "my machine has no NVIDIA GPU",
  ),
  // Whoever sees his GPU in nvidia-smi has a driver that works, there where he typed it.
  notice(
    "smi-works",
    "nvidia-smi",
    /\bnvidia-smi\b[`'"]?(?: \w{2,9}){0,4}? (?:works?|worked|shows? (?:my|the|all|both|a|it|up)|is (?:fine|working|ok)|runs (?:fine|well)|sees|lists|detects|recogni[sz]es)\b(?! not)|\bnvidia-smi\b[`'"]?(?: \w{2,9}){0,3}?,? (?:it )?(?:returns?|prints?|outputs?|gives|displays?) (?:the|a|my|all)(?: \w{2,8})? (?:table|GPUs?|cards?|output|list)\b/i,
    "nvidia-smi works",
    "and nvidia-smi shows the card",
    "When I call `nvidia-smi`, it returns the GPU table",
  ),
  {
    literals: ["windows"],
    pattern:
      /\b(?:on|in|for|using|under) (?:native |my )?Windows\b(?! ?\d| ?server|[\s'’]{1,2}(?:subsystem|terminal|driver|side|host))(?![^\n]{0,40}\bWSL)/i,
    examples: ["tensorflow can't see my gpu on windows"],
    facts: () => ({ kind: "platform", is: "windows" }),
    single: true,
  },
  {
    literals: ["installed cuda", "installed the cuda", "install cuda", "installing cuda"],
    pattern:
      /\b(?:I|we|have|had|just|after|already|freshly|newly)(?: \w{2,10}){0,2}? install(?:ed|ing) (?:the )?CUDA(?: toolkit)?(?: version)? v?(?<found>\d{1,2}\.\d)\b(?!\.\d{3})/i,
    examples: ["nvcc --version says 10.1 although I installed CUDA 12.1 last week"],
    facts: ({ found }) => ({ kind: "notice", id: "toolkit-installed-told", found: found! }),
  },
  {
    ...notice(
      // "JAX uses the libraries in LD_LIBRARY_PATH instead of those that pip installed".
      "other-copy-told",
      ["instead of", "rather than", "takes precedence", "over the bundled"],
      /\b(?:uses?|using|picks?(?: up)?|picking up|loads?|loading|finds?|prefers?|links? (?:to|against))\b[^\n.;]{0,60}\b(?<found>LD_LIBRARY_PATH|\/usr\/\S{1,60}|system(?:['\u2019]s)?(?: \w{2,12}){0,2}|conda(?:['\u2019]s)?(?: \w{2,12}){0,2})[`'"]? (?:instead of|rather than) (?:the )?(?:one |ones |libraries |those )?(?:in |of |from |that )?(?:the )?(?:bundled|pip|wheel|own|packaged|shipped|vendored|installed by pip|environment)/i,
      "JAX uses the first CUDA libraries found in LD_LIBRARY_PATH instead of the bundled CUDA libraries installed by pip",
      "torch loads cudnn from LD_LIBRARY_PATH rather than the bundled one",
    ),
    means: {
      weight: weights.hint + 1,
      about: (_facts, context, [fact]) => ({ evidence: [fact!], next: [whyLine("libcudart", context), "echo $LD_LIBRARY_PATH"] }),
      may: [
        {
          cause: "library-shadowed",
          certainty: "likely",
          required: "the copies that the package brings",
          message: (_facts, _context, [fact]) =>
            `copies of ${fact!.found === "LD_LIBRARY_PATH" ? "a folder in LD_LIBRARY_PATH" : `\`${fact!.found}\``} are found before those that the package brings`,
          because: ["LD_LIBRARY_PATH is searched before the folder that a library names itself (RUNPATH)"],
          fixes: [withoutSearchPath()],
        },
        { cause: "two-copies", message: "so two copies of one library may meet in the process", fixes: [] },
      ],
    },
  },
  notice(
    "hangs-told",
    ["stuck", "hang", "hung", "freez", "frozen", "choked", "forever", "no progress"],
    /\b(?:(?:got|get|gets|is|stays|just) stuck|stuck (?:at|in|on|here|when|for|while)|hangs?\b|hung\b|freez(?:es|ing)|frozen|choked|waits? forever|runs? forever|no progress)\b/i,
    "Got stuck when using PyTorch extensions root",
  ),
  notice(
    "torch-replaced-told",
    ["torch"],
    /\b(?:re-?install(?:ed|ing)?|replac(?:ed|ing)|downgrad(?:ed|ing)|upgrad(?:ed|ing)|updat(?:ed|ing))(?: (?:the|my|to))?(?: \w{2,8})? (?:py)?torch\b/i,
    "I had it working all along until I re-installed the Pytorch GPU in the Anaconda environment",
  ),
  notice(
    "system-upgraded-told",
    ["upgraded", "updated"],
    /\b(?:upgraded|updated)(?: (?:the|my|to|from))?(?: \w{2,10})? ?(?:Jet[Pp]ack|CUDA|TensorRT|Ubuntu|Debian|Fedora|the system|my system|L4T)\b/,
    "I have just upgraded Jetpack:",
  ),
  {
    ...notice(
      "pids-unseen",
      ["processes", "pids", " pid "],
      /\b(?:gpu )?(?:process(?:es)?|pids?)\b[^\n.]{0,40}\b(?:not|n['’]t|no|never|cannot|can['’]t)\b[^\n.]{0,24}\b(?:visible|shown?|listed|see|appear|display)\w{0,3}\b[^\n.]{0,60}\b(?:container|docker|pod|nvidia-smi|gpustat)\b|\b(?:unable to|cannot|can['’]t|does(?:n['’]t| not)) (?:see|show|list|display)(?: the| any)?(?: gpu)? (?:process(?:es)?|pids?)\b|\bNo running processes found\b[^\n]{0,40}\b(?:but|although|though|even)\b/i,
      "Unable to see gpu processes pid inside the container",
      "GPU processes are not listed when running inside a Docker container",
    ),
    means: {
      weight: weights.hint + 1,
      name: "the container",
      next: ["nvidia-smi"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "a container has process numbers of its own, and the driver knows those of the host: nvidia-smi cannot name its processes there; the GPU works all the same",
          fixes: [fix("look on the host, or start the container with the host's process numbers (`docker run --pid=host …`)")],
        },
      ],
    },
  },
  {
    // In the words of people: the memory of unified addresses (nvidia_uvm) does not outlive a suspend.
    ...notice(
      "after-suspend-told",
      ["suspend", "hibernat", "sleep", "resume", "waking up", "wake up"],
      /\b(?:(?:after|since|from|when|following)(?: a| the| my)?(?: \w{2,10}){0,3} (?:suspen(?:d|ding|sion)|hibernat\w{1,4}|sleep(?:ing)?|resum(?:e|ing)|wak(?:e|ing)(?: up)?))\b[^\n]{0,120}\b(?:cuda|gpu|nvidia|torch|ollama|nvml)\b|\b(?:cuda|gpu|nvidia|torch|ollama)\b[^\n]{0,100}\b(?:after|since|from)(?: a| the| my)?(?: \w{2,10}){0,3} (?:suspen(?:d|ding|sion)|hibernat\w{1,4}|sleep|resum(?:e|ing)|wak(?:e|ing) up)\b|\bsuspend(?: mode)? (?:leads to|breaks|kills)\b[^\n]{0,80}\b(?:cuda|gpu|nvidia|ollama)\b/i,
      "CUDA is gone after a suspend of the laptop",
      "debian suspend leads to starting Ollama without Cuda",
    ),
    means: {
      weight: weights.concluded,
      name: "nvidia_uvm",
      unless: (facts) => facts.on("container") || 0 < facts.notices("nvml-mismatch", "api-mismatch").length,
      next: ["lsmod | grep nvidia_uvm"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "after a suspend the driver's module for CUDA's memory (nvidia_uvm) no longer answers, until it is loaded again: no release changes that",
          fixes: [
            reloadMemoryModule("load it again: end what uses the GPU first"),
            fix(
              "so that it does not come again: keep the memory over a suspend (`NVreg_PreserveVideoMemoryAllocations=1`, with the services nvidia-suspend and nvidia-resume)",
            ),
          ],
        },
        { cause: "driver-not-exposed", message: "or the GPU did not come back from its sleep: `nvidia-smi` then fails, too", fixes: [] },
      ],
    },
  },
  notice(
    // Of WSL: Microsoft's kernel is the one that has its module for the GPU.
    "own-kernel-told",
    "kernel",
    /\b(?:compil|build|built|custom|own)\w{0,4}\b[^\n]{0,30}\bkernel\b[^\n]{0,40}\bWSL|\b(?:compil\w{0,4}|config\w{0,8})\b[^\n]{0,30}\bkernel of WSL|\bWSL\w?\b[^\n]{0,40}\b(?:compil|custom|own)\w{0,4} (?:\w{2,10} )?kernel\b/i,
    "When using this config to compile kernel of WSL, the linux distro cannot get nvidia gpu support.",
  ),
  notice(
    "two-compilers",
    "nvcc",
    /\b(?:picks?(?: up)?|picking up|takes?|uses?|using|finds?|found|detects?|selects?)\b(?: the| a| up)?(?: CMake)? wrong [`'"]?nvcc\b|\bwrong (?:path|version) (?:for|of) (?:the )?[`'"]?nvcc\b|\b(?:two|2|both|different|several|multiple|another|older|wrong) (?:versions?|releases?|copies|installs?|installations?)?(?: of)? ?[`'"]?nvcc\b|\bnvcc\b[^\n.;]{0,60}\b(?:does(?: not|n['\u2019]t) match|mismatch|older|wrong (?:one|version|cuda)|instead of)\b/i,
    "I have 2 versions of nvcc on the image",
    "nvcc cuda version doesnt match the base image: it is the older one",
    "CMake Picks Up Wrong `nvcc` Path During Build",
  ),
] satisfies Signature[];
