import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { judge, machineWith, torch, userSpace, verdicts } from "./gpu-root.ts";
import { needs } from "../needs.ts";

describe("compat-on-wrong-gpu", needs({ glibc: glibcLoader }), () => {
  const environment = { LD_LIBRARY_PATH: "/usr/local/cuda-12.8/compat" };
  const on = (gpu: string) => ({
    ...torch("2.9.1", "12.8", { cudnn: "9.10.2.21" }),
    ...machineWith("550.163.01", [gpu]),
    ...userSpace("/usr/local/cuda-12.8/compat", "570.124.06"),
  });

  test("forward compatibility is refused on a consumer's GPU", async () => {
    const [finding, ...others] = await judge(on("NVIDIA GeForce RTX 4090"), { environment });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: "compat-on-wrong-gpu",
      cause: "forward-compat-misuse",
      severity: "error",
      certainty: "certain",
      subject: "/usr/local/cuda-12.8/compat/libcuda.so.570.124.06",
    });
    expect(finding!.advice[0]!.words).toContain("/usr/local/cuda-12.8/compat");
  });

  test("it is what data-center GPUs may do, and nothing when the folder is not searched", async () => {
    expect(await judge(on("NVIDIA A100-SXM4-80GB"), { environment })).toEqual([]);
    expect(await judge(on("NVIDIA GeForce RTX 4090"))).toEqual([]);
  });

  test("one that is older than the driver is the mistake of another rule", async () => {
    const files = { ...on("NVIDIA GeForce RTX 4090"), ...machineWith("580.159.04", ["NVIDIA GeForce RTX 4090"]) };
    expect(verdicts(await judge(files, { environment }))).toEqual(["driver-library-mismatch error"]);
  });
});
