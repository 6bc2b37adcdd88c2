// What follows from versions alone, where nobody says what is wrong.
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/log/explain.ts";

const first = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses[0];

test.each([
  ["Driver version: 418.87.01, CUDA 10.2", "driver-too-old", "440.33"],
  ["| NVIDIA-SMI 470.57.02   Driver Version: 470.57.02   CUDA Version: 12.1     |", "forward-compat-misuse", "470.57.02"],
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
])("nothing follows from: %s", async (text) => expect(await first(text)).toBeUndefined());
