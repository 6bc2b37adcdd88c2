// What the commands of package managers install.
import type { Place } from "../model/finding.ts";
import type { DeclaredPackage, Include, Install, DeclaredStep } from "../model/dependency-file.ts";
import { channelName, readCondaSpec } from "./conda-spec.ts";
import { bareInstall } from "./packages.ts";
import { readPip } from "./pip-command.ts";
import type { Setting } from "./setting.ts";
import { isAssignment, readCommands, type Word } from "./shell.ts";

/** The steps of a text for a shell. */
export function readShell(text: string, setting: Setting): DeclaredStep[] {
  return readCommands(text, setting.variables).flatMap((words) => {
    const steps = readCommand(words, setting);
    if (!words.some(({ isConditional }) => isConditional)) return steps;
    // It may be done or not: what is not sure to happen clashes with nothing.
    for (const step of steps)
      if (step.kind === "install") setting.tell(step.place, "whether this is installed depends on a condition of the script");
    return steps.filter(({ kind }) => kind === "line" || kind === "unseen");
  });
}

/** Programs that only look at files, or change none that matter: they start nothing that would load a library. */
const harmless =
  /^(ls|cd|pwd|cat|echo|mkdir|rm|ln|touch|chmod|git|unzip|find|grep|sed|head|tail|which|env|nvidia-smi|nvcc|ldconfig|df|free|lscpu|uname|set|true|test|\[)$/;

/** Programs that fetch or unpack what is not seen here. */
const fetching = /^(wget|curl|sh|bash|dpkg|tar|rpm|yum|dnf|spack|cp|mv)$/;

export function readCommand(all: Word[], setting: Setting): DeclaredStep[] {
  // `env A=b command`, `python -m pip`, `uv pip`, `docker run` of others is not ours.
  const begin = all.findIndex(({ text }) => text !== "env" && !isAssignment(text));
  const [first, ...rest] = begin < 0 ? [] : all.slice(begin);
  if (!first) return [];
  const whole = all.map(({ text }) => text).join(" ");
  const isTelling = /\.so|stubs|chmod|LD_LIBRARY_PATH|PIP_CONSTRAINT|pip\/constraint/.test(whole);
  const line: DeclaredStep[] = isTelling ? [{ kind: "line", text: whole, place: setting.place(first) }] : [];
  return [...line, ...readProgram(first, rest, whole, setting)];
}

function readProgram(first: Word, rest: Word[], whole: string, setting: Setting): DeclaredStep[] {
  const name = first.text.slice(first.text.lastIndexOf("/") + 1);
  if (/^pip[\d.]*$/.test(name)) return readPip(rest, setting);
  if (/^(python[\d.]*|py|\{sys\.executable\}|\{?sys\.executable\}?)$/.test(name) || first.text.includes("sys.executable"))
    return readPython(first, rest, setting);
  if (name === "uv") return readUv(rest, setting);
  if (/^(conda|mamba|micromamba)$/.test(name)) return readConda(rest, setting);
  if (/^(apt|apt-get|aptitude)$/.test(name)) return readApt(rest, setting);
  if (/^(export|setenv)$/.test(name)) return rest.flatMap((word) => readExport(word, setting));
  if (fetching.test(name))
    return whole.split(/\s/).some((word) => /cuda|cudnn|nvidia|tensorrt|nccl/i.test(withoutKeys(word)))
      ? [{ kind: "unseen", what: `\`${name}\` of something about CUDA`, place: setting.place(first) }]
      : [];
  return harmless.test(name) ? [] : [{ kind: "program", place: setting.place(first) }];
}

function readPython(first: Word, rest: Word[], setting: Setting): DeclaredStep[] {
  const at = rest.findIndex(({ text }) => text === "-m");
  const module = at < 0 ? "" : (rest[at + 1]?.text ?? "");
  if (/^pip[\d.]*$/.test(module)) return readPip(rest.slice(at + 2), setting);
  if (module === "uv") return readUv(rest.slice(at + 2), setting);
  return [{ kind: "program", place: setting.place(first) }];
}

function readUv(words: Word[], setting: Setting): DeclaredStep[] {
  const at = words.findIndex(({ text }) => !text.startsWith("-"));
  const [verb, rest] = [words[at], words.slice(at + 1)];
  if (verb?.text === "pip") return readPip(rest, setting, "uv");
  return verb?.text === "add" ? readPip([{ ...verb, text: "install" }, ...rest], setting, "uv") : [];
}

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

function readApt(words: Word[], setting: Setting): DeclaredStep[] {
  const at = words.findIndex(({ text }) => text === "install");
  if (at < 0) return [];
  const packages: DeclaredPackage[] = [];
  for (let index = at + 1; index < words.length; index += 1) {
    const word = words[index]!;
    if (/^(-o|-t|-c|--option|--target-release|--config-file)$/.test(word.text)) index += 1;
    else if (!word.text.startsWith("-")) {
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
  return [{ kind: "install", manager: "apt", packages, ...bareInstall(), place }];
}
