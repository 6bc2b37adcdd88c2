import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { library } from "../frameworks/python-root.ts";
import { judge, machineWith, torch } from "./gpu-root.ts";
import { needs } from "../needs.ts";

describe("driver-parts-mismatch", needs({ glibc: glibcLoader }), () => {
  const files = {
    ...torch("2.9.1", "12.8", { cudnn: "9.10.2.21" }),
    ...machineWith("580.159.04", ["NVIDIA H200"]),
    "/opt/old/libnvidia-ml.so.570.124.06": library("libnvidia-ml.so.1", { pages: 300 }),
    "/opt/old/libnvidia-ml.so.1": { link: "libnvidia-ml.so.570.124.06" },
  };

  test("an NVML of another release than the kernel's driver refuses to work", async () => {
    const [finding, ...others] = await judge(files, { environment: { LD_LIBRARY_PATH: "/opt/old" } });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: "driver-parts-mismatch",
      cause: "kernel-module-mismatch",
      severity: "warning",
      subject: "/opt/old/libnvidia-ml.so.570.124.06",
    });
  });

  test("one that no program would load is nobody's fault", async () => {
    expect(await judge(files)).toEqual([]);
  });

  test("an assumed driver is assumed with all its parts", async () => {
    expect(await judge(files, { driver: "570.124.06" })).toEqual([]);
  });
});
