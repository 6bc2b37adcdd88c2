import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { cudnn, findings, healthy, named, packaged, torch, triton } from "./python-stack.ts";
import { needs } from "../needs.ts";

describe("companions of torch", needs({ glibc: glibcLoader }), () => {
  test("torchvision without CUDA beside torch with CUDA is warned of; a label that fits is not", async () => {
    const beside = (version: string) => ({ ...healthy(), ...packaged("torchvision", version, {}, ["torch==2.6.0"]) });
    expect(await findings(beside("0.21.0+cpu"))).toMatchObject([
      { rule: "built-for-another-cuda", severity: "warning", cause: "wrong-wheel-cuda-version", subject: "torchvision in /venv" },
    ]);
    expect(named(await findings(beside("0.21.0+cu118")))).toEqual(["warning built-for-another-cuda"]);
    expect(named(await findings(beside("0.21.0+cu126")))).toEqual(["info built-for-another-cuda"]);
    expect(await findings(beside("0.21.0+cu124"))).toEqual([]);
    expect(await findings(beside("0.21.0"))).toEqual([]);
    const cpu = { ...torch("2.6.0", { cuda: "None" }), ...cudnn("9.1.0.70"), ...triton("3.2.0"), ...packaged("torchvision", "0.21.0+cpu") };
    expect(named(await findings(cpu))).toEqual(["info cpu-only-build"]);
  });
});
