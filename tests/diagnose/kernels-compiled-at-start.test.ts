import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { judge, machineWith, verdicts } from "./gpu-root.ts";
import { tensorflow as tensorflow220 } from "./tensorflow-root.ts";
import { needs } from "../needs.ts";

const tensorflow = { ...tensorflow220, ...machineWith("580.159.04") };

describe("kernels-compiled-at-start", needs({ glibc: glibcLoader }), () => {
  test("a GPU newer than the build gets PTX, which takes its time", async () => {
    const [finding, ...others] = await judge(tensorflow, { gpus: ["B200"] });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "kernels-compiled-at-start", severity: "warning", breaks: [] });
    expect(finding!.endangers).toContainEqual({ framework: "tensorflow", activity: "matmul" });
  });

  test.each([["H100"], ["T4"], ["RTX 4090"], ["V100"]])("%s has machine code there", async (gpu) => {
    expect(await judge(tensorflow, { gpus: [gpu] })).toEqual([]);
  });

  test("a GPU older than the build has nothing", async () => {
    expect(verdicts(await judge(tensorflow, { gpus: ["GTX 980"] }))).toEqual(["gpu-not-in-build error"]);
  });

  test("an older driver of the same major cannot compile that PTX at all", async () => {
    // 550.54.15 knows PTX 8.4; that of CUDA 12.5 is 8.5. The architecture is given, so that no driver is too old for it.
    const findings = await judge(tensorflow, { driver: "550.54.15", gpus: ["sm_110"] });
    expect(verdicts(findings)).toEqual(["ptx-newer-than-driver error"]);
  });
});
