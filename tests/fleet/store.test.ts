import http from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { engine } from "../../packages/fleet/src/engine.ts";
import { deliveryOf } from "../../packages/fleet/src/server/webhooks.ts";
import { checkStack, joinTold, manifestDigest, serializeSnapshot, type Check, type Snapshot } from "../../packages/core/src/index.ts";
import { deviations, whatIf } from "../../packages/fleet/src/fleet.ts";
import { inThisThread } from "../../packages/fleet/src/judge/pool.ts";
import { beginWork, doJob } from "../../packages/fleet/src/judge/work.ts";
import { exportLines, importLines } from "../../packages/fleet/src/store/copy.ts";
import { joinLimits, keepFacts, readFacts, readFactsOfOne, sha256, sweep } from "../../packages/fleet/src/store/facts.ts";
import { freeJobs, judgeAgain as requeue, openJobs, takeJob } from "../../packages/fleet/src/store/jobs.ts";
import { checkIn, listNodes, ownFacts, removeNode, takeIn, takeInMany } from "../../packages/fleet/src/store/nodes.ts";
import {
  historyOf,
  isKnownName,
  listFindings,
  regressions,
  sightingsOf,
  withVersion,
  withoutVersion,
} from "../../packages/fleet/src/store/questions.ts";
import type { Store } from "../../packages/fleet/src/store/sql.ts";
import { addToken, holderOf, listTokens, noteDown } from "../../packages/fleet/src/store/tokens.ts";
import { migrate } from "../../packages/fleet/src/store/migrations.ts";
import { boundOf } from "../../packages/fleet/src/versions.ts";
import { caseSnapshot, caseText, pushOf } from "./cases.ts";
import { onBothEngines } from "./engines.ts";

/** As `culprit push` does it. */
const splits = new Map<Snapshot, ReturnType<typeof pushOf>>();
async function push(store: Store, name: string, told: Snapshot, more: { group?: string; taken?: string } = {}): Promise<string[]> {
  const { manifest: known, texts } = splits.get(told) ?? pushOf(told);
  splits.set(told, { manifest: known, texts });
  const { group = "", taken = new Date().toISOString() } = more;
  const manifest = { ...known, group, taken, digest: manifestDigest(known.stack, known.own, group, sha256) };
  const states: string[] = [];
  const said = async (answer: Promise<{ state: string; lacking?: string[] }>) => {
    const { state, lacking } = await answer;
    states.push(state);
    return lacking ?? [];
  };
  await said(checkIn(store, name, manifest.digest, manifest.taken));
  if (states[0] === "unchanged") return states;
  const lacking = await said(takeIn(store, name, manifest, [...texts.keys()]));
  if (lacking.length === 0) expect(await takeIn(store, name, manifest, [])).toEqual({ state: "stored" });
  if (0 < lacking.length) {
    await keepFacts(
      store,
      lacking.map((each) => texts.get(each)!),
    );
    await said(takeIn(store, name, manifest, [...texts.keys()]));
  }
  return states;
}

async function judgeAll(store: Store): Promise<number> {
  let done = 0;
  for (let job = await takeJob(store); job; job = await takeJob(store), done++) await doJob(store, inThisThread(), job);
  return done;
}

const asked = (text: string) => boundOf(text)!;
const healthy = caseSnapshot("h200-healthy");
const broken = caseSnapshot("h200-system-cudnn-first");
const begin = Date.now() - 3_600_000;
const clock = (minutes: number) => new Date(begin + minutes * 60_000).toISOString();

onBothEngines((fresh) => {
  let store: Store;
  beforeAll(async () => {
    store = await fresh();
  });

  test("the tables can be brought up to date again, and nothing happens", async () => {
    await migrate(store);
    expect(await listNodes(store)).toEqual([]);
  });

  test("a node is taken in with all of its facts, and costs a digest from then on", async () => {
    expect(await push(store, "a1", healthy, { group: "a", taken: clock(1) })).toEqual(["unknown", "lacking", "stored"]);
    expect(await push(store, "a1", healthy, { group: "a", taken: clock(2) })).toEqual(["unchanged"]);
    // The second of the same stack brings no fact.
    expect(await push(store, "a2", healthy, { group: "a", taken: clock(1) })).toEqual(["unknown", "stored"]);
    expect(await push(store, "a3", broken, { group: "a", taken: clock(1) })).toEqual(["unknown", "lacking", "stored"]);
    const { stack, own } = (await ownFacts(store, "a3"))!;
    expect(serializeSnapshot((await joinTold(stack, own, readFacts(store), joinLimits)) as Snapshot)).toBe(
      serializeSnapshot(JSON.parse(caseText("h200-system-cudnn-first")) as Snapshot),
    );
  });

  test("a node does not go back in time", async () => {
    // The same words again, whose answer got lost, change nothing.
    expect(await push(store, "a1", healthy, { group: "a", taken: clock(2) })).toEqual(["unchanged"]);
    await expect(push(store, "a1", healthy, { group: "a", taken: clock(1) })).rejects.toThrow("something newer is known");
    await expect(push(store, "a1", broken, { group: "a", taken: clock(2) })).rejects.toThrow("something newer is known");
    await expect(push(store, "a1", broken, { group: "a", taken: clock(0) })).rejects.toThrow("something newer is known");
    await expect(push(store, "a1", broken, { group: "a", taken: clock(600) })).rejects.toThrow("ahead of the server");
    await expect(push(store, "a1", broken, { group: "a", taken: "yesterday" })).rejects.toThrow("not a time");
  });

  test("a stack is judged once, however many nodes have it, and as `culprit check` judges it", async () => {
    expect(await openJobs(store)).toBe(2);
    expect(await judgeAll(store)).toBe(2);
    expect(await openJobs(store)).toBe(0);
    const rows = await listNodes(store, { group: "a" });
    const verdict = await checkStack(broken);
    expect(rows.map(({ name, status }) => [name, status])).toEqual([
      ["a1", (await checkStack(healthy)).status],
      ["a2", (await checkStack(healthy)).status],
      ["a3", verdict.status],
    ]);
    const { answer } = (await store.one<{ answer: Check }>(
      "select answer from verdict where question = '' and stack = (select stack from node where name = 'a3')",
    ))!;
    expect(answer).toEqual(JSON.parse(JSON.stringify(verdict)));
    expect((await listFindings(store)).map(({ rule, subject }) => `${rule}:${subject}`).sort()).toEqual(
      verdict.findings
        .filter(({ severity }) => severity !== "info")
        .map(({ rule, subject }) => `${rule}:${subject}`)
        .sort(),
    );
  });

  test("what is installed can be asked for by version", async () => {
    const found = await withVersion(store, asked("cudnn<9.19"));
    expect(found.flatMap(({ nodes }) => nodes)).toContain("a3");
    for (const { version } of found) expect(version).toMatch(/^9\.1[0-8]\b|^9\.\d\b|^[0-8]\./);
    const above = await withVersion(store, asked("cudnn>=9.19"));
    expect(new Set([...found, ...above].flatMap(({ nodes }) => nodes))).toEqual(new Set(["a1", "a2", "a3"]));
    expect(await withVersion(store, asked("driver==580"), "a")).toHaveLength(1);
    expect(await withVersion(store, asked("driver<580"))).toEqual([]);
    expect((await withVersion(store, asked("torch>=1")))[0]?.nodes).toContain("a1");
    expect(await isKnownName(store, "cudnn'; drop table node; --")).toBe(false);
    expect(await isKnownName(store, "CUDNN")).toBe(true);
    expect(Array.isArray(await withoutVersion(store, "cudnn"))).toBe(true);
  });

  test("a job is never lost by those who are killed over it; what nobody comes to an end with is said to be so", async () => {
    const killed = await fresh();
    await push(killed, "k1", healthy);
    const again = async () => {
      await killed.rows("update job set until = now() - interval '1 second'");
      return (await takeJob(killed))!;
    };
    expect(await takeJob(killed)).toMatchObject({ tries: 1 });
    expect(await takeJob(killed)).toBeUndefined();
    // As the one process of an embedded database begins.
    await freeJobs(killed);
    for (let tries = 2; tries <= 20; tries++) expect(await again()).toMatchObject({ question: "", tries });
    expect(await openJobs(killed)).toBe(1);
    await doJob(killed, inThisThread(), await again());
    expect(await openJobs(killed)).toBe(0);
    expect((await listNodes(killed))[0]).toMatchObject({ name: "k1", status: "damaged" });
    const [verdict] = await killed.rows<{ problem: string }>("select problem from verdict");
    expect(verdict!.problem).toBe("it could not be judged: 20 times whoever tried it ended before it was done");
  });

  test("who differs from its group is told, and in what", async () => {
    const [outlier, ...others] = await deviations(store, "a");
    expect(others).toEqual([]);
    expect(outlier).toMatchObject({ node: "a3", has: 2, of: 3 });
    expect(outlier!.differences.map(({ what }) => what)).toEqual(expect.arrayContaining(["cudnn", "LD_LIBRARY_PATH"]));
    const other = structuredClone(healthy);
    other.files["/etc/ld.so.conf.d/zz.conf"] = { kind: "file", size: 5, text: "/opt\n" };
    await push(store, "a4", other, { group: "a", taken: clock(1) });
    await judgeAll(store);
    expect((await deviations(store, "a")).find(({ node }) => node === "a4")).toMatchObject({
      differences: [],
      facts: { amount: 1, paths: ["/etc/ld.so.conf.d/zz.conf"] },
    });
    // What was compared is remembered, and says the same.
    const [before, again] = [await deviations(store), await deviations(store)];
    expect(again).toEqual(before);
    expect((await store.rows("select 1 from comparison")).length).toBe(2);
    expect(await removeNode(store, "a4")).toBe(true);
  });

  test("findings come and go with what is pushed, and what was wrong from the start is no regression", async () => {
    expect(await regressions(store, new Date(0))).toEqual([]);
    await push(store, "a1", broken, { group: "a", taken: clock(3) });
    const came = (await regressions(store, new Date(Date.now() - 60_000))).filter(({ node }) => node === "a1");
    expect(came.length).toBeGreaterThan(0);
    expect(await regressions(store, new Date(Date.now() + 60_000))).toEqual([]);
    await push(store, "a1", healthy, { group: "a", taken: clock(4) });
    expect((await sightingsOf(store, "a1")).every(({ gone }) => gone !== null)).toBe(true);
    expect(await historyOf(store, "a1")).toHaveLength(3);
    expect(await regressions(store, new Date(0))).toEqual([]);
  });

  test("what only a newer release knows to be wrong did not become worse", async () => {
    const again = await fresh();
    await push(again, "n", healthy, { group: "a", taken: clock(1) });
    await judgeAll(again);
    await push(again, "n", broken, { group: "a", taken: clock(2) });
    await judgeAll(again);
    const came = await regressions(again, new Date(0));
    expect(came.length).toBeGreaterThan(0);
    // As if the release that judged it had known less.
    await again.rows("delete from sighting");
    await again.rows("update verdict set engine = 'older'");
    await requeue(again, engine);
    expect(await judgeAll(again)).toBe(2);
    expect((await sightingsOf(again, "n")).map(({ rule }) => rule)).toEqual(came.map(({ rule }) => rule));
    expect(await regressions(again, new Date(0))).toEqual([]);
    const told: unknown[] = [];
    const listener = http.createServer((request, response) => {
      request.on("data", (piece: Buffer) => told.push(piece.toString()));
      request.on("end", () => response.end());
    });
    await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
    const deliver = deliveryOf(again, [{ url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}` }], () => {});
    await deliver();
    expect(told).toEqual([]);
    // It comes again with a change: that is one.
    await push(again, "n", healthy, { group: "a", taken: clock(3) });
    await push(again, "n", broken, { group: "a", taken: clock(4) });
    expect((await regressions(again, new Date(0))).map(({ rule }) => rule)).toEqual(came.map(({ rule }) => rule));
    await deliver();
    expect(told).toHaveLength(1);
    listener.close();
  });

  test("another driver is judged for every distinct stack, as `culprit check --driver --gpu` judges it", async () => {
    const work = beginWork(store, inThisThread(), (sentence) => expect(sentence).toBe("nothing fails"));
    for (const supposed of [
      { driver: "470.57", gpus: ["A100"] },
      { driver: "590.44", gpus: ["V100"] },
      { driver: "580.95", gpus: ["B200"] },
    ]) {
      const answer = await whatIf(store, supposed, work.wake);
      expect(answer.judged).toEqual({ nodes: 3, stacks: 2 });
      for (const [name, told] of [
        ["a1", healthy],
        ["a3", broken],
      ] as const) {
        const { findings } = await checkStack(told, supposed);
        const mine = answer.findings
          .filter(({ nodes }) => nodes.includes(name))
          .map(({ effect: _effect, nodes: _nodes, ...finding }) => finding);
        const sorted = (all: object[]) => all.map((each) => JSON.stringify(sortedKeys(each))).sort();
        expect(sorted(mine)).toEqual(sorted(JSON.parse(JSON.stringify(findings)) as object[]));
      }
    }
    const old = await whatIf(store, { driver: "470.57", gpus: ["A100"] }, () => {});
    expect(old.outcomes.breaks).toBe(3);
    expect(old.waves.at(-1)).toMatchObject({ nodes: ["a1", "a2", "a3"] });
    await expect(whatIf(store, { driver: "470.57", pool: "nobody" }, () => {})).rejects.toThrow("no node is in the group `nobody`");
    await work.end();
  });

  test("many are taken in at once, each as if it had come by itself", async () => {
    const many = await fresh();
    await push(many, "m0", healthy, { group: "g", taken: clock(1) });
    await push(many, "x0", broken, { group: "g", taken: clock(1) });
    await judgeAll(many);
    const said = (name: string, told: Snapshot, taken: string, group = "g") => {
      const { manifest } = pushOf(told, { group, taken });
      return { name, digest: manifest.digest, taken, whole: manifest };
    };
    const first = [0, 1, 2, 3].map((index) => said(`m${index}`, healthy, clock(index === 0 ? 0 : 2)));
    const other = said("m9", caseSnapshot("cupy-13-and-nvrtc-wheel"), clock(2));
    const { whole: _whole, ...digestAlone } = said("m8", healthy, clock(2));
    expect([...(await takeInMany(many, [...first, other, digestAlone]))].map(([name, { state }]) => [name, state])).toEqual([
      ["m0", "refused"],
      ["m1", "stored"],
      ["m2", "stored"],
      ["m3", "stored"],
      ["m9", "lacking"],
      ["m8", "unknown"],
    ]);
    // Said again, by two at once: nothing changes, and nothing is written down twice.
    const again = first.slice(1).map((each) => ({ ...each, taken: clock(3) }));
    await Promise.all([takeInMany(many, again), takeInMany(many, again.toReversed())]);
    expect(await historyOf(many, "m1")).toHaveLength(1);
    // What came with a change is seen from then on.
    await takeInMany(many, [said("m1", broken, clock(4)), said("m2", healthy, clock(4), "other")]);
    expect((await sightingsOf(many, "m1")).map(({ rule }) => rule)).toEqual((await sightingsOf(many, "x0")).map(({ rule }) => rule));
    expect(await historyOf(many, "m1")).toHaveLength(2);
    expect((await regressions(many, new Date(Date.now() - 60_000))).map(({ node }) => node)).toContain("m1");
    expect((await listNodes(many)).map(({ name, group }) => `${name} ${group}`)).toEqual(["m0 g", "m1 g", "m2 other", "m3 g", "x0 g"]);
  });

  test("nothing is lost and nothing counted twice where many push at once", async () => {
    const many = await fresh();
    const stacks = [healthy, broken, caseSnapshot("cupy-13-and-nvrtc-wheel")];
    const pushed = await Promise.all(
      Array.from({ length: 60 }, async (_, index) =>
        push(many, `n${index % 40}`, stacks[index % 3]!, { group: "g", taken: clock(index / 60) }).catch((error: Error) => error.message),
      ),
    );
    expect(pushed.filter((each) => typeof each === "string" && !each.includes("something newer is known"))).toEqual([]);
    const rows = await listNodes(many);
    expect(rows.map(({ name }) => name).sort()).toEqual(Array.from({ length: 40 }, (_, index) => `n${index}`).sort());
    expect(await openJobs(many)).toBe(3);
    const jobs = (await Promise.all(Array.from({ length: 9 }, async () => takeJob(many)))).filter((each) => each !== undefined);
    expect(new Set(jobs.map(({ stack }) => stack)).size).toBe(jobs.length);
    expect(jobs.length).toBe(3);
  });

  test("what a transaction began and did not end is not there, whoever else writes meanwhile", async () => {
    const both = await fresh();
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) =>
        both
          .tx(async (sql) => {
            await sql.rows("insert into audit (who, did, subject) values ('x', 'y', $1)", [String(index)]);
            await new Promise((later) => setTimeout(later, 5));
            if (index % 2 === 1) throw new Error("no");
          })
          .catch(() => {}),
      ),
    );
    expect((await both.rows<{ subject: string }>("select subject from audit order by subject")).map(({ subject }) => subject)).toEqual([
      "0",
      "2",
      "4",
      "6",
    ]);
  });

  test("what is short while it is packed is measured before it is unpacked", async () => {
    const blanks = Array.from({ length: 6 }, (_, index) => `[${" ".repeat((30 << 20) + index)}]`);
    for (const text of blanks) await keepFacts(store, [text]);
    await expect(readFactsOfOne(store)(blanks.map(sha256))).rejects.toThrow("it holds more than a snapshot may");
    expect((await readFactsOfOne(store)([sha256(blanks[0]!)])).size).toBe(1);
    await store.rows("delete from fact where length > 1000000");
  });

  test("facts that no stack leads to are swept away, and no others", async () => {
    const before = (await store.one<{ amount: number }>("select count(*) as amount from fact"))!.amount;
    await keepFacts(store, ['{"kind":"absent","nobody":"names me"}']);
    expect(await sweep(store, 90)).toEqual({ stacks: 0, facts: 0 });
    await store.rows("update fact set at = now() - interval '2 hours'");
    await store.rows("update stack set at = now() - interval '2 hours'");
    await removeNode(store, "a4");
    const swept = await sweep(store, 0);
    expect(swept.facts).toBeGreaterThan(0);
    const after = (await store.one<{ amount: number }>("select count(*) as amount from fact"))!.amount;
    expect(after).toBe(before + 1 - swept.facts);
    for (const name of ["a1", "a3"]) {
      const { stack, own } = (await ownFacts(store, name))!;
      await expect(joinTold(stack, own, readFacts(store), joinLimits)).resolves.toBeDefined();
    }
  });

  test("tokens and notes of a server that was started before it was read stay beside those that are read", async () => {
    const [from, to] = [await fresh(), await fresh()];
    const names = ["first", "second", "third"];
    for (const note of names) await addToken(from, { token: `${note}-of-the-laptop`, scope: "read", note });
    await noteDown(from, "somebody", "made a token", "1");
    await addToken(to, { token: "of-the-server", scope: "admin", note: "own" });
    await noteDown(to, "somebody else", "made a token", "1");
    const lines: string[] = [];
    await from.tx(async (sql) => {
      for await (const line of exportLines(sql)) lines.push(line);
    });
    await importLines(
      to,
      (async function* () {
        yield* lines;
      })(),
    );
    expect((await listTokens(to)).map(({ note }) => note).sort()).toEqual(["first", "own", "second", "third"]);
    for (const note of names) expect(await holderOf(to, `${note}-of-the-laptop`)).toMatchObject({ scope: "read" });
    expect(await to.rows("select who from audit order by who")).toEqual([{ who: "somebody" }, { who: "somebody else" }]);
    expect(await addToken(to, { token: "one-more", scope: "read" })).toBeGreaterThan(4);
  });

  test("all of it goes into a file and comes back", async () => {
    const lines: string[] = [];
    await store.tx(async (sql) => {
      for await (const line of exportLines(sql)) lines.push(line);
    });
    const other = await fresh();
    expect(
      await importLines(
        other,
        (async function* () {
          yield* lines;
        })(),
      ),
    ).toBe(lines.length);
    expect(await listNodes(other)).toEqual(await listNodes(store));
    expect(await listFindings(other)).toEqual(await listFindings(store));
    expect(await push(other, "a9", healthy, { group: "a", taken: clock(9) })).toEqual(["unknown", "stored"]);
    await expect(
      importLines(
        other,
        (async function* () {
          yield* lines;
        })(),
      ),
    ).rejects.toThrow("not empty");
  });
});

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortedKeys(item)]),
  );
}
