// A conversation with a shell somewhere else: commands go in, answers come out, many at a time and in order.
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { sentenceOf } from "@culprit/core/lib/reason";
import { shown } from "./tar.ts";

export interface Shell {
  /**
   * What a command prints; commands wait in line, so many can be asked for before the first answer is there. `most` is how many bytes
   * an honest answer can have: whoever prints more is not listened to any longer.
   */
  ask(command: string, most?: number): Promise<Buffer>;
  end(): void;
}

export interface ShellOptions {
  /** Seconds without a byte, while an answer is awaited, after which nobody is believed to be there. */
  patience: number;
  /** How the other side is called in messages. */
  name: string;
}

/** No answer is as large as this: files come in pieces, the largest at once is 32 MiB. */
export const mostPrinted = 128 << 20;

/** Seconds that an answer may take from its first moment to its end: a few bytes now and then are no progress, but a slow line is no fault. */
export const mostSeconds = (patience: number, printed: number) => 15 * patience + printed / 8192;

export const endless = "it prints without end";
const talkative = "an answer is longer than any can be";

interface Waiting {
  most: number;
  resolve: (answer: Buffer) => void;
  reject: (error: Error) => void;
}

/**
 * Starts a program that leads to a POSIX shell which reads its commands from standard input. The shell runs each as it comes,
 * so nothing has to be installed there, and no shell's way of reading ahead does harm: all that it reads are commands.
 */
export function openShell(command: string[], script: string, { patience, name }: ShellOptions): Shell {
  // Ends an answer. Random, so that no file holds it by accident.
  const mark = randomBytes(16).toString("hex");
  const end = Buffer.from(`\n${mark}\n`);
  const child = spawn(command[0]!, command.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
  const waiting: Waiting[] = [];
  let pieces: Buffer[] = [];
  let over: Error | undefined;
  let complaint = "";
  let printed = 0;
  let hasAnswered = false;
  // Since when the answer that comes next is waited for.
  let since = 0;
  let timer: NodeJS.Timeout | undefined;

  const fail = (reason: string) => {
    if (over) return;
    over = new Error(`cannot look at ${name}: ${reason}`);
    clearTimeout(timer);
    // Asked politely, ssh ends its own helpers, too; whoever of them stays must not keep us waiting.
    child.kill("SIGTERM");
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
    for (const { reject } of waiting.splice(0)) reject(over);
  };
  const watch = () => {
    clearTimeout(timer);
    hold(child, 0 < waiting.length);
    if (0 < waiting.length)
      timer = setTimeout(() => fail(lastLine(complaint) ?? `no answer within ${patience} s`), patience * 1000).unref();
  };

  child.on("error", (error) =>
    fail("code" in error && error.code === "ENOENT" ? `there is no program \`${command[0]}\`` : sentenceOf(error)),
  );
  child.on("close", (code, signal) => {
    // A login that is closed says so where answers come from.
    const said = hasAnswered ? "" : Buffer.concat(pieces).toString("utf8").slice(-4000);
    fail(lastLine(complaint) ?? lastLine(said) ?? `\`${command[0]}\` ended with ${signal ?? `exit code ${code}`}`);
  });
  child.stdin.on("error", () => {}); // The end of the program says why.
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint = (complaint + text).slice(-4000)));
  child.stdout.on("data", (piece: Buffer) => {
    printed += piece.length;
    let rest = piece;
    while (0 < rest.length) {
      // The mark may lie across two pieces.
      const tail = pieces.at(-1);
      const overlap = tail ? Math.min(tail.length, end.length - 1) : 0;
      const seam = overlap === 0 ? rest : Buffer.concat([tail!.subarray(tail!.length - overlap), rest]);
      const at = seam.indexOf(end);
      if (at < 0) {
        // A short piece is joined with the one before it, so that the seam never spans more than two; a trickle of single bytes must not
        // be copied as a whole with each of them.
        if (tail && rest.length < end.length) pieces.splice(-1, 1, ...joined(tail, rest, end.length));
        else pieces.push(rest);
        break;
      }
      const whole = pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
      const before = whole.length - rest.length - overlap;
      const asker = waiting.shift();
      if (!asker) return fail("it answers what nobody asked");
      if (asker.most < before + at) return fail(hasAnswered ? talkative : endless);
      asker.resolve(whole.subarray(0, before + at));
      rest = whole.subarray(before + at + end.length);
      pieces = [];
      printed = rest.length;
      since = performance.now();
      hasAnswered = true;
    }
    if (Math.min(mostPrinted, (waiting[0]?.most ?? mostPrinted) + end.length) < printed) return fail(endless);
    const seconds = (performance.now() - since) / 1000;
    if (0 < waiting.length && mostSeconds(patience, printed) < seconds)
      return fail(`one answer takes more than ${Math.floor(seconds)} seconds`);
    // Whatever start-up files print is no answer.
    if (hasAnswered) watch();
  });
  child.stdin.write(`mark=${mark}\n${script}`);

  return {
    ask(line, most = mostPrinted) {
      if (over) return Promise.reject(over);
      return new Promise((resolve, reject) => {
        if (waiting.length === 0) since = performance.now();
        waiting.push({ most, resolve, reject });
        child.stdin.write(`{ ${line}; } </dev/null; printf '\\n%s\\n' "$mark"\n`);
        if (waiting.length === 1) watch();
      });
    },
    end() {
      child.stdin.end();
    },
  };
}

// So that neither a million small pieces are kept, nor a large one is copied with every byte.
function joined(tail: Buffer, rest: Buffer, least: number): Buffer[] {
  if (tail.length < 4096) return [Buffer.concat([tail, rest])];
  const cut = tail.length - least;
  return [tail.subarray(0, cut), Buffer.concat([tail.subarray(cut), rest])];
}

// Only while an answer is awaited may the other side keep this process from ending.
function hold(child: ChildProcess, isAwaited: boolean): void {
  for (const part of [child, child.stdin, child.stdout, child.stderr] as { ref?(): void; unref?(): void }[])
    if (isAwaited) part.ref?.();
    else part.unref?.();
}

// ssh says several things before it gives up; the last is why. Of a key that does not fit, the line before says how.
export function lastLine(text: string): string | undefined {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("Warning:") && !/^[@*]+$/.test(line));
  const isKey = lines.at(-1) === "Host key verification failed." && /host key .* strict checking/i.test(lines.at(-2) ?? "");
  const last = lines.at(isKey ? -2 : -1);
  return last === undefined ? undefined : shown(last);
}

/** A word as a shell reads it back. */
export const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** How ssh is called: it asks nobody anything, gives up in time, and packs what it carries. */
export const sshOptions = (patience: number): string[] => [
  "-T",
  ...["BatchMode=yes", `ConnectTimeout=${patience}`, "ServerAliveInterval=5", "Compression=yes"].flatMap((option) => ["-o", option]),
];
