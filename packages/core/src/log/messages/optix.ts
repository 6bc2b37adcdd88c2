import { weights } from "../cause.ts";
import { containerOption, fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

const newer = fix("install a newer NVIDIA driver: the library of OptiX comes with it");

/** NVIDIA OptiX, whose library comes with the driver (optix_types.h). */
export default [
  {
    literals: ["optix_error_unsupported_abi_version", "error code 7801", "optix api error = 7801"],
    pattern: /OPTIX_ERROR_UNSUPPORTED_ABI_VERSION|OptiX[^\n]{0,60}error (?:code |= )7801\b/i,
    examples: ["OptiX initialization failed with error code 7801 (OPTIX_ERROR_UNSUPPORTED_ABI_VERSION)"],
    facts: () => ({ kind: "notice", id: "driver-too-old" }),
  },
  {
    ...notice(
      "optix-library",
      ["optix_error_library_not_found", "optix_error_entry_symbol_not_found", "optix", "libnvoptix"],
      /OPTIX_ERROR_(?:LIBRARY_NOT_FOUND|ENTRY_SYMBOL_NOT_FOUND|FUNCTION_TABLE_SIZE_MISMATCH)|OptiX[^\n]{0,60}error (?:code |= )780[245]\b|libnvoptix\.so(?:\.1)?["'`: ]{1,3}(?:not found|cannot open|could not be)/i,
      "rt_check(): OptiX API error = 7804 (OPTIX_ERROR_LIBRARY_NOT_FOUND)",
    ),
    means: {
      weight: weights.said,
      name: "libnvoptix.so.1",
      required: "the driver's libnvoptix.so.1, and libnvidia-rtcore beside it",
      next: ["ldconfig -p | grep -i 'nvoptix\\|rtcore'", "nvidia-smi"],
      symptom: "the library of OptiX, a part of the driver, is not found or is too old",
      may: [
        {
          cause: "driver-not-exposed",
          message: "the container was not given the driver's part for graphics, in which OptiX is",
          fixes: [
            containerOption(
              "in a container: ask for the driver's part for graphics",
              "-e NVIDIA_DRIVER_CAPABILITIES=compute,graphics,utility",
            ),
            newer,
          ],
        },
        { cause: "driver-too-old", message: "or the driver is older than the OptiX that the program was built with", fixes: [newer] },
        { cause: "library-missing", message: "or the driver was installed without it (packages for servers and for WSL leave it out)" },
      ],
    },
  },
  {
    ...notice(
      "optix-failed",
      ["optix api error", "optix initialization failed", "optix call", "optix_error_"],
      /OptiX (?:API )?error = (?<subject>7(?:999|990|900|200|800))\b|OPTIX_ERROR_(?:UNKNOWN|INTERNAL_ERROR|NOT_SUPPORTED|INVALID_PTX|INVALID_INPUT|CUDA_NOT_INITIALIZED)|\bOptiX initialization failed(?! with error code)/i,
      "rt_check(): OptiX API error = 7999 (Unknown error) in ../src/librender/scene_optix.inl:66.",
    ),
    means: {
      weight: weights.hint + 1,
      name: "libnvoptix.so.1",
      unless: (facts) => 0 < facts.notices("optix-library", "driver-too-old").length || facts.has("cuda-error"),
      next: ["nvidia-smi"],
      symptom: "OptiX, which is a part of the driver, fails",
      may: [
        { cause: "driver-too-old", message: "the driver is older than the OptiX or the PTX that the program brings", fixes: [newer] },
        { cause: "ptx-newer-than-driver", message: "or its shaders are PTX of a newer CUDA than the driver", fixes: [newer] },
        { cause: "not-a-mismatch", message: "or the program calls OptiX wrongly, or the GPU's memory is full" },
        { cause: "upstream-bug", message: "or a defect of this release of the driver: OptiX changes with each" },
      ],
    },
  },
] satisfies Signature[];
