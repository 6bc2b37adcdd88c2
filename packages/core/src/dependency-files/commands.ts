// What the commands of package managers install.
import { normalName } from "../lib/pep508.ts";
import type { Place } from "../model/finding.ts";
import type { DeclaredPackage, Include, Install, DeclaredStep } from "../model/dependency-file.ts";
import { channelName, readCondaSpec } from "./conda-spec.ts";
import { bareInstall, readPackage } from "./packages.ts";
import { isAssignment, readCommands, type Variables, type Word } from "./shell.ts";

export interface Setting {
  variables: Variables;
  /** A word's place in the file. */
  place: (word: Word) => Place;
  /** Where a file that a command names may lie, relative to the file that holds the command. */
  candidates: (path: string) => string[];
  /** Variables that are set stay set only for the rest of the line. */
  isOwnShell: boolean;
  tell: (place: Place, reason: string) => void;
}

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

export function readCommand(all: Word[], setting: Setting): DeclaredStep[] {
  // `env A=b command`, `python -m pip`, `uv pip`, `docker run` of others is not ours.
  const begin = all.findIndex(({ text }) => text !== "env" && !isAssignment(text));
  const words = begin < 0 ? [] : all.slice(begin);
  const steps: DeclaredStep[] = [];
  const whole = all.map(({ text }) => text).join(" ");
  const first = words[0];
  if (first && /\.so|stubs|chmod|LD_LIBRARY_PATH|PIP_CONSTRAINT|pip\/constraint/.test(whole))
    steps.push({ kind: "line", text: whole, place: setting.place(first) });
  if (!first) return steps;
  const name = first.text.slice(first.text.lastIndexOf("/") + 1);
  const texts = words.map(({ text }) => text);
  if (/^pip[\d.]*$/.test(name)) return [...steps, ...readPip(words.slice(1), setting)];
  if (/^(python[\d.]*|py|\{sys\.executable\}|\{?sys\.executable\}?)$/.test(name) || first.text.includes("sys.executable")) {
    const at = texts.indexOf("-m");
    if (0 < at && /^pip[\d.]*$/.test(texts[at + 1] ?? "")) return [...steps, ...readPip(words.slice(at + 2), setting)];
    return [...steps, { kind: "program", place: setting.place(first) }];
  }
  switch (name) {
    case "uv":
      if (texts[1] === "pip") return [...steps, ...readPip(words.slice(2), setting)];
      if (texts[1] === "add") return [...steps, ...readPip([{ ...words[1]!, text: "install" }, ...words.slice(2)], setting)];
      return steps;
    case "conda":
    case "mamba":
    case "micromamba":
      return [...steps, ...readConda(words.slice(1), setting)];
    case "apt":
    case "apt-get":
    case "aptitude":
      return [...steps, ...readApt(words.slice(1), setting)];
    case "export":
    case "setenv":
      for (const word of words.slice(1)) {
        const [, variable, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word.text) ?? [];
        if (variable === undefined) continue;
        if (word.isKnown) setting.variables.set(variable, value!);
        else setting.variables.delete(variable);
        if (!setting.isOwnShell)
          steps.push({
            kind: "variable",
            name: variable,
            ...(word.isKnown ? { value: value! } : {}),
            isLate: false,
            place: setting.place(word),
          });
      }
      return steps;
    case "wget":
    case "curl":
    case "sh":
    case "bash":
    case "dpkg":
    case "tar":
    case "rpm":
    case "yum":
    case "dnf":
    case "spack":
    case "cp":
    case "mv":
      if (whole.split(/\s/).some((word) => /cuda|cudnn|nvidia|tensorrt|nccl/i.test(withoutKeys(word))))
        steps.push({ kind: "unseen", what: `\`${name}\` of something about CUDA`, place: setting.place(first) });
      return steps;
    default:
      // What only looks at files starts nothing that would load a library.
      return /^(ls|cd|pwd|cat|echo|mkdir|rm|ln|touch|chmod|git|unzip|find|grep|sed|head|tail|which|env|nvidia-smi|nvcc|ldconfig|df|free|lscpu|uname|set|true|test|\[)$/.test(
        name,
      )
        ? steps
        : [...steps, { kind: "program", place: setting.place(first) }];
  }
}

/** What of a word is left when it brings keys and lists of a repository, and no library. */
function withoutKeys(word: string): string {
  if (word.includes("nvidia-container")) return "";
  const keys = [...word.matchAll(/\.(?:pub|list|asc|gpg|sources)\b/g)].at(-1);
  const rest = keys && 0 < keys.index ? word.slice(keys.index + keys[0].length) : word;
  const keyring = rest.indexOf("cuda-keyring");
  return keyring < 0 ? rest : rest.slice(0, keyring);
}

/** Options of pip and uv that have a value after them. */
const valued = new Set(
  (
    "-t --target -d --dest --prefix --root --python -p --timeout --default-timeout --retries --trusted-host --allow-insecure-host --proxy --cert --client-cert --cache-dir --log " +
    "--platform --python-version --python-platform --implementation --abi --progress-bar --no-binary --only-binary --global-option --config-settings --config-setting " +
    "-C --build-option --install-option --src --upgrade-strategy --exists-action --report --use-feature --use-deprecated --root-user-action " +
    "--keyring-provider --torch-backend --index-strategy --resolution --prerelease --exclude-newer --link-mode --extra --group --optional " +
    "--upgrade-package -P --reinstall-package --override --build-constraint -b --build --directory --project --rev --tag --branch -w --wheel-dir --no-build-isolation-package"
  ).split(" "),
);

const indexVariables: [string, boolean][] = [
  ["PIP_INDEX_URL", true],
  ["UV_INDEX_URL", true],
  ["UV_DEFAULT_INDEX", true],
  ["PIP_EXTRA_INDEX_URL", false],
  ["UV_EXTRA_INDEX_URL", false],
  ["UV_INDEX", false],
];

function readPip(words: Word[], setting: Setting): DeclaredStep[] {
  const at = words.findIndex(({ text }) => !text.startsWith("-"));
  const verb = words[at];
  if (!verb) return [];
  const place = setting.place(verb);
  const rest = [...words.slice(0, at), ...words.slice(at + 1)];
  if (verb.text === "uninstall")
    return [{ kind: "uninstall", names: rest.filter(({ text }) => !text.startsWith("-")).map(({ text }) => normalName(text)), place }];
  if (verb.text !== "install" && verb.text !== "sync") return [];
  const install: Install = { kind: "install", manager: "pip", packages: [], ...bareInstall(), place };
  for (const [variable, only] of indexVariables) {
    const url = setting.variables.get(variable);
    if (url !== undefined) for (const each of url.split(/\s+/)) install.indexes.push({ url: each, only });
  }
  let isElsewhere = false;
  const include = (path: Word | undefined, role: Include["role"]) => {
    if (!path) return;
    if (path.isKnown && !/^\w+:\/\//.test(path.text))
      install.includes.push({ path: path.text, candidates: setting.candidates(path.text), role, place: setting.place(path) });
    else setting.tell(setting.place(path), `what \`${path.text}\` holds is not known`);
  };
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index]!;
    // The rest of a line that pip's command does not own: redirections.
    if (/^\d?>|^</.test(word.text)) {
      if (/^\d?>{1,2}$|^<$/.test(word.text)) index += 1;
      continue;
    }
    if (!word.text.startsWith("-") || word.text === "-") {
      if (!word.isKnown) {
        setting.tell(setting.place(word), "which version this is depends on a variable");
        continue;
      }
      const found = readPackage(word.text, setting.place(word));
      if (found && !("problem" in found)) install.packages.push(found);
      else if (found) setting.tell(setting.place(word), `pip cannot read a word of this line: ${found.fault}`);
      continue;
    }
    const [, option, joined] = /^(--?[\w-]+?)(?:=([^]*))?$/.exec(word.text) ?? [];
    const short = /^(-[rcief])(.+)$/.exec(word.text);
    const key = short && joined === undefined ? short[1]! : (option ?? word.text);
    const value = (): Word | undefined => {
      if (short && joined === undefined) return { ...word, text: short[2]! };
      if (joined !== undefined) return { ...word, text: joined };
      index += 1;
      return rest[index];
    };
    switch (key) {
      case "-r":
      case "--requirement":
      case "--requirements":
        include(value(), "requirements");
        break;
      case "-c":
      case "--constraint":
      case "--constraints":
        include(value(), "constraints");
        break;
      case "-e":
      case "--editable":
        value();
        break;
      case "-i":
      case "--index-url":
      case "--default-index": {
        const url = value();
        if (url) install.indexes.push({ url: url.isKnown ? url.text : "", only: true });
        break;
      }
      case "--extra-index-url":
      case "--index": {
        const url = value();
        if (url) install.indexes.push({ url: url.isKnown ? url.text : "", only: false });
        break;
      }
      case "--no-index":
        install.indexes.push({ url: "", only: true });
        break;
      case "-f":
      case "--find-links": {
        const url = value();
        if (url) install.links.push(url.isKnown ? url.text : "");
        break;
      }
      case "--pre":
        install.allowsPreReleases = true;
        break;
      case "--prerelease":
        if (value()?.text !== "disallow") install.allowsPreReleases = true;
        break;
      case "--no-deps":
        install.noDependencies = true;
        break;
      case "-U":
      case "--upgrade":
        install.upgrades = true;
        break;
      case "--torch-backend": {
        const backend = value();
        if (backend) install.indexes.push({ url: `https://download.pytorch.org/whl/${backend.text}`, only: false });
        break;
      }
      case "-t":
      case "--target":
      case "--prefix":
      case "--root":
        value();
        isElsewhere = true;
        break;
      default:
        if (valued.has(key) && joined === undefined) index += 1;
    }
  }
  return isElsewhere ? [] : [install];
}

function readConda(words: Word[], setting: Setting): DeclaredStep[] {
  const texts = words.map(({ text }) => text);
  const at = texts.findIndex((text) => !text.startsWith("-"));
  const verb = words[at];
  if (!verb) return [];
  const place = setting.place(verb);
  if (verb.text === "run") {
    const inner = words.slice(at + 1);
    const begin = inner.findIndex(
      ({ text }, index) => !text.startsWith("-") && !/^(-n|-p|--name|--prefix)$/.test(inner[index - 1]?.text ?? ""),
    );
    return begin < 0 ? [] : readCommand(inner.slice(begin), setting);
  }
  if (verb.text === "env") {
    const file = valueAfter(words, ["-f", "--file"]);
    if (!["create", "update"].includes(texts[at + 1] ?? "") || !file) return [];
    const path = file.isKnown ? file.text : "";
    const include: Include = {
      path,
      candidates: path === "" ? [] : setting.candidates(path),
      role: "environment",
      place: setting.place(file),
    };
    return [{ kind: "file", include, place }];
  }
  if (verb.text !== "install" && verb.text !== "create" && verb.text !== "update") return [];
  const install: Install = {
    kind: "install",
    manager: "conda",
    packages: [],
    ...bareInstall(),
    place,
  };
  const steps: DeclaredStep[] = [install];
  for (let index = at + 1; index < words.length; index += 1) {
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
