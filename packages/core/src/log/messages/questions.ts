import { weights } from "../cause.ts";
import { libcuda, ownMatter } from "../meaning.ts";
import { fix, gpuAccess } from "../fixes.ts";
import { majorOf, type Context } from "../context.ts";
import type { Draft, Facts } from "../fact.ts";
import { notice, type Signature } from "../signature.ts";
import { torchBuildLine, torchForDriver, torchInMajor } from "../torch-lines.ts";

const cpuTorch: Draft = { kind: "framework", id: "torch", cpuOnly: true };

/** Since CUDA 11 a driver runs every minor of its major. */
const isOneMajor = (facts: Facts): boolean => {
  const [fact] = facts.notices("driver-ends-before");
  const [needs, has] = [fact?.required, fact?.found].map((version) => Number(majorOf(version ?? "0")));
  return 11 <= has! && needs === has;
};

/** The release of PyTorch that the text names in its nearest build for a driver of this CUDA; else the newest that it runs. */
function torchForNumber(cuda: string, facts: Facts, context: Context): ReturnType<typeof fix>[] {
  const named = context.framework("torch").version?.split("+")[0];
  const line = named === undefined ? undefined : torchInMajor(named, cuda, facts);
  const newest = torchForDriver(cuda, facts);
  return [
    ...(line === undefined ? [] : [fix(`install PyTorch ${named} in its build for the same major`, line)]),
    ...(line === undefined && newest ? [fix(`install the newest PyTorch that a driver of CUDA ${cuda} runs`, torchBuildLine(newest))] : []),
  ];
}

/** What people say they see, where no program said it: the symptom, and never a cause of our own. */
export default [
  {
    literals: ["is_available"],
    pattern:
      /torch\.cuda\.is_available\(\)[^\n]{0,60}?\b(?:gives?|returns?|returned|is|was|still|shows?|printed|prints?)\b[^\w\n]{0,4}(?<value>false|true)\b/i,
    examples: ['I call torch.cuda.is_available() in python3 and it gives "False"', "torch.cuda.is_available() is false"],
    facts: ({ value }) => ({ kind: "available", by: "torch", value: value!.toLowerCase() === "true" }),
  },
  {
    literals: ["cuda available", "cuda is not available", "cuda device is not available", "torch.cuda.is_available() ="],
    pattern:
      /\bcuda available[:=]? {0,2}false\b|cuda (?:device )?is not available\b|torch\.cuda\.is_available\(\) {0,2}={1,2} {0,2}false\b/i,
    examples: ["Cuda available: False, in jetson orin nx", "AssertionError: cuda device is not available"],
    facts: () => ({ kind: "available", by: "torch", value: false }),
  },
  {
    literals: ["torch", "pytorch"],
    pattern:
      /\b(?:non-cuda|cpu(?:-only)?) (?:version|build|wheel|variant)s? of (?:py)?torch|\b(?:the )?(?:non-cuda|cpu-only|cpu) (?:py)?torch\b(?! tensors?)|\b(?:install(?:s|ed|ing)?|gets?|got|pulls?|downloads?) (?:the )?(?:py)?torch(?: [\d.]{3,8})? (?:cpu|cpu-only) (?:version|build|variant|only)|CPU ?版本的 ?(?:py)?torch|torch 只有 CPU/i,
    examples: [
      "this line only installs cpu versions of pytorch",
      "grabbing the non-cuda pytorch version",
      "conda installs pytorch cpu version even though I have a GPU",
    ],
    facts: () => cpuTorch,
  },
  {
    literals: ["cpu version", "cpu build"],
    pattern:
      /\b(?:installs?|installed|gets?|got|obtained|provides?) (?:the )?cpu (?:version|build)s?\b(?: only)?(?: instead| rather|\.|$)/i,
    examples: ["This command installs cpu version instead of cuda."],
    facts: () => cpuTorch,
  },
  {
    // In whatever words, a frame takes it.
    ...notice(
      "asks-speed",
      "slower than",
      /\bwhy (?:is|are) [^\n?]{2,60} slower than [^\n?]{2,60}\bon (?:the|my) GPU\b/i,
      "why is cupy slower than numpy on my GPU?",
    ),
    means: ownMatter(
      "the program",
      "the question is one of speed or of memory: no release that does not fit is in sight",
      "measure it with a profiler (torch.profiler, Nsight Systems); smaller batches, half precision and fewer copies need less memory",
    ),
  },
  {
    ...notice(
      "gpu-idle",
      ["gpu-util", "gpu util", "gpu usage"],
      /GPU[ -]?(?:[Uu]til(?:i[sz]ation)?|usage)(?: rate)? (?:is|was|stays|shows|at|=)?(?: always| stuck at)? ?0 ?(?:%|\b)/,
      "the Volatile GPU-Util is 0%",
      "GPU usage is 0% while CPU is 100%",
    ),
    means: {
      // A GPU that waits: most often for data. What else it may be, the framework itself can say.
      symptom: "the GPU does nothing while the program runs",
      unless: (facts) => facts.has("available") || facts.has("cuda-error"),
      next: ["nvidia-smi dmon -s u", 'python -c "import torch; print(torch.__version__, torch.cuda.is_available())"'],
      may: [
        {
          cause: "not-a-mismatch",
          name: "the program",
          message: "it waits for data: where its memory is used, the GPU works in short bursts between batches",
          fixes: [fix("use more workers in the data loader, and larger batches; measure with a profiler")],
        },
        {
          cause: "wrong-wheel-cpu-only",
          name: "the framework",
          message: "or the framework was built without CUDA, and computes on the CPU",
        },
        { ...libcuda, cause: "driver-too-old", message: "or the driver is older than the framework needs, and it went on without the GPU" },
        {
          ...libcuda,
          cause: "driver-not-exposed",
          message: "or no driver reaches the process",
          fixes: (_facts, context) => [gpuAccess(context, "in a container: start it with")],
        },
      ],
    },
  },
  notice(
    "smi-absent",
    "nvidia-smi",
    /nvidia-smi\b(?!: (?:command )?not found|' is not recognized)[^\n]{0,70}(?:command (?:is )?not found|is not (?:found|supported|recognized)|doesn['\u2019]?t work|did(?: not|n['\u2019]?t) work|does not work)/i,
    "When I type nvidia-smi in the container, it answers that the command is not found",
  ),
  {
    // A list of the device files in which the one for memory is absent.
    literals: ["/dev/nvidia"],
    pattern: /(?<!\w)no \/dev\/nvidia-uvm|\/dev\/nvidia0\b(?=[^\n]{0,200}\/dev\/nvidiactl)(?![^\n]{0,300}nvidia-uvm)/,
    examples: ["ls /dev/nvidia*: /dev/nvidia0 /dev/nvidiactl", "there is no /dev/nvidia-uvm in the container"],
    facts: () => ({ kind: "notice", id: "no-uvm-device" }),
  },
  {
    // What Windows puts there for a GPU without NVIDIA's driver.
    literals: ["libdxcore.so"],
    pattern:
      /^(?:-r\S{1,12} )?(?:[\w./-]{0,40}libd3d12\w{0,6}\.so\s{1,4}){1,3}(?:[\w./-]{0,40}libdirectml\S{0,8}\s{1,4})?[\w./-]{0,40}libdxcore\.so\s{0,4}$/,
    examples: ["libd3d12.so  libd3d12core.so  libdirectml.so  libdxcore.so"],
    facts: () => [
      { kind: "notice", id: "wsl-no-libcuda" },
      { kind: "platform", is: "wsl2" },
    ],
    single: true,
  },
  notice(
    "no-devices",
    ["number of devices is 0", "detect the gpu"],
    /Number of devices is 0|(?:fails?|failed|unable|not able) to detect (?:the|my|any) GPU/i,
    'the example fails to detect the GPU: "Number of devices is 0"',
  ),
  notice(
    "said-shadowed",
    ["ld_library_path"],
    /LD_LIBRARY_PATH\b[^\n]{0,90}\b(?:shadows?|comes? before|takes? precedence over|is searched before|overrides?)\b[^\n]{0,60}\b(?:own|bundled|site-packages|wheel)/i,
    "LD_LIBRARY_PATH names a system CUDA that comes before torch's own libraries",
  ),
  {
    literals: ["instead of", "but it is", "but, it is"],
    pattern:
      /\bwith cuda (?<found>\d{1,2}\.\d{1,2}) instead of (?<required>\d{1,2}\.\d{1,2})|\+cuda(?<wanted>\d{1,2}\.\d{1,2})\S{0,20},? but,? it is \S{0,60}\+cuda(?<has>\d{1,2}\.\d{1,2})/i,
    examples: [
      "it installs pytorch 1.12.1 but with cuda 11.3 instead of 11.6",
      "The package should be libcudnn8_8.9.1.23-1+cuda11.8, but it is libcudnn8_8.9.1.23-1+cuda12.1",
    ],
    facts: ({ found, required, wanted, has }) => ({
      kind: "notice",
      id: "other-cuda-build",
      required: (required ?? wanted)!,
      found: (found ?? has)!,
    }),
  },
  notice(
    "wants-newer-cuda",
    "requires a newer",
    /\b(?<subject>JAX|PyTorch|TensorFlow|CuPy|ONNX Runtime) requires a newer (?:version of )?(?<required>CUDA|cuDNN)/i,
    "Jax requires a newer version of Cuda",
  ),
  {
    // "The driver on the nodes is 418.87.00": a release with words between.
    literals: ["driver"],
    pattern:
      /\bdriver\b(?: (?:version|release))?(?: (?:that is |which is )?installed)?(?: (?:on|in|of|for) [\w' ,-]{2,60})? is (?:version )?v?(?<version>[3-9]\d{2}\.\d{1,3}(?:\.\d{1,3})?)\b/i,
    examples: ["The version of the driver installed on the compute nodes in the GPU partition is 418.87.00."],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "any" }),
  },
  {
    literals: [" driver"],
    pattern: /\b(?:only|have|has|with|use|install) (?:the |only the )?(?<version>[3-6]\d0|[3-6]\d5) driver\b/i,
    examples: ["on this system I can install only 430 driver"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "any" }),
  },
  {
    // The label of a wheel is the CUDA that it brings, and not one that must be installed.
    ...notice(
      "no-torch-for-cuda",
      ["torch"],
      /\b(?:no|not any|can(?:not|['\u2019]t) find (?:a |any )?|is there (?:a |any )?|which)\s?(?:version of )?(?:py)?torch(?: (?:version|build|wheel|release|binar)\w{0,3})?\b[^\n.?]{0,40}\b(?:compatible with|for|with|supports?|to use with)\b[^\n.?\d]{0,16}(?<required>1[0-4]\.\d)\b|\b(?:py)?torch\b[^\n.?]{0,40}\b(?:for|with|on) CUDA ?(?<found>1[0-4]\.\d)\b[^\n.?]{0,30}\b(?:be (?:available|released|supported)|not (?:available|supported|provided|published))/i,
      "there is no pytorch compatible with 11.4",
      "When pytorch for cuda 11.2 will be available?",
    ),
    means: {
      weight: weights.hint,
      name: "torch",
      about: (_facts, _context, [fact]) => ({ required: `a PyTorch that a driver of CUDA ${fact!.required ?? fact!.found} runs` }),
      unless: (facts) =>
        (["cuda-error", "not-found", "undefined-symbol", "version-pair", "gpu-unsupported", "built-with"] as const).some((kind) =>
          facts.has(kind),
        ),
      next: ["nvidia-smi"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `PyTorch needs no build for CUDA ${fact!.required ?? fact!.found}: its wheels bring their own CUDA, and any of the major that the driver runs will do`,
          fixes: (facts, context, [fact]) => torchForNumber((fact!.required ?? fact!.found)!, facts, context),
        },
        {
          cause: "wrong-wheel-cuda-version",
          message: "only where extensions are compiled must the toolkit be of the CUDA that the wheel was built with",
          fixes: [],
        },
      ],
    },
  },
  notice("driver-too-old", "insufficient driver", /^\s{0,4}Insufficient driver\s{0,4}$/, "Insufficient driver"),
  notice("store-python", ["windows store", "microsoft store"], /\b(?:Windows|Microsoft) Store\b/i, "Python 3.8 from the Windows Store"),
  notice(
    "scheduler",
    ["srun", "sbatch", "slurm", "qsub", "#pbs", "login node", "log-in node"],
    /\bsrun\b|\bsbatch\b|\b[Ss]lurm|\bSLURM_|\bqsub\b|#PBS\b|\b[Ll]og-?in node\b/,
    "srun --gres=gpu:1 --pty bash",
  ),
  {
    // torch for R.
    literals: ["cuda_is_available()"],
    pattern: /\bcuda_is_available\(\)[^\w\n]{0,12}(?:\[1\] )?(?<value>TRUE|FALSE)\b/,
    examples: ["> torch::cuda_is_available() [1] FALSE"],
    facts: ({ value }) => ({ kind: "available", by: "torch", value: value === "TRUE" }),
  },
  {
    // The commonest question of all: two tools name two releases of CUDA.
    ...notice(
      "smi-and-nvcc",
      ["nvidia-smi"],
      /\bnvcc\b[^\n]{0,60}\bnvidia-smi\b[^\n]{0,60}\b(?:differ\w{0,4}|mismatch\w{0,4}|not (?:be )?(?:the )?same|do(?:es)?(?: not|n['\u2019]t) (?:match|agree))\b|\bnvidia-smi\b[^\n]{0,60}\bnvcc\b[^\n]{0,60}\b(?:differ\w{0,4}|mismatch\w{0,4}|not (?:be )?(?:the )?same|do(?:es)?(?: not|n['\u2019]t) (?:match|agree))\b|\bdifferent CUDA versions?\b[^\n]{0,40}\bnvidia-smi\b|\bnvcc\b[^\n]{0,120}\bnvidia-smi\b[^\n]{0,30}\bstill (?:uses?|shows?|says?|reports?|displays?)\b|\bnvidia-smi\b[^\n]{0,20}\bdo(?:es)?(?: not|n['\u2019]t) (?:reflect|match|show)\b[^\n]{0,40}\b(?:cuda|toolkit)\b/i,
      "CUDA version in nvcc -V and nvidia-smi is different",
      "nvidia-smi and nvcc do not match, what now?",
      "nvidia-smi doesn't reflect the CUDA toolkit that I installed",
    ),
    means: {
      weight: weights.hint,
      name: "nvidia-smi and nvcc",
      unless: (facts) => facts.has("driver-cuda") && facts.all("toolkit").some(({ from }) => from === "nvcc"),
      next: ["which -a nvcc; ls -d /usr/local/cuda*"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "nvidia-smi shows the newest CUDA that the driver runs, nvcc the toolkit that is found first: they need not be equal",
        },
        {
          cause: "cuda-home-wrong",
          message: "only where something is compiled here does nvcc count: then PATH and CUDA_HOME select which",
          fixes: [
            fix(
              "where a toolkit is there that fits, name it before the build; conda installs one without an administrator",
              "conda install -c nvidia cuda-nvcc cuda-toolkit",
            ),
          ],
        },
        { cause: "toolkit-too-old", message: "or that nvcc is older than the GPU, or than what is compiled, wants" },
      ],
    },
  },
  {
    // "which CUDA is really used?"
    ...notice(
      "which-cuda-asked",
      ["which cuda", "which version of cuda", "which one is", "which of the", "what cuda"],
      /\b(?:which|what) (?:CUDA(?: toolkit)?(?: version)?|version of CUDA|one is|of (?:the|these) (?:two|CUDA)[\w ]{0,12})\b[^\n?]{0,50}\b(?:used|use|uses|counts?|matters?|appl(?:y|ies)|right|correct|actual(?:ly)?|real(?:ly)?|effective|runs?|running|active)\b/i,
      "nvcc and nvidia-smi tell me two numbers. Which CUDA version is actually used by PyTorch?",
    ),
    means: {
      weight: weights.other,
      name: "nvidia-smi and nvcc",
      // Of a CUDA alone is spoken, and of no fault.
      unless: (facts) =>
        0 < facts.notices("smi-and-nvcc").length ||
        !(facts.has("toolkit") || facts.has("driver-cuda") || facts.has("driver")) ||
        ["cuda-error", "not-found", "undefined-symbol", "arch-refused", "version-pair", "needs-has", "available"].some((kind) =>
          facts.has(kind as "not-found"),
        ),
      next: ["nvcc --version; nvidia-smi"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "nvidia-smi shows the newest CUDA that the driver runs, nvcc the toolkit that compiles; a program runs with the CUDA that it was built with or brings along, whatever these two show",
          fixes: [
            fix(
              "this shows the one that PyTorch runs with; every framework has its own",
              'python -c "import torch; print(torch.version.cuda)"',
            ),
          ],
        },
      ],
    },
  },
  {
    // "installed pytorch with cuda 12.4 but my driver only supports CUDA 12.2".
    ...notice(
      "driver-ends-before",
      ["driver"],
      /\b(?:with|for|needs?|requires?|built (?:for|with)|installed)\b[^\n.]{0,30}\bCUDA[- ]?(?:version )?(?<required>(?:[7-9]|1\d)\.\d)\b[^\n]{0,60}\b(?:but|while|and|whereas|however)\b[^\n]{0,30}\bdriver\b[^\n]{0,20}\b(?:only )?(?:supports?|is|shows?|has|runs?|allows?)\b[^\n\d]{0,24}(?<found>(?:[7-9]|1\d)\.\d)\b/i,
      "I installed pytorch 2.5.1 with cuda 12.4 but my driver only supports CUDA 12.2, can I still use it?",
    ),
    means: {
      weight: weights.hint,
      name: "libcuda.so.1",
      unless: (facts) => facts.has("cuda-error") || facts.has("not-found"),
      about: (_facts, _context, [fact]) => ({ required: `a driver for CUDA ${fact!.required}`, found: `one for CUDA ${fact!.found}` }),
      next: ["nvidia-smi"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          when: isOneMajor,
          message: "a driver runs every build of its own major of CUDA since 11, also those of a newer minor: it will work",
          fixes: [fix("only code that is compiled at run time to PTX by the newer toolkit needs the newer driver")],
        },
        {
          cause: "driver-too-old",
          message: (_facts, _context, [fact]) => `the driver ends with CUDA ${fact!.found}, before CUDA ${fact!.required}`,
          fixes: [fix("install a newer NVIDIA driver, or a build for the CUDA that nvidia-smi shows")],
        },
      ],
    },
  },
  {
    // Docker's daemon starts containers outside of the job's or the user's own limits.
    ...notice(
      "all-gpus-in-container",
      ["all gpus", "_all_ gpus", "all the gpus", "all of the gpus"],
      /\b(?:container|docker|pod)\b[^\n]{0,120}\b(?:shows?|sees?|lists?|has access to|can see|exposes?)\b[^\n]{0,12}\b_?all_?(?: of)?(?: the)? GPUs\b/i,
      "However within the container nvidia-smi shows _all_ gpus available on that machine.",
    ),
    means: {
      weight: weights.other + 1,
      name: "the container",
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "Docker's daemon starts the container outside of the job: its limits on GPUs do not hold there, and `--gpus all` gives all of them; no version is wrong",
          fixes: [
            fix('hand on only those of the job: `--gpus "device=0,1"` with the numbers of CUDA_VISIBLE_DEVICES'),
            fix("or use a runtime that starts containers within the job: enroot with pyxis, Apptainer, or rootless Podman"),
          ],
        },
      ],
    },
  },
  {
    // "TensorFlow was looking for CUDA 11 libraries, instead of 12", "tensorflow doesn't work with CUDA 12".
    ...notice(
      "other-cuda-looked-for",
      ["looking for cuda", "looks for cuda", "work with cuda", "working with cuda", "compatible with cuda"],
      /\blook(?:s|ing) for CUDA[- ]?(?<required>(?:[7-9]|1\d)(?:\.\d)?)\b[^\n.]{0,40}\b(?:instead of|rather than|and not|not|but)\b[^\n\d]{0,24}(?<found>(?:[7-9]|1\d)(?:\.\d)?)\b|\b(?:tensorflow|pytorch|torch|jax|cupy|onnxruntime|paddle|paddlepaddle|mxnet)\b[^\n.]{0,40}\b(?:does(?: not|n['\u2019]t) work|not working|is not compatible|isn['\u2019]t compatible|won['\u2019]t work)(?: \w{2,10})? with CUDA[- ]?(?<subject>(?:[7-9]|1\d)(?:\.\d)?)\b/i,
      "tensorflow was looking for CUDA 11 libraries, instead of 12",
      "tensorflow doesn't work with CUDA 12 on WSL2",
    ),
    means: {
      weight: weights.hint,
      name: "CUDA",
      unless: (facts) => facts.has("not-found") || facts.has("unable-to-load") || facts.has("version-pair"),
      about: (_facts, _context, all) => {
        const told = all.find(({ required }) => required !== undefined);
        const here = told?.found ?? all.find(({ subject }) => subject !== undefined)?.subject;
        return {
          ...(told?.required === undefined ? {} : { required: `CUDA ${told.required}` }),
          ...(here === undefined ? {} : { found: `CUDA ${here}` }),
        };
      },
      may: [
        {
          cause: "library-wrong-version",
          message: "the framework is built for another CUDA than the one that is installed, and looks for the libraries of its own",
          fixes: [
            fix("install the CUDA of its release beside the other one, or a release of the framework that is built for the CUDA here"),
          ],
        },
        { cause: "wrong-wheel-cuda-version", message: "this release of the framework has no build for that CUDA" },
      ],
    },
  },
] satisfies Signature[];
