// Who may do what. A token is 256 random bits, so its plain digest is kept: nobody guesses it, and nobody who reads the table has it.
import { createHash, randomBytes } from "node:crypto";
import { Refusal } from "../refusal.ts";
import type { Sql } from "./sql.ts";

export const scopes = ["node", "read", "admit", "admin"] as const;
/** node: pushes under names that it may use; read: asks; admit: asks whether a pod may start; admin: all of it, and tokens. */
export type Scope = (typeof scopes)[number];

export interface Holder {
  who: string;
  scope: Scope;
  /** For `node`: the names that it may use; `*` stands for anything. */
  nodes: string;
}

export interface TokenRow {
  id: number;
  scope: Scope;
  nodes: string;
  note: string;
  made: Date;
  expires: Date | null;
  revoked: Date | null;
  used: Date | null;
}

const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();

export const newToken = (scope: Scope): string => `culprit_${scope}_${randomBytes(32).toString("base64url")}`;

export async function addToken(
  sql: Sql,
  { token, scope, nodes = "*", note = "", expires }: { token: string; scope: Scope; nodes?: string; note?: string; expires?: Date },
): Promise<number> {
  const row = await sql.one<{ id: number }>(
    `insert into token (hash, scope, nodes, note, expires) values ($1, $2, $3, $4, $5)
     on conflict (hash) do update set note = token.note returning id`,
    [hashOf(token), scope, nodes, note, expires ?? null],
  );
  return row!.id;
}

export const listTokens = async (sql: Sql): Promise<TokenRow[]> =>
  sql.rows<TokenRow>("select id, scope, nodes, note, made, expires, revoked, used from token order by id");

export const revokeToken = async (sql: Sql, id: number): Promise<boolean> =>
  (await sql.one("update token set revoked = coalesce(revoked, now()) where id = $1 returning 1 as yes", [id])) !== undefined;

/** Who has this token; a sentence says why it is worth nothing. */
export async function holderOf(sql: Sql, token: string): Promise<Holder> {
  const row = await sql.one<TokenRow>("select * from token where hash = $1", [hashOf(token)]);
  if (!row) throw new Refusal(401, "this token is not known");
  if (row.revoked) throw new Refusal(401, `this token was revoked on ${day(row.revoked)}`);
  if (row.expires && row.expires.getTime() <= Date.now()) throw new Refusal(401, `this token expired on ${day(row.expires)}`);
  // Once a minute is enough to tell which are in use, and 5,000 nodes are not made to wait for one row.
  if (!row.used || 60_000 < Date.now() - row.used.getTime())
    await sql.rows("update token set used = now() where id = $1 and (used is null or used < now() - interval '1 minute')", [row.id]);
  return { who: `token ${row.id}${row.note === "" ? "" : ` (${row.note})`}`, scope: row.scope, nodes: row.nodes };
}

const day = (at: Date) => at.toISOString().slice(0, 10);

/** Whether a pattern such as `a100-*` stands for a name; without regular expressions, so that none can be slow. */
export function isAmong(pattern: string, name: string): boolean {
  const [first, ...rest] = pattern.split("*");
  if (!name.startsWith(first!)) return false;
  if (rest.length === 0) return name === first;
  let at = first!.length;
  const last = rest.pop()!;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length && name.endsWith(last);
}

export const noteDown = async (sql: Sql, who: string, did: string, subject: string): Promise<void> =>
  void (await sql.rows("insert into audit (who, did, subject) values ($1, $2, $3)", [who, did, subject]));
