import step from "../../../packages/core/src/log/causes/symbols.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "not-a-mismatch > library-missing > library-not-on-path > library-wrong-version",
    "cuda_device.cc:(.text._ZN3ppl2nn4cuda10CudaDeviceD2Ev+0x38): undefined reference to `cublasLtDestroy'",
  ],
  [
    "library-wrong-version > library-missing > library-shadowed > cuda-home-wrong",
    "/usr/bin/ld: /usr/local/cuda-11.7/lib64/libcublas.so: undefined reference to `cublasLtGetStatusString@libcublasLt.so.11'",
  ],
  // A package's own stand-in for a library of CUDA.
  [
    "stub-library > library-shadowed > upstream-bug",
    "ImportError: /v/lib/python3.12/site-packages/apkg/libnvrtc_stub.so: undefined symbol: nvrtcGetNVVM",
  ],
  // RAPIDS: the namespace in the mangled name says which of its libraries should have it.
  [
    "package-conflict > library-wrong-version > upstream-bug > library-shadowed",
    "ImportError: /e/lib/python3.8/site-packages/cudf/_lib/csv.cpython-38-x86_64-linux-gnu.so: undefined symbol: _ZN4cudf2io8read_csvERKNS0_18csv_reader_optionsE",
  ],
  // pytorch/pytorch#123097: MKL 2024.0 helps.
  ["package-conflict", "ImportError: /opt/conda/lib/python3.9/site-packages/torch/lib/libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent"],
  [
    "library-shadowed > package-conflict > library-wrong-version",
    "ImportError: /opt/venv/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12",
  ],
  [
    "library-wrong-version > library-shadowed",
    "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by /opt/venv/torch/lib/libtorch_cuda.so)",
  ],
  [
    "library-wrong-version > library-missing > cuda-home-wrong",
    "/usr/bin/ld: lib/libbackend.so: undefined reference to `cublasLtMatmulDescCreate'",
  ],
  [
    "package-conflict > wrong-wheel-cuda-version > library-wrong-version > stale-artefact",
    "ImportError: /v/lib/python3.10/site-packages/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
  ],
  [
    "toolkit-vs-framework-at-build > stale-artefact > library-shadowed > package-conflict > library-wrong-version",
    "ImportError: /root/.cache/torch_extensions/py310_cu121/fused/fused.so: undefined symbol: cudaGraphInstantiateWithFlags, version libcudart.so.12",
  ],
  [
    "stale-artefact > stub-library > driver-not-exposed",
    "ImportError: /tmp/torchinductor_me/ab/cabc.so: undefined symbol: cuModuleGetFunction",
  ],
  ["library-shadowed > package-conflict > library-wrong-version", "libtorch_cuda.so: undefined symbol: cudnnGetMaxDeviceVersion"],
  [
    "driver-too-old > wrong-wheel-cuda-version > stub-library",
    "undefined symbol: cuGetErrorString_v2\nlibcuda.so.1: undefined symbol: cuMemCreate",
  ],
  [
    "driver-too-old > wrong-wheel-cuda-version > stub-library",
    "ImportError: /v/torch/lib/libtorch_cuda.so: undefined symbol: cuDevicePrimaryCtxRelease_v2",
  ],
  [
    "library-wrong-version > library-missing > cuda-home-wrong",
    "/usr/bin/ld: lib/libbackend.so: undefined reference to `cublasLtMatmulDescCreate'\nLD_LIBRARY_PATH=/usr/local/cuda-11/lib64",
  ],
  [
    "library-shadowed > package-conflict > library-wrong-version",
    "symbol lookup error: ./app: undefined symbol: cudaGetDriverEntryPoint, version libcudart.so.12",
  ],
  // Both are of one wheel: only a copy from elsewhere can lack what it has.
  [
    "library-shadowed > library-wrong-version > package-conflict",
    "OSError: /e/lib/python3.7/site-packages/nvidia/cublas/lib/libcublas.so.11: undefined symbol: cublasLtHSHMatmulAlgoInit, version libcublasLt.so.11",
  ],
  [
    "library-wrong-version > library-shadowed",
    "ImportError: /usr/local/cuda/lib64/libcudnn.so.7: version `libcudnn.so.7' not found (required by /e/site-packages/_dlib_pybind11.so)",
  ],
  ["stub-library", "ImportError: /usr/local/cuda/lib64/stubs/libcuda.so.1: undefined symbol: cuFoo"],
  [
    "library-shadowed > package-conflict > library-wrong-version > mixed-cudnn-sublibraries",
    "ImportError: /v/app.so: undefined symbol: cudnnGetLibConfig, version libcudnn_graph.so.9",
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "OSError: /v/site-packages/libfoo.so: undefined symbol: _ZNKSt10filesystem4path12has_filenameEv",
  ],
  [
    "library-wrong-version",
    "Ubuntu 20.04, GLIBC version 2.31\n/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.32' not found ( /v/flash_attn_2_cuda.so)",
  ],
  [
    "stale-artefact > toolkit-vs-framework-at-build > library-shadowed > package-conflict > library-wrong-version",
    "ImportError: /github/home/.cache/torch_extensions/py38_cu111/cpu_adam/cpu_adam.so: undefined symbol: curandCreateGenerator",
  ],
]);
