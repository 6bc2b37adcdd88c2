import { checkDependencyFile, type DependencyFileRequest, type DependencyFileCheck } from "../../packages/core/src/index.ts";

import { statusOf } from "../../packages/core/src/model/check.ts";
import { asExpected } from "../rules/expected.ts";

/** What is said about a file; `beside` are the files that it may name. */
export async function declared(
  file: string,
  text: string,
  {
    beside = {},
    withPip = true,
    ...request
  }: Partial<DependencyFileRequest> & { beside?: { [path: string]: string }; withPip?: boolean } = {},
): Promise<DependencyFileCheck> {
  const read = async (path: string) => (beside[path] === undefined ? { problem: "is not there" } : { text: beside[path] });
  const answer = await checkDependencyFile({ file, text, read, ...request });
  if ("problem" in answer) throw new Error(answer.problem);
  asExpected(answer.check.findings);
  if (!withPip) return answer;
  // Images of these tests are short: that nothing brings pip is told where a test is about that.
  const { check } = answer;
  const findings = check.findings.filter(({ rule }) => rule !== "pip-refused");
  if (findings.length === check.findings.length) return answer;
  return { ...answer, check: { ...check, findings, status: statusOf({ ...check, findings }) } };
}

/** Findings in short: rule, line and severity. */
export const short = ({ check }: DependencyFileCheck): string[] =>
  check.findings.map(
    ({ rule, severity, place }) => `${severity} ${rule} ${place!.cell === undefined ? "" : `${place!.cell}:`}${place!.line}`,
  );

/** Packages that would be there and were asked for, as `torch 2.4.1`. */
export const asked = ({ predicted }: DependencyFileCheck): string[] =>
  predicted.packages.filter(({ place }) => place !== undefined).map(({ name, version }) => `${name} ${version ?? "?"}`);

/** A notebook of code cells. */
export const notebook = (cells: string[], metadata: object = {}): string =>
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata,
    cells: cells.map((source) => ({ cell_type: "code", metadata: {}, outputs: [], source })),
  });
