import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** Sessions of the profilers of TensorFlow, JAX and PyTorch: begun twice, not begun, or asked from afar. */
export default [
  {
    // tsl/profiler/lib/profiler_lock.cc, eager/profiler.py, jax/_src/profiler.py, torch/csrc/autograd/profiler_kineto.cpp.
    ...notice(
      "profiler-session-twice",
      [
        "another profil",
        "profile has already been started",
        "profiler is already enabled",
        "another profiling session",
        "profiler session",
        "session already active",
      ],
      /\bprofil(?:er|ing) session (?:is )?already (?:active|running|started)|Another profil(?:er|ing)(?: session)? (?:is )?(?:running|active)|Profile has already been started\. Only one profile|Profiler is already enabled on this thread/i,
      "tensorflow.python.eager.profiler.ProfilerAlreadyRunningError: Another profiler is running.",
      "ALREADY_EXISTS: Another profiler session is active.",
      "RuntimeError: Profile has already been started. Only one profile may be run at a time.",
    ),
    means: {
      weight: weights.said,
      name: "the profiler",
      required: "one session of the profiler at a time",
      found: "two",
      may: [
        {
          cause: "profiler-conflict",
          certainty: "likely",
          message:
            "the profiler of this process is running already: a callback, a server or an earlier call started it, and did not stop it",
          fixes: [
            fix(
              "start it once: with Keras `TensorBoard(profile_batch=0)` where the program profiles itself, and one callback for all calls of fit()",
            ),
            fix("after an error in a notebook, start the kernel anew: the old session is still open"),
          ],
        },
        { cause: "upstream-bug", name: "the framework", message: "or a release that does not end its session: newer ones do", fixes: [] },
        { cause: "not-a-mismatch", message: "no version is at fault where the program starts it twice", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "profiler-session-none",
      ["no profiler is running", "no profile started", "profiler when it's not running"],
      /Cannot stop profiling\. No profiler is running|RuntimeError: No profile started|Can't disable Kineto profiler when it's not running/,
      "ProfilerNotRunningError: Cannot stop profiling. No profiler is running.",
      "RuntimeError: Can't disable Kineto profiler when it's not running",
    ),
    means: {
      symptom: "the profiler is stopped where it does not run",
      name: "the profiler",
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "the profiler was stopped twice, or its start failed before: an earlier line says why",
          fixes: [fix("stop it once, in the thread that started it; look above for the reason why it did not start")],
        },
        {
          cause: "upstream-bug",
          name: "the framework",
          message: "or the release stops it by itself: so TensorFlow 2.4 did with `trace_export(profiler_outdir=…)`",
          fixes: [],
        },
      ],
    },
  },
  {
    // tensorflow/core/profiler/rpc/client, tensorboard_plugin_profile: the page's button, and tf.profiler.experimental.client.trace.
    ...notice(
      "profiler-capture-empty",
      ["no trace event is collected", "failed to capture profile", "empty trace result"],
      /No trace event is collected|Failed to capture profile: (?:empty trace result|[^\n]{0,80}(?:unavailable|failed to connect))/i,
      "Failed to capture profile: empty trace result.",
      "No trace event is collected after 3 attempt(s). Perhaps, you want to try again (with more attempts?).",
    ),
    means: {
      weight: weights.failed,
      symptom: "a profile that was asked for from outside is empty",
      name: "the profile",
      unless: (facts) => facts.has("cupti-error") || facts.has("not-found"),
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "no server of the profiler answered, or nothing ran while it listened",
          fixes: [
            fix(
              "keep the server that is started alive as long as the program runs: `server = jax.profiler.start_server(9999)`, `tf.profiler.experimental.server.start(6009)`",
            ),
            fix("name its very address and port, capture for longer, and only while steps run"),
          ],
        },
        {
          cause: "profiler-plugin-version",
          name: "tensorboard-plugin-profile",
          message: "or the plugin and the framework are of different lines",
          fixes: [],
        },
        { cause: "profiler-permission", message: "or the program may not trace the GPU: its own log says so", fixes: [] },
      ],
    },
  },
  {
    // jax/_src/profiler.py: it looks for one trace.json.gz beside the .xplane.pb.
    ...notice(
      "jax-trace-folder",
      "invalid trace folder",
      /ValueError: Invalid trace folder\b/,
      "ValueError: Invalid trace folder: /tmp/log/plugins/profile/2023_01_22_17_22_49",
    ),
    means: {
      weight: weights.failed,
      symptom: "JAX finds no trace for Perfetto in the folder that it wrote",
      name: "jaxlib",
      next: ["pip list | grep -i jax", "find . -name '*.trace.json.gz' -o -name '*.xplane.pb'"],
      may: [
        {
          cause: "upstream-bug",
          message: "this jaxlib writes only `.xplane.pb`: releases of late 2022 and early 2023 wrote no trace for Perfetto",
          fixes: [
            fix("take a newer JAX", 'pip install -U "jax[cuda12]"'),
            fix("or look at the profile with XProf, without `create_perfetto_link`", "pip install -U xprof"),
          ],
        },
        { cause: "not-a-mismatch", message: "or several hosts or runs wrote into one folder", fixes: [] },
        {
          cause: "profiler-plugin-version",
          name: "xprof",
          message: "and where TensorBoard shows nothing, its plugin is missing or of another line",
          fixes: [],
        },
      ],
    },
  },
  {
    // What people tell; a program that dies says so itself.
    ...notice(
      "dies-under-profiler",
      ["nsys", "nvprof", "ncu", "nsight", "profil", "cupti"],
      /\b(?:under|with|using|through|launching|in|running)\b[^\n.;]{0,40}\b(?:nsys|nvprof|ncu|Nsight(?: Systems| Compute)?|CUPTI|(?:torch|tf|jax)\.profiler|the profiler)\b[^\n.;]{0,80}\b(?:crash(?:es|ed|ing)?|quits?|exits the process|hangs?|hung|freezes?|segfaults?|Seg(?:mentation )?[Ff]ault|dies)\b|\b(?:crash(?:es|ed)?|quits|hangs?|segfaults?|SegFault|exits the process|dies)\b[^\n.;]{0,50}\b(?:under|with|when (?:using|profiling|running)|inside)\b[^\n.;]{0,40}\b(?:nsys|nvprof|ncu|Nsight|profiler|profiling)\b|\bImporting \w{2,20}(?:\.\w{2,10})? under Nsight[^\n.;]{0,30}\bexits\b|\bProfiler SegFault\b/,
      "When running using CUDA after launching Julia with Nsight Systems, the program quits",
      "it crashes when using nvprof",
    ),
    means: {
      symptom: "the program ends under a profiler, and not without it",
      name: "the profiler",
      unless: (facts) => facts.has("cupti-error") || facts.has("not-found"),
      next: ["nsys --version; ncu --version; nvidia-smi"],
      may: [
        {
          cause: "upstream-bug",
          message:
            "a defect of this release of the profiler, or of how the program loads libraries under it: newer releases mend such crashes",
          fixes: [fix("install the newest release of the profiler that this driver runs; it is apart from the CUDA toolkit")],
        },
        {
          cause: "profiler-conflict",
          name: "libcupti.so",
          library: "cupti",
          message: "or the program, or a library in it, uses CUPTI itself",
          fixes: [],
        },
        { cause: "profiler-platform-unsupported", message: "or the release is older than this GPU, driver or system", fixes: [] },
        {
          cause: "not-a-mismatch",
          message: "or the profiler only brings out an error of the program",
          fixes: [fix("look for one", "compute-sanitizer ./program")],
        },
      ],
    },
  },
  {
    ...notice(
      "jax-no-tools",
      ["no tools", "tools dropdown", "zero tools"],
      /\bprofiler?\b[^\n.;]{0,120}\b(?:no|zero) tools\b|\b(?:no|zero) tools\b[^\n.;]{0,60}\b(?:profile|trace)\b/i,
      "It is able to capture a trace but there are no tools to investigate the trace.",
    ),
    means: {
      symptom: "the profile page offers no tool",
      name: "tensorboard-plugin-profile",
      required: "a plugin of the framework's line",
      next: ["pip list | grep -i 'tensorboard\\|xprof\\|jax\\|tensorflow'"],
      may: [
        {
          cause: "profiler-plugin-version",
          message: "the plugin does not know the files that this framework writes: it is older, or another line",
          fixes: [fix("install the plugin that reads today's profiles", "pip install -U xprof")],
        },
        {
          cause: "upstream-bug",
          name: "jaxlib",
          message: "or the framework's release writes them in a way that no plugin of its time reads",
          fixes: [],
        },
      ],
    },
  },
  notice(
    // CUPTI that is ended and begun again around graphs; what the crash itself says is any error of memory.
    "profile-of-graphs",
    ["cuda graph", "cudagraph"],
    /(?=[^\n]{0,200}\bcuda ?graphs?\b)(?=[^\n]{0,200}\b(?:profil(?:e|er|ing)|kineto|CUPTI)\b)[^\n]{0,200}\b(?:crash(?:es|ed|ing)?|segfaults?|segmentation fault|illegal memory access|core dumped)\b/i,
    "the torch profiler crashes with an illegal memory access when CUDA graphs are used",
  ),
] satisfies Signature[];
