/** Of what is left over, doubled or of another build: rows for `told.test.ts`. */
export const ofLeftovers: [causes: string, text: string][] = [
  [
    "stale-artefact > library-missing > cuda-home-wrong",
    "No rule to make target '/usr/local/cuda-10.0/lib64/libnvrtc.so', needed by 'libtvm.so'.  Stop.",
  ],
  ["stale-artefact > upstream-bug", "This can be worked around by deleting ~/.triton/torch, and deleting the cache folder fixed it"],
  [
    "package-conflict > arch-unsupported > wrong-wheel-cuda-version",
    "ImportError: [sgl_kernel] CRITICAL: Could not load any common_ops library!",
  ],
  [
    "stale-artefact > driver-not-exposed",
    'failed to inject devices: failed to stat CDI host device "/dev/dri/renderD129": no such file or directory',
  ],
  ["not-a-mismatch > driver-not-exposed > library-missing", "libGL error: unable to load driver: swrast_dri.so"],
  ["two-copies > package-conflict > library-shadowed", "Segmentation fault when tensorrt is imported before torch"],
  ["library-damaged > upstream-bug", "/usr/bin/ld: libs/libdl-2.17_stub.so: file format not recognized; treating as linker script"],
  [
    "wrong-wheel-cpu-only > package-conflict > library-shadowed",
    "System.EntryPointNotFoundException: Unable to find an entry point named 'OrtSessionOptionsAppendExecutionProvider_CUDA' in shared library 'onnxruntime'",
  ],
  ["two-copies > package-conflict", "OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already initialized."],
  [
    "library-shadowed > two-copies",
    "JAX uses the first CUDA libraries found in LD_LIBRARY_PATH instead of the bundled CUDA libraries installed by pip",
  ],
  ["wrong-wheel-cpu-only > wrong-vendor", "AssertionError: Torch not compiled with XPU enabled"],
  [
    "library-wrong-version > cuda-home-wrong > upstream-bug",
    'convolution.cu(82): error: identifier "CUDNN_CONVOLUTION_FWD_PREFER_FASTEST" is undefined',
  ],
  [
    "profiler-platform-unsupported > library-wrong-version > upstream-bug",
    "ERROR :: rocprofiler_iterate_info(), ImportMetrics(), Bad metric 'L2CacheHit', var 'TCC_HIT[0]' is not found",
  ],
  [
    "package-conflict > upstream-bug > two-copies",
    "ImportError: arg(): could not convert default argument 'mask: tv::Tensor' in function 'f' into a Python object (type not registered yet?)",
  ],
  [
    "wrong-wheel-cpu-only > library-missing > upstream-bug",
    "Could not run 'aten::empty.memory_format' with arguments from the 'CUDA' backend.",
  ],
  [
    "stale-artefact > not-a-mismatch",
    "Using /root/.cache/torch_extensions/py310_cu118 as PyTorch extensions root...\nand there it got stuck",
  ],
  ["cupti-too-old-for-driver > upstream-bug", "LD_PRELOAD=./tracer_tool.so with nvbit_release: the program hangs and no trace is written"],
  ["not-a-mismatch", "GPU processes are not listed when running inside a Docker container"],
  [
    "library-shadowed > driver-not-exposed",
    "In WSL I typed: apt install nvidia-utils-510\nFailed to initialize NVML: GPU access blocked by the operating system",
  ],
  [
    "kernel-module-missing > driver-not-exposed",
    "I compiled the kernel of WSL with this config\nFailed to initialize NVML: GPU access blocked by the operating system",
  ],
  [
    "driver-not-exposed > stale-artefact > driver-not-exposed",
    'failed to inject devices: failed to stat CDI host device "/dev/nvidia-uvm": no such file or directory',
  ],
  [
    "not-a-mismatch > package-conflict > library-shadowed",
    "ImportError: /v/my_ext.so: undefined symbol: _ZN3c106detail14torchCheckFailEPKcS2_jS2_\nThe error disappears when I import torch before importing my_ext_cuda",
  ],
  ["package-conflict > upstream-bug > library-wrong-version", "ERROR: Unsatisfiable requirements detected for package cuDNN [02a925ec]:"],
  ["not-a-mismatch", "onnxruntime::BFCArena::AllocateRawInternal Failed to allocate memory for requested buffer of size 285081600"],
  [
    "library-wrong-version > package-conflict > library-shadowed",
    "Unable to find an entry point named 'TF_StringInit' in DLL 'tensorflow'.",
  ],
  [
    "package-conflict > library-wrong-version",
    "/v/tensorflow_io/python/ops/__init__.py:98: UserWarning: unable to load libtensorflow_io_plugins.so: unable to open file: libtensorflow_io_plugins.so, from paths: ['/v/tensorflow_io/python/ops/libtensorflow_io_plugins.so']",
  ],
  [
    "stale-artefact > package-conflict",
    "horovod.common.exceptions.HorovodVersionMismatchError: Framework tensorflow installed with version 2.4.1 but found version 2.3.0.",
  ],
  ["not-a-mismatch > driver-not-exposed > arch-unsupported", "Error: Found no Cycles device of the specified type"],
  ["not-a-mismatch", "I try to use ncu profile gpt demo but hangs when profiling  ncclAllReduceKernel"],
  ["not-a-mismatch > driver-not-exposed", "CUDA is gone after a suspend of the laptop"],
  ["not-a-mismatch > cuda-home-wrong > library-missing", "nvcc version doesn't change when installing different cudatoolkits"],
  ["profiler-plugin-version > upstream-bug", "Uncaught Error: Cannot proceed. Polymer already present."],
  [
    "benign-warning > not-a-mismatch",
    "A matching Triton is not available, some optimizations will not be enabled.\nModuleNotFoundError: No module named 'triton'",
  ],
  ["wrong-wheel-cpu-only", "AttributeError: 'NoneType' object has no attribute 'cadam32bit_grad_fp32'"],
  [
    "driver-not-exposed > library-shadowed",
    "$ docker run --gpus all nvidia/cuda:11.4.0-base-ubuntu20.04 nvidia-smi\nFailed to initialize NVML: GPU access blocked by the operating system",
  ],
];
