import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { findings, healthy, named, toolkit } from "./python-stack.ts";
import { needs } from "../needs.ts";

const with118 = { ...healthy(), ...toolkit("11.8") };
const with124 = { ...healthy(), ...toolkit("12.4") };
const both = { ...with118, ...toolkit("12.4") };

describe("the toolkit that extensions would be built with", needs({ glibc: glibcLoader }), () => {
  test("CUDA_HOME at another major than torch's is warned of, once", async () => {
    const [found, ...others] = await findings(with118, { environment: { CUDA_HOME: "/usr/local/cuda-11.8" } });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      rule: "toolkit-differs-from-framework",
      severity: "warning",
      cause: "toolkit-vs-framework-at-build",
      breaks: [],
    });
    expect(found!.message).toContain("compiled for CUDA 12.4, would be built with CUDA 11.8 of /usr/local/cuda-11.8: torch refuses that");
  });

  test("CUDA_PATH counts where CUDA_HOME is not set", async () => {
    expect(named(await findings(with118, { environment: { CUDA_PATH: "/usr/local/cuda-11.8" } }))).toEqual([
      "warning toolkit-differs-from-framework",
    ]);
  });

  test("the same, or another minor, is no warning", async () => {
    expect(await findings(with124, { environment: { CUDA_HOME: "/usr/local/cuda-12.4" } })).toEqual([]);
    const other = { ...healthy(), ...toolkit("12.6") };
    expect(named(await findings(other, { environment: { CUDA_HOME: "/usr/local/cuda-12.6" } }))).toEqual([
      "info toolkit-differs-from-framework",
    ]);
  });

  test("a toolkit that nobody points to is not even unusual; on PATH it is", async () => {
    expect(await findings(both)).toEqual([]);
    expect(named(await findings(with118, { environment: { PATH: "/usr/local/cuda-11.8/bin:/usr/bin" } }))).toEqual([
      "info toolkit-differs-from-framework",
    ]);
  });
});
