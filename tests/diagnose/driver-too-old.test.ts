import { describe, expect, test } from "vitest";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { meets } from "../../packages/core/src/knowledge/image-requirement.ts";
import { glibcLoader } from "../loader/answers.ts";
import { affects, judge, machineWith, torch, verdicts } from "./gpu-root.ts";
import { needs } from "../needs.ts";

describe("driver-too-old", needs({ glibc: glibcLoader }), () => {
  // What the wheel torch-2.4.1+cu124 is: sm_50 to sm_90.
  const cu124 = torch("2.4.1", "12.4");

  test("a driver of CUDA 11 does not run CUDA 12: nothing but the import works", async () => {
    const [finding, ...others] = await judge({ ...cu124, ...machineWith("470.256.02", ["Tesla T4"]) });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "driver-too-old", severity: "error", certainty: "certain" });
    expect(finding!.message).toBe("driver 470.256.02 is too old for CUDA 12, which needs 525.60.13 or newer");
    expect(affects(finding!, "torch")).toEqual(["device", "matmul", "convolution", "rnn", "compile", "profile", "train-distributed"]);
  });

  test("one of the same major, though older than the toolkit, is merely noted", async () => {
    const findings = await judge({ ...cu124, ...machineWith("535.183.01", ["Tesla T4"]) }, {}, true);
    expect(verdicts(findings)).toContain("driver-too-old info");
    expect(verdicts(findings).filter((verdict) => !verdict.endsWith("info"))).toEqual([]);
  });

  test("one that has every feature is not mentioned", async () => {
    const findings = await judge({ ...cu124, ...machineWith("550.54.15", ["Tesla T4"]) }, {}, true);
    expect(findings.filter(({ rule }) => rule === "driver-too-old")).toEqual([]);
  });

  test("who asks for the import only needs no driver", async () => {
    expect(await judge({ ...cu124, ...machineWith("470.256.02") }, { programs: [["torch"]], activities: ["import"] })).toEqual([]);
  });

  test("an assumed driver takes the place of the one that is there", async () => {
    const files = { ...cu124, ...machineWith("580.159.04", ["NVIDIA H200"]) };
    expect(verdicts(await judge(files, { driver: "470.256.02", gpus: ["T4"] }))).toEqual(["driver-too-old error"]);
    expect(await judge(files, { driver: "525.60.13", gpus: ["T4"] })).toEqual([]);
  });

  test("without a driver on the machine nothing about it can be wrong", async () => {
    expect(await judge(cu124)).toEqual([]);
  });

  test("a newer compat library counts as the driver of its release", async () => {
    const compat = {
      ...torch("2.9.1", "13.0", { cudnn: "9.13.0.50" }),
      ...machineWith("550.163.01", ["NVIDIA A100-SXM4-80GB"]),
      "/usr/local/cuda-13.0/compat/libcuda.so.580.95.05": machineWith("580.95.05")["/usr/lib/libcuda.so.580.95.05"]!,
      "/usr/local/cuda-13.0/compat/libcuda.so.1": { link: "libcuda.so.580.95.05" },
      "/usr/local/cuda-13.0/version.json": { text: '{"cuda": {"name": "CUDA SDK", "version": "13.0.2"}}' },
    };
    const findings = await judge(compat, { programs: [["torch"]] });
    expect(verdicts(findings)).toEqual(["driver-too-old error"]);
    expect(findings[0]!.advice.map(adviceLine).join(" ")).toContain("LD_LIBRARY_PATH=/usr/local/cuda-13.0/compat");
    const steered = await judge(compat, { programs: [["torch"]], environment: { LD_LIBRARY_PATH: "/usr/local/cuda-13.0/compat" } });
    expect(steered).toEqual([]);
  });

  // libnvidia-container mounts compat/lib*.so.* of /usr/local/cuda over an older driver; 580.95.05 lists the branches that it works with.
  test("an image that brings a compat library runs on older drivers of data centers, as far as that library goes", async () => {
    const files = {
      ...torch("2.9.1", "13.0", { cudnn: "9.13.0.50" }),
      "/usr/local/cuda-13.0/compat/libcuda.so.580.95.05": machineWith("580.95.05")["/usr/lib/libcuda.so.580.95.05"]!,
      "/usr/local/cuda-13.0/compat/libcuda.so.1": { link: "libcuda.so.580.95.05" },
      "/usr/local/cuda-13.0/version.json": { text: '{"cuda": {"name": "CUDA SDK", "version": "13.0.2"}}' },
    };
    const usual = { ...files, "/usr/local/cuda": { link: "cuda-13.0" } };
    const found = async (there: typeof files, driver: string, gpu: string, image?: { [name: string]: string }) =>
      verdicts(await judge(there, { driver, gpus: [gpu], programs: [["torch"]], ...(image ? { image } : {}) }));
    expect(await found(usual, "535.104", "L4", {})).toEqual(["driver-too-old warning"]);
    expect(await found(usual, "525.60", "T4", {})).toEqual(["driver-too-old error"]);
    expect(await found(usual, "535.104", "RTX 4090", {})).toEqual(["driver-too-old error"]);
    expect(await found(files, "535.104", "L4", {})).toEqual(["driver-too-old error"]);
    expect(await found(usual, "535.104", "L4")).toEqual(["driver-too-old error"]);
    const strict = { NVIDIA_REQUIRE_CUDA: "cuda>=13.0" };
    expect(await found(usual, "535.104", "L4", strict)).toEqual(["driver-too-old error", "driver-too-old warning"]);
  });

  test("a GPU that came after the driver is not known to it", async () => {
    const [finding] = await judge(torch("2.9.1", "12.8", { cudnn: "9.10.2.21" }), { driver: "550.54.15", gpus: ["B200"] });
    expect(finding).toMatchObject({ rule: "driver-too-old", certainty: "likely", subject: "sm_100 on driver 550.54.15" });
  });

  // The variable of nvidia/cuda:12.8.1-base, shortened to three of its alternatives.
  const requires = "cuda>=12.8 brand=tesla,driver>=470,driver<471 brand=tesla,driver>=535,driver<536";

  test("an image says itself which drivers it starts on", async () => {
    const environment = { NVIDIA_REQUIRE_CUDA: requires };
    const [finding, ...others] = await judge(cu124, { environment, driver: "550.54.15", gpus: ["T4"] });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "driver-too-old", subject: "NVIDIA_REQUIRE_CUDA", severity: "error" });
    expect(affects(finding!, "torch")).toContain("import");
    expect(await judge(cu124, { environment, driver: "535.183.01", gpus: ["T4"] })).toEqual([]);
    expect(await judge(cu124, { environment, driver: "570.124.06", gpus: ["RTX 4090"] })).toEqual([]);
    expect(await judge(cu124, { environment: { ...environment, NVIDIA_DISABLE_REQUIRE: "1" }, driver: "550.54.15", gpus: ["T4"] })).toEqual(
      [],
    );
  });

  test.each([
    ["535.183.01", "12.2", "datacenter", true],
    ["535.183.01", "12.2", "consumer", false],
    ["570.26", "12.8", "consumer", true],
    ["550.54.15", "12.4", "datacenter", false],
    ["535.183.01", "12.2", undefined, undefined],
  ] as const)("driver %s of CUDA %s on a %s GPU meets the image: %s", (driver, cuda, kind, met) => {
    expect(meets(requires, { driver, cuda, gpu: kind ? { kind } : {} })).toBe(met);
  });

  test.each([
    ["cuda>=12.0,arch>=8.0", false],
    ["arch<8.0", true],
    ["cuda=12.2", true],
    ["cuda!=12.2.0", false],
    ["driver>535.183", true],
    ["gibberish", undefined],
    ["", true],
  ])("%j on a T4 with driver 535.183.01: %s", (requirement, met) => {
    expect(meets(requirement, { driver: "535.183.01", cuda: "12.2", gpu: { arch: "7.5", kind: "datacenter" } })).toBe(met);
  });
});
