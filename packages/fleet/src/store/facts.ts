// Texts by their digests, stacks, and what is no longer needed.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { targetKinds, Unjoinable, walkStack, type JoinLimits } from "@culprit/core";
import { bytesOf, digestOf, type Sql, type Store } from "./sql.ts";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The largest snapshot that was ever taken has 40 MB and 200,000 facts; all paths count, and so do the texts of folders. */
export const joinLimits: JoinLimits = { facts: 1_000_000, characters: 160 << 20 };

const turn = promisify(setImmediate);

// Shorter texts hardly shrink.
const worthPacking = 160;

function packed(text: string): Buffer {
  const plain = Buffer.from(text);
  const small = plain.length < worthPacking ? undefined : deflateRawSync(plain, { level: 6 });
  return small && small.length < plain.length ? Buffer.concat([Buffer.from([1]), small]) : Buffer.concat([Buffer.from([0]), plain]);
}

function unpacked(bytes: Uint8Array): string {
  const rest = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.byteLength - 1);
  return (bytes[0] === 1 ? inflateRawSync(rest, { maxOutputLength: joinLimits.characters }) : rest).toString("utf8");
}

/** Of these digests those whose texts are not there. */
export async function lackingFacts(sql: Sql, digests: string[]): Promise<string[]> {
  const found = await sql.rows<{ digest: Uint8Array }>("select digest from fact where digest = any($1::bytea[])", [digests.map(bytesOf)]);
  const known = new Set(found.map(({ digest }) => digestOf(digest)));
  return digests.filter((each) => !known.has(each));
}

/** Keeps texts; each is named by what it says, so nobody can bring one under another's name. */
export async function keepFacts(sql: Sql, texts: string[]): Promise<void> {
  const rows = [...new Map(texts.map((text) => [sha256(text), text]))].sort(([a], [b]) => (a < b ? -1 : 1));
  for (let from = 0; from < rows.length; from += 500) {
    const some = rows.slice(from, from + 500);
    // The embedded database answers within the same turn of this thread: without a pause nobody else would be heard until all is kept.
    if (0 < from) await turn();
    await sql.rows(
      `insert into fact (digest, length, packed) select * from unnest($1::bytea[], $2::integer[], $3::bytea[])
       on conflict (digest) do update set at = now()`,
      [some.map(([name]) => bytesOf(name)), some.map(([, text]) => text.length), some.map(([, text]) => packed(text))],
    );
  }
}

/** Of one stack: packed they are short, so what is asked for at once is measured before it is unpacked. */
export const readFactsOfOne =
  (sql: Sql) =>
  async (digests: string[]): Promise<Map<string, string>> => {
    const sum = await sql.one<{ length: number | null }>("select sum(length)::float8 as length from fact where digest = any($1::bytea[])", [
      digests.map(bytesOf),
    ]);
    if (joinLimits.characters < (sum?.length ?? 0)) throw tooLarge();
    return readFacts(sql)(digests);
  };

const tooLarge = () => new Unjoinable("it holds more than a snapshot may");

export const readFacts =
  (sql: Sql) =>
  async (digests: string[]): Promise<Map<string, string>> => {
    const texts = new Map<string, string>();
    for (let from = 0; from < digests.length; from += 2000) {
      const found = await sql.rows<{ digest: Uint8Array; packed: Uint8Array }>(
        "select digest, packed from fact where digest = any($1::bytea[])",
        [digests.slice(from, from + 2000).map(bytesOf)],
      );
      for (const { digest, packed } of found) texts.set(digestOf(digest), unpacked(packed));
    }
    return texts;
  };

export const hasStack = async (sql: Sql, stack: string): Promise<boolean> =>
  (await sql.one("select 1 as yes from stack where digest = $1", [bytesOf(stack)])) !== undefined;

/** Which kind of target a stack is of; throws where one of its facts is lacking, or where they are no stack. */
export async function kindOfStack(sql: Sql, stack: string): Promise<string> {
  const { head, found } = await walkStack(stack, readFactsOfOne(sql), joinLimits);
  const named = found.flatMap(([, fact]) => (typeof fact === "string" ? [fact] : []));
  const lengths = new Map<string, number>();
  for (let from = 0; from < named.length; from += 5000)
    for (const { digest, length } of await sql.rows<{ digest: Uint8Array; length: number }>(
      "select digest, length from fact where digest = any($1::bytea[])",
      [named.slice(from, from + 5000).map(bytesOf)],
    ))
      lengths.set(digestOf(digest), length);
  let characters = 0;
  for (const each of named) {
    const length = lengths.get(each);
    if (length === undefined) throw new Unjoinable(`the text ${each.slice(0, 12)} is not there`);
    characters += length;
  }
  if (joinLimits.characters < characters) throw tooLarge();
  const kind = (head["target"] as { kind?: unknown } | undefined)?.kind;
  if (typeof kind !== "string" || !Object.hasOwn(targetKinds, kind)) throw new Unjoinable("it does not say what kind of target it is of");
  return kind;
}

// Who takes a stack in and who sweeps exclude each other: a stack must not lose a fact that it was just found to have.
export const takingIn = "select pg_advisory_xact_lock_shared(7478002)";
const sweeping = "select pg_advisory_xact_lock(7478002)";

/** Removes stacks that no node has and no history names, and facts that no stack leads to. */
export async function sweep(store: Store, keepDays: number): Promise<{ stacks: number; facts: number }> {
  return store.tx(async (sql) => {
    await sql.rows(sweeping);
    const old = await sql.rows(
      `delete from stack where at < now() - interval '1 hour' and not exists (select 1 from node where node.stack = stack.digest)
         and not exists (select 1 from change where change.stack = stack.digest and change.at > now() - make_interval(days => $1)) returning 1`,
      [keepDays],
    );
    const used = await usedFacts(sql);
    // A push that is under way holds facts that no stack names yet: what is younger than an hour stays.
    const all = await sql.rows<{ digest: Uint8Array }>("select digest from fact where at < now() - interval '1 hour'");
    const idle = all.filter(({ digest }) => !used.has(digestOf(digest))).map(({ digest }) => Buffer.from(digest));
    for (let from = 0; from < idle.length; from += 2000)
      await sql.rows("delete from fact where digest = any($1::bytea[])", [idle.slice(from, from + 2000)]);
    return { stacks: old.length, facts: idle.length };
  });
}

async function usedFacts(sql: Sql): Promise<Set<string>> {
  const used = new Set<string>();
  for (const { digest } of await sql.rows<{ digest: Uint8Array }>("select digest from stack")) {
    try {
      const { folders, found } = await walkStack(digestOf(digest), readFactsOfOne(sql), joinLimits);
      for (const each of folders) used.add(each);
      for (const [, fact] of found) if (typeof fact === "string") used.add(fact);
    } catch (error) {
      // A release that knew no such bound took it in: it cannot be judged, and keeps nobody else from being swept.
      if (!(error instanceof Unjoinable)) throw error;
    }
  }
  return used;
}
