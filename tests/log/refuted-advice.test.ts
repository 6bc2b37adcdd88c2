// Advice that the text itself, or what PyPI has for its Python and platform, refutes.
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const commands = async (text: string) => {
  const { diagnoses } = await explainLog([new TextEncoder().encode(text)]);
  return diagnoses.flatMap(({ fixes }) => fixes.flatMap((each) => each.commands)).join("\n");
};

const onWindows = (python: string) => `OS: Windows 11\nPython ${python}\ntensorflow 2.13.0\nNum GPUs Available:  0\n`;

test("TensorFlow 2.10 is offered to the Pythons that it has wheels for, and to no other", async () => {
  expect(await commands(onWindows("3.9.13"))).toContain('pip install "tensorflow<2.11"');
  expect(await commands(onWindows("3.11.4"))).not.toContain("tensorflow<2.11");
});

test("what has no wheel for Windows is not installed there", async () => {
  expect(await commands(onWindows("3.9.13"))).not.toContain("and-cuda");
  expect(await commands("tensorflow 2.15.0\nNum GPUs Available:  0\n")).toContain("and-cuda");
});

test("a way out that is left alone is not told as the second one", async () => {
  const { diagnoses } = await explainLog([new TextEncoder().encode(onWindows("3.11.4"))]);
  for (const { fixes } of diagnoses) expect(fixes[0]?.fix ?? "").not.toMatch(/^or /);
});

test("ONNX Runtime for the CUDA of the text: of PyPI's releases those that were built for it", async () => {
  const refused = (release: string, cuda: string) =>
    `onnxruntime-gpu ${release}, CUDA ${cuda}\nFailed to create CUDAExecutionProvider. Please reference https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html#requirements to ensure all dependencies are met.`;
  expect(await commands(refused("1.17.0", "12.2"))).toContain('pip install "onnxruntime-gpu>=1.19,<1.27"');
  expect(await commands(refused("1.20.1", "11.8"))).toContain('pip install "onnxruntime-gpu>=1.7,<1.19"');
});

test("what was tried already is not told again", async () => {
  const mismatch = "Failed to initialize NVML: Driver/library version mismatch\n";
  expect(await commands(mismatch)).toContain("sudo reboot");
  expect(await commands(`${mismatch}I have rebooted the machine twice, no change\n`)).not.toContain("sudo reboot");
  const { diagnoses } = await explainLog([new TextEncoder().encode(`${mismatch}Tried rebooting, still doesn't work\n`)]);
  expect(diagnoses[0]!.fixes.length).toBeGreaterThan(0);
});

test("root is not told to become root", async () => {
  const refused =
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.";
  const words = async (text: string) =>
    (await explainLog([new TextEncoder().encode(text)])).diagnoses.flatMap(({ fixes }) => fixes.map((each) => each.fix)).join("\n");
  expect(await words(refused)).toContain("run the profiler as root");
  expect(await words(`root@5f3c1a2b9d10:/workspace# ncu ./app\n${refused}`)).not.toContain("run the profiler as root, with `sudo`");
});

const newGpu =
  "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.";

test("what is built for PyTorch and stands beside it is installed with it, and nothing else", async () => {
  expect(await commands(newGpu)).toMatch(/pip install --force-reinstall torch --index-url/);
  expect(await commands(`${newGpu}\ntorch 2.5.1\ntorchvision 0.20.1\ntorchaudio 2.5.1`)).toMatch(
    /pip install --force-reinstall torch (?:torchaudio torchvision|torchvision torchaudio) --index-url/,
  );
});

test("where a program brought its Python along, it is that one's pip", async () => {
  const path = 'File "C:\\ComfyUI\\python_embeded\\Lib\\site-packages\\torch\\cuda\\__init__.py", line 310, in _lazy_init';
  expect(await commands(`${path}\n${newGpu}`)).toMatch(/^\.\\python_embeded\\python\.exe -m pip install /m);
});
