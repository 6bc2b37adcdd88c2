// The question as it was asked. Whoever suggests a command adds what is in it, so that the command asks the same when it is pasted.
import { nameOf } from "./path.ts";
import { commandLine, quoted } from "./shell.ts";

/** What a question named, as words of a command line, and where its commands must be typed. Plain data: whoever parses options makes it. */
export interface Asked {
  /** `--root R` or `--target T`; empty: this machine. */
  target: string[];
  /** The other options that change the answer, one by one: `["--env", "A=B"]`, `["--ldconfig"]`. */
  options: string[][];
  /** Absent: on this machine, here and now. */
  place?: Elsewhere;
}

export interface Elsewhere {
  kind: "root" | "image" | "host" | "snapshot";
  /** The folder, the host as ssh knows it, the file. */
  name: string;
}

const where = ["--env", "--unset", "--module", "--driver", "--gpu", "--cwd", "--cpu", "--ldconfig", "--send", "--timeout", "--knowledge"];

/** Options that a command of ours takes; one that is not here is about nothing that was asked. */
const takes: { [command: string]: string[] } = {
  check: [...where, "--with", "--replace", "--without", "--shell", "--for", "--do", "--python", "--colab", "--python-version"],
  fix: [...where, "--shell", "--for", "--do", "--python"],
  why: [...where, "--for", "--do", "--python"],
  loads: [...where, "--do", "--python"],
  list: [...where, "--python"],
};

/** The words of a command of ours, and behind them what was asked, where they do not say it themselves. */
export function askingAgain(words: string[], asked: Asked | undefined): string[] {
  const taken = takes[words[1] ?? ""];
  if (!asked || !taken || words[0] !== "culprit") return words;
  const options = asked.options.filter(([name]) => taken.includes(name!) && !words.includes(name!));
  // `check` takes a target as a word.
  const target = words[1] === "check" && asked.target[0] === "--target" ? asked.target.slice(1) : asked.target;
  return [...words, ...target, ...options.flat()];
}

/** The one way in which reports print a command of ours. */
export const culpritLine = (words: string[], asked: Asked | undefined): string => commandLine(askingAgain(["culprit", ...words], asked));

/** A line of text that may be a command of ours. */
export const lineAskingAgain = (line: string, asked: Asked | undefined): string => {
  const words = line.split(" ");
  return [line, ...askingAgain(words, asked).slice(words.length).map(quoted)].join(" ");
};

interface AdviceLike {
  words: string;
  command?: string[];
  scope?: "once" | "shell" | "file" | "install";
}

/** Advice as it is to be followed where it was asked about: nobody edits the machine at which he sits for another. */
export function adviceAt<T extends AdviceLike>(advice: T, asked: Asked | undefined): T {
  const { words, command, scope } = advice;
  if (!asked) return advice;
  if (command?.[0] === "culprit") return { ...advice, command: askingAgain(command, asked) };
  const { place } = asked;
  if (!place) return advice;
  if (command && (scope === "file" || scope === "install" || command[0] === "sudo")) {
    const there = commandAt(command, place);
    if (there) return { ...advice, words: place.kind === "image" ? `${words}, in its Dockerfile` : words, command: there };
  }
  // What is done for one command, or in a shell, is done in one that is there.
  return command || / \//.test(words) ? { ...advice, words: `${words} (${placeWords(place)})` } : advice;
}

/** `in the image`, `on node7`, `inside /mnt/disk`. */
export const placeWords = ({ kind, name }: Elsewhere): string =>
  ({ root: `inside ${name}`, image: "in the image", host: `on ${name}`, snapshot: `on the machine of ${nameOf(name)}` })[kind];

/** What does the same from here; undefined where nothing does. */
function commandAt(command: string[], { kind, name }: Elsewhere): string[] | undefined {
  const plain = command[0] === "sudo" ? command.slice(1) : command;
  if (kind === "root") return ["sudo", "chroot", name, ...plain];
  if (kind === "image") return ["RUN", ...plain];
  return kind === "host" ? onHost(commandLine(command), name) : undefined;
}

// sudo asks for a password, for which it needs a terminal.
const onHost = (line: string, name: string): string[] => ["ssh", ...(line.includes("sudo ") ? ["-t"] : []), name, line];

interface FixLike {
  fix: string;
  reach: string;
  commands: string[];
  steps: ({ do: "edit" | "write"; file: string } | { do: "run"; command: string[] })[];
}

/** These are words of advice, which say where by themselves, or are done to the host of a container, not in it. */
const notInside = new Set(["by-hand", "container-flags", "driver-upgrade", "profiling-rights"]);

/** The commands of a fix, to be typed from here. */
export function fixCommandsAt({ fix, reach, commands, steps }: FixLike, asked: Asked | undefined): string[] {
  const place = asked?.place;
  // A shell is somebody's own.
  if (!place || reach === "command" || reach === "shell" || notInside.has(fix)) return commands;
  const { kind, name } = place;
  if (kind === "host") return commands.map((line) => commandLine(onHost(line, name)));
  if (kind === "image") return commands.map((line) => `RUN ${line.replaceAll(/\bsudo /g, "")}`);
  if (kind === "snapshot") return commands;
  const files = steps.flatMap((step) => (step.do === "run" ? [] : [step.file, step.file.slice(0, step.file.lastIndexOf("/"))]));
  return commands.map((line) => {
    if (line === "sudo ldconfig") return commandLine(["sudo", "ldconfig", "-r", name]);
    const file = files.find((each) => line.endsWith(` ${quoted(each)}`));
    if (file !== undefined) return `${line.slice(0, -quoted(file).length)}${quoted(`${name}${file}`)}`;
    return commandLine(["sudo", "chroot", name, "sh", "-c", line.replaceAll(/\bsudo /g, "")]);
  });
}

/** What says whether a machine would let a profiler at the GPU, or do anything else with it. */
export const recordingCheck = (framework: string | undefined, activity = "profile") =>
  `culprit check${framework === undefined ? "" : ` --for ${framework}`} --do ${activity}`;
