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
    const model = field("Model");
    const device = model !== undefined && gpuNamed(model) ? undefined : deviceAt(view, bus);
    // Of a GPU that the module could not start it knows no name.
    const name = model === undefined || model === "Unknown" ? deviceName(device) : model;
    return described({ name, bus, ...(uuid === undefined ? {} : { uuid }) }, device ?? model);
  });
  return 0 < gpus.length ? gpus : gpusOnTheBus(view);
}

/** Whether the driver that runs has this GPU: one that it could not start has no number (`GPU-????????-…`). */
export const isListed = ({ uuid }: Gpu, { module }: DriverFacts): boolean =>
  module !== "assumed" && uuid !== undefined && !uuid.includes("?");

/** `10de:2b85` */
function deviceAt(view: View, bus: string): string | undefined {
  const device = /^0x([0-9a-f]{4})/.exec(textAt(view, `/sys/bus/pci/devices/${bus}/device`) ?? "")?.[1];
  return device === undefined ? undefined : `10de:${device}`;
}

/** `NVIDIA GeForce RTX 5090`, or its number where its name is not known. */
const deviceName = (device: string | undefined) => (device === undefined ? "an NVIDIA GPU" : `NVIDIA ${gpuNamed(device)?.name ?? device}`);

// Without a driver the PCI bus still tells: vendor 10de, class 03 (display).
function gpusOnTheBus(view: View): Gpu[] {
  return (namesIn(view, "/sys/bus/pci/devices") ?? []).flatMap((bus) => {
    const field = (name: string) => (textAt(view, `/sys/bus/pci/devices/${bus}/${name}`) ?? "").trim();
    if (field("vendor") !== "0x10de" || !field("class").startsWith("0x03")) return [];
    const device = deviceAt(view, bus);
    const holder = view.lookup(`/sys/bus/pci/devices/${bus}/driver`);
    return [described({ name: deviceName(device), bus, ...("found" in holder ? { heldBy: nameOf(holder.found) } : {}) }, device)];
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
