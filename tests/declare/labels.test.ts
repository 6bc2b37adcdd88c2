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
