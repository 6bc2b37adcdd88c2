import step from "../../../packages/core/src/log/causes/symbols.ts";
import { holds } from "./holds.ts";

holds(step, [
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
]);
