import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const refused =
  "RuntimeError: jaxlib/cuda/versions_helpers.cc:85: operation cusparseGetProperty(MAJOR_VERSION, &major) failed: The cuSPARSE library was not found.";
const traced = (major: string) =>
  `Jax plugin configuration error: Exception when calling jax_plugins.xla_cuda${major}.initialize()\n${refused}\n`;

test.each([
  ["the plugin for CUDA 13", traced("13"), "jax[cuda13]"],
  ["the plugin for CUDA 12", traced("12"), "jax[cuda12]"],
  ["both", `${traced("13")}jax-cuda12-plugin==0.10.2\n`, "jax[cuda12]"],
  ["a driver that does not run CUDA 13", `${traced("13")}Driver Version: 550.54.15     CUDA Version: 12.4\n`, "jax[cuda12]"],
])("a text with %s: %s", async (_what, text, asked) => {
  const { diagnoses } = await explainLog([new TextEncoder().encode(text)]);
  const lines = diagnoses.flatMap(({ fixes }) => fixes.flatMap(({ commands }) => commands)).filter((line) => line.includes("jax[cuda"));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.every((line) => line.includes(asked))).toBe(true);
});
