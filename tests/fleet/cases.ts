// The snapshots of the case book: real machines, or changed from such.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { splitTold, type Manifest, type Snapshot, type Told } from "../../packages/core/src/index.ts";
import { manifestDigest } from "../../packages/core/src/index.ts";
import { sha256 } from "../../packages/fleet/src/store/facts.ts";

export const caseNames = readdirSync("cases").filter((name) => existsSync(`cases/${name}/snapshot.json.gz`));
export const caseText = (name: string): string => gunzipSync(readFileSync(`cases/${name}/snapshot.json.gz`)).toString("utf8");
export const caseSnapshot = (name: string): Snapshot => JSON.parse(caseText(name)) as Snapshot;

/** Forty folders, each with the next one in it twice: a trillion paths in four kilobytes. */
export function bomb(): { stack: string; texts: Map<string, string>; keep: (value: unknown) => string } {
  const texts = new Map<string, string>();
  const keep = (value: unknown) => {
    const text = JSON.stringify(value);
    texts.set(sha256(text), text);
    return sha256(text);
  };
  let folder = keep([["end", { kind: "absent" }, null]]);
  for (let depth = 0; depth < 40; depth++)
    folder = keep([
      ["a", null, folder],
      ["b", null, folder],
    ]);
  return { stack: keep([{ schema: "culprit/snapshot@1", target: { kind: "machine" } }, folder]), texts, keep };
}

/** What `culprit push` sends of facts. */
export function pushOf(
  told: Told,
  { group = "", taken = new Date().toISOString() }: { group?: string; taken?: string } = {},
): { manifest: Manifest; texts: Map<string, string> } {
  const { stack, texts, own } = splitTold(told, sha256);
  return { manifest: { digest: manifestDigest(stack, own, group, sha256), taken, stack, own, group }, texts };
}
