import { weights } from "../cause.ts";
import { libcuda } from "../meaning.ts";
import { fix, gpuAccess } from "../fixes.ts";
import type { Draft } from "../fact.ts";
import { notice, type Signature } from "../signature.ts";

const cpuTorch: Draft = { kind: "framework", id: "torch", cpuOnly: true };

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
      /\b(?:non-cuda|cpu(?:-only)?) (?:version|build|wheel|variant)s? of (?:py)?torch|\b(?:the )?(?:non-cuda|cpu-only|cpu) (?:py)?torch\b(?! tensors?)|CPU ?版本的 ?(?:py)?torch|torch 只有 CPU/i,
    examples: ["this line only installs cpu versions of pytorch", "grabbing the non-cuda pytorch version"],
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
      /\bnvcc\b[^\n]{0,60}\bnvidia-smi\b[^\n]{0,60}\b(?:differ\w{0,4}|mismatch\w{0,4}|not (?:be )?(?:the )?same|do(?:es)?(?: not|n['\u2019]t) (?:match|agree))\b|\bnvidia-smi\b[^\n]{0,60}\bnvcc\b[^\n]{0,60}\b(?:differ\w{0,4}|mismatch\w{0,4}|not (?:be )?(?:the )?same|do(?:es)?(?: not|n['\u2019]t) (?:match|agree))\b|\bdifferent CUDA versions?\b[^\n]{0,40}\bnvidia-smi\b|\bnvidia-smi\b[^\n]{0,20}\bdo(?:es)?(?: not|n['\u2019]t) (?:reflect|match|show)\b[^\n]{0,40}\b(?:cuda|toolkit)\b/i,
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
