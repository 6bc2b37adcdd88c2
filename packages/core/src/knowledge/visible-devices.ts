// CUDA_VISIBLE_DEVICES: the driver takes the list up to the first entry that means no GPU.

export const firstDevice = (value: string): string => value.split(",")[0]!.trim();

/** Whether the list hides every GPU, whichever there are. Watched on an H200: empty, `-1` and words do; ` 0` does not. */
export const namesNoDevice = (value: string): boolean => !/^(?:\d+$|GPU-|MIG-)/.test(firstDevice(value));

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
