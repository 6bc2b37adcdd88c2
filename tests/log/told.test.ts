import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);
const causesOf = async (text: string) => (await explain(text)).diagnoses.map(({ cause }) => cause);

// Profiles without a GPU, as people tell of them: who takes the profile decides what comes first.
test.each<[text: string, first: string[]]>([
  ["tensorboard only show CPU and Other, however the code is running on cuda", ["not-a-mismatch"]],
  ["we observed that the pytorch profiler is not showing up the cuda activities in tensorboard UI", ["not-a-mismatch"]],
  ["I am not getting the same profile output for profiling: on my side no GPU device is shown.", ["not-a-mismatch"]],
  ["why the device duration for all operators is displayed as zero in TensorBoard", ["not-a-mismatch"]],
  ['I cannot get see the "GPU summary" in the tensorboard page', ["not-a-mismatch"]],
  ["nsys does not capture any CUDA kernels of the worker", ["not-a-mismatch"]],
  ["tf.profiler.experimental works, but the trace only shows /host:CPU", ["library-not-on-path"]],
  ["GPU events are not captured by tf.profiler.experimental.start", ["library-not-on-path"]],
  ["torch.profiler on Windows 10: CUDA kernels are not recorded", ["profiler-platform-unsupported"]],
  ["under WSL2 the profiler shows no GPU", ["profiler-platform-unsupported"]],
  ["nvprof does not detect kernel launches", ["not-a-mismatch"]],
  ["nsight compute not able to profile the kernels", ["not-a-mismatch"]],
  ["I dont see the Profile tab on the tensorboard", ["profiler-plugin-version"]],
  ["the Profile dashboard is blank", ["profiler-plugin-version"]],
  ["Any ideas why it's not using my GPU during training", ["wrong-wheel-cpu-only"]],
  ["Why has my GPU not been used?", ["wrong-wheel-cpu-only"]],
  ["How comes it uses the CPU instead of GPU?", ["wrong-wheel-cpu-only"]],
])("%s", async (text, first) => expect(first).toContain((await causesOf(text))[0]));

test.each([
  "the profiler records GPU kernels and CPU operators",
  "The trace shows GPU activity in every step",
  "profiling: 12 kernels captured on the device",
  "Profiler does not show GPU memory by default",
  "tensorboard only shows scalars",
  "torch.cuda.is_available() is called first",
  "the GPU is not used in this test",
  "This tool does not use the GPU.",
  "profile page rendered",
  "using the CPU instead of GPU for small arrays",
  "device = 'cuda' if torch.cuda.is_available() else 'cpu'",
  "if torch.cuda.is_available() and not args.cpu:",
  "nvcc is on PATH",
  "llama_cpp_python 0.2.64",
  "opencv-python==4.9.0.80",
  "saved host_0.xplane.pb",
  "cannot import name 'foo' from 'mypackage'",
])("nothing is wrong: %s", async (text) => expect(await causesOf(text)).toEqual([]));

// Whether a GPU can be used, told with other words, letters and quotes.
test.each([
  'I run torch.cuda.is_available() and it came back "false"',
  "`torch.cuda.is_available() `\nfalse",
  "torch.cuda.is_available()=false",
  "torch::cuda_is_available() in R evaluates to FALSE",
  "torch.cuda.is_available() still says `False` here",
])("%s", async (text) => expect(await causesOf(text)).toContain("wrong-wheel-cpu-only"));

// What tools say of themselves, wherever in a line it stands.
test.each<[text: string, cause: string, name?: string]>([
  ["warning: No step marker observed and hence the step time is unknown.", "not-a-mismatch", "the profile"],
  ["the run folder has only the host.xplane.pb", "benign-warning"],
  ["[nsys] Importer error status: Importation failed.", "upstream-bug", "nsys"],
  ["The request is not applicable in this state: StartRequest.", "not-a-mismatch", "nsys"],
  ["Error: Nsight Compute #VERSION_RSPLIT# hasn't been installed with CUDA Toolkit #CUDA_MAJOR#.#CUDA_MINOR#", "upstream-bug"],
  ["rank 3 failed: AttributeError: module 'numpy' has no attribute 'bool'", "package-conflict", "numpy"],
  [
    "in <module> ImportError: cannot import name 'cached_download' from 'huggingface_hub' (/v/__init__.py)",
    "package-conflict",
    "huggingface_hub",
  ],
  ["    from numba import cuda, numpy_support\nImportError: cannot import name 'numpy_support'", "package-conflict", "numba"],
  ["worker: ModuleNotFoundError: No module named 'ptxcompiler' (retrying)", "package-conflict", "ptxcompiler"],
  ["nvidia-smi on the node says: NVML version mismatch", "kernel-module-mismatch"],
  ["opencv-python 4.9.0 cannot use the GPU in dnn", "wrong-wheel-cpu-only", "opencv-python"],
  ["the plugin wants libcudnn.so.8 but only libcudnn.so.9 is here", "library-wrong-version", "libcudnn.so.8"],
  ["It tries to load cupti64_112.dll, while CUDA 11.2 has cupti64_2020.3.0.dll", "upstream-bug", "cupti64_112.dll"],
])("%s", async (text, cause, name) => {
  const [first] = (await explain(text)).diagnoses;
  expect(first?.cause).toBe(cause);
  if (name !== undefined) expect(first?.name).toBe(name);
});
