// What the API takes and gives, for programs that are made from such documents (OpenAPI 3.1).
import { version } from "@culprit/core";

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
const token = object({ id: number, scope: { enum: ["node", "read", "admin"] }, nodes: text, note: text, made: time });
const named = [{ name: "name", in: "path", required: true, schema: text }];
const inGroup = { name: "group", in: "query", required: false, schema: text };
const query = (name: string, isRequired: boolean) => ({ name, in: "query", required: isRequired, schema: text });

const refusals = Object.fromEntries(
  Object.entries({
    400: "what was sent cannot be read",
    401: "no token, or one that is worth nothing",
    403: "the token is for something else",
    429: "too many requests",
  }).map(([status, description]) => [status, { description, content: { "application/json": { schema: object({ problem: text }) } } }]),
);

function operation(summary: string, answer: Schema | "text", more: Schema = {}): Schema {
  const content = answer === "text" ? { "text/plain": { schema: text } } : { "application/json": { schema: answer } };
  return { summary, ...more, responses: { 200: { description: summary, content }, ...refusals } };
}
const open = { security: [] };
const sent = (schema: Schema, type = "application/json"): Schema => ({ requestBody: { required: true, content: { [type]: { schema } } } });

export const openApi = {
  openapi: "3.1.0",
  info: { title: "culprit-fleet", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  security: [{ token: [] }],
  paths: {
    "/healthz": { get: operation("whether the server and its database answer", object({ status: text }), open) },
    "/metrics": { get: operation("numbers for Prometheus", "text", open) },
    "/openapi.json": { get: operation("this document", { type: "object" }, open) },
    "/api/v1/nodes": {
      get: operation("all nodes", object({ nodes: listOf(node) }), { parameters: [inGroup] }),
      post: operation(
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
      get: operation("one node, with findings and history", { ...node }, { parameters: named }),
      post: operation(
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
      delete: operation("forget a node", object({ removed: text }), { parameters: named }),
    },
    "/api/v1/nodes/{name}/facts": {
      post: operation("facts, one on a line, packed with gzip", object({ kept: number }), {
        parameters: named,
        ...sent(text, "application/x-ndjson"),
      }),
    },
    "/api/v1/nodes/{name}/snapshot": { get: operation("the facts of a node, whole", { type: "object" }, { parameters: named }) },
    "/api/v1/findings": {
      get: operation("every finding once, with its nodes", object({ findings: listOf(finding) }), {
        parameters: [inGroup, query("all", false)],
      }),
    },
    "/api/v1/versions": {
      get: operation(
        "who has a library, a package or a driver of such a version",
        object({
          bound: text,
          found: listOf(object({ name: text, version: text, places: listOf(text), nodes: listOf(text) })),
          unknown: listOf(text),
        }),
        { parameters: [query("bound", true), inGroup] },
      ),
    },
    "/api/v1/differences": {
      get: operation("who differs from most of its group, and in what", object({ differences: listOf({ type: "object" }) }), {
        parameters: [inGroup],
      }),
    },
    "/api/v1/regressions": {
      get: operation("findings that came since a time", object({ since: time, regressions: listOf(sighting) }), {
        parameters: [query("since", false), inGroup],
      }),
    },
    "/api/v1/whatif": {
      post: operation(
        "what another driver or GPU, an installed or removed package, or another place would break",
        object({ findings: listOf(object({ rule: text, subject: text, nodes: listOf(text) })), waves: listOf({ type: "object" }) }),
        sent(
          object(
            {
              driver: text,
              gpus: listOf(text),
              with: listOf(text),
              replace: listOf(text),
              without: listOf(text),
              to: text,
              pool: text,
              nodes: text,
            },
            ["driver", "gpus", "with", "replace", "without", "to", "pool", "nodes"],
          ),
        ),
      ),
    },
    "/api/v1/tokens": {
      get: operation("all tokens, without themselves", object({ tokens: listOf(token) })),
      post: operation(
        "a new token, shown this once",
        object({ id: number, token: text }),
        sent(object({ scope: text, nodes: text, note: text, days: number }, ["nodes", "note", "days"])),
      ),
    },
    "/api/v1/tokens/{id}": {
      delete: operation("revoke a token", object({ revoked: number }), {
        parameters: [{ name: "id", in: "path", required: true, schema: number }],
      }),
    },
    "/api/v1/audit": { get: operation("who made, revoked and removed what", object({ audit: listOf({ type: "object" }) })) },
  },
};
