// Reports for programs that read lines: each is read back as its reader would, whatever the names in it say.
import { describe, expect, test } from "vitest";
import { acceptFindings, checkFormatted, checkSarif, type Answered, type Check } from "../../packages/core/src/index.ts";
import { hostileNames, withName } from "./hostile.ts";
import { judge, mixedCudnn, withSetter } from "./judged.ts";

const judgement = await judge(withSetter, mixedCudnn);
const how = { failing: "error", all: false } as const;
const healthy: Check = { ...judgement.check, status: "ok", findings: [], unknown: [] };
const placed: Check = {
  ...judgement.check,
  findings: judgement.check.findings.map((finding) => ({ ...finding, place: { file: "a,b:c/requirements.txt", line: 3, column: 1 } })),
};
const answers: Answered[] = [
  { target: "one", check: judgement.check },
  { target: "two", check: healthy },
  { target: "three", problem: "no such file" },
];
const said = async (format: "concise" | "github" | "junit", given: Answered[] = answers, more: object = {}) =>
  checkFormatted(format, given, { ...how, ...more });

describe("concise", () => {
  test("a line for each finding, and how many there are", async () => {
    const lines = (await said("concise")).trimEnd().split("\n");
    const errors = judgement.check.findings.filter(({ severity }) => severity === "error").length;
    expect(lines.filter((line) => line.startsWith("one: error: "))).toHaveLength(errors);
    expect(lines).toContain("three: not checked: no such file");
    expect(lines.at(-1)).toMatch(/^\d+ errors?(, \d+ warnings?)?; \d+ not judged$/);
    expect(await said("concise", [{ target: "file", check: placed }])).toMatch(/^a,b:c\/requirements\.txt:3: error: /);
  });

  test("nothing wrong, nothing to check and not judged are three things", async () => {
    expect(await said("concise", [{ target: "a", check: healthy }])).toBe("nothing wrong found\n");
    expect(await said("concise", [{ target: "a", check: { ...healthy, judged: [] } }])).toBe("nothing to check\n");
    const unseen: Check = { ...healthy, unknown: [{ subject: "/x", kind: "file", reason: "it cannot be read" }] };
    expect(await said("concise", [{ target: "a", check: unseen }])).toBe(
      "unknown: /x: it cannot be read\nnothing wrong found; 1 not judged\n",
    );
  });
});

/** As the runner of GitHub reads it (actions/runner, ActionCommand.cs). */
function commandsIn(text: string): { name: string; properties: { [name: string]: string }; message: string }[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [, name, given = "", data = ""] = /^::([^ ]+)(?: (.*?))?::(.*)$/.exec(line)!;
      const undo = (value: string) =>
        value.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%25", "%");
      const properties = Object.fromEntries(given.split(",").map((pair) => [pair.split("=")[0]!, undo(pair.slice(pair.indexOf("=") + 1))]));
      return { name: name!, properties, message: data.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%") };
    });
}

describe("github", () => {
  test("an annotation for each finding, at its line", async () => {
    const [first] = commandsIn(await said("github", [{ target: "file", check: placed }]));
    const [finding] = placed.findings;
    expect(first).toMatchObject({
      name: "error",
      properties: { title: finding!.rule, file: "a,b:c/requirements.txt", line: "3", col: "1" },
    });
    expect(first!.message.split("\n")[0]).toBe(finding!.message);
    expect(commandsIn(await said("github")).at(-1)).toMatchObject({ name: "error", message: "three: no such file" });
  });

  test("a notebook is shown as its file", async () => {
    const [finding] = judgement.check.findings;
    const check = { ...judgement.check, findings: [{ ...finding!, place: { file: "n.ipynb", line: 2, cell: 4, fileLine: 17 } }] };
    expect(commandsIn(await said("github", [{ target: "n.ipynb", check }]))[0]!.properties).toMatchObject({ file: "n.ipynb", line: "17" });
  });

  test("notes only where they are asked for", async () => {
    const [finding] = judgement.check.findings;
    const check: Check = { ...healthy, findings: [{ ...finding!, severity: "info" }] };
    expect(await said("github", [{ target: "a", check }])).toBe("");
    expect(commandsIn(await said("github", [{ target: "a", check }], { all: true }))[0]!.name).toBe("notice");
  });
});

/** A reader of XML that knows no mercy: elements in order, attributes and texts decoded. */
function elementsIn(text: string): { name: string; attributes: { [name: string]: string }; text: string }[] {
  const undo = (value: string) =>
    value.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&apos;", "'").replaceAll("&amp;", "&");
  const found = [...text.matchAll(/<([a-z-]+)((?: [a-z]+="[^"<]*")*) ?\/?>([^<]*)/g)];
  // Whatever is no tag is text, and no text holds the beginning of one.
  const rest = text.replaceAll(/<\/?[a-z-]+(?: [a-z]+="[^"<]*")* ?\/?>/g, "").replace(/^<\?xml[^>]*>/, "");
  expect(rest).not.toMatch(/[<>]/);
  expect(text).not.toMatch(/&(?!amp;|lt;|gt;|quot;|apos;)/);
  return found.map(([, name, attributes = "", inner = ""]) => ({
    name: name!,
    attributes: Object.fromEntries([...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key!, undo(value!)])),
    text: undo(inner),
  }));
}

describe("junit", () => {
  test("what makes the run fail fails, what is milder passes with words, what could not be judged is skipped", async () => {
    const warned: Check = { ...placed, findings: placed.findings.map((finding) => ({ ...finding, severity: "warning" })) };
    const unseen: Check = { ...healthy, unknown: [{ subject: "/x", kind: "file", reason: "it cannot be read" }] };
    const count = (text: string, name: string) => elementsIn(text).filter((each) => each.name === name).length;
    const strict = await said("junit", [{ target: "a", check: warned }], { failing: "warning" });
    expect(count(strict, "failure")).toBe(placed.findings.length);
    const mild = await said("junit", [{ target: "a", check: warned }]);
    expect([count(mild, "failure"), count(mild, "system-out")]).toEqual([0, placed.findings.length]);
    expect(count(await said("junit", [{ target: "a", check: unseen }]), "skipped")).toBe(1);
    expect(count(await said("junit"), "error")).toBe(1);
  });

  test("its numbers are those of its cases", async () => {
    const [root, ...others] = elementsIn(await said("junit"));
    const cases = others.filter(({ name }) => name === "testcase");
    const failures = others.filter(({ name }) => name === "failure");
    expect(root!.attributes).toMatchObject({
      name: "culprit",
      tests: String(cases.length),
      failures: String(failures.length),
      errors: "1",
    });
  });
});

test.each(hostileNames)("no name begins a line, a command or an element: %j", async (name) => {
  const { check } = withName(judgement, name);
  for (const format of ["concise", "github", "junit"] as const) {
    const text = await said(format, [{ target: name, check }]);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\u202e\u2028\ufffe\uffff]/u);
    if (format === "junit") elementsIn(text);
    if (format === "github") expect(commandsIn(text).every((each) => ["error", "warning", "notice"].includes(each.name))).toBe(true);
  }
});

test("several targets are one run of SARIF, each with its findings", async () => {
  const accepted = acceptFindings(judgement.check, [{ rule: judgement.check.findings[0]!.rule, reason: "known" }]).check;
  const { runs } = JSON.parse(await checkSarif([judgement, { check: accepted }])) as { runs: { results: { suppressions?: object[] }[] }[] };
  expect(runs).toHaveLength(1);
  expect(runs[0]!.results.length).toBe(judgement.check.findings.length + accepted.findings.length + accepted.accepted.length);
});
