// Will the CUDA driver answer? Measured on a real machine: a stub gives 34, an older compat library 803, no library 35 or 303.
import { firstDevice, namedTwice, namesNoDevice } from "../knowledge/visible-devices.ts";
import { isStubDriver, kernelDriver, readGpus } from "../survey/driver.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import type { Failure, Refusal } from "../model/loads.ts";
import type { LoadedObject } from "../resolve/process.ts";
import type { View } from "../resolve/view.ts";
import type { RunningProcess } from "./running-process.ts";

export interface DriverProblem {
  refusal: Refusal;
  message: string;
  file?: string;
}

/** Why no GPU would be found, as far as files and variables tell; undefined when nothing speaks against it. */
export function driverProblem(process: RunningProcess): DriverProblem | undefined {
  const { view } = process;
  const library = process.loaded("libcuda.so.1") ?? process.loadedLike("libcuda.so");
  if (!library) return { refusal: { kind: "no-driver" }, message: "libcuda.so.1 is not found: there is no CUDA driver for this process" };
  const { file } = library;
  const fact = view.snapshot.files[file];
  if (fact?.kind === "file" && isStubDriver(file, fact.size))
    return { refusal: { kind: "stub-driver" }, message: `${file} is a stub: a library to link against, not a driver`, file };
  const kernel = kernelDriver(view)?.version;
  const own = driverVersionOf(view, file);
  if (kernel !== undefined && own !== undefined && own !== kernel) {
    const isOlder = compareDotted(own, kernel) < 0;
    const message = `${file} is ${isOlder ? "older" : "newer"} than the kernel's driver ${kernel}`;
    if (isOlder) return { refusal: { kind: "older-driver-library" }, message, file };
    // A newer one is what the compat packages are for.
    if (!isCompat(file)) return { refusal: { kind: "newer-driver-library" }, message, file };
  }
  const hidden = hiddenBy(view);
  return hidden === undefined ? undefined : { refusal: { kind: "hidden-gpus" }, message: hidden };
}

/** The failure of a framework that finds no driver that answers. */
export function driverFailure(process: RunningProcess, framework: string, { refusal, message, file }: DriverProblem): Failure {
  return {
    name: "libcuda.so.1",
    requestedBy: framework,
    activity: process.process.activity,
    reason: "not-found",
    message,
    refusal,
    ...(file === undefined ? {} : { file }),
    tried: process.process.missed.findLast(({ name }) => name === "libcuda.so.1")?.tried ?? [],
  };
}

/** The first use of a GPU by what holds the runtime inside: it opens the driver by its name. */
export function needDriver(
  process: RunningProcess,
  framework: string,
  requester: LoadedObject | undefined = process.process.executable,
): void {
  process.ladder(requester, ["libcuda.so.1"]);
  const problem = driverProblem(process);
  if (problem && !process.process.pending) process.stop(driverFailure(process, framework, problem));
}

export const isCompat = (file: string) => /\/compat[^/]*\/(?:[^/]+\/)?libcuda\.so/.test(file);

/** The release of a driver's library, from its file's name; that of an assumed driver is the assumed one. */
function driverVersionOf(view: View, file: string): string | undefined {
  const assumed = view.snapshot.assumed?.driver;
  return assumed !== undefined && !isCompat(file) ? assumed : driverVersionIn(file);
}

/** 580.159.04 of libcuda.so.580.159.04; WSL's and Jetson's libcuda.so.1.1 does not tell. */
export const driverVersionIn = (file: string) => /\.so\.(\d{3}(?:\.\d+)+)$/.exec(file)?.[1];

/**
 * CUDA_VISIBLE_DEVICES when it leaves nothing: the driver takes the list up to the first entry that means no GPU. Watched: empty, `-1`,
 * words, an index beyond the last and an unknown UUID hide all; ` 0` and `0,9` do not; one that is named twice makes the driver give none.
 */
function hiddenBy(view: View): string | undefined {
  const value = view.snapshot.environment["CUDA_VISIBLE_DEVICES"];
  if (value === undefined) return undefined;
  const first = firstDevice(value);
  const said = `CUDA_VISIBLE_DEVICES=${JSON.stringify(value)}`;
  const hides = `${said} hides every GPU`;
  const gpus = readGpus(view);
  if (namesNoDevice(value) || (/^\d+$/.test(first) && 0 < gpus.length && gpus.length <= Number(first))) return hides;
  const twice = namedTwice(value);
  if (twice !== undefined) return `${said} names ${twice} twice: invalid device ordinal`;
  if (/^\d+$/.test(first)) return undefined;
  if (first.startsWith("MIG-")) return undefined;
  const isKnown = gpus.length === 0 || gpus.some(({ uuid }) => uuid === undefined || uuid.startsWith(first));
  return isKnown ? undefined : hides;
}
