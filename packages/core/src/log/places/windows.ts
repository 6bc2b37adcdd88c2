import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, torchBuildIn } from "../fixes.ts";
import { belongsTo, objectNamed } from "../objects.ts";
import { eachPart, translated, type Place } from "./place.ts";

const ofLinux =
  /\bsudo\b|\bapt(?:-get|-cache|-file)?\b|\bldconfig\b|\/usr\/|\/proc\/|\/dev\/|\/etc\/|\blsmod\b|\bdmesg\b|\bfind \/|\bLD_[A-Z]|\bls -|\blspci\b|\bdkms\b|\bulimit\b|\bculprit\b|\bps aux\b|\bfree -h|\bdf -h|\bsystemctl\b|\bstrings\b|\bgcc\b|\bgrep\b[^|]{0,6} -A|\$\(/;
const saysLinux =
  /^start [^.]{0,60} without LD_LIBRARY_PATH|look[^.]{0,60}LD_LIBRARY_PATH|ld\.so|\bapt\b|Debian|let the loader look|where the loader/;

const isSearchPath = /without LD_LIBRARY_PATH, so that its own copies/;

/** `cudnn64_8.dll` of `libcudnn.so.8`, as far as the name of the DLL holds no more than the major. */
const dllOf = (name = ""): string | undefined =>
  name
    .replace(/^lib(cudnn|cublas|cublasLt|cusparse|cusolver|nvinfer)\.so\.(\d+)$/, "$1$2")
    .replace(/^([a-zA-Z]+)(\d+)$/, "$164_$2.dll")
    .match(/^\w+64_\d+\.dll$/)?.[0];

const otherCopy = (dll: string) =>
  fix(
    "see which copies Windows finds, in which order, and put the folder of the right one first on PATH, or remove the other",
    `where ${dll}`,
  );

/** Windows: other words for the same, other folders, and DLLs. */
export function windows(facts: Facts, context: Context): Place {
  const container = facts.on("container");
  const line = (command: string): string[] =>
    toolkitOfWindows(command) ??
    eachPart(command, (part) => (ofLinux.test(part) || (!container && /^docker\b/.test(part)) ? [] : [part]))
      .map((part) => forCmd(part, context))
      .filter((shown) => !/\bgrep\b|\bhead -/.test(shown));
  const store = 0 < facts.notices("store-python").length;
  return {
    line,
    fix: (one, of) => {
      // cmd.exe cannot ask within a line; the words say where to look.
      if (one.commands.some((each) => each.includes("data.pyg.org") && each.includes("$("))) return [{ ...one, commands: [] }];
      if (isSearchPath.test(one.fix)) return dllOf(of.name) === undefined ? [] : [otherCopy(dllOf(of.name)!)];
      if (saysLinux.test(one.fix) || (!container && /`--gpus all`/.test(one.fix))) return [];
      const said = one.fix
        .replace(/name the folders of both in LD_LIBRARY_PATH/, "put the `bin` folders of both on PATH")
        .replace(/ (?:or|and) LD_LIBRARY_PATH\b/, "");
      return translated({ ...one, fix: said }, line);
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

/** A toolkit put first, as `toolkitLine` writes it: on Windows it lies elsewhere, and other variables lead to it. */
function toolkitOfWindows(command: string): string[] | undefined {
  const release = /^export CUDA_HOME=\/usr\/local\/cuda-(\d+\.\d+) PATH=\S+$/.exec(command)?.[1];
  if (release === undefined) return undefined;
  return [
    `set "CUDA_PATH=C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v${release}"`,
    String.raw`set "PATH=%CUDA_PATH%\bin;%PATH%"`,
  ];
}

// cmd.exe has other words for the same.
function forCmd(command: string, context: Context): string {
  const parts = command.split("; ").map((part) => {
    const set = /^export (\w+)=(\S*)$/.exec(part);
    if (set) return `set ${set[1]}=${set[2]}`;
    // A variable for one command: cmd.exe sets it before.
    const [, name, value, rest] = /^([A-Z]\w*)=(?:"([^"]*)"|\S*) (?=\w)(.+)$/.exec(part) ?? [];
    if (name !== undefined) return `set "${name}=${value ?? part.slice(name.length + 1).split(" ")[0]}" & ${rest}`;
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
