import fs from "node:fs";
import path from "node:path";
import process from "node:process";

/** Only one of us at a time. A lock whose owner died is taken over. */
export function withLock<T>(home: string, act: () => T): T {
  const file = path.join(home, "lock");
  take(file);
  try {
    return act();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

function take(file: string): void {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      const owner = Number(fs.readFileSync(file, "utf8"));
      if (isAlive(owner)) throw new Error(`another culprit (process ${owner}) is changing this machine right now`, { cause: error });
      fs.rmSync(file, { force: true });
    }
  }
  throw new Error(`${file} cannot be taken`);
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
