import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const explain = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses;

// Compiled programs and their makers, each in the words of its source: the cause that comes first, and what is named.
test.each<[text: string, cause: string, named?: { name?: string; required?: string; found?: string }]>([
  [
    "Failed to load CUDA kernel from '/opt/blender/3.2/scripts/addons/cycles/lib/kernel_compute_75.ptx' (Unsupported PTX version)",
    "ptx-newer-than-driver",
  ],
  ["CUDA binary kernel for this graphics card compute capability (12.0) not found.", "arch-unsupported"],
  ["Failed to allocate device vector A (error code unknown error)!", "not-a-mismatch"],
  [
    "thread 'main' panicked at cudarc-0.17.3/src/driver/sys/mod.rs:21291:18:\nExpected symbol in library: GetProcAddress { source: Os { code: 127 } }\nDriver version: 551.86",
    "driver-too-old",
    { found: "551.86" },
  ],
  [
    'could not load symbol "cuDriverGetVersion":\n/opt/julia/1.6.5/bin/julia: undefined symbol: cuDriverGetVersion',
    "driver-not-exposed",
    { name: "libcuda.so.1" },
  ],
  [
    'target/debug/app: error while loading shared libraries: libnvrtc.so.12: cannot open shared object file: No such file or directory\nThe libnvrtc.so.12 is in "/opt/miniconda3/envs/py311/lib", how to specify the path?',
    "library-not-on-path",
    { name: "libnvrtc.so.12" },
  ],
  [
    "$ nvcc --version\nCuda compilation tools, release 12.8, V12.8.61\nCMake Error: Failed to detect a default CUDA architecture.",
    "cuda-home-wrong",
    { found: "12.8" },
  ],
  ["/usr/local/cuda/lib64/libcudnn.so: error adding symbols: File in wrong format", "library-damaged", { name: "libcudnn.so" }],
  ["run nvidia-smi and got message saying that it cannot communicate to the driver", "kernel-module-missing"],
  ["nvidia-docker | 2016/07/13 23:40:32 Error: Could not load UVM kernel module", "kernel-module-missing"],
  ["The pinned NVIDIA driver fails DKMS module compilation against this kernel", "kernel-module-missing"],
  ["CUDA initialization fails with 802 system error", "not-a-mismatch", { name: "nvidia-fabricmanager" }],
])("%s", async (text, cause, named = {}) => {
  const [first] = await explain(text);
  expect(first?.cause).toBe(cause);
  for (const key of ["name", "required", "found"] as const) if (named[key] !== undefined) expect(first?.[key]).toContain(named[key]);
});

test.each([
  "    NVIDIA CUDA:                   NO",
  "--   Use Cuda:                    NO",
  "JetPack 6.0 with the image nvcr.io/nvidia/l4t-jetpack:r36.3.0",
  "print(cv2.cuda.getCudaEnabledDeviceCount())",
])("by itself no fault: %s", async (text) => expect(await explain(text)).toEqual([]));
