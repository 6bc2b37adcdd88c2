import { tooMuchJson } from "../lib/json-size.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import { migrate } from "./migrate.ts";

/** Text → snapshot, checked against the published schema; or one sentence that says what is wrong and where. */
export async function parseSnapshot(
  text: string,
  /** Loaded when it is needed: it is large. */
  loadValidator: () => Promise<{ findProblem: (value: object) => string | undefined }>,
): Promise<{ snapshot: Snapshot } | Problem> {
  const excess = tooMuchJson(text);
  if (excess !== undefined) return problemOf("too-large", excess);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : "unreadable";
    return problemOf("damaged", text.trim() === "" ? "it is empty" : `it is not JSON (${reason})`);
  }
  const current = migrate(value);
  if ("problem" in current) return current;
  const { findProblem } = await loadValidator();
  const problem = findProblem(current.value);
  return problem === undefined ? { snapshot: current.value as Snapshot } : problemOf("damaged", problem);
}
