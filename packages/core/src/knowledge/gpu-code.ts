// Which code runs on which GPU. CUDA Programming Guide, Compute Capabilities; measured on sm_90: a cubin for sm_75, sm_80 or sm_100 alone
// gives error 209, PTX for compute_75 runs, PTX for compute_100 gives 209, sm_90a runs.

/** As it is, or compiled from PTX by the driver first. */
export type Fit = "cubin" | "ptx";

/** The best that a build with code for these architectures (`sm_90`, `sm_100f`, `compute_90`) has for a GPU; undefined: nothing runs. */
export function fitOf(gpu: string, architectures: string[]): Fit | undefined {
  const fits = architectures.map((each) => fit(gpu, each));
  return fits.includes("cubin") ? "cubin" : fits.find((each) => each !== undefined);
}

function fit(gpu: string, code: string): Fit | undefined {
  const device = numberOf(gpu);
  const [, kind, text, letter] = /^(sm|compute)_(\d+)([af]?)$/.exec(code) ?? [];
  if (device === undefined || text === undefined) return undefined;
  const number = Number(text);
  const isInFamily = majorOf(number) === majorOf(device) && number <= device;
  // CUDA 13 calls sm_110 what 12.8 called sm_101; whether code of the one runs as the other is not known, so it is not ruled out.
  const isRenamed = [number, device].every((each) => each === 101 || each === 110);
  if (isRenamed) return kind === "sm" ? "cubin" : "ptx";
  if (letter === "a") return number === device ? (kind === "sm" ? "cubin" : "ptx") : undefined;
  if (kind === "sm") return (isTegra(gpu) ? number === device : isInFamily) ? "cubin" : undefined;
  return letter === "f" ? (isInFamily ? "ptx" : undefined) : number <= device ? "ptx" : undefined;
}

/**
 * Jetson and its kin. Machine code of another architecture, even of the same major, does not run there: CUDA C++ Programming Guide, Binary
 * Compatibility ("not supported for Tegra"), and on an Orin a cubin for sm_80 gave error 209 where PTX for compute_80 ran
 * (https://github.com/jax-ml/jax/pull/40492). One report says otherwise (bitsandbytes pull request 1939), so nothing is certain of it.
 */
export const isTegra = (gpu: string): boolean => [32, 53, 62, 72, 87, 101, 110].includes(numberOf(gpu) ?? 0);

/**
 * Why a compiler that builds for these architectures makes no code for a GPU: the GPU is older than all that it knows, or newer (or was left
 * out). `newer` is what it does for a GPU that is newer: code for the newest that it knows, which runs within one major; PTX; nothing.
 */
export function unservedBy(architectures: string[], gpu: string, newer: "cubin" | "ptx" | "nothing"): "older" | "newer" | undefined {
  const known = architectures.flatMap((name) => numberOf(name) ?? []);
  const device = numberOf(gpu)!;
  if (known.length === 0 || known.includes(device)) return undefined;
  const newest = Math.max(...known);
  if (known.every((each) => device < each)) return "older";
  // What is left out in between is asked for by its name, and refused.
  const isServed = newer === "ptx" || (newest < device && newer === "cubin" && majorOf(newest) === majorOf(device));
  return isServed ? undefined : "newer";
}

/** 90 of `sm_90`, `sm_90a`, `compute_90`. */
export function numberOf(name: string): number | undefined {
  const text = /^(?:sm|compute)_(\d+)[af]?$/.exec(name)?.[1];
  return text === undefined ? undefined : Number(text);
}

export const majorOf = (number: number) => Math.floor(number / 10);

/** Machine code first, then PTX, which a driver can compile for newer GPUs. */
export function architectureWords(architectures: string[]): string {
  const cubins = architectures.filter((name) => name.startsWith("sm_"));
  const ptx = architectures.filter((name) => name.startsWith("compute_"));
  return [...cubins, ...ptx.map((name) => `${name} (PTX)`)].join(", ");
}

/** Capabilities as Bazel takes them: `compute_90` stands for PTX and for machine code. */
export function ofCapabilities(capabilities: string[]): string[] {
  return [...new Set(capabilities.flatMap((name) => (name.startsWith("compute_") ? [name, name.replace("compute_", "sm_")] : [name])))];
}
