// CUDA_VISIBLE_DEVICES: the driver takes the list up to the first entry that means no GPU.

export const firstDevice = (value: string): string => value.split(",")[0]!.trim();

/** Whether the list hides every GPU, whichever there are. Watched on an H200: empty, `-1` and words do; ` 0` does not. */
export const namesNoDevice = (value: string): boolean => !/^(?:\d+$|GPU-|MIG-)/.test(firstDevice(value));
