// What is compiled for the torch of one line does not load with that of a later one.
import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const image = (...lines: string[]) =>
  `FROM nvidia/cuda:12.1.1-cudnn8-devel-ubuntu22.04\nRUN apt-get update && apt-get install -y python3.10 python3-pip git\n${lines.map((line) => `RUN pip install ${line}\n`).join("")}`;
const judged = async (...lines: string[]) => declared("Dockerfile", image(...lines));

test("a later line brings another minor release of torch", async () => {
  const answer = await judged("torch==2.1.2", "--no-build-isolation flash-attn==2.5.6", "torch==2.4.0");
  expect(short(answer)).toEqual(["warning pins-not-met 5"]);
  const [finding] = answer.check.findings;
  expect(finding!.because).toContain(
    "it is compiled at Dockerfile:4, where torch 2.1.2+cu121 is there, and what is compiled for one minor release lacks symbols of another; pip compares nothing here",
  );
  expect(finding!.advice[0]!.words).toBe(
    "install torch 2.4.0+cu121 in a command before Dockerfile:4, so that flash-attn is compiled for it; or ask for torch==2.1.* in the end, too",
  );
});

test("what a later line brings along counts, too, and what stands at an address", async () => {
  const brought = await judged("torch==2.1.2", "--no-build-isolation flash-attn==2.5.6", "vllm==0.6.3");
  expect(short(brought)).toEqual(["warning pins-not-met 5"]);
  // vLLM pins its torch: the old one in the end is no way out.
  expect(brought.check.findings[0]!.advice[0]!.words).not.toContain("in the end");
  const fetched = await judged("torch==2.0.1", "git+https://github.com/NVlabs/tiny-cuda-nn/#subdirectory=bindings/torch", "torch==2.4.0");
  expect(short(fetched)).toEqual(["warning pins-not-met 5"]);
  expect(fetched.check.findings[0]!.message).toBe("tinycudann needs torch==2.0.*, and torch 2.4.0+cu121 would be there");
});

test.each([
  [["torch==2.1.0", "--no-build-isolation flash-attn==2.5.6", "torch==2.1.2"]],
  [["torch==2.1.2", "torch==2.4.0", "--no-build-isolation flash-attn==2.5.6"]],
  [["torch==2.1.2", "--no-build-isolation flash-attn==2.5.6", "einops"]],
  // pip brings a torch for the build alone: which one is not known.
  [["torch==2.1.2", "causal-conv1d==1.4.0", "torch==2.4.0"]],
])("silent: %j", async (lines) => {
  expect(short(await judged(...lines))).toEqual([]);
});
