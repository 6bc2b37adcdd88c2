/** What a program can no longer be sure of where a package that it asks for is there in another version. */
export function activityOfPackage(name: string): string {
  if (/cudnn/.test(name)) return "convolution";
  if (/triton/.test(name)) return "compile";
  if (/nccl|nvshmem/.test(name)) return "train-distributed";
  if (/cupti/.test(name)) return "profile";
  return "device";
}
