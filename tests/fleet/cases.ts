// The snapshots of the case book: real machines, or changed from such.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { splitTold, type Manifest, type Snapshot, type Told } from "../../packages/core/src/index.ts";
import { manifestDigest } from "../../packages/core/src/index.ts";
import { sha256 } from "../../packages/fleet/src/store/facts.ts";

export const caseNames = readdirSync("cases").filter((name) => existsSync(`cases/${name}/snapshot.json.gz`));
export const caseText = (name: string): string => gunzipSync(readFileSync(`cases/${name}/snapshot.json.gz`)).toString("utf8");
export const caseSnapshot = (name: string): Snapshot => JSON.parse(caseText(name)) as Snapshot;

/** What `culprit push` sends of facts. */
export function pushOf(
  told: Told,
  { group = "", taken = new Date().toISOString() }: { group?: string; taken?: string } = {},
): { manifest: Manifest; texts: Map<string, string> } {
  const { stack, texts, own } = splitTold(told, sha256);
  return { manifest: { digest: manifestDigest(stack, own, group, sha256), taken, stack, own, group }, texts };
}
