// Which server a command asks, and who asks.
import { clientOf, type Client } from "../client.ts";
import { text, UsageError, type Input, type Option } from "../usage.ts";

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
