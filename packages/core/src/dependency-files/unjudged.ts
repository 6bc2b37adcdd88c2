// What a file asks for that is not judged: packages that nothing is known of though their names hint at a GPU, and releases to come.
import { hintsAtGpu } from "../knowledge/gpu-hints.ts";
import { publishedDay, publishedPackage } from "../knowledge/published.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import { normalName } from "../lib/pep508.ts";
import type { Check } from "../model/check.ts";
import type { InstallContext } from "./context.ts";

export function unjudgedIn({ installation }: InstallContext, judged: Check["judged"]): Check["unknown"] {
  const found = new Map<string, Check["unknown"][number]>();
  for (const { declared, step } of installation.named) {
    // What conda would choose is said to be open for the whole of it.
    if (step.manager !== "pip") continue;
    const name = normalName(declared.name);
    const known = publishedPackage(name);
    const pinned = /^===?\s*([^*,\s]+)$/.exec(declared.specifier)?.[1];
    const subject = `${name}${pinned === undefined ? "" : ` ${pinned}`}`;
    const newest = known?.releases.at(-1)?.version;
    if (newest !== undefined && pinned !== undefined && 0 < comparePythonVersions(pinned.split("+")[0]!, newest))
      found.set(subject, {
        subject,
        kind: "release",
        reason: `it is newer than what is known here: ${name} up to ${newest}, seen on ${publishedDay()}`,
        newerThan: newest,
      });
    else if (!known && hintsAtGpu(name) && !judged.some(({ program }) => program === name))
      found.set(subject, {
        subject,
        kind: "package",
        reason: "what it brings and asks for is not known here; once it is installed, `culprit check` reads its files",
      });
  }
  return [...found.values()];
}
