import { compareDotted } from "../../knowledge/dotted.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { architecture, toolkitOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { wslFound, type Context } from "../context.ts";
import { isTaken, type Fact, type Facts } from "../fact.ts";
import { fix, whyLine, withoutSearchPath } from "../fixes.ts";
import { cuptiFixesForTensorflow, ofOtherToolkit } from "../for-tensorflow.ts";
import { profilerDefectsIn } from "../profiler-defects.ts";
import { oneProfiler, rightsFixes, oneClient, pauseDcgm } from "../rights.ts";
import { hasNvidia, rocmBuildIn } from "../vendor.ts";
import { smIn } from "./architecture.ts";
import { saidGpu } from "./needs-has.ts";

/** Profilers: counters that are closed, two clients at once, CUPTI that does not answer, builds without it. */
export default function profiler(facts: Facts, context: Context): Problem[] {
  const named = (...names: string[]) => facts.all("cupti-error").filter(({ name }) => names.includes(name));
  const problems: Problem[] = [];
  const privileges = [
    ...named("INSUFFICIENT_PRIVILEGES", "VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES"),
    ...facts.notices("cupti-privilege", "nvgpuctrperm", "nvpa-privilege", "profiling-rights-said"),
    // Without NVML there is nothing to profile yet.
    ...(facts.notices("dcgm-not-started").length === 0 ? facts.notices("dcgm-privilege") : []),
  ];
  const monitoring = facts.notices("dcgm-no-profiling", "dcgm-profiling-taken");
  const subscribers = named("MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", "MAX_LIMIT_REACHED", "DISABLED");
  const refused = facts.all("cupti-error").filter(({ name }) => withoutTracing[name] !== undefined);
  const busy = [...named("HARDWARE_BUSY"), ...facts.notices("profiler-busy")];
  const device = facts.notices("profiler-unsupported-gpu");
  if (0 < privileges.length) problems.push({ weight: weights.said, suspects: permission(privileges, facts, context) });
  else if (0 < monitoring.length) problems.push(noMonitoring(monitoring, facts, context));
  else if (0 < device.length) problems.push({ weight: weights.said, suspects: otherGpu(device) });
  else if (0 < busy.length) problems.push({ weight: weights.said, suspects: [inUse(busy, context)] });
  else if (0 < subscribers.length) problems.push({ weight: weights.said, suspects: [conflict(subscribers, context)] });
  else if (0 < refused.length) problems.push({ weight: weights.said, suspects: [unsupportedBy(refused)] });
  else {
    const closed = named(
      "NOT_INITIALIZED",
      "UNKNOWN",
      "INVALID_DEVICE",
      "NOT_SUPPORTED",
      "HARDWARE",
      "OLD_PROFILER_API_INITIALIZED",
      "NOT_COMPATIBLE",
      "INVALID_OPERATION",
      // After a refusal it is a consequence; alone it means that no subscriber was made.
      "INVALID_PARAMETER",
    );
    const timestamp = facts.notices("cupti-timestamp", "cupti-init-failed", "libcupti-not-loaded", "cupti-not-opened", "cupti-not-started");
    // Who cannot find the library at all has a step of its own.
    const missing = cuptiIsMissing(facts);
    const consequence = closed.every(({ name }) => name === "INVALID_PARAMETER");
    if ((0 < closed.length && !facts.has("unable-to-load") && !(consequence && missing)) || (0 < timestamp.length && !missing))
      problems.push({ weight: weights.failed, symptom: "a call to CUPTI failed", suspects: silent(closed, timestamp, facts, context) });
  }
  return 0 < problems.length ? problems : unsaid(facts, context);
}

/** No call of CUPTI failed by its own words: a report without a GPU, a crash with graphs, a build without tracing, a program that breaks. */
function unsaid(facts: Facts, context: Context): Problem[] {
  const empty = emptyTrace(facts, context);
  if (0 < empty.length) return empty;
  const graphs = facts.notices("profile-of-graphs");
  const ofGraphs = 0 < graphs.length ? profilerDefectsIn("graphs", graphs, facts, context) : [];
  if (0 < ofGraphs.length) return [{ weight: weights.failed, suspects: ofGraphs }];
  const without = facts.notices("kineto-missing", "cupti-tracing-missing", "cpu-activity-only");
  if (without.length === 0) return breaksTheProgram(facts, context);
  return [
    {
      weight: weights.failed,
      symptom: "this PyTorch records nothing of the GPU",
      suspects: noTracing(without, facts, context),
    },
  ];
}

const cuptiIsMissing = (facts: Facts): boolean =>
  facts.all("not-found").some(({ name }) => name.includes("cupti")) ||
  facts.all("unable-to-load").some(({ library }) => library === "cupti");

/** The program runs without the profiler, and with it it does not; nobody says more. */
function breaksTheProgram(facts: Facts, { driver, toolkits }: Context): Problem[] {
  const evidence = facts.notices("works-unprofiled");
  const told = facts
    .everything()
    .some((fact) => isTaken(fact) && fact.kind !== "noise" && !(fact.kind === "notice" && fact.id === "ended-with-error"));
  if (evidence.length === 0 || told) return [];
  const here = toolkits[0];
  const base = {
    name: "the profiler",
    required: "a profiler that knows this GPU, driver and program",
    ...(here ? { found: `that of CUDA ${here.version}` } : {}),
    evidence,
    certainty: "possible" as const,
    next: ["nvidia-smi", "nsys --version; ncu --version"],
  };
  return [
    {
      weight: weights.hint,
      symptom: "the program runs without the profiler, and not with it",
      suspects: [
        {
          ...base,
          cause: "upstream-bug",
          message: `this release of the profiler breaks the program${here ? ` (CUDA ${here.version})` : ""}: newer ones mend such crashes`,
          fixes: [
            fix(
              "take Nsight Systems or Nsight Compute of the CUDA that nvidia-smi shows: they are apart from the toolkit, and nvprof is no longer mended",
            ),
          ],
        },
        {
          ...base,
          cause: "cupti-too-old-for-driver",
          name: "libcupti.so",
          library: "cupti",
          ...(driver ? { found: `driver ${driver.version}` } : {}),
          message: "or its CUPTI is much older than the driver",
          fixes: [],
        },
        { ...base, cause: "profiler-conflict", message: "or another profiler is loaded in the same process", fixes: [] },
      ],
    },
  ];
}

// DCGM reads counters for data-centre GPUs, and a release of it knows those of its time.
function noMonitoring(evidence: Fact[], facts: Facts, context: Context): Problem {
  const gpu = facts.all("gpu").find(({ name }) => name !== undefined)?.name ?? facts.notices("gpu-said")[0]?.subject;
  const base = {
    name: "DCGM",
    required: "a DCGM whose profiling module knows this GPU and driver, on a data-centre GPU",
    ...(gpu === undefined && !context.driver
      ? {}
      : { found: [gpu, context.driver && `driver ${context.driver.version}`].filter(Boolean).join(", ") }),
    evidence,
    next: ["dcgmi modules -l", "dcgmi profile --list"],
  };
  const taken = byAnother(base, facts);
  return {
    weight: weights.said,
    suspects: [
      ...taken,
      {
        ...base,
        cause: "profiler-platform-unsupported",
        certainty: 0 < taken.length ? "possible" : "likely",
        message:
          "DCGM's profiling module does not serve this GPU: it serves data-centre GPUs, each from a certain release of DCGM and driver on",
        fixes: [
          fix(
            "take the newest DCGM and dcgm-exporter for this GPU; on GeForce and older cards there are no DCGM_FI_PROF metrics, and DCGM_FI_DEV_GPU_UTIL remains",
          ),
        ],
      },
      {
        ...permission(evidence, facts, context)[0]!,
        certainty: "possible",
        message: "or the exporter lacks the right to read counters",
      },
      {
        ...base,
        cause: "driver-too-old",
        name: "libcuda.so.1",
        library: "libcuda",
        certainty: "possible",
        message: "or the driver is older than this release of DCGM asks for",
        fixes: [],
      },
    ],
  };
}

/** The module itself works, and a call of it is refused: the counters of a GPU serve one client at a time. */
function byAnother(base: Pick<Suspect, "name" | "evidence" | "next">, facts: Facts): Suspect[] {
  if (facts.notices("dcgm-profiling-taken").length === 0) return [];
  return [
    {
      ...base,
      cause: "profiler-conflict",
      required: oneClient,
      certainty: "likely",
      message:
        "another program reads the GPU's counters: a second DCGM (dcgm-exporter beside nv-hostengine), Nsight or a program that uses CUPTI",
      fixes: [
        fix("let the exporter connect to the one nv-hostengine that runs (`dcgm-exporter -r localhost:5555`)"),
        pauseDcgm("or pause DCGM while another profiler runs"),
      ],
    },
  ];
}

/** What may have kept the GPU out of a report. */
function reasonsForNone(evidence: Fact[], facts: Facts, context: Context) {
  const base = { name: "the profile", evidence, next: ["nsys status -e", "nsys --version; nvidia-smi"] };
  const nothing: Suspect = {
    ...base,
    cause: "not-a-mismatch",
    certainty: "possible",
    message:
      "no kernel ran in the process that was profiled: the data stayed on the CPU, the GPU work is in another process, or it ended before",
    fixes: [
      fix(
        "look whether the data is on the GPU (`.to('cuda')`), and profile child processes too; servers with workers need their own switch for profiling",
      ),
      ...(evidence.some(({ at }) => /\bnsys\b|Nsight ?Systems/i.test(at.text))
        ? [
            fix(
              "let nsys follow workers that are forked and start no program of their own: put `--trace-fork-before-exec=true` behind `nsys profile`",
            ),
          ]
        : []),
    ],
  };
  const rights: Suspect = {
    ...perhapsClosed(evidence, facts, context),
    message: "or the container or user has no right to trace",
  };
  const platform: Suspect = {
    ...unsupported(
      evidence,
      facts.on("wsl2")
        ? `under WSL 2 ${context.speaker === "torch" ? "PyTorch's profiler" : context.speaker === undefined ? "Nsight Systems" : "the profiler"} traces the GPU only where the driver of Windows and CUPTI are both new`
        : "or the platform does not offer CUPTI's tracing (WSL 2, virtual GPUs)",
    ),
    ...underWsl(facts),
    ...(facts.on("wsl2") ? { fixes: [tracedInWsl, fix("or profile on Linux without WSL, or with Nsight Systems on Windows itself")] } : {}),
    certainty: facts.on("wsl2") ? "likely" : "possible",
  };
  const shadowed: Suspect = {
    ...base,
    cause: "cupti-too-old-for-driver",
    name: "libcupti.so",
    library: "cupti",
    certainty: "possible",
    message: "or the profiler is much older than the driver",
    fixes: [fix("take the Nsight Systems of the CUDA that nvidia-smi shows")],
  };
  const two: Suspect = {
    ...conflict(evidence, context),
    certainty: "possible",
    message: "or another profiler in the process, or DCGM on the host, holds CUPTI",
  };
  return { nothing, rights, platform, shadowed, two };
}

/** The years in which NVIDIA's tools came to know an architecture: those of the CUDA release that brought it. */
const knownSince: [cuda: string, year: number][] = [
  ["11.0", 2020],
  ["11.8", 2022],
  ["12.8", 2025],
];

/** Nsight Systems names its releases by their year: one of before the GPU does not know it. */
function olderThanGpu(evidence: Fact[], facts: Facts, shadowed: Suspect): Suspect[] | undefined {
  const [tool] = facts.notices("nsight-here");
  const gpu = smIn(facts) ?? saidGpu(facts);
  const first = gpu && architecture(gpu.sm)?.first;
  const year = first === undefined ? undefined : knownSince.findLast(([cuda]) => 0 <= compareDotted(first, cuda))?.[1];
  if (!tool || !gpu || year === undefined || year <= Number(tool.found!.split(".")[0])) return undefined;
  const base = {
    ...shadowed,
    name: "Nsight Systems",
    required: `Nsight Systems of ${year} or newer, for ${gpu.sm} (CUDA ${first})`,
    found: `Nsight Systems ${tool.found}`,
    evidence: [...evidence, tool, gpu.fact],
    fixes: [fix("install the newest Nsight Systems, which NVIDIA publishes apart from the CUDA toolkit, too")],
  };
  return [
    {
      ...base,
      cause: "profiler-platform-unsupported",
      certainty: "likely",
      message: `Nsight Systems ${tool.found} is from before CUDA ${first}, the first for this GPU (${gpu.sm}): it can hardly know it`,
    },
    {
      ...base,
      cause: "cupti-too-old-for-driver",
      certainty: "possible",
      message: "so is its CUPTI older than the driver that this GPU needs",
      fixes: [],
    },
  ];
}

// A report in which the GPU is absent, and nobody says why.
function emptyTrace(facts: Facts, context: Context): Problem[] {
  const evidence = [...facts.notices("trace-without-gpu"), ...facts.notices("nsys-sampling")];
  // Nsight Compute's own words say more, and so does whoever names the library that he did not find.
  if (
    evidence.length === 0 ||
    cuptiIsMissing(facts) ||
    0 < facts.notices("ncu-replay", "ncu-application-ended", "no-kernels-profiled").length
  )
    return [];
  if (rocmBuildIn(facts) && !hasNvidia(facts)) return [emptyOfRocm(evidence)];
  const known = profilerDefectsIn(evidence.some(({ at }) => some.test(at.text)) ? "lost-kernels" : "no-kernels", evidence, facts, context);
  const { nothing, rights, platform, shadowed, two } = reasonsForNone(evidence, facts, context);
  const old = olderThanGpu(evidence, facts, shadowed);
  if (old) return [{ weight: weights.failed, symptom: "the profile holds nothing of the GPU", suspects: old }];
  const sampling = 0 < facts.notices("nsys-sampling").length;
  // What a tool printed speaks of the tool; what somebody tells of a profile, of the framework that took it.
  const own = evidence.every(({ subject }) => subject === "told") ? ofFramework(evidence, facts, context) : [];
  return [
    {
      weight: weights.failed,
      symptom: "the profile holds nothing of the GPU",
      suspects:
        0 < known.length
          ? [...known, rights, { ...nothing, message: `or ${nothing.message}` }]
          : facts.on("wsl2")
            ? [platform, nothing, shadowed]
            : evidence.some(({ at }) => saidOfCupti.test(at.text))
              ? [
                  { ...shadowed, message: "the CUPTI that answers is of another generation than the driver, or its release has a defect" },
                  two,
                  rights,
                  platform,
                  { ...nothing, message: `or ${nothing.message}` },
                ]
              : 0 < own.length
                ? [
                    ...own,
                    rights,
                    ...(own.some(({ cause }) => cause === platform.cause) ? [] : [platform]),
                    { ...nothing, message: `or ${nothing.message}` },
                  ]
                : sampling
                  ? [{ ...rights, message: rights.message.replace(/^or /, "") }, platform, nothing]
                  : [nothing, rights, two, platform, shadowed],
    },
  ];
}

// Not all of them.
const some = /\b(?:drop(?:s|ped|ping)?|some|sometimes|few|partial(?:ly)?|incomplete|first|randomly)\b/i;

// Kineto and rocprofiler-sdk: whoever comes after the first HIP call is not asked any more (Kineto pull request 1338).
function emptyOfRocm(evidence: Fact[]): Problem {
  const base = { name: "torch", evidence, certainty: "possible" as const };
  return {
    weight: weights.failed,
    symptom: "the profile of PyTorch's build for ROCm holds nothing of the GPU",
    suspects: [
      {
        ...base,
        cause: "upstream-bug",
        required: "a PyTorch whose Kineto is told of the GPU's work",
        found: "a build for ROCm that records none",
        message:
          "Kineto registers with AMD's rocprofiler too late: where HIP has begun before the profiler, no kernel is recorded (mended in Kineto in April 2026)",
        next: ['python -c "import torch; print(torch.__version__, torch.version.hip, torch.profiler.supported_activities())"'],
        fixes: [
          fix("take the newest PyTorch for ROCm, or import torch and begin the profile before anything uses the GPU"),
          fix("or record with AMD's own tool, which does not depend on Kineto", "rocprofv3 --hip-trace --kernel-trace -- python train.py"),
        ],
      },
      {
        ...base,
        cause: "profiler-conflict",
        message: "or another tool of AMD's (rocprof, rocprofv3, omnitrace) is loaded in the process, and takes what Kineto asks for",
        next: ["env | grep -i 'ROCP_\\|HSA_TOOLS\\|LD_PRELOAD'"],
        fixes: [fix("profile with one of them at a time")],
      },
      {
        ...base,
        cause: "profiler-platform-unsupported",
        name: "the profile",
        message: "or the viewer does not know the profile of a build for ROCm: some show its tables and no trace",
        fixes: [fix("open the trace itself in Perfetto (ui.perfetto.dev) or chrome://tracing, instead of TensorBoard's trace view")],
      },
    ],
  };
}

// Somebody saw that it is CUPTI itself that records nothing.
const saidOfCupti = /\bCUPTI\b[^\n.;]{0,40}\b(?:not|no longer|never|n['\u2019]t|fails? to) (?:trac|record|captur|collect)/i;

// TensorFlow opens CUPTI by its name and goes on without; PyTorch's wheels for Windows had none for long.
function ofFramework(evidence: Fact[], facts: Facts, context: Context): Suspect[] {
  if (context.speaker === "torch" && facts.on("windows"))
    return [
      {
        ...unsupported(evidence, "PyTorch's builds for Windows recorded no kernels for several releases: their Kineto had no CUPTI"),
        name: "torch",
        certainty: "possible",
        next: ['python -c "import torch; print(torch.__version__, torch.profiler.supported_activities())"'],
        fixes: [fix("take the newest PyTorch for Windows, or profile under Linux; Nsight Systems traces kernels on Windows itself")],
      },
    ];
  // TensorBoard's profiler is TensorFlow's, unless the text speaks of another.
  const isTensorboard = context.speaker === undefined && evidence.some(({ at }) => /\btensor ?board(?:['\u2019]s)? profil/i.test(at.text));
  if (context.speaker !== "tensorflow" && !isTensorboard) return [];
  const base = {
    name: "libcupti.so",
    library: "cupti",
    required: "the CUPTI of the CUDA that TensorFlow was built with, where it looks",
    evidence,
    certainty: "possible" as const,
    next: [whyLine("libcupti", context, "profile")],
  };
  const other = ofOtherToolkit({ ...base, cause: "library-wrong-version", message: "" }, context);
  return [
    ...other,
    {
      ...base,
      cause: "library-not-on-path",
      message: `${0 < other.length ? "or " : ""}TensorFlow does not find CUPTI, records the CPU alone and says so only in its log: CUPTI has a folder of its own`,
      fixes: [
        facts.on("windows")
          ? fix("put `extras\\CUPTI\\lib64` of the CUDA toolkit on PATH")
          : fix("let the loader look where CUPTI is", "export LD_LIBRARY_PATH=/usr/local/cuda/extras/CUPTI/lib64:$LD_LIBRARY_PATH"),
      ],
    },
    { ...base, cause: "library-missing", message: "or CUPTI is not installed", fixes: [] },
  ];
}

function permission(evidence: Fact[], facts: Facts, context: Context): Suspect[] {
  const base = {
    name:
      facts.on("jetson") || facts.on("windows") || facts.on("wsl2") ? "GPU performance counters" : "NVreg_RestrictProfilingToAdminUsers",
    required: "GPU performance counters open to this user",
    found: "closed",
    evidence,
  };
  const allowed: Suspect = {
    ...base,
    cause: "profiler-permission",
    certainty: "certain",
    message: "GPU performance counters are closed to this user or container",
    next: facts.on("jetson") ? [] : ["cat /proc/driver/nvidia/params | grep RmProfilingAdminOnly"],
    fixes: rightsFixes(evidence, facts, context),
  };
  if (!facts.on("wsl2")) return [allowed];
  const samples = evidence.some((fact) => fact.kind === "notice" && fact.id === "nvpa-privilege");
  const wsl = { ...unsupported(evidence, "under WSL 2 the counters cannot be sampled, whatever is set"), ...underWsl(facts) };
  return samples ? [wsl, { ...allowed, certainty: "possible" }] : [allowed, { ...wsl, certainty: "possible" }];
}

/** Nobody has said that they are closed: it is one of the things that may be. */
function perhapsClosed(evidence: Fact[], facts: Facts, context: Context): Suspect {
  const { found: _found, ...allowed } = permission(evidence, facts, context)[0]!;
  return { ...allowed, certainty: "possible" };
}

function conflict(evidence: Fact[], context: Context): Suspect {
  return {
    cause: "profiler-conflict",
    name: "libcupti.so",
    library: "cupti",
    required: "one CUPTI client in a process",
    found: "two",
    certainty: "certain",
    message: "two profilers want CUPTI in one process, and only one can have it",
    because: ["nsys, ncu, compute-sanitizer, Kineto and TensorFlow's profiler are all clients of CUPTI"],
    evidence,
    next: ["env | grep -i 'nsys\\|inject\\|kineto'"],
    fixes: oneProfiler(context),
  };
}

// Counters of a GPU serve one at a time; monitoring with DCGM holds them for good.
function inUse(evidence: Fact[], context: Context): Suspect {
  return {
    ...conflict(evidence, context),
    required: "the GPU's counters free",
    found: "in use by another tool",
    message: "another tool, most often DCGM's monitoring, holds the counters of the GPU",
    because: [],
    next: ["ps aux | grep -i 'dcgm\\|nv-hostengine'"],
    fixes: [fix("pause the monitoring while you profile, and let it go on afterwards", "dcgmi profile --pause", "dcgmi profile --resume")],
  };
}

function otherGpu(evidence: Fact<"notice">[]): Suspect[] {
  const old = evidence.find(({ required }) => required !== undefined)?.required;
  const base = {
    name: old === undefined ? "the profiler" : "nvprof",
    required: old === undefined ? "a profiler that knows this GPU" : `a GPU below compute capability ${old}, or Nsight`,
    ...(old === undefined ? {} : { found: `a GPU of compute capability ${old} or higher` }),
    evidence,
    next: ["nvidia-smi --query-gpu=name,compute_cap --format=csv", "ncu --list-chips"],
    fixes: [fix("use Nsight Systems and Nsight Compute of the CUDA that nvidia-smi shows", "nsys --version; ncu --version")],
  };
  return [
    { ...base, cause: "profiler-platform-unsupported", certainty: "likely", message: "this profiler cannot profile this GPU" },
    { ...base, cause: "arch-unsupported", certainty: "possible", message: "the GPU is newer, or older, than the profiler supports" },
  ];
}

// What CUPTI refuses by name, and where it would work.
const withoutTracing: { [error: string]: { message: string; fix: string } } = {
  VIRTUALIZED_DEVICE_NOT_SUPPORTED: {
    message: "CUPTI does not profile this virtual GPU",
    fix: "profile on a GPU that is passed through whole, or on a machine of its own",
  },
  LEGACY_PROFILER_NOT_SUPPORTED: {
    message: "the events and metrics of old CUPTI do not exist for this GPU: the tool is older than it",
    fix: "use Nsight Systems and Nsight Compute, or a tool built upon CUPTI's newer profiling interface",
  },
  CDP_TRACING_NOT_SUPPORTED: {
    message: "CUPTI does not trace kernels that kernels start on this GPU",
    fix: "profile without tracing of dynamic parallelism",
  },
  CONFIDENTIAL_COMPUTING_NOT_SUPPORTED: {
    message: "the GPU runs in confidential computing mode, in which it cannot be profiled",
    fix: "profile on a GPU without confidential computing, or in its developer mode (DevTools)",
  },
  CMP_DEVICE_NOT_SUPPORTED: { message: "CUPTI does not profile mining cards (CMP)", fix: "profile on another GPU" },
  MIG_DEVICE_NOT_SUPPORTED: {
    message: "this CUPTI does not profile a part of a GPU (MIG)",
    fix: "profile on a GPU that is not divided, or trace without counters (Nsight Systems)",
  },
  SLI_DEVICE_NOT_SUPPORTED: {
    message: "CUPTI does not profile GPUs that are joined by SLI",
    fix: "switch SLI off in the driver's settings",
  },
  WSL_DEVICE_NOT_SUPPORTED: {
    message: "under WSL this CUPTI reads no counters",
    fix: "profile on Windows itself or on Linux without WSL; tracing without counters works under WSL with a new driver",
  },
};

/** What a machine that is not under WSL refutes. */
const underWsl = (facts: Facts): { found?: typeof wslFound } => (facts.on("wsl2") ? { found: wslFound } : {});

function unsupportedBy(evidence: Fact<"cupti-error">[]): Suspect {
  const { name } = evidence[0]!;
  const { message, fix: where } = withoutTracing[name]!;
  return {
    ...unsupported(evidence, message),
    ...(name === "WSL_DEVICE_NOT_SUPPORTED" ? { found: wslFound } : {}),
    fixes: [fix(where)],
  };
}

function unsupported(evidence: Fact[], message: string): Suspect {
  return {
    cause: "profiler-platform-unsupported",
    name: "CUPTI",
    library: "cupti",
    certainty: "likely",
    message,
    evidence,
    fixes: [fix("profile on Linux without WSL and without virtualisation, or on Windows itself")],
  };
}

/** Tracing came to WSL 2 late; counters are another matter (NVIDIA's guide for CUDA on WSL). */
const tracedInWsl = fix(
  "update the driver on Windows, `wsl --update`, and take the newest release of the framework or of Nsight Systems: older ones trace nothing there",
);

function silent(closed: Fact<"cupti-error">[], timestamp: Fact[], facts: Facts, context: Context): Suspect[] {
  const evidence: Fact[] = [...closed, ...timestamp];
  const next = [whyLine("libcupti", context, "profile"), "culprit why libcuda.so.1", "echo $LD_LIBRARY_PATH"];
  // Nsight Systems has its own CUPTI.
  const ofTool = evidence.some(({ at }) => /\bnsys\b|qdstrm|CUDA tracing is not available|Nsight/i.test(at.text));
  const stubs = context.searched.find(({ folder }) => /\/stubs\/?$/.test(folder));
  const folders = context.searched.filter(({ folder }) => /cuda|CUPTI/i.test(folder));
  const shadowed: Suspect = {
    cause: "library-shadowed",
    name: "libcupti.so",
    library: "cupti",
    required: "the CUPTI that the framework was built with, and the driver's libcuda",
    found: 0 < folders.length ? `${folders.map(({ folder }) => folder).join(":")} searched first` : "perhaps another copy",
    certainty: 0 < folders.length ? "likely" : "possible",
    message:
      0 < folders.length
        ? "folders of a toolkit are searched before the framework's own: another CUPTI, or a stub of libcuda, answers"
        : "another CUPTI than the framework's own is found first",
    evidence: [...evidence, ...folders.slice(0, 1).map(({ fact }) => fact)],
    next,
    fixes: [withoutSearchPath()],
  };
  const stub: Suspect = {
    ...shadowed,
    cause: "stub-library",
    name: "libcuda.so.1",
    library: "libcuda",
    found: stubs?.folder ?? "perhaps a stub",
    certainty: stubs ? "likely" : "possible",
    message: "the stub of libcuda may answer instead of the driver",
  };
  const driver = context.driver;
  const newest = driver ? toolkitOf({ driver: driver.version })?.newest.cuda : undefined;
  const old: Suspect = {
    cause: "cupti-too-old-for-driver",
    name: "libcupti.so",
    library: "cupti",
    required: `a CUPTI of the driver's generation${newest === undefined ? "" : ` (CUDA ${newest})`}`,
    ...(driver ? { found: `driver ${driver.version}` } : {}),
    certainty: driver ? "likely" : "possible",
    message: "CUPTI of an older toolkit does not understand a much newer driver",
    evidence: [...evidence, ...(driver ? [driver] : [])],
    next: ["nvidia-smi", ...next],
    fixes: ofTool
      ? [fix("take the Nsight Systems of the CUDA that nvidia-smi shows, or newer: it has its own CUPTI")]
      : [
          fix("take a release of the framework, or of CUPTI, that is as new as the driver"),
          fix("or a driver of the generation of the toolkit"),
        ],
  };
  const newer: Suspect = {
    ...old,
    cause: "driver-too-old",
    name: "libcuda.so.1",
    library: "libcuda",
    required: "a driver as new as the CUPTI that is loaded",
    certainty: "possible",
    message: "or CUPTI is of a newer CUDA than the driver runs",
    fixes: [fix("install a newer NVIDIA driver, or profile with the CUPTI of the driver's CUDA")],
  };
  const wsl: Suspect = {
    ...unsupported(
      evidence,
      facts.on("wsl2")
        ? "under WSL 2 CUPTI answers only with a new driver and toolkit"
        : "the platform may not offer CUPTI (WSL 2 before driver 510, virtual GPUs)",
    ),
    ...underWsl(facts),
    ...(facts.on("wsl2") ? {} : { certainty: "possible" }),
  };
  const missing: Suspect = {
    cause: "library-not-on-path",
    name: "libcupti.so",
    library: "cupti",
    required: "libcupti where the profiler looks",
    found: "it did not answer",
    certainty: "possible",
    message: "CUPTI is not found where the profiler looks; then another line names the file",
    because: ["TensorFlow prints this whenever the first call of CUPTI fails; it does not prove that the file is absent"],
    evidence,
    next,
    fixes: cuptiFixesForTensorflow(context, ofTool),
  };
  const permissionToo = perhapsClosed(evidence, facts, context);
  const held: Suspect = {
    ...conflict(evidence, context),
    certainty: "possible",
    message: "or another profiler in the process, or DCGM on the host, holds CUPTI",
  };
  const absent: Suspect = { ...missing, cause: "library-missing", message: "or CUPTI is not installed" };
  const wrong: Suspect = { ...missing, cause: "library-wrong-version", message: "or another release of CUPTI answers" };
  const has = (name: string) => closed.some((fact) => fact.name === name);
  if (has("NOT_INITIALIZED") || facts.notices("cupti-init-failed").length > 0)
    return 0 < folders.length
      ? [shadowed, stub, newer]
      : facts.on("wsl2")
        ? [wsl, permissionToo, old, shadowed]
        : [shadowed, stub, newer, old, permissionToo, wsl];
  if (0 < closed.length && closed.every(({ name }) => name === "INVALID_PARAMETER")) return [permissionToo, absent, missing, wrong];
  const noticed = (id: string) => timestamp.some((fact) => fact.kind === "notice" && fact.id === id);
  if (noticed("cupti-not-opened") && !noticed("cupti-timestamp") && closed.length === 0)
    return [
      ...ofOtherToolkit(missing, context),
      { ...missing, message: "CUPTI is not found where TensorFlow looks", because: [notOpened] },
      absent,
      wrong,
    ];
  if (facts.on("wsl2")) return [wsl, old, permissionToo, missing];
  if (noticed("libcupti-not-loaded") || noticed("cupti-not-opened"))
    return [...ofOtherToolkit(missing, context), missing, absent, permissionToo, wrong, wsl];
  if (closed.length > 0 && driver) return [old, wsl, held, permissionToo, shadowed];
  return [old, wsl, held, permissionToo, missing, wrong];
}

const notOpened =
  "TensorFlow says this where it could open no libcupti, or one without a function that it calls; after another error of CUPTI a line before tells which";

function noTracing(evidence: Fact[], facts: Facts, context: Context): Suspect[] {
  const torch = context.framework("torch");
  const base = {
    name: "torch",
    library: "cupti",
    required: "a build of PyTorch whose Kineto has CUPTI",
    found: "a build without it",
    evidence,
  };
  const cpu: Suspect = {
    ...base,
    cause: "wrong-wheel-cpu-only",
    certainty: torch.cpuOnly ? "likely" : "possible",
    message: "a CPU build of PyTorch has no CUDA activities",
    fixes: [fix("install a CUDA build of PyTorch", "pip install torch --index-url https://download.pytorch.org/whl/cu128")],
  };
  const bug: Suspect = {
    ...base,
    cause: "upstream-bug",
    certainty: "possible",
    message: "this build of PyTorch was made without CUPTI, though it can use the GPU: a defect of the package",
    fixes: [fix("take another build or release of PyTorch (the wheels of PyPI have CUPTI)")],
    next: ['python -c "import torch; print(torch.__config__.show())"'],
  };
  const known = profilerDefectsIn("no-kernels", evidence, facts, context)[0];
  const platform: Suspect = {
    ...unsupported(
      evidence,
      known?.message ?? "this build of PyTorch has no CUPTI tracing on this platform (early Windows and ARM builds)",
    ),
    name: "torch",
    ...(known?.name === "torch" ? { required: known.required!, found: known.found!, fixes: known.fixes! } : {}),
    certainty: known?.name === "torch" ? "likely" : "possible",
  };
  if (torch.cpuOnly || (torch.version !== undefined && frameworkRelease("torch", torch.version) === undefined && /cpu/.test(torch.version)))
    return [cpu, bug, platform];
  const gpuWorks = facts.has("toolkit") || facts.has("gpu") || facts.all("available").some(({ value }) => value);
  const warned = evidence.some((fact) => fact.kind === "notice" && fact.id !== "cpu-activity-only");
  return facts.on("windows") || (warned && !gpuWorks) ? [platform, bug, cpu] : warned ? [platform, bug, cpu] : [bug, platform, cpu];
}
