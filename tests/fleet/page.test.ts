// The page of a fleet server, in a real browser: with a wrong and a right token, every view, a roll-out asked for by hand.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { Browser, chromium } from "../page/browser.ts";
import { expectWell } from "../page/looks.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-fleet-page-"));

describe("in Chromium", needs({ chromium }), () => {
  let [browser, server, address, token]: [Browser?, ChildProcess?, string?, string?] = [];
  const pushed = { a1: "h200-system-cudnn-first", a2: "tensorflow-2.20-fresh", "<i>b</i>": "cupy-13-and-nvrtc-wheel" };

  beforeAll(async () => {
    server = spawn(
      process.execPath,
      ["packages/fleet/bin/culprit-fleet.mjs", "serve", "--port", "0", "--data", path.join(folder, "data"), "--workers", "1"],
      { env: { ...process.env, NO_COLOR: "1", DATABASE_URL: "" }, stdio: ["ignore", "pipe", "inherit"] },
    );
    address = await new Promise<string>((found, failed) => {
      server!.once("exit", () => failed(new Error("the server ended")));
      server!.stdout!.on("data", (said: Buffer) => {
        const match = /listens on (\S+)/.exec(said.toString("utf8"));
        if (match) found(match[1]!);
      });
    });
    token = fs.readFileSync(path.join(folder, "data/admin-token"), "utf8").trim();
    const env = { ...process.env, CULPRIT_FLEET_URL: address, CULPRIT_FLEET_TOKEN: token, XDG_STATE_HOME: path.join(folder, "state") };
    for (const [name, source] of Object.entries(pushed))
      expect(
        spawnSync(
          process.execPath,
          ["packages/cli/bin/culprit.cjs", "push", "--target", `cases/${source}/snapshot.json.gz`, "--name", name, "--group", "lab"],
          { env, encoding: "utf8" },
        ).stderr,
      ).toBe("");
    for (let tries = 0; tries < 600; tries++) {
      const answer = await fetch(`${address}/api/v1/nodes`, { headers: { authorization: `Bearer ${token}` } });
      const { nodes } = (await answer.json()) as { nodes: { status: string }[] };
      if (nodes.length === 3 && nodes.every(({ status }) => status !== "waiting")) break;
      await new Promise((later) => setTimeout(later, 100));
    }
    browser = new Browser();
  });
  afterAll(async () => {
    await browser?.close();
    server?.kill("SIGKILL");
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const enter = async (word: string) => {
    await browser!.until("document.getElementById('token')");
    await browser!.value(`document.getElementById('token').value = ${JSON.stringify(word)}`);
    await browser!.click("form button");
  };
  const shows = async (title: string, more = "true") =>
    browser!.until(`document.querySelector('main h2')?.textContent === ${JSON.stringify(title)} && ${more}`);
  const text = async () => browser!.value<string>("document.getElementById('main').innerText");

  test("who has no token, or a wrong one, is told so and sees nothing", { timeout: 120_000 }, async () => {
    await browser!.open(`${address}/`);
    await enter("wrong");
    await browser!.until("document.querySelector('[role=alert]')");
    expect(await text()).toMatch(/token/);
    expect(await text()).not.toContain("a1");
  });

  test("every view, wide and narrow, light and dark", { timeout: 240_000 }, async () => {
    await browser!.open(`${address}/`);
    // The wrong one of before may have been refused, which a browser writes down.
    browser!.complaints.length = 0;
    browser!.requests.length = 0;
    await enter(token!);
    await shows("Overview");
    expect(await text()).toMatch(/2\s+with errors\s+1\s+fine/);
    for (const [view, title, said] of [
      ["findings", "Findings", /on 1 node/i],
      ["nodes", "Nodes", /<i>b<\/i>/],
      ["node?name=a1", "Node", /first seen/i],
      ["differences", "Who differs", /No two of the 3 machines in lab are alike/],
      ["versions?bound=cudnn%3E%3D9", "Versions", /cudnn>=9: 2 nodes/],
      ["what-if?driver=450.80.02", "What if", /would break[^]*because[^]*evidence[^]*breaks/i],
    ] as const) {
      await browser!.value(`location.hash = "#${view}"`);
      await shows(title);
      expect([view, await text()]).toEqual([view, expect.stringMatching(said)]);
      await expectWell(browser!, view);
    }
    expect(browser!.complaints).toEqual([]);
    expect(browser!.requests.filter((each) => !each.startsWith(address!))).toEqual([]);
    expect(await browser!.value("document.querySelector('main i') === null")).toBe(true);
  });

  test("a roll-out asked for by hand, and what it cannot be about", { timeout: 120_000 }, async () => {
    await browser!.open(`${address}/`, { hash: "#what-if" });
    await enter(token!);
    await shows("What if");
    await browser!.value("document.getElementById('ask-driver').value = 'newest'");
    await browser!.click("form button");
    await browser!.until("document.querySelector('[role=alert]')");
    expect(await text()).toContain("`driver` is not the version of a driver");
  });
});
