// A real browser, spoken to over a pipe in its own protocol: a page is opened, clicked and looked at as people do.
import { spawn, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";

export const chromium = ["chromium", "chromium-browser", "google-chrome"]
  .flatMap((name) => (process.env["PATH"] ?? "").split(":").map((folder) => path.join(folder, name)))
  .find((file) => fs.existsSync(file));

interface Message {
  id?: number;
  method?: string;
  params?: { [name: string]: unknown };
  result?: { [name: string]: unknown };
  error?: { message: string };
}

export class Browser {
  private readonly child: ChildProcess;
  private readonly profile = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-browser-"));
  private readonly waiting = new Map<number, { settle: (result: never) => void; fail: (error: Error) => void }>();
  private next = 0;
  private rest = "";
  private session: string | undefined;
  /** What the page complained about, and every address that it asked for. */
  readonly complaints: string[] = [];
  readonly requests: string[] = [];

  constructor() {
    this.child = spawn(
      chromium!,
      [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        `--user-data-dir=${this.profile}`,
        "--remote-debugging-pipe",
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    this.child.stdio[4]!.on("data", (bytes: Buffer) => {
      const parts = `${this.rest}${bytes.toString("utf8")}`.split("\0");
      this.rest = parts.pop()!;
      for (const part of parts) this.take(JSON.parse(part) as Message);
    });
  }

  private take({ id, method, params = {}, result, error }: Message): void {
    if (id !== undefined) {
      const { settle, fail } = this.waiting.get(id)!;
      this.waiting.delete(id);
      if (error) fail(new Error(error.message));
      else settle(result as never);
    }
    if (method === "Runtime.exceptionThrown") this.complaints.push(JSON.stringify(params["exceptionDetails"]));
    if (method === "Log.entryAdded") this.complaints.push(JSON.stringify((params["entry"] as { text: string }).text));
    if (method === "Network.requestWillBeSent") this.requests.push((params["request"] as { url: string }).url);
  }

  async send<Result>(method: string, params: object = {}): Promise<Result> {
    this.next += 1;
    const id = this.next;
    const answer = new Promise<Result>((settle, fail) => this.waiting.set(id, { settle: settle as never, fail }));
    const session = this.session === undefined ? {} : { sessionId: this.session };
    (this.child.stdio[3] as NodeJS.WritableStream).write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return answer;
  }

  /** A file, or an address. */
  async open(file: string, { width = 1400, height = 1000, dark = false, hash = "" } = {}): Promise<void> {
    this.session = undefined;
    const { targetId } = await this.send<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send<{ sessionId: string }>("Target.attachToTarget", { targetId, flatten: true });
    this.session = sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(`${domain}.enable`);
    await this.look({ width, height, dark });
    await this.send("Page.navigate", { url: `${/^https?:/.test(file) ? file : `file://${file}`}${hash}` });
    await this.until("document.readyState === 'complete'");
  }

  /** As if it were another screen. */
  async look({ width, height, dark }: { width: number; height: number; dark: boolean }): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
  }

  async value<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.send<{ result: { value: Value }; exceptionDetails?: object }>("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  /** Until something holds in the page. */
  async until(expression: string): Promise<void> {
    for (let times = 0; times < 600; times += 1) {
      if (await this.value<boolean>(`Boolean(${expression})`)) return;
      await new Promise((settle) => setTimeout(settle, 50));
    }
    throw new Error(`it never came to this: ${expression}; the page complains: ${this.complaints.join("; ")}`);
  }

  /** By mouse, in the middle of the first element that fits. */
  async click(selector: string): Promise<void> {
    const at = await this.middle(selector);
    for (const type of ["mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount: 1 });
  }

  async middle(selector: string): Promise<{ x: number; y: number }> {
    return this.value(
      `(() => { const found = document.querySelector(${JSON.stringify(selector)}); found.scrollIntoView({ block: "center" }); const { x, y, width, height } = found.getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 }; })()`,
    );
  }

  /** By mouse, from an element to a place. */
  async drag(selector: string, by: { x: number; y: number }): Promise<void> {
    const { x, y } = await this.middle(selector);
    const move = async (type: string, to: { x: number; y: number }, buttons = 1) =>
      this.send("Input.dispatchMouseEvent", { type, ...to, button: "left", buttons, clickCount: 1 });
    await move("mousePressed", { x, y });
    for (const share of [0.1, 0.5, 1]) await move("mouseMoved", { x: x + by.x * share, y: y + by.y * share });
    await move("mouseReleased", { x: x + by.x, y: y + by.y }, 0);
  }

  /** Files from elsewhere, let go upon the page. */
  async drop(...files: string[]): Promise<void> {
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) await this.send("Input.dispatchDragEvent", { type, x: 200, y: 200, data });
  }

  /** By fingers, each from a place to a place. */
  async touch(...fingers: { from: { x: number; y: number }; to: { x: number; y: number } }[]): Promise<void> {
    await this.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 });
    const at = (share: number) =>
      fingers.map(({ from, to }, id) => ({ id, x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }));
    await this.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
    for (const share of [0.1, 0.3, 0.6, 1]) await this.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(share) });
    await this.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await this.send("Emulation.setTouchEmulationEnabled", { enabled: false });
  }

  async key(key: string, modifiers = 0): Promise<void> {
    const codes: { [key: string]: number } = { Enter: 13, Tab: 9, z: 90 };
    const given = { key, code: key, windowsVirtualKeyCode: codes[key] ?? 0, modifiers, ...(key === "Enter" ? { text: "\r" } : {}) };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...given });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...given });
  }

  async close(): Promise<void> {
    const gone = new Promise((settle) => this.child.once("exit", settle));
    this.session = undefined;
    void this.send("Browser.close").catch(() => undefined);
    await Promise.race([gone, new Promise((settle) => setTimeout(settle, 5000))]);
    this.child.kill("SIGKILL");
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
