// A fleet server of its own for a bench: started on a free port, and gone with the process that started it.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import process from "node:process";

export async function startServer(data, words = [], env = process.env) {
  const server = spawn(process.execPath, ["packages/fleet/bin/culprit-fleet.mjs", "serve", "--port", "0", "--data", data, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  process.on("exit", () => server.kill("SIGKILL"));
  const address = await new Promise((listening, failed) => {
    let said = "";
    server.stdout.on("data", (piece) => {
      said += piece;
      const found = /listens on (\S+)/.exec(said);
      if (found) listening(found[1]);
    });
    server.once("exit", () => failed(new Error("the server did not start")));
  });
  const token = fs.readFileSync(path.join(data, "admin-token"), "utf8").trim();
  const stop = async () => {
    const gone = new Promise((done) => server.once("exit", done));
    server.kill("SIGTERM");
    await gone;
  };
  return { pid: server.pid, address, token, stop };
}
