import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { affects, judge, machineWith, torch, verdicts } from "./gpu-root.ts";

const programs = torch("2.9.1", "12.8", { cudnn: "9.10.2.21" });

/** The same machine with the proprietary flavor of the module, as /proc shows it. */
const proprietary = (files: Files, version: string): Files => ({
  ...files,
  "/proc/driver/nvidia/version": {
    text: `NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${version}  Wed Oct 29 23:15:11 UTC 2025\nGCC version:  gcc version 13.3.0\n`,
  },
});

/** What /proc shows of a GPU that the module could not start. */
const notStarted: Files = {
  "/proc/driver/nvidia/gpus/0000:02:00.0/information": {
    text: "Model: \t\t Unknown\nIRQ:   \t\t 16\nGPU UUID: \t GPU-????????-????-????-????-????????????\nVideo BIOS: \t ??.??.??.??.??\nBus Type: \t PCIe\nGPU Firmware: \t N/A\n",
  },
  "/sys/bus/pci/devices/0000:02:00.0/vendor": { text: "0x10de\n" },
  "/sys/bus/pci/devices/0000:02:00.0/device": { text: "0x2b85\n" },
  "/sys/bus/pci/devices/0000:02:00.0/class": { text: "0x030000\n" },
};

describe("open-module-needed", needs({ glibc: glibcLoader }), () => {
  test("Blackwell on the proprietary module cannot be used", async () => {
    const files = proprietary({ ...programs, ...machineWith("580.105.08", ["NVIDIA GeForce RTX 5090"]) }, "580.105.08");
    const [finding, ...others] = await judge(files);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "open-module-needed", severity: "error", certainty: "certain" });
    expect(affects(finding!, "torch")).toContain("device");
    expect(finding!.advice[0]!.words).toContain("nvidia-driver-580-open");
  });

  test("a GPU that the module could not start is known by its PCI device", async () => {
    const files = proprietary({ ...programs, ...machineWith("580.105.08"), ...notStarted }, "580.105.08");
    const [finding] = await judge(files);
    expect(finding).toMatchObject({ rule: "open-module-needed" });
    expect(finding!.message).toContain("NVIDIA GeForce RTX 5090 (sm_120)");
  });

  test("where the driver is too old as well, both are said", async () => {
    const files = proprietary({ ...programs, ...machineWith("550.163.01"), ...notStarted }, "550.163.01");
    expect(verdicts(await judge(files)).sort()).toEqual(["driver-too-old error", "open-module-needed error"]);
  });

  test.each([
    ["the open module", { ...programs, ...machineWith("580.105.08", ["NVIDIA GeForce RTX 5090"]) }, {}],
    ["an older GPU", proprietary({ ...programs, ...machineWith("580.105.08", ["NVIDIA GeForce RTX 4090"]) }, "580.105.08"), {}],
    ["a driver that is only asked about", { ...programs, ...machineWith("580.105.08") }, { driver: "570.86.16", gpus: ["RTX 5090"] }],
  ])("%s is fine", async (_what, files, whatIf) => {
    expect(await judge(files, whatIf)).toEqual([]);
  });
});
