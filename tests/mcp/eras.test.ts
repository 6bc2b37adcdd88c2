// Clients of every age: what each of them is told when it opens, and that a tool answers it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { agent, cli } from "./agent.ts";

interface Message {
  id?: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  result?: any;
  error?: { message: string };
}

/** A client written down to the letter, for revisions that the official one no longer opens with. */
async function byHand(version: string, then: { method: string; params: object }[]): Promise<{ answers: Message[]; noise: string[] }> {
  const child = spawn(process.execPath, [cli, "mcp"], { stdio: ["pipe", "pipe", "inherit"] });
  const [answers, noise]: [Message[], string[]] = [[], []];
  const requests = [
    { method: "initialize", params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "old", version: "1" } } },
    ...then,
  ];
  const send = (index: number) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: index, ...requests[index] })}\n`);
  send(0);
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as Message & { jsonrpc: string };
    if (message.jsonrpc !== "2.0") noise.push(line);
    if (message.id === undefined) continue;
    answers.push(message);
    if (message.id === 0) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    if (message.id + 1 < requests.length) send(message.id + 1);
    else child.stdin.end();
  }
  return { answers, noise };
}

const calls = [
  { method: "tools/list", params: {} },
  { method: "tools/call", params: { name: "explain", arguments: { text: "libcudnn.so.8: cannot open shared object file" } } },
  { method: "resources/list", params: {} },
  { method: "resources/read", params: { uri: "culprit://rule/two-copies" } },
  { method: "prompts/get", params: { name: "my-run-fails", arguments: {} } },
];

test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("a client of %s is served in its own revision", async (version) => {
  const { answers, noise } = await byHand(version, calls);
  expect(noise).toEqual([]);
  expect(answers.map(({ error }) => error)).toEqual(answers.map(() => undefined));
  const [opened, listed, explained, resources, page, prompt] = answers.map(({ result }) => result);
  expect(opened.protocolVersion).toBe(version);
  expect(opened.serverInfo.name).toBe("culprit");
  expect(opened.instructions).toContain("data");
  expect(listed.tools.map(({ name }: { name: string }) => name)).toContain("explain");
  // Who does not know structured content has all of it in the text.
  expect(explained.content[0].text).toContain(explained.structuredContent.data.diagnoses[0].message);
  expect(explained.content[0].text).toContain(explained.structuredContent.data.diagnoses[0].details);
  expect(resources.resources.length).toBeGreaterThan(40);
  expect(page.contents[0].text).toMatch(/^# /);
  expect(prompt.messages[0].content.text).toContain("explain");
});

test("the official client speaks the newest revision with it, and the one before", async () => {
  for (const [modern, version] of [
    [true, "2026-07-28"],
    [false, "2025-11-25"],
  ] as const) {
    const { client, ask, aside } = await agent({ modern });
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const said = await ask("explain", { text: "libcudnn.so.8: cannot open shared object file" });
    expect(said.data.diagnoses[0].cause).toBe("library-missing");
    const { contents } = await client.readResource({ uri: said.data.diagnoses[0].details });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ cause: "library-missing" });
    await client.close();
    expect(aside()).toBe("");
  }
});

test("every tool has forms for what it takes and gives, and says what it may do", async () => {
  const { client } = await agent();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual("explain check why loads list fix apply undo solve trace diff read".split(" "));
  for (const { name, inputSchema, outputSchema, annotations } of tools) {
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    const changes = name === "apply" || name === "undo";
    expect({ name, ...annotations }).toMatchObject({ readOnlyHint: !changes, destructiveHint: changes, idempotentHint: !changes });
    if (name !== "read")
      expect(outputSchema).toMatchObject({ type: "object", required: ["summary", "notice", "answer", "data", "omitted"] });
  }
  // What is read at the beginning of every conversation.
  expect(JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))).length).toBeLessThan(
    20_000,
  );
  await client.close();
  const guest = await agent({ words: ["--read-only"] });
  expect((await guest.client.listTools()).tools.map(({ name }) => name)).not.toEqual(expect.arrayContaining(["apply"]));
  await expect(guest.client.callTool({ name: "apply", arguments: { digest: `sha256:${"0".repeat(64)}` } })).rejects.toThrow(/apply/);
  await guest.client.close();
});
