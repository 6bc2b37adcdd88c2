import type { Diagnosis } from "../model/explain.ts";
import type { Context } from "./context.ts";
import type { Facts } from "./fact.ts";
import { fix, torchBuildIn } from "./fixes.ts";
import { objectNamed } from "./objects.ts";

type Fix = Diagnosis["fixes"][number];

/** Commands and ways out in the form in which they work where the text comes from. */
interface Place {
  /** A line to run; none where it cannot work there. */
  line(command: string): string[];
  fix(one: Fix, of: Diagnosis): Fix[];
  /** What only helps there, before all else. */
  first(of: Diagnosis): Fix[];
}

export function placed(facts: Facts, context: Context): Place {
  if (facts.on("colab") || facts.on("kaggle")) return hosted(facts.on("colab") ? "Colab" : "Kaggle");
  if (facts.on("wsl2")) return wsl;
  if (facts.on("windows")) return windows(facts, context);
  if (facts.on("jetson")) return jetson;
  if (context.containers === "kubernetes") return kubernetes;
  return 0 < facts.notices("scheduler").length && !facts.on("container") ? cluster : anywhere;
}

const anywhere: Place = { line: (command) => [command], fix: (one) => [one], first: () => [] };

/** Each command in its new form; a fix that was nothing but its commands goes with the last of them. */
function translated(one: Fix, line: Place["line"]): Fix[] {
  const commands = one.commands.flatMap(line);
  return 0 < one.commands.length && commands.length === 0 ? [] : [{ ...one, commands }];
}

const ofLinux =
  /\bsudo\b|\bapt(?:-get|-cache|-file)?\b|\bldconfig\b|\/usr\/|\/proc\/|\/dev\/|\/etc\/|\blsmod\b|\bdmesg\b|\bfind \/|\bLD_[A-Z]|\bls -|\blspci\b|\bdkms\b|\bulimit\b|\bculprit\b|\bps aux\b|\bfree -h|\bdf -h|\bsystemctl\b|\bstrings\b|\bgcc\b|\bgrep\b[^|]{0,6} -A|\$\(/;
const saysLinux = /LD_LIBRARY_PATH|ld\.so|\bapt\b|Debian|let the loader look|where the loader/;

function windows(facts: Facts, context: Context): Place {
  const line = (command: string): string[] => {
    const shown = ofLinux.test(command) ? undefined : forCmd(command, context);
    return shown === undefined || /\bgrep\b|\bhead -/.test(shown) ? [] : [shown];
  };
  const store = 0 < facts.notices("store-python").length;
  return {
    line,
    fix: (one) => (saysLinux.test(one.fix) ? [] : translated(one, line)),
    first: ({ cause, name = "" }) => {
      const object = name.endsWith(".dll") ? objectNamed(name) : undefined;
      if (!object || (cause !== "library-not-on-path" && cause !== "library-missing")) return [];
      const release = object.cuda?.first;
      const folder = `C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v${release}\\bin`;
      return [
        ...(store ? [fix("use the Python of python.org: that of the Microsoft Store does not see DLLs on PATH")] : []),
        ...(release === undefined || cause === "library-missing"
          ? []
          : [
              fix(
                `put the folder of CUDA ${release} on PATH (this is its usual place), and open a new terminal; from Python 3.8 on a program may need \`os.add_dll_directory(r"${folder}")\` before its imports`,
                `set "PATH=${folder};%PATH%"`,
              ),
            ]),
      ];
    },
  };
}

// cmd.exe has other words for the same.
function forCmd(command: string, context: Context): string {
  const parts = command.split("; ").map((part) => {
    const set = /^export (\w+)=(\S*)$/.exec(part);
    if (set) return `set ${set[1]}=${set[2]}`;
    if (/^unset \w/.test(part))
      return part
        .split(" ")
        .slice(1)
        .map((name) => `set ${name}=`)
        .join(" & ");
    return part
      .replace(/^echo \$(\w+)$/, "echo %$1%")
      .replace(/^which (?:-a )?/, "where ")
      .replace(/\| grep (?:-i )?'?([\w\\|.-]+)'?$/, (_, words: string) => `| findstr /i "${words.replaceAll("\\|", " ")}"`);
  });
  // What is quoted holds semicolons of its own; cmd.exe knows double quotes only.
  const code = /^(?<program>(?:python3?|julia) -[ce]) '(?<code>[^']+)'$/.exec(command)?.groups;
  const plain = code
    ? `${code["program"]} "${code["code"]!.replaceAll('"', '\\"')}"`
    : /^(?:python3?|julia) -[ce] /.test(command)
      ? command
      : parts.join(" & ");
  const build = torchBuildIn(context);
  // PyPI has only the CPU build of PyTorch for Windows.
  return build && /^(?:python -m )?pip install\b.*(?:\s|")torch(?:vision|audio)?\b/.test(plain) && !plain.includes("index-url")
    ? `${plain} --index-url https://download.pytorch.org/whl/${build.variant}`
    : plain;
}

const newDriver = /install (?:a newer |the )NVIDIA driver|install driver \d|install a newer driver/;

const wsl: Place = {
  line: (command) =>
    /\b(?:modprobe|rmmod|dkms|lsmod|lspci)\b|\/proc\/driver|linux-headers|\/dev\/nvidia/.test(command)
      ? []
      : [command.replace(/^sudo reboot$/, "wsl.exe --shutdown")],
  fix: (one) =>
    translated(
      newDriver.test(one.fix) ? { ...one, fix: `${one.fix}, in Windows; under WSL Linux gets no driver of its own`, commands: [] } : one,
      wsl.line,
    ),
  first: () => [],
};

// A hosted notebook: its driver and its container are not the user's, and the process runs already.
function hosted(name: string): Place {
  const line = (command: string): string[] => {
    if (/\bdocker\b|\breboot\b|\bmodprobe\b|\brmmod\b|\bsystemctl\b|\bdkms\b|\bLD_LIBRARY_PATH\b|\bculprit\b|\bconda\b/.test(command))
      return [];
    const set = /^export (\w+)=(\S+)$/.exec(command);
    if (set) return [`%env ${set[1]}=${set[2]}`];
    return [command.startsWith("pip ") ? `%${command}` : `!${command.replace(/^sudo /, "")}`];
  };
  return {
    line,
    fix: (one) => {
      if (newDriver.test(one.fix) && one.commands.length === 0) return [];
      return translated(one, line).map((each) =>
        each.commands.some((command) => command.startsWith("%pip")) ? { ...each, fix: `${each.fix}; then restart the runtime` } : each,
      );
    },
    first: ({ cause }) =>
      cause === "driver-not-exposed"
        ? [fix(`give the notebook a GPU: ${name === "Colab" ? "Runtime, Change runtime type" : "Settings, Accelerator"}`)]
        : [],
  };
}

// PyTorch's index has no build for Jetson, and the driver is a part of JetPack.
const jetson: Place = {
  line: (command) =>
    ofDesktop.test(command) ? [] : [command.replace(/^nvidia-smi(?: -L)?$/, "cat /etc/nv_tegra_release").replace(/^nvidia-smi; /, "")],
  fix: (one) =>
    translated(
      newDriver.test(one.fix)
        ? { ...one, fix: "install a newer JetPack: the driver and CUDA of a Jetson come with it", commands: [] }
        : one,
      jetson.line,
    ),
  first: ({ cause, name = "", fixes }) => {
    if (cause === "library-missing" || cause === "library-not-on-path" || cause === "cuda-home-wrong")
      return [
        fix(
          `${name === "" ? "what CUDA brings" : `\`${name}\``} comes with JetPack, whose CUDA lies in /usr/local/cuda; let programs find it, and take packages that were built for this JetPack`,
          "export PATH=/usr/local/cuda/bin:$PATH LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH",
        ),
      ];
    // What would be installed from PyPI or PyTorch's index is for other machines.
    return fixes.some(({ commands }) => commands.some((command) => /\btorch\b/.test(command) && ofDesktop.test(command)))
      ? [
          fix(
            'install the PyTorch that NVIDIA publishes for this JetPack (its page "PyTorch for Jetson" names the wheel), or use the container l4t-pytorch',
          ),
        ]
      : [];
  },
};

// Wheels and packages of desktops and servers, which a Jetson cannot use.
const ofDesktop =
  /download\.pytorch\.org|\bpip install\b[^\n]*\b(?:nvidia-[\w-]+-cu\d\d|torch|torchvision|tensorflow)\b|\bapt-get install (?:cuda-|libcu|libnv|libnccl)|\bconda install\b/;

// On a cluster nobody but its administrators changes the nodes, and a GPU is there for who asks for one.
const cluster: Place = {
  line: (command) => (/^sudo\b/.test(command) ? [] : [command]),
  fix: (one) => {
    if (/docker/.test(one.fix)) return [];
    const [left] = translated(one, cluster.line);
    return left ? [newDriver.test(left.fix) ? { ...left, fix: `${left.fix}: a matter for the cluster's administrators` } : left] : [];
  },
  first: ({ cause }) =>
    cause === "driver-not-exposed"
      ? [fix("ask the scheduler for a GPU; this shows whether it gives one:", "srun --gres=gpu:1 nvidia-smi")]
      : [],
};

// In a pod nobody starts containers by hand, and the node is its administrators'.
const kubernetes: Place = {
  line: (command) => (/\bdocker run\b|^sudo reboot$/.test(command) ? [] : [command]),
  fix: (one) => (/docker run/.test(one.fix) ? [] : translated(one, kubernetes.line)),
  first: () => [],
};
