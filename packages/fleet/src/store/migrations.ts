// Each runs once, in order, on both engines; one that was published never changes, it gets a successor.
import type { Store } from "./sql.ts";

const migrations: string[] = [
  `
  -- Facts, folders and stacks: texts by their SHA-256, packed where that makes them shorter.
  create table fact (digest bytea primary key, length integer not null, packed bytea not null, at timestamptz not null default now());
  -- What a verdict depends on, without what is one node's own. A row is written only when all of its facts are there.
  create table stack (
    digest bytea primary key, kind text not null, at timestamptz not null default now(),
    driver text, driver_numbers integer[]
  );
  create table node (
    id bigint generated always as identity primary key,
    name text not null unique, kind text not null, pool text not null default '',
    stack bytea not null references stack, digest bytea not null, own json not null,
    taken timestamptz not null, first_seen timestamptz not null, last_seen timestamptz not null, changed timestamptz not null
  );
  create index on node (stack);
  create index on node (pool);
  -- Which stack a node had from when on.
  create table change (node bigint not null references node on delete cascade, stack bytea not null, pool text not null, at timestamptz not null);
  create index on change (node, at);
  create index on change (at);
  -- As text, json keeps the order in which things were said.
  -- question: '' as it is, else a driver and GPUs as JSON.
  create table verdict (
    stack bytea not null references stack on delete cascade, question text not null, engine text not null, at timestamptz not null default now(),
    status text not null, problem text, answer json not null,
    primary key (stack, question)
  );
  create table finding (
    stack bytea not null, question text not null, rule text not null, subject text not null, severity text not null, certainty text not null,
    message text not null, place integer not null,
    primary key (stack, question, place),
    foreign key (stack, question) references verdict on delete cascade
  );
  create index on finding (rule, subject);
  -- A finding on a node, from when it came until it went.
  create table sighting (
    node bigint not null references node on delete cascade, rule text not null, subject text not null, severity text not null,
    message text not null, first_seen timestamptz not null, gone timestamptz, told timestamptz
  );
  create unique index on sighting (node, rule, subject) where gone is null;
  create index on sighting (first_seen);
  -- What is installed, for questions.
  create table copy (
    stack bytea not null references stack on delete cascade, library text not null, version text, numbers integer[], file text not null
  );
  create index on copy (library, numbers);
  create index on copy (stack);
  create table package (
    stack bytea not null references stack on delete cascade, environment text not null, name text not null, version text not null, numbers integer[]
  );
  create index on package (name, numbers);
  create index on package (stack);
  create table gpu (stack bytea not null references stack on delete cascade, name text not null, architecture text, amount integer not null);
  create index on gpu (stack);
  -- Work that any process may do: who takes a job has it for a while, and whoever comes after that may take it again.
  create table job (
    stack bytea not null references stack on delete cascade, question text not null, at timestamptz not null default now(),
    until timestamptz, tries integer not null default 0,
    primary key (stack, question)
  );
  create table token (
    id bigint generated always as identity primary key, hash bytea not null unique, scope text not null, nodes text not null default '*',
    note text not null default '', made timestamptz not null default now(), expires timestamptz, revoked timestamptz, used timestamptz
  );
  create table audit (id bigint generated always as identity primary key, at timestamptz not null default now(), who text not null, did text not null, subject text not null);
  create index on audit (at);
  `,
  `
  -- What of supposed changes would change something there; null where none was supposed.
  alter table verdict add column done json;
  `,
  `
  -- In what two stacks differ: it follows from them alone, and is worked out once.
  create table comparison (
    usual bytea not null references stack on delete cascade, here bytea not null references stack on delete cascade, told json not null,
    primary key (usual, here)
  );
  create index on comparison (here);
  `,
  `
  -- What came because more is known now, and not because the node changed: nothing became worse.
  alter table sighting add column learnt boolean not null default false;
  `,
];

/** Brings the tables up to date; of several processes that start together one does it. */
export async function migrate(store: Store): Promise<void> {
  await store.tx(async (sql) => {
    await sql.rows("select pg_advisory_xact_lock(7478001)");
    await sql.rows("create table if not exists migration (number integer primary key, at timestamptz not null default now())");
    const done = (await sql.one<{ most: number | null }>("select max(number) as most from migration"))?.most ?? 0;
    if (migrations.length < done)
      throw new Error(`the database is of a newer release (${done} against ${migrations.length}): use that release of culprit-fleet`);
    for (const [index, text] of migrations.entries()) {
      if (index < done) continue;
      for (const statement of statementsOf(text)) await sql.rows(statement);
      await sql.rows("insert into migration (number) values ($1)", [index + 1]);
    }
  });
}

const statementsOf = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("--"))
    .join("\n")
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each !== "");
