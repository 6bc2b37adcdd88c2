import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { compareRpmParts, compareRpmVersions } from "../../packages/core/src/lib/rpm-version.ts";
import { needs } from "../needs.ts";

// rpm's own table (tests/rpmvercmp.at).
const table =
  "1.0 1.0 0; 1.0 2.0 -1; 2.0.1 2.0.1 0; 2.0 2.0.1 -1; 2.0.1a 2.0.1a 0; 2.0.1a 2.0.1 1; 5.5p1 5.5p2 -1; 5.5p1 5.5p10 -1; 10xyz 10.1xyz -1; xyz10 xyz10 0; xyz10 xyz10.1 -1; xyz.4 xyz.4 0; xyz.4 8 -1; xyz.4 2 -1; 5.5p2 5.6p1 -1; 5.6p1 6.5p1 -1; 6.0.rc1 6.0 1; 10b2 10a1 1; 10a2 10b2 -1; 1.0aa 1.0aa 0; 1.0a 1.0aa -1; 10.0001 10.0001 0; 10.0001 10.1 0; 10.0001 10.0039 -1; 4.999.9 5.0 -1; 20101121 20101122 -1; 2_0 2_0 0; 2.0 2_0 0; a a 0; a+ a+ 0; a+ a_ 0; +a +a 0; +a _a 0; +_ +_ 0; _+ +_ 0; + _ 0; 1.0~rc1 1.0~rc1 0; 1.0~rc1 1.0 -1; 1.0~rc1 1.0~rc2 -1; 1.0~rc1~git123 1.0~rc1~git123 0; 1.0~rc1~git123 1.0~rc1 -1; 1.0^ 1.0^ 0; 1.0^ 1.0 1; 1.0^git1 1.0^git1 0; 1.0^git1 1.0 1; 1.0^git1 1.0^git2 -1; 1.0^git1 1.01 -1; 1.0^20160101 1.0^20160101 0; 1.0^20160101 1.0.1 -1; 1.0^20160101^git1 1.0^20160101^git1 0; 1.0^20160102 1.0^20160101^git1 1; 1.0~rc1^git1 1.0~rc1^git1 0; 1.0~rc1^git1 1.0~rc1 1; 1.0^git1~pre 1.0^git1~pre 0; 1.0^git1 1.0^git1~pre 1; 1b.fc17 1.fc17 -1; 1g.fc17 1.fc17 1"
    .split("; ")
    .map((row) => row.split(" ") as [string, string, string]);

test("parts are ordered as rpm's own table says, both ways round", () => {
  for (const [a, b, answer] of table) {
    expect(Math.sign(compareRpmParts(a, b)), `${a} ? ${b}`).toBe(Number(answer));
    expect(Math.sign(compareRpmParts(b, a)) + 0, `${b} ? ${a}`).toBe(0 - Number(answer));
  }
});

test("the epoch comes first, and a release counts where both have one", () => {
  expect(compareRpmVersions("1:0.1", "9.9")).toBeGreaterThan(0);
  expect(compareRpmVersions("0:1.0-1", "1.0-1")).toBe(0);
  expect(compareRpmVersions("12.4.1-1", "12.4.1")).toBe(0);
  expect(compareRpmVersions("8.9.7.29-1.cuda12.2", "8.9.7.29-1.cuda11.8")).toBeGreaterThan(0);
  expect(compareRpmVersions("550.54.15-1.el9", "550.54.14-3.el9")).toBeGreaterThan(0);
});

const hasRpm = spawnSync("rpm", ["--eval", '%{lua: print(rpm.vercmp("1", "2"))}'], { encoding: "utf8" }).stdout?.trim() === "-1";

test("parts are ordered as the rpm of this machine orders them", needs({ rpm: hasRpm }), () => {
  let state = 5;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pieces = ["0", "1", "10", "09", "9", "a", "rc", "b", "~", "^", ".", "_", "+", "cuda12.2", "el9", "fc40", "A", "2026"];
  const version = () => Array.from({ length: 1 + next(6) }, () => pieces[next(pieces.length)]!).join("");
  const asked = Array.from({ length: 2500 }, () => {
    const a = version();
    return [a, next(3) === 0 ? `${a}${pieces[next(pieces.length)]!}` : version()] as const;
  });
  const calls = asked.map(([a, b]) => `print(rpm.vercmp("${a}","${b}") .. " ")`);
  const answers = [0, 500, 1000, 1500, 2000]
    .map((start) => execFileSync("rpm", ["--eval", `%{lua:\n${calls.slice(start, start + 500).join("\n")}\n}`], { encoding: "utf8" }))
    .join(" ");
  expect(asked.map(([a, b]) => String(Math.sign(compareRpmParts(a, b)) + 0))).toEqual(answers.trim().split(/\s+/));
});
