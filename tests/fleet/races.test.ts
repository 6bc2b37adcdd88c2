// Two that meet: what one of them writes down must not be what the other did not see.
import { expect, test } from "vitest";
import { manifestDigest, type Snapshot } from "../../packages/core/src/index.ts";
import { inThisThread } from "../../packages/fleet/src/judge/pool.ts";
import { doJob } from "../../packages/fleet/src/judge/work.ts";
import { keepFacts, sha256 } from "../../packages/fleet/src/store/facts.ts";
import { takeJob } from "../../packages/fleet/src/store/jobs.ts";
import { takeIn, takeInMany } from "../../packages/fleet/src/store/nodes.ts";
import { regressions, sightingsOf } from "../../packages/fleet/src/store/questions.ts";
import type { Store } from "../../packages/fleet/src/store/sql.ts";
import { caseSnapshot, pushOf } from "./cases.ts";
import { onBothEngines } from "./engines.ts";

const healthy = caseSnapshot("h200-healthy");
const broken = caseSnapshot("h200-system-cudnn-first");
const later = async (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

const saidBy = (told: Snapshot, minutes: number) => {
  const { manifest, texts } = pushOf(told);
  const taken = new Date(Date.now() - 3_600_000 + minutes * 60_000).toISOString();
  return { texts, manifest: { ...manifest, group: "g", taken, digest: manifestDigest(manifest.stack, manifest.own, "g", sha256) } };
};

/** The same store, whose transactions wait for this before they are committed. */
const held = (store: Store, before: () => Promise<void>): Store => ({
  ...store,
  tx: async (work) =>
    store.tx(async (sql) => {
      const result = await work(sql);
      await before();
      return result;
    }),
});

/** The same store, whose transactions begin and then wait for this. */
const begun = (store: Store, before: () => Promise<void>): Store => ({
  ...store,
  tx: async (work) =>
    store.tx(async (sql) => {
      await before();
      return work(sql);
    }),
});

type Pushing = (store: Store, name: string, manifest: ReturnType<typeof saidBy>["manifest"]) => Promise<unknown>;
const ways: [string, Pushing][] = [
  ["by itself", async (store, name, manifest) => takeIn(store, name, manifest, [])],
  [
    "with others",
    async (store, name, manifest) => takeInMany(store, [{ name, digest: manifest.digest, taken: manifest.taken, whole: manifest }]),
  ],
];

/** Either it ends before us, or it waits until we have ended. */
const atMost = async (work: Promise<unknown>) => Promise.race([work, later(2000)]).then(() => {});

onBothEngines((fresh) => {
  /** A node with a stack that was judged, and another stack, of another node, that is to be judged now. */
  async function prepared() {
    const store = await fresh();
    const [before, after] = [saidBy(healthy, 1), saidBy(broken, 2)];
    for (const { texts } of [before, after]) await keepFacts(store, [...texts.values()]);
    await takeIn(store, "n", before.manifest, []);
    await takeIn(store, "other", after.manifest, []);
    const jobs = [(await takeJob(store))!, (await takeJob(store))!];
    await doJob(
      store,
      inThisThread(),
      jobs.find(({ stack }) => stack === before.manifest.stack)!,
    );
    return { store, after, job: jobs.find(({ stack }) => stack === after.manifest.stack)! };
  }

  async function expectFindings(store: Store) {
    const open = (rows: Awaited<ReturnType<typeof sightingsOf>>) => rows.filter(({ gone }) => gone === null).map(({ rule }) => rule);
    expect(open(await sightingsOf(store, "other"))).not.toEqual([]);
    expect(open(await sightingsOf(store, "n"))).toEqual(open(await sightingsOf(store, "other")));
    expect((await regressions(store, new Date(0))).map(({ node }) => node)).toContain("n");
  }

  test.each(ways)("a node that comes %s to a stack that is being judged has its findings", async (_, push) => {
    const { store, after, job } = await prepared();
    let judged: Promise<unknown> = Promise.resolve();
    const meanwhile = async () => {
      judged = doJob(store, inThisThread(), job);
      await atMost(judged);
    };
    await push(held(store, meanwhile), "n", after.manifest);
    await judged;
    await expectFindings(store);
  });

  test("a server that is frozen in the middle does not keep the others waiting for ever", async () => {
    const store = await fresh();
    if (store.engine === "embedded") return;
    const [frozen] = await store.rows<{ idle_in_transaction_session_timeout: string }>("show idle_in_transaction_session_timeout");
    expect(frozen!.idle_in_transaction_session_timeout).toBe("2min");
    // The same in a second: who comes back finds his transaction gone, and says so; the others have what they waited for.
    const waking = store.tx(async (sql) => {
      await sql.rows("set local idle_in_transaction_session_timeout = '1s'");
      await sql.rows("select pg_advisory_xact_lock(1)");
      await later(2500);
      await sql.rows("select 1");
    });
    waking.catch(() => {});
    await later(200);
    await store.tx(async (sql) => sql.rows("select pg_advisory_xact_lock(1)"));
    await expect(waking).rejects.toThrow();
    expect(await store.one("select 1 as yes")).toEqual({ yes: 1 });
  });

  test.each(ways)("a verdict that was begun before a node came %s to its stack comes after that", async (_, push) => {
    const { store, after, job } = await prepared();
    let pushed: Promise<unknown> = Promise.resolve();
    const meanwhile = async () => {
      pushed = push(store, "n", after.manifest);
      await atMost(pushed);
    };
    await doJob(begun(store, meanwhile), inThisThread(), job);
    await pushed;
    await expectFindings(store);
  });
});
