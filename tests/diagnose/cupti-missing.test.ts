import { describe, expect, test } from "vitest";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { without, wheel } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { check, cuda11, cuda12, cupti, machine, serious, tensorflow, torch, wordsOf } from "./profiled-root.ts";
import { needs } from "../needs.ts";

const profile = { for: "tensorflow", do: ["profile" as const] };
const a100 = machine("NVIDIA A100-SXM4-80GB");

describe("no CUPTI is found", needs({ glibc: glibcLoader }), () => {
  test("TensorFlow 2.10 without any libcupti: which name, what follows, what to install", async () => {
    const [finding, ...others] = serious(await check({ ...tensorflow("2.10.1"), ...cuda11, ...a100 }, profile));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: "cupti-missing",
      cause: "library-missing",
      severity: "error",
      subject: "libcupti.so.11.2",
      breaks: [{ framework: "tensorflow", activity: "profile" }],
    });
    expect(finding!.message).toContain("the profile would hold nothing of the GPU");
    expect(wordsOf(finding!)).toContain("apt install cuda-cupti-11-2");
    // No wheel was ever made of 11.2.
    expect(wordsOf(finding!)).not.toContain("pip install");
  });

  test("in extras/CUPTI/lib64 of the toolkit: installed, but nobody looks there", async () => {
    const folder = "/usr/local/cuda-11.2/extras/CUPTI/lib64";
    const [finding, ...others] = serious(
      await check(
        {
          ...tensorflow("2.10.1"),
          ...cuda11,
          ...a100,
          "/usr/local/cuda-11.2/version.json": { text: '{"cuda":{"version":"11.2.2"}}' },
          ...cupti(folder, "libcupti.so.11.2", "libcupti.so.2020.3.1"),
        },
        profile,
      ),
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "cupti-missing", cause: "library-not-on-path" });
    expect(wordsOf(finding!)).toContain(`env LD_LIBRARY_PATH=${folder} COMMAND`);
    expect(wordsOf(finding!)).toContain(`echo ${folder} >> /etc/ld.so.conf.d/culprit.conf && ldconfig`);
  });

  test("TensorFlow 2.15 does not find the wheel that its own extra installs", async () => {
    const [finding, ...others] = serious(
      await check({ ...tensorflow("2.15.1"), ...cuda12, ...a100, ...wheel("cuda_cupti", { "libcupti.so.12": {} }) }, profile),
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "cupti-missing", cause: "library-not-on-path" });
    expect(adviceLine(finding!.advice[0]!)).toMatch(/^for one command: env LD_LIBRARY_PATH=\S+\/nvidia\/cuda_cupti\/lib COMMAND$/);
  });

  test("only another release, off the path: the name has the minor in it", async () => {
    const toolkit = { "/usr/local/cuda-11.7/version.json": { text: '{"cuda":{"version":"11.7.1"}}' } };
    const [finding, ...others] = serious(
      await check(
        {
          ...tensorflow("2.10.1"),
          ...cuda11,
          ...a100,
          ...toolkit,
          ...cupti("/usr/local/cuda-11.7/extras/CUPTI/lib64", "libcupti.so.11.7", "libcupti.so.2022.2.1"),
        },
        profile,
      ),
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "cupti-missing", cause: "library-wrong-version" });
    expect(finding!.because).toContain("a link from another release to that name does not help: the program was not built for it");
    // What stands where a command is looked for can be typed.
    expect(finding!.advice.filter(({ command }) => !command)).toEqual([]);
  });

  test("torch cannot be imported without it; the wheel to install is the one that it pins", async () => {
    const gone = without(torch(), /cuda_cupti/);
    const [finding, ...others] = serious(await check({ ...gone, ...machine("NVIDIA H200") }, { for: "torch", do: ["profile"] }));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "cupti-missing", subject: "libcupti.so.12" });
    expect(finding!.breaks).toContainEqual({ framework: "torch", activity: "import" });
    expect(finding!.advice[0]!.command?.at(-1)).toBe("nvidia-cuda-cupti-cu12==12.4.127");
  });

  test("a machine without a GPU is not told to install it", async () => {
    const { findings } = await check({ ...tensorflow("2.10.1"), ...cuda11 }, { for: "tensorflow", do: ["matmul"] });
    expect(findings).toEqual([]);
  });
});
