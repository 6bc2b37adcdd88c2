// Tables as lines of JSON, and back. Jobs are not copied: what was not judged yet is judged again.
import { UsageError } from "../usage.ts";
import { enqueue } from "./jobs.ts";
import { digestOf, type Row, type Sql, type Store } from "./sql.ts";

/** In the order in which they refer to each other. */
const tables = ["fact", "stack", "node", "change", "verdict", "finding", "sighting", "copy", "package", "gpu", "token", "audit"];
const head = { schema: "culprit/fleet-export@1" };

/** Within a transaction, so that all is of one moment. */
export async function* exportLines(sql: Sql): AsyncGenerator<string> {
  yield JSON.stringify(head);
  for (const table of tables) {
    // Row after row as they lie, in one reading: to look for a page anew would take longer with every page.
    await sql.rows(`declare copied no scroll cursor for select * from ${table}`);
    for (let isMore = true; isMore;) {
      const rows = await sql.rows("fetch 1000 from copied");
      for (const row of rows)
        yield JSON.stringify([table, Object.fromEntries(Object.entries(row).map(([name, value]) => [name, sent(value)]))]);
      isMore = rows.length === 1000;
    }
    await sql.rows("close copied");
  }
}

const sent = (value: unknown): unknown => (value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : value);

function received(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if ("bytes" in value && Object.keys(value).length === 1) return Buffer.from(String(value.bytes), "base64");
  return JSON.stringify(value);
}

export async function importLines(store: Store, lines: AsyncIterable<string>): Promise<number> {
  let amount = 0;
  await store.tx(async (sql) => {
    if (await sql.one("select 1 as yes from node limit 1")) throw new UsageError("the database is not empty: nodes are in it");
    // A server that was started before has made a token, and may have more to tell: those that are read then get numbers of their own.
    const numbered = new Set<string>();
    for (const table of ["token", "audit"]) if (await sql.one(`select 1 as yes from ${table} limit 1`)) numbered.add(table);
    let batch: { table: string; rows: Row[] } = { table: "", rows: [] };
    for await (const line of lines) {
      amount += 1;
      if (amount === 1) {
        refuseOther(line);
        continue;
      }
      const [table, row] = JSON.parse(line) as [string, Row];
      if (!tables.includes(table)) throw new UsageError(`the file names a table \`${table}\`, which there is not`);
      if (batch.table !== table || 200 <= batch.rows.length) {
        await insert(sql, batch);
        batch = { table, rows: [] };
      }
      if (numbered.has(table)) delete row["id"];
      batch.rows.push(row);
    }
    await insert(sql, batch);
    for (const table of ["node", "token", "audit"])
      await sql.rows(`select setval(pg_get_serial_sequence('${table}', 'id'), coalesce((select max(id) from ${table}), 0) + 1, false)`);
    const open = await sql.rows<{ digest: Uint8Array }>(
      "select digest from stack where not exists (select 1 from verdict where verdict.stack = stack.digest and question = '')",
    );
    await enqueue(
      sql,
      open.map(({ digest }) => digestOf(digest)),
      "",
    );
  });
  return amount;
}

function refuseOther(line: string): void {
  let schema: unknown;
  try {
    ({ schema } = JSON.parse(line) as { schema?: unknown });
  } catch {
    // Told below.
  }
  if (schema !== head.schema) throw new UsageError("this is no file that `culprit-fleet export` wrote");
}

async function insert(sql: Sql, { table, rows }: { table: string; rows: Row[] }): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  if (!columns.every((each) => /^[a-z_]+$/.test(each))) throw new UsageError("the file names columns that there are not");
  const places = rows.map((_, row) => `(${columns.map((__, column) => `$${row * columns.length + column + 1}`).join(", ")})`);
  await sql.rows(
    `insert into ${table} (${columns.join(", ")}) ${"id" in first ? "overriding system value" : ""} values ${places.join(", ")} on conflict do nothing`,
    rows.flatMap((row) => columns.map((name) => received(row[name]))),
  );
}
