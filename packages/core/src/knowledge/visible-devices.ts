// CUDA_VISIBLE_DEVICES: the driver takes the list up to the first entry that means no GPU.

export const firstDevice = (value: string): string => value.split(",")[0]!.trim();

/** Whether the list hides every GPU, whichever there are. Watched on an H200: empty, `-1` and words do; ` 0` does not. */
export const namesNoDevice = (value: string): boolean => !/^(?:\d+$|GPU-|MIG-)/.test(firstDevice(value));

/**
 * The device that the list names twice: the driver then gives none at all (error 101, invalid device ordinal). Watched on an H200 with torch,
 * cupy and jax: `0,0`, `0,0,1` and `0 ,0`. Entries behind the first that means nothing are not read.
 */
export function namedTwice(value: string): string | undefined {
  const names = value.split(",").map((name) => name.trim());
  const end = names.findIndex((name) => !/^(?:\d+$|GPU-|MIG-)/.test(name));
  const read = end < 0 ? names : names.slice(0, end);
  return read.find((name, index) => read.indexOf(name) < index);
}

/** Whether NVIDIA_VISIBLE_DEVICES asks the container runtime for no GPU. */
export const asksForNone = (value: string): boolean => /^(?:void|none|)$/.test(value.trim());

/** What such a value does. */
export const noneWords = (value: string): string[] => [
  value.trim() === "none"
    ? "`none` brings the driver's libraries and no GPU"
    : "`void` and an empty value bring neither a GPU nor the driver's libraries",
  "only who starts the container with --gpus, or a device plugin, sets it anew",
];

export const visibleDevicesSources = ["https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html"];
