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
