import { spawn, type ChildProcess } from "node:child_process";
import process from "node:process";

// A machine with thousands of copies has an answer of megabytes; more than this is no answer.
const mostBytes = 256 << 20;

export type Ended = { answer: unknown } | { problem: string };

const running = new Set<ChildProcess>();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/**
 * Asks the command itself, in a process of its own: what an agent is told is what a terminal is told, a question can be cancelled while it
 * is worked on, and whatever happens to it, the server goes on.
 */
export async function ask(words: string[], input: string | undefined, signal: AbortSignal): Promise<Ended> {
  const own = process.versions["bun"] === undefined ? [process.argv[1]!] : [];
  const env = { ...process.env, NO_COLOR: "1" };
  const child = spawn(process.execPath, [...own, ...words], { stdio: ["pipe", "pipe", "pipe"], env });
  running.add(child);
  const stop = () => child.kill("SIGKILL");
  signal.addEventListener("abort", stop);
  const [output, errors] = [kept(), kept()];
  child.stdout.on("data", (piece: Buffer) => output.add(piece, stop));
  child.stderr.on("data", (piece: Buffer) => errors.add(piece, stop));
  // Whoever does not read all of it has its reasons.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input ?? "");
  const code = await new Promise<number | null>((resolve) => {
    child.on("error", () => resolve(null));
    child.on("close", (status) => resolve(status));
  });
  running.delete(child);
  signal.removeEventListener("abort", stop);
  if (signal.aborted) return { problem: "it was cancelled" };
  if (code === 0 || code === 1) {
    try {
      return { answer: JSON.parse(output.text()) as unknown };
    } catch {
      // Said below.
    }
  }
  const sentence = errors
    .text()
    .split("\n")
    .find((line) => line.startsWith("culprit: ") && !line.startsWith("culprit: note: "));
  return {
    problem:
      sentence?.slice("culprit: ".length) ?? `culprit ended without an answer (${code === null ? "it was killed" : `exit code ${code}`})`,
  };
}

function kept() {
  const pieces: Buffer[] = [];
  let length = 0;
  return {
    add: (piece: Buffer, stop: () => void) => {
      length += piece.length;
      if (mostBytes < length) stop();
      else pieces.push(piece);
    },
    text: () => Buffer.concat(pieces).toString("utf8"),
  };
}
