// The stand-alone executable at work on another host: sent there, run once, and removed again.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { reasonOf, sentenceOf } from "@culprit/core/lib/reason";
import { shown } from "./tar.ts";
import { endless, lastLine, mostPrinted, mostSeconds, quoted, sshOptions } from "./shell.ts";

/** ELF's number of a machine, as `uname -m` calls it, and the loader that an executable for it asks for. */
const machines: { [number: number]: { name: string; loader: string } } = {
  62: { name: "x86_64", loader: "/lib64/ld-linux-x86-64.so.2" },
  183: { name: "aarch64", loader: "/lib/ld-linux-aarch64.so.1" },
};

// A folder that only its owner may enter, where programs may be run, and which is removed however this ends. No single quotes, no backslashes and
// in one line: whatever shell the user has over there hands it on as it is.
const script = [
  "umask 077",
  "d=",
  'clean() { if [ -n "$d" ]; then rm -rf "$d"; fi; }',
  "trap clean EXIT",
  'trap "exit 129" HUP INT TERM PIPE',
  'for place in "${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm "$HOME"; do d=$(mktemp -d "$place/culprit.XXXXXX" 2>/dev/null) || { d=; continue; }',
  'echo : >"$d/try" && chmod 700 "$d/try" && "$d/try" 2>/dev/null && break',
  'rm -rf "$d"',
  "d=",
  "done",
  'echo "$1 $(uname -m) $(test -e "$2" && echo loader) $d"',
  'test -n "$d" && cat >"$d/culprit" && test "$(wc -c <"$d/culprit")" -eq "$3" && chmod 700 "$d/culprit" || exit 125',
  "shift 3",
  '"$d/culprit" "$@" </dev/null',
].join("; ");

/** The mark, the machine and a folder. */
const longestGreeting = 1 << 16;
const manyPieces = 4096;

export interface Sending {
  name: string;
  ssh: string[];
  patience: number;
  /** The executable, and what it is asked. */
  executable: string;
  words: string[];
}

/** What the executable prints over there; or why it cannot run there. Throws where nobody can be reached. */
export async function sendExecutable({
  name,
  ssh,
  patience,
  executable,
  words,
}: Sending): Promise<{ output: Buffer } | { problem: string }> {
  const size = fs.statSync(executable).size;
  const machine = machineOf(executable);
  const mark = randomBytes(16).toString("hex");
  const given = ["sh", mark, machine?.loader ?? "/", String(size), ...words];
  const command = `exec sh -c ${quoted(script)} ${given.map(quoted).join(" ")}`;
  const child = spawn(ssh[0]!, [...ssh.slice(1), ...sshOptions(patience), "--", name, command], { stdio: ["pipe", "pipe", "pipe"] });
  const file = fs.createReadStream(executable);
  let complaint = "";
  let unfit: string | undefined;
  let isReady = false;
  let timer: NodeJS.Timeout | undefined;
  let printed = 0;
  let since: number | undefined;
  let before = Buffer.alloc(0);
  let pieces: Buffer[] = [];

  const greeted = (line: string) => {
    isReady = true;
    const [, there = "", loader = "", folder = ""] = new RegExp(`${mark} (\\S*) (\\S*) (.*)$`).exec(line) ?? [];
    if (machine && there !== machine.name) unfit = `it is ${shown(there)}, and the executable is for ${machine.name}`;
    else if (machine && loader === "") unfit = `it has no ${machine.loader}, which is glibc's`;
    else if (folder === "") unfit = "no folder there may be written to and run programs from";
    if (unfit === undefined) file.pipe(child.stdin);
    else child.stdin.end();
  };
  return new Promise((resolve, reject) => {
    const stop = (reason: string): void => {
      clearTimeout(timer);
      file.destroy();
      // Whoever of ssh's helpers stays must not keep us waiting.
      child.kill("SIGTERM");
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      child.unref();
      reject(new Error(`cannot look at ${name}: ${reason}`));
    };
    const silent = () => stop(lastLine(complaint) ?? `no answer within ${patience} s`);
    timer = setTimeout(silent, patience * 1000);
    // How long it works over there is its own affair, within reason; whether it is still there, ssh watches.
    const watch = () => {
      clearTimeout(timer);
      const most = mostSeconds(patience, 0);
      timer = setTimeout(() => stop(lastLine(complaint) ?? `no answer within ${most} s`), most * 1000);
    };
    child.stdin.on("drain", () => {
      if (isReady) watch();
    });
    file.on("error", (error) => stop(`${executable} cannot be read: ${reasonOf(error)}`));
    child.on("error", (error) =>
      stop("code" in error && error.code === "ENOENT" ? `there is no program \`${ssh[0]}\`` : sentenceOf(error)),
    );
    child.stdin.on("error", () => {}); // The end of the program says why.
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint = (complaint + text).slice(-4000)));
    child.stdout.on("data", (piece: Buffer) => {
      printed += piece.length;
      if (mostPrinted < printed) return stop(endless);
      if (isReady) {
        pieces.push(piece);
        // A trickle of single bytes costs more to keep than to join.
        if (manyPieces < pieces.length) pieces = [Buffer.concat(pieces)];
        since ??= performance.now();
        if (mostSeconds(patience, printed) < (performance.now() - since) / 1000) return stop("its answer does not come to an end");
        return watch();
      }
      // What start-up files over there print comes before it; the mark may lie across pieces.
      const line = Buffer.concat([before, piece]);
      const at = line.indexOf(mark);
      const newline = at < 0 ? -1 : line.indexOf(10, at);
      if (newline < 0) {
        before = line.subarray(at < 0 ? Math.max(0, line.length - mark.length) : at);
        if (longestGreeting < before.length) stop(endless);
        return;
      }
      pieces = [line.subarray(newline + 1)];
      watch();
      greeted(line.toString("utf8", at, newline));
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      file.destroy();
      const why = lastLine(complaint) ?? `\`${ssh[0]}\` ended with ${signal ?? `exit code ${code}`}`;
      if (unfit !== undefined) resolve({ problem: unfit });
      else if (!isReady || code === 255) stop(why);
      else if (code === 0) resolve({ output: Buffer.concat(pieces) });
      else
        resolve({
          problem: code === 125 ? "it did not arrive there whole" : `it does not run there: ${lastLine(complaint) ?? `exit code ${code}`}`,
        });
    });
  });
}

/** What machine an executable is for; a script is for any. */
function machineOf(executable: string): { name: string; loader: string } | undefined {
  const head = Buffer.alloc(20);
  const file = fs.openSync(executable, "r");
  try {
    fs.readSync(file, head, 0, 20, 0);
  } finally {
    fs.closeSync(file);
  }
  return head.toString("latin1", 0, 4) === "\x7fELF" ? machines[head.readUInt16LE(18)] : undefined;
}
