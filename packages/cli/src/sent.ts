import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { frameworkIds, readSnapshot, type Snapshot, type Target } from "@culprit/core";
import { host, refuseNoHost } from "@culprit/machine/target/host";
import { sendExecutable } from "@culprit/machine/target/sent";
import { note } from "./print.ts";
import { sshCommand } from "./where.ts";
import { flag, texts, UsageError, type Input } from "./usage.ts";

/** A host, as a snapshot that our own executable takes over there; where it cannot run, through a shell as always. */
export async function lookBySending(input: Input, name: string, patience: number, programs: string[]): Promise<Target | Snapshot> {
  const executable = findExecutable();
  refuseNoHost(name);
  const ssh = sshCommand();
  const sent = await sendExecutable({ name, ssh, patience, executable, words: wordsFor(input, programs) });
  const read = "output" in sent ? await readSnapshot(sent.output.toString("utf8")) : sent;
  if ("snapshot" in read) return { ...read.snapshot, target: { kind: "host", name: `ssh:${name}` } };
  note(`the executable cannot be used on ${name} (${read.problem}): looking through a shell instead`);
  return host(name, ssh, patience);
}

// What changes which files matter is said over there as well.
function wordsFor(input: Input, programs: string[]): string[] {
  const executables = [...programs, ...texts(input, "for")].filter((word) => word.includes("/"));
  return [
    "snapshot",
    "--full",
    ...["env", "unset", "python", "cwd"].flatMap((name) => texts(input, name).flatMap((value) => [`--${name}=${value}`])),
    ...(flag(input, "ldconfig") ? ["--ldconfig"] : []),
    // A snapshot of programs holds nothing else; any framework's name brings the whole stack in.
    ...(executables.length === 0 ? [] : ["--", ...executables, frameworkIds[0]!]),
  ];
}

/** Ourselves, where we are it; else what CULPRIT_EXECUTABLE names, or what lies beside our own files. */
function findExecutable(): string {
  const named = process.env["CULPRIT_EXECUTABLE"];
  if (named !== undefined && named !== "") {
    if (fs.statSync(named, { throwIfNoEntry: false })?.isFile()) return named;
    throw new UsageError(`CULPRIT_EXECUTABLE names \`${named}\`, which is no file`);
  }
  if (process.versions["bun"] !== undefined) return process.execPath;
  const beside = path.join(path.dirname(fs.realpathSync(process.argv[1]!)), "culprit");
  if (fs.statSync(beside, { throwIfNoEntry: false })?.isFile()) return beside;
  throw new UsageError(
    "`--send` needs the stand-alone executable: `npm run build:binary` in a checkout makes dist/culprit, and CULPRIT_EXECUTABLE names one that lies elsewhere",
  );
}
