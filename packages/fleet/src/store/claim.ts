// One process at a time may have an embedded database: two would destroy it. Numbers of processes say nothing across containers, and a file
// outlives whoever wrote it, so a claim is a socket in the folder: while its process lives, it can be connected to from every container of the
// same kernel; afterwards, however it ended, it refuses. Of another kernel (a folder that two machines share, a virtual machine, a restart
// since then) no socket tells anything: there the claim has a beat, and the next one watches whether it goes on.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { Worker } from "node:worker_threads";

export interface Claim {
  release: () => void;
}

/** Who has it already, in words. */
export interface Taken {
  by: string;
}

interface Claimant {
  /** Which kernel it runs on; empty where that cannot be known. */
  kernel: string;
  host: string;
  pid: number;
  /** Whether it has the folder; before that it only wants it. */
  holds: boolean;
  /** Not every file system takes sockets. */
  listens: boolean;
}

export interface ClaimOptions {
  kernel?: string;
  /** Milliseconds from beat to beat. */
  beat?: number;
  sockets?: boolean;
  /** Is told when it will take some seconds. */
  waits?: (sentence: string) => void;
}

const named = /^serving-([0-9a-f]{16})\.json$/;
/** Beats that may be late before somebody counts as gone. */
const lateBeats = 4;

/** The folder is ours until `release`, or the end of this process, unless somebody has it. */
export async function claimFolder(folder: string, options: ClaimOptions = {}): Promise<Claim | Taken> {
  const { kernel = thisKernel(), beat = 4000, sockets = true, waits = () => {} } = options;
  const id = randomBytes(8).toString("hex");
  const at = placeOf(folder, id);
  // A path by this is short enough for a socket, however deep the folder lies.
  const handle = openSync(folder, "r");
  const socket = sockets ? await listenIn(folder, handle, at.socket) : undefined;
  const mine: Claimant = { kernel, host: os.hostname(), pid: process.pid, holds: false, listens: !!socket };
  writeFileSync(at.beat, "0", { mode: 0o600 });
  write(at.claim, mine);
  const beating = await beatIn(at.beat, beat);
  const remove = () => forget(folder, id);
  process.once("exit", remove);
  const release = () => {
    process.off("exit", remove);
    void beating.terminate().then(remove);
    socket?.close();
    closeSync(handle);
    remove();
  };
  try {
    for (;;) {
      let isContested = false;
      for (const other of await claimantsBeside({ folder, handle, id, kernel, beat, waits })) {
        if (other.holds || other.id < id) {
          release();
          return { by: `the process ${other.pid} on ${other.host}` };
        }
        isContested = true;
      }
      // Of those who begin at the same moment the first by name goes on, once the others have seen it, or one of them was faster.
      if (!isContested) break;
      await later(20);
    }
  } catch (error) {
    release();
    throw error;
  }
  write(at.claim, { ...mine, holds: true });
  return { release };
}

const placeOf = (folder: string, id: string) => ({
  claim: path.join(folder, `serving-${id}.json`),
  socket: path.join(folder, `serving-${id}.sock`),
  beat: path.join(folder, `serving-${id}.beat`),
});

function forget(folder: string, id: string): void {
  for (const file of Object.values(placeOf(folder, id))) rmSync(file, { force: true });
}

/** Whole, or not there. */
function write(file: string, claimant: Claimant): void {
  writeFileSync(`${file}.part`, JSON.stringify(claimant), { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

interface Looking {
  folder: string;
  handle: number;
  id: string;
  kernel: string;
  beat: number;
  waits: (sentence: string) => void;
}

/** Those who are alive; what the others left is removed: no name comes twice. */
async function claimantsBeside(looking: Looking): Promise<(Claimant & { id: string })[]> {
  const { folder, id } = looking;
  const alive: (Claimant & { id: string })[] = [];
  for (const file of readdirSync(folder)) {
    const other = named.exec(file)?.[1];
    if (other === undefined || other === id) continue;
    const claimant = readClaim(path.join(folder, file));
    if (claimant === undefined) continue;
    if (await isAlive(looking, other, claimant)) alive.push({ ...(readClaim(path.join(folder, file)) ?? claimant), id: other });
    else forget(folder, other);
  }
  return alive;
}

function readClaim(file: string): Claimant | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Claimant;
  } catch (error) {
    // It has gone meanwhile.
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    // A power cut left it without its text: only its beat can tell.
    if (error instanceof SyntaxError) return { kernel: "", host: "some machine", pid: 0, holds: true, listens: false };
    throw error;
  }
}

async function isAlive({ folder, handle, kernel, beat, waits }: Looking, id: string, claimant: Claimant): Promise<boolean> {
  const at = placeOf(folder, id);
  if (claimant.listens && claimant.kernel !== "" && claimant.kernel === kernel) return canConnect(pathBy(folder, handle, at.socket));
  const before = beatOf(at.beat);
  waits(`${claimant.host} served ${folder}: whether it still does is seen in ${Math.ceil((lateBeats * beat) / 1000)} seconds`);
  for (const end = Date.now() + lateBeats * beat; Date.now() < end;) {
    await later(beat / 4);
    const now = beatOf(at.beat);
    if (now === undefined) return false;
    if (now !== before) return true;
  }
  return false;
}

/** Read anew each time: a network file system asks its server then. */
function beatOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}

/** In a thread of its own: the database keeps this one busy for long. */
async function beatIn(file: string, beat: number): Promise<Worker> {
  const code = `
    const { workerData } = require("node:worker_threads");
    const { openSync, writeSync } = require("node:fs");
    const handle = openSync(workerData.file, "r+");
    let count = 0;
    // A full disk for a moment is no end.
    setInterval(() => { try { writeSync(handle, String(++count), 0); } catch {} }, workerData.beat);`;
  const worker = new Worker(code, { eval: true, workerData: { file, beat }, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  await once(worker, "online");
  // A disk that is full, or a folder that was taken away, is for the database to tell.
  worker.on("error", () => {});
  worker.unref();
  return worker;
}

/** A socket has a name of 107 bytes at most. */
const pathBy = (folder: string, handle: number, file: string): string =>
  existsSync(`/proc/self/fd/${handle}`) ? `/proc/self/fd/${handle}/${path.relative(folder, file)}` : file;

/** It has its name only when it can be connected to; where there can be no socket, there is none. */
async function listenIn(folder: string, handle: number, file: string): Promise<net.Server | undefined> {
  const unnamed = `${file}.new`;
  const server = net.createServer((connection) => connection.destroy());
  try {
    await new Promise<void>((listening, failed) => {
      server.once("error", failed);
      server.listen(pathBy(folder, handle, unnamed), listening);
    });
    renameSync(unnamed, file);
  } catch {
    server.close();
    return undefined;
  }
  server.unref();
  return server;
}

/** Whoever is too busy to answer is alive, and so is whoever may not be asked. */
const canConnect = async (file: string): Promise<boolean> =>
  new Promise((known) => {
    const connection = net.connect(file);
    const end = (isThere: boolean) => {
      connection.destroy();
      known(isThere);
    };
    connection.once("connect", () => end(true));
    connection.once("error", ({ code }: NodeJS.ErrnoException) => end(code !== "ECONNREFUSED" && code !== "ENOENT"));
  });

/** Containers of one machine share it; it is another one after a restart. */
function thisKernel(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
