// From its own file: help must not wait for the library.
import { activities } from "@culprit/core/model/activity";
import { dependencyFileWords } from "@culprit/core/model/dependency-file-formats.generated";
import { reportFormats } from "@culprit/core/model/report-formats";
import { either, elsewhere, kinds } from "@culprit/machine/target/kinds";
import type { Command, Option } from "./usage.ts";

const json: Option = { name: "json", help: "print one JSON document and nothing else" };

const where: Option[] = [
  {
    name: "target",
    value: "TARGET",
    help: `${either(elsewhere.map(({ form }) => form))} instead of this machine`,
  },
  { name: "root", value: "DIR", help: "the folder DIR as the root of the system; nothing outside it is read" },
  { name: "env", value: "NAME=VALUE", multiple: true, help: "as if this variable were set" },
  { name: "unset", value: "NAME", multiple: true, help: "as if this variable were not set" },
  {
    name: "module",
    value: "NAME|FILE|-",
    multiple: true,
    help: "as if this environment module were loaded: by name, its file, or what `module show` prints; read, never run",
  },
  { name: "driver", value: "VERSION", help: "as if this NVIDIA driver were there: 535.104.05, or how it begins: 535" },
  { name: "gpu", value: "NAME|sm_XX", multiple: true, help: "as if these GPUs were there, instead of those that are" },
  { name: "cwd", value: "DIR", help: "as if started in DIR" },
  {
    name: "cpu",
    value: "[VENDOR:]LEVEL",
    help: "as if on a processor of this x86-64 level, v1 to v4: amd:v3; without a vendor, of the target's own, if known",
  },
  { name: "ldconfig", help: "as if `ldconfig` had just been run" },
  {
    name: "send",
    help: "copy the stand-alone executable to the host, run it and remove it; without it, a plain shell does",
  },
  { name: "timeout", value: "SECONDS", help: "how long to wait for a host that does not answer (20)" },
];

const shell: Option = {
  name: "shell",
  value: "none|login",
  choices: ["none", "login"],
  help: "as started without a shell, or from a login shell; for a root folder, an image and a host both, where they differ",
};

const changes: Option[] = [
  {
    name: "with",
    value: "REQUIREMENT",
    multiple: true,
    help: "as if pip had installed this in every environment: torch==2.6.0; nothing is installed",
  },
  { name: "replace", value: "REQUIREMENT", multiple: true, help: "the same, only where some release of it is there" },
  {
    name: "without",
    value: "NAME|PATH",
    multiple: true,
    help: "as if this were gone: a Python package, a library (cudnn), a toolkit (cuda-toolkit==12.4), a package of the system, a path",
  },
];

const declared: Option[] = [
  { name: "colab", value: "DATE|latest", help: "base image for dependency files: what Colab had on that day" },
  { name: "python-version", value: "VERSION", help: "for dependency files: install into this Python, such as 3.12" },
];

const python: Option[] = [
  {
    name: "do",
    value: "ACTIVITY,…",
    choices: activities.slice(1),
    multiple: true,
    help: `what a framework does after its import: ${activities.slice(1).join(", ")}`,
  },
  { name: "python", value: "DIR", multiple: true, help: "the Python environment to look in" },
];

const forPrograms: Option = {
  name: "for",
  value: "PROGRAM,…",
  multiple: true,
  help: "an executable, a folder of programs that were built, or frameworks that one process imports in that order; `tensorflow:device,torch:import` and `onnxruntime:preload` say what it does when",
};

export const commands: Command[] = [
  {
    name: "check",
    usage: "culprit [check] [TARGET…] [options]",
    words: ["file", "framework"],
    summary: "find every mismatch in a GPU stack: which library is to blame, why, and what it breaks",
    details: `TARGET is ${elsewhere.map(({ help }) => help).join(", ")}, or a dependency file (${dependencyFileWords.join(", ")}); without one, this machine. Several give a table of who differs. A program (./build/prog) and the folder of a build (./build) are looked at where they lie.\nWithout --for, every framework in every Python environment is examined, each by itself.`,
    options: [
      forPrograms,
      ...python,
      ...where,
      ...changes,
      shell,
      ...declared,
      json,
      { name: "markdown", help: "print a report to paste into an issue; names of people and hosts are replaced" },
      { name: "sarif", help: "print SARIF, for code review; names of people and hosts are replaced" },
      {
        name: "html",
        value: "FILE",
        help: "write the page of `culprit open`, which works offline; names of people and hosts are replaced",
      },
      {
        name: "format",
        value: reportFormats.join("|"),
        choices: reportFormats,
        help: "print lines for a log of CI, annotations of GitHub Actions, or JUnit's XML; names of people and hosts are replaced",
      },
      { name: "hosts", value: "FILE", help: "look at every host that FILE names, one on a line; `-` is standard input" },
      { name: "all-processes", help: "examine every running process that has a GPU library mapped" },
      { name: "all", help: "show notes, all evidence, and all unknowns, too" },
      { name: "ignore", value: "RULE[:SUBJECT]", multiple: true, help: "leave findings of a rule out, or the one about SUBJECT" },
      {
        name: "config",
        value: "FILE",
        help: "findings that the project accepts, each with a reason; else ./culprit.json, where there is one",
      },
      {
        name: "fail-on",
        value: "LEVEL",
        choices: ["error", "warning", "info", "unknown", "never"],
        help: "exit 1 from this severity on: error (as always), warning, info or never; unknown: for an error, and where something could not be judged",
      },
      { name: "schema", value: "N", choices: ["1", "2"], help: "with --json: 1 prints `culprit/check@1`, as before, for one more release" },
    ],
    exits: { 0: "no error was found", 1: "an error was found, or what --fail-on names" },
    examples: [
      { line: "culprit", asks: "this machine: every framework in every Python environment" },
      { line: "culprit check torch --driver 535.104 --gpu T4", asks: "would torch run there?" },
      { line: "culprit check .", asks: "this project: its dependency files and its .venv" },
      { line: "culprit check image:app.tar --gpu H100 --driver 570", asks: "a container image, before anybody starts it" },
    ],
    run: () => import("./check.ts"),
  },
  {
    name: "fix",
    usage: "culprit fix [FINDING] [--apply] [options]",
    words: ["rule"],
    summary: "fixes for what check finds, least invasive first, each proven; apply and undo them",
    details:
      "FINDING is a rule, or RULE:SUBJECT, as `culprit check` prints them; without one, everything that is wrong.\nNothing is changed without --apply. `culprit fix --undo [ID]` undoes the last run, or that one, byte for byte.",
    options: [
      { name: "apply", help: "do it; asks first" },
      { name: "yes", short: "y", help: "do not ask" },
      { name: "dry-run", help: "with --apply: show the exact commands and edits, and do nothing" },
      {
        name: "plan",
        value: "DIGEST",
        help: "with --apply: only the plan that `culprit fix --json` showed with this digest; another one is refused",
      },
      { name: "undo", help: "undo what was applied" },
      forPrograms,
      ...python,
      ...where,
      shell,
      json,
    ],
    exits: { 0: "no error, or none is left after --apply", 1: "an error, or the proof did not hold" },
    examples: [
      { line: "culprit fix", asks: "what would remove each finding, and the proof" },
      { line: "culprit fix --apply --dry-run", asks: "the exact edits and commands, and nothing done" },
      { line: "culprit fix cudnn-parts-from-two-releases --apply", asks: "do it, for one finding" },
      { line: "culprit fix --undo", asks: "undo the last one, byte for byte" },
    ],
    run: () => import("./fix.ts"),
  },
  {
    name: "loads",
    usage: "culprit loads PROGRAM… [--do ACTIVITY,…] [options]",
    words: ["framework", "file"],
    summary: "what a program or library would load, in order, and why",
    details:
      "PROGRAM is the path of an executable or a shared library, or a framework (torch, tensorflow, jax, cupy, onnxruntime, …); several frameworks are one process that imports them in that order.\nWith --each, PATH… are files or folders: every ELF file is its own process and gets one line of JSON.",
    options: [
      ...python,
      ...where,
      { name: "each", help: "every file its own process; one JSON document per line" },
      { name: "all", help: "show all objects and not only GPU libraries, and every path that was looked at" },
      json,
    ],
    exits: { 0: "all that is asked for is found", 1: "something stops the program" },
    examples: [
      { line: "culprit loads torch --do convolution", asks: "the GPU libraries of a convolution in torch" },
      { line: "culprit loads /bin/sh --all", asks: "every object of a program, and the rule that led to it" },
      { line: "culprit loads --each /usr/bin --json", asks: "every file of a folder, a line of JSON each" },
    ],
    run: () => import("./loads.ts"),
  },
  {
    name: "why",
    usage: "culprit why LIBRARY [--for PROGRAM] [options]",
    words: [],
    summary: "one library: the search, path by path, who wins, and what would change that",
    details:
      "LIBRARY is the name as it is asked for (libcudnn.so.9), the beginning of it (libcudnn), or what people call it (cudnn, cupti, nccl, TensorRT).\nWith --for FRAMEWORK and without --do, the first activity that asks for it is meant. Without --for, as a plain program without search paths of its own would find it.",
    options: [
      { name: "for", value: "PROGRAM,…", multiple: true, help: "the executable, shared library or frameworks that ask" },
      ...python,
      ...where,
      json,
    ],
    exits: { 0: "it is found", 1: "it is not" },
    examples: [
      { line: "culprit why cudnn --for torch", asks: "which cuDNN torch gets, and why not another" },
      {
        line: "culprit why libcudnn_graph.so.9 --for torch --env LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu",
        asks: "and if that were set?",
      },
      { line: "culprit why libc.so.6 --for /bin/sh", asks: "one library of one program" },
    ],
    run: () => import("./why.ts"),
  },
  {
    name: "list",
    usage: "culprit list [FRAMEWORK…] [TARGET] [options]",
    words: ["framework", "file"],
    summary: "every driver, GPU, toolkit, environment and library copy; what each framework was compiled for and would load",
    details: "FRAMEWORK (torch, tensorflow, jax, …) shows that one only, and every copy of the libraries that it asks for.",
    options: [...python.filter(({ name }) => name === "python"), ...where, ...declared, json],
    exits: { words: "0 whatever is there" },
    examples: [
      { line: "culprit list", asks: "all that is there" },
      { line: "culprit list torch", asks: "torch: its build, what it would load, and every copy of that" },
      { line: "culprit list requirements.txt", asks: "what would be installed" },
    ],
    run: () => import("./list.ts"),
  },
  {
    name: "solve",
    usage: "culprit solve REQUIREMENT… [--driver V] [--gpu NAME]… [--python-version V] [options]",
    words: [],
    summary: "which versions can live together on a driver and a GPU, and what to type; or the smallest set that cannot",
    details:
      'REQUIREMENT is a package (torch, tensorflow, jax, cupy, onnxruntime-gpu, torchvision, torchaudio) or cuda, cudnn, python, driver, gpu, each with versions in its own notation: "tensorflow>=2.15", "torch==2.4.*", "cudnn<9", "cuda==12.*", "python==3.11", "driver==535.104", "gpu=T4". A library that packages share ("numpy<2", "nvidia-cudnn-cu12==9.1.*") may be given, too.\nWithout a driver and a GPU, those of this machine count (or of --target, --root), and the Python of the active environment is preferred.',
    options: [
      { name: "driver", value: "VERSION", help: "the NVIDIA driver: 535.104.05, or how it begins: 535" },
      { name: "gpu", value: "NAME|sm_XX", multiple: true, help: "the GPUs that it must run on" },
      { name: "python-version", value: "VERSION", help: "the Python that it must be: 3.11" },
      {
        name: "prefer",
        value: "keep-installed",
        choices: ["keep-installed"],
        help: "keep what is installed in the active environment where it will do",
      },
      { name: "python", value: "DIR", multiple: true, help: "the Python environment to look in" },
      ...where.filter(({ name }) => ["target", "root", "env", "unset"].includes(name)),
      json,
    ],
    exits: { 0: "there is an answer", 1: "there is none" },
    examples: [
      { line: 'culprit solve "tensorflow==2.10.*" torch --gpu "RTX 4090" --driver 535', asks: "both in one environment" },
      { line: 'culprit solve torch "python==3.12" --gpu T4 --driver 535.104', asks: "the newest torch for that machine" },
    ],
    run: () => import("./solve.ts"),
  },
  {
    name: "diff",
    usage: "culprit diff A B [options]",
    words: ["file"],
    summary: "works here, fails there: the difference that matters first",
    details: `A and B are targets: ${either(kinds.map(({ forms }) => forms))}; or two dependency files, or days of Colab (\`colab:2024-10-21\`, \`colab:latest\`).\nDifferences are tried out on a copy of the facts until every finding is explained: those come first that make one go away.`,
    options: [
      forPrograms,
      ...python,
      ...where.filter(({ name }) => name !== "target" && name !== "root"),
      shell,
      ...declared,
      { name: "all", help: "show every difference" },
      json,
    ],
    exits: { 0: "nothing differs", 1: "something does" },
    examples: [
      { line: "culprit diff ssh:works ssh:fails", asks: "two hosts" },
      { line: "culprit diff good.json machine", asks: "a snapshot of when it worked, and now" },
      { line: "culprit diff colab:2024-10-21 colab:latest", asks: "two days of Colab" },
    ],
    run: () => import("./diff.ts"),
  },
  {
    name: "explain",
    usage: "culprit explain [FILE|-] [--here] [options]",
    words: ["file"],
    summary: "what is to blame in an error text, a log or an environment dump",
    details:
      "FILE is any text: an error message, a whole CI log, `collect_env`, `pip list`, `nvidia-smi`, a notebook, packed with gzip or not; `-` or nothing reads standard input.\nWith --here, --root or --target the text is joined with what that machine shows; --driver and --gpu alone tell what is known of the machine that the text comes from.\nThe exit code is 0 whatever the text says, and 2 where it cannot be read.",
    options: [
      { name: "here", help: "join the text with this machine" },
      { name: "ask", help: "what a person or a model needs to go on: facts, what fits, and 20 lines at most, without secrets and names" },
      ...python.filter(({ name }) => name === "python"),
      ...where,
      json,
    ],
    exits: { words: "0 when the text could be read, whatever it says" },
    examples: [
      { line: "culprit explain error.log", asks: "what that text says" },
      { line: "culprit explain error.log --here", asks: "joined with this machine: which file is to blame" },
      { line: "python train.py 2>&1 | culprit explain", asks: "what a program prints" },
      { line: "culprit explain error.log --ask", asks: "what to send to somebody who can help" },
    ],
    run: () => import("./explain.ts"),
  },
  {
    name: "run",
    usage: "culprit run [--report] COMMAND…",
    words: ["program"],
    summary: "run a command unchanged, and explain it if it fails or quietly falls back to the CPU",
    details:
      "Output, exit code and signals are the command's own. The diagnosis goes to standard error, with the libraries that were predicted beside those that were really loaded.",
    options: [{ name: "report", help: "print what was loaded after a success as well" }],
    exits: { words: "the command's own" },
    examples: [
      { line: "culprit run python train.py --epochs 3", asks: "explained if it fails" },
      { line: "culprit run --report python train.py", asks: "and what was loaded if it does not" },
    ],
    run: () => import("./run.ts"),
  },
  {
    name: "trace",
    usage: "culprit trace PATH… [--expect WHAT] [--with-machine] [options]",
    words: ["file"],
    summary: "whether a profile really recorded the GPU, what was lost and why, and where the time went",
    details:
      "PATH is what a profiler wrote: `.xplane.pb` or `.trace.json.gz` of TensorFlow and JAX, `.pt.trace.json` or a memory snapshot (`.pickle`) of torch, `.sqlite` of Nsight Systems, JSON of rocprofv3; packed with gzip, zstd or xz or not, in a zip or tar archive, or a folder of them (a TensorBoard logdir). Two of one program are compared; of the ranks of a job, the one that the others wait for is named.\nThe exit code is 0 whatever is in it, 1 only where --expect is not met, and 2 where nothing can be read.",
    options: [
      {
        name: "expect",
        value: "WHAT",
        help: "exit with 1 when a profile has no kernels (`gpu`), or breaks a bound: `step<=12ms`, `idle<=20%`, `step<=1.05*baseline` (the first PATH); several with commas",
      },
      { name: "with-machine", help: "join with what `culprit check` finds on this machine; also where a logdir has no profile" },
      { name: "html", value: "FILE", help: "also write one page to look at: a timeline to zoom, the kernels as areas" },
      { name: "perfetto", value: "FILE", help: "also write a lean trace that ui.perfetto.dev opens (packed if FILE ends in .gz)" },
      ...where.filter(({ name }) => name === "target" || name === "root"),
      json,
    ],
    exits: { words: "0 when the profiles could be read; with --expect, 1 where one is not as expected" },
    examples: [
      { line: "culprit trace logdir", asks: "was the GPU recorded, and where did the time go?" },
      { line: "culprit trace logdir --expect gpu", asks: "the same for CI" },
      { line: "culprit trace before.json after.json", asks: "did it get slower, and which kernels did?" },
      { line: "culprit trace logdir --html trace.html", asks: "and a timeline to look at" },
    ],
    run: () => import("./trace.ts"),
  },
  {
    name: "open",
    usage: "culprit open [TARGET|FILE…] [-o FILE] [options]",
    words: ["file"],
    summary: "one page to look at and to change: findings, what works, who loads what, every copy, and what if",
    details:
      "The page holds the facts of the target and the engine: drag a folder out of LD_LIBRARY_PATH, take a copy away, try a proposed fix, choose another driver or GPU, and the answer follows. Nothing leaves the machine; any browser opens it, offline.\nSeveral targets stand side by side; error texts, dependency files and profiles may be named as well, and are joined with the machine among them. Without a target the page is one onto which all of these can be dropped; `culprit open machine` shows this machine.\nWithout -o the page is opened in the browser of this machine, with all names. With -o names of people and hosts are replaced, as in a snapshot, unless --full is given.",
    options: [
      { name: "output", short: "o", value: "FILE", help: "write the page to FILE instead" },
      { name: "full", help: "with -o: keep names of people and hosts" },
      forPrograms,
      ...python,
      ...where,
      shell,
    ],
    exits: { words: "0 whatever it says" },
    examples: [
      { line: "culprit open machine", asks: "this machine, in the browser" },
      { line: "culprit open", asks: "a page onto which logs, snapshots, files, profiles and images can be dropped" },
      { line: "culprit open error.log node.json -o page.html", asks: "an error text, joined with the machine that it came from" },
      { line: "culprit open good.json -o page.html", asks: "a snapshot as a page, to hand on" },
    ],
    run: () => import("./open.ts"),
  },
  {
    name: "snapshot",
    usage: "culprit snapshot [PROGRAM…] [-o FILE] [options]",
    words: ["framework", "file"],
    summary: "write the facts about a target to a file that every command reads with --target",
    details: "Names of people and hosts, home folders and tokens are replaced, consistently, unless --full is given.",
    options: [
      { name: "output", short: "o", value: "FILE", help: "where to write it; standard output if absent" },
      { name: "full", help: "keep names, home folders and values as they are" },
      ...python.filter(({ name }) => name === "python"),
      ...where,
    ],
    exits: { words: "0 when it was written" },
    examples: [
      { line: "culprit snapshot -o machine.json.gz", asks: "this machine, to hand on" },
      { line: "culprit check --target machine.json.gz", asks: "and what is wrong there" },
      { line: "culprit snapshot /bin/sh -o case.json.gz", asks: "only what one program needs" },
    ],
    run: () => import("./snapshot.ts"),
  },
  {
    name: "push",
    usage: "culprit push [--target TARGET] [--name NODE] [--group G] [options]",
    words: [],
    summary: "tell a fleet server what is here: this machine, an image, an environment, a lock file",
    details: `The server is \`culprit-fleet serve\`, which answers for all nodes what is wrong and what another driver would break. A digest goes first: where nothing changed, nothing else does; else only facts that the server does not have. Names of people and hosts, home folders and tokens are replaced, as in a snapshot, unless --full is given; --name is what the node is called there.\nTARGET is ${elsewhere.map(({ help }) => help).join(", ")}, or a dependency file. Where the server cannot be reached, what was to be pushed is kept, and goes with the next push.`,
    options: [
      { name: "server", value: "URL", help: "the fleet server; else CULPRIT_FLEET_URL" },
      { name: "token", value: "TOKEN", help: "a token for pushing; else CULPRIT_FLEET_TOKEN, which other users of the machine do not see" },
      { name: "name", value: "NODE", help: "what the node is called (the name of this host, or of what is pushed)" },
      { name: "group", value: "GROUP", help: "nodes that should be alike, such as those of one pool" },
      { name: "full", help: "keep names, home folders and values as they are" },
      { name: "jitter", value: "SECONDS", help: "wait up to so long first, by chance, so that a thousand timers do not come together" },
      { name: "spool", value: "DIR", help: "what waits for the server is kept there (~/.local/state/culprit/spool)" },
      ...python.filter(({ name }) => name === "python"),
      ...where.filter(({ name }) => ["target", "root", "timeout"].includes(name)),
      json,
    ],
    exits: { words: "0 when the server has it" },
    examples: [
      { line: "culprit push --group a100", asks: "this machine" },
      { line: "culprit push --target image:app.tar --name app:1.2", asks: "an image, from CI" },
      { line: "culprit push --target uv.lock --name project", asks: "what a job will install" },
    ],
    run: () => import("./push.ts"),
  },
  {
    name: "mcp",
    usage: "culprit mcp [--read-only] [--allow-hosts]",
    words: [],
    summary: "the commands as tools for coding agents, over standard input and output",
    details:
      "A coding agent starts it (https://modelcontextprotocol.io). `fix` proves a plan and names it by a digest; `apply` takes that digest and nothing else. Texts from logs and files are marked as data.",
    options: [
      { name: "read-only", help: "without `apply` and `undo`: nothing on this machine can be changed" },
      { name: "allow-hosts", help: "agents may look at other hosts (ssh:HOST), through your own ssh" },
    ],
    exits: { words: "0 when the agent has gone" },
    examples: [
      { line: "culprit mcp", asks: "what an agent starts: `claude mcp add culprit -- culprit mcp`" },
      { line: "culprit mcp --read-only", asks: "without any means to change something" },
    ],
    run: () => import("./mcp.ts"),
  },
  {
    name: "completion",
    usage: "culprit completion bash|zsh|fish",
    words: ["shell"],
    summary: "print what makes a shell complete commands, options and their values",
    details:
      "bash: `culprit completion bash > ~/.local/share/bash-completion/completions/culprit`.\nzsh: write it to a file `_culprit` in a folder of `fpath`.\nfish: `culprit completion fish > ~/.config/fish/completions/culprit.fish`.",
    options: [],
    exits: { words: "0 when it was printed" },
    examples: [
      { line: "culprit completion bash", asks: "the lines for bash" },
      { line: "culprit completion zsh", asks: "the lines for zsh" },
    ],
    run: () => import("./completion.ts"),
  },
  {
    name: "bug-report",
    usage: "culprit bug-report [-o NAME] [options]",
    words: [],
    summary: "what to attach when culprit is wrong: the facts without names, the answer, the versions",
    details:
      "Writes NAME.json.gz (a snapshot, which every command reads with --target) and NAME.md (versions, question and answer), and says what is in them. Nothing is sent anywhere. Names of people and hosts, home folders and tokens are replaced, consistently: look into both before you hand them on.",
    options: [
      { name: "output", short: "o", value: "NAME", help: "what the two files are called (culprit-report)" },
      {
        name: "for",
        value: "PROGRAM,…",
        multiple: true,
        help: "the programs that the answer is wrong about, as for `culprit check`",
      },
      ...python,
      ...where,
      shell,
    ],
    exits: { words: "0 when both were written" },
    examples: [
      { line: "culprit bug-report -o case", asks: "this machine" },
      { line: "culprit bug-report --target machine.json.gz", asks: "a snapshot that somebody took" },
    ],
    run: () => import("./bug-report.ts"),
  },
];
