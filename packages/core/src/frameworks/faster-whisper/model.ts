import { defineFramework } from "../framework.ts";
import names from "./names.ts";

// All of its work on the GPU is CTranslate2's. Its filter for silence opens onnxruntime with CPUExecutionProvider when it is first used, so that
// the onnxruntime without CUDA, which it asks for, is the right one. PyAV brings its FFmpeg along.
export default defineFramework({
  ...names,
  upon: ["ctranslate2"],
  compiledFor: () => ({}),
  steps: { import: () => {} },
  loadsNothingAt: ["device", "matmul", "convolution"],
  after: { matmul: ["device"], convolution: ["matmul"] },
});
