// The page for people, from the files that the build put beside the server.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Hono } from "hono";
import { fleetPage, version } from "@culprit/core";
import { Refusal } from "../refusal.ts";

interface Page {
  text: string;
  policy: string;
}

/** Beside the built server, or where the build of a checkout puts it. */
const folder = ["./page/", "../../dist/page/"].map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place));

async function made(): Promise<Page> {
  if (!folder) throw new Refusal(404, "this server was built without its page; /openapi.json lists what there is");
  const [script, styles] = ["fleet.js", "fleet.css"].map((name) => readFileSync(new URL(name, folder), "utf8"));
  const hash = createHash("sha256").update(script!).digest("base64");
  return {
    text: await fleetPage({ script: script!, styles: styles!, version }),
    // It may ask this server, run its own script, and be shown in no other page.
    policy: `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

export function pageRoute(app: Hono): void {
  let page: Promise<Page> | undefined;
  app.get("/", async (context) => {
    page ??= made();
    const { text, policy } = await page;
    return context.html(text, 200, { "content-security-policy": policy, "referrer-policy": "no-referrer" });
  });
}
