import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { ownMatter, libcuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

const withNvvm = [
  fix("install the compiler parts beside Numba", "conda install -c conda-forge cuda-nvcc cuda-nvrtc", 'pip install "numba-cuda[cu12]"'),
  fix("or say where the toolkit is", "export CUDA_HOME=/usr/local/cuda"),
];

/** numba/cuda/cudadrv: driver.py, nvvm.py, nvrtc.py, libs.py. */
export default [
  {
    ...notice(
      "numba-nvvm",
      "no supported gpu compute capabilities",
      /No supported GPU compute capabilities found/,
      "numba.cuda.cudadrv.error.NvvmSupportError: No supported GPU compute capabilities found. Please check your cudatoolkit version matches your CUDA version.",
    ),
    means: {
      // Numba compiles with libNVVM, which is part of the toolkit and of no wheel of PyTorch.
      weight: weights.failed,
      name: "libnvvm.so",
      library: "nvvm",
      required: "libNVVM, libdevice and the CUDA runtime of one toolkit",
      found: "none that Numba finds",
      next: ["numba -s | grep -i -A12 cuda", "echo $CUDA_HOME"],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "Numba does not find libNVVM: no CUDA toolkit is installed for it",
          fixes: withNvvm,
        },
        { cause: "library-not-on-path", message: "or the toolkit lies where Numba does not look", fixes: withNvvm },
        { cause: "cuda-home-wrong", message: "or CUDA_HOME names a folder without a toolkit", fixes: withNvvm },
        { cause: "library-wrong-version", message: "or the toolkit is of a release that this Numba does not know", fixes: withNvvm },
      ],
    },
  },
  notice(
    "numba-nvvm",
    "libnvvm cannot be found",
    /libNVVM cannot be found/i,
    "numba.cuda.cudadrv.error.NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`:",
  ),
  notice("numba-nvvm", "libnvvm is not available", /libNVVM is not available/, "NvvmSupportError: libNVVM is not available"),
  {
    // numba_cuda/numba/cuda/__init__.py and core/config.py
    ...notice(
      "numba-bindings",
      ["cuda python bindings not found", "cuda python bindings requested"],
      /NVIDIA CUDA Python bindings not found|CUDA Python bindings requested [^\n]{0,120}but they are not importable/,
      `ImportError: NVIDIA CUDA Python bindings not found. Install the 'cuda' package (e.g. pip install "cuda-bindings==XY.*" or "numba-cuda[cuXY]", with XY=12 or XY=13).`,
      "CUDA Python bindings requested (the environment variable NUMBA_CUDA_USE_NVIDIA_BINDING is set), but they are not importable: No module named 'cuda'.",
    ),
    means: {
      weight: weights.refused,
      name: "cuda-bindings",
      required: "NVIDIA's Python bindings for CUDA, in the major of this CUDA",
      found: "none that can be imported",
      next: ["pip list | grep -i 'numba\\|cuda'"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "numba-cuda is installed without the bindings that it is made for: its extra names them",
          fixes: (_, { driverCuda, toolkits }) => [
            fix(
              "install them with it",
              `pip install "numba-cuda[cu${(driverCuda ?? toolkits[0])?.version.startsWith("13") ? "13" : "12"}]"`,
            ),
          ],
        },
        { cause: "library-missing", message: "or `cuda-bindings` is missing alone", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "numba-nvjitlink",
      "nvjitlink",
      /LTO requires nvjitlink, which is not available or not sufficiently recent|[Ll]ink time optimization requires nvJitLink/,
      "float16 relies on LTO for performance. LTO requires nvjitlink, which is not available or not sufficiently recent (>=12.3)",
    ),
    means: {
      weight: weights.failed,
      name: "libnvJitLink.so",
      library: "nvjitlink",
      required: "nvJitLink 12.3 or newer",
      next: ["pip list | grep -i 'nvjitlink\\|numba'"],
      may: [
        {
          cause: "library-missing",
          message: "nvJitLink, which links what Numba compiles, is not installed",
          fixes: [fix("install the parts that numba-cuda is made for", 'pip install "numba-cuda[cu12]"')],
        },
        { cause: "library-wrong-version", message: "or the one that is found is older than CUDA 12.3", fixes: [] },
      ],
    },
  },
  {
    literals: ["minimum supported by nvrtc"],
    pattern:
      /Device compute capability (?<capability>\d{1,2}\.\d) is less than the minimum supported by NVRTC (?<nvrtc>\d{1,2}\.\d{1,2})\.(?: Supported compute capabilities are (?<first>\d{1,2}\.\d))?/,
    examples: [
      "UserWarning: Device compute capability 5.0 is less than the minimum supported by NVRTC 13.0. Supported compute capabilities are 7.5, 8.0, 8.6.",
    ],
    facts: ({ capability, first, nvrtc }) => ({
      kind: "gpu-unsupported",
      capability: capability!,
      supported: first === undefined ? `what NVRTC ${nvrtc} supports` : `${first} or newer`,
      by: "numba",
      tooOld: true,
    }),
  },
  notice(
    "no-libcuda-numba",
    "cuda driver library cannot be found",
    /CUDA driver library cannot be found|Possible CUDA driver libraries are found but error occurred during load/,
    "numba.cuda.cudadrv.error.CudaSupportError: Error at driver init: CUDA driver library cannot be found.",
  ),
  {
    literals: ["river missing function"],
    pattern: /[Dd]river missing function: (?<symbol>\w{3,60})(?:\. {0,2}Requires CUDA (?<required>\d{1,2}\.\d) or above)?/,
    examples: [
      "numba.cuda.cudadrv.error.CudaDriverError: Driver missing function: cuDevicePrimaryCtxRelease",
      "CudaDriverError: driver missing function: cuInit. Requires CUDA 8.0 or above.",
    ],
    facts: ({ symbol, required }) => ({
      kind: "notice",
      id: "driver-function-missing",
      subject: symbol!,
      ...(required === undefined ? {} : { required }),
    }),
    notice: "driver-function-missing",
    means: {
      ...libcuda,
      weight: weights.refused,
      about: (_facts, _context, [fact]) => ({
        evidence: [fact!],
        required: `a driver with ${fact!.subject}${fact!.required === undefined ? "" : ` (CUDA ${fact!.required} or newer)`}`,
      }),
      next: ["nvidia-smi", "culprit why libcuda.so.1", "echo $NUMBA_CUDA_DRIVER"],
      may: [
        {
          cause: "driver-too-old",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `the driver does not have \`${fact!.subject}\``,
          fixes: [fix("install a newer NVIDIA driver")],
        },
        {
          cause: "library-wrong-version",
          message: "or another library is loaded in the place of the driver: NUMBA_CUDA_DRIVER must name libcuda itself",
          fixes: [fix("let the driver be found by its name", "unset NUMBA_CUDA_DRIVER NUMBAPRO_CUDA_DRIVER")],
        },
        { cause: "stub-library", message: "or it is the stub that is made for the linker" },
      ],
    },
  },
  {
    literals: ["is unsupported by numba"],
    pattern:
      /CUDA Toolkit (?<found>\d{1,2}\.\d{1,2}) is unsupported by Numba - (?<minimum>\d{1,2}\.\d{1,2}) is the minimum required version/,
    examples: ["UserWarning: CUDA Toolkit 10.2 is unsupported by Numba - 11.2 is the minimum required version."],
    facts: ({ found, minimum }) => ({ kind: "tool-age", tool: "the CUDA toolkit", found: found!, minimum: minimum! }),
  },
  {
    literals: ["is not supported(requires", "has compute capability <"],
    pattern:
      /GPU compute capability (?<capability>\d{1,2}\.\d) is not supported ?\(requires >=(?<minimum>\d{1,2}\.\d)\)|has compute capability < (?:\((?<major>\d), ?(?<minor>\d)\)|(?<plain>\d\.\d))/,
    examples: [
      "NvvmSupportError: GPU compute capability 3.0 is not supported(requires >=3.5)",
      "CudaSupportError: <CUDA device 0 'b'GeForce GT 430''> has compute capability < (3, 5)",
    ],
    facts: ({ capability, minimum, major, minor, plain }) => ({
      kind: "gpu-unsupported",
      ...(capability === undefined ? {} : { capability }),
      supported: `${minimum ?? plain ?? `${major}.${minor}`} or newer`,
      by: "numba",
      tooOld: true,
    }),
  },
  {
    literals: ["missing libdevice file"],
    pattern: /Missing libdevice file/,
    examples: ["RuntimeError: Missing libdevice file. Please ensure you have a CUDA Toolkit 11.2 or higher."],
    facts: () => ({ kind: "notice", id: "libdevice-missing" }),
  },
  {
    literals: ["nvrtc cannot be loaded"],
    pattern: /NvrtcSupportError: NVRTC cannot be loaded|^NVRTC cannot be loaded/,
    examples: ["numba.cuda.cudadrv.error.NvrtcSupportError: NVRTC cannot be loaded"],
    facts: () => ({ kind: "not-found", name: "libnvrtc.so", by: "numba" }),
  },
  {
    ...notice(
      "numba-disabled",
      "numba_disable_cuda=1",
      /CUDA is disabled due to setting NUMBA_DISABLE_CUDA=1/,
      "numba.cuda.cudadrv.error.CudaSupportError: CUDA is disabled due to setting NUMBA_DISABLE_CUDA=1 in the environment, or because CUDA is unsupported on 32-bit systems.",
    ),
    means: ownMatter("NUMBA_DISABLE_CUDA", "NUMBA_DISABLE_CUDA=1 switches CUDA off in Numba", "unset NUMBA_DISABLE_CUDA"),
  },
  {
    // cudadrv/driver.py: `Call to NAME results in ERROR (CODE)`, and in brackets before it in older releases.
    literals: ["call to cuinit results in"],
    pattern:
      /(?:\[(?<before>-?\d{1,3}) ?\] {0,2})?[Cc]all to cuInit results in (?<name>CUDA_ERROR_[A-Z_]{4,40}|UNKNOWN_CUDA_ERROR)(?: \((?<after>-?\d{1,3})\))?/,
    examples: [
      "CudaSupportError: Error at driver init: [3] Call to cuInit results in CUDA_ERROR_NOT_INITIALIZED:",
      "CudaSupportError: Error at driver init: Call to cuInit results in CUDA_ERROR_OPERATING_SYSTEM (304)",
      "CudaSupportError: Error at driver init: Call to cuInit results in CUDA_ERROR_OUT_OF_MEMORY (2)",
    ],
    facts: ({ before, name, after }) => {
      const code = Number(after ?? before ?? Number.NaN);
      if (code === 2 || /OUT_OF_MEMORY/.test(name!)) return { kind: "notice", id: "init-out-of-memory" };
      // The codes with a name and a meaning of their own are read by the CUDA signatures.
      if ([34, 35, 100, 101, 802, 803, 804, 999].includes(code) || /NO_DEVICE|STUB|SYSTEM_|COMPAT_NOT|ERROR_UNKNOWN$/.test(name!))
        return undefined;
      return { kind: "notice", id: "driver-init-failed" };
    },
  },
  {
    // numba -s.
    literals: ["cuda driver version  ", "cuda runtime version  "],
    pattern: /^CUDA (?<part>Driver|Runtime) Version {4,60}: (?<version>\d{1,2}\.\d{1,2})$/,
    examples: ["CUDA Driver Version                           : 11.2", "CUDA Runtime Version                          : 11.8"],
    facts: ({ part, version }) =>
      part === "Driver" ? { kind: "driver-cuda", version: version! } : { kind: "toolkit", version: version!, from: "runtime" },
    single: true,
  },
  {
    // numba.cuda.cudadrv.libs.test() tells where each library is.
    literals: ["located at /"],
    pattern: /^\s{0,16}Located at (?<path>\/\S{3,300}\.so[\w.]{0,40})/,
    examples: ["        Located at /opt/venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"],
    facts: ({ path }) => ({ kind: "file", path: path! }),
    single: true,
  },
] satisfies Signature[];
