import { libraryOf } from "../../knowledge/libraries.ts";
import { nameOf } from "../../lib/path.ts";
import type { Signature } from "../signature.ts";

// A wheel's own copy has a part of its digest in the name: `libnvrtc-672ee683.so.11.2`, or a glob in its place.
const stemOf = (path: string) =>
  nameOf(path)
    .split(".so")[0]!
    .replace(/-(?:[0-9a-f]{8}|\*)$/, "");

/** Advice and code that cannot work or does harm, wherever it stands in a text. */
export default [
  {
    literals: ["ln -s", "ln --symbolic", "cp "],
    pattern:
      /\b(?:ln (?:-\w{1,4} ){1,2}|cp (?:-\w{1,4} ){0,2})(?<from>[^\s'"`;]{3,300}\.so[\w.]{0,40}) (?<to>[^\s'"`;]{3,300}\.so[\w.]{0,40})/,
    examples: [
      "sudo ln -s /usr/local/cuda/lib64/libcusolver.so.11 /usr/local/cuda/lib64/libcusolver.so.10",
      "cp libcudnn.so.8.0.5 libcudnn.so.5",
    ],
    facts: ({ from, to }) => {
      const [source, made] = [nameOf(from!), nameOf(to!)];
      if (!libraryOf(source) && !libraryOf(made)) return undefined;
      if (stemOf(source) !== stemOf(made))
        return {
          kind: "advice",
          id: "other-library-under-name",
          message: `\`${source}\` under the name \`${made}\` is another library: programs find it, and then fail or compute with the wrong code`,
        };
      const [a, b] = [/\.so\.(\d{1,4}(?:\.\d{1,4})?)/.exec(source)?.[1], /\.so\.(\d{1,4}(?:\.\d{1,4})?)/.exec(made)?.[1]];
      if (a === undefined || b === undefined || a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)) return undefined;
      if (Number(a) === Number(b)) return undefined;
      return {
        kind: "advice",
        id: "other-release-under-name",
        message: `\`${source}\` under the name \`${made}\` is another release: its functions and structures differ, so the error may only move; undo it with \`rm ${to}\` and install the release that is asked for`,
      };
    },
  },
  {
    literals: ["/stubs"],
    pattern: /(?:LD_LIBRARY_PATH|ld\.so\.conf)[^\n]{0,300}?(?<folder>(?<![^\s:='"])\/[^\s:'"]{1,200}(?<=\/stubs))(?![\w-])/,
    examples: ["export LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs:$LD_LIBRARY_PATH"],
    facts: ({ folder }) => ({
      kind: "advice",
      id: "stubs-on-path",
      message: `\`${folder}\` holds stubs for the linker, not for running: where one there is named \`libcuda.so.1\` it is loaded instead of the driver's, and every CUDA call fails`,
    }),
  },
  {
    literals: ["environ"],
    // Set, not read: `if "/x" not in os.environ["LD_LIBRARY_PATH"]` does no harm.
    pattern: /os\.environ(?:\[|\.(?:setdefault|update)\()\{?['"](?<name>LD_LIBRARY_PATH|LD_PRELOAD)['"](?:\] {0,4}\+?=(?!=)|(?!\]))/,
    examples: ["os.environ['LD_LIBRARY_PATH'] = '/usr/local/cuda/lib64:' + os.environ.get('LD_LIBRARY_PATH','')"],
    facts: ({ name }) => ({
      kind: "advice",
      id: "environ-too-late",
      message: `setting ${name} through os.environ has no effect on the running Python: the loader read it when the process began; set it before Python starts, or start a new process`,
    }),
  },
  {
    literals: ["%env"],
    pattern: /%env LD_LIBRARY_PATH/,
    examples: ["%env LD_LIBRARY_PATH=/usr/local/cuda/lib64"],
    facts: () => ({
      kind: "advice",
      id: "environ-too-late",
      message: "%env sets LD_LIBRARY_PATH for programs that the notebook starts later, not for the running Python",
    }),
  },
  {
    literals: ["pip install", "pip uninstall", "conda install"],
    // What is commented out is not run.
    pattern:
      /(?<!#[^\n]{0,40})(?:^|[\s"'])(?:[!%]|os\.system\(["']|subprocess\.\w{2,12}\(\[?["'])(?:\w{0,10} ?-m )?(?:pip3?|conda)["', ]{1,4}(?<step>install|uninstall)[^\n]{0,80}?\b(?<name>torch|tensorflow|jax|jaxlib|cupy[\w-]{0,12}|nvidia-[\w-]{3,30})/,
    examples: ['os.system("pip uninstall tensorflow -y")', "!pip install torch==2.1.0"],
    facts: ({ name, step }) => ({
      kind: "advice",
      id: "restart-after-install",
      message: `\`${name}\` is ${step}ed from within the running notebook or program: if it was imported before, the old code stays in memory; restart the runtime before importing it`,
    }),
  },
  {
    literals: ["pip install", "pip3 install"],
    // Nothing but letters before the sign: a quoted requirement is one word for the shell.
    pattern:
      /(?:^|[\s!%$;&])pip3? install (?:[^'"#<>\n|;&]{0,80} )?(?<requirement>[A-Za-z][\w.-]{0,40}(?:\[[\w,-]{1,40}\])?)(?<sign>[<>])=?(?<version>\d[\w.]{0,16})(?![\w.]{0,16}['"])/,
    examples: ["!pip install torch<2.4 torchaudio<2.4", "pip install ctranslate2>=4.5"],
    facts: ({ requirement, sign, version }, { input }) => ({
      kind: "advice",
      id: "requirement-unquoted",
      message:
        sign === "<"
          ? `the shell takes \`<${version}\` for a file to read from: without such a file the line fails, and no release is pinned; put the requirement in quotes: \`"${requirement}<${input.includes(`<=${version}`) ? "=" : ""}${version}"\``
          : `the shell takes \`>\` for a file to write to: pip is asked for any \`${requirement}\`; put the requirement in quotes`,
    }),
  },
  {
    literals: ["_check_cuda_version", "cuda_mismatch_message"],
    pattern: /(?:comment(?:ing|ed)? out|#\s{0,4}|remove|delete|disable)[^\n]{0,60}_check_cuda_version/i,
    examples: ["just comment out _check_cuda_version(compiler_name, compiler_version) in cpp_extension.py"],
    facts: () => ({
      kind: "advice",
      id: "check-switched-off",
      message:
        "switching off PyTorch's check of CUDA versions lets an extension be built that may crash or compute wrongly; build it with the toolkit that PyTorch was built with",
    }),
  },
  {
    literals: ["chmod 777", "chmod -r 777"],
    pattern: /chmod (?:-R )?777 (?<path>\/(?:dev\/nvidia|usr\/local\/cuda)[^\s]{0,60})/,
    examples: ["sudo chmod 777 /dev/nvidia0"],
    facts: ({ path }) => ({
      kind: "advice",
      id: "open-to-all",
      message: `\`chmod 777 ${path}\` lets everyone change it and fixes no version`,
    }),
  },
  {
    literals: ["protocol_buffers_python_implementation"],
    pattern: /PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python/,
    examples: ["2. Set PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python (but this will use pure-Python parsing and will be much slower)."],
    facts: () => ({
      kind: "advice",
      id: "slow-protobuf",
      message:
        "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python gets the plugin to start, but large profiles take very long to open; a protobuf that fits is the fix",
    }),
  },
] satisfies Signature[];
