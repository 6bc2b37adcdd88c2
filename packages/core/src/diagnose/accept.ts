import { readJson } from "../lib/read-json.ts";
import { nearNames } from "../lib/near.ts";
import { shown } from "../lib/shown.ts";
import { statusOf, type AcceptedFinding, type Check } from "../model/check.ts";
import type { Finding } from "../model/finding.ts";
import type { Acceptance, Project } from "../model/project.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import { ruleIds } from "../rules/ids.generated.ts";

/** Sets the findings aside that somebody lives with; says which acceptances met none. */
export function acceptFindings(check: Check, acceptances: Acceptance[]): { check: Check; unmet: Acceptance[] } {
  const accepted: AcceptedFinding[] = [...check.accepted];
  const findings = check.findings.filter((finding) => {
    const acceptance = acceptances.find((each) => isMet(each, finding));
    if (acceptance) accepted.push({ finding, reason: acceptance.reason });
    return acceptance === undefined;
  });
  const unmet = acceptances.filter((acceptance) => !check.findings.some((finding) => isMet(acceptance, finding)));
  return { check: { ...check, status: statusOf({ ...check, findings }), findings, accepted }, unmet };
}

// A subject may be given as reports show it.
const isMet = ({ rule, subject }: Acceptance, finding: Finding) =>
  rule === finding.rule && (subject === undefined || subject === finding.subject || subject === shown(finding.subject));

/** Text of a `culprit.json` → project; or what is wrong with it, and in which field. */
export function readProject(text: string): { project: Project } | Problem {
  const read = readJson(text);
  if ("problem" in read) return read;
  const { value } = read;
  if (!isObject(value)) return problemOf("damaged", "it is JSON, but not an object");
  const stranger = strangerIn(value, ["$schema", "accept"]);
  if (stranger !== undefined) return problemOf("damaged", stranger);
  if (value["$schema"] !== undefined && typeof value["$schema"] !== "string") return problemOf("damaged", "`$schema` is not a text");
  const { accept } = value;
  if (!Array.isArray(accept)) return problemOf("damaged", accept === undefined ? "it has no field `accept`" : "`accept` is not a list");
  for (const [index, entry] of accept.entries()) {
    const fault = faultOf(entry);
    if (fault !== undefined) return problemOf("damaged", `entry ${index + 1} of \`accept\`${fault}`);
  }
  return { project: value as unknown as Project };
}

function faultOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return " is not an object";
  const stranger = strangerIn(entry, ["rule", "subject", "reason"]);
  if (stranger !== undefined) return `: ${stranger}`;
  const { rule, subject, reason } = entry;
  if (typeof rule !== "string") return rule === undefined ? " has no `rule`" : ": `rule` is not a text";
  const unknown = unknownRule(rule);
  if (unknown !== undefined) return `: ${unknown}`;
  if (subject !== undefined && typeof subject !== "string") return ": `subject` is not a text";
  if (typeof reason !== "string") return reason === undefined ? " has no `reason`: say why it is all right" : ": `reason` is not a text";
  return reason.trim() === "" ? ": `reason` is empty: say why it is all right" : undefined;
}

/** Undefined for a rule that there is; else a sentence that names those it may have meant. */
export function unknownRule(rule: string): string | undefined {
  if (ruleIds.includes(rule)) return undefined;
  const near = nearNames(rule, ruleIds).map((id) => `\`${id}\``);
  const advice = 0 < near.length ? `did you mean ${near.join(" or ")}?` : "`culprit help rules` lists them";
  return `there is no rule \`${rule}\`; ${advice}`;
}

function strangerIn(value: { [name: string]: unknown }, known: string[]): string | undefined {
  const stranger = Object.keys(value).find((name) => !known.includes(name));
  return stranger === undefined
    ? undefined
    : `the field \`${stranger}\` is not known; the fields are ${known.map((name) => `\`${name}\``).join(", ")}`;
}

const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
