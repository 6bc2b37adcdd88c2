// How much of what is sent at once a server holds, and whom it tells again.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { momentOf } from "../../packages/fleet/src/moment.ts";
import { likenessNotes } from "../../packages/fleet/src/report/likeness.ts";
import { differencesReport, versionsReport } from "../../packages/fleet/src/report/answers.ts";
import { linesIn } from "../../packages/fleet/src/server/body.ts";
import { roomOf } from "../../packages/fleet/src/server/room.ts";
import { deliveryOf } from "../../packages/fleet/src/server/webhooks.ts";
import { keepFacts } from "../../packages/fleet/src/store/facts.ts";
import { doJob } from "../../packages/fleet/src/judge/work.ts";
import { inThisThread } from "../../packages/fleet/src/judge/pool.ts";
import { takeJob } from "../../packages/fleet/src/store/jobs.ts";
import { takeIn } from "../../packages/fleet/src/store/nodes.ts";
import { likenesses, withoutVersion } from "../../packages/fleet/src/store/questions.ts";
import type { Store } from "../../packages/fleet/src/store/sql.ts";
import { caseSnapshot, pushOf } from "./cases.ts";
import { onBothEngines } from "./engines.ts";

test("what all send together has a bound, and what is given back can be taken again", () => {
  const room = roomOf({ bytes: 100, seats: 1 });
  const [first, second] = [room.enter(), room.enter()];
  first.take(60);
  expect(() => second.take(60)).toThrow(/too much is being sent/);
  second.leave();
  first.take(40);
  first.leave();
  first.leave();
  room.enter().take(100);
});

test("what is large is worked on in turn", async () => {
  const room = roomOf({ bytes: 100, seats: 2 });
  const visits = Array.from({ length: 5 }, () => room.enter());
  const seated: number[] = [];
  const all = visits.map(async (visit, index) => visit.sit().then(() => seated.push(index)));
  await Promise.all(all.slice(0, 2));
  expect(seated).toEqual([0, 1]);
  visits[1]!.leave();
  await all[2];
  expect(seated).toEqual([0, 1, 2]);
  for (const visit of visits) visit.leave();
  await Promise.all(all.slice(0, 4));
});

test("lines are counted before they are taken apart", () => {
  expect(linesIn(Buffer.from("a\n\nb\n"), 3)).toEqual(["a", "b"]);
  expect(() => linesIn(Buffer.alloc(1000, 10), 3)).toThrow("the body has more than 3 lines");
  expect(() => linesIn(Buffer.from("a\0b"), 3)).toThrow("character 0");
});

test("times before there were any are the first that there is", () => {
  for (const text of ["0000-01-01", "999999w", "1969-12-31"]) expect(momentOf(text)).toEqual(new Date(0));
  expect(momentOf("2026-13-01")).toBeUndefined();
});

test("what is pages long is told by its beginning", () => {
  const told = (here: string) =>
    differencesReport(
      [
        {
          node: "n",
          group: "",
          has: 2,
          of: 3,
          differences: [{ what: "X", usual: "none", here }],
          stack: "s",
          facts: { amount: 0, paths: [] },
        } as never,
      ],
      [],
    );
  expect(told("driver>=535,".repeat(200))).toMatch(/X: none → .{120}… \(2400 characters\)\n/);
  expect(told("cuda>=13.0")).toContain("X: none → cuda>=13.0\n");
});

test("where all differ from all, nobody is said to be like most", () => {
  expect(likenessNotes([], 0).join()).toMatch(/^No group has two machines/);
  expect(likenessNotes([{ group: "a", machines: 1, stacks: 1 }], 0).join()).toMatch(/^No group has two machines/);
  expect(likenessNotes([{ group: "a", machines: 3, stacks: 1 }], 0)).toEqual(["Every machine has what most of its group have."]);
  expect(
    likenessNotes(
      [
        { group: "a", machines: 3, stacks: 2 },
        { group: "b", machines: 3, stacks: 3 },
      ],
      1,
    ),
  ).toEqual(["No two of the 3 machines in b are alike: there is nothing that most of them have."]);
});

test("of machines without a known driver nobody says that it is new enough", () => {
  expect(versionsReport("driver<570", [], ["m1"])).toContain("? of 1 machine no driver is known: m1");
});

const healthy = caseSnapshot("h200-healthy");
const broken = caseSnapshot("h200-system-cudnn-first");

async function push(store: Store, name: string, told: typeof healthy, taken: string): Promise<void> {
  const { manifest, texts } = pushOf(told, { group: "g", taken });
  await keepFacts(store, [...texts.values()]);
  await takeIn(store, name, manifest, []);
  for (let job = await takeJob(store); job; job = await takeJob(store)) await doJob(store, inThisThread(), job);
}

async function hookThat(answers: () => number): Promise<{ url: string; bodies: string[]; server: http.Server }> {
  const bodies: string[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const status = answers();
      if (status === 200) bodies.push(body);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies, server };
}

onBothEngines((fresh) => {
  test("a node that changes to what another has is told of, and who has taken it is not told again because another was away", async () => {
    const store = await fresh();
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000 - 3_600_000).toISOString();
    await push(store, "sound", healthy, at(0));
    await push(store, "wrong", broken, at(0));
    let status = 500;
    const [here, away] = [await hookThat(() => 200), await hookThat(() => status)];
    const told: string[] = [];
    const deliver = deliveryOf(store, [{ url: here.url }, { url: away.url }], (sentence) => told.push(sentence));
    await deliver();
    expect([here.bodies, away.bodies]).toEqual([[], []]);
    // Nothing is to be judged: that stack is known.
    await push(store, "sound", broken, at(1));
    await deliver();
    await deliver();
    expect(here.bodies).toHaveLength(1);
    expect(away.bodies).toHaveLength(0);
    expect(told).toEqual([expect.stringContaining("answers with 500")]);
    status = 200;
    await new Promise((later) => setTimeout(later, 2100));
    await deliver();
    await deliver();
    expect([here.bodies.length, away.bodies.length]).toEqual([1, 1]);
    expect(away.bodies).toEqual(here.bodies);
    expect(JSON.parse(here.bodies[0]!)).toMatchObject({ regressions: [{ node: "sound", group: "g" }] });
    here.server.close();
    away.server.close();
  });

  test("who is alike, and whose driver is not known", async () => {
    const store = await fresh();
    const { files, ...rest } = healthy;
    const driverless = {
      ...rest,
      files: Object.fromEntries(Object.entries(files).filter(([path]) => !/^\/(?:proc\/driver|sys\/module\/nvidia)/.test(path))),
    };
    await push(store, "with", healthy, new Date().toISOString());
    await push(store, "without", driverless, new Date().toISOString());
    expect(await likenesses(store)).toEqual([{ group: "g", machines: 2, stacks: 2 }]);
    expect(await likenesses(store, "other")).toEqual([]);
    expect(await withoutVersion(store, "driver")).toEqual(["without"]);
    expect(await withoutVersion(store, "driver", "other")).toEqual([]);
    expect(await withoutVersion(store, "cudnn")).toEqual([]);
  });
});
