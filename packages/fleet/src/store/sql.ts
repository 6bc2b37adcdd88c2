// One SQL on two engines: a PostgreSQL server, and PostgreSQL inside this process (PGlite). Three words are enough: rows, one, tx.
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { PGlite, Transaction } from "@electric-sql/pglite";
import type { Pool, PoolClient } from "pg";

export type Row = { [column: string]: unknown };

export interface Sql {
  rows: <T = Row>(text: string, values?: unknown[]) => Promise<T[]>;
  /** The first row, if any. */
  one: <T = Row>(text: string, values?: unknown[]) => Promise<T | undefined>;
}

export interface Store extends Sql {
  engine: "postgresql" | "embedded";
  /** All of it, or nothing. */
  tx: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  end: () => Promise<void>;
}

const oneOf =
  (rows: Sql["rows"]): Sql["one"] =>
  async (text, values) =>
    (await rows(text, values))[0] as never;

/** A server that several processes share. */
export async function openPostgres(url: string): Promise<Store> {
  const { default: pg } = await import("pg");
  // Whole numbers as numbers: ours stay far below 2^53, and PGlite does the same.
  const types = {
    getTypeParser: (id: number, format?: "text" | "binary") =>
      id === 20 ? Number : (pg.types.getTypeParser(id, format as "text") as (value: string) => unknown),
  };
  // Compiling a statement costs it more than any of ours takes. And a server that is frozen in the middle (a machine that is suspended, a
  // network that is cut) must not keep the others waiting for what it has locked.
  const options = "-c jit=off -c idle_in_transaction_session_timeout=2min";
  const pool: Pool = new pg.Pool({ connectionString: url, max: 8, types: types as never, connectionTimeoutMillis: 60_000, options });
  // A connection that breaks while nobody uses it is replaced; whoever uses one is told by his own query.
  pool.on("error", () => {});
  // So it is where the server goes away between two statements, or while a broken one is put away: nobody listening would end this process.
  pool.on("connect", (client) => client.on("error", () => {}));
  const asked = (client: Pool | PoolClient): Sql => {
    const rows: Sql["rows"] = async (text, values) => (await client.query(text, values as unknown[])).rows as never;
    return { rows, one: oneOf(rows) };
  };
  return {
    engine: "postgresql",
    ...asked(pool),
    tx: async (work) => {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        await client.query("begin");
        const result = await work(asked(client));
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch((failure: unknown) => (broken = failure as Error));
        throw error;
      } finally {
        client.release(broken);
      }
    },
    end: async () => pool.end(),
  };
}

/** In this process, in a folder; without one, in memory. */
export async function openEmbedded(folder: string | undefined): Promise<Store> {
  const { PGlite } = await import("@electric-sql/pglite");
  if (folder !== undefined && !existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const db: PGlite = folder === undefined ? await PGlite.create() : await PGlite.create({ dataDir: path.resolve(folder) });
  const asked = (client: PGlite | Transaction): Sql => {
    const rows: Sql["rows"] = async (text, values) => (await client.query(text, values as unknown[])).rows as never;
    return { rows, one: oneOf(rows) };
  };
  return {
    engine: "embedded",
    ...asked(db),
    // There is one connection: `transaction` keeps all others waiting until its own is done, also those that ask outside of one.
    tx: async (work) => (await db.transaction(async (client) => work(asked(client)))) as never,
    end: async () => db.close(),
  };
}

/** Digests travel as hexadecimal digits and are kept as bytes. */
export const bytesOf = (digest: string): Buffer => Buffer.from(digest, "hex");
export const digestOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex");
