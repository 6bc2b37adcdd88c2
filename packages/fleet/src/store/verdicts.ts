// What is wrong with a stack, what is installed in it, and since when a node has what its stack has.
import type { Judged } from "../judge/judge.ts";
import { numbersOf } from "../versions.ts";
import { dropJob, type Job } from "./jobs.ts";
import { bytesOf, type Sql, type Store } from "./sql.ts";

// Findings of a node follow from its stack and from the verdict on that. Who writes the one does not see the other before it is committed, so
// they exclude each other, stack by stack; a few buckets are enough, and never more locks than the database has.
const bucketOf = (stack: string): string => `get_byte(${stack}, 0) & 63`;

/** Before nodes come to stacks: those that they come from count, too. First in a transaction, so that nobody waits in a circle. */
export const lockStacks = async (sql: Sql, stacks: string[], names: string[]): Promise<unknown> =>
  sql.rows(
    `select pg_advisory_xact_lock_shared(7478004, bucket) from (select distinct ${bucketOf("stack")} as bucket from (
       select unnest($1::bytea[]) as stack union all select stack from node where name = any($2::text[])) each order by 1) sorted`,
    [stacks.map(bytesOf), names],
  );

/** Keeps a verdict, with what is installed where the stack was judged as it is; the job is done then, in the same moment. */
export async function keepVerdict(store: Store, job: Job, judged: Judged, engine: string): Promise<void> {
  await store.tx(async (sql) => {
    const key = [bytesOf(job.stack), job.question];
    if (job.question === "") await sql.rows(`select pg_advisory_xact_lock(7478004, ${bucketOf("$1::bytea")})`, [key[0]]);
    // A stack that was removed meanwhile needs no verdict.
    if (!(await sql.one("select 1 as yes from stack where digest = $1 for key share", [key[0]]))) return;
    const [before] = await sql.rows<{ status: string }>("delete from verdict where stack = $1 and question = $2 returning status", key);
    await sql.rows(
      "insert into verdict (stack, question, engine, status, problem, answer, done) values ($1, $2, $3, $4, $5, $6::json, $7::json)",
      [
        ...key,
        engine,
        judged.check?.status ?? "damaged",
        judged.problem ?? null,
        json(judged.check ?? {}),
        judged.done ? json({ done: judged.done.slice(0, 1000) }) : null,
      ],
    );
    const findings = judged.check?.findings ?? [];
    await sql.rows(
      `insert into finding (stack, question, place, rule, subject, severity, certainty, message)
       select $1, $2, t.* from unnest($3::integer[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) t`,
      [
        ...key,
        findings.map((_, index) => index),
        ...(["rule", "subject", "severity", "certainty", "message"] as const).map((name) => findings.map((each) => plain(each[name]))),
      ],
    );
    if (job.question === "") {
      await keepInventory(sql, job.stack, judged);
      await settleSightings(sql, { stack: job.stack, isAgain: before !== undefined && before.status !== "damaged" });
    }
    await dropJob(sql, job);
  });
}

// The one character that no text of PostgreSQL may have.
const plain = (text: string): string => text.replaceAll("\0", "\uFFFD");
const json = (value: unknown): string => JSON.stringify(value).replaceAll(String.raw`\u0000`, String.raw`\ufffd`);

async function keepInventory(sql: Sql, stack: string, { installed }: Judged): Promise<void> {
  const key = bytesOf(stack);
  for (const table of ["copy", "package", "gpu"]) await sql.rows(`delete from ${table} where stack = $1`, [key]);
  if (!installed) return;
  const { driver, gpus, copies, packages } = installed;
  await sql.rows("update stack set driver = $2, driver_numbers = $3::integer[] where digest = $1", [
    key,
    driver ?? null,
    numbersOf(driver),
  ]);
  await sql.rows(
    `insert into gpu (stack, name, architecture, amount) select $1, t.* from unnest($2::text[], $3::text[], $4::integer[]) t`,
    [key, gpus.map(({ name }) => plain(name)), gpus.map(({ architecture }) => architecture ?? null), gpus.map(({ amount }) => amount)],
  );
  // Lists of lists are of one length in PostgreSQL: numbers go as texts.
  await sql.rows(
    `insert into copy (stack, library, version, file, numbers) select $1, l, v, f, n::integer[] from unnest($2::text[], $3::text[], $4::text[], $5::text[]) t(l, v, f, n)`,
    [
      key,
      copies.map(({ library }) => library),
      copies.map(({ version }) => (version === undefined ? null : plain(version))),
      copies.map(({ file }) => plain(file)),
      copies.map(({ version }) => arrayText(version)),
    ],
  );
  await sql.rows(
    `insert into package (stack, environment, name, version, numbers) select $1, e, m, v, n::integer[] from unnest($2::text[], $3::text[], $4::text[], $5::text[]) t(e, m, v, n)`,
    [
      key,
      packages.map(({ environment }) => plain(environment)),
      packages.map(({ name }) => plain(name)),
      packages.map(({ version }) => plain(version)),
      packages.map(({ version }) => arrayText(version)),
    ],
  );
}

function arrayText(version: string | undefined): string | null {
  const numbers = numbersOf(version);
  return numbers === null ? null : `{${numbers.join(",")}}`;
}

/**
 * Findings of nodes follow from the verdicts on their stacks: what is new is seen from now on, what is not there any more is gone. Where a
 * stack was not judged yet, nothing is known, and nothing changes. Notes have no history. Times are of the statement: who had to wait for
 * another began before him, and comes after. What a stack that was judged before has now that it is judged again was learnt since then.
 */
export async function settleSightings(sql: Sql, of: { nodes: number[] } | { stack: string; isAgain: boolean }): Promise<void> {
  const [which, value] = "nodes" in of ? ["node.id = any($1::bigint[])", of.nodes] : ["node.stack = $1", bytesOf(of.stack)];
  const judged = `node join verdict on verdict.stack = node.stack and verdict.question = '' and verdict.status <> 'damaged' where ${which}`;
  await sql.rows(
    `update sighting set gone = statement_timestamp() where gone is null and node in (select node.id from ${judged})
       and not exists (select 1 from finding f join node on node.stack = f.stack where node.id = sighting.node and f.question = ''
         and f.severity <> 'info' and f.rule = sighting.rule and f.subject = sighting.subject)`,
    [value],
  );
  await sql.rows(
    `insert into sighting (node, rule, subject, severity, message, first_seen, learnt)
     select distinct on (node.id, f.rule, f.subject) node.id, f.rule, f.subject, f.severity, f.message, statement_timestamp(), $2::boolean
     from finding f join node on node.stack = f.stack where ${which} and f.question = '' and f.severity <> 'info'
     order by node.id, f.rule, f.subject, f.place
     on conflict (node, rule, subject) where gone is null do update set severity = excluded.severity, message = excluded.message`,
    [value, "isAgain" in of && of.isAgain],
  );
}
