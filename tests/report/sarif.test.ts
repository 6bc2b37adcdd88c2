import { expect, test } from "vitest";
import { acceptFindings, checkSarif, ruleIds, type Judgement } from "../../packages/core/src/index.ts";
import { rules as machineRules } from "../../packages/core/src/rules/machine.generated.ts";
import { hostileNames, withName } from "./hostile.ts";
import { h200, hiddenGpus, judge, mixedCudnn, withSetter } from "./judged.ts";

interface Sarif {
  version: string;
  runs: {
    tool: { driver: { name: string; rules: { id: string; help: { markdown: string }; defaultConfiguration: { level: string } }[] } };
    results: {
      ruleId: string;
      ruleIndex: number;
      level: string;
      message: { text: string };
      locations: { physicalLocation?: { artifactLocation: { uri: string }; region: { startLine: number } }; logicalLocations: object[] }[];
      partialFingerprints: { [name: string]: string };
      suppressions?: object[];
    }[];
  }[];
}

const sarif = async (judgement: Judgement) => JSON.parse(await checkSarif(judgement)) as Sarif;
const errors = (runs: Sarif["runs"]) => runs[0]!.results.filter(({ level }) => level !== "note");
const judgement = await judge(withSetter, mixedCudnn);

test("a finding stands at the line that sets the variable, and is the same finding the next time", async () => {
  const { version, runs } = await sarif(judgement);
  expect(version).toBe("2.1.0");
  const [result] = runs[0]!.results;
  const { rule, subject } = judgement.check.findings[0]!;
  expect(result).toMatchObject({
    ruleId: rule,
    level: "error",
    locations: [{ physicalLocation: { artifactLocation: { uri: "file:///etc/profile.d/cuda.sh" }, region: { startLine: 3 } } }],
    partialFingerprints: { "ruleAndSubject/v1": `${rule}:${subject}` },
  });
  expect(result!.message.text).toContain("Breaks: torch (rnn)");
  expect(runs[0]!.tool.driver.rules[result!.ruleIndex]!.id).toBe(rule);
});

test("without such a line it stands at what it is about", async () => {
  const { runs } = await sarif(await judge(h200, hiddenGpus));
  expect(errors(runs).map(({ ruleId, locations }) => [ruleId, locations])).toEqual([
    [
      "gpus-hidden",
      [{ logicalLocations: [{ name: "CUDA_VISIBLE_DEVICES", fullyQualifiedName: "CUDA_VISIBLE_DEVICES", kind: "resource" }] }],
    ],
  ]);
});

test("every rule brings its page, and what is only a note is a note", async () => {
  const { runs } = await sarif(judgement);
  const { rules } = runs[0]!.tool.driver;
  const about = machineRules.map(({ id }) => id);
  expect(rules.map(({ id }) => id)).toEqual(about.sort());
  expect(ruleIds).toEqual(expect.arrayContaining(about));
  for (const { help } of rules) expect(help.markdown).toMatch(/## What to do\n\n\S/);
  expect(errors(runs).map(({ level }) => level)).toEqual(["error"]);
  expect(runs[0]!.results.find(({ ruleId }) => ruleId === "two-copies")?.level).toBe("note");
});

test("an accepted finding is suppressed, with the reason", async () => {
  const { rule } = judgement.check.findings[0]!;
  const { check } = acceptFindings(judgement.check, [{ rule, reason: "only jax runs here" }]);
  const { runs } = await sarif({ ...judgement, check });
  expect(errors(runs).map(({ ruleId, suppressions }) => [ruleId, suppressions])).toEqual([
    [rule, [{ kind: "external", status: "accepted", justification: "only jax runs here" }]],
  ]);
});

test.each(hostileNames)("a file called %j makes no link and no bad address", async (name) => {
  const changed = withName(judgement, name);
  const [finding] = changed.check.findings;
  const [source] = changed.stack.inventory.variables;
  finding!.facts.variables = [{ name: source!.name, setAt: [{ file: source!.file, line: source!.line }] }];
  const { runs } = await sarif(changed);
  const [result] = runs[0]!.results;
  expect(result!.message.text).not.toMatch(/(?<!\\)\[[^\]]*\]\(/);
  for (const { physicalLocation } of result!.locations)
    expect(physicalLocation?.artifactLocation.uri).toMatch(/^file:\/\/\/[\w%./!~*'()-]+$/);
});

// The schema lets nothing else in (`additionalProperties: false`), of what is written here.
const allowed: { [name: string]: string[] } = {
  document: ["$schema", "version", "runs"],
  run: ["tool", "columnKind", "invocations", "results"],
  driver: ["name", "version", "semanticVersion", "rules"],
  rule: ["id", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"],
  result: ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints", "properties", "suppressions"],
  location: ["physicalLocation", "logicalLocations"],
  physical: ["artifactLocation", "region"],
  region: ["startLine", "startColumn", "endLine", "endColumn", "snippet"],
  logical: ["name", "fullyQualifiedName", "kind"],
};

test("the laws of the schema hold, wherever a finding stands", async () => {
  const keep = (name: string, value: object) => expect(allowed[name]).toEqual(expect.arrayContaining(Object.keys(value)));
  const check = structuredClone(judgement.check);
  check.findings[0]!.place = { file: "requirements.txt", line: 3, endLine: 4, column: 2, endColumn: 9 };
  check.findings.push({ ...structuredClone(check.findings[0]!), place: { file: "a.ipynb", line: 1, cell: 2, fileLine: 14 } });
  const document = await sarif({ ...judgement, check });
  keep("document", document);
  for (const run of document.runs) {
    const { rules } = run.tool.driver;
    keep("run", run);
    keep("driver", run.tool.driver);
    for (const rule of rules) keep("rule", rule);
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    expect(run.results.length).toBeGreaterThan(1);
    for (const result of run.results) {
      keep("result", result);
      expect(["none", "note", "warning", "error"]).toContain(result.level);
      expect(rules[result.ruleIndex]?.id).toBe(result.ruleId);
      expect(result.message.text).not.toBe("");
      for (const text of Object.values(result.partialFingerprints)) expect(text).toBeTypeOf("string");
      for (const { physicalLocation, logicalLocations, ...rest } of result.locations) {
        expect(rest).toEqual({});
        for (const each of logicalLocations) keep("logical", each);
        if (!physicalLocation) continue;
        keep("physical", physicalLocation);
        keep("region", physicalLocation.region);
        const numbers = Object.values(physicalLocation.region).filter((each) => typeof each === "number");
        for (const number of numbers) expect(number).toBeGreaterThanOrEqual(1);
        expect(URL.canParse(physicalLocation.artifactLocation.uri, "file:///")).toBe(true);
      }
    }
  }
});
