// Nodes: what each of them said last, since when, and what it had before.
import { Unjoinable, type Manifest, type OwnFacts, type PushAnswer } from "@culprit/core";
import { Refusal } from "../refusal.ts";
import { hasStack, kindOfStack, lackingFacts, takingIn } from "./facts.ts";
import { enqueue } from "./jobs.ts";
import { bytesOf, digestOf, type Sql, type Store } from "./sql.ts";
import { lockStacks, settleSightings } from "./verdicts.ts";

export interface NodeRow {
  name: string;
  kind: string;
  group: string;
  stack: string;
  firstSeen: string;
  lastSeen: string;
  changed: string;
  /** `waiting` until it was judged. */
  status: string;
  errors: number;
  warnings: number;
}

interface Known {
  id: number;
  stack: Uint8Array;
  digest: Uint8Array;
  taken: Date;
  pool: string;
}

const known = async (sql: Sql, name: string, lock = ""): Promise<Known | undefined> =>
  sql.one<Known>(`select id, stack, digest, taken, pool from node where name = $1 ${lock}`, [name]);

const ahead = 10 * 60_000;
const earliest = Date.UTC(2006, 0);

function refuseOtherTimes(node: string, taken: string, last: Date | undefined): Date {
  const at = new Date(taken);
  // Before there were GPUs to program nothing was taken, and PostgreSQL's times begin later than JavaScript's.
  if (!(earliest <= at.getTime())) throw new Refusal(400, "`taken` is not a time");
  if (Date.now() + ahead < at.getTime()) throw new Refusal(400, `the clock of \`${node}\` is ahead of the server's: ${taken}`);
  if (last && at.getTime() < last.getTime())
    throw new Refusal(409, `of \`${node}\` something newer is known, of ${last.toISOString()}: this was taken at ${taken}`);
  return at;
}

/** The same digest as last time: it is still there, and nothing changed. */
export async function checkIn(store: Store, name: string, digest: string, taken: string): Promise<PushAnswer> {
  const node = await known(store, name);
  if (!node || digestOf(node.digest) !== digest) return { state: "unknown" };
  const at = refuseOtherTimes(name, taken, node.taken);
  // Two that come at once: the one that is behind changes nothing.
  await store.rows("update node set last_seen = now(), taken = $2 where id = $1 and taken < $2", [node.id, at]);
  return { state: "unchanged" };
}

/** Takes in what a node says, if all of its facts are there; else says which are lacking of those that it names. */
export async function takeIn(store: Store, name: string, manifest: Manifest, facts: string[]): Promise<PushAnswer> {
  const lacking = (await hasStack(store, manifest.stack)) ? [] : await lackingFacts(store, [...new Set([manifest.stack, ...facts])]);
  if (0 < lacking.length) return { state: "lacking", lacking };
  return store.tx(async (sql) => {
    await sql.rows(takingIn);
    // Where many bring the same stack, one adds it, and the others wait for that.
    if (!(await hasStack(sql, manifest.stack))) {
      await sql.rows("select pg_advisory_xact_lock(7478003, hashtext($1))", [manifest.stack]);
      if (!(await hasStack(sql, manifest.stack))) await addStack(sql, manifest.stack);
    }
    await lockStacks(sql, [manifest.stack], [name]);
    await settleNode(sql, name, manifest);
    return { state: "stored" };
  });
}

async function addStack(sql: Sql, stack: string): Promise<void> {
  let kind: string;
  try {
    kind = await kindOfStack(sql, stack);
  } catch (error) {
    if (error instanceof Unjoinable) throw new Refusal(400, `these facts are no snapshot: ${error.message}`);
    throw error;
  }
  await sql.rows("insert into stack (digest, kind) values ($1, $2) on conflict do nothing", [bytesOf(stack), kind]);
  await enqueue(sql, [stack], "");
}

async function settleNode(sql: Sql, name: string, { stack, digest, own, taken, group }: Manifest): Promise<void> {
  const before = await known(sql, name, "for update");
  const at = refuseOtherTimes(name, taken, before?.taken);
  // The answer to the same words got lost, and they are said again.
  if (before && before.taken.getTime() === at.getTime() && digestOf(before.digest) === digest) return;
  const values = [name, group, bytesOf(stack), bytesOf(digest), JSON.stringify(own), at];
  // One that came in between is waited for, and then changed like any that was there.
  const row = await sql.one<{ id: number; taken: Date }>(
    `insert into node (name, kind, pool, stack, digest, own, taken, first_seen, last_seen, changed)
     select $1, stack.kind, $2, $3, $4, $5::json, $6, now(), now(), now() from stack where digest = $3
     on conflict (name) do update set kind = excluded.kind, pool = excluded.pool, stack = excluded.stack, digest = excluded.digest,
       own = excluded.own, taken = excluded.taken, last_seen = now(),
       changed = case when node.stack = excluded.stack and node.pool = excluded.pool then node.changed else now() end
     where node.taken < excluded.taken
     returning id, taken`,
    values,
  );
  if (!row) throw new Refusal(409, `of \`${name}\` something newer is known: this was taken at ${taken}`);
  await noteChanges(sql, [{ id: row.id, stack, group }]);
  await settleSightings(sql, { nodes: [row.id] });
}

/** A change is one where it is not what was written down last: whoever says the same at the same time does not count twice. */
const noteChanges = async (sql: Sql, changed: { id: number; stack: string; group: string }[]): Promise<unknown> =>
  sql.rows(
    `insert into change (node, stack, pool, at) select t.*, statement_timestamp() from unnest($1::bigint[], $2::bytea[], $3::text[]) t(node, stack, pool)
     where not exists (select 1 from (select c.stack, c.pool from change c where c.node = t.node order by c.at desc limit 1) last
       where last.stack = t.stack and last.pool = t.pool)`,
    [changed.map(({ id }) => id), changed.map(({ stack }) => bytesOf(stack)), changed.map(({ group }) => group)],
  );

// ── many at once ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What one of many says: its digest and the time, and all but its facts where the server does not know the digest. */
export interface Said {
  name: string;
  digest: string;
  taken: string;
  whole?: Manifest;
}

export type SaidAnswer = PushAnswer | { state: "refused"; problem: string };

/** The same as `checkIn` and `takeIn`, for many nodes in a few statements; each is answered for itself. */
export async function takeInMany(store: Store, said: Said[]): Promise<Map<string, SaidAnswer>> {
  return store.tx(async (sql) => {
    await sql.rows(takingIn);
    const answers = new Map<string, SaidAnswer>();
    // In one order, so that two who say the same names do not wait for each other.
    const names = said.map(({ name }) => name).sort();
    const whole = said.flatMap((each) => (each.whole ? [{ name: each.name, stack: each.whole.stack }] : []));
    if (0 < whole.length)
      await lockStacks(
        sql,
        whole.map(({ stack }) => stack),
        whole.map(({ name }) => name),
      );
    const rows = await sql.rows<Known & { name: string }>(
      "select name, id, stack, digest, taken, pool from node where name = any($1::text[]) order by name for update",
      [names],
    );
    const known = new Map(rows.map((row) => [row.name, row]));
    const there = await stacksAmong(sql, [...new Set(said.flatMap(({ whole }) => whole?.stack ?? []))]);
    const seen: Said[] = [];
    const fresh: (Said & { whole: Manifest })[] = [];
    for (const each of said) {
      const answer = answerTo(each, known.get(each.name), there);
      answers.set(each.name, answer);
      if (answer.state === "unchanged") seen.push(each);
      if (answer.state === "stored") fresh.push(each as Said & { whole: Manifest });
    }
    if (0 < seen.length) await markSeen(sql, seen);
    if (0 < fresh.length) await settleNodes(sql, fresh);
    return answers;
  });
}

const stacksAmong = async (sql: Sql, stacks: string[]): Promise<Set<string>> =>
  new Set(
    (await sql.rows<{ digest: Uint8Array }>("select digest from stack where digest = any($1::bytea[])", [stacks.map(bytesOf)])).map((row) =>
      digestOf(row.digest),
    ),
  );

function answerTo({ name, digest, taken, whole }: Said, before: Known | undefined, stacks: Set<string>): SaidAnswer {
  try {
    refuseOtherTimes(name, taken, before?.taken);
  } catch (error) {
    if (error instanceof Refusal) return { state: "refused", problem: error.message };
    throw error;
  }
  if (before && digestOf(before.digest) === digest) return { state: "unchanged" };
  if (!whole) return { state: "unknown" };
  if (before && before.taken.getTime() === new Date(taken).getTime())
    return { state: "refused", problem: `of \`${name}\` something else of the same time is known` };
  // Whoever is the first of its kind brings its facts by itself.
  return stacks.has(whole.stack) ? { state: "stored" } : { state: "lacking", lacking: [whole.stack] };
}

const markSeen = async (sql: Sql, seen: Said[]): Promise<unknown> =>
  sql.rows(
    `update node set last_seen = now(), taken = t.taken from unnest($1::text[], $2::timestamptz[]) t(name, taken)
     where node.name = t.name and node.taken < t.taken`,
    [seen.map(({ name }) => name), seen.map(({ taken }) => taken)],
  );

async function settleNodes(sql: Sql, fresh: (Said & { whole: Manifest })[]): Promise<void> {
  const values = [
    fresh.map(({ name }) => name),
    fresh.map(({ whole }) => whole.group),
    fresh.map(({ whole }) => bytesOf(whole.stack)),
    fresh.map(({ digest }) => bytesOf(digest)),
    fresh.map(({ whole }) => JSON.stringify(whole.own)),
    fresh.map(({ taken }) => taken),
  ];
  const rows = await sql.rows<{ id: number; name: string }>(
    `insert into node (name, kind, pool, stack, digest, own, taken, first_seen, last_seen, changed)
     select t.name, stack.kind, t.pool, t.stack, t.digest, t.own::json, t.taken, now(), now(), now()
     from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[], $5::text[], $6::timestamptz[]) t(name, pool, stack, digest, own, taken)
     join stack on stack.digest = t.stack order by t.name
     on conflict (name) do update set kind = excluded.kind, pool = excluded.pool, stack = excluded.stack, digest = excluded.digest,
       own = excluded.own, taken = excluded.taken, last_seen = now(),
       changed = case when node.stack = excluded.stack and node.pool = excluded.pool then node.changed else now() end
     where node.taken < excluded.taken
     returning id, name`,
    values,
  );
  const said = new Map(fresh.map((each) => [each.name, each.whole]));
  await noteChanges(
    sql,
    rows.map(({ id, name }) => ({ id, stack: said.get(name)!.stack, group: said.get(name)!.group })),
  );
  await settleSightings(sql, { nodes: rows.map(({ id }) => id) });
}

/** As JSON has it: thousands of times need not become dates first. */
const written = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const columns = `node.name, node.kind, node.pool as "group", encode(node.stack, 'hex') as stack, ${written("node.first_seen")} as "firstSeen",
  ${written("node.last_seen")} as "lastSeen", ${written("node.changed")} as changed, coalesce(verdict.status, 'waiting') as status,
  coalesce(found.errors, 0) as errors, coalesce(found.warnings, 0) as warnings`;
// Counted once for a stack, however many nodes have it.
const found = `(select stack, count(*) filter (where severity = 'error') as errors, count(*) filter (where severity = 'warning') as warnings
  from finding where question = '' group by stack) found`;

export async function listNodes(sql: Sql, { group, name }: { group?: string; name?: string } = {}): Promise<NodeRow[]> {
  return sql.rows<NodeRow>(
    `select ${columns} from node left join verdict on verdict.stack = node.stack and verdict.question = ''
     left join ${found} on found.stack = node.stack
     where ($1::text is null or node.pool = $1) and ($2::text is null or node.name = $2) order by node.name`,
    [group ?? null, name ?? null],
  );
}

export const ownFacts = async (sql: Sql, name: string): Promise<{ stack: string; own: OwnFacts } | undefined> =>
  sql.one<{ stack: string; own: OwnFacts }>("select encode(stack, 'hex') as stack, own from node where name = $1", [name]);

export const removeNode = async (sql: Sql, name: string): Promise<boolean> =>
  (await sql.one("delete from node where name = $1 returning 1 as yes", [name])) !== undefined;
