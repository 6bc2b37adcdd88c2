import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { check, cuda11, cupti, jax, machine, serious, tensorflow, wordsOf } from "./profiled-root.ts";
import { needs } from "../needs.ts";

const tf = { ...tensorflow("2.10.1"), ...cuda11 };
const profile = { for: "tensorflow", do: ["profile"] as const satisfies string[] as ["profile"] };

describe("a libcupti that is older than the GPU", needs({ glibc: glibcLoader }), () => {
  test("TensorFlow 2.10 with its own CUPTI 11.2 on an H200 records nothing, and says nothing", async () => {
    const answer = await check(
      { ...tf, ...machine("NVIDIA H200"), ...cupti("/usr/lib", "libcupti.so.11.2", "libcupti.so.2020.3.1") },
      profile,
    );
    expect(serious(answer)).toMatchObject([
      {
        rule: "cupti-too-old",
        cause: "cupti-too-old-for-driver",
        severity: "error",
        certainty: "certain",
        subject: "/usr/lib/libcupti.so.2020.3.1",
        breaks: [{ framework: "tensorflow", activity: "profile" }],
      },
    ]);
    expect(wordsOf(serious(answer)[0]!)).toMatch(/CUPTI of CUDA 11\.2.*NVIDIA H200 \(sm_90, first known to CUDA 11\.8\)/);
    expect(answer.readiness).toBeUndefined();
  });

  test("the same on an A100, which 11.0 knew, is ready", async () => {
    const answer = await check(
      { ...tf, ...machine("NVIDIA A100-SXM4-80GB"), ...cupti("/usr/lib", "libcupti.so.11.2", "libcupti.so.2020.3.1") },
      profile,
    );
    expect(serious(answer)).toEqual([]);
    expect(answer.readiness).toMatchObject([
      { framework: "tensorflow", activity: "profile", file: "/usr/lib/libcupti.so.2020.3.1", version: "11.2" },
    ]);
  });

  test("a later member of a known family is a warning, and only likely", async () => {
    const answer = await check(
      { ...tf, ...machine("NVIDIA GeForce RTX 4090"), ...cupti("/usr/lib", "libcupti.so.11.2", "libcupti.so.2020.3.1") },
      profile,
    );
    expect(serious(answer)).toMatchObject([
      {
        rule: "cupti-too-old",
        severity: "warning",
        certainty: "likely",
        breaks: [],
        endangers: [{ framework: "tensorflow", activity: "profile" }],
      },
    ]);
  });

  test("a CUPTI from before 11.2 ends the process on an H200", async () => {
    const [finding] = serious(
      await check(
        { ...tf, ...machine("NVIDIA H200"), ...cupti("/opt/old", "libcupti.so.10.2", "libcupti.so.10.2.75") },
        { ...profile, environment: { LD_LIBRARY_PATH: "/opt/old" } },
      ),
    );
    expect(finding).toMatchObject({ rule: "cupti-too-old", severity: "error" });
    expect(finding!.message).toContain("taking a profile ends the process");
  });

  test("without profiling, an old CUPTI is no news", async () => {
    const files = { ...tf, ...machine("NVIDIA H200"), ...cupti("/usr/lib", "libcupti.so.11.2", "libcupti.so.2020.3.1") };
    expect(serious(await check(files, { for: "tensorflow", do: ["matmul"] }))).toEqual([]);
  });

  test("jax for CUDA 13 with the CUPTI of 11.8 in the place of its own has no GPU in its profile; with that of 12 it has", async () => {
    const broken = await check({ ...jax("libcupti.so.11.8"), ...machine("NVIDIA H200") }, { for: "jax", do: ["profile"] });
    expect(serious(broken)).toMatchObject([
      { rule: "cupti-of-another-toolkit", severity: "error", breaks: [{ framework: "jax", activity: "profile" }] },
    ]);
    expect(wordsOf(serious(broken)[0]!)).toMatch(/CUPTI of CUDA 11\.8.*built for CUDA 13/);
    expect(serious(await check({ ...jax("libcupti.so.12"), ...machine("NVIDIA H200") }, { for: "jax", do: ["profile"] }))).toEqual([]);
  });
});
