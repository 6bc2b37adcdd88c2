import { errorNamed } from "../../knowledge/error-codes.ts";
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
  {
    // Its programs print CUDA's words alone.
    literals: ["(error code "],
    pattern:
      /^\W{0,8}Failed to [\w ]{4,60}\(error code (?<said>initialization error|unknown error|OS call failed or operation not supported on this OS)\)!/,
    examples: ["Failed to allocate device vector A (error code initialization error)!"],
    facts: ({ said }) => {
      if (said === "unknown error") return { kind: "cuda-error", code: 999 };
      const row = errorNamed(said === "initialization error" ? "cudaErrorInitializationError" : "cudaErrorOperatingSystem");
      return row && { kind: "error-code", of: row.enum, code: row.code, name: row.name, means: row.means ?? [] };
    },
  },
] satisfies Signature[];
