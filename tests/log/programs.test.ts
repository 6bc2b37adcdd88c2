import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);

test.each([
  ["xFormers beside a CPU build", "    PyTorch 2.4.0+cu121 with CUDA 1201 (you have 2.4.0+cpu)", "wrong-wheel-cpu-only"],
  ["xFormers beside another CUDA", "    PyTorch 2.4.0+cu121 with CUDA 1201 (you have 2.4.0+cu118)", "wrong-wheel-cuda-version"],
  ["xFormers beside another release", "    PyTorch 2.4.0+cu121 with CUDA 1201 (you have 2.5.1+cu121)", "package-conflict"],
  ["nvcc without the GPU", "nvcc fatal   : Value 'sm_89' is not defined for option 'gpu-architecture'", "toolkit-too-old"],
  [
    "nvcc that dropped the GPU",
    "Cuda compilation tools, release 12.4, V12.4.131\nnvcc fatal   : Value 'sm_35' is not defined for option 'gpu-architecture'",
    "arch-unsupported",
  ],
  ["a second ptxas", "ptxas-blackwell fatal   : Value 'sm_121a' is not defined for option 'gpu-name'", "toolkit-too-old"],
  [
    "the driver's linker",
    "LinkerError: [218] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR\nptxas application ptx input, line 9; fatal   : Unsupported .version 7.4; current version is '7.2'",
    "ptx-newer-than-driver",
  ],
  [
    "nvJitLink",
    "NVJITLINK_ERROR_PTX_COMPILE error when calling nvJitLinkAddData\nptxas application ptx input, line 9; fatal   : Unsupported .version 8.7; current version is '8.5'",
    "toolkit-too-old",
  ],
  ["TensorRT's start", "[E] [TRT] CUDA initialization failure with error: 35. Please check your CUDA installation", "driver-too-old"],
  [
    "an engine of another GPU",
    "The engine plan file is generated on an incompatible device, expecting compute 8.9 got compute 7.5, please rebuild.",
    "stale-artefact",
  ],
  [
    "parts of JAX",
    "JAX plugin jax_cuda12_plugin version 0.4.30 is installed, but it is not compatible with the installed jaxlib version 0.4.36, so it will not be used.",
    "package-conflict",
  ],
  [
    "conda's idea of the driver",
    "  - package cudatoolkit-11.8.0-h4ba93d1_12 has constraint __cuda >=11.8 conflicting with __cuda-11.4-0",
    "driver-too-old",
  ],
  [
    "libmamba's tree",
    "Could not solve for environment specs\nThe following packages are incompatible\n├─ pytorch-cuda ==12.4  is requested and can be installed;\n└─ torchvision 0.15.2 would require\n   └─ pytorch-cuda 11.8.* , which conflicts with any installable versions previously reported.",
    "package-conflict",
  ],
  [
    "the kernel's three lines",
    "[    8.000001] NVRM: API mismatch: the client 'python3' (pid 77)\n               NVRM: has the version 580.65.06, but this kernel module has\n               NVRM: the version 575.64.03.  Please make sure that this",
    "kernel-module-mismatch",
  ],
  [
    "Paddle's loader on Windows",
    "The third-party dynamic library (cudnn64_8.dll) that Paddle depends on is not configured correctly. (error code is 126)",
    "library-missing",
  ],
  [
    "cuDF on an old GPU",
    "UserWarning: A GPU with NVIDIA Volta™ (Compute Capability 7.0) or newer architecture is required.\nDetected GPU 0: Tesla P100",
    "arch-unsupported",
  ],
  [
    "an extension of another PyTorch",
    "ImportError: libtorch_cuda_cpp.so: cannot open shared object file: No such file or directory",
    "package-conflict",
  ],
  ["Ollama", 'error="your nvidia driver is too old or missing.  If you have a CUDA GPU please upgrade to run ollama"', "driver-too-old"],
  [
    "TensorFlow 1 on Windows",
    "ImportError: DLL load failed: The specified module could not be found.\n\nFailed to load the native TensorFlow runtime.",
    "library-missing",
  ],
])("%s", async (_, text, cause) => {
  expect((await explain(text)).diagnoses[0]?.cause).toBe(cause);
});

test("an engine says both releases of TensorRT", async () => {
  const text =
    "6: The engine plan file is not compatible with this version of TensorRT, expecting library version 10.3.0.26 got 8.6.1.6, please rebuild.";
  expect((await explain(text)).diagnoses[0]).toMatchObject({
    cause: "stale-artefact",
    required: "an engine built by TensorRT 10.3.0.26, or TensorRT 8.6.1.6 to load it",
    found: "an engine of TensorRT 8.6.1.6, loaded by 10.3.0.26",
  });
});

test.each([
  ["a DLL of another program", "ImportError: DLL load failed while importing _ssl: The specified module could not be found."],
  ["another DLL by its path", "OSError: [WinError 126] The specified module could not be found: 'C:\\venv\\shapely\\geos_c.dll'"],
  ["protobuf of others", "streamlit 1.30.0 requires protobuf<5,>=3.20, but you have protobuf 5.26.1 which is incompatible."],
  [
    "conda about other packages",
    "Could not solve for environment specs\nThe following packages are incompatible\n├─ numpy ==1.26  is requested and can be installed;",
  ],
  ["a command that fails with 255", "subprocess.CalledProcessError: Command '['/usr/bin/ssh', 'host']' returned non-zero exit status 255."],
])("%s is no alarm", async (_, text) => {
  expect((await explain(text)).diagnoses).toEqual([]);
});

test("Paddle's healthy start is harmless", async () => {
  const text =
    "gpu_resources.cc:116] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 12.2, Runtime API Version: 11.8";
  expect((await explain(text)).diagnoses.map(({ cause }) => cause)).toEqual(["benign-warning"]);
});
