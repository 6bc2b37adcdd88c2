/** Threads of several processes: two of them may have the same number in each, and are two threads all the same. */
export interface Threads {
  /** One number for a thread of a process. */
  number(process: number, thread: number): number;
}

/** More than any job has; what comes after them is one thread. */
const most = 1 << 20;

export function createThreads(begun?: (number: number, process: number, thread: number) => void): Threads {
  const known = new Map<number, Map<number, number>>();
  let count = 0;
  // Most events are of the thread of the one before.
  let [lastProcess, lastThread, lastNumber] = [Number.NaN, Number.NaN, 0];
  return {
    number(process, thread) {
      if (process === lastProcess && thread === lastThread) return lastNumber;
      let threads = known.get(process);
      if (!threads) {
        threads = new Map();
        known.set(process, threads);
      }
      let number = threads.get(thread);
      if (number === undefined) {
        number = Math.min((count += 1), most);
        if (count < most) threads.set(thread, number);
        begun?.(number, process, thread);
      }
      [lastProcess, lastThread, lastNumber] = [process, thread, number];
      return number;
    },
  };
}
