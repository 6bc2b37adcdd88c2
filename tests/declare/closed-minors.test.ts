import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const of = async (line: string) => short(await declared("requirements.txt", `${line}\n`));

test("version-not-published: above the last patch of a minor that two others came after", async () => {
  for (const line of ["torch==2.3.9", "torchvision==0.18.7", "jax==0.4.39", "tensorflow==2.9.7"])
    expect(await of(line), line).toEqual(["error version-not-published 1"]);
  const answer = await declared("requirements.txt", "torch==2.3.9\n");
  expect(answer.check.findings[0]).toMatchObject({
    message: "There is no torch 2.3.9 on PyPI",
    because: ["of 2.3.x PyPI has 2.3.0, 2.3.1; the next release is 2.4.0"],
  });
  expect(answer.check.unknown).toEqual([]);
});

test("what is there, what may come, and what goes on with older minors is not doubted", async () => {
  for (const line of [
    "torch==2.3.1",
    "torch==2.3.1.post1",
    "torch==2.15.9",
    "torch==99.0.0",
    "torch==0.4.1",
    "numpy==1.26.9",
    "nvidia-cudnn-cu12==9.1.9.99",
    "transformers==4.40.9",
    "--index-url https://example.org/simple\ntorch==2.3.9",
  ])
    expect(await of(line), line).toEqual([]);
});
