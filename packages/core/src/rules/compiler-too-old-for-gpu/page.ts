import { describeRule } from "../rule.ts";

export default describeRule({
  id: "compiler-too-old-for-gpu",
  title: "The compiler is older than the GPU",
  cause: "toolkit-too-old",
  severity: "error",
  page: {
    what: "A program compiles its kernels when it runs, and its compiler does not know the GPU: NVRTC for CuPy, ptxas for Triton and torch.compile. CuPy ends with CUDA_ERROR_NO_BINARY_FOR_GPU or “invalid value for --gpu-architecture”, Triton with “Value 'sm_121a' is not defined for option 'gpu-name'”.",
    why: "Which GPUs a compiler makes code for is fixed with its release: sm_100 and sm_120 came with CUDA 12.8, sm_103 and sm_121 with 12.9. The driver may be as new as it likes. CuPy asks an older NVRTC for the newest architecture that it knows, as machine code, which runs within one major only. numba makes PTX, and is not affected.",
    how: "The release of the NVRTC that would be loaded is in its code; the ptxas inside Triton's wheels was read there. In a dependency file the compiler is that of the Triton, of the NVRTC wheel or of the CUDA image that it names. What each toolkit builds for is known.",
    fix: "Install a newer compiler: for CuPy the wheel nvidia-cuda-nvrtc (or the toolkit) of a newer CUDA of the same major; for Triton a newer release, or TRITON_PTXAS_PATH with the ptxas of a newer toolkit.",
    observed:
      "The versions of ptxas in Triton 2.0 to 3.9 were read from the wheels; the failures are known from reports (cupy#9106, cupy#9121).",
  },
});
