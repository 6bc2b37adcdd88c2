// A real PostgreSQL server in a temporary folder. It refuses to run for root, so root starts it as the user `postgres`.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as later } from "node:timers/promises";

const folders = [
  ...(existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`) : []),
  ...(process.env["PATH"] ?? "").split(":"),
];
const bin = folders.find((folder) => existsSync(`${folder}/initdb`) && existsSync(`${folder}/postgres`));
const isRoot = process.getuid?.() === 0;
const user = isRoot ? userNamed("postgres") : undefined;

function userNamed(name: string): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return undefined;
  }
}

/** Why there can be none here; undefined where there can. */
export const noPostgres: string | undefined =
  bin === undefined
    ? "PostgreSQL is not installed (Debian: postgresql)"
    : isRoot && user === undefined
      ? "PostgreSQL does not run for root, and there is no user postgres"
      : undefined;

export interface RunningPostgres {
  url: (database?: string) => string;
  /** Makes one more database, empty. */
  fresh: () => Promise<string>;
  /** As a power cut would: -9. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

export async function startPostgres(): Promise<RunningPostgres> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "culprit-postgres-"));
  chmodSync(folder, 0o700);
  if (user) chownSync(folder, user.uid, user.gid);
  const as = user ?? {};
  const data = `${folder}/data`;
  execFileSync(`${bin}/initdb`, ["-D", data, "-A", "trust", "-U", "fleet", "--no-sync", "-E", "UTF8", "--locale=C"], {
    ...as,
    stdio: "ignore",
    cwd: folder,
  });
  const port = await freePort();
  const url = (database = "postgres") => `postgres://fleet@127.0.0.1:${port}/${database}`;
  let server: ChildProcess | undefined;
  const start = async () => {
    for (let tries = 0; tries < 200; tries++) {
      // After -9 it refuses to start as long as a process of before is left: it is tried again.
      if (server === undefined || server.exitCode !== null || server.signalCode !== null)
        server = spawn(`${bin}/postgres`, ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"], {
          ...as,
          stdio: "ignore",
          cwd: folder,
        });
      try {
        execFileSync(`${bin}/psql`, ["-Atc", "select 1", url()], { ...as, stdio: "ignore", cwd: folder });
        return;
      } catch {
        await later(100);
      }
    }
    throw new Error("PostgreSQL did not start");
  };
  const ended = async (signal: NodeJS.Signals) => {
    const gone = new Promise((done) => server!.once("exit", done));
    server!.kill(signal);
    await gone;
  };
  await start();
  let made = 0;
  return {
    url,
    fresh: async () => {
      made += 1;
      execFileSync(`${bin}/createdb`, ["-h", "127.0.0.1", "-p", String(port), "-U", "fleet", `fleet${made}`], {
        ...as,
        stdio: "ignore",
        cwd: folder,
      });
      return url(`fleet${made}`);
    },
    kill: async () => ended("SIGKILL"),
    start,
    stop: async () => {
      await ended("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const freePort = async (): Promise<number> =>
  new Promise((found) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => found(port));
    });
  });
