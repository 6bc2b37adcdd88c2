/** Variables that decide what is loaded or which GPU is seen. Nothing else of an environment is kept. */
const matters =
  /^(LD_\w+|GLIBC_TUNABLES|PATH|HOME|CUDA\w*|CUDNN\w*|CUPTI\w*|NCCL_\w+|NVIDIA_\w+|NV_\w+|TF_(CPP|GPU|XLA|CUDA|CUDNN|CUPTI|FORCE|ENABLE|DISABLE|USE|DETERMINISTIC|CONFIG)\w*|XLA_\w+|JAX_\w+|TORCH\w*|PYTORCH_\w+|CUPY_\w+|TRITON_\w+|BNB_\w+|NUMBA_\w+|KINETO_\w+|ORT_\w+|TENSORRT\w*|CONDA_(PREFIX|DEFAULT_ENV|SHLVL)|VIRTUAL_ENV|PYTHON(PATH|HOME|NOUSERSITE|USERBASE|STARTUP)|PYENV_VERSION|COLAB_\w+)$/;

export function keptVariables(environment: { [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(environment)
      .filter(([name]) => matters.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
