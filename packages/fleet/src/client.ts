// The API for programs of ours and of others: every answer has its type.
import { withoutLastSlashes } from "@culprit/core/lib/path";
import { reasonOf } from "@culprit/core/lib/reason";
import type { Manifest } from "@culprit/core";
import type { Deviation, WhatIfRequest } from "./fleet.ts";
import type { NodeRow, SaidAnswer } from "./store/nodes.ts";
import type { Changed, FoundVersion, GroupedFinding, Regression, SightingRow } from "./store/questions.ts";
import type { Scope, TokenRow } from "./store/tokens.ts";
import { text, UsageError, type Input, type Option } from "./usage.ts";
import type { WhatIfAnswer } from "./whatif.ts";

/** Over HTTP, times are texts. */
export type Sent<T> = T extends Date
  ? string
  : T extends (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? { [key in keyof T]: Sent<T[key]> }
      : T;

/** What could not be judged, and why. */
export interface Untold {
  subject: string;
  kind: string;
  reason: string;
}

export interface Pushed {
  /** So many are as they were. */
  unchanged: number;
  nodes: { [name: string]: SaidAnswer };
}

export interface Client {
  nodes: (group?: string) => Promise<{ nodes: Sent<NodeRow>[] }>;
  /** What many nodes have: the digest of each, or all but its facts. */
  push: (nodes: ({ name: string; digest: string; taken: string } & Partial<Manifest>)[]) => Promise<Pushed>;
  node: (name: string) => Promise<Sent<NodeRow & { findings: SightingRow[]; unknown: Untold[]; history: Changed[] }>>;
  snapshot: (name: string) => Promise<object>;
  findings: (group?: string, all?: boolean) => Promise<{ findings: Sent<GroupedFinding>[] }>;
  versions: (bound: string, group?: string) => Promise<{ found: FoundVersion[]; unknown: string[] }>;
  differences: (group?: string) => Promise<{ differences: Deviation[] }>;
  regressions: (since: string, group?: string) => Promise<{ since: string; regressions: Sent<Regression>[] }>;
  whatIf: (request: WhatIfRequest) => Promise<WhatIfAnswer>;
  tokens: () => Promise<{ tokens: Sent<TokenRow>[] }>;
  addToken: (asked: { scope: Scope; nodes?: string; note?: string; days?: number }) => Promise<{ id: number; token: string }>;
  revokeToken: (id: string) => Promise<{ revoked: number }>;
  removeNode: (name: string) => Promise<{ removed: string }>;
}

export const serverOptions: Option[] = [
  { name: "server", value: "URL", help: "the fleet server; else CULPRIT_FLEET_URL" },
  { name: "token", value: "TOKEN", help: "who asks; else CULPRIT_FLEET_TOKEN, which other users of the machine do not see" },
];

/** The server that options or variables name. */
export function clientFor(input: Input): Client {
  const server = text(input, "server") ?? process.env["CULPRIT_FLEET_URL"];
  const token = text(input, "token") ?? process.env["CULPRIT_FLEET_TOKEN"];
  if (!server) throw new UsageError("which server? `--server URL` or CULPRIT_FLEET_URL names it");
  if (!token) throw new UsageError("a token is needed: in CULPRIT_FLEET_TOKEN, or with `--token`");
  return clientOf(server, token);
}

export function clientOf(server: string, token: string): Client {
  if (!URL.canParse(server) || !/^https?:/.test(server))
    throw new UsageError(`\`${server}\` is not the address of a server, such as https://fleet:7478`);
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    let response: Response;
    try {
      response = await fetch(`${withoutLastSlashes(server)}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        redirect: "error",
      });
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new UsageError(`the server ${server} cannot be reached: ${reasonOf(cause)}`, { cause: error });
    }
    const said = (await response.json().catch(() => undefined)) as { problem?: string } | undefined;
    if (!response.ok || said === undefined)
      throw new UsageError(said?.problem ?? `the server ${server} answers with ${response.status}, and is no fleet server`);
    return said as T;
  };
  const query = (values: { [name: string]: string | undefined }): string => {
    const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
    return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  };
  const at = (name: string) => `/api/v1/nodes/${encodeURIComponent(name)}`;
  return {
    nodes: async (group) => ask("GET", `/api/v1/nodes${query({ group })}`),
    push: async (nodes) => ask("POST", "/api/v1/nodes", { nodes }),
    node: async (name) => ask("GET", at(name)),
    snapshot: async (name) => ask("GET", `${at(name)}/snapshot`),
    findings: async (group, all) => ask("GET", `/api/v1/findings${query({ group, all: all ? "true" : undefined })}`),
    versions: async (bound, group) => ask("GET", `/api/v1/versions${query({ bound, group })}`),
    differences: async (group) => ask("GET", `/api/v1/differences${query({ group })}`),
    regressions: async (since, group) => ask("GET", `/api/v1/regressions${query({ since, group })}`),
    whatIf: async (request) => ask("POST", "/api/v1/whatif", request),
    tokens: async () => ask("GET", "/api/v1/tokens"),
    addToken: async (asked) => ask("POST", "/api/v1/tokens", asked),
    revokeToken: async (id) => ask("DELETE", `/api/v1/tokens/${encodeURIComponent(id)}`),
    removeNode: async (name) => ask("DELETE", at(name)),
  };
}
