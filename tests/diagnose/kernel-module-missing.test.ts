import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { affects, judge, torch, userSpace } from "./gpu-root.ts";
import { needs } from "../needs.ts";

/** sysfs as Linux shows an RTX 4090 (10de:2684). */
function bus(held?: string): Files {
  const device = "/sys/bus/pci/devices/0000:01:00.0";
  return {
    "/sys/module/kernel/parameters/panic": { text: "0\n" },
    [`${device}/vendor`]: { text: "0x10de\n" },
    [`${device}/device`]: { text: "0x2684\n" },
    [`${device}/class`]: { text: "0x030000\n" },
    ...(held === undefined
      ? {}
      : { [`/sys/bus/pci/drivers/${held}/new_id`]: { text: "" }, [`${device}/driver`]: { link: `../../drivers/${held}` } }),
  };
}

describe("kernel-module-missing", needs({ glibc: glibcLoader }), () => {
  const programs = { ...torch("2.9.1", "12.8", { cudnn: "9.10.2.21" }), ...userSpace("/usr/lib", "570.124.06") };

  test("a GPU and a driver on the disk, and no module in the kernel", async () => {
    const [finding, ...others] = await judge({ ...programs, ...bus() });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "kernel-module-missing", severity: "error", cause: "kernel-module-missing" });
    expect(affects(finding!, "torch")).toContain("device");
  });

  test("nouveau is named where it has the GPU", async () => {
    const [finding] = await judge({ ...programs, ...bus("nouveau") });
    expect(finding!.because).toEqual(["nouveau, the kernel's own driver, has the GPU"]);
  });

  test.each<[string, Files]>([
    ["in a container, where it may be hidden", { ...bus(), "/.dockerenv": { text: "" } }],
    ["where the kernel does not show its modules", without(bus(), "/sys/module")],
    ["where the module is there", { ...bus("nvidia"), "/sys/module/nvidia/version": { text: "570.124.06\n" } }],
    ["where the GPU was given to a virtual machine", bus("vfio-pci")],
    ["without a GPU", { "/sys/module/kernel/parameters/panic": { text: "0\n" } }],
  ])("nothing is said %s", async (_, files) => {
    expect((await judge({ ...programs, ...files })).filter(({ rule }) => rule === "kernel-module-missing")).toEqual([]);
  });
});

function without(files: Files, start: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith(start)));
}
