import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { quoted } from "@culprit/core/lib/shell";
import { inThreads, type Judges } from "../judge/pool.ts";
import { beginWork } from "../judge/work.ts";
import { print, say } from "../print.ts";
import { peopleOf } from "../server/people.ts";
import { serve } from "../server/serve.ts";
import { claimFolder } from "../store/claim.ts";
import { migrate } from "../store/migrations.ts";
import { openEmbedded, openPostgres, type Store } from "../store/sql.ts";
import { addToken, newToken } from "../store/tokens.ts";
import { text, texts, UsageError, wholeNumber, type Command, type Input, type Option } from "../usage.ts";

export const storeOptions: Option[] = [
  {
    name: "data",
    value: "DIR",
    help: "where the embedded database lies (~/.local/share/culprit-fleet); DATABASE_URL names a PostgreSQL server instead",
  },
];

const workersOption: Option = {
  name: "workers",
  value: "N",
  help: "how many threads judge (one less than there are processors); 0: none, others do",
};

export const serveCommand: Command = {
  name: "serve",
  usage: "culprit-fleet serve [--port N] [--host H] [--data DIR] [options]",
  summary: "start the server: nodes push to it, people ask it",
  details:
    "Without DATABASE_URL, PostgreSQL runs inside this process, in a folder; with it, any number of processes share one server and the work.\nAt the first start a token for administration is made and written to a file that only you can read. The server never tells a node to do anything.",
  options: [
    { name: "port", value: "N", help: "7478, unless named; 0: one that is free" },
    { name: "host", value: "H", help: "the address to listen on (127.0.0.1; 0.0.0.0 is all)" },
    ...storeOptions,
    { name: "admin-token-file", value: "FILE", help: "where the first token is, or will be (admin-token in the data folder)" },
    { name: "cert", value: "FILE", help: "with --key: HTTPS, with this certificate" },
    { name: "key", value: "FILE", help: "the key of the certificate" },
    { name: "behind-proxy", help: "a proxy in front of it does HTTPS, and writes x-forwarded-for" },
    workersOption,
    { name: "keep-days", value: "N", help: "how long history is kept, and nodes that are silent (90)" },
    { name: "webhook", value: "URL", multiple: true, help: "is told of errors on nodes that did not have them before" },
    { name: "webhook-secret-file", value: "FILE", help: "signs what webhooks get (HMAC-SHA256 in x-culprit-signature)" },
    { name: "oidc-issuer", value: "URL", help: "people may come with tokens of this OpenID Connect issuer: to read" },
    { name: "oidc-audience", value: "NAME", help: "whom such tokens must be for (culprit-fleet)" },
    { name: "oidc-admins", value: "GROUP", help: "people of this group (claims groups or roles) administer" },
  ],
  examples: [
    { line: "culprit-fleet serve", asks: "on this machine, for this machine" },
    {
      line: "DATABASE_URL=postgres://fleet@db/fleet culprit-fleet serve --host 0.0.0.0 --cert fleet.pem --key fleet.key",
      asks: "for a cluster",
    },
  ],
  run: runServe,
};

async function runServe(input: Input): Promise<number> {
  if (0 < input.words.length) throw new UsageError(`\`culprit-fleet serve\` takes no word: ${input.words[0]}`);
  const tls = tlsOf(input);
  const host = text(input, "host") ?? "127.0.0.1";
  const people = peopleIn(input);
  const port = wholeNumber(input, "port", 7478);
  const keepDays = wholeNumber(input, "keep-days", 90, 36_500, 1);
  const webhooks = webhooksIn(input);
  const workers = workersIn(input);
  const folder = dataFolder(input);
  const store = await openStore(folder);
  await migrate(store);
  const file = path.resolve(text(input, "admin-token-file") ?? path.join(folder, "admin-token"));
  await settleAdminToken(store, file);
  const served = await serve({
    store,
    judges: judgesOf(workers),
    host,
    port,
    keepDays,
    webhooks,
    told: say,
    behindProxy: input.options["behind-proxy"] === true,
    ...(tls ? { tls } : {}),
    ...(people ? { people } : {}),
  }).catch((error: unknown) => {
    const code = (error as { code?: string }).code;
    if (code === "EADDRINUSE") throw new UsageError(`port ${port} of ${host} is taken: \`--port N\` chooses another`);
    throw error;
  });
  // Whoever reads this may ask it to end in the same moment.
  const asked = untilAsked();
  print(greeting(served.address, store.engine === "embedded" ? `PostgreSQL inside, in ${folder}` : "PostgreSQL of DATABASE_URL", file));
  if (!tls && !["127.0.0.1", "::1", "localhost"].includes(host) && input.options["behind-proxy"] !== true)
    say("tokens cross the network in the clear: `--cert` and `--key` make it HTTPS, or `--behind-proxy` says that a proxy does");
  await asked;
  await served.end();
  return 0;
}

/** What there is now, and the lines to type next: they work in the shell of whoever started this, npx included. */
const greeting = (address: string, database: string, file: string): string =>
  [
    `culprit-fleet listens on ${address} (${database})`,
    `The token for administration is in ${file}. Now, in another shell on this machine:`,
    "",
    `  export CULPRIT_FLEET_URL=${address} CULPRIT_FLEET_TOKEN="$(cat ${quoted(file)})"`,
    `  ${typed("culprit")} push`,
    `  ${typed("culprit-fleet")} query`,
    "",
    "The same address in a browser shows the fleet to whoever has that token.",
    "",
  ].join("\n");

/** npm puts folders of its own into PATH for what it starts: a shell does not have those. */
function typed(command: string): string {
  const folders = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => !/node_modules[\\/]\.bin$|node-gyp-bin$/.test(folder));
  return folders.some((folder) => existsSync(path.join(folder, command))) ? command : `npx ${command}`;
}

const untilAsked = async (): Promise<void> =>
  new Promise((asked) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => asked());
  });

export const workCommand: Command = {
  name: "work",
  usage: "culprit-fleet work [--workers N]",
  summary: "judge what others took in, on another machine; needs DATABASE_URL",
  options: [workersOption],
  examples: [{ line: "DATABASE_URL=postgres://fleet@db/fleet culprit-fleet work", asks: "more hands for a large fleet" }],
  run: async (input) => {
    const url = process.env["DATABASE_URL"];
    if (!url) throw new UsageError("DATABASE_URL is not set: an embedded database belongs to the one process that serves it");
    const workers = workersIn(input);
    const store = await openStore(undefined);
    await migrate(store);
    const judges = judgesOf(workers);
    const work = beginWork(store, judges, say);
    const asked = untilAsked();
    print(`culprit-fleet works with ${judges.size} ${judges.size === 1 ? "thread" : "threads"}\n`);
    await asked;
    await work.end();
    await judges.end();
    await store.end();
    return 0;
  },
};

const workersIn = (input: Input): number => wholeNumber(input, "workers", Math.max(1, os.availableParallelism() - 1), 256);
const judgesOf = (workers: number): Judges => inThreads(workers, new URL("worker.mjs", import.meta.url));

export const dataFolder = (input: Input): string =>
  path.resolve(text(input, "data") ?? path.join(process.env["XDG_DATA_HOME"] || path.join(os.homedir(), ".local/share"), "culprit-fleet"));

/** PostgreSQL where DATABASE_URL names one, else the embedded one in that folder. */
export async function openStore(folder: string | undefined): Promise<Store> {
  const url = process.env["DATABASE_URL"];
  if (url !== undefined && url !== "") {
    const store = await openPostgres(url);
    try {
      await store.one("select 1 as yes");
    } catch (error) {
      await store.end().catch(() => {});
      // The address may hold a password.
      throw new UsageError(
        `the PostgreSQL server of DATABASE_URL cannot be used: ${(error as Error).message || (error as { code?: string }).code}`,
        { cause: error },
      );
    }
    return store;
  }
  mkdirSync(folder!, { recursive: true, mode: 0o700 });
  const claim = await claimFolder(folder!, { waits: say });
  if ("by" in claim) throw new UsageError(`${claim.by} serves ${folder} already: stop it, or give another \`--data\` folder`);
  try {
    const store = await openEmbedded(path.join(folder!, "postgres"));
    return { ...store, end: async () => store.end().finally(claim.release) };
  } catch (error) {
    claim.release();
    throw error;
  }
}

async function settleAdminToken(store: Store, file: string): Promise<void> {
  if (!existsSync(file)) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const own = `${file}.${process.pid}.part`;
    writeFileSync(own, `${newToken("admin")}\n`, { mode: 0o600, flag: "wx" });
    chmodSync(own, 0o600);
    // Another server of the same database may begin at the same moment: the file has one token, and is whole as soon as it is there.
    try {
      linkSync(own, file);
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
    } finally {
      rmSync(own);
    }
  }
  const token = readFileSync(file, "utf8").trim();
  if (token.length < 32) throw new UsageError(`${file} holds no token of 32 characters or more: remove it, and one is made`);
  await addToken(store, { token, scope: "admin", note: "first token" });
}

function tlsOf(input: Input): { cert: string; key: string } | undefined {
  const [cert, key] = [text(input, "cert"), text(input, "key")];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError("HTTPS needs both a certificate and its key: `--cert` and `--key`");
  for (const file of [cert, key]) if (!existsSync(file)) throw new UsageError(`\`${file}\` is not there`);
  return { cert, key };
}

function peopleIn(input: Input) {
  const url = text(input, "oidc-issuer");
  if (url === undefined) return undefined;
  if (!URL.canParse(url)) throw new UsageError(`\`--oidc-issuer ${url}\` is not an address`);
  const admins = text(input, "oidc-admins");
  return peopleOf({ url, audience: text(input, "oidc-audience") ?? "culprit-fleet", ...(admins === undefined ? {} : { admins }) });
}

function webhooksIn(input: Input) {
  const file = text(input, "webhook-secret-file");
  const secret = file === undefined ? undefined : readFileSync(file, "utf8").trim();
  return texts(input, "webhook").map((url) => {
    if (!URL.canParse(url) || !/^https?:/.test(url)) throw new UsageError(`\`--webhook ${url}\` is not an address`);
    return { url, ...(secret === undefined ? {} : { secret }) };
  });
}
