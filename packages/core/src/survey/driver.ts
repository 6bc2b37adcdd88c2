// The driver and the GPUs from /proc, never by asking a GPU. Formats: NVIDIA's open kernel module, README chapter on /proc.
import { gpuNamed, gpuTitle } from "../knowledge/gpus.ts";
import { nameOf } from "../lib/path.ts";
import type { DriverFacts, Gpu } from "../model/inventory.ts";
import type { View } from "../resolve/view.ts";
import { kindAt, namesIn, textAt } from "./python.ts";

export function readDriver(view: View): DriverFacts {
  const facts: DriverFacts = {};
  const kernel = kernelDriver(view);
  if (kernel) {
    facts.kernel = kernel.version;
    if (kernel.module !== undefined) facts.module = kernel.module;
  } else if (kindAt(view, "/sys/module/kernel") === "folder" && kindAt(view, "/sys/module/nvidia") === "none") facts.noModule = true;
  const adminOnly = /^RmProfilingAdminOnly:\s*(\d)/m.exec(textAt(view, "/proc/driver/nvidia/params") ?? "")?.[1];
  if (adminOnly !== undefined) facts.profilingAdminOnly = adminOnly !== "0";
  const capabilities = /^CapEff:\s*([0-9a-f]+)/m.exec(textAt(view, "/proc/self/status") ?? "")?.[1];
  if (capabilities !== undefined)
    facts.mayProfile = ((BigInt(`0x${capabilities}`) >> 21n) & 1n) === 1n || ((BigInt(`0x${capabilities}`) >> 38n) & 1n) === 1n;
  if (kindAt(view, "/usr/lib/wsl/lib") === "folder" || /microsoft/i.test(view.snapshot.kernel ?? "")) facts.wsl = true;
  if (kindAt(view, "/.dockerenv") === "file" || kindAt(view, "/run/.containerenv") === "file") facts.container = true;
  const { NVIDIA_REQUIRE_CUDA: requires, NVIDIA_VISIBLE_DEVICES: visible, CUDA_VISIBLE_DEVICES: cuda } = view.snapshot.environment;
  if (requires !== undefined) facts.requires = requires;
  if ((cuda ?? visible) !== undefined) facts.visibleDevices = (cuda ?? visible)!;
  return facts;
}

/** The driver in the kernel, where the target has one. */
export function kernelDriver(view: View): { version: string; module?: string } | undefined {
  const assumed = view.snapshot.assumed?.driver;
  if (assumed !== undefined) return { version: assumed, module: "assumed" };
  const text = textAt(view, "/proc/driver/nvidia/version") ?? "";
  const [, module, version] = /^[ \t]*(\S.*Kernel Module)\s{1,40}(?:for \S{1,40}\s{1,40})?(\d+(?:\.\d+)+)/m.exec(text) ?? [];
  if (version !== undefined) return { version, module: module!.replace(/^NVRM version:\s*/, "") };
  const loaded = textAt(view, "/sys/module/nvidia/version")?.trim();
  return loaded ? { version: loaded } : undefined;
}

export function readGpus(view: View): Gpu[] {
  const assumed = view.snapshot.assumed?.gpus;
  if (assumed) return assumed.map((name) => described({ name: gpuTitle(name) }, name));
  const known = namesIn(view, "/proc/driver/nvidia/gpus") ?? [];
  const gpus = known.map((bus): Gpu => {
    const text = textAt(view, `/proc/driver/nvidia/gpus/${bus}/information`) ?? "";
    const field = (name: string) => new RegExp(`^${name}:\\s*(.*\\S)`, "m").exec(text)?.[1];
    const uuid = field("GPU UUID");
    return described({ name: field("Model") ?? "an NVIDIA GPU", bus, ...(uuid === undefined ? {} : { uuid }) }, field("Model"));
  });
  return 0 < gpus.length ? gpus : gpusOnTheBus(view);
}

/** Whether the driver that runs has this GPU: one that it could not start has no number (`GPU-????????-…`). */
export const isListed = ({ uuid }: Gpu, { module }: DriverFacts): boolean =>
  module !== "assumed" && uuid !== undefined && !uuid.includes("?");

// Without a driver the PCI bus still tells: vendor 10de, class 03 (display).
function gpusOnTheBus(view: View): Gpu[] {
  return (namesIn(view, "/sys/bus/pci/devices") ?? []).flatMap((bus) => {
    const field = (name: string) => (textAt(view, `/sys/bus/pci/devices/${bus}/${name}`) ?? "").trim();
    if (field("vendor") !== "0x10de" || !field("class").startsWith("0x03")) return [];
    const id = `10de:${field("device").slice(2)}`;
    const holder = view.lookup(`/sys/bus/pci/devices/${bus}/driver`);
    return [
      described({ name: `NVIDIA ${gpuNamed(id)?.name ?? id}`, bus, ...("found" in holder ? { heldBy: nameOf(holder.found) } : {}) }, id),
    ];
  });
}

function described(gpu: Gpu, key: string | undefined): Gpu {
  const found = key === undefined ? undefined : gpuNamed(key);
  return found ? { ...gpu, architecture: found.sm } : gpu;
}

/** The real driver library is tens of megabytes; the one to link against holds only names. */
const largestStub = 1 << 20;

/** Whether a libcuda is one to link against only. WSL's is small as well, but leads to the driver of Windows. */
export function isStubDriver(file: string, size: number): boolean {
  return file.includes("/stubs/") || (size < largestStub && !file.startsWith("/usr/lib/wsl/"));
}

/** The same of libnvidia-ml, which is smaller: some two megabytes, and the stub a twentieth of that. */
export function isStubManagement(file: string, size: number): boolean {
  return file.includes("/stubs/") || (size < 1 << 18 && !file.startsWith("/usr/lib/wsl/"));
}
