import { describe, expect, test } from "vitest";
import { installed, library, site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { judge, machineWith, torch } from "./gpu-root.ts";

const bitsandbytes: Files = {
  ...machineWith("570.86.10", ["NVIDIA H100"]),
  ...torch("2.5.1", "12.4"),
  ...installed("bitsandbytes", "0.45.0"),
  [`${site}/bitsandbytes/libbitsandbytes_cpu.so`]: library("libbitsandbytes_cpu.so"),
  [`${site}/bitsandbytes/libbitsandbytes_cuda118.so`]: library("libbitsandbytes_cuda118.so", { needed: ["libcudart.so.11.0"] }),
  [`${site}/bitsandbytes/libbitsandbytes_cuda124.so`]: library("libbitsandbytes_cuda124.so"),
};

describe("chosen-by-variable", needs({ glibc: glibcLoader }), () => {
  const ask = async (environment: { [name: string]: string }) =>
    (await judge(bitsandbytes, { programs: [["bitsandbytes"]], environment })).filter(({ severity }) => severity === "error");

  test.each([
    ["118", "libcudart.so.11.0"],
    ["129", "libbitsandbytes_cuda129.so"],
  ])("BNB_CUDA_VERSION=%s is blamed, and unset", async (version, missing) => {
    const [finding, ...others] = await ask({ BNB_CUDA_VERSION: version });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "chosen-by-variable", subject: "BNB_CUDA_VERSION" });
    expect(finding!.message).toContain(`BNB_CUDA_VERSION=${version} makes bitsandbytes 0.45.0 load what cannot be loaded here: ${missing}`);
    expect(finding!.advice[0]!.command).toEqual(["unset", "BNB_CUDA_VERSION"]);
  });

  test("nothing is said where what it chooses can be loaded, or nothing is chosen", async () => {
    expect(await ask({ BNB_CUDA_VERSION: "124" })).toEqual([]);
    expect(await ask({})).toEqual([]);
  });
});
