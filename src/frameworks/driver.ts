// Will the CUDA driver answer? Measured on a real machine: a stub gives 34, an older compat library 803, no library 35 or 303.
import type { LoadedObject } from "../resolve/process.ts";
import { isStubDriver, kernelDriver } from "../collect/driver.ts";
import type { RunningProcess } from "./running-process.ts";

export interface DriverProblem {
  kind: "missing" | "stub" | "compat-too-old" | "hidden";
  message: string;
  file?: string;
}

/** Why no GPU would be found, as far as files and variables tell; undefined when nothing speaks against it. */
export function driverProblem(process: RunningProcess): DriverProblem | undefined {
  const { view } = process;
  const visible = view.snapshot.environment["CUDA_VISIBLE_DEVICES"];
  const library = process.loaded("libcuda.so.1") ?? process.loadedLike("libcuda.so");
  if (!library) return { kind: "missing", message: "libcuda.so.1 is not found: there is no CUDA driver for this process" };
  if (isStub(process, library))
    return { kind: "stub", message: `${library.file} is a stub: a library to link against, not a driver`, file: library.file };
  const kernel = kernelDriver(view)?.version;
  const own = /libcuda\.so\.(\d+(?:\.\d+)+)$/.exec(library.file)?.[1];
  if (kernel !== undefined && own !== undefined && compareVersions(own, kernel) < 0) {
    return { kind: "compat-too-old", message: `${library.file} is older than the kernel's driver ${kernel}`, file: library.file };
  }
  if (visible !== undefined && /^\s*(-1.*)?$/.test(visible))
    return { kind: "hidden", message: `CUDA_VISIBLE_DEVICES=${JSON.stringify(visible)} hides every GPU` };
  return undefined;
}

function isStub({ view }: RunningProcess, { file }: LoadedObject): boolean {
  const fact = view.snapshot.files[file];
  return fact?.kind === "file" && isStubDriver(file, fact.size);
}

export function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.split(".").map(Number));
  for (let at = 0; at < Math.max(x!.length, y!.length); at += 1) {
    const difference = (x![at] ?? 0) - (y![at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
