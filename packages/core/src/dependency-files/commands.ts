// What the commands of package managers install.
import type { Place } from "../model/finding.ts";
import type { DeclaredPackage, Include, Install, DeclaredStep } from "../model/dependency-file.ts";
import { readModules, readSrun } from "./cluster.ts";
import { channelName, readCondaSpec } from "./conda-spec.ts";
import { bareInstall } from "./packages.ts";
import { readPip } from "./pip-command.ts";
import { readProjectInstall } from "./project-command.ts";
import { pythonOfName, pythonOption, readPythonChoice, someOther } from "./python-command.ts";
import type { Setting } from "./setting.ts";
import { tellFetched } from "./fetched-script.ts";
import { readCommands, type AskedHere } from "./flow.ts";
import { afterCommand } from "./image-pip.ts";
import { withoutHeredocs } from "./heredocs.ts";
import { isAssignment, variablesOver, type Word } from "./shell.ts";
import { followed } from "./whereabouts.ts";

/** The steps of a text for a shell. */
export function readShell(text: string, setting: Setting): DeclaredStep[] {
  const at = followed(setting);
  return readCommands(withoutHeredocs(text), setting.variables, askedIn(setting)).flatMap((words) => {
    tellFetched(words, text, setting);
    const refusal = setting.imagePip && afterCommand(setting.imagePip, words, setting.variables);
    const steps = readCommand(words, at(words));
    return refusal ? steps.map((step) => (step.kind === "install" && step.manager === "pip" ? { ...step, refusal } : step)) : steps;
  });
}

/** Conditions of a script, asked from where its words stand. */
export const askedIn = ({ conditions, place, tell, hasOtherGrammar }: Setting): AskedHere => ({
  holds: (words, at, usual) => conditions.holds(words, place(at), usual),
  ends: conditions.ends,
  ...(hasOtherGrammar
    ? {}
    : {
        open: (quote) => {
          const at = place(quote);
          tell(
            at,
            `the quote${at.column === undefined ? "" : ` in column ${at.column}`} is never closed: what follows cannot be read, and no shell runs it`,
          );
        },
        refused: (at, why) => tell(place(at), why),
      }),
});

/** Programs that only look at files, or change none that matter: they start nothing that would load a library. */
const harmless =
  /^(ls|cd|pwd|cat|echo|mkdir|rm|ln|touch|chmod|git|unzip|find|grep|sed|head|tail|which|env|nvidia-smi|nvcc|ldconfig|df|free|lscpu|uname|set|true|test|\[)$/;

/** Programs that fetch or unpack what is not seen here. */
const fetching = /^(wget|curl|sh|bash|dpkg|tar|rpm|yum|dnf|spack|cp|mv)$/;

export function readCommand(all: Word[], setting: Setting): DeclaredStep[] {
  const begin = beginOf(all);
  const [given, ...behind] = all.slice(begin);
  // A variable may hold a program and its first words: `$PIP_INSTALL torch`.
  const words = given?.text.includes(" ") ? given.text.split(/\s+/).map((text) => ({ ...given, text })) : given ? [given] : [];
  const [first, ...rest] = [...words, ...behind];
  if (!first) return [];
  const whole = all.map(({ text }) => text).join(" ");
  const isTelling = /\.so|stubs|chmod|LD_LIBRARY_PATH|PIP_CONSTRAINT|pip\/constraint/.test(whole);
  const line: DeclaredStep[] = isTelling ? [{ kind: "line", text: whole, place: setting.place(first) }] : [];
  return [...line, ...readProgram(first, rest, whole, withAssigned(all.slice(0, begin), setting))];
}

/** What is set before a command is set for it. */
function withAssigned(before: Word[], setting: Setting): Setting {
  const assigned = before.flatMap(({ text, isKnown }): [string, string][] => {
    const equals = text.indexOf("=");
    return isKnown && 0 < equals ? [[text.slice(0, equals), text.slice(equals + 1)]] : [];
  });
  if (assigned.length === 0) return setting;
  const variables = variablesOver(setting.variables);
  for (const [name, value] of assigned) variables.set(name, value);
  return { ...setting, variables };
}

/** Where the program stands: after `env A=b`, and after the options of a `sudo` that is gone already. */
function beginOf(words: Word[]): number {
  let at = 0;
  for (; at < words.length; at += 1) {
    const { text } = words[at]!;
    if (/^-[ughprCDTU]$/.test(text) || /^--(?:user|group|host|prompt|role|chdir)$/.test(text)) at += 1;
    else if (text !== "env" && !text.startsWith("-") && !isAssignment(text)) break;
  }
  return at;
}

function readProgram(first: Word, rest: Word[], whole: string, setting: Setting): DeclaredStep[] {
  const name = first.text.slice(first.text.lastIndexOf("/") + 1);
  const compiled = compiledBy(name, rest);
  if (compiled !== undefined) return [{ kind: "compile", what: compiled, place: setting.place(first) }];
  const known = readManager(name, first, rest, setting) ?? readLauncher(name, first, rest, setting);
  if (known) return known;
  const chosen = readPythonChoice(name, first, rest, setting);
  if (chosen) return chosen;
  if (!first.isKnown && /^\$\{?\w*install/i.test(first.text))
    setting.tell(setting.place(first), "what is installed here depends on a variable");
  if (fetching.test(name))
    return whole.split(/\s/).some((word) => /cuda|cudnn|nvidia|tensorrt|nccl/i.test(withoutKeys(word)))
      ? [{ kind: "unseen", what: `\`${name}\` of something about CUDA`, place: setting.place(first) }]
      : [];
  return harmless.test(name) ? [] : [{ kind: "program", place: setting.place(first) }];
}

/** nvcc with a source, and builds of llama.cpp and its kin that are told to use CUDA, which end where CMake finds no toolkit. */
function compiledBy(name: string, words: Word[]): string | undefined {
  if (name === "nvcc" && words.some(({ text }) => /\.cu$|^-(?:o|c|dc|dlink|ptx|cubin|fatbin|shared)$/.test(text))) return "nvcc";
  if (name !== "cmake" && name !== "make") return undefined;
  return words.map(({ text }) => text).find((text) => cudaSwitch.test(text));
}

/** What they are told it by: as ggml's build files call it, now and before. */
export const cudaSwitch = /^(?:-D)?(?:GGML_CUDA|LLAMA_CUDA|LLAMA_CUBLAS|WHISPER_CUDA|WHISPER_CUBLAS)(?::BOOL)?=(?:on|1|true|yes)$/i;

/** What installs something by itself. */
function readManager(name: string, first: Word, rest: Word[], setting: Setting): DeclaredStep[] | undefined {
  if (/^pip[\d.]*$/.test(name) || (!first.isKnown && /^\$[{(]?\w*PIP[\d]*[})]?$/i.test(first.text)))
    return [...pythonOfName(first, setting), ...readPip(rest, setting)];
  if (/^(python[\d.]*|py|\{sys\.executable\}|\{?sys\.executable\}?)$/.test(name) || first.text.includes("sys.executable"))
    return readPython(first, rest, setting);
  if (!first.isKnown && modulesOf(rest) !== undefined) return readPython(first, rest, setting);
  if (name === "uv" || name === "uvx") return readUv(name === "uvx" ? [first, ...rest] : rest, setting);
  if (/^(conda|mamba|micromamba)$/.test(name)) return readConda(rest, setting);
  if (/^(apt|apt-get|aptitude)$/.test(name)) return readApt(rest, setting);
  const verb = name === "poetry" || name === "pixi" ? rest.find(({ text }) => !text.startsWith("-")) : undefined;
  // `pixi run` installs first, too.
  if (verb && (name === "pixi" ? /^(?:install|sync|run|shell|shell-hook)$/ : /^(?:install|sync)$/).test(verb.text))
    return readProjectInstall(name === "pixi" ? "pixi" : "poetry", verb, rest, setting);
  return undefined;
}

/** What starts something else, or changes what it finds. */
function readLauncher(name: string, first: Word, rest: Word[], setting: Setting): DeclaredStep[] | undefined {
  if (/^(export|setenv)$/.test(name)) return rest.flatMap((word) => readExport(word, setting));
  if (/^(poetry|pipenv|pdm|hatch|rye)$/.test(name) && rest[0]?.text === "run") return readCommand(rest.slice(1), setting);
  if (name === "module" || name === "ml") return readModules(name, rest, setting);
  if (name === "srun") return readSrun(first, rest, setting, readCommand);
  const at = /^(?:ba|z|da|k)?sh$/.test(name) ? rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text)) : -1;
  const script = at < 0 ? undefined : rest[at + 1];
  // A variable may hold the very command that runs it.
  return script && (setting.depth ?? 0) < deepest ? readShell(script.text, within(script, setting)) : undefined;
}

/** Nobody puts shells into shells deeper than this. */
const deepest = 4;

/** A text that is one word of a command: `bash -c "pip install torch"`. */
const within = (outer: Word, setting: Setting): Setting => ({
  ...setting,
  depth: (setting.depth ?? 0) + 1,
  place: (word) =>
    setting.place({ ...word, line: outer.line + word.line - 1, column: word.line === 1 ? outer.column + word.column : word.column }),
});

function readPython(first: Word, rest: Word[], setting: Setting): DeclaredStep[] {
  // What pip does with the folder, without pip.
  const setup = rest.find(({ text }) => !text.startsWith("-"));
  if (setup && /(?:^|\/)setup\.py$/.test(setup.text) && rest.some(({ text }) => /^(?:install|develop)$/.test(text))) {
    const folder = { ...setup, text: setup.text.replace(/\/?setup\.py$/, "") || "." };
    return [...pythonOfName(first, setting), ...readPip([{ ...setup, text: "install" }, folder], setting)];
  }
  const [module, ...given] = modulesOf(rest) ?? [];
  // `python3.8 -m venv` and `python3.8 get-pip.py`: what is called pip afterwards is of this Python.
  const text = rest.map((word) => word.text).join(" ");
  const makesPip = module !== undefined || /^$|^-$|get-pip\.py|^-m (?:venv|virtualenv|ensurepip)\b/.test(text);
  const own = makesPip ? pythonOfName(first, setting) : [];
  if (module?.text === "uv") return [...own, ...readUv(given, setting)];
  return [...own, ...(module ? readPip(given, setting) : [{ kind: "program", place: setting.place(first) } as const])];
}

/** The words from the module on, of `python -m pip` and `python -m uv`; undefined for programs of one's own. */
function modulesOf(words: Word[]): Word[] | undefined {
  const at = words.findIndex(({ text }) => text === "-m");
  return 0 <= at && /^(?:pip[\d.]*|uv)$/.test(words[at + 1]?.text ?? "") ? words.slice(at + 1) : undefined;
}

/** `uv pip install`, `uv add`, `uvx pip install`, `uv run pip install`; options of uv itself may stand before. */
function readUv(words: Word[], setting: Setting): DeclaredStep[] {
  const at = words.findIndex(({ text }, index) => !text.startsWith("-") && !takesValue(words[index - 1]?.text));
  const [verb, ...rest] = at < 0 ? [] : words.slice(at);
  switch (verb?.text) {
    case "pip":
      return [...pythonOption(rest, setting), ...readPip(rest, setting, "uv")];
    case "venv":
      return pythonOption(rest, setting);
    case "add":
      return readPip([{ ...verb, text: "install" }, ...rest], setting, "uv");
    case "uvx":
    case "run": {
      const begin = rest.findIndex(({ text }) => /^pip[\d.]*$/.test(text));
      if (0 <= begin) return readPip(rest.slice(begin + 1), setting);
      return verb.text === "run" ? [{ kind: "program", place: setting.place(verb) }] : [];
    }
    case "sync":
      return [
        ...pythonOption(rest, setting),
        ...readProjectInstall("uv", verb, rest, setting),
        { kind: "program", place: setting.place(verb) },
      ];
    default:
      return [];
  }
}

const takesValue = (option: string | undefined): boolean =>
  option !== undefined && /^(?:--(?:cache-dir|directory|project|config-file|python|color|allow-insecure-host)|-p)$/.test(option);

function readExport(word: Word, setting: Setting): DeclaredStep[] {
  const [, variable, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word.text) ?? [];
  if (variable === undefined) return [];
  if (word.isKnown) setting.variables.set(variable, value!);
  else setting.variables.delete(variable);
  if (setting.isOwnShell) return [];
  return [{ kind: "variable", name: variable, ...(word.isKnown ? { value: value! } : {}), isLate: false, place: setting.place(word) }];
}

/** What of a word is left when it brings keys and lists of a repository, and no library. */
function withoutKeys(word: string): string {
  if (word.includes("nvidia-container")) return "";
  const keys = [...word.matchAll(/\.(?:pub|list|asc|gpg|sources)\b/g)].at(-1);
  const rest = keys && 0 < keys.index ? word.slice(keys.index + keys[0].length) : word;
  const keyring = rest.indexOf("cuda-keyring");
  return keyring < 0 ? rest : rest.slice(0, keyring);
}

function readConda(words: Word[], setting: Setting): DeclaredStep[] {
  const at = words.findIndex(({ text }) => !text.startsWith("-"));
  switch (words[at]?.text) {
    case "run":
      return readCondaRun(words.slice(at + 1), setting);
    case "env":
      return readCondaEnv(words, at, setting);
    case "install":
    case "create":
    case "update":
      return readCondaInstall(words.slice(at + 1), setting.place(words[at]!), setting);
    default:
      return [];
  }
}

/** A command in an environment of conda. */
function readCondaRun(words: Word[], setting: Setting): DeclaredStep[] {
  const begin = words.findIndex(
    ({ text }, index) => !text.startsWith("-") && !/^(-n|-p|--name|--prefix)$/.test(words[index - 1]?.text ?? ""),
  );
  return begin < 0 ? [] : readCommand(words.slice(begin), setting);
}

function readCondaEnv(words: Word[], at: number, setting: Setting): DeclaredStep[] {
  const file = valueAfter(words, ["-f", "--file"]);
  if (!["create", "update"].includes(words[at + 1]?.text ?? "") || !file) return [];
  const path = file.isKnown ? file.text : "";
  const include: Include = {
    path,
    candidates: path === "" ? [] : setting.candidates(path),
    role: "environment",
    place: setting.place(file),
  };
  return [{ kind: "file", include, place: setting.place(words[at]!) }];
}

function readCondaInstall(words: Word[], place: Place, setting: Setting): DeclaredStep[] {
  const install: Install = { kind: "install", manager: "conda", packages: [], ...bareInstall(), place };
  const steps: DeclaredStep[] = [install];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    const channel = /^(?:-c|--channel)$/.test(word.text) ? words[index + 1]?.text : /^(?:--channel=|-c)(\S+)$/.exec(word.text)?.[1];
    if (channel !== undefined) install.channels = [...(install.channels ?? []), channelName(channel) ?? channel];
    if (/^(-c|--channel|-n|--name|-p|--prefix|--solver|--repodata-fn|--revision|--platform|--subdir|-r|--root-prefix)$/.test(word.text))
      index += 1;
    else if (/^(-f|--file)$/.test(word.text)) {
      index += 1;
      const file = words[index];
      if (file?.isKnown)
        steps.push({
          kind: "file",
          include: { path: file.text, candidates: setting.candidates(file.text), role: "environment", place: setting.place(file) },
          place,
        });
    } else if (!word.text.startsWith("-") && word.isKnown) {
      const found = readCondaSpec(word.text, setting.place(word));
      if (found?.name === "python") steps.unshift({ kind: "python", specifier: found.specifier, place: found.place });
      else if (found) install.packages.push(found);
    }
  }
  return steps;
}

const valueAfter = (words: Word[], names: string[]): Word | undefined => {
  for (const [index, { text }] of words.entries()) {
    if (names.includes(text)) return words[index + 1];
    const [, name, value] = /^(--?[\w-]+)=([^]*)$/.exec(text) ?? [];
    if (name !== undefined && names.includes(name)) return { ...words[index]!, text: value! };
  }
  return undefined;
};

const isOfCuda = (name: string) => name.includes("$") && /cud|nccl|cublas|nvidia|tensorrt|nvinfer/.test(name);

function readApt(words: Word[], setting: Setting): DeclaredStep[] {
  const at = words.findIndex(({ text }) => text === "install");
  if (at < 0) return [];
  const packages: DeclaredPackage[] = [];
  const steps: DeclaredStep[] = [];
  for (let index = at + 1; index < words.length; index += 1) {
    const word = words[index]!;
    if (/^(-o|-t|-c|--option|--target-release|--config-file)$/.test(word.text)) index += 1;
    else if (!word.text.startsWith("-")) {
      // `python${VERSION}`, where nobody says which.
      if (/^python3?\.?\$/.test(word.text)) steps.push(someOther(word, setting));
      // `libcudnn${MAJOR}`: it brings one, and nobody says which.
      if (!word.isKnown && isOfCuda(word.text.split("=")[0]!))
        steps.push({ kind: "unseen", what: `what apt knows as \`${word.text}\``, place: setting.place(word) });
      const [, name, version] = /^([a-z0-9][a-z0-9.+*-]*)(?::\w+)?(?:[=/]([^]*))?$/.exec(word.text) ?? [];
      if (name !== undefined)
        packages.push({
          name,
          extras: [],
          specifier: version === undefined || !word.isKnown ? "" : `==${version}`,
          text: word.text,
          place: setting.place(word),
        });
    }
  }
  const place = setting.place(words[at]!);
  return [...steps, { kind: "install", manager: "apt", packages, ...bareInstall(), place }];
}
