import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

test.each([
  ["python", "torch==2.5.1\npython==3.8.5\n", 2, "take python out: pip installs into the Python that runs it"],
  ["names of conda", "torch==2.5.1\ncudatoolkit==11.3.1\n", 2, "take cudatoolkit out: what pip installs brings its own CUDA"],
  ["what PyPI calls otherwise", "cudnn\n", 1, "ask for nvidia-cudnn-cu12 in the place of cudnn"],
  ["a name that only says that it is the wrong one", "pytorch==1.9.0\n", 1, "ask for torch in the place of pytorch"],
  ["beside PyTorch's index", "--extra-index-url https://download.pytorch.org/whl/cu121\npytorch_cuda\n", 2, "ask for torch"],
])("no-such-package: %s", async (_, text, line, advice) => {
  const answer = await declared("requirements.txt", text);
  expect(short(answer)).toEqual([`error no-such-package ${line}`]);
  expect(JSON.stringify(answer.check.findings[0]!.advice[0])).toContain(advice);
});

test.each([
  [
    "conda has them",
    "environment.yml",
    "channels: [pytorch, nvidia]\ndependencies: [python=3.10, pytorch=2.1.2, pytorch-cuda=12.1, cudnn]\n",
  ],
  ["another index may", "requirements.txt", "--extra-index-url https://packages.example.com/simple\ncudnn\n"],
  ["an address of its own", "requirements.txt", "cudnn @ https://example.com/cudnn-1.0-py3-none-any.whl\n"],
  ["Poetry's own python", "pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.11,<3.13"\ntorch = "2.3.1"\n'],
])("no-such-package is silent: %s", async (_, file, text) => {
  expect(short(await declared(file, text))).toEqual([]);
});

test("what is not there holds nothing back: the NumPy beside it is told, too", async () => {
  // Bibliome/KBPubMedBERT, requirements.txt
  expect(short(await declared("requirements.txt", "torch==1.13.0\nnumpy\npython==3.8.5\n"))).toEqual([
    "error no-such-package 3",
    "warning numpy-too-new 2",
  ]);
});
