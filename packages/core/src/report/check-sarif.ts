// SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
import { shown } from "../lib/shown.ts";
import { jsonText, mapTexts, visibleLines } from "../lib/visible.ts";
import { nameOf } from "../lib/path.ts";
import type { Finding, Place } from "../model/finding.ts";
import type { VariableSource } from "../model/inventory.ts";
import type { RuleDescription } from "../model/rule.ts";
import { adviceLine } from "../lib/shell.ts";
import { affectedWords } from "./affected.ts";
import type { Judged } from "./judged.ts";
import { rulePage } from "./rule-page.ts";
import { endOf } from "./said.ts";

/** The findings of one or several targets for code review: a result each, at the line that sets the guilty variable where there is one. */
export function sarifReport(judged: Judged[], rules: RuleDescription[], version: string): string {
  const levels = { error: "error", warning: "warning", info: "note" } as const;
  const resultOf = (finding: Finding, { check, stack }: Judged) => ({
    ruleId: finding.rule,
    ruleIndex: rules.findIndex(({ id }) => id === finding.rule),
    level: levels[finding.severity],
    message: { text: messageText(finding, check) },
    locations: locationsOf(finding, stack.inventory.variables),
    // The identity of a finding, in the form that --ignore takes.
    partialFingerprints: { "ruleAndSubject/v1": shown(`${finding.rule}:${finding.subject}`) },
    properties: mapTexts(
      {
        cause: finding.cause,
        certainty: finding.certainty,
        subject: finding.subject,
        breaks: finding.breaks,
        endangers: finding.endangers,
        evidence: finding.evidence,
        advice: finding.advice.map(adviceLine),
        facts: finding.facts,
        sources: finding.sources,
      },
      shown,
    ),
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
              help: { text: `${rule.page.why}\n\n${rule.page.fix}`, markdown: rulePage(rule) },
              defaultConfiguration: { level: levels[rule.severity] },
              properties: { tags: ["gpu", rule.cause] },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: judged.flatMap(({ check: { unknown } }) =>
              unknown.map(({ subject, reason }) => ({ level: "note", message: { text: plainText(`cannot tell: ${subject}: ${reason}`) } })),
            ),
          },
        ],
        results: judged.flatMap((each) => [
          ...each.check.findings.map((finding) => resultOf(finding, each)),
          ...each.check.accepted.map(({ finding, reason }) => ({
            ...resultOf(finding, each),
            suppressions: [{ kind: "external", status: "accepted", justification: shown(reason) }],
          })),
        ]),
      },
    ],
  };
  // Whoever shows a document decodes it: what escapes hide must be visible in the texts themselves.
  return `${jsonText(mapTexts(document, visibleLines), 1)}\n`;
}

function messageText(finding: Finding, check: Judged["check"]): string {
  const { message, because, breaks, endangers, advice, certainty } = finding;
  return [
    `${message}${certainty === "certain" ? "" : ` (${certainty})`}`,
    ...(breaks.length === 0 ? [] : [`Breaks: ${affectedWords(breaks, check)}`]),
    ...(endangers.length === 0 ? [] : [`Endangers: ${affectedWords(endangers, check)}`]),
    ...because.map((text) => `Because: ${text}`),
    ...endOf(finding).map((text) => `Ends with: ${text}`),
    ...advice.map((each) => `Do: ${adviceLine(each)}`),
  ]
    .map(plainText)
    .join("\n");
}

// `[text](target)` is a link in a message of SARIF (3.11.6); in a name of ours it is not.
const plainText = (text: string) =>
  shown(text)
    .split("]")
    .map((part, index, parts) => (parts[index + 1]?.startsWith("(") ? part.replaceAll("[", "\\[") : part))
    .join("]");

function locationsOf(finding: Finding, variables: VariableSource[]): object[] {
  const { subject, facts, place } = finding;
  const logicalLocations = [{ name: shown(nameOf(subject) || subject), fullyQualifiedName: shown(subject), kind: "resource" }];
  if (place) return [{ physicalLocation: physicalOf(place), logicalLocations }];
  const setAt = (facts.variables ?? []).flatMap((each) => each.setAt);
  const lines = variables.filter(({ file, line }) => setAt.some((at) => at.file === file && at.line === line));
  if (lines.length === 0) return [{ logicalLocations }];
  return lines.map(({ file, line, text }) => ({
    physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line, snippet: { text: shown(text) } } },
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

// Half of a surrogate pair, which a damaged name may hold, has no place in a URI.
const uriOf = (file: string) =>
  `file://${file
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .split("/")
    .map((part) => encodeURIComponent(part))
    .join("/")}`;
