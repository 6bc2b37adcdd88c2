// An agent: the official client, and the server as clients start it.
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export const cli = path.resolve("dist/cli.js");

export interface Said {
  summary: string;
  notice: string;
  answer: string;
  omitted: { where: string; count: number }[];
  // Whatever the tool tells.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}

export interface Agent {
  client: Client;
  /** What a tool says; fails where it says that it could not. */
  ask: (name: string, given?: { [name: string]: unknown }) => Promise<Said>;
  /** The sentence of a tool that could not, or would not. */
  refused: (name: string, given?: { [name: string]: unknown }) => Promise<string>;
  /** The text that a model is given. */
  text: (name: string, given?: { [name: string]: unknown }) => Promise<string>;
  /** What the server printed beside the protocol. */
  aside: () => string;
}

export async function agent(options: { words?: string[]; env?: { [name: string]: string }; modern?: boolean } = {}): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, "mcp", ...(options.words ?? [])],
    env: { PATH: process.env["PATH"] ?? "", ...options.env },
    stderr: "pipe",
  });
  let printed = "";
  transport.stderr?.on("data", (piece: Buffer) => (printed += piece.toString()));
  const client = new Client({ name: "agent", version: "1.0.0" }, options.modern ? { versionNegotiation: { mode: "auto" } } : {});
  await client.connect(transport);
  const call = async (name: string, given: { [name: string]: unknown } = {}) => client.callTool({ name, arguments: given });
  const textOf = ({ content }: { content?: unknown }) => (content as { text: string }[]).map(({ text }) => text).join("\n");
  return {
    client,
    ask: async (name, given) => {
      const result = await call(name, given);
      if (result.isError) throw new Error(textOf(result));
      return result.structuredContent as unknown as Said;
    },
    refused: async (name, given) => {
      const result = await call(name, given);
      if (!result.isError) throw new Error(`it did: ${textOf(result).slice(0, 200)}`);
      return textOf(result);
    },
    text: async (name, given) => textOf(await call(name, given)),
    aside: () => printed,
  };
}
