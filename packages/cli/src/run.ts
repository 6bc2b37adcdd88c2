import { spawn, spawnSync, type ChildProcess, type StdioOptions } from "node:child_process";
import fs from "node:fs";
import { Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import {
  loadsOfFrameworks,
  explainLog,
  mapsReader,
  mayHaveFallenBack,
  quietExplanation,
  runReport,
  type Explanation,
  type Loads,
} from "@culprit/core";
import { reasonOf, sentenceOf } from "@culprit/core/lib/reason";
import { printAside } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { flag, UsageError, type Input } from "./usage.ts";
import { openWhere } from "./where.ts";

// Errors stand at the end; a text of this length holds them, whatever was printed before.
const tailSize = 1 << 20;

/** Runs a command as if we were not there, and explains it when it fails. */
export async function run(input: Input): Promise<number> {
  const [command, ...given] = input.words;
  if (command === undefined) throw new UsageError("`culprit run` needs a command: `culprit run -- python train.py`");
  const tail = keepTail();
  const started = start(command, given, tail.add);
  const watch = watchMaps(started.child);
  const ended = await started.ended;
  const files = watch.stop();
  const report = await reportOf(input, ended, tail.chunks(), files, started.unseen);
  if (report !== undefined) printAside(`\n${report}`);
  if (ended.signal !== null && passedOn.has(ended.signal)) {
    // Whoever waits for us sees what it would have seen.
    for (const signal of forwarded) process.removeAllListeners(signal);
    process.kill(process.pid, ended.signal);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  return ended.code ?? 128 + (os.constants.signals[ended.signal!] ?? 0);
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface Started {
  child: ChildProcess;
  ended: Promise<Ended>;
  unseen: string[];
}

const forwarded: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
const passedOn = new Set<NodeJS.Signals>(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGUSR2"]);

function start(command: string, given: string[], keep: (chunk: Uint8Array) => void): Started {
  const terminals = [process.stdout.isTTY === true, process.stderr.isTTY === true] as const;
  const pipes = namedPipes(["stdout", "stderr"]);
  const [stdout, stderr] = pipes ?? [];
  const unseen: string[] = [];
  if ((terminals[0] || terminals[1]) && hasScript()) {
    const [copy, aside] = namedPipes(["copy", "aside"], "keep") ?? [];
    for (const unused of pipes ?? []) unused.discard();
    if (copy && aside) return startInTerminal(command, given, terminals, copy, aside, keep);
  }
  if (terminals[0] || terminals[1])
    unseen.push(
      "The output was not kept: without the program `script` of util-linux a command cannot have a terminal and be read at once.",
    );
  const stdio: StdioOptions = [
    "inherit",
    terminals[0] ? "inherit" : (stdout?.writer ?? "pipe"),
    terminals[1] ? "inherit" : (stderr?.writer ?? "pipe"),
  ];
  const child = started(command, pipes ?? [], () => spawn(command, given, { stdio }));
  const copies = [
    passOn(child, terminals[0] ? undefined : (stdout?.reader ?? child.stdout), 1, keep),
    passOn(child, terminals[1] ? undefined : (stderr?.reader ?? child.stderr), 2, keep),
  ];
  for (const pipe of pipes ?? []) pipe.closeWriter();
  if (terminals[0]) stdout?.discard();
  if (terminals[1]) stderr?.discard();
  // A terminal sends its interrupts to the command by itself.
  forwardSignals(child, process.stdin.isTTY === true ? ["SIGINT", "SIGQUIT"] : []);
  return { child, unseen, ended: endOf(child, command, copies) };
}

// What Node will not even try; pipes that nobody closes would keep us waiting.
function started(command: string, pipes: NamedPipe[], start: () => ChildProcess): ChildProcess {
  try {
    return start();
  } catch (error) {
    for (const pipe of pipes) pipe.discard();
    throw new UsageError(`\`${command}\` cannot be started: ${reasonOf(error)}`, { cause: error });
  }
}

interface NamedPipe {
  path: string;
  reader: Socket;
  writer: number;
  closeWriter(): void;
  discard(): void;
}

/**
 * Real pipes. Node's own are sockets, which a command that opens /dev/stdout cannot write to, and which end it in another way when
 * nobody reads on. Undefined where there is no `mkfifo`.
 */
function namedPipes(names: string[], paths: "remove" | "keep" = "remove"): NamedPipe[] | undefined {
  if (process.platform !== "linux") return undefined;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-run-"));
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  const files = names.map((name) => path.join(folder, name));
  if (spawnSync("mkfifo", ["--mode=600", ...files]).status !== 0) {
    remove();
    return undefined;
  }
  const made = files.map((file): NamedPipe => {
    // The reader first and without waiting; then the writer, which finds it.
    const reader = new Socket({ fd: fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK), readable: true, writable: false });
    let writer: number | undefined = fs.openSync(file, fs.constants.O_WRONLY);
    reader.pause();
    reader.on("error", () => undefined);
    const closeWriter = () => {
      if (writer !== undefined) fs.closeSync(writer);
      writer = undefined;
    };
    return {
      path: file,
      reader,
      writer,
      closeWriter,
      discard() {
        closeWriter();
        reader.destroy();
      },
    };
  });
  if (paths === "remove") remove();
  else process.once("exit", remove);
  return made;
}

function hasScript(): boolean {
  const known = spawnSync("script", ["--version"], { encoding: "utf8" });
  return known.status === 0 && known.stdout.includes("util-linux");
}

/**
 * A terminal stays a terminal: `script` of util-linux gives the command one of its own, shows it in ours and writes a copy into a
 * pipe that we read. A stream that is no terminal goes by it.
 */
function startInTerminal(
  command: string,
  given: string[],
  terminals: readonly [boolean, boolean],
  copy: NamedPipe,
  aside: NamedPipe,
  keep: (chunk: Uint8Array) => void,
): Started {
  const shell = process.env["SHELL"];
  const words = [command, ...given].map(quoted).join(" ");
  const redirect = terminals[0] && terminals[1] ? "" : terminals[0] ? " 2>&3 3>&-" : " 1>&3 3>&-";
  // `script` runs the line with $SHELL, whose language may be another: the command gets its own back.
  const line = `${shell === undefined ? "unset SHELL" : `SHELL=${quoted(shell)}; export SHELL`}; exec ${words}${redirect}`;
  const screen = terminals[0] ? 1 : 2;
  const child = spawn("script", ["--quiet", "--return", "--flush", "--command", line, copy.path], {
    env: { ...process.env, SHELL: "/bin/sh" },
    stdio: ["inherit", screen, screen, redirect === "" ? "ignore" : aside.writer],
  });
  aside.closeWriter();
  if (redirect === "") aside.discard();
  copy.reader.on("data", withoutHeading(keep)).resume();
  const copied = new Promise<void>((resolve) => copy.reader.once("close", () => resolve()));
  child.once("exit", () => copy.closeWriter());
  forwardSignals(child, []);
  const copies = [passOn(child, redirect === "" ? undefined : aside.reader, terminals[0] ? 2 : 1, keep), copied];
  return { child, unseen: [], ended: endOf(child, command, copies) };
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

// `script` begins its copy with a line of its own, which holds the command.
function withoutHeading(keep: (chunk: Uint8Array) => void): (chunk: Buffer) => void {
  let first = true;
  return (chunk) => {
    const end = first && chunk.toString("latin1", 0, 14) === "Script started" ? chunk.indexOf(10) + 1 : 0;
    first = false;
    keep(chunk.subarray(end));
  };
}

/** Writes on what comes, byte for byte, and keeps a copy of its end; slows the command down where our own reader is slow. */
function passOn(child: ChildProcess, from: Readable | null | undefined, to: 1 | 2, keep: (chunk: Uint8Array) => void): Promise<void> {
  if (!from) return Promise.resolve();
  const out = to === 1 ? process.stdout : process.stderr;
  // A reader that goes away (`culprit run … | head`) ends the command as it would without us.
  out.on("error", () => {
    child.kill("SIGPIPE");
    from.destroy();
  });
  from.on("data", (chunk: Buffer) => {
    keep(chunk);
    if (!out.write(chunk)) {
      from.pause();
      out.once("drain", () => from.resume());
    }
  });
  from.resume();
  return new Promise((resolve) => from.once("close", () => resolve()));
}

function forwardSignals(child: ChildProcess, except: NodeJS.Signals[]): void {
  for (const signal of forwarded) process.on(signal, () => void (except.includes(signal) || child.kill(signal)));
}

function endOf(child: ChildProcess, command: string, copies: Promise<void>[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      const code = "code" in error ? error.code : undefined;
      const reason = code === "ENOENT" ? "there is no such program" : code === "EACCES" ? "it may not be run" : reasonOf(error);
      reject(new UsageError(`\`${command}\` cannot be started: ${reason}`));
    });
    child.once("exit", (code, signal) => void Promise.all(copies).then(() => resolve({ code, signal })));
  });
}

function keepTail(): { add: (chunk: Uint8Array) => void; chunks: () => Uint8Array[] } {
  const kept: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk) {
      kept.push(chunk);
      size += chunk.length;
      while (1 < kept.length && tailSize < size - kept[0]!.length) size -= kept.shift()!.length;
    },
    chunks: () => kept,
  };
}

/**
 * Looks now and then at which libraries the command and its children have mapped: often at first, seldom later. What they mean is
 * asked only when there is something to tell: until then nothing but names is kept.
 */
function watchMaps(child: ChildProcess): { stop: () => Set<string> } {
  const files = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let pause = 50;
  const look = () => {
    for (const pid of family(child.pid)) addFiles(files, readProc(`/proc/${pid}/maps`));
    pause = Math.min(pause * 1.6, 15_000);
    timer = setTimeout(look, pause);
    timer.unref();
  };
  if (process.platform === "linux" && child.pid !== undefined) look();
  return {
    stop() {
      clearTimeout(timer);
      return files;
    },
  };
}

function addFiles(files: Set<string>, maps: string): void {
  for (const line of maps.split("\n")) {
    const slash = line.indexOf("/");
    if (0 <= slash && line.includes(".so", slash)) files.add(line.slice(slash));
  }
}

function family(pid: number | undefined): number[] {
  const found: number[] = [];
  const open = pid === undefined ? [] : [pid];
  while (0 < open.length && found.length < 64) {
    const next = open.shift()!;
    found.push(next);
    for (const text of readProc(`/proc/${next}/task/${next}/children`).split(" ")) if (/^\d+$/.test(text)) open.push(Number(text));
  }
  return found;
}

function readProc(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

// A command that fails for reasons of its own need not hear of libraries that it never wanted.
const nothingSeen = (isSo: boolean): string[] =>
  isSo ? ["No GPU library was seen in the command or its children; libraries of a process that ends quickly can be missed."] : [];

const howItEnded = ({ signal, code }: Ended, fellBack: boolean): string =>
  `${signal === null ? `exit code ${code}` : `signal ${signal}`}${fellBack ? ", but its output says that it went on without the GPU" : ""}`;

// Whoever stopped it, or stopped reading, knows why it ended.
const wasStopped = ({ signal }: Ended): boolean => signal !== null && ["SIGPIPE", "SIGINT", "SIGTERM", "SIGHUP"].includes(signal);

async function reportOf(
  input: Input,
  ended: Ended,
  chunks: Uint8Array[],
  files: Set<string>,
  unseen: string[],
): Promise<string | undefined> {
  const failed = ended.code !== 0;
  const isAsked = flag(input, "report");
  if (!isAsked && (wasStopped(ended) || (!failed && !mayHaveFallenBack(chunks)))) return undefined;
  const explanation = await explainLog(chunks);
  const fellBack = !failed && explanation.fellBackToCpu && isFault(explanation);
  if (!failed && !fellBack && !isAsked) return undefined;
  if (flag(input, "quiet") && !isAsked) return quietExplanation(explanation) || undefined;
  const { addMaps, besidePredicted, nothingMapped } = await mapsReader();
  const mapped = nothingMapped();
  addMaps(mapped, [...files].join("\n"));
  const frameworks = [...mapped.frameworks];
  const loads = await predict(input, frameworks, [...mapped.environments]);
  const isOfInterest = isAsked || 0 < explanation.diagnoses.length;
  const notes = [
    ...unseen,
    ...(typeof loads === "string" ? [`Nothing could be predicted: ${loads}.`] : []),
    ...nothingSeen(isOfInterest && mapped.libraries.size === 0),
  ];
  return runReport(
    {
      ended: howItEnded(ended, fellBack),
      ...(failed || fellBack ? { explanation } : {}),
      loaded: besidePredicted(mapped, typeof loads === "string" ? undefined : loads),
      frameworks,
      unseen: notes,
    },
    terminalStyle(process.stderr),
  );
}

function isFault({ diagnoses: [first] }: Explanation): boolean {
  return first !== undefined && first.cause !== "benign-warning" && first.cause !== "not-a-mismatch";
}

/** What we would have predicted for these frameworks in this environment. */
async function predict(input: Input, frameworks: string[], environments: string[]): Promise<Loads | undefined | string> {
  if (frameworks.length === 0) return undefined;
  try {
    const loads = await loadsOfFrameworks(await openWhere(input), {
      frameworks,
      activities: ["device", "matmul", "convolution"],
      python: environments,
    });
    return "problem" in loads ? loads.problem : loads;
  } catch (error) {
    return sentenceOf(error);
  }
}
