// What is kept for so many days goes after that, and nothing else does.
import { expect, test } from "vitest";
import type { DeclaredFiles } from "../../packages/core/src/index.ts";
import { tidyUp } from "../../packages/fleet/src/server/serve.ts";
import { keepFacts } from "../../packages/fleet/src/store/facts.ts";
import { takeIn } from "../../packages/fleet/src/store/nodes.ts";
import type { Sql } from "../../packages/fleet/src/store/sql.ts";
import { addToken, noteDown } from "../../packages/fleet/src/store/tokens.ts";
import { pushOf } from "./cases.ts";
import { onBothEngines } from "./engines.ts";

const file = "requirements.txt";
const job = (text: string): DeclaredFiles => ({
  schema: "culprit/declared@1",
  culprit: "0",
  target: { kind: "declaration", name: file },
  file,
  files: { [`/${file}`]: { kind: "file", size: text.length, text } },
});

async function push(sql: Parameters<typeof takeIn>[0], name: string, text: string): Promise<void> {
  const { manifest, texts } = pushOf(job(text), { group: "g" });
  await keepFacts(sql, [...texts.values()]);
  expect(await takeIn(sql, name, manifest, [])).toEqual({ state: "stored" });
}

const daysAgo = (column: string, days: number): string => `${column} = now() - interval '${days} days'`;
const amountOf = async (sql: Sql, table: string): Promise<number> =>
  (await sql.one<{ amount: number }>(`select count(*) as amount from ${table}`))!.amount;

onBothEngines((fresh) => {
  test("who was silent, what is gone and who did what go with their time; who is there stays whole", async () => {
    const store = await fresh();
    for (const [name, text] of [
      ["alive", "torch==2.4.1\n"],
      ["silent", "torch==2.5.1\n"],
      ["quiet", "torch==2.6.0\n"],
    ] as const)
      await push(store, name, text);
    const id = async (name: string) => (await store.one<{ id: number }>("select id from node where name = $1", [name]))!.id;
    const alive = await id("alive");
    await store.rows(`update node set ${daysAgo("last_seen", 31)} where name = 'silent'`);
    await store.rows(`update node set ${daysAgo("last_seen", 29)} where name = 'quiet'`);
    await store.rows(`update change set ${daysAgo("at", 5)} where node = $1`, [alive]);
    for (const days of [200, 40])
      await store.rows(
        `insert into change (node, stack, pool, at) select id, stack, pool, now() - interval '${days} days' from node where id = $1`,
        [alive],
      );
    // The only thing that is known of it, however long ago.
    await store.rows(`update change set ${daysAgo("at", 300)} where node = $1`, [await id("quiet")]);
    const seen =
      "insert into sighting (node, rule, subject, severity, message, first_seen, gone) values ($1, $2, 's', 'error', 'm', now() - interval '400 days', $3)";
    await store.rows(seen, [alive, "open-for-long", null]);
    await store.rows(seen, [alive, "gone-just-now", new Date()]);
    await store.rows(seen, [alive, "gone-long-ago", new Date(Date.now() - 31 * 86_400_000)]);
    await addToken(store, { token: "a token of forty characters and some more", scope: "read" });
    for (const did of ["made", "revoked"]) await noteDown(store, "token 1", did, "2");
    await store.rows(`update audit set ${daysAgo("at", 31)} where did = 'made'`);
    const stacks = (await store.rows<{ stack: Uint8Array }>("select stack from node order by name")).map(({ stack }) => stack);
    for (const [question, days] of [
      ["", 400],
      ['{"driver":"470"}', 31],
      ['{"driver":"580"}', 1],
    ] as const)
      await store.rows(
        `insert into verdict (stack, question, engine, status, answer, at) values ($1, $2, 'e', 'ok', '{}', now() - interval '${days} days')`,
        [stacks[0], question],
      );
    await store.rows(`update stack set ${daysAgo("at", 100)}`);
    await store.rows(`update fact set ${daysAgo("at", 100)}`);

    const told: string[] = [];
    await tidyUp(store, 30, (sentence) => told.push(sentence));
    expect(told).toEqual([]);
    expect((await store.rows("select name from node order by name")).map((row) => row["name"])).toEqual(["alive", "quiet"]);
    expect(await amountOf(store, "stack")).toBe(2);
    const changes = await store.rows<{ name: string; days: number }>(
      "select name, extract(day from now() - at)::int as days from change join node on node.id = node order by name, at",
    );
    expect(changes).toEqual([
      { name: "alive", days: 5 },
      { name: "quiet", days: 300 },
    ]);
    expect((await store.rows("select rule from sighting order by rule")).map((row) => row["rule"])).toEqual([
      "gone-just-now",
      "open-for-long",
    ]);
    expect((await store.rows("select did from audit")).map((row) => row["did"])).toEqual(["revoked"]);
    expect(await amountOf(store, "token")).toBe(1);
    expect((await store.rows("select question from verdict order by question")).map((row) => row["question"])).toEqual([
      "",
      '{"driver":"580"}',
    ]);
    // And once more: nothing is left to do.
    const before = await amountOf(store, "fact");
    await tidyUp(store, 30, (sentence) => told.push(sentence));
    expect([told, await amountOf(store, "fact")]).toEqual([[], before]);
  });
});
