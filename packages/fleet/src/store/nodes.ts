// Nodes: what each of them said last, since when, and what it had before.
import { Unjoinable, type Manifest, type OwnFacts, type PushAnswer } from "@culprit/core";
import { Refusal } from "../refusal.ts";
import { hasStack, kindOfStack, lackingFacts, takingIn } from "./facts.ts";
import { enqueue } from "./jobs.ts";
import { bytesOf, digestOf, type Sql, type Store } from "./sql.ts";
import { settleSightings } from "./verdicts.ts";

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

function refuseOtherTimes(node: string, taken: string, last: Date | undefined): Date {
  const at = new Date(taken);
  if (Number.isNaN(at.getTime())) throw new Refusal(400, "`taken` is not a time");
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
  if (!before || digestOf(before.stack) !== stack || before.pool !== group)
    await sql.rows("insert into change (node, stack, pool, at) values ($1, $2, $3, now())", [row.id, bytesOf(stack), group]);
  await settleSightings(sql, { node: row.id });
}

const columns = `node.name, node.kind, node.pool as "group", encode(node.stack, 'hex') as stack, node.first_seen as "firstSeen",
  node.last_seen as "lastSeen", node.changed, coalesce(verdict.status, 'waiting') as status,
  (select count(*) from finding f where f.stack = node.stack and f.question = '' and f.severity = 'error') as errors,
  (select count(*) from finding f where f.stack = node.stack and f.question = '' and f.severity = 'warning') as warnings`;

export async function listNodes(sql: Sql, { group, name }: { group?: string; name?: string } = {}): Promise<NodeRow[]> {
  return sql.rows<NodeRow>(
    `select ${columns} from node left join verdict on verdict.stack = node.stack and verdict.question = ''
     where ($1::text is null or node.pool = $1) and ($2::text is null or node.name = $2) order by node.name`,
    [group ?? null, name ?? null],
  );
}

export const ownFacts = async (sql: Sql, name: string): Promise<{ stack: string; own: OwnFacts } | undefined> =>
  sql.one<{ stack: string; own: OwnFacts }>("select encode(stack, 'hex') as stack, own from node where name = $1", [name]);

export const removeNode = async (sql: Sql, name: string): Promise<boolean> =>
  (await sql.one("delete from node where name = $1 returning 1 as yes", [name])) !== undefined;
