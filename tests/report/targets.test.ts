import { describe, expect, test } from "vitest";
import { targetsReport, type Check, type TargetAnswer } from "../../packages/core/src/index.ts";

const check = (version: string, wrong: boolean): Check => ({
  schema: "culprit/check@2",
  status: wrong ? "findings" : "ok",
  target: { kind: "host" },
  judged: [{ program: "torch", version, environment: "/opt/venv", activities: ["import"] }],
  unknown: [],
  findings: wrong
    ? [
        {
          rule: "driver-too-old",
          cause: "driver-too-old",
          severity: "error",
          certainty: "certain",
          subject: "torch",
          message: "the driver is too old for torch",
          because: [],
          evidence: [],
          facts: {},
          advice: [],
          sources: [],
          breaks: [],
          endangers: [],
          fixes: [],
        },
      ]
    : [],
  accepted: [],
});

const hosts = (count: number): TargetAnswer[] =>
  Array.from({ length: count }, (_, index): TargetAnswer => {
    const name = `node${String(index + 1).padStart(3, "0")}`;
    const target = `ssh:${name}`;
    if (name === "node017" || name === "node018") return { target, problem: `cannot look at ${name}: Connection refused` };
    if (name === "node003") return { target, driver: "525.60.13", gpus: ["L4"], check: check("2.4.0", true) };
    return { target, driver: "550.54.15", gpus: ["L4"], check: check("2.4.0", false) };
  });

describe("several targets", () => {
  test("few are told one by one, in their order", () => {
    expect(
      targetsReport({ schema: "culprit/targets@1", targets: hosts(4) })
        .split("\n")
        .slice(0, 5),
    ).toEqual([
      "target       driver     GPUs  result",
      "ssh:node001  550.54.15  L4    ✓ nothing wrong found",
      "ssh:node002  550.54.15  L4    ✓ nothing wrong found",
      "ssh:node003  525.60.13  L4    ✗ 1 error",
      "ssh:node004  550.54.15  L4    ✓ nothing wrong found",
    ]);
  });

  test.each([20, 200])("of %i, those that differ come first and those that are alike have one line", (number) => {
    const text = targetsReport({ schema: "culprit/targets@1", targets: hosts(number) });
    expect(text.replaceAll(/(?<=\S) {2,}/g, " | ")).toBe(
      [
        "target | driver | GPUs | result",
        "ssh:node003 | 525.60.13 | L4 | ✗ 1 error",
        "2 alike: ssh:node[017,018] | ✗ Connection refused",
        `${number - 3} alike: ssh:node[001,002,004-016,019${number === 20 ? ",020" : "-200"}] | 550.54.15 | L4 | ✓ nothing wrong found`,
        "",
        "What differs",
        "  driver: 525.60.13 on ssh:node003 (elsewhere 550.54.15)",
        "",
        "What is wrong",
        "  ✗ the driver is too old for torch",
        "    on ssh:node003",
        "",
        "`culprit check ssh:node003` says why and what to do",
        "",
      ].join("\n"),
    );
  });
});
