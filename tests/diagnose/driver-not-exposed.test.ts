import { describe, expect, test } from "vitest";
import { loadsOfFrameworks, openTarget, type WhatIf } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { pythonRoot } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { needs } from "../needs.ts";
import { judge, torch, verdicts } from "./gpu-root.ts";

describe("driver-not-exposed", needs({ glibc: glibcLoader }), () => {
  const build = torch("2.6.0+cu124", "12.4");

  test("a machine that is said to have a GPU and has no driver lacks it; what else is wrong is told, too", async () => {
    const [finding, ...others] = await judge(build, { gpus: ["RTX 4090"] });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "driver-not-exposed", severity: "error", subject: "libcuda.so.1", cause: "driver-not-exposed" });
    expect(finding!.breaks).toEqual([{ framework: "torch", activity: "device" }]);
    expect(verdicts(await judge(build, { gpus: ["RTX 5090"] }))).toContain("gpu-not-in-build error");
  });

  test("with a driver that is asked about nothing lacks, and without any GPU nobody knows", async () => {
    expect(await judge(build, { driver: "570.86.10", gpus: ["RTX 4090"] })).toEqual([]);
    expect(await judge(build)).toEqual([]);
  });

  test("loads say the same as a check: what is asked about is there, a GPU alone brings no driver, and without both nobody knows", async () => {
    const { folder } = pythonRoot(build);
    const failures = async (whatIf: WhatIf) => {
      const examination = await openTarget(root(folder), { unset: ["LD_LIBRARY_PATH", "LD_PRELOAD"], ...whatIf });
      const answer = await loadsOfFrameworks(examination, { frameworks: ["torch"], activities: ["device"], python: ["/venv"] });
      if ("problem" in answer) throw new Error(answer.problem);
      return {
        failed: answer.failures.map(({ name }) => name),
        driver: answer.loads.find(({ library }) => library === "libcuda")?.certainty,
      };
    };
    expect(await failures({ driver: "570.86.10", gpus: ["RTX 4090"] })).toEqual({ failed: [], driver: "possible" });
    expect(await failures({ gpus: ["RTX 4090"] })).toEqual({ failed: ["libcuda.so.1"], driver: undefined });
    expect(await failures({})).toEqual({ failed: [], driver: undefined });
  });
});
