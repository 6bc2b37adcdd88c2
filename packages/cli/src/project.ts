import fs from "node:fs";
import { readProject, type Acceptance } from "@culprit/core";
import { readNamed, Unfit } from "@culprit/machine/target/named";
import { reasonOf } from "@culprit/core/lib/reason";
import { UsageError } from "./usage.ts";

const mostBytes = 16 << 20;

/** The project file that was named, or the one in the current folder where there is one. */
export function readProjectFile(named: string | undefined): { file: string; accept: Acceptance[] } {
  const file = named ?? "culprit.json";
  // Whoever works in a folder did not name what lies there: only a plain file is opened.
  const there = named === undefined ? fs.statSync(file, { throwIfNoEntry: false }) : undefined;
  if (named === undefined && !there) return { file, accept: [] };
  let content: string;
  try {
    if (there && !there.isFile() && !there.isDirectory()) throw new Unfit("it is not a plain file");
    content = readNamed(file, mostBytes).toString("utf8");
  } catch (error) {
    throw new UsageError(`\`${file}\` cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  const read = readProject(content);
  if ("problem" in read) throw new UsageError(`\`${file}\` cannot be used: ${read.problem}`);
  return { file, accept: read.project.accept };
}
