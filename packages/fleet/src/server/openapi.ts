// What the API takes and gives, for programs that are made from such documents (OpenAPI 3.1).
import { version } from "@culprit/core";
import { scopes } from "../store/tokens.ts";

type Schema = { [key: string]: unknown };

const text: Schema = { type: "string" };
const number: Schema = { type: "number" };
const time: Schema = { type: "string", format: "date-time" };
const digest: Schema = { type: "string", pattern: "^[0-9a-f]{64}$" };
const listOf = (items: Schema): Schema => ({ type: "array", items });
const object = (properties: { [name: string]: Schema }, optional: string[] = []): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const node = object({
  name: text,
  kind: { enum: ["machine", "root", "process", "image", "host", "declaration"] },
  group: text,
  stack: digest,
  firstSeen: time,
  lastSeen: time,
  changed: time,
  status: { enum: ["waiting", "ok", "findings", "incomplete", "nothing-to-check", "damaged"] },
  errors: number,
  warnings: number,
});
const sighting = object({ rule: text, subject: text, severity: text, message: text, firstSeen: time, gone: { type: ["string", "null"] } });
const untold = object({ subject: text, kind: text, reason: text });
const change = object({ node: text, at: time, stack: digest, before: { type: ["string", "null"] } });
const regression = object({ node: text, group: text, rule: text, subject: text, severity: text, message: text, since: time });
const finding = object({
  rule: text,
  subject: text,
  severity: { enum: ["error", "warning", "info"] },
  certainty: { enum: ["certain", "likely", "possible"] },
  message: text,
  stacks: number,
  nodes: listOf(text),
  since: time,
});
const perhaps: Schema = { type: ["string", "null"] };
const token = object({
  id: number,
  scope: { enum: [...scopes] },
  nodes: text,
  note: text,
  made: time,
  expires: perhaps,
  revoked: perhaps,
  used: perhaps,
});
const difference = object({
  node: text,
  group: text,
  stack: digest,
  usual: digest,
  has: number,
  of: number,
  differences: listOf(object({ what: text, usual: text, here: text })),
  facts: object({ amount: number, paths: listOf(text) }),
});
const supposed = {
  driver: text,
  gpus: listOf(text),
  with: listOf(text),
  replace: listOf(text),
  without: listOf(text),
  to: text,
  pool: text,
};
const place = object({ name: text, driver: text, gpus: listOf(text), nodes: listOf(text) }, ["driver", "gpus"]);
const whatIfAnswer = object(
  {
    schema: { const: "culprit/whatif@1" },
    ...supposed,
    places: listOf(place),
    judged: object({ nodes: number, stacks: number }),
    outcomes: { type: "object", additionalProperties: number },
    findings: listOf(
      object({
        rule: text,
        subject: text,
        severity: { enum: ["error", "warning", "info"] },
        message: text,
        effect: { enum: ["new", "already"] },
        nodes: listOf(text),
      }),
    ),
    gone: listOf(object({ rule: text, subject: text, message: text, nodes: listOf(text) })),
    unknown: listOf(object({ subject: text, kind: text, reason: text, nodes: listOf(text) })),
    nodes: listOf(object({ name: text, kind: text, group: text, outcome: text })),
    waves: listOf(object({ wave: number, why: text, nodes: listOf(text) })),
  },
  [...Object.keys(supposed), "places"],
);
const review = { apiVersion: { const: "admission.k8s.io/v1" }, kind: { const: "AdmissionReview" } };
const answeredReview = object({
  ...review,
  response: object({ uid: text, allowed: { type: "boolean" }, warnings: listOf(text), status: object({ code: number, message: text }) }, [
    "warnings",
    "status",
  ]),
});
const askedReview = object({ ...review, request: object({ uid: text, object: { type: "object" } }, ["object"]) });
const mode = { name: "mode", in: "path", required: true, schema: { enum: ["warn", "deny"] } };
const named = [{ name: "name", in: "path", required: true, schema: text }];
const inGroup = { name: "group", in: "query", required: false, schema: text };
const query = (name: string, isRequired: boolean) => ({ name, in: "query", required: isRequired, schema: text });

const refusals = Object.fromEntries(
  Object.entries({
    400: "what was sent cannot be read",
    401: "no token, or one that is worth nothing",
    403: "the token is for something else",
    404: "there is no such node, group or name",
    413: "what was sent is too long",
    429: "too many requests",
    503: "the database does not answer",
  }).map(([status, description]) => [status, { description, content: { "application/json": { schema: object({ problem: text }) } } }]),
);

function operation(operationId: string, summary: string, answer: Schema | "text" | "page", more: Schema = {}): Schema {
  const content =
    answer === "text"
      ? { "text/plain": { schema: text } }
      : answer === "page"
        ? { "text/html": { schema: text } }
        : { "application/json": { schema: answer } };
  return { operationId, summary, ...more, responses: { 200: { description: summary, content }, ...refusals } };
}
const open = { security: [] };
const sent = (schema: Schema, type = "application/json"): Schema => ({ requestBody: { required: true, content: { [type]: { schema } } } });

export const openApi = {
  openapi: "3.1.0",
  info: { title: "culprit-fleet", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
  servers: [{ url: "/" }],
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  security: [{ token: [] }],
  paths: {
    "/": { get: operation("page", "the page for people: it asks this server with the token of whoever looks", "page", open) },
    "/healthz": { get: operation("health", "whether the server and its database answer", object({ status: text }), open) },
    "/metrics": { get: operation("metrics", "numbers for Prometheus", "text", open) },
    "/openapi.json": { get: operation("document", "this document", { type: "object" }, open) },
    "/api/v1/nodes": {
      get: operation("nodes", "all nodes", object({ nodes: listOf(node) }), { parameters: [inGroup] }),
      post: operation(
        "push",
        "what many nodes have, each as if it had come by itself: for a relay, or the controller of a cluster; who is unchanged is only counted",
        object({
          unchanged: number,
          nodes: {
            type: "object",
            additionalProperties: object(
              { state: { enum: ["unknown", "lacking", "stored", "refused"] }, lacking: listOf(digest), problem: text },
              ["lacking", "problem"],
            ),
          },
        }),
        sent(
          object({
            nodes: listOf(
              object({ name: text, digest, taken: time, stack: digest, own: { type: "object" }, group: text }, ["stack", "own", "group"]),
            ),
          }),
        ),
      ),
    },
    "/api/v1/nodes/{name}": {
      get: operation(
        "node",
        "one node, with findings, what could not be judged, and history",
        {
          allOf: [node, object({ findings: listOf(sighting), unknown: listOf(untold), history: listOf(change) })],
        },
        { parameters: named },
      ),
      post: operation(
        "pushNode",
        "what a node has: its digest alone; if that is not known, all but its facts; if its stack is not known, their digests, too; and once those that were lacking are sent, all but its facts again",
        object({ state: { enum: ["unchanged", "unknown", "lacking", "stored"] }, lacking: listOf(digest) }, ["lacking"]),
        {
          parameters: named,
          ...sent(
            object({ digest, taken: time, stack: digest, own: { type: "object" }, group: text, facts: listOf(digest) }, [
              "stack",
              "own",
              "group",
              "facts",
            ]),
          ),
        },
      ),
      delete: operation("removeNode", "forget a node", object({ removed: text }), { parameters: named }),
    },
    "/api/v1/nodes/{name}/facts": {
      post: operation("pushFacts", "facts, one on a line, packed with gzip", object({ kept: number }), {
        parameters: named,
        ...sent(text, "application/x-ndjson"),
      }),
    },
    "/api/v1/nodes/{name}/snapshot": {
      get: operation("snapshot", "the facts of a node, whole", { type: "object" }, { parameters: named }),
    },
    "/api/v1/findings": {
      get: operation("findings", "every finding once, with its nodes", object({ findings: listOf(finding) }), {
        parameters: [inGroup, query("all", false)],
      }),
    },
    "/api/v1/versions": {
      get: operation(
        "versions",
        "who has a library, a package or a driver of such a version",
        object({
          bound: text,
          found: listOf(object({ name: text, version: perhaps, places: listOf(text), nodes: listOf(text) })),
          unknown: listOf(text),
        }),
        { parameters: [query("bound", true), inGroup] },
      ),
    },
    "/api/v1/differences": {
      get: operation(
        "differences",
        "who differs from most of its group, and in what",
        object({ differences: listOf(difference), groups: listOf(object({ group: text, machines: number, stacks: number })) }),
        {
          parameters: [inGroup],
        },
      ),
    },
    "/api/v1/regressions": {
      get: operation("regressions", "findings that came since a time", object({ since: time, regressions: listOf(regression) }), {
        parameters: [query("since", false), inGroup],
      }),
    },
    "/api/v1/whatif": {
      post: operation(
        "whatIf",
        "what another driver or GPU, an installed or removed package, or another place would break",
        whatIfAnswer,
        sent(object({ ...supposed, nodes: text }, [...Object.keys(supposed), "nodes"])),
      ),
    },
    "/api/v1/admission/{mode}": {
      post: operation(
        "admit",
        "whether what a pod would run goes with the machines that it may be put on (Kubernetes' AdmissionReview, version 1)",
        answeredReview,
        { parameters: [mode], ...sent(askedReview) },
      ),
    },
    "/api/v1/admission/{mode}/{token}": {
      post: operation(
        "admitWithToken",
        "the same, for clusters that cannot send a header: with a token for admission, which is good for nothing else",
        answeredReview,
        { parameters: [mode, { name: "token", in: "path", required: true, schema: text }], ...sent(askedReview), ...open },
      ),
    },
    "/api/v1/tokens": {
      get: operation("tokens", "all tokens, without themselves", object({ tokens: listOf(token) })),
      post: operation(
        "addToken",
        "a new token, shown this once",
        object({ id: number, token: text, scope: text, nodes: text, expires: time }, ["expires"]),
        sent(object({ scope: text, nodes: text, note: text, days: number }, ["nodes", "note", "days"])),
      ),
    },
    "/api/v1/tokens/{id}": {
      delete: operation("revokeToken", "revoke a token", object({ revoked: number }), {
        parameters: [{ name: "id", in: "path", required: true, schema: number }],
      }),
    },
    "/api/v1/audit": {
      get: operation(
        "audit",
        "who made, revoked and removed what",
        object({ audit: listOf(object({ at: time, who: text, did: text, subject: text })) }),
      ),
    },
  },
};
