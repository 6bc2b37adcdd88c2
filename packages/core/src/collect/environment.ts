/** Variables that decide what is loaded, which GPU is seen, or that show another profiler at work. Nothing else of an environment is kept. */
const matters =
  /^(LD_\w+|GLIBC_TUNABLES|PATH|HOME|CUDA\w*|CUDNN\w*|CUPTI\w*|NCCL_\w+|NVIDIA_\w+|NV_\w+|TF_(CPP|GPU|XLA|CUDA|CUDNN|CUPTI|FORCE|ENABLE|DISABLE|USE|DETERMINISTIC|CONFIG)\w*|XLA_\w+|JAX_\w+|TORCH\w*|PYTORCH_\w+|CUPY_\w+|TRITON_\w+|BNB_\w+|NUMBA_\w+|KINETO_\w+|NVTX_\w+|NSYS_\w+|NVPROF_\w+|QUADD_\w+|PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION|ORT_\w+|TENSORRT\w*|CONDA_(PREFIX|DEFAULT_ENV|SHLVL|EXE)|VIRTUAL_ENV|PYTHON(PATH|HOME|NOUSERSITE|USERBASE|STARTUP)|PYENV_VERSION|LOADEDMODULES|_LMFILES_|MODULEPATH|LMOD_VERSION|COLAB_\w+|DS_SKIP_CUDA_CHECK)$/;

export function keptVariables(environment: { [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(environment)
      .filter(([name]) => matters.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
