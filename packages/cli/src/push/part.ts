// The way to a fleet server: a digest first, then only the facts that it lacks; again after a while where it is away, and from a file the next
// time where it stays away.
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Manifest, PushAnswer } from "@culprit/core/model/fleet";
import { reasonOf } from "@culprit/core/lib/reason";

export interface Push {
  name: string;
  manifest: Manifest;
  /** By their digests. */
  facts: Map<string, string>;
}

export interface SendRequest {
  server: string;
  token: string;
  spool: string;
  push: Push;
}

export type Outcome = { notes: string[] } & ({ state: PushAnswer["state"]; sent: number } | { problem: string });

/** The server is not there, or not able: later it may be. */
class Away extends Error {}
/** The server says no, and would say it again. */
class Refused extends Error {}

export const pause = async (milliseconds: number): Promise<void> => later(milliseconds);

const tries = 4;
const patience = 30_000;

export async function send(request: SendRequest): Promise<Outcome> {
  const notes = cleartextNote(request.server);
  const file = spoolFile(request, request.push.name);
  try {
    const done = await sendOne(request, request.push);
    fs.rmSync(file, { force: true });
    return { ...done, notes: [...notes, ...(await sendSpooled(request))] };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.message, notes };
    if (!(error instanceof Away)) throw error;
    const kept = keep(file, request);
    return { problem: `${error.message}: ${kept ?? `what was to be pushed is kept in ${file}, and goes with the next push`}`, notes };
  }
}

function cleartextNote(server: string): string[] {
  const { protocol, hostname } = new URL(server);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return protocol === "https:" || isHere ? [] : [`the token crosses the network to ${hostname} in the clear: https:// would hide it`];
}

async function sendOne(request: SendRequest, { name, manifest, facts }: Push): Promise<{ state: PushAnswer["state"]; sent: number }> {
  const at = `/api/v1/nodes/${encodeURIComponent(name)}`;
  const { digest, taken } = manifest;
  const first = await post(request, at, JSON.stringify({ digest, taken }));
  if (first.state === "unchanged") return { state: first.state, sent: 0 };
  // Most nodes have a stack that another has brought: only where nobody has, all that it consists of is named.
  let answer = await post(request, at, JSON.stringify(manifest));
  let sent = 0;
  if (answer.state === "lacking") {
    answer = await post(request, at, JSON.stringify({ ...manifest, facts: [...facts.keys()] }));
    const lacking = answer.lacking ?? [];
    for (const some of inPieces(lacking.flatMap((each) => facts.get(each) ?? [])))
      await post(request, `${at}/facts`, some.join("\n"), "application/x-ndjson");
    sent = lacking.length;
    if (answer.state === "lacking") answer = await post(request, at, JSON.stringify(manifest));
  }
  if (answer.state !== "stored") throw new Away(`the server ${request.server} did not take all facts`);
  return { state: answer.state, sent };
}

/** No piece is longer than a server takes at once. */
function inPieces(facts: string[]): string[][] {
  const pieces: string[][] = [];
  let length = Infinity;
  for (const fact of facts) {
    if (8 << 20 < length + fact.length) {
      pieces.push([]);
      length = 0;
    }
    pieces.at(-1)!.push(fact);
    length += fact.length + 1;
  }
  return pieces;
}

/** Again after one, two and four seconds, each shorter or longer by chance, so that a thousand nodes do not come together. */
async function post(request: SendRequest, at: string, content: string, type = "application/json"): Promise<PushAnswer> {
  const body = content.length < 1000 ? Buffer.from(content) : gzipSync(content);
  for (let tried = 1; ; tried++) {
    try {
      return await postOnce(request, at, body, body.length !== Buffer.byteLength(content), type);
    } catch (error) {
      if (!(error instanceof Away) || tries <= tried) throw error;
      await pause(2 ** (tried - 1) * 1000 * (0.5 + Math.random()));
    }
  }
}

async function postOnce({ server, token }: SendRequest, at: string, body: Buffer, isPacked: boolean, type: string): Promise<PushAnswer> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${server}${at}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": type, ...(isPacked ? { "content-encoding": "gzip" } : {}) },
      body: new Uint8Array(body),
      redirect: "error",
      signal: AbortSignal.timeout(patience),
    });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new Away(
      `the server ${server} cannot be reached: ${error instanceof Error && error.name === "TimeoutError" ? "it does not answer" : reasonOf(cause)}`,
    );
  }
  // A proxy before it answers with pages of its own.
  const said = answerIn(text);
  if (response.ok && said) return said;
  if (response.ok) throw new Refused(`${server} is no fleet server: it answers with something else`);
  const problem = said?.problem ?? `it answers with ${response.status}`;
  if ([408, 429].includes(response.status) || 500 <= response.status) throw new Away(`the server ${server} is not able now: ${problem}`);
  throw new Refused(`the server ${server} refuses: ${problem}`);
}

function answerIn(text: string): (PushAnswer & { problem?: string }) | undefined {
  try {
    return JSON.parse(text) as PushAnswer & { problem?: string };
  } catch {
    return undefined;
  }
}

// ── what waits for the server ───────────────────────────────────────────────────────────────────────────────────────────────────

/** One file for a server and a node: what is newer takes the place of what is older. */
const spoolFile = ({ server, spool }: SendRequest, name: string): string =>
  path.join(spool, `${createHash("sha256").update(`${server}\n${name}`).digest("hex").slice(0, 24)}.json.gz`);

/** Undefined when it is kept, else why not. */
function keep(file: string, { server, spool, push: { name, manifest, facts } }: SendRequest): string | undefined {
  try {
    fs.mkdirSync(spool, { recursive: true, mode: 0o700 });
    const part = `${file}.${randomBytes(8).toString("hex")}`;
    fs.writeFileSync(part, gzipSync(JSON.stringify({ server, name, manifest, facts: [...facts] })), { mode: 0o600, flag: "wx" });
    fs.renameSync(part, file);
    return undefined;
  } catch (error) {
    return `and what was to be pushed cannot be kept in ${spool}: ${reasonOf(error)}`;
  }
}

const mostOfSpooled = 512 << 20;

async function sendSpooled(request: SendRequest): Promise<string[]> {
  const notes: string[] = [];
  const names = fs.existsSync(request.spool) ? fs.readdirSync(request.spool).filter((name) => /^[0-9a-f]{24}\.json\.gz$/.test(name)) : [];
  for (const name of names) {
    const file = path.join(request.spool, name);
    try {
      const kept = JSON.parse(gunzipSync(fs.readFileSync(file), { maxOutputLength: mostOfSpooled }).toString("utf8")) as {
        server: string;
        name: string;
        manifest: Manifest;
        facts: [string, string][];
      };
      if (kept.server !== request.server) continue;
      await sendOne(request, { name: kept.name, manifest: kept.manifest, facts: new Map(kept.facts) });
      notes.push(`${kept.name}, which had waited for the server since ${kept.manifest.taken}, is pushed, too`);
      fs.rmSync(file, { force: true });
    } catch (error) {
      // What the server does not want now it will never want: something newer is known, or the token is not for it.
      if (error instanceof Away) return [...notes, `${file} waits on: ${error.message}`];
      notes.push(`${file} waited for the server, and is left out: ${error instanceof Refused ? error.message : reasonOf(error)}`);
      fs.rmSync(file, { force: true });
    }
  }
  return notes;
}
