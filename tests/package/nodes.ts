// Releases of Node: the one that runs the tests, and those that tools/test-nodes.mjs fetched.
import fs from "node:fs";
import path from "node:path";

const fetched = path.resolve("node_modules/.cache/culprit-nodes");
const releases = fs.existsSync(fetched) ? fs.readdirSync(fetched).filter((name) => fs.existsSync(`${fetched}/${name}/bin/node`)) : [];

/** The executable of a release of this major version. */
export function nodeOf(major: number): string | undefined {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const release = releases.find((name) => name.startsWith(`${major}.`));
  return release && `${fetched}/${release}/bin/node`;
}

/** What culprit runs on. */
export const supported = [20, 22, 24];
/** Those of them that keep compiled code. */
export const keeping = [22, 24];
