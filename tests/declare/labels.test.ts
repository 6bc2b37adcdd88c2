import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const whl = "https://download.pytorch.org/whl";

test.each([
  ["another label's index beside PyPI", `--extra-index-url ${whl}/cu118\ntorch==2.3.0+cu121\n`, ["error version-not-published 2"]],
  ["another label's index alone", `--index-url ${whl}/cu118\ntorch==2.3.0+cu121\n`, ["error version-not-published 2"]],
  ["no index at all", "torch==2.3.0+cu121\n", ["warning version-not-published 1"]],
  ["its own", `--extra-index-url ${whl}/cu121\ntorch==2.3.0+cu121\n`, []],
  ["one of several", `--extra-index-url ${whl}/cu118\n--extra-index-url ${whl}/cu121\ntorch==2.3.0+cu121\n`, []],
  ["all labels", `--extra-index-url ${whl}\ntorch==2.3.0+cu121\n`, []],
  ["a page of links", `-f ${whl}/torch_stable.html\ntorch==2.3.0+cu121\n`, []],
  ["a page of links of its own label", `-f ${whl}/cu121/torch_stable.html\ntorch==2.3.0+cu121\n`, []],
  [
    "one that nobody knows",
    `--extra-index-url ${whl}/cu118\n--extra-index-url https://packages.example.com/simple\ntorch==2.3.0+cu121\n`,
    [],
  ],
])("a build with a label needs an index that has it: %s", async (_, text, expected) => {
  expect(short(await declared("requirements.txt", text))).toEqual(expected);
});

test("before 2.2 a build with its label has the libraries inside: what else is listed of NVIDIA's clashes with PyPI's build alone", async () => {
  const listed = (torch: string) => `--extra-index-url https://download.pytorch.org/whl/cu121\n${torch}\nnvidia-nccl-cu12==2.19.3\n`;
  expect(short(await declared("requirements.txt", listed("torch==2.1.2+cu121")))).toEqual([]);
  expect(short(await declared("requirements.txt", listed("torch==2.2.0+cu121")))).toEqual([]);
  expect(short(await declared("requirements.txt", listed("torch==2.2.1+cu121").replace("2.19.3", "2.18.1")))).toEqual([
    "error requirements-clash 3",
  ]);
  expect(short(await declared("requirements.txt", "torch==2.1.2\nnvidia-nccl-cu12==2.19.3\n"))).toEqual(["error requirements-clash 2"]);
});

test("which libraries a build with its label pins may be guessed from one that is alike: a guess is no clash", async () => {
  const listed = (torch: string, nvtx: string) => `--extra-index-url ${whl}/cu124\n${torch}\nnvidia-nvtx-cu12==${nvtx}\n`;
  // Nobody has read what 2.4.1+cu124 pins; CUDA 12.4.0 has 12.4.99, and 12.4.1 has 12.4.127.
  expect(short(await declared("requirements.txt", listed("torch==2.4.1+cu124", "12.4.99")))).toEqual([]);
  expect(short(await declared("requirements.txt", listed("torch==2.4.1+cu124", "12.4.127")))).toEqual([]);
  expect(short(await declared("requirements.txt", listed("torch==2.4.0+cu124", "12.4.99")))).toEqual([]);
  expect(short(await declared("requirements.txt", listed("torch==2.4.0+cu124", "12.4.127")))).toEqual(["error requirements-clash 3"]);
});

test("=== is a pin, too", async () => {
  expect(short(await declared("requirements.txt", "torch===1.10.0\ntorchvision===0.9.0\n"))).toEqual(["error requirements-clash 2"]);
  expect(
    short(await declared("requirements.txt", `-f ${whl}/torch_stable.html\ntorch===1.7.1+cu110\ntorchvision===0.8.2+cu110\nnumpy<2\n`)),
  ).toEqual([]);
});

test("a build of somebody's own is not judged by the metadata of PyPI, and never green", async () => {
  // FlagOpen/FlagScale, install/install-requirements-metax.sh
  const line = "pip install torch==2.6.0+metax3.0.0.3 torchaudio==2.4.1+metax3.0.0.3 -i https://repos.example.com/simple\n";
  const { check } = await declared("setup.sh", `#!/bin/sh\n${line}`);
  expect(check.findings).toEqual([]);
  expect(check.status).toBe("incomplete");
  expect(check.unknown.map(({ subject }) => subject)).toContain("torch 2.6.0+metax3.0.0.3");
});

test("PyPI has no version with a label, whosever it is", async () => {
  expect(short(await declared("environment.yml", "dependencies:\n- pip:\n  - pytorch-triton==2.0.0+0d7e753227\n"))).toEqual([
    "error version-not-published 3",
  ]);
  expect(short(await declared("requirements.txt", "pytorch-triton==2.0.0+0d7e753227\n"))).toEqual(["warning version-not-published 1"]);
  const named = "--extra-index-url https://packages.example.com/simple\npytorch-triton==2.0.0+0d7e753227\n";
  expect(short(await declared("requirements.txt", named))).toEqual([]);
});
