// What notebooks and TensorBoard's tab show (python/shown): the words of the command, as markup in which texts from elsewhere are text.
import fs from "node:fs";
import { expect, test } from "vitest";
import type { Check } from "../../packages/core/src/model/check.ts";
import { headline } from "../../packages/core/src/report/headline.ts";
import { escaped } from "../../packages/core/src/report/html.ts";
import { checkReport } from "../../packages/core/src/report/check.ts";
import { shown, type Answer } from "../../python/shown/shown.ts";

const answers = fs
  .readdirSync("cases", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => [name, JSON.parse(fs.readFileSync(`cases/${name}/diagnosis.json`, "utf8")) as Answer] as const)
  .filter(([, { schema }]) => /^culprit\/(check@2|explain@1|trace@1)$/.test(schema));

/** What is open when markup ends, or is closed and was not open. */
function unbalanced(markup: string): string[] {
  const open: string[] = [];
  for (const [, slash, name] of markup.matchAll(/<(\/?)([a-z]+)\b[^>]*>/g)) {
    if (name === "wbr") continue;
    if (slash === "") open.push(name!);
    else if (open.pop() !== name) return [`</${name}>`];
  }
  return open;
}

test("the case book has answers of all kinds", () => {
  expect(new Set(answers.map(([, { schema }]) => schema)).size).toBe(3);
});

test.each(answers)("%s is markup that is whole and brings no script", (_, answer) => {
  const { html, markdown } = shown({ answer });
  expect(unbalanced(html)).toEqual([]);
  expect(html).not.toMatch(/<script|<[^>]+\son\w+=|javascript:|https?:[^"]*\.(?:js|css)/);
  expect(markdown.split("\n")[0]).toMatch(/^`{3,}text$/);
  const plain = html.replace(/<[^>]*>/g, "");
  if (answer.schema === "culprit/explain@1")
    for (const { message } of answer.diagnoses) expect(plain).toContain(escaped(message.replace(/^or /, "")).replaceAll("`", ""));
  if (answer.schema !== "culprit/check@2") return;
  for (const finding of answer.findings) expect(plain).toContain(escaped(headline(finding)).replaceAll("`", ""));
});

const hostile = "</pre></div><script>alert(1)</script><img src=x onerror=alert(1)> \u001b[31m \u0001bad\u0002 ```\n# heading";
const check: Check = {
  schema: "culprit/check@2",
  target: { kind: "machine" },
  status: "findings",
  judged: [{ program: hostile, version: hostile, activities: ["import"] }],
  unknown: [{ subject: hostile, kind: "file", reason: hostile }],
  findings: [
    {
      rule: "library-missing",
      cause: "library-missing",
      severity: "error",
      certainty: "certain",
      subject: hostile,
      message: hostile,
      because: [hostile],
      evidence: [hostile],
      facts: { variables: [] },
      breaks: [{ framework: hostile, activity: "import" }],
      endangers: [],
      advice: [{ words: hostile, command: ["echo", hostile], scope: "once" }],
      sources: [hostile],
      fixes: [],
    },
  ],
  accepted: [],
};

test("texts from elsewhere stay text: no element, no colour, no line and no block of their own", () => {
  const { html, text, markdown } = shown({ answer: check, beside: [hostile], colours: true });
  expect(unbalanced(html)).toEqual([]);
  expect(html).not.toMatch(/<script|<img/);
  expect(html).not.toContain("\u0001");
  // oxlint-disable-next-line no-control-regex
  expect(text.replace(/\u001b\[(?:1|2|22|31|32|39)m/g, "")).not.toMatch(/[\u0001\u0002\u001b]/);
  expect(text).not.toMatch(/^# heading/m);
  const fence = markdown.split("\n")[0]!.slice(0, -"text".length);
  expect(markdown.split("\n").filter((line) => line.startsWith(fence))).toHaveLength(2);
});

test("without colours it is the report of the command", () => {
  const answer = answers.find(([, each]) => each.schema === "culprit/check@2")![1] as Check;
  expect(shown({ answer }).text).toBe(checkReport(answer));
});
