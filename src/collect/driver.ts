// The driver and the GPUs from /proc, never by asking a GPU. Formats: NVIDIA's open kernel module, README chapter on /proc.
import type { DriverFacts, Gpu } from "../model/inventory.ts";
import type { View } from "../resolve/view.ts";
import { kindAt, namesIn, textAt } from "./python.ts";

export function readDriver(view: View): DriverFacts {
  const facts: DriverFacts = {};
  const version = textAt(view, "/proc/driver/nvidia/version") ?? "";
  const kernel = /(\S.*Kernel Module)\s+(?:for \S+\s+)?(\d+(?:\.\d+)+)/.exec(version);
  const fromModule = textAt(view, "/sys/module/nvidia/version")?.trim();
  if (kernel) {
    facts.module = kernel[1]!.replace(/^NVRM version:\s*/, "");
    facts.kernel = kernel[2]!;
  } else if (fromModule) facts.kernel = fromModule;
  const adminOnly = /^RmProfilingAdminOnly:\s*(\d)/m.exec(textAt(view, "/proc/driver/nvidia/params") ?? "")?.[1];
  if (adminOnly !== undefined) facts.profilingAdminOnly = adminOnly !== "0";
  if (kindAt(view, "/usr/lib/wsl/lib") === "folder" || /microsoft/i.test(view.snapshot.kernel ?? "")) facts.wsl = true;
  if (kindAt(view, "/.dockerenv") === "file" || kindAt(view, "/run/.containerenv") === "file") facts.container = true;
  const { NVIDIA_REQUIRE_CUDA: requires, NVIDIA_VISIBLE_DEVICES: visible, CUDA_VISIBLE_DEVICES: cuda } = view.snapshot.environment;
  if (requires !== undefined) facts.requires = requires;
  if ((cuda ?? visible) !== undefined) facts.visibleDevices = (cuda ?? visible)!;
  return facts;
}

export function readGpus(view: View): Gpu[] {
  const gpus: Gpu[] = [];
  for (const bus of namesIn(view, "/proc/driver/nvidia/gpus") ?? []) {
    const text = textAt(view, `/proc/driver/nvidia/gpus/${bus}/information`) ?? "";
    const field = (name: string) => new RegExp(`^${name}:\\s*(.*\\S)`, "m").exec(text)?.[1];
    const uuid = field("GPU UUID");
    gpus.push({ name: field("Model") ?? "an NVIDIA GPU", bus, ...(uuid === undefined ? {} : { uuid }) });
  }
  return gpus;
}
