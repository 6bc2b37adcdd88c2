// One process of a fleet: the API, the workers, and what is done from time to time.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createAdaptorServer } from "@hono/node-server";
import { engine } from "../engine.ts";
import { deviations } from "../fleet.ts";
import type { Judges } from "../judge/pool.ts";
import { beginWork } from "../judge/work.ts";
import { sweep } from "../store/facts.ts";
import { freeJobs, judgeAgain } from "../store/jobs.ts";
import { migrate } from "../store/migrations.ts";
import type { Store } from "../store/sql.ts";
import { appOf, type Serving } from "./app.ts";
import { deliveryOf, type Webhook } from "./webhooks.ts";

export interface ServeRequest extends Pick<Serving, "people" | "behindProxy" | "told"> {
  store: Store;
  judges: Judges;
  host: string;
  port: number;
  tls?: { cert: string; key: string };
  /** How long history is kept. */
  keepDays: number;
  webhooks: Webhook[];
}

export interface Served {
  address: string;
  end: () => Promise<void>;
}

/** Who sends slowly holds a connection no longer than this. */
const slowness = { headersTimeout: 15_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 };

export async function serve(request: ServeRequest): Promise<Served> {
  const { store, judges, host, port, tls, told, webhooks } = request;
  await migrate(store);
  await judgeAgain(store, engine);
  if (store.engine === "embedded") await freeJobs(store);
  const deliver = deliveryOf(store, webhooks, told);
  const work = beginWork(store, judges, told, {
    settled: deliver,
    // In what new stacks differ from their like is worked out before anybody asks.
    idle: async () => void (await deviations(store)),
  });
  const app = appOf({ ...request, wake: work.wake });
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...(tls
      ? { createServer: https.createServer, serverOptions: { ...slowness, cert: readFileSync(tls.cert), key: readFileSync(tls.key) } }
      : { createServer: http.createServer, serverOptions: slowness }),
  } as Parameters<typeof createAdaptorServer>[0]) as http.Server;
  // Longer than proxies and clients keep a connection that they may use again.
  server.keepAliveTimeout = 65_000;
  server.maxConnections = 10_000;
  server.on("clientError", refuseUnread);
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(port, host, () => listening());
  });
  const tidy = setInterval(() => void tidyUp(store, request.keepDays, told), 3_600_000);
  tidy.unref();
  // A node may change to a stack that was judged before, and a webhook may have been away: nothing else would come to tell it.
  const telling = setInterval(() => void deliver(), 15_000);
  telling.unref();
  const { port: bound } = server.address() as AddressInfo;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    address: `${tls ? "https" : "http"}://${shownHost}:${bound}`,
    end: async () => {
      clearInterval(tidy);
      clearInterval(telling);
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 2000).unref();
      });
      await work.end();
      await judges.end();
      await store.end();
    },
  };
}

const unread: { [code: string]: [status: string, problem: string] } = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "the address and the headers are longer than 16 KB"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "a piece of the body says more about itself than this server reads"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "the request took too long to arrive"],
};

/** What is no request, or arrives too slowly, is told so in a sentence, too. */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Whoever opened a connection and never asked anything is owed no answer: he may just be asking, and would take it for his.
  const isUnasked = error.code === "ERR_HTTP_REQUEST_TIMEOUT" && (socket as Socket).bytesRead === 0;
  if (error.code === "ECONNRESET" || isUnasked || !socket.writable) return void socket.destroy();
  const [status, problem] = unread[error.code ?? ""] ?? ["400 Bad Request", "this is no request that HTTP allows"];
  const body = JSON.stringify({ problem });
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

/** What is older than history is kept: who was silent for so long, what is gone, and facts that nothing names. */
export async function tidyUp(store: Store, keepDays: number, told: (sentence: string) => void): Promise<void> {
  try {
    const old = "now() - make_interval(days => $1)";
    await store.rows(`delete from node where last_seen < ${old}`, [keepDays]);
    await store.rows(`delete from sighting where gone < ${old}`, [keepDays]);
    await store.rows(`delete from audit where at < ${old}`, [keepDays]);
    await store.rows(
      `delete from change where at < ${old} and exists (select 1 from change later where later.node = change.node and later.at > change.at)`,
      [keepDays],
    );
    // What was supposed a month ago is asked anew when somebody wants to know.
    await store.rows("delete from verdict where question <> '' and at < now() - interval '30 days'");
    await sweep(store, keepDays);
  } catch (error) {
    told(`tidying up failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
