// Takes jobs from the database and does them, until told to end. Any number of processes do this on one database.
import { setTimeout as later } from "node:timers/promises";
import { joinTold } from "@culprit/core";
import { engine } from "../engine.ts";
import { joinLimits, readFacts } from "../store/facts.ts";
import { takeJob, type Job } from "../store/jobs.ts";
import type { Store } from "../store/sql.ts";
import { keepVerdict } from "../store/verdicts.ts";
import type { Judges } from "./pool.ts";

export interface Work {
  /** Something is there to do: do not sleep on. */
  wake: () => void;
  end: () => Promise<void>;
}

export function beginWork(
  store: Store,
  judges: Judges,
  told: (sentence: string) => void,
  settled: () => Promise<void> = async () => {},
): Work {
  const ending = new AbortController();
  let sleep = new AbortController();
  const pause = async (milliseconds: number) => {
    await later(milliseconds, undefined, { signal: sleep.signal }).catch(() => {});
    if (sleep.signal.aborted) sleep = new AbortController();
  };
  const one = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        const job = await takeJob(store);
        if (!job) await pause(1000);
        else {
          await doJob(store, judges, job);
          await settled();
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
    wake: () => sleep.abort(),
    end: async () => {
      ending.abort();
      sleep.abort();
      await Promise.all(loops);
    },
  };
}

export async function doJob(store: Store, judges: Judges, job: Job): Promise<void> {
  const told = await joinTold(job.stack, undefined, readFacts(store), joinLimits);
  await keepVerdict(store, job, await judges.judge(told, job.question), engine);
}
