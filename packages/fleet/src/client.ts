// The API for programs of ours and of others (`import { clientOf } from "culprit-fleet/client"`): every answer has its type.
import { withoutLastSlashes } from "@culprit/core/lib/path";
import { reasonOf } from "@culprit/core/lib/reason";
import type { Manifest } from "@culprit/core";
import type { Deviation, WhatIfRequest } from "./fleet.ts";
import type { NodeRow, SaidAnswer } from "./store/nodes.ts";
import type { Changed, FoundVersion, GroupedFinding, Likeness, Regression, SightingRow } from "./store/questions.ts";
import type { Scope, TokenRow } from "./store/tokens.ts";
import type { WhatIfAnswer } from "./whatif.ts";

export type { Deviation, Manifest, NodeRow, SaidAnswer, Scope, WhatIfAnswer, WhatIfRequest };

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
  differences: (group?: string) => Promise<{ differences: Deviation[]; groups: Likeness[] }>;
  regressions: (since: string, group?: string) => Promise<{ since: string; regressions: Sent<Regression>[] }>;
  whatIf: (request: WhatIfRequest) => Promise<WhatIfAnswer>;
  tokens: () => Promise<{ tokens: Sent<TokenRow>[] }>;
  addToken: (asked: { scope: Scope; nodes?: string; note?: string; days?: number }) => Promise<{ id: number; token: string }>;
  revokeToken: (id: string) => Promise<{ revoked: number }>;
  removeNode: (name: string) => Promise<{ removed: string }>;
}

/** The server says no, or is not there: one sentence. */
export class FleetError extends Error {
  /** What the server answered with; absent where it did not answer. */
  readonly status?: number;
  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "FleetError";
    if (status !== undefined) this.status = status;
  }
}

/** `server` as nodes name it, and a token for reading or for administration. */
export function clientOf(server: string, token: string): Client {
  if (!URL.canParse(server) || !/^https?:/.test(server))
    throw new FleetError(`\`${server}\` is not the address of a server, such as https://fleet:7478`);
  // Else the failure would repeat it.
  if (!/^[\w.~+/=-]+$/.test(token)) throw new FleetError("the token has characters that no token has");
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
      throw new FleetError(`the server ${server} cannot be reached: ${reasonOf(cause)}`, { cause: error });
    }
    const said = (await response.json().catch(() => undefined)) as { problem?: string } | undefined;
    if (!response.ok || said === undefined)
      throw new FleetError(said?.problem ?? `the server ${server} answers with ${response.status}, and is no fleet server`, {
        status: response.status,
      });
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
