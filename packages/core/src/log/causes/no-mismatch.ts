import { compareDotted } from "../../knowledge/dotted.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { gpuNamed } from "../../knowledge/gpus.ts";
import { libraryOf } from "../../knowledge/libraries.ts";
import { frameworkNames } from "../../model/framework-names.generated.ts";
import { architecture } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { containerOption, fix, gpuAccess, whyLine, withoutSearchPath } from "../fixes.ts";

/** What a program would say with a variable set. */
const again = (variable: string, says: string) => `run it again with ${variable} set: ${says}`;

/** Real problems that are no mismatch, and alarms that are none. */
export default function noMismatch(facts: Facts, context: Context): Problem[] {
  return [
    ...memory(facts),
    ...noDevice(facts, context),
    ...smiAndNvcc(facts, context),
    ...nvccAndFramework(facts, context),
    ...cpuMachine(facts, context),
    ...handles(facts, context),
    ...unknownError(facts),
    ...faults(facts),
    ...nccl(facts, context),
    ...nvml(facts),
    ...noEngine(facts, context),
    ...providers(facts),
    ...noModule(facts),
    ...idle(facts, context),
    ...ownError(facts),
    ...harmless(facts),
  ];
}

function memory(facts: Facts): Problem[] {
  const evidence = facts.all("cuda-error").filter(({ code }) => code === 2);
  if (evidence.length === 0) return [];
  return [
    {
      weight: weights.other + 2,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "GPU memory",
          certainty: "certain",
          message: "the GPU has no memory left for this; versions have nothing to do with it",
          evidence,
          next: ["nvidia-smi"],
          fixes: [fix("use a smaller batch or model, or end other programs on the GPU")],
        },
      ],
    },
  ];
}

function noDevice(facts: Facts, context: Context): Problem[] {
  const errors = facts.all("cuda-error").filter(({ code }) => code === 100 || code === 101);
  const files = facts.notices("no-nvidia-device-file", "no-devices");
  const hiding = facts
    .all("variable")
    .filter(
      ({ name, value }) =>
        name.endsWith("VISIBLE_DEVICES") && (/^-1|^["']?["']?$|^NoDevFiles|^void|^none$|^\$/.test(value) || value === ""),
    );
  const restricted = facts.all("variable").find(({ name }) => name.endsWith("VISIBLE_DEVICES"));
  const lost = facts.all("not-found").some(({ name }) => name.startsWith("libcuda.so") || name === "nvcuda.dll");
  if (errors.length === 0 && (files.length === 0 || lost)) return [];
  const evidence: Fact[] = [...errors, ...files, ...hiding];
  const variable = hiding[0] ?? restricted;
  const hidden: Suspect = {
    cause: "not-a-mismatch",
    name: variable ? `${variable.name}=${variable.value}` : "CUDA_VISIBLE_DEVICES",
    required: "a GPU that the process may see",
    found: variable ? `${variable.name}=${variable.value}` : "no GPU visible to the process",
    certainty: variable ? "certain" : "likely",
    message: variable
      ? `${variable.name}=${variable.value} hides the GPUs from the process`
      : "the driver answers, and shows no GPU to this process: none was allotted, or CUDA_VISIBLE_DEVICES hides it",
    evidence,
    next: ["nvidia-smi -L", "echo $CUDA_VISIBLE_DEVICES; ls -l /dev/nvidia*"],
    fixes: [fix("show the process a GPU", "unset CUDA_VISIBLE_DEVICES")],
  };
  const exposed: Suspect = {
    ...hidden,
    cause: "driver-not-exposed",
    name: "libcuda.so.1",
    certainty: "possible",
    message: "or the container was started without GPU access",
    fixes: [gpuAccess(context)],
  };
  return [
    {
      weight: variable ? weights.refused : weights.failed,
      suspects: hiding[0]
        ? [hidden]
        : [
            hidden,
            exposed,
            ...(context.driver
              ? []
              : [
                  {
                    ...exposed,
                    cause: "kernel-module-missing" as const,
                    name: "nvidia kernel module",
                    message: "or the kernel module is not loaded",
                  },
                ]),
          ],
    },
  ];
}

function smiAndNvcc(facts: Facts, context: Context): Problem[] {
  const compiler =
    facts.all("toolkit").find(({ from }) => from === "nvcc") ??
    facts.all("toolkit").find(({ from }) => from === "runtime" || from === "package") ??
    context.toolkits[0];
  const ceiling = context.driverCuda;
  if (!compiler && ceiling) return [...smiAndWheel(facts, context, ceiling), ...smiAndBuild(context, ceiling)];
  if (!compiler || !ceiling || compiler.version === ceiling.version) return [];
  const evidence = [ceiling, compiler];
  if (compareDotted(majorOf(compiler.version), majorOf(ceiling.version)) > 0)
    return [
      {
        weight: weights.hint,
        suspects: [
          {
            cause: "driver-too-old",
            name: "libcuda.so.1",
            library: "libcuda",
            required: `a driver for CUDA ${compiler.version}`,
            found: `${context.driver?.version ?? "a driver"} (CUDA ${ceiling.version})`,
            certainty: "possible",
            message: `what nvcc ${compiler.version} builds does not run on a driver that ends with CUDA ${ceiling.version}`,
            evidence,
            next: ["nvidia-smi"],
            fixes: [fix("install a newer NVIDIA driver")],
          },
        ],
      },
    ];
  return [
    {
      weight: weights.harmless + 3,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "nvidia-smi and nvcc",
          certainty: "likely",
          message: `nvidia-smi shows the newest CUDA that the driver runs (${ceiling.version})${compiler.from === "nvcc" ? ", nvcc the toolkit that is installed" : ", and the toolkit is of another release"} (${compiler.version}): they need not be equal`,
          evidence,
          next: [],
          fixes: [],
        },
      ],
    },
  ];
}

// nvcc compiles programs; a framework that was built elsewhere brings or opens the libraries of its own CUDA.
function nvccAndFramework(facts: Facts, context: Context): Problem[] {
  const compiler = facts.all("toolkit").find(({ from }) => from === "nvcc");
  const id = (["tensorflow", "torch", "jax"] as const).find((each) => context.framework(each).cuda !== undefined);
  if (!compiler || id === undefined) return [];
  const { cuda, facts: known } = context.framework(id);
  // Of a minor nobody asks.
  if (cuda === undefined || majorOf(compiler.version) === majorOf(cuda)) return [];
  const who = { tensorflow: "TensorFlow", torch: "PyTorch", jax: "JAX" }[id];
  return [
    {
      weight: weights.harmless + 2,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: `nvcc and ${who}`,
          certainty: "likely",
          message: `${who} was built for CUDA ${cuda} and loads libraries of that CUDA; nvcc ${compiler.version} is a compiler that it does not use: they need not be equal`,
          because: [
            `what counts is whether the libraries of CUDA ${cuda} and its cuDNN are found`,
            ...(id === "torch" ? ["nvcc matters where an extension of PyTorch is compiled here"] : []),
          ],
          evidence: [...known.filter((fact) => fact.cuda !== undefined).slice(0, 1), compiler],
          next: [`culprit loads ${id} --do device`],
          fixes: [],
        },
      ],
    },
  ];
}

// TensorFlow names the CUDA that it was built for; the driver runs that and every older one.
function smiAndBuild(context: Context, ceiling: Fact<"driver-cuda">): Problem[] {
  const { cuda, facts: known } = context.framework("tensorflow");
  if (cuda === undefined || cuda === ceiling.version || 0 < compareDotted(cuda, ceiling.version)) return [];
  return [
    {
      weight: weights.harmless + 3,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "nvidia-smi and TensorFlow",
          certainty: "likely",
          message: `nvidia-smi shows the newest CUDA that the driver runs (${ceiling.version}), and TensorFlow was built for ${cuda}: the driver runs both`,
          because: [`what counts is whether the libraries of CUDA ${cuda}, its cuDNN and its CUPTI are found`],
          evidence: [ceiling, ...known.slice(0, 1)],
          next: ["culprit loads tensorflow --do profile"],
          fixes: [],
        },
      ],
    },
  ];
}

// A PyTorch that works, beside another number in nvidia-smi.
function smiAndWheel(facts: Facts, context: Context, ceiling: Fact<"driver-cuda">): Problem[] {
  const works = facts.all("available").find(({ by, value }) => by === "torch" && value);
  const { cuda, facts: known } = context.framework("torch");
  if (!works || cuda === undefined || cuda === ceiling.version) return [];
  return [
    {
      weight: weights.harmless + 3,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "nvidia-smi and PyTorch",
          certainty: "likely",
          message: `nvidia-smi shows the newest CUDA that the driver runs (${ceiling.version}), and PyTorch brings its own (${cuda}): they need not be equal`,
          evidence: [ceiling, works, ...known.slice(0, 1)],
          next: [],
          fixes: [],
        },
      ],
    },
  ];
}

// TensorFlow tries to open everything on a machine without a GPU, and says what it did not find.
function cpuMachine(facts: Facts, context: Context): Problem[] {
  const lost = facts.all("not-found").filter(({ by }) => by === "tensorflow" || by === "loader");
  const driver = lost.filter(({ name }) => /^libcuda\.so|^nvcuda\.dll/.test(name));
  const spoken = facts.notices("tf-no-cuda-drivers", "tf-no-gpu-set-up", "no-nvidia-device-file", "no-kernel-driver", "jax-cpu");
  const gpu = facts.has("gpu") || facts.has("driver") || facts.has("driver-cuda") || 0 < facts.notices("tf-skipped-gpus").length;
  const wanted = facts.all("available").some(({ value }) => !value);
  const noDriver =
    0 < driver.length &&
    driver.every(
      ({ by }) =>
        by === "tensorflow" || facts.all("not-found").some((other) => other.by === "tensorflow" && other.name === driver[0]!.name),
    );
  const uninit = facts.all("cuda-error").some(({ code }) => code === 303);
  if (gpu || (!noDriver && spoken.length === 0 && !uninit)) return [];
  const evidence: Fact[] = [...driver, ...lost.filter(({ name }) => libraryOf(name)), ...spoken].slice(0, 6);
  const cpu: Suspect = {
    cause: "benign-warning",
    name: "CPU run",
    certainty: noDriver ? "likely" : "possible",
    message: "no NVIDIA driver is here: on a machine without a GPU the framework runs on the CPU, and these lines mean nothing more",
    evidence,
    next: ["nvidia-smi"],
    fixes: [fix("nothing is to be done for a run on the CPU")],
  };
  const exposed: Suspect = {
    ...cpu,
    cause: "driver-not-exposed",
    name: "libcuda.so.1",
    library: "libcuda",
    certainty: "possible",
    message: "where there is a GPU: its driver does not reach the process",
    fixes: [fix("on a machine: install the NVIDIA driver"), gpuAccess(context, "in a container: start it with")],
  };
  const missing: Suspect = {
    ...exposed,
    cause: "library-missing",
    name: "libcudart.so",
    library: "cudart",
    message: "where there is a GPU and a driver: the CUDA libraries are not installed",
    fixes: [fix("install TensorFlow with its CUDA packages", `pip install "tensorflow[and-cuda]"`)],
  };
  const onlyWord = !noDriver && facts.notices("tf-no-cuda-drivers").length > 0;
  // With the driver's own library lost among others, the others are no faults of their own.
  return [
    {
      weight: noDriver ? weights.refused + 1 : weights.harmless + 4,
      suspects: wanted
        ? [{ ...exposed, certainty: "likely" }, missing, cpu]
        : onlyWord
          ? [cpu, missing, exposed]
          : [cpu, exposed, ...(noDriver ? [] : [missing])],
    },
  ];
}

// cuDNN and cuBLAS often fail to start because the memory is gone.
function handles(facts: Facts, context: Context): Problem[] {
  const evidence = [
    ...facts.all("cudnn-status").filter(({ status }) => /NOT_INITIALIZED|INTERNAL_ERROR|ALLOC_FAILED|EXECUTION_FAILED/.test(status)),
    ...facts.all("cublas-status").filter(({ status }) => /NOT_INITIALIZED|ALLOC_FAILED/.test(status)),
    ...facts.notices("no-convolution-algorithm", "cudnn-not-initialized"),
  ];
  const driver = facts.notices("maybe-driver");
  // cuBLAS that refuses what is right is cuBLAS of one release over cuBLASLt of another.
  const refused = facts.all("cublas-status").filter(({ status }) => /INVALID_VALUE|NOT_SUPPORTED|EXECUTION_FAILED/.test(status));
  if (evidence.length === 0 && 0 < refused.length) return [otherCublas(refused, context)];
  if (evidence.length === 0) return [];
  const library = evidence.some((fact) => fact.kind === "cublas-status")
    ? { name: "libcublas.so", library: "cublas" }
    : { name: "libcudnn.so", library: "cudnn" };
  const base = { evidence, next: ["nvidia-smi", whyLine(library.name, context)] };
  const title = library.library === "cudnn" ? "cuDNN" : "cuBLAS";
  return [
    {
      weight: weights.hint,
      symptom: `${title} could not start`,
      suspects: [
        ...newerGpu(evidence, facts, context),
        {
          ...base,
          cause: "not-a-mismatch",
          name: "GPU memory",
          // A framework that is installed as a whole has libraries that fit; of another program nothing is known.
          certainty: context.elf ? "possible" : "likely",
          message: `${context.elf ? "" : `${title} could not start: `}most often the GPU's memory is used up, by this program or another`,
          fixes: [memoryFix(context), fix("end other programs on the GPU; this lists them:", "nvidia-smi")],
        },
        {
          ...base,
          ...library,
          cause: "library-wrong-version",
          certainty: "possible",
          message: `or a release that does not fit ${context.speaker === undefined ? "the program" : "the framework"} is loaded`,
          fixes: [],
        },
        ...(0 < driver.length
          ? [
              {
                ...base,
                cause: "driver-too-old" as const,
                name: "libcuda.so.1",
                found: driver[0]!.found ?? "",
                certainty: "possible" as const,
                message: "or the driver is too old for it",
                fixes: [],
              },
            ]
          : []),
        { ...base, ...library, cause: "library-shadowed", certainty: "possible", message: "or another copy is found first", fixes: [] },
      ],
    },
  ];
}

function memoryFix({ speaker }: Context): ReturnType<typeof fix> {
  if (speaker === "tensorflow")
    return fix("let TensorFlow take memory as it needs it, or use less", "export TF_FORCE_GPU_ALLOW_GROWTH=true");
  if (speaker === "jax") return fix("let JAX take memory as it needs it, or use less", "export XLA_PYTHON_CLIENT_PREALLOCATE=false");
  return fix("use less of the GPU's memory: a smaller batch or model");
}

// Without code for the GPU, a library of an older CUDA fails in its first call, and not always with the right words.
function newerGpu(evidence: Fact[], facts: Facts, context: Context): Suspect[] {
  const torch = context.framework("torch");
  const version = torch.version ?? context.packages(/^(?:torch|pytorch)$/)[0]?.version;
  const cuda =
    torch.cuda ??
    (version === undefined ? undefined : frameworkRelease("torch", version)?.release.cuda) ??
    context.toolkits.find(({ from }) => from !== "path")?.version;
  if (cuda === undefined) return [];
  const named = [...facts.all("gpu"), ...facts.notices("gpu-said")].map((fact) => ({
    fact,
    gpu: gpuNamed((fact.kind === "gpu" ? (fact.name ?? fact.capability) : fact.subject) ?? ""),
  }));
  const newer = named.find(({ gpu }) => {
    const first = gpu && architecture(gpu.sm)?.first;
    return first !== undefined && compareDotted(majorOf(first), majorOf(cuda)) > 0;
  });
  if (!newer?.gpu) return [];
  const first = architecture(newer.gpu.sm)!.first;
  return [
    {
      cause: "arch-unsupported",
      name: newer.gpu.name ?? newer.gpu.sm,
      required: `code for ${newer.gpu.sm} (CUDA ${first} or newer)`,
      found: `a build for CUDA ${cuda}`,
      certainty: "likely",
      message: `${newer.gpu.name ?? newer.gpu.sm} came with CUDA ${first}, and a build for CUDA ${cuda} holds no code for it`,
      evidence: [...evidence, newer.fact],
      next: ['python -c "import torch; print(torch.version.cuda, torch.cuda.get_arch_list())"'],
      fixes: [fix(`install a build for CUDA ${first} or newer`)],
    },
    {
      cause: "toolkit-too-old",
      name: `CUDA ${cuda}`,
      required: `CUDA ${first} or newer`,
      found: `CUDA ${cuda}`,
      certainty: "possible",
      message: "where the program is built here: with a toolkit that does not know the GPU",
      evidence: [...evidence, newer.fact],
      fixes: [],
    },
  ];
}

function otherCublas(evidence: Fact[], context: Context): Problem {
  const base = {
    name: "libcublasLt.so",
    library: "cublaslt",
    evidence,
    next: [whyLine("libcublasLt", context), "echo $LD_LIBRARY_PATH"],
  };
  return {
    weight: weights.hint,
    symptom: "cuBLAS refuses a call",
    suspects: [
      {
        ...base,
        cause: "library-shadowed",
        certainty: "possible",
        message: "a cuBLASLt of another release is found before its own",
        fixes: [withoutSearchPath()],
      },
      {
        ...base,
        cause: "library-wrong-version",
        certainty: "possible",
        message: "or cuBLAS is of another release than the framework was built with",
      },
      {
        ...base,
        cause: "not-a-mismatch",
        certainty: "possible",
        message: "or the shapes or types of the call are not supported, or an earlier kernel failed",
        next: [again("CUDA_LAUNCH_BLOCKING=1", "the call that fails is then the one that is named")],
      },
    ],
  };
}

// Kernels that misbehave, and GPUs that do.
function faults(facts: Facts): Problem[] {
  const program = facts.notices("program-fault");
  const xid = facts.notices("xid");
  const problems: Problem[] = [];
  if (0 < program.length)
    problems.push({
      weight: weights.other,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "a kernel",
          certainty: program.some(({ subject }) => subject === "device-side assert triggered") ? "likely" : "possible",
          message: `a kernel of the program failed (${program[0]!.subject}): most often an index out of range, and no matter of versions`,
          evidence: program,
          next: [again("CUDA_LAUNCH_BLOCKING=1", "the call that fails is then the one that is named")],
          fixes: [fix("run with CUDA_LAUNCH_BLOCKING=1 to see which call fails; on the CPU the message is clearer")],
        },
      ],
    });
  if (0 < xid.length)
    problems.push({
      weight: weights.other + 1,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: `Xid ${xid[0]!.subject}`,
          certainty: "likely",
          message: `the driver reports Xid ${xid[0]!.subject}: the GPU or a program on it misbehaved`,
          evidence: xid,
          next: ["sudo dmesg | grep -i xid", "nvidia-smi -q"],
          fixes: [fix("look the number up in NVIDIA's list of Xid errors; restart the machine, and check cooling and power")],
        },
      ],
    });
  return problems;
}

// cuDNN refuses every way of computing: memory, a GPU without the type, or a cuDNN that is not the framework's.
function noEngine(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("cudnn-no-engine");
  if (evidence.length === 0) return [];
  const base = {
    name: "libcudnn.so",
    library: "cudnn",
    evidence,
    next: ["nvidia-smi", whyLine("libcudnn", context), "echo $LD_LIBRARY_PATH"],
  };
  return [
    {
      weight: weights.hint,
      symptom: "cuDNN finds no way to compute this",
      suspects: [
        {
          ...base,
          cause: "library-shadowed",
          certainty: "possible",
          message: "another copy of cuDNN than the framework's is found first",
          fixes: [withoutSearchPath()],
        },
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: "or a cuDNN of another release is loaded than the framework was built with",
        },
        { ...base, cause: "not-a-mismatch", name: "GPU memory", certainty: "possible", message: "or the GPU's memory is used up" },
        {
          ...base,
          cause: "arch-unsupported",
          name: "the GPU",
          certainty: "possible",
          message: "or the GPU does not compute with this type of numbers",
        },
      ],
    },
  ];
}

// NCCL says that a CUDA call failed, and which one only when asked.
function nccl(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("nccl-cuda-error", "nccl-mixed");
  if (evidence.length === 0 || (facts.has("cuda-error") && facts.notices("nccl-mixed").length === 0)) return [];
  const mixed = facts.notices("nccl-mixed")[0];
  const base = {
    name: "libnccl.so.2",
    library: "nccl",
    evidence,
    next: [again("NCCL_DEBUG=INFO", "NCCL then says which call failed"), whyLine("libnccl.so.2", context)],
  };
  const wrong: Suspect = {
    ...base,
    cause: "library-wrong-version",
    ...(mixed?.required === undefined ? {} : { required: `one NCCL on all ranks (${mixed.required})`, found: mixed.found ?? "" }),
    certainty: mixed ? "certain" : "possible",
    message: mixed ? "the ranks run different releases of NCCL" : "NCCL is built for another CUDA, or is older than the program",
    fixes: [fix(mixed ? "install the same packages on all nodes" : "install the NCCL of this CUDA")],
  };
  if (mixed) return [{ weight: weights.said, suspects: [wrong] }];
  return [
    {
      weight: weights.hint,
      symptom: "a CUDA call of NCCL failed",
      suspects: [
        wrong,
        {
          ...base,
          cause: "not-a-mismatch",
          name: "GPU memory",
          certainty: "possible",
          message: "or the GPU has no memory left, or a rank uses a GPU of another",
          fixes: [],
        },
        {
          ...base,
          cause: "driver-too-old",
          name: "libcuda.so.1",
          library: "libcuda",
          certainty: "possible",
          message: "or the driver is older than NCCL needs",
          fixes: [],
        },
        {
          ...base,
          cause: "arch-unsupported",
          name: "the GPU",
          certainty: "possible",
          message: "or the build holds no code for this GPU",
          fixes: [],
        },
      ],
    },
  ];
}

// PyTorch asks NVML how much memory is free, most often when none is.
function nvml(facts: Facts): Problem[] {
  const started = facts.notices("torch-nvml");
  const evidence = [...started, ...facts.notices("allocator-nvml")];
  if (evidence.length === 0) return [];
  const memory: Suspect = {
    cause: "not-a-mismatch",
    name: "GPU memory",
    certainty: 0 < started.length ? "possible" : "likely",
    message: "PyTorch fails while it asks NVML for the free memory: most often because there is none",
    evidence,
    next: ["nvidia-smi"],
    fixes: [fix("use a smaller batch or model, or end other programs on the GPU")],
  };
  const mismatch: Suspect = {
    cause: "kernel-module-mismatch",
    name: "libnvidia-ml.so.1",
    library: "nvml",
    certainty: 0 < started.length ? "likely" : "possible",
    message: "NVML does not start: the driver was updated and the machine not restarted, or its two halves are of different releases",
    evidence,
    next: ["nvidia-smi", "cat /proc/driver/nvidia/version"],
    fixes: [fix("restart the machine", "sudo reboot")],
  };
  const exposed: Suspect = {
    ...mismatch,
    cause: "driver-not-exposed",
    certainty: "possible",
    message: "or NVML is not passed into the container",
    next: ["nvidia-smi"],
    fixes: [
      containerOption(
        "start the container with `utility` among the driver's capabilities",
        "--gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility",
      ),
    ],
  };
  return [{ weight: weights.hint, suspects: 0 < started.length ? [mismatch, exposed, memory] : [memory, mismatch, exposed] }];
}

// Python finds no module: not installed in this environment, or a compiled part that was never built.
const installable = (module_: string) =>
  frameworkNames.some(({ packages, companions = [] }) => [...packages, ...companions].includes(module_));

function noModule(facts: Facts): Problem[] {
  const [first, ...others] = facts.notices("no-module");
  if (first?.subject === undefined) return [];
  const compiled = /(?:_cuda|_C|_ext|_ops)$/.test(first.subject);
  return [
    {
      // Below what is known to be harmless: such a line may come from a part that the program does without.
      weight: weights.harmless - 1,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: first.subject,
          certainty: "likely",
          message: compiled
            ? `the compiled part \`${first.subject}\` is not there: it was never built, or its build failed`
            : `the Python that runs has no module \`${first.subject}\`: it is not installed in this environment`,
          evidence: [first, ...others].slice(0, 2),
          next: ["python -m pip list", "which -a python"],
          fixes: [
            compiled
              ? fix("build the package again and read what the build says; it needs the CUDA toolkit")
              : installable(first.subject)
                ? fix("install it with the Python that runs the program", `python -m pip install ${first.subject}`)
                : fix("install it with the Python that runs the program"),
          ],
        },
      ],
    },
  ];
}

// A GPU that waits: most often for data. What else it may be, the framework itself can say.
function idle(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("gpu-idle");
  if (evidence.length === 0 || facts.has("available") || facts.has("cuda-error")) return [];
  const base = {
    evidence,
    next: ["nvidia-smi dmon -s u", 'python -c "import torch; print(torch.__version__, torch.cuda.is_available())"'],
  };
  return [
    {
      weight: weights.hint,
      symptom: "the GPU does nothing while the program runs",
      suspects: [
        {
          ...base,
          cause: "not-a-mismatch",
          name: "the program",
          certainty: "possible",
          message: "it waits for data: where its memory is used, the GPU works in short bursts between batches",
          fixes: [fix("use more workers in the data loader, and larger batches; measure with a profiler")],
        },
        {
          ...base,
          cause: "wrong-wheel-cpu-only",
          name: "the framework",
          certainty: "possible",
          message: "or the framework was built without CUDA, and computes on the CPU",
          fixes: [],
        },
        {
          ...base,
          cause: "driver-too-old",
          name: "libcuda.so.1",
          library: "libcuda",
          certainty: "possible",
          message: "or the driver is older than the framework needs, and it went on without the GPU",
          fixes: [],
        },
        {
          ...base,
          cause: "driver-not-exposed",
          name: "libcuda.so.1",
          library: "libcuda",
          certainty: "possible",
          message: "or no driver reaches the process",
          fixes: [gpuAccess(context, "in a container: start it with")],
        },
      ],
    },
  ];
}

// Exceptions of Python's own, which name the program's code and no library.
const ofPython =
  /^(?:KeyError|IndexError|NameError|SyntaxError|IndentationError|ZeroDivisionError|UnicodeDecodeError|RecursionError|(?:json\.decoder\.)?JSONDecodeError)$/;
const ofPackages = /^(?:AttributeError|TypeError)$/;

function ownError(facts: Facts): Problem[] {
  const last = facts.notices("ended-with-error").at(-1);
  const subject = last?.subject ?? "";
  const own = ofPython.test(subject);
  if (!last || (!own && !ofPackages.test(subject)) || 0 < facts.notices("numpy-alias").length) return [];
  const error: Suspect = {
    cause: "not-a-mismatch",
    name: subject,
    certainty: own ? "likely" : "possible",
    message: `the program ended with ${/^[AEIOU]/.test(subject) ? "an" : "a"} ${subject} of Python: an error of its code, its settings or its data`,
    evidence: [last],
    next: [],
    fixes: [fix("read the lines above it: the last that names a file of the program is where it happens")],
  };
  const drift: Suspect = {
    ...error,
    cause: "package-conflict",
    certainty: "possible",
    message: "or two Python packages are of releases that do not know each other: one calls what the other no longer has",
    next: ["pip check"],
    fixes: [fix("install the releases that the project names in its requirements, in an environment of their own")],
  };
  return [{ weight: weights.harmless - 2, suspects: own ? [error] : [error, drift] }];
}

// After a start nothing has loaded the module yet.
const memoryModule = (evidence: Fact[]): Suspect => ({
  cause: "kernel-module-missing",
  name: "nvidia_uvm",
  certainty: "possible",
  message:
    "or the module for memory was not loaded since the machine started: a container cannot load it, the first CUDA program on the host does",
  evidence,
  next: ["lsmod | grep nvidia_uvm"],
  fixes: [fix("load it on the host, and make its device file", "sudo nvidia-modprobe -u -c=0")],
});

function unknownError(facts: Facts): Problem[] {
  const evidence = facts.all("cuda-error").filter(({ code }) => code === 999 || code === 802);
  if (evidence.length === 0) return [];
  const fabric = evidence.some(({ code }) => code === 802);
  return [
    {
      weight: weights.hint,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: fabric ? "nvidia-fabricmanager" : "nvidia_uvm",
          certainty: "possible",
          message: fabric
            ? "the GPUs wait for the fabric manager"
            : "the driver does not answer well: after a suspend its memory module must be reloaded",
          evidence,
          next: ["nvidia-smi", "sudo dmesg | tail -20"],
          fixes: [
            fabric
              ? fix("start the fabric manager of the driver's release", "sudo systemctl start nvidia-fabricmanager")
              : fix("reload the module, or restart", "sudo rmmod nvidia_uvm; sudo modprobe nvidia_uvm"),
          ],
        },
        ...(fabric ? [] : [memoryModule(evidence)]),
        {
          cause: "kernel-module-mismatch",
          name: "libcuda.so.1",
          library: "libcuda",
          certainty: "possible",
          message: "or the driver was updated and the machine not restarted",
          evidence,
          next: ["cat /proc/driver/nvidia/version"],
          fixes: [fix("restart the machine", "sudo reboot")],
        },
        {
          cause: "driver-not-exposed",
          name: "libcuda.so.1",
          library: "libcuda",
          certainty: "possible",
          message: "or a device file is not passed into the container",
          evidence,
          next: ["ls -l /dev/nvidia*"],
          fixes: [],
        },
      ],
    },
  ];
}

// ONNX Runtime wants to be told where to run; the list shows what this build can do.
function providers(facts: Facts): Problem[] {
  const evidence = facts.notices("ort-providers-unnamed");
  if (evidence.length === 0) return [];
  const unnamed: Suspect = {
    cause: "not-a-mismatch",
    name: "the program",
    certainty: "likely",
    message: "since 1.9 ONNX Runtime must be told which providers to use: a matter of the program",
    evidence,
    next: [],
    fixes: [fix("name them: `InferenceSession(path, providers=['CUDAExecutionProvider', 'CPUExecutionProvider'])`")],
  };
  const cpu: Suspect = {
    ...unnamed,
    cause: "wrong-wheel-cpu-only",
    name: "onnxruntime",
    required: "onnxruntime-gpu",
    found: "a build without CUDA",
    certainty: "possible",
    message: "where a GPU is wanted: this build has none of CUDA",
    fixes: [fix("keep only the GPU package", "pip uninstall -y onnxruntime onnxruntime-gpu", "pip install onnxruntime-gpu")],
  };
  return [{ weight: weights.other + 1, suspects: evidence.some(({ subject }) => subject === "without CUDA") ? [unnamed, cpu] : [unnamed] }];
}

function harmless(facts: Facts): Problem[] {
  const tensorrt = facts.all("not-found").filter(({ name, by }) => by === "tensorflow" && /nvinfer/.test(name));
  const noise = facts.all("noise");
  if (noise.length === 0 && tensorrt.length === 0) return [];
  const reasons = [
    ...new Set([
      ...noise.map(({ reason }) => reason),
      ...(0 < tensorrt.length ? ["TensorFlow looks for TensorRT, which nearly nobody needs, and says when it is not there"] : []),
    ]),
  ];
  return [
    {
      weight: weights.harmless,
      suspects: [
        {
          cause: "benign-warning",
          certainty: "likely",
          message: `harmless: ${reasons[0]}`,
          because: reasons,
          evidence: [...noise, ...tensorrt].slice(0, 5),
          next: [],
          fixes: [],
        },
      ],
    },
  ];
}
