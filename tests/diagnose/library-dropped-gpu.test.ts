import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { affects, judge, machineWith, torch, verdicts } from "./gpu-root.ts";
import { cupy } from "./cupy-root.ts";
import { needs } from "../needs.ts";

describe("library-dropped-gpu", needs({ glibc: glibcLoader }), () => {
  // torch 2.7.1 for CUDA 12.6 has code for sm_70, and pins cuDNN 9.5.1.17; somebody upgraded it.
  const upgraded = torch("2.7.1", "12.6", { cudnn: "9.14.0.64" });

  test("cuDNN from 9.11 on refuses Volta, which the build still has", async () => {
    const [finding, ...others] = await judge({ ...upgraded, ...machineWith("570.124.06", ["Tesla V100-SXM2-16GB"]) });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "library-dropped-gpu", severity: "error", cause: "arch-unsupported" });
    expect(affects(finding!, "torch")).toEqual(["convolution", "rnn"]);
    expect(finding!.advice[0]!.words).toContain("9.10.2.21");
  });

  test("not the one that was pinned, and not on Turing", async () => {
    expect(
      await judge({ ...torch("2.7.1", "12.6", { cudnn: "9.5.1.17" }), ...machineWith("570.124.06", ["Tesla V100-SXM2-16GB"]) }),
    ).toEqual([]);
    expect(await judge({ ...upgraded, ...machineWith("570.124.06", ["Tesla T4"]) })).toEqual([]);
  });

  test("where the build has no code for the GPU either, that alone is said", async () => {
    const findings = await judge({
      ...torch("2.11.0", "13.0", { cudnn: "9.19.0.56" }),
      ...machineWith("580.159.04", ["Tesla V100-SXM2-16GB"]),
    });
    expect(verdicts(findings)).toEqual(["gpu-not-in-build error"]);
  });

  test("NVRTC of CUDA 13 makes no code for Volta", async () => {
    const findings = await judge({ ...cupy("13.0.88"), ...machineWith("580.159.04") }, { gpus: ["V100"] });
    expect(verdicts(findings)).toEqual(["library-dropped-gpu error"]);
    expect(await judge({ ...cupy("13.0.88"), ...machineWith("580.159.04") }, { gpus: ["T4"] })).toEqual([]);
  });

  test("drivers after 580 no longer have Volta", async () => {
    const files = torch("2.7.1", "12.6", { cudnn: "9.5.1.17" });
    expect(await judge(files, { driver: "580.159.04", gpus: ["V100"] })).toEqual([]);
    const [finding] = await judge(files, { driver: "590.48.01", gpus: ["V100"] });
    expect(finding).toMatchObject({ rule: "library-dropped-gpu", certainty: "likely", subject: "driver 590.48.01 on sm_70" });
  });
});
