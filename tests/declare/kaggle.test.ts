import { expect, test } from "vitest";
import { declared, notebook, short } from "./declared.ts";

const metadata = (kaggle: object) => ({ kaggle: { dockerImageVersionId: 30786, isInternetEnabled: true, language: "python", ...kaggle } });

test("a notebook of Kaggle is no Colab, though it was made there", async () => {
  const cells = ["!pip install -q transformers", "import torch"];
  const text = notebook(cells, { colab: { provenance: [] }, ...metadata({ accelerator: "none" }) });
  const { check, predicted } = await declared("n.ipynb", text);
  expect(check.unknown.map(({ reason }) => reason)).toContain("it is made for Kaggle: what its image has by itself is not known here");
  expect([check.status, check.findings, predicted.base]).toEqual(["incomplete", [], "gcr.io/kaggle-images/python"]);
  // The same is a Colab without Kaggle's mark.
  expect((await declared("n.ipynb", notebook(cells, { colab: {} }))).predicted.base).toContain("Colab of");
});

test("its accelerator is the GPU that it is judged by, and what the image has is left there", async () => {
  const cells = ["!pip install -q torch==2.11.0", "!pip install numpy"];
  const on = (accelerator: string) => declared("n.ipynb", notebook(cells, metadata({ accelerator, isGpuEnabled: true })));
  expect(short(await on("nvidiaTeslaP100"))).toEqual(["error gpu-not-in-build 1:1"]);
  expect(short(await on("nvidiaTeslaT4"))).toEqual([]);
  expect(short(await on("gpu"))).toEqual([]);
  // Which NumPy is there nobody knows: it is not the newest because pip was asked for torch.
  expect(short(await declared("n.ipynb", notebook(["!pip install torch==2.2.0"], metadata({ accelerator: "none" }))))).toEqual([]);
  expect(short(await declared("n.ipynb", notebook(["!pip install torch torchvision==0.19.1"], metadata({}))))).toEqual([]);
});

test("a clash stands on its line; kernel-metadata.json beside it says as much", async () => {
  const text = notebook(["import os\n!pip install torch==2.5.1 torchvision==0.19.1"]);
  const kernel = JSON.stringify({
    id: "a/b",
    code_file: "n.ipynb",
    language: "python",
    enable_gpu: "true",
    machine_shape: "NvidiaTeslaP100",
  });
  const answer = await declared("work/n.ipynb", text, { beside: { "work/kernel-metadata.json": kernel } });
  expect([short(answer), answer.predicted.base]).toEqual([["error requirements-clash 1:2"], "gcr.io/kaggle-gpu-images/python"]);
  const other = await declared("work/m.ipynb", text, { beside: { "work/kernel-metadata.json": kernel } });
  expect([other.predicted.base, other.check.unknown]).toEqual([undefined, []]);
  const broken = await declared("n.ipynb", text, { beside: { "kernel-metadata.json": "{" } });
  expect(broken.predicted.base).toBeUndefined();
});
