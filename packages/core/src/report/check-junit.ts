// JUnit's XML as CI systems read it (https://github.com/testmoapp/junitxml). A finding is a test case that fails, or passes with words
// where it is milder than what makes the run fail; what could not be judged is skipped; what was judged and found well passes.
import { adviceLine } from "../lib/shell.ts";
import { shown } from "../lib/shown.ts";
import type { Finding } from "../model/finding.ts";
import { findingsOf, isFailing, openOf, type Answered, type Formatting } from "./answered.ts";

const entities: { [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
// What XML 1.0 cannot hold at all, `shown` has spelled out, but for two.
const xml = (text: string) =>
  shown(text)
    .replaceAll(/[&<>"']/g, (character) => entities[character]!)
    .replaceAll(/[\ufffe\uffff]/g, "\ufffd");

interface Case {
  name: string;
  place?: string;
  state: "passed" | "failed" | "skipped" | "error";
  inner: string;
}

export function junitReport(answers: Answered[], how: Formatting): string {
  const suites = answers.map((answer) => ({ target: answer.target, cases: casesOf(answer, how) }));
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="culprit" ${totals(all)}>`,
    ...suites.flatMap(({ target, cases }) => [
      `  <testsuite name="${xml(target)}" ${totals(cases)}>`,
      ...cases.map(({ name, place = "", inner }) =>
        inner === ""
          ? `    <testcase classname="${xml(target)}" name="${xml(name)}"${place} />`
          : `    <testcase classname="${xml(target)}" name="${xml(name)}"${place}>${inner}</testcase>`,
      ),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

function totals(cases: Case[]): string {
  const count = (state: Case["state"]) => cases.filter((each) => each.state === state).length;
  return `tests="${cases.length}" failures="${count("failed")}" errors="${count("error")}" skipped="${count("skipped")}"`;
}

function casesOf(answer: Answered, how: Formatting): Case[] {
  if (answer.problem !== undefined)
    return [{ name: "check", state: "error", inner: `<error message="${xml(answer.problem)}" type="not-checked" />` }];
  const findings = findingsOf(answer, how);
  const wrong = new Set(findings.flatMap(({ breaks, endangers }) => [...breaks, ...endangers].map(({ framework }) => framework)));
  const well = (answer.check?.judged ?? []).filter(({ program }) => !wrong.has(program));
  return [
    ...findings.map((finding) => findingCase(finding, how)),
    ...openOf(answer).map(({ subject, reason }): Case => ({
      name: `judge ${subject}`,
      state: "skipped",
      inner: `<skipped message="${xml(reason)}" />`,
    })),
    ...well.map(({ program, version, environment }): Case => ({
      name: [program, version, environment && `in ${environment}`].filter(Boolean).join(" "),
      state: "passed",
      inner: "",
    })),
  ];
}

function findingCase(finding: Finding, how: Formatting): Case {
  const { rule, subject, severity, certainty, message, because, advice, place } = finding;
  const words = [message, ...because.map((text) => `because: ${text}`), ...advice.map((each) => `fix: ${adviceLine(each)}`)];
  const text = words.map(xml).join("\n");
  const line = place && (place.cell === undefined ? place.line : place.fileLine);
  return {
    name: `${rule}: ${subject}`,
    ...(place ? { place: ` file="${xml(place.file)}"${line === undefined ? "" : ` line="${line}"`}` } : {}),
    ...(isFailing(finding, how)
      ? { state: "failed", inner: `<failure message="${xml(message)}" type="${severity}, ${certainty}">${text}</failure>` }
      : { state: "passed", inner: `<system-out>${xml(`${severity}: `)}${text}</system-out>` }),
  };
}
