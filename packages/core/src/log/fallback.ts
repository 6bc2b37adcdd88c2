import { characters } from "../lib/text.ts";

/** Notices with which frameworks go on without the GPU. */
export const fallbackNotices = [
  "jax-cpu",
  "jax-no-cuda-plugin",
  "jax-backend-failed",
  "tf-skipped-gpus",
  "tf-no-cuda-drivers",
  "ort-provider-failed",
  "ort-without-cuda",
];

// Each of those messages, and each about a library that could not be opened or is too old, holds one of these
// (tests/log/fallback.test.ts holds them to it).
const words = [
  "falling back to cpu",
  "falling back to ['c",
  "a cuda-enabled jaxlib is not installed",
  "unknown backend",
  "list of known backends",
  "unable to initialize backend",
  "but jax was built against version",
  "installation found",
  "unable to load",
  "cudageterrorstring symbol not found",
  "library was not found",
  "please upgrade to",
  "cannot dlopen some gpu libraries",
  "gpu will not be used",
  "dnn library is not found",
  "executionprovider",
  "onnxruntime_providers_",
  "install tensorrt libraries",
  "error code: 126",
  "loadlibrary failed with error 126",
];

/** Whether a text may say that a framework went on without the GPU; no other is worth reading after a success. */
export function mayHaveFallenBack(chunks: Iterable<Uint8Array>): boolean {
  let text = "";
  for (const chunk of chunks) text += characters(chunk);
  const lower = text.replaceAll("\u0000", "").toLowerCase();
  return words.some((word) => lower.includes(word));
}
