// What the commands of pip install, and those of uv that are like them.
import { normalName } from "../lib/pep508.ts";
import type { DeclaredStep, Include, Install } from "../model/dependency-file.ts";
import { joinedPath } from "./lines.ts";
import { bareInstall, readPackage, refusedRequirement } from "./packages.ts";
import { projectOfPip } from "./project-command.ts";
import type { Setting } from "./setting.ts";
import { isSource } from "./source.ts";
import type { Word } from "./shell.ts";

/** Options of pip and uv that have a value after them. */
const valued = new Set(
  (
    "-t --target -d --dest --prefix --root --python -p --timeout --default-timeout --retries --trusted-host --allow-insecure-host --proxy --cert --client-cert --cache-dir --log " +
    "--platform --python-version --python-platform --implementation --abi --progress-bar --no-binary --only-binary --global-option --config-settings --config-setting " +
    "-C --build-option --install-option --src --upgrade-strategy --exists-action --report --use-feature --use-deprecated --root-user-action " +
    "--keyring-provider --resolution --prerelease --exclude-newer --link-mode --extra --group --optional " +
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

/** Variables by which people steer what is built from source. */
const forBuilds = /^(?:CMAKE_ARGS|CUDA_HOME|CUDA_PATH|DS_BUILD_\w+|FORCE_CUDA|BUILD_NO_CUDA|\w+_(?:FORCE_BUILD|SKIP_CUDA_BUILD))$/;

/** How far the words of one command have been read, and what they came to. */
interface Reading {
  readonly words: Word[];
  /** The next word. */
  next: number;
  readonly setting: Setting;
  readonly install: Install;
  /** The folder that it is put into, where no Python of this declaration looks. */
  aside?: Word;
}

/** The words after `pip`; `by` uv, which has the same command. */
export function readPip(words: Word[], setting: Setting, by?: "uv"): DeclaredStep[] {
  const at = words.findIndex(({ text }) => !text.startsWith("-"));
  const verb = words[at];
  if (!verb) return [];
  const place = setting.place(verb);
  const rest = [...words.slice(0, at), ...words.slice(at + 1)];
  if (verb.text === "uninstall")
    return [{ kind: "uninstall", names: rest.filter(({ text }) => !text.startsWith("-")).map(({ text }) => normalName(text)), place }];
  const isMaking = verb.text === "wheel" || verb.text === "download";
  if (!isMaking && verb.text !== "install" && verb.text !== "sync") return [];
  const install: Install = { kind: "install", manager: "pip", ...(by ? { by } : {}), packages: [], ...bareInstall(), place };
  takeVariables(install, setting, by);
  const reading: Reading = { words: rest, next: 0, setting, install };
  for (let word = nextWord(reading); word; word = nextWord(reading)) readWord(reading, word);
  if (isMaking) {
    setting.wheels?.set(folderIn(setting, reading.aside?.text ?? "."), install);
    return [];
  }
  return reading.aside ? [{ kind: "aside", folder: reading.aside.text, install, place }] : [install];
}

/** What is set around a command counts for it. */
function takeVariables(install: Install, setting: Setting, by: "uv" | undefined): void {
  if (by && setting.variables.get("UV_INDEX_STRATEGY")?.startsWith("unsafe-")) install.comparesIndexes = true;
  for (const [variable, only] of indexVariables) {
    // Neither reads what is meant for the other.
    const url = variable.startsWith(by ? "UV_" : "PIP_") ? setting.variables.get(variable) : undefined;
    if (url !== undefined) for (const each of url.split(/\s+/)) install.indexes.push({ url: each, only });
  }
  const set = [...setting.variables.keys()].flatMap((name): [string, string][] => {
    const value = forBuilds.test(name) ? setting.variables.get(name) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  if (0 < set.length) install.variables = Object.fromEntries(set);
}

const folderIn = ({ base = "", folder = "" }: Setting, path: string): string => joinedPath(base, joinedPath(folder, path));

/** `/wheels/*`, where those lie that an earlier command was asked to make: it installs what that was asked for. */
function takeMade({ install, setting }: Reading, { text }: Word): boolean {
  const folder = /^(.*?)\/?\*(?:\.whl)?$/.exec(text)?.[1];
  const made = folder === undefined ? undefined : setting.wheels?.get(folderIn(setting, folder === "" ? "." : folder));
  if (!made) return false;
  for (const key of ["packages", "constraints", "includes", "indexes", "links"] as const) (install[key] as unknown[]).push(...made[key]);
  if (made.refused) install.refused = [...(install.refused ?? []), ...made.refused];
  if (made.built) install.built = [...(install.built ?? []), ...made.built];
  return true;
}

function nextWord(reading: Reading): Word | undefined {
  reading.next += 1;
  return reading.words[reading.next - 1];
}

function readWord(reading: Reading, word: Word): void {
  // The rest of a line that pip's command does not own: redirections.
  if (/^\d?>|^</.test(word.text)) {
    if (/^\d?>{1,2}$|^<$/.test(word.text)) nextWord(reading);
  } else if (word.text.startsWith("-") && word.text !== "-") readOption(reading, word);
  else readRequirement(reading, word);
}

function readRequirement(reading: Reading, word: Word): void {
  const { install, setting } = reading;
  const place = setting.place(word);
  if (takeMade(reading, word)) return;
  if ((!word.isKnown || word.text.includes("*")) && isBuiltHere(word.text)) {
    const isWheel = word.text.endsWith(".whl");
    install.built = [...(install.built ?? []), { url: word.text, place, ...(isWheel ? { isFolder: true as const } : {}) }];
    return;
  }
  const project = projectOfPip(word, setting);
  if (project) return take(project, install);
  if (!word.isKnown) {
    setting.tell(place, "which version this is depends on a variable");
    return;
  }
  const found = readPackage(word.text, place);
  if (!found && isSource(word.text)) install.built = [...(install.built ?? []), { url: word.text, place }];
  if (found && !("problem" in found)) install.packages.push(found);
  const refused = found && "problem" in found ? refusedRequirement(word.text, place) : undefined;
  if (refused) install.refused = [...(install.refused ?? []), refused];
  else if (found && "problem" in found) setting.tell(place, `pip cannot read a word of this line: ${found.fault}`);
}

/** The source of a repository, whatever its revision; or a file that was made before: `$(ls dist/horovod-*.tar.gz)`, `app-*.whl`. */
function isBuiltHere(text: string): boolean {
  if (text.startsWith("git+")) return true;
  const file = text.slice(text.lastIndexOf("/") + 1).split(/[)[]/)[0]!;
  return /[/*]/.test(text) && (file.endsWith(".whl") || file.endsWith(".tar.gz"));
}

/** `--option=value`, `-rvalue`, or the value is the next word. */
function readOption(reading: Reading, word: Word): void {
  const [, option, joined] = /^(--?[\w-]+?)(?:=([^]*))?$/.exec(word.text) ?? [];
  const short = joined === undefined ? /^(-[rcief])(.+)$/.exec(word.text) : null;
  const key = short ? short[1]! : (option ?? word.text);
  const inside = short ? short[2] : joined;
  const value = () => (inside === undefined ? nextWord(reading) : { ...word, text: inside });
  const take = options.get(key);
  if (take) take(reading, value);
  else if (valued.has(key) && joined === undefined) nextWord(reading);
}

/** What an option does; whether it has a value, it says by asking for it. */
type Take = (reading: Reading, value: () => Word | undefined) => void;

const including =
  (role: Include["role"]): Take =>
  ({ install, setting }, value) => {
    const path = value();
    if (!path) return;
    if (path.isKnown && !/^\w+:\/\//.test(path.text))
      install.includes.push({ path: path.text, candidates: setting.candidates(path.text), role, place: setting.place(path) });
    else setting.tell(setting.place(path), `what \`${path.text}\` holds is not known`);
  };

const indexing =
  (only: boolean): Take =>
  ({ install }, value) => {
    const url = value();
    if (url) install.indexes.push({ url: url.isKnown ? url.text : "", only });
  };

const linking: Take = ({ install }, value) => {
  const url = value();
  if (url) install.links.push(url.isKnown ? url.text : "");
};

const elsewhere: Take = (reading, value) => {
  const folder = value();
  if (folder) reading.aside = folder;
};

function take(project: NonNullable<ReturnType<typeof projectOfPip>>, install: Install): void {
  if ("include" in project) install.includes.push(project.include);
  else install.built = [...(install.built ?? []), project.built];
}

const takeFolder: Take = (reading, value) => {
  const folder = value();
  if (!folder) return;
  const project = projectOfPip(folder, reading.setting);
  if (project) take(project, reading.install);
  else if (folder.isKnown ? isSource(folder.text) : isBuiltHere(folder.text)) readRequirement(reading, folder);
};

/** Options that change what is installed. */
const options = new Map<string, Take>([
  ...["-r", "--requirement", "--requirements"].map((key): [string, Take] => [key, including("requirements")]),
  ...["-c", "--constraint", "--constraints"].map((key): [string, Take] => [key, including("constraints")]),
  ...["-e", "--editable"].map((key): [string, Take] => [key, takeFolder]),
  ...["-i", "--index-url", "--default-index"].map((key): [string, Take] => [key, indexing(true)]),
  ...["--extra-index-url", "--index"].map((key): [string, Take] => [key, indexing(false)]),
  ["--no-index", ({ install }) => void install.indexes.push({ url: "", only: true })],
  ...["-f", "--find-links"].map((key): [string, Take] => [key, linking]),
  ["--pre", ({ install }) => void (install.allowsPreReleases = true)],
  [
    "--prerelease",
    ({ install }, value) => {
      if (value()?.text !== "disallow") install.allowsPreReleases = true;
    },
  ],
  ["--no-build-isolation", ({ install }) => void (install.noIsolation = true)],
  // pip takes both, though it tells of one.
  ...["--no-deps", "--no-dependencies"].map((key): [string, Take] => [key, ({ install }) => void (install.noDependencies = true)]),
  ...["--force-reinstall", "-I", "--ignore-installed", "--reinstall"].map((key): [string, Take] => [
    key,
    ({ install }) => void (install.reinstalls = true),
  ]),
  ...["-U", "--upgrade"].map((key): [string, Take] => [key, ({ install }) => void (install.upgrades = true)]),
  [
    "--torch-backend",
    ({ install }, value) => {
      const backend = value();
      if (backend) install.indexes.push({ url: `https://download.pytorch.org/whl/${backend.text}`, only: false });
    },
  ],
  [
    "--index-strategy",
    ({ install }, value) => {
      if (value()?.text.startsWith("unsafe-")) install.comparesIndexes = true;
    },
  ],
  ...["-t", "--target", "--prefix", "--root", "-w", "--wheel-dir", "-d", "--dest"].map((key): [string, Take] => [key, elsewhere]),
]);
