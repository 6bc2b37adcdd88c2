import { notice, type Signature } from "../signature.ts";

/** numba/cuda/cudadrv: driver.py, nvvm.py, nvrtc.py, libs.py. */
export default [
  notice(
    "numba-nvvm",
    "no supported gpu compute capabilities",
    /No supported GPU compute capabilities found|NvvmSupportError: (?:No|libNVVM cannot be found)/,
    "numba.cuda.cudadrv.error.NvvmSupportError: No supported GPU compute capabilities found. Please check your cudatoolkit version matches your CUDA version.",
  ),
  notice(
    "numba-nvvm",
    "libnvvm cannot be found",
    /libNVVM cannot be found/i,
    "numba.cuda.cudadrv.error.NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`:",
  ),
  notice(
    "no-libcuda-numba",
    "cuda driver library cannot be found",
    /CUDA driver library cannot be found|Possible CUDA driver libraries are found but error occurred during load/,
    "numba.cuda.cudadrv.error.CudaSupportError: Error at driver init: CUDA driver library cannot be found.",
  ),
] satisfies Signature[];
