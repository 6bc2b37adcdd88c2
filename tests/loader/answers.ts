import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { openTarget, loadsOfEach, type CpuFact, type Loads, type Snapshot, type Target } from "../../packages/core/src/index.ts";
import { startProgram } from "../../packages/core/src/resolve/start.ts";

/** What a loader does with a program, in the terms of its own output. */
export interface Answer {
  /** `name => path`, or the path alone, in load order: the lines of LD_TRACE_LOADED_OBJECTS, without addresses and the kernel's object. */
  loads: string[];
  /** Names that were not found, in the order of asking. */
  missing: string[];
  /** Every search and the paths it tried, in order: the lines of LD_DEBUG=libs. */
  searches: { name: string; tried: string[] }[];
  /** What a real start writes to the error output. */
  says: string[];
  /** The exit status of a real start, or the signal that ended it. */
  ends: number | string;
}

export interface Start {
  /** The path given to exec, relative to `cwd` or absolute. */
  program: string;
  cwd: string;
  environment: { [name: string]: string };
  /** Start it as this user, not as the one that runs the tests. */
  user?: number;
  /** Start it with this folder as `/`. */
  root?: string;
  /** A program that runs it: an emulator, or another loader with its options. */
  through?: string[];
  /** An emulator of another machine, with its options; variables are for the program, not for it. */
  emulator?: string[];
  /** Words after the program. */
  after?: string[];
  cpu?: CpuFact;
  kernel?: string;
}

/** What the live loader does: once in trace mode with the search written down, once for real. */
export function liveAnswer(start: Start): Answer {
  const trace = run(start, { ...start.environment, LD_TRACE_LOADED_OBJECTS: "1", LD_DEBUG: "libs" });
  const real = run(start, start.environment);
  const { loads, missing } = readTrace(trace.output);
  return {
    loads,
    missing,
    searches: readSearches(trace.errors),
    // The line of the loader's source is not part of the fact.
    says: real.errors
      .split("\n")
      .filter((line) => line !== "" && !isRemark(line))
      .map((line) => line.replace(/(Inconsistency detected by ld\.so: \S+:) \d+:/, "$1")),
    ends: real.signal ?? real.status ?? "not started",
  };
}

/** What is only remarked does not change what is loaded. */
const isRemark = (line: string) =>
  /: no version information available \(required by |: weak version `|^qemu: uncaught target signal |: warning: TCG doesn't support requested feature: /.test(
    line,
  );

export function readTrace(output: string): { loads: string[]; missing: string[] } {
  const lines = output
    .split("\n")
    .filter((line) => line.startsWith("\t"))
    .map((line) => line.slice(1).replace(/ \(0x[0-9a-f]+\)$/, ""));
  return {
    loads: lines.filter((line) => !line.endsWith(" => not found") && !/^linux-(vdso|gate)/.test(line) && line !== "statically linked"),
    missing: lines.filter((line) => line.endsWith(" => not found")).map((line) => line.slice(0, -" => not found".length)),
  };
}

export function readSearches(errors: string): Answer["searches"] {
  const searches: Answer["searches"] = [];
  for (const line of errors.split("\n")) {
    const search = /^ *\d+:\tfind library=(.*) \[0\]; searching/.exec(line);
    if (search) searches.push({ name: search[1]!, tried: [] });
    const trying = /^ *\d+:\t {2}trying file=(.*)$/.exec(line);
    if (trying) searches.at(-1)!.tried.push(trying[1]!.replace(/ \[[^\]]*\]$/, ""));
  }
  return searches;
}

// exec after chroot, chdir and setuid: the variables must not act on the program that does this, so they are set at the last moment.
const starter = `use POSIX; my ($root, $cwd, $user, $count, @variables) = @ARGV; my @words = splice(@variables, 0, $count);
if ($root ne "") { chroot($root) or die "chroot: $!"; } chdir($cwd) or die "chdir: $!";
if ($user ne "") { $) = "$user $user"; POSIX::setgid($user); POSIX::setuid($user); }
%ENV = map { split(/=/, $_, 2) } @variables; exec { $words[0] } @words; print STDERR "exec: ", $!+0, "\\n"; POSIX::_exit(126);`;

export function run(
  { program, cwd, user, root, through = [], emulator, after = [] }: Start,
  environment: { [name: string]: string },
): { output: string; errors: string; status: number | null; signal: string | null } {
  const guest = Object.entries(environment).flatMap(([name, value]) => ["-E", `${name}=${value}`]);
  const words = [...(emulator ? [...emulator, ...guest, "-0", program] : through), program, ...after];
  const needsStarter = user !== undefined || root !== undefined;
  const [command, ...rest] = needsStarter
    ? [
        "perl",
        "-e",
        starter,
        root ?? "",
        cwd,
        user === undefined ? "" : String(user),
        String(words.length),
        ...words,
        ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      ]
    : words;
  const { stdout, stderr, status, signal } = spawnSync(command!, rest, {
    cwd: needsStarter ? "/" : cwd,
    env: needsStarter || emulator ? { PATH: process.env["PATH"] } : environment,
    encoding: "utf8",
    timeout: 20_000,
  });
  return { output: stdout ?? "", errors: stderr ?? "", status, signal };
}

/** Whether programs can be started with another folder as root and as another user; why not, otherwise. */
export function cannotBecome(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root: chroot and setuid";
  return spawnSync("perl", ["-MPOSIX", "-e", "1"]).status === 0 ? undefined : "needs perl, which starts programs in other roots";
}

/** A target reads with the rights of whoever asks. */
export async function asUser<T>(user: number | undefined, work: () => Promise<T>): Promise<T> {
  if (user === undefined) return work();
  process.setegid!(user);
  process.seteuid!(user);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

/** Our answer, through the library. `prepare` may add facts that the target itself cannot give. */
export async function ourAnswer(target: Target, start: Start, prepare?: (snapshot: Snapshot) => void): Promise<Answer & { whole: Loads }> {
  const examination = await openTarget(target, {
    environment: start.environment,
    unset: Object.keys(process.env).filter((name) => /^(LD_|GLIBC_)/.test(name) && !(name in start.environment)),
    cwd: start.cwd,
    ...(start.cpu ? { cpu: start.cpu } : {}),
  });
  const { snapshot } = examination.view;
  if (start.kernel !== undefined) snapshot.kernel = start.kernel;
  if (start.user !== undefined) snapshot.user = { uid: start.user, gid: start.user };
  prepare?.(snapshot);
  let whole: Loads | undefined;
  for await (const loads of loadsOfEach(examination, [start.program])) whole = loads;

  const searches: Answer["searches"] = [];
  const missing: string[] = [];
  startProgram(examination.view, start.program, (_requester, name, mapped) => {
    if ("pending" in mapped) throw new Error(`facts are missing for ${name}`);
    if ("failure" in mapped && ["not-found", "wrong-elf-class"].includes(mapped.failure.reason)) missing.push(name);
    if (name.includes("/") || ("object" in mapped && (mapped.by === "name" || mapped.by === "soname"))) return;
    searches.push({ name, tried: mapped.steps.filter(({ result }) => result !== "no-entry").map(({ path }) => path) });
  });
  // Trace mode lists what was needed and not found, not what was only preloaded: preloads come first.
  for (const { name, message } of whole!.missed) if (isWarning(message) && missing.includes(name)) missing.splice(missing.indexOf(name), 1);
  const { object } = { object: undefined, ...snapshot.files[whole!.program.file] };
  // Trace mode calls a program that needs nothing "statically linked" and stops there.
  const needsNothing = object?.kind === "elf" && object.needed.length === 0;
  return {
    ...inLoaderTerms(whole!),
    ...(needsNothing ? { loads: [] } : {}),
    searches,
    missing: stopsEarly(whole!) ? [] : missing,
    whole: whole!,
  };
}

/** Failures that end even trace mode: everything but a library that is not there and versions. */
const stopsEarly = ({ failures }: Loads) =>
  failures.some(({ reason }) => !["not-found", "wrong-elf-class", "version-not-found", "undefined-symbol"].includes(reason));

const isWarning = (message: string) => message.startsWith("ERROR: ld.so: object ");

export function inLoaderTerms(answer: Loads): Pick<Answer, "loads" | "says" | "ends"> {
  const { loads, failures, missed } = answer;
  const [first] = failures;
  const warnings = missed.map(({ message }) => message).filter(isWarning);
  const loaded = stopsEarly(answer)
    ? []
    : loads.map(({ name, path, via }) => (via === "already-loaded" || name === path ? path : `${name} => ${path}`));
  if (!first) return { loads: loaded, says: warnings, ends: 0 };
  if (first.reason === "truncated") return { loads: loaded, says: warnings, ends: "SIGBUS" };
  if (first.reason === "version-not-found")
    return { loads: loaded, says: [...warnings, ...failures.map(({ message }) => message)], ends: 1 };
  return { loads: loaded, says: [...warnings, first.message], ends: 127 };
}

/** The loader that this machine's own programs name, if it is glibc's and it is there. */
export const glibcLoader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find(
  (path) => fs.existsSync(path) && (path.includes("x86") ? process.arch === "x64" : process.arch === "arm64"),
);

/** musl's loader for this machine, beside glibc's. */
export const muslLoader = ["/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"].find(
  (path) => fs.existsSync(path) && path.includes(process.arch === "arm64" ? "aarch64" : "x86_64"),
);
