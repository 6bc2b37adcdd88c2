import { readJson } from "../lib/read-json.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import { migrate } from "./migrate.ts";

/** Text → snapshot, checked against the published schema; or one sentence that says what is wrong and where. */
export async function parseSnapshot(
  text: string,
  /** Loaded when it is needed: it is large. */
  loadValidator: () => Promise<{ findProblem: (value: object) => string | undefined }>,
): Promise<{ snapshot: Snapshot } | Problem> {
  const read = readJson(text);
  if ("problem" in read) return read;
  const { value } = read;
  const current = migrate(value);
  if ("problem" in current) return current;
  const { findProblem } = await loadValidator();
  const problem = findProblem(current.value);
  return problem === undefined ? { snapshot: current.value as Snapshot } : problemOf("damaged", problem);
}
