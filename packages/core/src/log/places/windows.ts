import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, torchBuildIn } from "../fixes.ts";
import { belongsTo, objectNamed } from "../objects.ts";
import { eachPart, translated, type Place } from "./place.ts";

const ofLinux =
  /\bsudo\b|\bapt(?:-get|-cache|-file)?\b|\bldconfig\b|\/usr\/|\/proc\/|\/dev\/|\/etc\/|\blsmod\b|\bdmesg\b|\bfind \/|\bLD_[A-Z]|\bls -|\blspci\b|\bdkms\b|\bulimit\b|\bculprit\b|\bps aux\b|\bfree -h|\bdf -h|\bsystemctl\b|\bstrings\b|\bgcc\b|\bgrep\b[^|]{0,6} -A|\$\(/;
const saysLinux =
  /^start [^.]{0,60} without LD_LIBRARY_PATH|look[^.]{0,60}LD_LIBRARY_PATH|ld\.so|\bapt\b|Debian|let the loader look|where the loader/;

/** Windows: other words for the same, other folders, and DLLs. */
export function windows(facts: Facts, context: Context): Place {
  const container = facts.on("container");
  const line = (command: string): string[] =>
    eachPart(command, (part) => (ofLinux.test(part) || (!container && /^docker\b/.test(part)) ? [] : [part]))
      .map((part) => forCmd(part, context))
      .filter((shown) => !/\bgrep\b|\bhead -/.test(shown));
  const store = 0 < facts.notices("store-python").length;
  return {
    line,
    fix: (one) => {
      if (saysLinux.test(one.fix) || (!container && /`--gpus all`/.test(one.fix))) return [];
      return translated({ ...one, fix: one.fix.replace(/ (?:or|and) LD_LIBRARY_PATH\b/, "") }, line);
    },
    first: ({ cause, name = "" }) => {
      const object = name.endsWith(".dll") ? objectNamed(name) : undefined;
      if (!object || (cause !== "library-not-on-path" && cause !== "library-missing")) return [];
      const here = context.toolkits.find(({ version }) => belongsTo(object, version) === true)?.version;
      const only = object.cuda?.first === object.cuda?.last ? object.cuda?.first : undefined;
      const release = here?.split(".").slice(0, 2).join(".") ?? only;
      const folder = `C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v${release}\\bin`;
      return [
        ...(store ? [fix("use the Python of python.org: that of the Microsoft Store does not see DLLs on PATH")] : []),
        ...(cause === "library-missing" || object.cuda === undefined
          ? []
          : release === undefined
            ? [
                fix(
                  `put the folder of \`${name}\` on PATH, and open a new terminal; this looks for it in the toolkits that are installed:`,
                  `where /r "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA" ${name}`,
                ),
              ]
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
