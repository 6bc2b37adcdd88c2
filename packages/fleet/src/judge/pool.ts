// Judging takes a tenth of a second of a processor: threads do it, so that the server goes on answering.
import { Worker } from "node:worker_threads";
import type { Told } from "@culprit/core";
import { judgeText, textOf, type Judged } from "./judge.ts";

export interface Judges {
  /** How many may judge at the same time. */
  size: number;
  judge: (told: Told, question: string) => Promise<Judged>;
  end: () => Promise<void>;
}

/** In this thread, one after the other: for tests, and where there are no files of a build. */
export const inThisThread = (): Judges => ({
  size: 1,
  judge: async (told, question) => judgeText(textOf(told), question),
  end: async () => {},
});

interface Seat {
  worker: Worker;
  waiting: { done: (judged: Judged) => void; timer: NodeJS.Timeout } | undefined;
}

/** The slowest that was ever seen took two seconds. */
const patience = 60_000;

export function inThreads(size: number, file: URL): Judges {
  const seats: Seat[] = [];
  const queue: ((seat: Seat) => void)[] = [];
  let ended = false;
  const free = (seat: Seat): void => {
    const next = queue.shift();
    if (next) next(seat);
    else idle.push(seat);
  };
  const idle: Seat[] = [];
  const finish = (seat: Seat, judged: Judged): void => {
    const { waiting } = seat;
    seat.waiting = undefined;
    if (!waiting) return;
    clearTimeout(waiting.timer);
    waiting.done(judged);
  };
  const sit = (): void => {
    const seat: Seat = { worker: new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: 2048 } }), waiting: undefined };
    seat.worker.unref();
    seat.worker.on("message", (judged: Judged) => {
      finish(seat, judged);
      free(seat);
    });
    // What kills a thread must not kill the server, nor be tried for ever.
    seat.worker.on("error", (error) => finish(seat, { problem: `it could not be judged: ${error.message}` }));
    seat.worker.on("exit", () => {
      finish(seat, { problem: "it could not be judged: it took too long" });
      seats.splice(seats.indexOf(seat), 1);
      if (idle.includes(seat)) idle.splice(idle.indexOf(seat), 1);
      if (!ended) sit();
    });
    seats.push(seat);
    free(seat);
  };
  for (let each = 0; each < size; each++) sit();
  return {
    size,
    judge: async (told, question) => {
      const seat = idle.shift() ?? (await new Promise<Seat>((taken) => queue.push(taken)));
      return new Promise((done) => {
        seat.waiting = { done, timer: setTimeout(() => void seat.worker.terminate(), patience) };
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, not a window
        seat.worker.postMessage({ text: textOf(told), question });
      });
    },
    end: async () => {
      ended = true;
      await Promise.all(seats.map(async ({ worker }) => worker.terminate()));
    },
  };
}
