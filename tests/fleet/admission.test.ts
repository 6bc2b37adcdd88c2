// A cluster asks before a pod starts: what is told, what is refused, and that all else is let through.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Snapshot, Told } from "../../packages/core/src/index.ts";
import { admissionOf, namesOf, reviewIn } from "../../packages/fleet/src/admission.ts";
import { clientOf, type Client } from "../../packages/fleet/src/client.ts";
import { inThisThread } from "../../packages/fleet/src/judge/pool.ts";
import { serve, type Served } from "../../packages/fleet/src/server/serve.ts";
import { keepFacts } from "../../packages/fleet/src/store/facts.ts";
import { migrate } from "../../packages/fleet/src/store/migrations.ts";
import { takeIn } from "../../packages/fleet/src/store/nodes.ts";
import { openEmbedded, type Store } from "../../packages/fleet/src/store/sql.ts";
import { addToken } from "../../packages/fleet/src/store/tokens.ts";
import { caseSnapshot, pushOf } from "./cases.ts";

const admin = "culprit_admin_for_the_tests_of_admission_0123456";
let store: Store;
let served: Served;
let client: Client;
let token: string;
const told: string[] = [];

async function push(name: string, what: Told, group: string): Promise<void> {
  const { manifest, texts } = pushOf(what, { group });
  await keepFacts(store, [...texts.values()]);
  expect(await takeIn(store, name, manifest, [])).toEqual({ state: "stored" });
}

beforeAll(async () => {
  store = await openEmbedded(undefined);
  await migrate(store);
  await addToken(store, { token: admin, scope: "admin" });
  served = await serve({
    store,
    judges: inThisThread(),
    host: "127.0.0.1",
    port: 0,
    keepDays: 90,
    webhooks: [],
    told: (sentence) => told.push(sentence),
  });
  client = clientOf(served.address, admin);
  ({ token } = await client.addToken({ scope: "admit" }));
  const healthy = caseSnapshot("h200-healthy");
  await push("new-1", healthy, "new");
  await push(
    "old-1",
    JSON.parse(JSON.stringify(caseSnapshot("numba-with-cuda-12.6")).replaceAll("580.159.04", "535.104.05")) as Snapshot,
    "old",
  );
  const { files, ...rest } = healthy;
  // As the image that this root was made from: a host brings the driver.
  const own = Object.entries(files).filter(([path]) => !/^\/(?:proc|dev|sys)\/|nvidia\/?\d|libcuda\.so|libnvidia-/.test(path));
  await push("registry.example/app:1.2", { ...rest, target: { kind: "image", name: "image:app.tar" }, files: Object.fromEntries(own) }, "");
  for (;;) {
    const { nodes } = await client.nodes();
    if (nodes.every(({ status }) => status !== "waiting")) break;
    await new Promise((later) => setTimeout(later, 50));
  }
});
afterAll(async () => served.end());

const gpu = { limits: { "nvidia.com/gpu": 1 } };
const pod = (spec: object, kind = "Pod") => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "705ab4f5", operation: "CREATE", object: { kind, spec } },
});
const container = (image: string, resources: object = gpu) => ({ name: "main", image, resources });
const ask = async (body: unknown, at = `deny/${token}`, headers: { [name: string]: string } = {}) =>
  fetch(`${served.address}/api/v1/admission/${at}`, { method: "POST", body: JSON.stringify(body), headers });
const answerTo = async (body: unknown, at?: string) => {
  const response = await ask(body, at);
  expect(response.status).toBe(200);
  const answer = (await response.json()) as { apiVersion: string; kind: string; response: ReturnType<typeof admissionOf> };
  expect(answer).toMatchObject({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid: "705ab4f5" } });
  return answer.response;
};
const app = "registry.example/app:1.2";

/** The first asking may come before it is judged: then it is let through, and later asked again. */
async function settled(body: unknown, at?: string) {
  for (let tries = 0; ; tries++) {
    const answer = await answerTo(body, at);
    if (!answer.allowed || answer.warnings || tries === 20) return answer;
    await new Promise((later) => setTimeout(later, 200));
  }
}

test("where its driver is too old a pod is refused, or warned of, by name of the group", async () => {
  const old = pod({ nodeSelector: { "cloud.google.com/gke-nodepool": "old" }, containers: [container(app)] });
  const denied = await settled(old);
  expect(denied.allowed).toBe(false);
  expect(denied.status!.message).toMatch(/^nowhere that it may be put does it run: registry\.example\/app:1\.2 on old: .*535\.104\.05/);
  const warned = await settled(old, `warn/${token}`);
  expect(warned.allowed).toBe(true);
  expect(warned.warnings).toEqual([expect.stringContaining("on old: ")]);
  expect(warned.warnings!.every((each) => each.length <= 250 && !each.includes("\n"))).toBe(true);
});

test("where it runs nothing is said, and one group that it could be put on is enough", async () => {
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "pool", operator: "In", values: ["new"] }] }],
      },
    },
  };
  expect(await answerTo(pod({ affinity, containers: [container(app)] }))).toEqual({ uid: "705ab4f5", allowed: true });
  // No selector: it may get to either.
  const anywhere = await settled(pod({ containers: [container(app)] }));
  expect(anywhere).toMatchObject({ allowed: true, warnings: [expect.stringContaining("on old: ") as string] });
});

test("what makes pods is judged by the pods that it makes", async () => {
  const spec = { nodeSelector: { pool: "old" }, containers: [container(app)] };
  for (const [kind, whole] of [
    ["Deployment", { template: { spec } }],
    ["CronJob", { jobTemplate: { spec: { template: { spec } } } }],
  ] as const)
    expect((await settled(pod(whole, kind))).allowed).toBe(false);
});

test("what has no GPU, is not known, or goes away is let through", async () => {
  expect(await answerTo(pod({ nodeSelector: { pool: "old" }, containers: [container(app, {})] }))).toEqual({
    uid: "705ab4f5",
    allowed: true,
  });
  const unknown = await answerTo(pod({ containers: [container("nobody/pushed:1")] }));
  expect(unknown).toEqual({
    uid: "705ab4f5",
    allowed: true,
    warnings: ["nobody/pushed:1 was not pushed to the fleet: whether it runs is not known"],
  });
  const removed = { ...pod({}), request: { uid: "705ab4f5", operation: "DELETE", object: null } };
  expect(await answerTo(removed)).toEqual({ uid: "705ab4f5", allowed: true });
  for (const spec of [null, [], { containers: "x" }, { containers: [null, { image: 5, resources: gpu }] }, { nodeSelector: [] }])
    expect((await answerTo(pod(spec as object))).allowed).toBe(true);
});

test("where the database fails in the middle the pod starts, and the log has no token", async () => {
  const rows = store.rows;
  store.rows = async (text, values) => {
    if (text.includes("kind in ('machine'")) throw new Error("the database is away");
    return rows(text, values);
  };
  try {
    const answer = await answerTo(pod({ containers: [container(app)] }));
    expect(answer).toEqual({ uid: "705ab4f5", allowed: true, warnings: ["culprit could not judge this pod now"] });
  } finally {
    store.rows = rows;
  }
  expect(told.at(-1)).toContain("the database is away");
  expect(told.join("\n")).not.toContain(token);
});

test("a token for admission is good for nothing else, and no other is taken from an address", async () => {
  const body = pod({ containers: [container(app)] });
  const problem = async (response: Response) => `${response.status} ${((await response.json()) as { problem: string }).problem}`;
  expect((await ask(body, "warn", { authorization: `Bearer ${token}` })).status).toBe(200);
  expect((await ask(body, "warn", { authorization: `Bearer ${admin}` })).status).toBe(200);
  expect(await problem(await ask(body, `warn/${admin}`))).toBe("403 a token in the address is one for admission, and no other");
  expect(await problem(await ask(body, "warn"))).toContain("401 a token is needed");
  expect(await problem(await ask(body, "warn/nobody"))).toContain("401 this token is not known");
  const read = await client.addToken({ scope: "read" });
  expect(await problem(await ask(body, "warn", { authorization: `Bearer ${read.token}` }))).toBe(
    "403 this token is for reading: this needs one for admission",
  );
  await expect(clientOf(served.address, token).nodes()).rejects.toThrow("this token is for admission: this needs one for reading");
  expect(await problem(await ask(body, `maybe/${token}`))).toContain("404 the last word");
  for (const wrong of [{}, { kind: "AdmissionReview" }, { ...body, apiVersion: "admission.k8s.io/v1beta1" }, { ...body, request: {} }])
    expect(await problem(await ask(wrong))).toBe("400 the body is no AdmissionReview of admission.k8s.io/v1");
  expect(await (await fetch(`${served.address}/metrics`)).text()).toMatch(/^culprit_fleet_admissions_total\{answer="denied"\} [1-9]/m);
});

test.each([
  ["app", ["app", "app:latest", "docker.io/app", "docker.io/library/app:latest"], ["app:1"]],
  ["docker.io/library/app:1", ["app:1", "docker.io/app:1", "library/app:1"], ["app", "app:latest"]],
  ["someone/app:1", ["docker.io/someone/app:1"], ["app:1", "docker.io/library/someone/app:1"]],
  ["localhost/app:1", ["localhost/app:1"], ["docker.io/localhost/app:1"]],
  ["host:5000/app", ["host:5000/app", "host:5000/app:latest"], ["app"]],
  ["host.example/app:1@sha256:0a", ["host.example/app@sha256:0a", "host.example/app:1@sha256:0a"], ["host.example/app:1"]],
])("%s may have been pushed by other names of the same image", (image, may, not) => {
  expect(namesOf(image)).toEqual(expect.arrayContaining(may));
  for (const each of not) expect(namesOf(image)).not.toContain(each);
});

test("what is only possible, or leaves something that works, is never refused", () => {
  const judged = [
    { program: "torch", activities: [] },
    { program: "jax", activities: [] },
  ];
  const now = { judged, findings: [] } as never;
  const finding = (certainty: string, frameworks: string[], activity = "device") => ({
    rule: "r",
    subject: `${certainty}${frameworks.join("")}`,
    severity: "error",
    certainty,
    message: "too old",
    breaks: frameworks.map((framework) => ({ framework, activity })),
  });
  const allowed = (...findings: object[]) =>
    admissionOf("u", "deny", [
      { image: "i", known: true, places: [{ group: "g", pair: { now, supposed: { judged, findings } as never } }] },
    ]).allowed;
  expect(allowed(finding("certain", ["torch", "jax"]))).toBe(false);
  expect(allowed(finding("possible", ["torch", "jax"]))).toBe(true);
  expect(allowed(finding("certain", ["torch"]))).toBe(true);
  expect(allowed(finding("certain", ["torch", "jax"], "profile"))).toBe(true);
  expect(admissionOf("u", "deny", [{ image: "i", known: true, places: [{ group: "g", pair: { problem: "?" } }] }]).allowed).toBe(true);
});

test("of a review only so many images and selectors are looked at", () => {
  const many = pod({ containers: Array.from({ length: 1000 }, (_, index) => container(`i${index}`)) });
  expect(reviewIn(many)!.pod!.images).toHaveLength(50);
});
