// What is to be judged. A job is a row: who takes it has it for a while, and if he dies, another takes it after that.
import { bytesOf, digestOf, type Sql, type Store } from "./sql.ts";

export interface Job {
  stack: string;
  question: string;
  /** How often it was taken, this time included. Who took it may have been killed for reasons of its own. */
  tries: number;
}

const heldFor = "2 minutes";

export async function enqueue(sql: Sql, stacks: string[], question: string): Promise<void> {
  await sql.rows("insert into job (stack, question) select s, $2 from unnest($1::bytea[]) s on conflict (stack, question) do nothing", [
    stacks.map(bytesOf),
    question,
  ]);
}

/** The next that nobody has: what people wait for first, and last what has failed several times. */
export async function takeJob(store: Store): Promise<Job | undefined> {
  const row = await store.one<{ stack: Uint8Array; question: string; tries: number }>(
    `update job set until = now() + interval '${heldFor}', tries = tries + 1 where (stack, question) = (
       select stack, question from job where until is null or until < now()
       order by tries > 3, question = '', at limit 1 for update skip locked)
     returning stack, question, tries`,
  );
  return row && { ...row, stack: digestOf(row.stack) };
}

/** Who has an embedded database is its only process: what was held by the one before it waits for nobody. */
export const freeJobs = async (sql: Sql): Promise<unknown> => sql.rows("update job set until = null where until is not null");

export const dropJob = async (sql: Sql, { stack, question }: Pick<Job, "stack" | "question">): Promise<void> =>
  void (await sql.rows("delete from job where stack = $1 and question = $2", [bytesOf(stack), question]));

export const openJobs = async (sql: Sql): Promise<number> =>
  (await sql.one<{ amount: number }>("select count(*) as amount from job"))!.amount;

/** Judged by another release, or with other knowledge: it is judged again, and what was only supposed is forgotten. */
export async function judgeAgain(store: Store, engine: string): Promise<void> {
  await store.tx(async (sql) => {
    await sql.rows("delete from verdict where engine <> $1 and question <> ''", [engine]);
    await sql.rows(
      `insert into job (stack, question) select stack, '' from verdict where engine <> $1 and question = '' on conflict do nothing`,
      [engine],
    );
  });
}
