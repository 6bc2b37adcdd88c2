// What follows from versions alone, where nobody says what is wrong.
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const first = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses[0];

test.each([
  ["Driver version: 418.87.01, CUDA 10.2", "driver-too-old", "440.33"],
  ["| NVIDIA-SMI 470.57.02   Driver Version: 470.57.02   CUDA Version: 12.1     |", "forward-compat-misuse", "470.57.02"],
  ["I have an RTX 5070 Ti with CUDA 11.8, why the architecture mismatch?", "arch-unsupported", "12.8"],
  // Windows numbers drivers its own way: 456.71.
  ["NVIDIA GeForce GTX 1070, driver version 27.21.14.5671, CUDA 12.1", "driver-too-old", ""],
  ["GPU: Tesla K80, torch 2.4.0+cu121", "arch-unsupported", ""],
])("%s", async (text, cause, required) => {
  const found = await first(text);
  expect(found?.cause).toBe(cause);
  expect(found?.certainty).not.toBe("certain");
  expect(found?.required).toContain(required);
});

test.each([
  "Driver version: 550.54.15, CUDA 12.1",
  "Driver version: 470.57.02, CUDA 11.4",
  "| NVIDIA-SMI 535.54.03   Driver Version: 535.54.03   CUDA Version: 12.2     |",
  "GPU: NVIDIA A100, torch 2.4.0+cu121",
  // Its own toolkit came later; code for the GPUs before it runs on it.
  "why is my RTX 3090 with CUDA 11.0 not listed?",
  "RTX 5070 Ti, CUDA 11.8",
])("nothing follows from: %s", async (text) => expect(await first(text)).toBeUndefined());
