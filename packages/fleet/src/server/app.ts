// The API: who may ask, what, and what he is told. Nothing here ever tells a node to do something.
import { Hono, type Context } from "hono";
import {
  isDriverVersion,
  notADriver,
  joinTold,
  manifestDigest,
  openQuestions,
  problemOfChanges,
  unknownGpu,
  type Changes,
  type Check,
  type Manifest,
  type OwnFacts,
} from "@culprit/core";
import { engine } from "../engine.ts";
import type { Untold } from "../client.ts";
import { deviations, whatIf, type WhatIfRequest } from "../fleet.ts";
import { Refusal } from "../refusal.ts";
import { joinLimits, keepFacts, readFactsOfOne, sha256 } from "../store/facts.ts";
import { checkIn, listNodes, ownFacts, removeNode, takeIn, takeInMany, type Said, type SaidAnswer } from "../store/nodes.ts";
import {
  historyOf,
  isKnownGroup,
  isKnownName,
  likenesses,
  listFindings,
  regressions,
  sightingsOf,
  verdictsOf,
  withoutVersion,
  withVersion,
  type VerdictRow,
} from "../store/questions.ts";
import type { Store } from "../store/sql.ts";
import {
  addToken,
  holderOf,
  isAmong,
  listTokens,
  newToken,
  noteDown,
  revokeToken,
  scopes,
  type Holder,
  type Scope,
} from "../store/tokens.ts";
import { momentOf } from "../moment.ts";
import { boundOf } from "../versions.ts";
import { admissionRoutes } from "./admission.ts";
import { bytesIn, digestIn, isDigest, jsonIn, linesIn, nameIn, textIn } from "./body.ts";
import { rateLimit } from "./limits.ts";
import { metricsOf, type Counters } from "./metrics.ts";
import { openApi } from "./openapi.ts";
import { pageRoute } from "./page.ts";
import type { People } from "./people.ts";
import { roomOf, type Visit } from "./room.ts";

export interface Serving {
  store: Store;
  /** There are jobs. */
  wake: () => void;
  people?: People;
  /** The address of the client is in a header that a proxy of ours writes. */
  behindProxy?: boolean;
  told: (sentence: string) => void;
}

const small = { sent: 64 << 10, unpacked: 1 << 20 };
/** A manifest names some thousand facts. */
const manifests = { sent: 8 << 20, unpacked: 32 << 20 };
/** A client sends more in several pieces. */
const someFacts = { sent: 16 << 20, unpacked: 64 << 20 };
const mostFacts = 200_000;

export function appOf(serving: Serving): Hono {
  const app = new Hono();
  const counters: Counters = { requests: new Map(), pushes: new Map(), admissions: new Map(), refused: 0 };
  const failures = rateLimit({ atOnce: 30, perSecond: 0.5 });
  const room = roomOf({ bytes: 256 << 20, seats: 3 });
  app.use(async (context, next) => {
    const visit = room.enter();
    (context as unknown as Context<{ Variables: { visit: Visit } }>).set("visit", visit);
    await next().finally(visit.leave);
    context.header("x-content-type-options", "nosniff");
    context.header("cache-control", "no-store");
    count(counters.requests, context.res.status);
  });
  app.onError((error, context) => {
    if (error instanceof Refusal) {
      counters.refused += 1;
      // Who guesses tokens gets slower.
      if (error.status === 401 && failures.isTooMuch(addressOf(context, serving)))
        return context.json({ problem: "too many wrong tokens: wait a while" }, 429);
      return context.json({ problem: error.message }, error.status);
    }
    if (hasGone(context)) return context.json({ problem: "the request ended before it was whole" }, 400);
    // By its route: an address may hold a token.
    serving.told(`${context.req.method} ${context.req.routePath} failed: ${error.message}`);
    return context.json({ problem: "the server could not do it now, and its log says why: try again" }, 503);
  });
  app.notFound((context) => context.json({ problem: "there is nothing here; /openapi.json lists what there is" }, 404));
  app.get("/healthz", async (context) => {
    await serving.store.one("select 1 as yes");
    return context.json({ status: "ok" });
  });
  const metrics = metricsOf(serving.store, counters);
  app.get("/metrics", async (context) =>
    context.text(await metrics(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }),
  );
  app.get("/openapi.json", (context) => context.json(openApi));
  pageRoute(app);
  const holder = holders(serving);
  nodeRoutes(app, serving, holder, counters);
  readRoutes(app, serving, holder);
  answerRoutes(app, serving, holder);
  adminRoutes(app, serving, holder);
  admissionRoutes(app, { ...serving, mayAsk: admitter(serving), counted: (answer) => count(counters.admissions, answer) });
  return app;
}

type Holding = (context: Context, ...needed: Scope[]) => Promise<Holder>;

const count = <Key>(amounts: Map<Key, number>, key: Key): unknown => amounts.set(key, (amounts.get(key) ?? 0) + 1);

const purposes: { [scope in Scope]: string } = { node: "pushing", read: "reading", admit: "admission", admin: "administration" };

/** Who has this token, if that is for one of these purposes; a sentence if not. */
async function holderFor({ store, people }: Serving, token: string | undefined, needed: Scope[]): Promise<Holder> {
  if (token === undefined) throw new Refusal(401, "a token is needed: `authorization: Bearer TOKEN`");
  const found = people && token.split(".").length === 3 ? await people(token) : await holderOf(store, token);
  if (found.scope !== "admin" && !needed.includes(found.scope))
    throw new Refusal(403, `this token is for ${purposes[found.scope]}: this needs one for ${purposes[needed[0] ?? "admin"]}`);
  return found;
}

const tokenIn = (context: Context): string | undefined =>
  /^Bearer ([\w.~+/=-]{1,8192})$/i.exec(context.req.header("authorization") ?? "")?.[1];

function holders(serving: Serving): Holding {
  // A node that checks in every few minutes, and a person who clicks, are far below it.
  const rate = rateLimit({ atOnce: 120, perSecond: 20 });
  return async (context, ...needed) => {
    const found = await holderFor(serving, tokenIn(context), needed);
    // Many nodes may share a token: each is counted by itself.
    if (rate.isTooMuch(`${found.who} ${context.req.param("name") ?? ""}`)) throw new Refusal(429, "too many requests: wait a moment");
    return found;
  };
}

/** A cluster asks for all of its pods with one token, which may be in the address: so none that is good for more is taken from there. */
function admitter(serving: Serving): (context: Context, token?: string) => Promise<Holder> {
  const rate = rateLimit({ atOnce: 1000, perSecond: 200 });
  return async (context, token) => {
    const found = await holderFor(serving, token ?? tokenIn(context), ["admit"]);
    if (token !== undefined && found.scope !== "admit") throw new Refusal(403, "a token in the address is one for admission, and no other");
    if (rate.isTooMuch(found.who)) throw new Refusal(429, "too many requests: wait a moment");
    return found;
  };
}

/** Who hangs up in the middle is no failure of ours, and fills no log. */
function hasGone(context: Context): boolean {
  const { incoming } = context.env as { incoming?: { complete: boolean; destroyed: boolean } };
  return incoming !== undefined && incoming.destroyed && !incoming.complete;
}

const addressOf = (context: Context, { behindProxy }: Serving): string => {
  const { incoming } = context.env as { incoming?: { socket?: { remoteAddress?: string } } };
  const forwarded = behindProxy ? context.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return forwarded ?? incoming?.socket?.remoteAddress ?? "";
};

function nodeRoutes(app: Hono, { store, wake }: Serving, holder: Holding, counters: Counters): void {
  app.post("/api/v1/nodes/:name", async (context) => {
    const who = await holder(context, "node");
    const name = pushedAs(context, who);
    const body = await jsonIn(context, manifests);
    const [digest, taken] = [digestIn(body, "digest"), textIn(body, "taken", 40)];
    const answer =
      body["stack"] === undefined
        ? await checkIn(store, name, digest, taken)
        : await takeIn(store, name, manifestIn(body, digest, taken), factsIn(body));
    count(counters.pushes, answer.state);
    if (answer.state === "stored") wake();
    return context.json(answer);
  });
  app.post("/api/v1/nodes/:name/facts", async (context) => {
    pushedAs(context, await holder(context, "node"));
    const lines = linesIn(await bytesIn(context, someFacts), mostFacts);
    await keepFacts(store, lines);
    return context.json({ kept: lines.length });
  });
  app.post("/api/v1/nodes", async (context) => {
    const who = await holder(context, "node");
    const said = saidIn(await jsonIn(context, manifests));
    const mine = said.filter(({ name }) => mayPush(who, name));
    const answers: [string, SaidAnswer][] = [...(await takeInMany(store, mine))];
    for (const { name } of said) if (!mayPush(who, name)) answers.push([name, { state: "refused", problem: notYours(name) }]);
    for (const [, { state }] of answers) count(counters.pushes, state);
    if (answers.some(([, { state }]) => state === "stored")) wake();
    // What needs nothing more is counted, not named: thousands that are as they were cost a few bytes.
    const unchanged = answers.filter(([, { state }]) => state === "unchanged").length;
    return context.json({ unchanged, nodes: Object.fromEntries(answers.filter(([, { state }]) => state !== "unchanged")) });
  });
}

/** What is known of nodes, for people. */
function readRoutes(app: Hono, { store }: Serving, holder: Holding): void {
  app.get("/api/v1/nodes", async (context) => {
    await holder(context, "read");
    return context.json({ nodes: await listNodes(store, await groupIn(context, store)) });
  });
  app.get("/api/v1/nodes/:name", async (context) => {
    await holder(context, "read");
    const name = nameIn(context.req.param("name"), "the name of a node");
    const [node] = await listNodes(store, { name });
    if (!node) throw new Refusal(404, `there is no node \`${name.slice(0, 200)}\``);
    const [verdict] = await verdictsOf(store, [node.stack], "", engine);
    return context.json({
      ...node,
      findings: await sightingsOf(store, name),
      unknown: unknownIn(verdict),
      history: await historyOf(store, name),
    });
  });
  app.get("/api/v1/nodes/:name/snapshot", async (context) => {
    await holder(context, "read");
    const name = nameIn(context.req.param("name"), "the name of a node");
    const own = await ownFacts(store, name);
    if (!own) throw new Refusal(404, `there is no node \`${name.slice(0, 200)}\``);
    return context.json((await joinTold(own.stack, own.own, readFactsOfOne(store), joinLimits)) as object);
  });
}

/** Why not all of it could be judged. */
function unknownIn(verdict: VerdictRow | undefined): Untold[] {
  if (!verdict) return [];
  if (verdict.problem !== null) return [{ subject: "the whole stack", kind: "file", reason: verdict.problem }];
  return openQuestions(verdict.answer as Check).map(({ subject, kind, reason }) => ({ subject, kind, reason }));
}

/** A node speaks for itself, and for no other. */
function pushedAs(context: Context, who: Holder): string {
  const name = nameIn(context.req.param("name") ?? "", "the name of a node");
  if (!mayPush(who, name)) throw new Refusal(403, notYours(name));
  return name;
}

const mayPush = ({ scope, nodes }: Holder, name: string): boolean => scope !== "node" || isAmong(nodes, name);
const notYours = (name: string): string => `this token may not push as \`${name}\``;

/** More come in several requests. */
const mostAtOnce = 5000;

function saidIn(body: { [key: string]: unknown }): Said[] {
  const list = body["nodes"];
  if (!Array.isArray(list) || mostAtOnce < list.length) throw new Refusal(400, `\`nodes\` is not a list of at most ${mostAtOnce}`);
  const said = list.map((each: unknown): Said => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) throw new Refusal(400, "one of `nodes` is not an object");
    const one = each as { [key: string]: unknown };
    const name = nameIn(textIn(one, "name"), "the name of a node");
    const [digest, taken] = [digestIn(one, "digest"), textIn(one, "taken", 40)];
    return { name, digest, taken, ...(one["stack"] === undefined ? {} : { whole: manifestIn(one, digest, taken) }) };
  });
  if (new Set(said.map(({ name }) => name)).size < said.length) throw new Refusal(400, "one of `nodes` is named twice");
  return said;
}

function manifestIn(body: { [key: string]: unknown }, digest: string, taken: string): Manifest {
  const { own } = body;
  if (typeof own !== "object" || own === null || Array.isArray(own)) throw new Refusal(400, "`own` is not an object");
  if (256 << 10 < JSON.stringify(own).length) throw new Refusal(413, "`own` is longer than 256 KB");
  const group = textIn(body, "group");
  if (group !== "") nameIn(group, "the name of a group");
  const stack = digestIn(body, "stack");
  if (manifestDigest(stack, own as OwnFacts, group, sha256) !== digest)
    throw new Refusal(400, "`digest` is not that of the stack, `own` and the group");
  return { digest, taken, stack, own: own as OwnFacts, group };
}

function factsIn(body: { [key: string]: unknown }): string[] {
  const facts = body["facts"] ?? [];
  if (!Array.isArray(facts) || !facts.every(isDigest)) throw new Refusal(400, "`facts` is not a list of digests");
  return facts;
}

/** The group that is asked about: an empty answer about a misspelt one would be taken for a good one. */
async function groupIn(context: Context, store: Store): Promise<{ group?: string }> {
  const group = context.req.query("group");
  if (group === undefined) return {};
  // PostgreSQL has no text with a character 0, and so no such group.
  if (group.includes("\0") || !(await isKnownGroup(store, group))) throw noSuchGroup(group);
  return { group };
}

const noSuchGroup = (group: string) => new Refusal(404, `no node is in the group \`${group.slice(0, 200)}\``);

/** Each is a question to every stack, and comes before what nodes push: one who asks must not keep all others waiting. */
const mostAsked = 4;

function answerRoutes(app: Hono, { store, wake }: Serving, holder: Holding): void {
  const asking = new Map<string, number>();
  app.get("/api/v1/findings", async (context) => {
    await holder(context, "read");
    return context.json({
      findings: await listFindings(store, { ...(await groupIn(context, store)), all: context.req.query("all") === "true" }),
    });
  });
  app.get("/api/v1/versions", async (context) => {
    await holder(context, "read");
    const asked = context.req.query("bound") ?? "";
    const bound = boundOf(asked);
    if (!bound) throw new Refusal(400, `\`${asked.slice(0, 100)}\` is not a question such as cudnn<9.1`);
    if (!(await isKnownName(store, bound.name))) throw new Refusal(404, `no node has a library or package \`${bound.name}\``);
    const { group } = await groupIn(context, store);
    return context.json({
      bound: asked,
      found: await withVersion(store, bound, group),
      unknown: await withoutVersion(store, bound.name, group),
    });
  });
  app.get("/api/v1/differences", async (context) => {
    await holder(context, "read");
    const { group } = await groupIn(context, store);
    return context.json({ differences: await deviations(store, group), groups: await likenesses(store, group) });
  });
  app.get("/api/v1/regressions", async (context) => {
    await holder(context, "read");
    const since = momentOf(context.req.query("since") ?? "24h");
    if (!since) throw new Refusal(400, "`since` is a time such as 2026-11-15, or how long ago: 24h, 7d");
    return context.json({ since, regressions: await regressions(store, since, (await groupIn(context, store)).group) });
  });
  app.post("/api/v1/whatif", async (context) => {
    const { who } = await holder(context, "read");
    const request = await whatIfIn(await jsonIn(context, small));
    const waiting = asking.get(who) ?? 0;
    if (mostAsked <= waiting) throw new Refusal(429, `${mostAsked} such questions of yours are being answered: wait for one of them`);
    asking.set(who, waiting + 1);
    try {
      return context.json(await whatIf(store, request, wake));
    } finally {
      const others = asking.get(who)! - 1;
      if (others === 0) asking.delete(who);
      else asking.set(who, others);
    }
  });
}

async function whatIfIn(body: { [key: string]: unknown }): Promise<WhatIfRequest> {
  const { driver, gpus = [], pool, nodes, to } = body;
  if (driver !== undefined && !(typeof driver === "string" && isDriverVersion(driver)))
    throw new Refusal(400, `\`driver\` ${notADriver(String(driver))}`);
  if (!Array.isArray(gpus) || 16 < gpus.length) throw new Refusal(400, "`gpus` is not a list of GPUs");
  for (const gpu of gpus as unknown[]) {
    if (typeof gpu !== "string") throw new Refusal(400, "`gpus` is not a list of GPUs");
    if (await unknownGpu(gpu)) throw new Refusal(400, `the GPU \`${gpu.slice(0, 100)}\` is not known`);
  }
  const changes = await changesFrom(body);
  if (driver === undefined && gpus.length === 0 && to === undefined && Object.keys(changes).length === 0)
    throw new Refusal(400, "what if what? Name a driver, a GPU, what is installed or taken away, or where something is moved to");
  return {
    ...(typeof driver === "string" ? { driver } : {}),
    ...(0 < gpus.length ? { gpus: gpus as string[] } : {}),
    ...(pool === undefined ? {} : { pool: textIn(body, "pool") }),
    ...(nodes === undefined ? {} : { nodes: textIn(body, "nodes") }),
    ...(to === undefined ? {} : { to: textIn(body, "to") }),
    ...changes,
  };
}

/** A library of the system alone may be twenty files. */
const mostWords = 100;
const longestWord = 1000;

async function changesFrom(body: { [key: string]: unknown }): Promise<Changes> {
  const changes: Changes = {};
  for (const name of ["with", "replace", "without"] as const) {
    const words = body[name] ?? [];
    if (!Array.isArray(words) || mostWords < words.length || !words.every((each) => typeof each === "string" && each.length <= longestWord))
      throw new Refusal(400, `\`${name}\` is a list of at most ${mostWords} names or paths of at most ${longestWord} characters`);
    if (0 < words.length) changes[name] = words as string[];
  }
  const problem = await problemOfChanges(changes);
  if (problem !== undefined) throw new Refusal(400, problem);
  return changes;
}

function adminRoutes(app: Hono, { store }: Serving, holder: Holding): void {
  app.get("/api/v1/tokens", async (context) => {
    await holder(context);
    return context.json({ tokens: await listTokens(store) });
  });
  app.post("/api/v1/tokens", async (context) => {
    const { who } = await holder(context);
    const body = await jsonIn(context, small);
    const scope = scopes.find((each) => each === body["scope"]);
    if (!scope) throw new Refusal(400, `\`scope\` is none of ${scopes.join(", ")}`);
    const days = body["days"];
    if (days !== undefined && !(typeof days === "number" && 0 < days && days <= 36_500))
      throw new Refusal(400, "`days` is not a number of days");
    const nodes = body["nodes"] === undefined ? "*" : nameIn(textIn(body, "nodes"), "the pattern of names");
    const note = body["note"] === undefined ? "" : nameIn(textIn(body, "note"), "the note");
    const token = newToken(scope);
    const expires = days === undefined ? undefined : new Date(Date.now() + (days as number) * 86_400_000);
    const id = await addToken(store, { token, scope, nodes, note, ...(expires ? { expires } : {}) });
    await noteDown(store, who, "made a token", `${id} (${scope})`);
    return context.json({ id, token, scope, nodes, ...(expires ? { expires } : {}) });
  });
  app.delete("/api/v1/tokens/:id", async (context) => {
    const { who } = await holder(context);
    const id = Number(context.req.param("id"));
    if (!Number.isSafeInteger(id) || !(await revokeToken(store, id))) throw new Refusal(404, "there is no such token");
    await noteDown(store, who, "revoked a token", String(id));
    return context.json({ revoked: id });
  });
  app.delete("/api/v1/nodes/:name", async (context) => {
    const { who } = await holder(context);
    const name = nameIn(context.req.param("name"), "the name of a node");
    if (!(await removeNode(store, name))) throw new Refusal(404, `there is no node \`${name.slice(0, 200)}\``);
    await noteDown(store, who, "removed a node", name.slice(0, 200));
    return context.json({ removed: name });
  });
  app.get("/api/v1/audit", async (context) => {
    await holder(context);
    return context.json({ audit: await store.rows("select at, who, did, subject from audit order by id desc limit 1000") });
  });
}
