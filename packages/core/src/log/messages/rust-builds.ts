import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

// 12040, as cuda.h writes 12.4.
const dotted = (found: string) => (found.includes(".") ? found : `${Math.floor(Number(found) / 1000)}.${(Number(found) % 1000) / 10}`);

/** Build scripts of Rust's crates: cudarc's and cust's build.rs, bindgen_cuda, torch-sys of tch-rs. */
export default [
  {
    // cudarc/build.rs: a table of the toolkits that this release of the crate knows.
    ...notice(
      "crate-toolkit",
      "unsupported cuda toolkit version",
      /Unsupported cuda (?:toolkit )?version:? ["'`]?(?<found>\d{1,2}\.\d{1,2}|1\d0\d0)/i,
      "Unsupported cuda toolkit version: `13.0`. Please raise a github issue.",
      "Unsupported cuda toolkit version: `12040`. Please raise a github issue.",
    ),
    means: {
      weight: weights.said,
      name: "cudarc",
      about: (_facts, _context, [fact]) => ({
        required: "a toolkit that this release of the crate knows",
        found: `CUDA ${dotted(fact!.found!)}`,
      }),
      next: ["nvcc --version", "cargo tree -i cudarc"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `this release of the crate does not know CUDA ${dotted(fact!.found!)}: it is older than that toolkit`,
          fixes: [
            fix("take a newer release of the crate", "cargo update -p cudarc"),
            fix("or build with an older toolkit, named by CUDA_ROOT and by the crate's feature for it"),
          ],
        },
        {
          cause: "library-wrong-version",
          name: "CUDA",
          message: "so the toolkit is of another release than it was written for",
          fixes: [],
        },
        { cause: "upstream-bug", message: "or no release of it knows that toolkit yet", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "crate-libtorch",
      ["cannot find a libtorch install", "libtorch install"],
      /Cannot find a libtorch install/i,
      "Cannot find a libtorch install, you can use the 'download-libtorch' feature",
    ),
    means: {
      weight: weights.refused,
      name: "libtorch.so",
      required: "libtorch of the release that this tch is made for",
      found: "none",
      next: ["echo $LIBTORCH $LIBTORCH_USE_PYTORCH"],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "the build script of tch finds no libtorch",
          fixes: [
            fix("let it take that of the active Python's PyTorch, of the release that its README names", "export LIBTORCH_USE_PYTORCH=1"),
            fix("or name a folder with libtorch in LIBTORCH, or build with the feature `download-libtorch`"),
          ],
        },
        { cause: "library-not-on-path", message: "or LIBTORCH does not name its folder", fixes: [] },
      ],
    },
  },
  {
    // tch's and libtorch's own word for it, beside a Python that may well see the GPU.
    ...notice(
      "libtorch-no-gpu",
      ["cuda::is_available", "torch::cuda::is_available", "tch"],
      /(?:\btch::)?\bCuda::is_available\(\)[^\n]{0,60}?\bfalse\b|torch::cuda::is_available\(\)[^\n]{0,60}?(?:\bfalse\b|\b0\b)|\b(?:tch(?:-rs)?|libtorch)\b[^\n]{0,90}\b(?:cuda|gpu)\b[^\n]{0,16}\b(?:not avail\w{2,5}|unavailable|not (?:found|detected))/i,
      'println!("Cuda available: {:?}", Cuda::is_available()); > false',
      "I'm trying to use tch on a gpu cloud machine, getting cuda not available",
    ),
    means: {
      weight: weights.failed,
      symptom: "libtorch sees no GPU",
      name: "libtorch.so",
      required: "a libtorch with CUDA, and linked with its part for CUDA",
      next: ["echo $LIBTORCH; ls $LIBTORCH/lib | grep -i cuda", "ldd target/debug/* 2>/dev/null | grep torch_cuda"],
      may: [
        {
          cause: "wrong-wheel-cpu-only",
          message: "the libtorch that the program is linked with is the one for the CPU, which is what its build fetches unasked",
          fixes: [
            fix(
              "fetch the one with CUDA: set TORCH_CUDA_VERSION (such as cu121) before the build, or LIBTORCH to a libtorch with CUDA (cxx11 ABI)",
            ),
          ],
        },
        {
          cause: "library-not-on-path",
          message: "or `libtorch_cuda.so` is there and is not loaded: the linker left it out, as nothing calls it by name",
          fixes: [fix("link it all the same (`-Wl,--no-as-needed -ltorch_cuda`), and put libtorch's `lib` folder on LD_LIBRARY_PATH")],
        },
        { cause: "wrong-wheel-cuda-version", message: "or it is built for a CUDA that the driver does not run", fixes: [] },
        { cause: "driver-not-exposed", name: "libcuda.so.1", message: "or no driver reaches the process", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "crate-smi",
      ["`nvidia-smi` failed", "nvidia-smi failed", "failed to run nvidia-smi", "failed to execute nvidia-smi"],
      /`?nvidia-smi`? failed\. Ensure that you have CUDA installed|[Ff]ailed to (?:run|execute) `?nvidia-smi`?/,
      "`nvidia-smi` failed. Ensure that you have CUDA installed and that `nvidia-smi` is in your PATH.",
    ),
    means: {
      weight: weights.refused,
      name: "nvidia-smi",
      next: ["nvidia-smi"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "a build or a program asks nvidia-smi for the GPU, and no driver is there: a machine without a GPU, a container or CI",
          fixes: [
            fix("where there is no GPU, name the capability for which to build (candle: CUDA_COMPUTE_CAP=86)"),
            fix("where there is one: install its driver, or give the container access to it"),
          ],
        },
        { cause: "library-not-on-path", message: "or nvidia-smi is not on the PATH of this process", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
