// What a check says of a package in Python alone, `rays`, beside others: errors, and what is unknown of it.
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { healthy, packaged } from "../diagnose/python-stack.ts";
import type { Files } from "../loader/tree.ts";
import { driver, pythonRoot } from "./python-root.ts";

export const pure = (name: string, python: { [path: string]: string }, requires: string[] = [], version = "1.0"): Files =>
  packaged(
    name,
    version,
    Object.fromEntries(Object.entries(python).map(([path, text]) => [path, new TextEncoder().encode(text)])),
    requires,
  );

export async function told(
  python: { [path: string]: string },
  beside: Files = {},
  requires: string[] = [],
  withSubjects = false,
): Promise<string[]> {
  const { folder } = pythonRoot({ ...healthy(), ...driver("/opt/driver"), ...beside, ...pure("rays", python, ["torch", ...requires]) });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  const { findings, unknown } = answer.check;
  const errors = findings.filter(({ severity }) => severity === "error").map(({ rule, evidence }) => `${rule} ${String(evidence[0])}`);
  const open = unknown
    .filter(({ subject, kind }) => subject.includes("rays") && kind === "package")
    .map(({ subject, reason }) => (withSubjects ? `${subject}: ${reason}` : reason));
  return [...errors, ...open];
}
