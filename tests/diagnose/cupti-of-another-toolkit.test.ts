import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { check, cuda11, cuda12, cupti, machine, serious, tensorflow, torch, wordsOf } from "./profiled-root.ts";
import { needs } from "../needs.ts";

const start = { "/etc/profile.d/cuda.sh": { text: "# CUDA\n\nexport LD_LIBRARY_PATH=/usr/local/cuda-11.7/extras/CUPTI/lib64\n" } };
const profile = { for: "tensorflow", do: ["profile" as const] };

describe("the profiler of TensorBoard uses another libcupti than the one it was built for", needs({ glibc: glibcLoader }), () => {
  test("TensorFlow 2.10 falls back to libcupti.so of 11.7 on an H200: built for what, would load what from where, why, set by whom", async () => {
    const answer = await check(
      {
        ...tensorflow("2.10.1"),
        ...cuda11,
        ...machine("NVIDIA H200"),
        ...start,
        ...cupti("/usr/local/cuda-11.7/extras/CUPTI/lib64", "libcupti.so.11.7", "libcupti.so.2022.2.1"),
      },
      { ...profile, environment: { LD_LIBRARY_PATH: "/usr/local/cuda-11.7/extras/CUPTI/lib64" } },
    );
    expect(serious(answer)).toMatchObject([{ rule: "cupti-too-old", severity: "error" }]);
    const words = wordsOf(serious(answer)[0]!);
    for (const part of [
      "tensorflow 2.10.1 was built for CUDA 11.2",
      "CUPTI of CUDA 11.7",
      "/usr/local/cuda-11.7/extras/CUPTI/lib64/libcupti.so.2022.2.1",
      "libcupti.so.11.2, which tensorflow asks for first, is not found; libcupti.so is what it takes then",
      "LD_LIBRARY_PATH goes before",
      "set in /etc/profile.d/cuda.sh:3",
    ])
      expect(words).toContain(part);
  });

  test("on an A100 the same libcupti can serve: a remark, and the profile will contain the GPU", async () => {
    const answer = await check(
      {
        ...tensorflow("2.10.1"),
        ...cuda11,
        ...machine("NVIDIA A100-SXM4-80GB"),
        ...start,
        ...cupti("/usr/local/cuda-11.7/extras/CUPTI/lib64", "libcupti.so.11.7", "libcupti.so.2022.2.1"),
      },
      { ...profile, environment: { LD_LIBRARY_PATH: "/usr/local/cuda-11.7/extras/CUPTI/lib64" } },
    );
    expect(serious(answer)).toEqual([]);
    expect(answer.findings).toMatchObject([
      { rule: "cupti-of-another-toolkit", severity: "info", subject: "/usr/local/cuda-11.7/extras/CUPTI/lib64/libcupti.so.2022.2.1" },
    ]);
    expect(answer.readiness).toHaveLength(1);
  });

  test("a CUPTI of an older major release is a warning", async () => {
    const answer = await check(
      {
        ...tensorflow("2.15.1"),
        ...cuda12,
        ...machine("NVIDIA A100-SXM4-80GB"),
        ...cupti("/usr/lib", "libcupti.so.11.8", "libcupti.so.2022.3.0"),
      },
      profile,
    );
    expect(serious(answer)).toMatchObject([
      {
        rule: "cupti-of-another-toolkit",
        severity: "warning",
        certainty: "likely",
        endangers: [{ framework: "tensorflow", activity: "profile" }],
      },
    ]);
  });

  test("torch with the CUPTI of its own wheel is ready, and nothing more is said", async () => {
    const files = { ...torch(), ...machine("NVIDIA H200") };
    const answer = await check(files, { for: "torch", do: ["profile"] });
    expect(answer.findings).toEqual([]);
    expect(answer.readiness).toMatchObject([{ framework: "torch", version: "12.4" }]);
    expect(answer.readiness![0]!.message).toMatch(/^torch 2\.6\.0: the profile will contain the GPU, recorded by \S+libcupti\.so\.12 /);
  });
});
