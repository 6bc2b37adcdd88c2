import { notice, type Signature } from "../signature.ts";

/** NVIDIA's CUDA samples (nbody.cpp, helper_cuda.h): their own words for a count of devices that is zero. */
export default [
  notice(
    "no-gpu-seen",
    ["only 0 ", "requested"],
    /\bonly 0 (?:\w{2,12} ){0,2}?(?:available|devices?)? {0,1},? \d{1,3} requested/i,
    "Error: only 0 Devices available, 1 requested.  Exiting.",
  ),
  notice(
    "no-gpu-seen",
    ["no devices supporting cuda", "code=100(cudaerrornodevice)"],
    /\bno devices supporting CUDA\b/i,
    "gpuDeviceInit() CUDA error: no devices supporting CUDA.",
  ),
] satisfies Signature[];
