import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import {
  activities,
  openTarget,
  cpuNamed,
  installedPackage,
  unusableProgram,
  loadsOfProgram,
  nearNames,
  frameworkIds,
  imageKeeping,
  gpuHint,
  isDriverVersion,
  notADriver,
  unknownGpu,
  placeWithoutPython,
  readSnapshot,
  type Activity,
  type Examination,
  type FrameworkRun,
  type GivenMachine,
  type Loads,
  type ModuleRequest,
  type Question,
  type Snapshot,
  type Target,
  type WhatIf,
  withModules,
} from "@culprit/core";
// Each from its own file: the index has images and other hosts, too, which start slowly and are mostly not asked for.
import { isPrefixed, kindOf } from "@culprit/machine/target/kinds";
import { machine } from "@culprit/machine/target/machine";
import { readNamed } from "@culprit/machine/target/named";
import { root } from "@culprit/machine/target/root";
import { reasonOf, sentenceOf } from "@culprit/core/lib/reason";
import { isBareWord, isFrameworkWord } from "./framework-word.ts";
import { amount, busyWith, progress } from "./progress.ts";
import { flag, text, texts, UsageError, type Input } from "./usage.ts";
import { dependencyFilesAmong, isDependencyFile, kindOfBytes } from "./file-kind.ts";
import { isEnvironment } from "./folder.ts";

/** The target that the options name, with everything that changes the question. */
export async function openWhere(input: Input, word?: string, programs: string[] = []): Promise<Examination> {
  const opened = await openTarget(await chooseTarget(input, word, programs), await whatIf(input));
  const modules = texts(input, "module");
  const examination = modules.length === 0 ? opened : await withModules(opened, modules.map(moduleNamed));
  if ("problem" in examination) throw new UsageError(examination.problem);
  const python = texts(input, "python");
  const strange = python.length === 0 ? undefined : await placeWithoutPython(examination, python);
  if (strange !== undefined) throw new UsageError(strange);
  return examination;
}

/** `programs` are executables that will be asked about, for a target that must be told beforehand. */
export async function chooseTarget(input: Input, word?: string, programs: string[] = []): Promise<Target | Snapshot> {
  const given = [text(input, "root"), text(input, "target"), word].filter((value) => value !== undefined);
  if (1 < given.length) throw new UsageError("give one target only: a word, `--target` or `--root`");
  const patience = Number(text(input, "timeout") ?? 20);
  if (!(0 < patience)) throw new UsageError(`\`--timeout ${text(input, "timeout")}\` is not a number of seconds`);
  const rootFolder = text(input, "root");
  const named = given[0] === undefined || rootFolder !== undefined ? undefined : kindOf(given[0]);
  if (flag(input, "send")) {
    if (named?.kind.kind !== "host") throw new UsageError("`--send` is for another host: ssh:HOST");
    return (await import("./sent.ts")).lookBySending(input, named.named, patience, programs);
  }
  if (rootFolder !== undefined) return guarded(() => root(rootFolder));
  if (given[0] === undefined) return machine();
  if (!named) throw new UsageError(`there is no target \`${given[0]}\`: no such file or folder`);
  if (named.kind.kind === "host") busyWith(`looking at ${given[0]}`);
  const target = await named.kind.open(named.named, {
    ssh: sshCommand(),
    patience,
    keeping: imageKeeping,
    readSnapshot: readSnapshotFile,
    told: ({ layer, layers, read, size }) =>
      progress(`reading ${layer === undefined ? "the image" : `layer ${layer}/${layers}`}  ${amount(read, size)}`),
  });
  if (named.kind.kind === "root") await refuseOtherFolders(named.named);
  return target;
}

// An empty answer about a folder that is no system would be taken for a clean bill of health.
async function refuseOtherFolders(folder: string): Promise<void> {
  const names = fs.readdirSync(folder);
  if (isEnvironment(folder)) throw new UsageError(`\`${folder}\` is a Python environment: \`--python ${folder}\` looks into it`);
  if (["etc", "usr", "lib", "lib64", "opt", "nix"].some((name) => names.includes(name))) return;
  const says = (await dependencyFilesAmong(folder, names)).map((name) => `\`${path.join(folder, name)}\``);
  const instead =
    0 < says.length ? `dependency files lie in it: name one, such as ${says[0]}` : `\`--root ${folder}\` takes it for one all the same`;
  throw new UsageError(`\`${folder}\` is not the root of a system: it has neither etc nor usr nor lib; ${instead}`);
}

let pipedModule: string | undefined;

/** A file that is here, or standard input; else the name of a module, or a path, of the target. */
function moduleNamed(word: string): ModuleRequest {
  if (word === "") throw new UsageError("`--module` names no module");
  if (word !== "-" && !fs.statSync(word, { throwIfNoEntry: false })?.isFile()) return { name: word };
  if (word === "-" && process.stdin.isTTY && pipedModule === undefined)
    throw new UsageError("`--module -` takes what `module show NAME 2>&1` prints: pipe it in");
  try {
    // Standard input can be read once, and `fix` looks at the target more than once.
    const content =
      word === "-" ? (pipedModule ??= readNamed(word, mostOfModules).toString("utf8")) : readNamed(word, mostOfModules).toString("utf8");
    if (content.trim() === "")
      throw new UsageError(`\`--module ${word}\` is empty: \`module show\` prints to standard error, so add \`2>&1\``);
    return { file: word === "-" ? word : path.resolve(word), text: content };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`\`--module ${word}\` cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Of hundreds of modules at once. */
const mostOfModules = 4 << 20;

/** The user's own ssh; CULPRIT_SSH_COMMAND names another, or gives it options, as GIT_SSH_COMMAND does. */
export const sshCommand = (): string[] => (process.env["CULPRIT_SSH_COMMAND"] ?? "ssh").split(" ").filter((word) => word !== "");

/** The largest that was ever taken has 40 MB. */
const mostOfSnapshot = 256 << 20;

async function readSnapshotFile(name: string): Promise<Snapshot> {
  let content: Buffer;
  try {
    content = readNamed(name, mostOfSnapshot);
  } catch (error) {
    throw new UsageError(`\`${name}\` cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  if (kindOfBytes(content) === "packed") {
    const { gunzipSync } = await import("node:zlib");
    try {
      content = gunzipSync(content, { maxOutputLength: mostOfSnapshot });
    } catch (error) {
      const isLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
      throw new UsageError(
        isLarge
          ? `\`${name}\` is no snapshot: unpacked it is larger than ${mostOfSnapshot >> 20} MB`
          : `\`${name}\` is a damaged gzip file`,
        { cause: error },
      );
    }
  }
  if (kindOfBytes(content) === "archive")
    throw new UsageError(`\`${name}\` is a tar archive: \`image:${name}\` looks into a container image`);
  const result = await readSnapshot(content.toString("utf8"));
  if ("problem" in result && (await isDependencyFile(name, content.toString("utf8"))))
    throw new UsageError(
      `\`${name}\` is a dependency file: \`culprit check\` and \`culprit list\` read it, this command needs what is installed`,
    );
  if ("problem" in result) throw new UsageError(`\`${name}\` is not a snapshot: ${result.problem}`);
  return result.snapshot;
}

async function whatIf(input: Input): Promise<WhatIf> {
  const environment: { [name: string]: string } = {};
  for (const pair of texts(input, "env")) {
    const equals = pair.indexOf("=");
    if (equals <= 0) throw new UsageError(`\`--env ${pair}\` is not NAME=VALUE`);
    environment[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  const processor = text(input, "cpu");
  const cpu = processor === undefined ? undefined : cpuNamed(processor);
  if (cpu && "problem" in cpu) throw new UsageError(`\`--cpu ${processor}\`: ${cpu.problem}`);
  const cwd = text(input, "cwd");
  if (cwd !== undefined && !cwd.startsWith("/") && (text(input, "root") ?? text(input, "target")) !== undefined) {
    throw new UsageError(`\`--cwd ${cwd}\` must begin with / when the target is not this machine`);
  }
  const both = texts(input, "unset").find((name) => Object.hasOwn(environment, name));
  if (both !== undefined) throw new UsageError(`\`--env ${both}=…\` sets what \`--unset ${both}\` takes away: leave out one of them`);
  return {
    environment,
    ...(await givenMachine(input)),
    unset: texts(input, "unset"),
    ...(cwd === undefined ? {} : { cwd: path.resolve(cwd) }),
    ...(cpu ? { cpu } : {}),
    ...(flag(input, "ldconfig") ? { ldconfig: true } : {}),
  };
}

/** The driver and the GPUs that the options name. */
export async function givenMachine(input: Input): Promise<GivenMachine> {
  const driver = text(input, "driver");
  if (driver !== undefined && !isDriverVersion(driver)) throw new UsageError(`\`--driver ${driver}\` ${notADriver(driver)}`);
  const gpus = texts(input, "gpu").flatMap((value) => value.split(","));
  for (const name of gpus) {
    const stranger = await unknownGpu(name);
    if (stranger) throw new UsageError(`\`--gpu ${name}\` is not known${gpuHint(stranger.likely)}`);
  }
  return { ...(driver === undefined ? {} : { driver }), ...(gpus.length === 0 ? {} : { gpus }) };
}

function guarded<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new UsageError(sentenceOf(error));
  }
}

// A bare name is looked for as a shell would; anything with a slash, or that lies in the current folder, is a path.
export function programPath(word: string, examination: Examination): string {
  const { view } = examination;
  if (word === "") throw new UsageError("the name of the program is empty");
  if (isPrefixed(word)) throw new UsageError(`\`${word}\` is a target, not a program: \`--target ${word}\` and a program of it`);
  const found = programAt(word, examination);
  if (found !== undefined) return found;
  const near = [...frameworkIds.filter((id) => 3 < id.length && word.toLowerCase().includes(id)), ...nearNames(word, frameworkIds)];
  const hint = near.length === 0 ? `; the frameworks are ${frameworkIds.join(", ")}` : `: did you mean \`${near[0]}\`?`;
  throw new UsageError(
    view.snapshot.target.kind === "machine"
      ? `\`${word}\` is no framework, no package that is installed and no program on PATH${hint}`
      : `\`${word}\` is no framework and no package that is installed; a program of another target is named by its path${hint}`,
  );
}

function programAt(word: string, { view }: Examination): string | undefined {
  if (word.includes("/")) return word;
  if (view.snapshot.target.kind !== "machine") return undefined;
  if (fs.existsSync(path.join(view.cwd, word))) return `./${word}`;
  const folders = (view.snapshot.environment["PATH"] ?? "").split(":").filter((folder) => folder !== "");
  return folders.map((folder) => path.join(folder, word)).find((each) => fs.existsSync(each));
}

// A package's command is a script of a few lines, which Python reads: whoever says `transformers` means the package.
function isNative(file: string, { view }: Examination): boolean {
  try {
    const at = fs.openSync(path.resolve(view.cwd, file), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      const start = Buffer.alloc(4);
      fs.readSync(at, start, 0, 4, 0);
      return start.toString("latin1") === "\x7fELF";
    } finally {
      fs.closeSync(at);
    }
  } catch {
    return false;
  }
}

/** What a program would load; a path where no program is, is a mistake of whoever named it. */
export async function programLoads(examination: Examination, program: string): Promise<Loads> {
  const unusable = await unusableProgram(examination, program);
  if (unusable) throw new UsageError(unusable.problem);
  const answer = await loadsOfProgram(examination, program);
  const [failure] = answer.failures;
  const ofTheFile = ["not-found", "is-a-folder", "not-a-program", "cannot-read"];
  if (answer.loads.length === 0 && failure && ofTheFile.includes(failure.reason) && failure.name === answer.program.path)
    throw new UsageError(failure.message);
  return answer;
}

/** Frameworks in one process, as the words and options name them. */
export function frameworkRun(input: Input, names: string[]): FrameworkRun {
  const wanted = texts(input, "do").flatMap((value) => value.split(","));
  const unknown = wanted.find((name) => !activities.includes(name as Activity));
  if (unknown !== undefined) throw new UsageError(`there is no activity \`${unknown}\`; the activities are ${activities.join(", ")}`);
  return { frameworks: names, activities: wanted as Activity[], python: texts(input, "python") };
}

/** How programs are started: as the options say, else as befits the target. */
export function shellOf(input: Input): Pick<Question, "shell"> {
  const shell = text(input, "shell");
  if (shell !== undefined && shell !== "none" && shell !== "login") throw new UsageError(`\`--shell ${shell}\` is not none or login`);
  return shell === undefined ? {} : { shell };
}

/** The frameworks and installed packages that words name, by their own names; undefined where one names a file or a program on PATH. */
export async function frameworksMeant(words: string[], examination: Examination, python: string[]): Promise<string[] | undefined> {
  const meant: string[] = [];
  for (const word of words) {
    const name = await frameworkMeant(word, examination, python);
    if (name === undefined) return undefined;
    meant.push(name);
  }
  return 0 < meant.length ? meant : undefined;
}

async function frameworkMeant(word: string, examination: Examination, python: string[]): Promise<string | undefined> {
  if (isFrameworkWord(word)) return word;
  if (!isBareWord(word)) return undefined;
  const program = programAt(word, examination);
  return program !== undefined && isNative(program, examination) ? undefined : installedPackage(examination, word, python);
}

/** Programs of `--for`: each value one process, frameworks in the order of their imports or an executable. */
export async function forPrograms(input: Input, examination: Examination): Promise<string[][]> {
  return Promise.all(
    texts(input, "for").map(async (value) => {
      const names = value.split(",");
      return (await frameworksMeant(names, examination, texts(input, "python"))) ?? [programPath(value, examination)];
    }),
  );
}
