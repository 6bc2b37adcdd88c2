import { describe, expect, test } from "vitest";
import { library } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { check, cuda11, cupti, serious, tensorflow, torch } from "./profiled-root.ts";
import { needs } from "../needs.ts";

// The driver of Windows, which is small and behind a link.
const wsl = {
  "/usr/lib/wsl/lib/libcuda.so.1": library("libcuda.so.1"),
  "/usr/lib/wsl/lib/libnvidia-ml.so.1": library("libnvidia-ml.so.1"),
};
const environment = { LD_LIBRARY_PATH: "/usr/lib/wsl/lib" };

describe("WSL 2", needs({ glibc: glibcLoader }), () => {
  test("is a remark, unless a profile was asked for", async () => {
    const files = { ...torch(), ...wsl };
    expect(serious(await check(files, { environment }))).toEqual([]);
    expect(serious(await check(files, { for: "torch", do: ["profile"], environment }))).toMatchObject([
      {
        rule: "wsl-profiling",
        cause: "profiler-platform-unsupported",
        severity: "warning",
        certainty: "possible",
        endangers: [{ framework: "torch", activity: "profile" }],
      },
    ]);
  });

  test("a CUPTI from before 11.5 does not trace there", async () => {
    const files = { ...tensorflow("2.10.1"), ...cuda11, ...wsl, ...cupti("/usr/lib", "libcupti.so.11.2", "libcupti.so.2020.3.1") };
    expect(serious(await check(files, { for: "tensorflow", do: ["profile"], environment }))).toMatchObject([
      { rule: "wsl-profiling", severity: "error", certainty: "likely", breaks: [{ framework: "tensorflow", activity: "profile" }] },
    ]);
  });
});
