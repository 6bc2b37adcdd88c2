// SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
import { visible } from "../lib/lines.ts";
import { nameOf } from "../lib/path.ts";
import type { Finding, Place } from "../model/check.ts";
import type { VariableSource } from "../model/inventory.ts";
import type { RuleDescription } from "../model/rule.ts";
import { affectedWords } from "./affected.ts";
import type { Judged } from "./judged.ts";
import { rulePage } from "./rule-page.ts";

/** The findings for code review: a result each, at the line that sets the guilty variable where there is one. */
export function sarifReport({ check, stack }: Judged, rules: RuleDescription[], version: string): string {
  const levels = { error: "error", warning: "warning", info: "note" } as const;
  const result = (finding: Finding) => ({
    ruleId: finding.rule,
    ruleIndex: rules.findIndex(({ id }) => id === finding.rule),
    level: levels[finding.severity],
    message: { text: messageText(finding, check) },
    locations: locationsOf(finding, stack.inventory.variables),
    // The identity of a finding, in the form that --ignore takes.
    partialFingerprints: { "ruleAndSubject/v1": `${finding.rule}:${finding.subject}` },
    properties: {
      cause: finding.cause,
      certainty: finding.certainty,
      subject: finding.subject,
      breaks: finding.breaks,
      endangers: finding.endangers,
      evidence: finding.evidence,
      advice: finding.advice,
      sources: finding.sources,
    },
  });
  const document = {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "culprit",
            version,
            semanticVersion: version,
            rules: rules.map((rule) => ({
              id: rule.id,
              shortDescription: { text: rule.title },
              fullDescription: { text: rule.page.what },
              help: { text: `${rule.page.why}\n\n${rule.page.mend}`, markdown: rulePage(rule) },
              defaultConfiguration: { level: levels[rule.severity] },
              properties: { tags: ["gpu", rule.cause] },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: check.unknown.map(({ subject, reason }) => ({
              level: "note",
              message: { text: `cannot tell: ${subject}: ${reason}` },
            })),
          },
        ],
        results: [
          ...check.findings.map(result),
          ...check.accepted.map(({ finding, reason }) => ({
            ...result(finding),
            suppressions: [{ kind: "external", status: "accepted", justification: reason }],
          })),
        ],
      },
    ],
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

function messageText(finding: Finding, check: Judged["check"]): string {
  const { message, because, breaks, endangers, advice, certainty } = finding;
  return [
    `${message}${certainty === "certain" ? "" : ` (${certainty})`}`,
    ...(breaks.length === 0 ? [] : [`Breaks: ${affectedWords(breaks, check)}`]),
    ...(endangers.length === 0 ? [] : [`Endangers: ${affectedWords(endangers, check)}`]),
    ...because.map((text) => `Because: ${text}`),
    ...advice.map((text) => `Do: ${text}`),
  ]
    .map(plainText)
    .join("\n");
}

// `[text](target)` is a link in a message of SARIF (3.11.6); in a name of ours it is not.
const plainText = (text: string) =>
  visible(text)
    .split("]")
    .map((part, index, parts) => (parts[index + 1]?.startsWith("(") ? part.replaceAll("[", "\\[") : part))
    .join("]");

function locationsOf(finding: Finding, variables: VariableSource[]): object[] {
  const { subject, because, advice, evidence, place } = finding;
  const logicalLocations = [{ name: nameOf(subject) || subject, fullyQualifiedName: subject, kind: "resource" }];
  if (place) return [{ physicalLocation: physicalOf(place), logicalLocations }];
  const texts = [...because, ...evidence, ...advice];
  const lines = variables.filter(({ file, line }) => texts.some((text) => names(text, `${file}:${line}`)));
  if (lines.length === 0) return [{ logicalLocations }];
  return lines.map(({ file, line, text }) => ({
    physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line, snippet: { text } } },
    logicalLocations,
  }));
}

// A line of a cell is no line of the notebook's file, which is JSON and has its own.
function physicalOf({ file, line, endLine, column, endColumn, cell, fileLine }: Place): object {
  const region = {
    startLine: line,
    ...(column === undefined ? {} : { startColumn: column }),
    ...(endLine === undefined ? {} : { endLine }),
    ...(endColumn === undefined ? {} : { endColumn }),
  };
  // Relative to where the command runs, which in code review is the repository.
  const uri = file.startsWith("/") ? uriOf(file) : uriOf(file).slice("file://".length);
  if (cell !== undefined) return { artifactLocation: { uri }, ...(fileLine === undefined ? {} : { region: { startLine: fileLine } }) };
  return { artifactLocation: { uri }, region };
}

// Line 3 is not named by a text about line 30.
function names(text: string, place: string): boolean {
  for (let at = text.indexOf(place); 0 <= at; at = text.indexOf(place, at + 1)) if (!/\d/.test(text[at + place.length] ?? "")) return true;
  return false;
}

// Half of a surrogate pair, which a damaged name may hold, has no place in a URI.
const uriOf = (file: string) =>
  `file://${file
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .split("/")
    .map((part) => encodeURIComponent(part))
    .join("/")}`;
