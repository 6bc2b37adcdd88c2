import fs from "node:fs";
import { readProject, type Acceptance } from "../index.ts";
import { UsageError } from "./usage.ts";

/** The project file that was named, or the one in the current folder where there is one. */
export function readProjectFile(named: string | undefined): { file: string; accept: Acceptance[] } {
  const file = named ?? "culprit.json";
  if (named === undefined && !fs.existsSync(file)) return { file, accept: [] };
  let content: string;
  try {
    content = fs.readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reason = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : String(code ?? error);
    throw new UsageError(`\`${file}\` cannot be read: ${reason}`, { cause: error });
  }
  const read = readProject(content);
  if ("problem" in read) throw new UsageError(`\`${file}\` cannot be used: ${read.problem}`);
  return { file, accept: read.project.accept };
}
