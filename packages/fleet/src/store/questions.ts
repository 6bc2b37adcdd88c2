// What people ask of a fleet, each in one SQL statement over what is normalised.
import type { Bound } from "../versions.ts";
import { bytesOf, type Sql } from "./sql.ts";

export interface GroupedFinding {
  rule: string;
  subject: string;
  severity: string;
  certainty: string;
  message: string;
  /** On how many different stacks. */
  stacks: number;
  nodes: string[];
  since: Date;
}

/** Every finding once, with its nodes; worst and most frequent first. */
export const listFindings = async (sql: Sql, { group, all = false }: { group?: string; all?: boolean } = {}): Promise<GroupedFinding[]> =>
  sql.rows<GroupedFinding>(
    `select f.rule, f.subject, f.severity, f.certainty, f.message, count(distinct f.stack) as stacks, array_agg(distinct node.name) as nodes,
       min(coalesce(sighting.first_seen, node.changed)) as since
     from finding f join node on node.stack = f.stack
     left join sighting on sighting.node = node.id and sighting.rule = f.rule and sighting.subject = f.subject and sighting.gone is null
     where f.question = '' and ($1::text is null or node.pool = $1) and ($2 or f.severity <> 'info')
     group by f.rule, f.subject, f.severity, f.certainty, f.message
     order by array_position(array['error', 'warning', 'info'], f.severity), count(distinct node.id) desc, f.rule, f.subject`,
    [group ?? null, all],
  );

export interface FoundVersion {
  name: string;
  version: string | null;
  /** Files of copies, environments of packages; empty for a driver. */
  places: string[];
  nodes: string[];
}

const comparisons: { [comparison in Bound["comparison"]]: string } = { "<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>" };

/** Which nodes have a library, a package or a driver of such a version. Versions are compared as far as the one that is named goes. */
export async function withVersion(sql: Sql, bound: Bound, group?: string): Promise<FoundVersion[]> {
  const compared = (numbers: string) =>
    // 9.1 names all of 9.1.x: it is neither below nor above itself.
    `${numbers}[1:${bound.numbers.length}] ${comparisons[bound.comparison]} $2::integer[]`;
  const name = bound.name.toLowerCase();
  if (name === "driver")
    return sql.rows<FoundVersion>(
      `select 'driver' as name, stack.driver as version, array[]::text[] as places, array_agg(node.name order by node.name) as nodes
       from stack join node on node.stack = stack.digest
       where $1 = 'driver' and ${compared("stack.driver_numbers")} and ($3::text is null or node.pool = $3) group by stack.driver order by stack.driver`,
      [name, bound.numbers, group ?? null],
    );
  return sql.rows<FoundVersion>(
    `select t.name, t.version, array_agg(distinct t.place) as places, array_agg(distinct node.name) as nodes from (
       select stack, library as name, version, numbers, file as place from copy where library = $1
       union all select stack, name, version, numbers, environment from package where lower(replace(replace(name, '_', '-'), '.', '-')) = replace(replace($1, '_', '-'), '.', '-')
     ) t join node on node.stack = t.stack
     where ${compared("t.numbers")} and ($3::text is null or node.pool = $3)
     group by t.name, t.version, t.numbers order by t.name, t.numbers`,
    [name, bound.numbers, group ?? null],
  );
}

/** Whether anything of that name is known at all: an empty answer about a misspelt name would be taken for a good one. */
export async function isKnownName(sql: Sql, name: string): Promise<boolean> {
  const found = await sql.one(
    `select 1 as yes where $1 = 'driver' or exists (select 1 from copy where library = $1)
       or exists (select 1 from package where lower(replace(replace(name, '_', '-'), '.', '-')) = replace(replace($1, '_', '-'), '.', '-'))`,
    [name.toLowerCase()],
  );
  return found !== undefined;
}

export const isKnownGroup = async (sql: Sql, group: string): Promise<boolean> =>
  (await sql.one("select 1 as yes from node where pool = $1 limit 1", [group])) !== undefined;

/** Of these words those that are groups of machines. */
export const groupsAmong = async (sql: Sql, words: string[]): Promise<string[]> =>
  (
    await sql.rows<{ pool: string }>(
      "select distinct pool from node where pool = any($1::text[]) and kind in ('machine', 'host', 'root') order by pool",
      [words],
    )
  ).map(({ pool }) => pool);

export const groupsWithGpus = async (sql: Sql): Promise<string[]> =>
  (
    await sql.rows<{ pool: string }>(
      "select distinct pool from node join gpu on gpu.stack = node.stack where kind in ('machine', 'host', 'root') order by pool",
    )
  ).map(({ pool }) => pool);

/** The stack of the image that was pushed under one of these names, last if several were. */
export const imageNamed = async (sql: Sql, names: string[]): Promise<string | undefined> =>
  (
    await sql.one<{ stack: string }>(
      "select encode(stack, 'hex') as stack from node where name = any($1::text[]) and kind = 'image' order by taken desc limit 1",
      [names],
    )
  )?.stack;

/** Who has a copy of a library whose version nobody could read, or is a machine whose driver is not known: they are neither below nor above. */
export const withoutVersion = async (sql: Sql, library: string, group?: string): Promise<string[]> =>
  (
    await sql.rows<{ name: string }>(
      `select distinct node.name from node join stack on stack.digest = node.stack left join copy on copy.stack = node.stack and copy.library = $1
       where ($2::text is null or node.pool = $2) and case when $1 = 'driver'
         then node.kind in ('machine', 'host', 'root') and stack.driver_numbers is null
         else copy.library is not null and copy.numbers is null end order by 1`,
      [library.toLowerCase(), group ?? null],
    )
  ).map(({ name }) => name);

export interface Regression {
  node: string;
  group: string;
  rule: string;
  subject: string;
  severity: string;
  message: string;
  since: Date;
}

/** Findings that came after a node was there: what was wrong from the start is no regression, nor what only a newer release knows to be wrong. */
export const regressions = async (sql: Sql, since: Date, group?: string): Promise<Regression[]> =>
  sql.rows<Regression>(
    `select node.name as node, node.pool as "group", s.rule, s.subject, s.severity, s.message, s.first_seen as since
     from sighting s join node on node.id = s.node
     where s.first_seen >= $1 and s.gone is null and not s.learnt and ($2::text is null or node.pool = $2)
       and exists (select 1 from change where change.node = node.id and change.at < s.first_seen
         and change.stack <> (select c.stack from change c where c.node = node.id and c.at <= s.first_seen order by c.at desc limit 1))
     order by array_position(array['error', 'warning', 'info'], s.severity), s.first_seen desc, node.name, s.rule, s.subject`,
    [since, group ?? null],
  );

export interface Changed {
  node: string;
  at: Date;
  stack: string;
  before: string | null;
}

/** What a node had, from when on; newest first. */
export const historyOf = async (sql: Sql, name: string): Promise<Changed[]> =>
  sql.rows<Changed>(
    `select node.name as node, change.at, encode(change.stack, 'hex') as stack,
       encode(lag(change.stack) over (partition by node.id order by change.at), 'hex') as before
     from change join node on node.id = change.node where node.name = $1 order by change.at desc limit 100`,
    [name],
  );

export interface SightingRow {
  rule: string;
  subject: string;
  severity: string;
  message: string;
  firstSeen: Date;
  gone: Date | null;
}

export const sightingsOf = async (sql: Sql, name: string): Promise<SightingRow[]> =>
  sql.rows<SightingRow>(
    `select s.rule, s.subject, s.severity, s.message, s.first_seen as "firstSeen", s.gone from sighting s join node on node.id = s.node
     where node.name = $1 order by s.gone desc nulls first, s.first_seen desc limit 500`,
    [name],
  );

export interface Outlier {
  node: string;
  group: string;
  stack: string;
  /** The stack that most of the group have, and how many. */
  usual: string;
  has: number;
  of: number;
}

/** Nodes whose stack is not the one that most of their group have; where no two are alike, there is none. Images and files have no group to be like. */
export const outliers = async (sql: Sql, group?: string): Promise<Outlier[]> =>
  sql.rows<Outlier>(
    `with shared as (
       select pool, stack, count(*) as amount, sum(count(*)) over (partition by pool)::bigint as whole,
         row_number() over (partition by pool order by count(*) desc, min(first_seen)) as place
       from node where kind in ('machine', 'host', 'root') group by pool, stack)
     select node.name as node, node.pool as "group", encode(node.stack, 'hex') as stack, encode(shared.stack, 'hex') as usual,
       shared.amount as has, shared.whole as of
     from node join shared on shared.pool = node.pool and shared.place = 1 and shared.amount > 1
     where node.kind in ('machine', 'host', 'root') and node.stack <> shared.stack and ($1::text is null or node.pool = $1) order by node.pool, node.name`,
    [group ?? null],
  );

/** How many machines a group has, and how many stacks: where each has its own, there is nothing that most have. */
export interface Likeness {
  group: string;
  machines: number;
  stacks: number;
}

export const likenesses = async (sql: Sql, group?: string): Promise<Likeness[]> =>
  sql.rows<Likeness>(
    `select pool as "group", count(*) as machines, count(distinct stack) as stacks from node
     where kind in ('machine', 'host', 'root') and ($1::text is null or pool = $1) group by pool order by pool`,
    [group ?? null],
  );

export interface ContentDifference {
  what: string;
  usual: string;
  here: string;
}

/** Driver, GPUs, libraries and packages that are not the same in two stacks, for many pairs in one statement. */
export async function differencesBetween(sql: Sql, pairs: [usual: string, here: string][]): Promise<ContentDifference[][]> {
  const rows = await sql.rows<ContentDifference & { pair: number }>(
    `with named as (select distinct unnest($1::bytea[] || $2::bytea[]) as stack),
     -- Sums do not care for the order, so nothing is sorted to see that most stacks of a group have the same installed.
     sum as (
       select stack, (select driver from stack where digest = named.stack) as driver,
         (select sum(hashtextextended(name || ' ' || amount, 0)::numeric) from gpu where gpu.stack = named.stack) as gpus,
         (select sum(hashtextextended(library || ' ' || coalesce(version, ''), 0)::numeric) from copy where copy.stack = named.stack) as copies,
         (select sum(hashtextextended(environment || ' ' || name || ' ' || version, 0)::numeric) from package where package.stack = named.stack) as packages
       from named),
     unlike as (
       select pair, a, b from unnest($1::bytea[], $2::bytea[]) with ordinality t(a, b, pair)
       join sum one on one.stack = a join sum other on other.stack = b
       where (one.driver, one.gpus, one.copies, one.packages) is distinct from (other.driver, other.gpus, other.copies, other.packages)),
     side as (select pair, true as usual, a as stack from unlike union all select pair, false, b from unlike),
     item as (
       select pair, usual, 1 as sort, 'driver' as what, driver as value from side join stack on stack.digest = side.stack where driver is not null
       union all select pair, usual, 2, 'GPUs', case amount when 1 then name else amount || ' × ' || name end from side join gpu using (stack)
       union select pair, usual, 3, library, coalesce(version, 'of unknown version') from side join copy using (stack)
       union select pair, usual, 4, name || ' in ' || coalesce(nullif(environment, ''), 'the file'), version from side join package using (stack)),
     listed as (
       select pair, sort, what, string_agg(value, ', ' order by value collate "C") filter (where usual) as usual,
         string_agg(value, ', ' order by value collate "C") filter (where not usual) as here
       from item group by pair, sort, what)
     select pair, what, coalesce(usual, 'none') as usual, coalesce(here, 'none') as here from listed
     where usual is distinct from here order by pair, sort, what collate "C"`,
    [pairs.map(([usual]) => bytesOf(usual)), pairs.map(([, here]) => bytesOf(here))],
  );
  const answers = pairs.map((): ContentDifference[] => []);
  for (const { pair, ...difference } of rows) answers[pair - 1]!.push(difference);
  return answers;
}

/** In what two stacks differ by themselves: variables and the like, and how many facts, with some of their paths. */
export interface Comparison {
  settings: ContentDifference[];
  facts: { amount: number; paths: string[] };
}

export async function comparisonsOf(sql: Sql, pairs: [usual: string, here: string][]): Promise<Map<string, Comparison>> {
  const rows = await sql.rows<{ usual: string; here: string; told: Comparison }>(
    `select encode(usual, 'hex') as usual, encode(here, 'hex') as here, told from comparison
     join unnest($1::bytea[], $2::bytea[]) t(a, b) on usual = a and here = b`,
    [pairs.map(([usual]) => bytesOf(usual)), pairs.map(([, here]) => bytesOf(here))],
  );
  return new Map(rows.map(({ usual, here, told }) => [`${usual} ${here}`, told]));
}

/** Where one of the two is gone meanwhile, nothing is kept. */
export const keepComparisons = async (sql: Sql, all: Map<string, Comparison>): Promise<unknown> =>
  sql.rows(
    `insert into comparison (usual, here, told) select t.usual, t.here, t.told::json
     from unnest($1::bytea[], $2::bytea[], $3::text[]) t(usual, here, told) join stack a on a.digest = t.usual join stack b on b.digest = t.here
     on conflict do nothing`,
    [
      [...all.keys()].map((key) => bytesOf(key.split(" ")[0]!)),
      [...all.keys()].map((key) => bytesOf(key.split(" ")[1]!)),
      [...all.values()].map((told) => JSON.stringify(told).replaceAll(String.raw`\u0000`, String.raw`\ufffd`)),
    ],
  );

/** Nodes with the facts that a roll-out is decided by. */
export interface RollOutNode {
  name: string;
  kind: string;
  group: string;
  stack: string;
}

export const nodesFor = async (sql: Sql, { pool, names }: { pool?: string; names?: string } = {}): Promise<RollOutNode[]> =>
  sql.rows<RollOutNode>(
    `select name, kind, pool as "group", encode(stack, 'hex') as stack from node
     where ($1::text is null or pool = $1) and ($2::text is null or name like $2 escape '\\') order by name`,
    [pool ?? null, names === undefined ? null : likeOf(names)],
  );

/** `a100-*` as SQL has it. */
const likeOf = (pattern: string): string => pattern.replace(/[\\%_]/g, String.raw`\$&`).replaceAll("*", "%");

/** What the machines of a group have for what would run on them. */
export interface MachineRow {
  node: string;
  stack: string;
  driver: string | null;
  gpus: { name: string; architecture: string | null }[];
}

export const machinesOf = async (sql: Sql, group: string): Promise<MachineRow[]> =>
  sql.rows<MachineRow>(
    `select node.name as node, encode(node.stack, 'hex') as stack, stack.driver,
       coalesce((select json_agg(json_build_object('name', g.name, 'architecture', g.architecture) order by g.name) from gpu g where g.stack = node.stack), '[]'::json) as gpus
     from node join stack on stack.digest = node.stack where node.pool = $1 and node.kind in ('machine', 'host', 'root') order by node.name`,
    [group],
  );

export interface VerdictRow {
  stack: string;
  status: string;
  problem: string | null;
  answer: unknown;
  done: { done: string[] } | null;
}

export const verdictsOf = async (sql: Sql, stacks: string[], question: string, engine: string): Promise<VerdictRow[]> =>
  sql.rows<VerdictRow>(
    `select encode(stack, 'hex') as stack, status, problem, answer, done from verdict
     where stack = any($1::bytea[]) and question = $2 and engine = $3`,
    [stacks.map(bytesOf), question, engine],
  );

export const judgedStacks = async (sql: Sql, stacks: string[], question: string, engine: string): Promise<Set<string>> =>
  new Set(
    (
      await sql.rows<{ stack: string }>(
        "select encode(stack, 'hex') as stack from verdict where stack = any($1::bytea[]) and question = $2 and engine = $3",
        [stacks.map(bytesOf), question, engine],
      )
    ).map(({ stack }) => stack),
  );
