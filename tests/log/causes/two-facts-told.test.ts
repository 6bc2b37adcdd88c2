import { expect, test } from "vitest";
import { explainLog } from "../../../packages/core/src/culprit.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);

// No error line, and two facts that decide: the first cause, and both sides by their numbers.
test.each<[text: string, cause: string, required?: string | undefined, found?: string]>([
  [
    "I built my C++ program with cmake against cudnn 9.3 but at run time cudnnGetVersion() prints 90100",
    "library-shadowed",
    "9.3",
    "9.1.0",
  ],
  ["cudnn_version() in torch is 8902 but my own extension says it wants 9.0.0", "library-wrong-version", "9.0.0", "8.9.2"],
  ["Since I installed the cuDNN deb (9.5) my program no longer starts. It worked before with cuDNN 8.1.", "library-shadowed", "8.1", "9.5"],
  ["I linked against libcudnn 8 but libcudnn.so.9 is the only one on the target machine", "library-wrong-version", "8", "9"],
  ["My GPU is a Tesla K80 and I installed the newest pytorch. It sees the card but can't run anything on it.", "arch-unsupported"],
  ["On Kaggle with P100 my notebook with torch 2.8 crashes at the first kernel.", "arch-unsupported"],
  ["I compiled my CUDA program with -arch=sm_90 and run it on an A100: the output is all zeros.", "arch-unsupported", undefined, "sm_90"],
  ["My RX 6600 (gfx1032) crashes with rocm pytorch 2.2 as soon as a tensor moves to the GPU.", "arch-unsupported", "code for gfx1032"],
  ["On Windows I did pip install torch and torch.version.cuda is None.", "wrong-wheel-cpu-only"],
  ["After pip install of some package my torch went from 2.3.0+cu121 to 2.3.0+cpu, and now there is no GPU.", "wrong-wheel-cpu-only"],
  [
    "nvcc --version says 12.2, torch.version.cuda says 11.3, and my extension does not compile.",
    "toolkit-vs-framework-at-build",
    "11.3",
    "12.2",
  ],
  ["nvcc 11.5 from apt and a RTX 4090; my build stops because it does not know the architecture of my card.", "toolkit-too-old"],
  ["nvcc refuses to compile my code: gcc 13 on Fedora and CUDA 12.1", "toolkit-too-old"],
  ["My C++ program's cudaRuntimeGetVersion gives 12040 and cudaDriverGetVersion gives 11080, kernels don't launch.", "driver-too-old"],
  [
    "After a kernel update nvidia-smi fails, dkms status shows nvidia/535.129.03 for 5.15.0-91 but I run 5.15.0-94.",
    "kernel-module-missing",
  ],
  ["nvidia-smi doesn't work: the library is 535.161 and the kernel module is 535.154", "kernel-module-mismatch"],
  [
    "flash-attn was built for torch 2.1, I upgraded torch to 2.3 and now the import fails.",
    "stale-artefact",
    "an extension built for torch 2.3",
    "one built for torch 2.1",
  ],
  [
    "cmake finds CUDA 11.5 in /usr/bin but I installed 12.3 in /usr/local/cuda-12.3 .",
    "cuda-home-wrong",
    "CUDA 12.3",
    "CUDA 11.5 first on PATH",
  ],
  ["I installed onnxruntime and onnxruntime-gpu both, and get_device() says CPU.", "package-conflict", "onnxruntime-gpu alone"],
  ["In my Dockerfile a RUN that asserts torch.cuda.is_available fails while building, with docker run it works.", "driver-not-exposed"],
  [
    "In WSL2 I installed the Linux NVIDIA driver with apt, since then nvidia-smi doesn't work any more. On Windows it works.",
    "library-shadowed",
  ],
])("%s: %s", async (text, cause, required, found) => {
  const [first] = (await explain(text)).diagnoses;
  expect(first?.cause).toBe(cause);
  if (required !== undefined) expect(first?.required).toBe(required);
  if (found !== undefined) expect(first?.found).toBe(found);
});

// Two facts that go together are no fault.
test.each([
  "I built my C++ program with cmake against cudnn 9.1 and cudnnGetVersion() prints 90100",
  "I linked against libcudnn 9 and libcudnn.so.9 is installed there",
  "My program says cudaRuntimeGetVersion gives 12040 and cudaDriverGetVersion gives 12080.",
  "dkms status shows nvidia/535.129.03 for 5.15.0-94 and I run 5.15.0-94.",
  "The library is 535.161 and the kernel module is 535.161",
  "My GPU is a Tesla K80 and I installed the newest pytorch.",
  "I compiled my CUDA program with -arch=sm_90 and run it on an H100",
  "flash-attn was built for torch 2.3, I upgraded torch to 2.3 last week.",
  "cmake finds CUDA 12.3, which I installed: 12.3 in /usr/local/cuda-12.3 .",
])("nothing is said of: %s", async (text) => expect((await explain(text)).diagnoses).toEqual([]));
