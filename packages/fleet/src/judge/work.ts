// Takes jobs from the database and does them, until told to end. Any number of processes do this on one database.
import { joinTold } from "@culprit/core";
import { engine } from "../engine.ts";
import { joinLimits, readFactsOfOne } from "../store/facts.ts";
import { takeJob, type Job } from "../store/jobs.ts";
import type { Store } from "../store/sql.ts";
import { keepVerdict } from "../store/verdicts.ts";
import type { Judges } from "./pool.ts";

export interface Work {
  /** Something is there to do: do not sleep on. */
  wake: () => void;
  end: () => Promise<void>;
}

/** When something else may be done. */
interface Occasions {
  /** A stack was judged. */
  settled?: () => Promise<void>;
  /** All of them are, after some were not. */
  idle?: () => Promise<void>;
}

export function beginWork(store: Store, judges: Judges, told: (sentence: string) => void, { settled, idle }: Occasions = {}): Work {
  const ending = new AbortController();
  // Whoever sleeps is woken by name: a signal that a hundred threads listen to is taken for a leak.
  const sleepers = new Set<() => void>();
  const wake = (): void => {
    for (const rise of sleepers) rise();
  };
  const pause = async (milliseconds: number) =>
    new Promise<void>((risen) => {
      const rise = () => {
        clearTimeout(timer);
        sleepers.delete(rise);
        risen();
      };
      const timer = setTimeout(rise, ending.signal.aborted ? 0 : milliseconds);
      sleepers.add(rise);
    });
  // What was there before this process is not known to have been looked at.
  let isFresh = true;
  const rest = async () => {
    if (isFresh && idle) {
      isFresh = false;
      await idle();
    }
    await pause(1000);
  };
  const one = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        const job = await takeJob(store);
        if (!job) await rest();
        else {
          await doJob(store, judges, job);
          isFresh = true;
          await settled?.();
        }
      } catch (error) {
        // The database is away, or a job failed: it will be there again, for us or for another.
        if (!ending.signal.aborted) told(`a job failed: ${error instanceof Error ? error.message : String(error)}`);
        await pause(2000);
      }
    }
  };
  const loops = Array.from({ length: judges.size }, one);
  return {
    wake,
    end: async () => {
      ending.abort();
      wake();
      await Promise.all(loops);
    },
  };
}

/** Servers are killed and databases go away: only what nobody ever came to an end with is given up, and then it is said. */
const mostTries = 20;

export async function doJob(store: Store, judges: Judges, job: Job): Promise<void> {
  if (mostTries < job.tries) {
    const problem = `it could not be judged: ${mostTries} times whoever tried it ended before it was done`;
    return keepVerdict(store, job, { problem }, engine);
  }
  const told = await joinTold(job.stack, undefined, readFactsOfOne(store), joinLimits);
  await keepVerdict(store, job, await judges.judge(told, job.question), engine);
}
