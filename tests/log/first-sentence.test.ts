// People quote the first sentence of a message, or leave out what stands behind it, and mistype a word.
import { expect, test } from "vitest";
import { answerTo } from "./asked.ts";

test.each([
  ["CatBoostError: Can't load GPU learning library", "driver-too-old"],
  ["Could not load library libcudnn_cnn_infer.so.8", "library-missing"],
  ["Could not locate cudnn_ops64_9.dll", "library-missing"],
  ["ERROR: CUDA kernel mul_mat_q has no device code compatible with CUDA arch 520", "arch-unsupported"],
  ["Couldn't open CUDA library libcupti.so.9.0", "library-missing"],
  ["RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA versions", "wrong-wheel-cuda-version"],
  ["RuntimeError: Found Tesla P100-PCIE-16GB which is too old to be supported by the triton GPU compiler", "arch-unsupported"],
  ["LLVM ERROR: PTX version 8.5 does not support target 'sm_120a'", "arch-unsupported"],
  ["Driver does not support the required nvenc API version", "driver-too-old"],
  ["numpy.dtype size changed, may indicate binary incompatibility", "package-conflict"],
  ["it says flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol, what now", "package-conflict"],
  ["the provided PTX was complied with an unsupported toolchain", "ptx-newer-than-driver"],
  ["CUDA driver version is insufficent for CUDA runtime version", "driver-too-old"],
])("%s", async (text, cause) => {
  const { diagnoses } = (await answerTo(text)).explanation;
  expect(diagnoses.map((each) => each.cause)).toContain(cause);
  for (const { message, required = "", found = "" } of diagnoses)
    expect(`${message} ${required} ${found}`).not.toMatch(/\bundefined\b(?! symbol)/);
});

test.each(["the valid PTX was compiled with a supported toolchain", "the module is invalidated, and compiles again"])(
  "another word is no misspelt one: %s",
  async (text) => expect((await answerTo(text)).explanation.diagnoses).toEqual([]),
);
