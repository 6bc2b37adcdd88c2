// The API as anybody may use it: who is let in, what is refused, in one sentence, and what nobody gets the server to do.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from "jose";
import { Compile } from "typebox/schema";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { send } from "../../packages/cli/src/push/part.ts";
import { checkStack, type Manifest } from "../../packages/core/src/index.ts";
import { clientOf, type Client } from "../../packages/fleet/src/client.ts";
import { inThisThread } from "../../packages/fleet/src/judge/pool.ts";
import { doJob } from "../../packages/fleet/src/judge/work.ts";
import { appOf } from "../../packages/fleet/src/server/app.ts";
import { rateLimit } from "../../packages/fleet/src/server/limits.ts";
import { openApi } from "../../packages/fleet/src/server/openapi.ts";
import { peopleOf } from "../../packages/fleet/src/server/people.ts";
import { serve, type Served } from "../../packages/fleet/src/server/serve.ts";
import { keepFacts } from "../../packages/fleet/src/store/facts.ts";
import { takeJob } from "../../packages/fleet/src/store/jobs.ts";
import { migrate } from "../../packages/fleet/src/store/migrations.ts";
import { takeIn } from "../../packages/fleet/src/store/nodes.ts";
import { openEmbedded, type Store } from "../../packages/fleet/src/store/sql.ts";
import { addToken, isAmong } from "../../packages/fleet/src/store/tokens.ts";
import { bomb, caseSnapshot, pushOf } from "./cases.ts";

const admin = "culprit_admin_for_the_tests_of_the_server_01234";
let store: Store;
let served: Served;
let client: Client;
let issuer: Awaited<ReturnType<typeof startIssuer>>;
const told: string[] = [];
const hooked: { body: string; signature: string | undefined }[] = [];
let hook: http.Server;

beforeAll(async () => {
  store = await openEmbedded(undefined);
  await migrate(store);
  await addToken(store, { token: admin, scope: "admin" });
  issuer = await startIssuer();
  hook = http.createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      hooked.push({ body, signature: request.headers["x-culprit-signature"] as string | undefined });
      response.end();
    });
  });
  const port = await listening(hook);
  served = await serve({
    store,
    judges: inThisThread(),
    host: "127.0.0.1",
    port: 0,
    keepDays: 90,
    webhooks: [{ url: `http://127.0.0.1:${port}/`, secret: "shared" }],
    people: peopleOf({ url: issuer.url, audience: "culprit-fleet", admins: "platform" }),
    told: (sentence) => told.push(sentence),
  });
  client = clientOf(served.address, admin);
});
afterAll(async () => {
  await served.end();
  issuer.server.close();
  hook.close();
});

const listening = async (server: http.Server): Promise<number> =>
  new Promise((done) => server.listen(0, "127.0.0.1", () => done((server.address() as net.AddressInfo).port)));

async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const key = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256" };
  let url = "";
  const server = http.createServer((request, response) =>
    response.end(JSON.stringify(request.url === "/keys" ? { keys: [key] } : { issuer: url, jwks_uri: `${url}/keys` })),
  );
  url = `http://127.0.0.1:${await listening(server)}`;
  const sign = async (claims: object, expires = "1h") =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setIssuer(url)
      .setAudience("culprit-fleet")
      .setSubject("ann")
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(privateKey);
  /** Whatever it says. */
  const signed = async (claims: JWTPayload) => new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(privateKey);
  return { url, sign, signed, server };
}

const ask = async (path: string, token?: string, init: RequestInit = {}) =>
  fetch(`${served.address}${path}`, {
    ...init,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...init.headers },
  });
const problem = async (response: Response) => {
  const { problem: sentence } = (await response.json()) as { problem: string };
  expect(sentence).toMatch(/^[^\n]{5,250}$/);
  return `${response.status} ${sentence}`;
};
const post = async (path: string, body: unknown, token = admin, headers: { [name: string]: string } = {}) =>
  ask(path, token, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), headers });

const healthy = caseSnapshot("h200-healthy");
const broken = caseSnapshot("h200-system-cudnn-first");
const pushed = (name: string, manifest: Manifest, facts: Map<string, string>, token = admin) =>
  send({ server: served.address, token, spool: "/nonexistent/spool", push: { name, manifest, facts } });
const judged = async (name: string) => {
  for (;;) {
    const node = await client.node(name);
    if (node.status !== "waiting") return node;
    await new Promise((later) => setTimeout(later, 50));
  }
};

test("a node pushes, and its digest is enough from then on", async () => {
  const { manifest, texts } = pushOf(healthy, { group: "g" });
  expect(await pushed("n1", manifest, texts)).toMatchObject({ state: "stored", sent: texts.size });
  expect(await pushed("n2", manifest, texts)).toMatchObject({ state: "stored", sent: 0 });
  const later = { ...manifest, taken: new Date().toISOString() };
  expect(await pushed("n1", later, texts)).toMatchObject({ state: "unchanged", sent: 0 });
  expect(JSON.stringify({ digest: later.digest, taken: later.taken }).length).toBeLessThanOrEqual(200);
  expect((await judged("n1")).status).toBe((await checkStack(healthy)).status);
});

test("what came with a change is told to webhooks, signed, and what was there from the start is not", async () => {
  const before = hooked.length;
  const { manifest, texts } = pushOf(broken, { group: "g" });
  await pushed("n2", manifest, texts);
  const node = await judged("n2");
  expect(node.history).toHaveLength(2);
  const errors = node.findings.filter(({ severity, gone }) => severity === "error" && gone === null);
  expect(errors.length).toBeGreaterThan(0);
  while (hooked.length === before) await new Promise((later) => setTimeout(later, 50));
  const { createHmac } = await import("node:crypto");
  const { body, signature } = hooked.at(-1)!;
  expect(signature).toBe(`sha256=${createHmac("sha256", "shared").update(body).digest("hex")}`);
  expect((JSON.parse(body) as { regressions: { node: string }[] }).regressions.map(({ node: name }) => name)).toEqual(
    errors.map(() => "n2"),
  );
  expect(before).toBe(0);
});

test("health, metrics and the document of the API need no token; all else does", async () => {
  expect(await (await ask("/healthz")).json()).toEqual({ status: "ok" });
  const metrics = await (await ask("/metrics")).text();
  expect(metrics).toMatch(/^culprit_fleet_nodes\{status="\w[\w-]*"\} \d+$/m);
  expect(metrics).not.toContain("n1");
  expect(await (await ask("/openapi.json")).json()).toEqual(JSON.parse(JSON.stringify(openApi)));
  for (const path of Object.keys(openApi.paths).filter((each) => each.startsWith("/api/"))) {
    const at = path.replace("{name}", "n1").replace("{id}", "1").replace("{mode}", "warn");
    // Its token is in the address: a wrong one is what comes without one.
    if (path.includes("{token}")) {
      expect(await problem(await ask(at, undefined, { method: "POST" }))).toContain("401 this token is not known");
      continue;
    }
    for (const method of Object.keys(openApi.paths[path as keyof typeof openApi.paths]))
      expect(await problem(await ask(at, undefined, { method: method.toUpperCase() }))).toContain("401 a token is needed");
  }
});

test("the document names every route, and no other", () => {
  const app = appOf({ store, wake: () => {}, told: () => {} });
  const routes = app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`);
  const documented = Object.entries(openApi.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  expect([...new Set(routes)].sort()).toEqual(documented.sort());
});

test("every answer is as the document says", async () => {
  const read: [path: string, at: string][] = [
    ["/healthz", "/healthz"],
    ["/api/v1/nodes", "/api/v1/nodes"],
    ["/api/v1/nodes/{name}", "/api/v1/nodes/n2"],
    ["/api/v1/findings", "/api/v1/findings?all=true"],
    ["/api/v1/versions", "/api/v1/versions?bound=cudnn<99"],
    ["/api/v1/differences", "/api/v1/differences"],
    ["/api/v1/regressions", "/api/v1/regressions?since=7d"],
    ["/api/v1/tokens", "/api/v1/tokens"],
    ["/api/v1/audit", "/api/v1/audit"],
  ];
  type Documented = { responses: { [status: string]: { content: { [type: string]: { schema: object } } } } };
  const documents = openApi.paths as unknown as { [path: string]: { [method: string]: Documented } };
  const held = (path: string, method: string, status: number, answer: unknown) => {
    const { schema } = documents[path]![method]!.responses[status]!.content["application/json"]!;
    const [isGood, errors] = Compile(schema).Errors(answer);
    expect([path, isGood, errors.slice(0, 2)]).toEqual([path, true, []]);
  };
  for (const [path, at] of read) {
    const response = await ask(at, admin);
    expect([path, response.status]).toEqual([path, 200]);
    held(path, "get", 200, await response.json());
  }
  for (const asked of [{ driver: "470.57", gpus: ["A100"] }, { without: ["cudnn"] }, { replace: ["torch==2.6.0"], pool: "g" }])
    held("/api/v1/whatif", "post", 200, await (await post("/api/v1/whatif", asked)).json());
  held("/api/v1/tokens", "post", 200, await (await post("/api/v1/tokens", { scope: "read", days: 1 })).json());
  held("/api/v1/nodes/{name}", "get", 404, await (await ask("/api/v1/nodes/nobody", admin)).json());
});

test("an empty answer about a misspelt name is none", async () => {
  for (const path of ["nodes", "findings", "differences", "regressions", "versions?bound=cudnn<9.1"])
    expect(await problem(await ask(`/api/v1/${path}${path.includes("?") ? "&" : "?"}group=nobody`, admin))).toBe(
      "404 no node is in the group `nobody`",
    );
  for (const [asked, said] of [
    [{ pool: "nobody" }, "404 no node is in the group `nobody`"],
    [{ nodes: "nobody*" }, "404 there is no node called `nobody*`"],
    [{ pool: "g", nodes: "nobody" }, "404 no node called `nobody` is in the group `g`"],
  ] as const)
    expect(await problem(await post("/api/v1/whatif", { driver: "580", ...asked }))).toBe(said);
});

test("a token is for what it is for, until it ends", async () => {
  const node = await client.addToken({ scope: "node", nodes: "a100-*" });
  const read = await client.addToken({ scope: "read", note: "<b>'; drop table token; --" });
  const { manifest, texts } = pushOf(healthy, { group: "g" });
  expect(await pushed("a100-1", manifest, texts, node.token)).toMatchObject({ state: "stored" });
  expect(await pushed("n1", manifest, texts, node.token)).toMatchObject({
    problem: expect.stringContaining("may not push as `n1`") as string,
  });
  expect(await problem(await ask("/api/v1/nodes", node.token))).toContain("403 this token is for pushing");
  expect(await problem(await ask("/api/v1/nodes/n1/snapshot", node.token))).toContain("403");
  expect(await problem(await post("/api/v1/nodes/n1", {}, read.token))).toContain("403 this token is for reading");
  for (const token of [node.token, read.token]) {
    expect(await problem(await ask("/api/v1/tokens", token))).toContain("403");
    expect(await problem(await post("/api/v1/tokens", { scope: "admin" }, token))).toContain("403");
    expect(await problem(await ask("/api/v1/nodes/n1", token, { method: "DELETE" }))).toContain("403");
    expect(await problem(await ask("/api/v1/audit", token))).toContain("403");
  }
  await client.revokeToken(String(read.id));
  expect(await problem(await ask("/api/v1/nodes", read.token))).toContain("401 this token was revoked");
  await addToken(store, { token: "expired-token-of-thirty-two-characters", scope: "read", expires: new Date(Date.now() - 1000) });
  expect(await problem(await ask("/api/v1/nodes", "expired-token-of-thirty-two-characters"))).toContain("401 this token expired");
  expect(await problem(await ask("/api/v1/nodes", "nobody"))).toContain("401 this token is not known");
  const kept = JSON.stringify(await store.rows("select * from token"));
  expect(kept).not.toContain(node.token);
  const audit = (await (await ask("/api/v1/audit", admin)).json()) as { audit: { did: string }[] };
  expect(audit.audit.map(({ did }) => did)).toEqual(expect.arrayContaining(["made a token", "revoked a token"]));
});

test("many are told at once by whoever may speak for them, and for no other", async () => {
  const relay = await client.addToken({ scope: "node", nodes: "rack1-*" });
  const { manifest } = pushOf(healthy, { group: "g" });
  const { digest } = manifest;
  const said = ["rack1-a", "rack1-b", "n1"].map((name) => ({ name, ...manifest, taken: new Date().toISOString() }));
  const first = await clientOf(served.address, relay.token).push(said);
  expect(first).toEqual({
    unchanged: 0,
    nodes: {
      "rack1-a": { state: "stored" },
      "rack1-b": { state: "stored" },
      n1: { state: "refused", problem: "this token may not push as `n1`" },
    },
  });
  const later = ["rack1-a", "rack1-b"].map((name) => ({ name, digest, taken: new Date().toISOString() }));
  expect(await clientOf(served.address, relay.token).push(later)).toEqual({ unchanged: 2, nodes: {} });
  const wrong: unknown[] = [
    {},
    { nodes: {} },
    { nodes: ["n1"] },
    { nodes: [later[0], later[0]] },
    { nodes: [{ ...later[0], name: "a\u0000b" }] },
    { nodes: [{ ...manifest, name: "rack1-a", digest: "0".repeat(64) }] },
    { nodes: Array.from({ length: 5001 }, () => later[0]) },
  ];
  for (const body of wrong) expect(await problem(await post("/api/v1/nodes", body, relay.token))).toMatch(/^400 /);
  const read = await client.addToken({ scope: "read" });
  expect(await problem(await post("/api/v1/nodes", { nodes: later }, read.token))).toContain("403");
  for (const name of ["rack1-a", "rack1-b"]) await client.removeNode(name);
});

test("people come with tokens of their issuer, and only with those", async () => {
  expect((await ask("/api/v1/nodes", await issuer.sign({}))).status).toBe(200);
  expect(await problem(await ask("/api/v1/tokens", await issuer.sign({})))).toContain("403");
  expect((await ask("/api/v1/tokens", await issuer.sign({ groups: ["platform"] }))).status).toBe(200);
  expect(await problem(await ask("/api/v1/nodes", await issuer.sign({}, "-1h")))).toContain("401 this token expired");
  const [head, claims] = (await issuer.sign({})).split(".");
  expect(await problem(await ask("/api/v1/nodes", `${head}.${claims}.AAAA`))).toContain("401");
  const other = await generateKeyPair("RS256");
  const forged = await new SignJWT({ groups: ["platform"] })
    .setProtectedHeader({ alg: "RS256", kid: "one" })
    .setIssuer(issuer.url)
    .setAudience("culprit-fleet")
    .setSubject("eve")
    .setExpirationTime("1h")
    .sign(other.privateKey);
  expect(await problem(await ask("/api/v1/nodes", forged))).toContain("401");
  // Of another issuer, for another service, and signed with what everybody knows: the public key.
  const { keys } = (await (await fetch(`${issuer.url}/keys`)).json()) as { keys: object[] };
  const hour = Math.floor(Date.now() / 1000) + 3600;
  const shared = new TextEncoder().encode(JSON.stringify(keys[0]));
  for (const [claim, secret] of [
    [{ iss: "https://other.example", aud: "culprit-fleet", sub: "eve", exp: hour }, undefined],
    [{ iss: issuer.url, aud: "another-service", sub: "eve", exp: hour }, undefined],
    [{ iss: issuer.url, aud: "culprit-fleet", sub: "eve", exp: hour, groups: ["platform"] }, shared],
  ] as const) {
    const made = secret
      ? await new SignJWT({ ...claim }).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(secret)
      : await issuer.signed({ ...claim });
    expect(await problem(await ask("/api/v1/nodes", made))).toBe("401 this token is not one of the issuer's for this fleet");
  }
  const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.x`;
  expect(await problem(await ask("/api/v1/nodes", none))).toContain("401");
});

test("an issuer may call itself with a slash at the end; one that is away is not asked by every request", async () => {
  const audience = "culprit-fleet";
  expect(await peopleOf({ url: `${issuer.url}/`, audience })(await issuer.sign({}))).toMatchObject({ scope: "read" });
  let asked = 0;
  const away = http.createServer((_, response) => {
    asked += 1;
    response.writeHead(503).end("no");
  });
  await new Promise<void>((listening) => away.listen(0, "127.0.0.1", listening));
  const people = peopleOf({ url: `http://127.0.0.1:${(away.address() as net.AddressInfo).port}`, audience });
  for (let times = 0; times < 5; times++) await expect(people("a.b.c")).rejects.toThrow();
  away.close();
  expect(asked).toBe(1);
});

test("who asks for metrics all the time does not ask the database all the time", async () => {
  let asked = 0;
  const idle = await openEmbedded(undefined);
  await migrate(idle);
  const counted = { ...idle, rows: async (...words: Parameters<typeof idle.rows>) => ((asked += 1), idle.rows(...words)) } as typeof idle;
  const app = appOf({ store: counted, wake: () => {}, told: () => {} });
  const texts = await Promise.all(Array.from({ length: 50 }, async () => (await app.request("/metrics")).text()));
  expect(asked).toBeLessThan(5);
  for (const text of texts) expect(text).toMatch(/^culprit_fleet_stacks 0$/m);
  // What this process counts itself is as it is now.
  expect(await (await app.request("/metrics")).text()).toContain('culprit_fleet_requests_total{status="200"} 50');
  await idle.end();
});

test("what is recorded and sent again changes nothing", async () => {
  const { manifest, texts } = pushOf(healthy, { group: "g" });
  await pushed("replayed", manifest, texts);
  const { manifest: newer, texts: more } = pushOf(broken, { group: "g" });
  await pushed("replayed", newer, more);
  expect(await pushed("replayed", manifest, texts)).toMatchObject({
    problem: expect.stringContaining("something newer is known") as string,
  });
  expect((await client.node("replayed")).stack).toBe(newer.stack);
});

const hostile = [
  "'; drop table node; --",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "%00",
  "a/../../etc/passwd",
  "ünï©ode",
  "$1",
  "\\'",
  "*",
  "n%",
];

test.each(hostile)("%s is a name like any other", async (text) => {
  const { manifest, texts } = pushOf(healthy, { group: text });
  const answer = await pushed(text, manifest, texts);
  expect(answer).toMatchObject({ state: "stored" });
  const { nodes } = await client.nodes(text);
  expect(nodes.map(({ name, group }) => [name, group])).toEqual([[text, text]]);
  const response = await ask(`/api/v1/nodes/${encodeURIComponent(text)}`, admin);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  for (const path of ["findings", "differences", "regressions"])
    expect((await ask(`/api/v1/${path}?group=${encodeURIComponent(text)}`, admin)).status).toBe(200);
  expect((await (await post("/api/v1/whatif", { driver: "580", pool: text, nodes: text })).json()) as object).toMatchObject({
    schema: "culprit/whatif@1",
  });
  expect(await client.removeNode(text)).toEqual({ removed: text });
});

test("characters and values that no database takes are refused, and not tried", async () => {
  const before = told.length;
  for (const method of ["GET", "DELETE"]) expect(await problem(await ask("/api/v1/nodes/a%00b", admin, { method }))).toMatch(/^400 /);
  expect(await problem(await ask("/api/v1/nodes/a%00b/snapshot", admin))).toMatch(/^400 /);
  expect(await problem(await ask("/api/v1/findings?group=a%00b", admin))).toMatch(/^404 no node is in the group/);
  for (const gpus of [[{ toString: 1 }], [null], ["x".repeat(5000)]])
    expect(await problem(await post("/api/v1/whatif", { gpus }))).toMatch(/^400 /);
  const { manifest, texts } = pushOf(healthy, { group: "g", taken: "-271821-04-20T00:00:00.000Z" });
  expect(await pushed("early", manifest, texts)).toMatchObject({ problem: expect.stringContaining("`taken` is not a time") as string });
  expect(told.slice(before)).toEqual([]);
});

test("what cannot be read is refused in one sentence", async () => {
  const { manifest } = pushOf(healthy, { group: "g" });
  const wrong: [unknown, string][] = [
    ["", "400"],
    ["no JSON", "400"],
    ["[]", "400"],
    ["{}", "400 `digest`"],
    [{ digest: "x", taken: "" }, "400 `digest`"],
    [{ ...manifest, taken: 5 }, "400 `taken`"],
    [{ ...manifest, own: [] }, "400 `own`"],
    [{ ...manifest, group: "a\u0000b" }, "400"],
    [{ ...manifest, group: "a\u202eb" }, "400"],
    [{ ...manifest, facts: ["x"] }, "400 `facts`"],
    [{ ...manifest, digest: "0".repeat(64) }, "400 `digest` is not that of"],
    [`${"[".repeat(50_000)}${"]".repeat(50_000)}`, "400"],
  ];
  for (const [body, start] of wrong) expect(await problem(await post("/api/v1/nodes/n9", body))).toContain(start);
  for (const name of ["%0a", "%E2%80%AE", "a".repeat(201)])
    expect(await problem(await post(`/api/v1/nodes/${name}`, manifest))).toContain("400");
  for (const body of [{}, { driver: "580; drop table node" }, { gpus: ["no such GPU"] }, { driver: 580 }, { driver: "580", gpus: "B200" }])
    expect(await problem(await post("/api/v1/whatif", body))).toContain("400");
  for (const bound of ["", "cudnn", "cudnn<", "cudnn<x", "a'b<1"])
    expect(await problem(await ask(`/api/v1/versions?bound=${encodeURIComponent(bound)}`, admin))).toContain("400");
  expect(await problem(await ask("/api/v1/versions?bound=cudn<9", admin))).toContain("404 no node has");
  expect(await problem(await ask("/api/v1/regressions?since=tomorrow", admin))).toContain("400");
  expect(await problem(await ask("/api/v1/nodes/nobody", admin))).toContain("404");
  expect(await problem(await ask("/nothing", admin))).toContain("404");
});

test("what is no request is refused in a sentence, too", async () => {
  const said = async (bytes: string) =>
    new Promise<string>((done) => {
      let answer = "";
      const socket = net.connect(Number(new URL(served.address).port), "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (piece) => (answer += piece.toString()));
      socket.on("close", () => done(answer));
    });
  const long = "a".repeat(20_000);
  expect(await said(`GET / HTTP/1.1\r\nhost: x\r\nx: ${long}\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 431 [^]*"problem":"the address and the headers/,
  );
  expect(await said(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 400 [^]*"problem":"this is no request that HTTP allows"/,
  );
  expect(await problem(await ask("/api/v1/nodes/n9/facts", admin, { method: "POST", body: "\n".repeat(200_001) }))).toBe(
    "413 the body has more than 200,000 lines",
  );
  expect((await ask("/api/v1/regressions?since=999999w", admin)).status).toBe(200);
});

test("who asks for many roll-outs at once waits for his own", async () => {
  const idle = await openEmbedded(undefined);
  await migrate(idle);
  await addToken(idle, { token: admin, scope: "admin" });
  const { manifest, texts } = pushOf(caseSnapshot("alpine-program-on-debian"));
  await keepFacts(idle, [...texts.values()]);
  await takeIn(idle, "n1", manifest, []);
  const app = appOf({ store: idle, wake: () => {}, told: () => {} });
  const asked = async (driver: string) =>
    app.request("/api/v1/whatif", { method: "POST", headers: { authorization: `Bearer ${admin}` }, body: JSON.stringify({ driver }) });
  let answered = 0;
  const waiting = ["535.1", "535.2", "535.3", "535.4"].map(async (driver) => asked(driver).finally(() => (answered += 1)));
  const others = await Promise.all([asked("535.5"), asked("535.6")]);
  expect(others.map(({ status }) => status)).toEqual([429, 429]);
  while (answered < waiting.length) {
    const job = await takeJob(idle);
    if (job) await doJob(idle, inThisThread(), job);
    else await new Promise((later) => setTimeout(later, 10));
  }
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await asked("535.1")).status).toBe(200);
  await idle.end();
});

test("bombs are refused, and facts under names that are not theirs cannot be brought", async () => {
  const zeros = gzipSync(Buffer.alloc(200 << 20));
  expect(
    await problem(await ask("/api/v1/nodes/n9/facts", admin, { method: "POST", body: zeros, headers: { "content-encoding": "gzip" } })),
  ).toContain("413");
  expect(
    await problem(
      await ask("/api/v1/nodes/n9/facts", admin, { method: "POST", body: "not packed", headers: { "content-encoding": "gzip" } }),
    ),
  ).toContain("400");
  expect(
    await problem(await ask("/api/v1/nodes/n9/facts", admin, { method: "POST", body: "x", headers: { "content-encoding": "br" } })),
  ).toContain("400");
  expect(await problem(await ask("/api/v1/nodes/n9/facts", admin, { method: "POST", body: Buffer.alloc(17 << 20, 120) }))).toContain("413");
  // A stack whose folders hold each other, and one that names what is not there.
  const { sha256 } = await import("../../packages/fleet/src/store/facts.ts");
  const { manifestDigest } = await import("../../packages/core/src/index.ts");
  const { stack, texts: facts, keep } = bomb();
  const own = { culprit: "0", target: { kind: "machine" as const } };
  const manifest = { stack, own, group: "", taken: new Date().toISOString(), digest: manifestDigest(stack, own, "", sha256) };
  expect(await pushed("bomb", manifest, facts)).toMatchObject({
    problem: expect.stringContaining("holds more than a snapshot may") as string,
  });
  const hollow = keep([{ target: { kind: "machine" } }, "1".repeat(64)]);
  expect(await pushed("hollow", { ...manifest, stack: hollow, digest: manifestDigest(hollow, own, "", sha256) }, facts)).toMatchObject({
    problem: expect.stringContaining("is not there") as string,
  });
  expect((await ask("/api/v1/nodes/bomb", admin)).status).toBe(404);
});

test("facts that are no snapshot are named, and the others go on", async () => {
  const nonsense = { ...structuredClone(healthy), cpu: "fast" as never };
  const { manifest, texts } = pushOf(nonsense, { group: "g" });
  await pushed("nonsense", manifest, texts);
  expect((await judged("nonsense")).status).toBe("damaged");
  const answer = await client.whatIf({ driver: "580.95", nodes: "nonsense" });
  expect(answer.outcomes.unknown).toBe(1);
  expect(answer.unknown[0]!.reason).toContain("not a snapshot");
  await client.removeNode("nonsense");
});

test("strings in facts are text: SQL and HTML in paths, variables and names of packages change nothing", async () => {
  const told = structuredClone(healthy);
  const site = "/opt/torch/.venv/lib/python3.12/site-packages";
  for (const text of hostile.filter((each) => !each.includes("/"))) {
    told.environment[`X_${text}`] = text;
    told.files[`/etc/ld.so.conf.d/${text}.conf`] = { kind: "file", size: text.length, text };
    told.files[`${site}/${text}-1.dist-info/METADATA`] = { kind: "file", size: 40, text: `Name: ${text}\nVersion: ${text}\n` };
  }
  const folder = told.files[site];
  if (folder?.kind === "folder") folder.names?.push(...hostile.filter((each) => !each.includes("/")).map((each) => `${each}-1.dist-info`));
  const { manifest, texts } = pushOf(told, { group: "g" });
  expect(await pushed("hostile", manifest, texts)).toMatchObject({ state: "stored" });
  await judged("hostile");
  for (const body of [{ driver: "470.57" }, { with: ["torch==2.6.0"] }, { without: ["cudnn"] }]) {
    const response = await post("/api/v1/whatif", { ...body, nodes: "hostile" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, expect.stringContaining("application/json")]);
  }
  for (const body of [
    { with: ["'; drop table node; --"] },
    { without: ["<script>"] },
    { with: ["a @ http://x/y.whl"] },
    { with: "torch" },
    { to: 5 },
  ])
    expect(await problem(await post("/api/v1/whatif", body))).toContain("400");
  expect(await problem(await post("/api/v1/whatif", { to: "'; drop table node; --" }))).toContain("404");
  expect((await client.nodes()).nodes.length).toBeGreaterThan(0);
  await client.removeNode("hostile");
});

test("who sends slowly does not keep others waiting", async () => {
  const { port } = new URL(served.address);
  const slow = Array.from({ length: 50 }, () => {
    const socket = net.connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("POST /api/v1/nodes/slow HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n");
    return socket;
  });
  expect(await (await ask("/healthz")).json()).toEqual({ status: "ok" });
  for (const socket of slow) socket.destroy();
});

test("who hangs up in the middle fills no log", async () => {
  const before = told.length;
  for (let times = 0; times < 5; times++)
    await new Promise<void>((closed) => {
      const head = `POST /api/v1/nodes/n9 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${admin}\r\ncontent-length: 5000\r\n\r\n{`;
      const socket = net.connect(Number(new URL(served.address).port), "127.0.0.1", () => socket.write(head));
      setTimeout(() => socket.destroy(), 200);
      socket.on("close", () => closed());
    });
  await new Promise((later) => setTimeout(later, 300));
  expect(told.slice(before)).toEqual([]);
  expect((await ask("/healthz", admin)).status).toBe(200);
});

test("who sends no more is told so, and who never asked gets no answer that could be taken for one", { timeout: 60_000 }, async () => {
  const told = async (bytes: string) =>
    new Promise<string>((done) => {
      let answer = "";
      const socket = net.connect(Number(new URL(served.address).port), "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (piece) => (answer += piece.toString()));
      socket.on("close", () => done(answer));
    });
  const [half, nothing] = await Promise.all([told("POST /api/v1/nodes/slow HTTP/1.1\r\nHost: x\r\n"), told("")]);
  expect(half).toMatch(/^HTTP\/1.1 408 [^]*"problem":"the request took too long to arrive"/);
  expect(nothing).toBe("");
});

test.each([
  [502, "<html>Bad Gateway</html>", /is not able now: it answers with 502: /],
  [408, '{"problem":"too slow"}', /is not able now: too slow/],
  [413, "<html>Request Entity Too Large</html>", /refuses: it answers with 413$/],
  [200, "<html>Sign in</html>", /is no fleet server: it answers with something else$/],
])("what a proxy says with %i is understood as far as it goes", { timeout: 60_000 }, async (status, body, sentence) => {
  const proxy = http.createServer((_, response) => response.writeHead(status).end(body));
  const server = `http://127.0.0.1:${await listening(proxy)}`;
  const { manifest, texts } = pushOf(healthy, { group: "g" });
  const spool = mkdtempSync(path.join(os.tmpdir(), "culprit-spool-"));
  onTestFinished(() => rmSync(spool, { recursive: true }));
  const sent = await send({ server, token: admin, spool, push: { name: "n1", manifest, facts: texts } });
  proxy.close();
  expect(sent).toMatchObject({ problem: expect.stringMatching(sentence) as string });
  // Only what may go another time is kept.
  expect(readdirSync(spool)).toHaveLength(String(sentence).includes("able now") ? 1 : 0);
});

test("so many at once, so many a second, for each by itself", () => {
  let now = 0;
  const limit = rateLimit({ atOnce: 3, perSecond: 1 }, () => now);
  expect([1, 2, 3, 4].map(() => limit.isTooMuch("a"))).toEqual([false, false, false, true]);
  expect(limit.isTooMuch("b")).toBe(false);
  now = 1500;
  expect(limit.isTooMuch("a")).toBe(false);
  expect(limit.isTooMuch("a")).toBe(true);
});

test("a pattern of names stands for what it says", () => {
  for (const [pattern, name, is] of [
    ["*", "anything", true],
    ["a100-*", "a100-07", true],
    ["a100-*", "xa100-07", false],
    ["a100-1", "a100-10", false],
    ["*-gpu-*", "eu-gpu-1", true],
    ["a*a", "a", false],
    ["", "a", false],
    [".*", "abc", false],
  ] as const)
    expect([pattern, name, isAmong(pattern, name)]).toEqual([pattern, name, is]);
});

test("who guesses tokens is slowed down, and those who have one are not", async () => {
  const said = await Promise.all(Array.from({ length: 60 }, async (_, index) => (await ask("/api/v1/nodes", `guess-${index}`)).status));
  expect(said).toContain(429);
  expect((await ask("/api/v1/nodes", admin)).status).toBe(200);
  expect(told).toEqual([]);
});
