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
  // vLLM 0.6.3 takes any transformers from 4.45.2 on: uv, too, chooses 5.23.0 beside torch 2.4.0.
  expect(short(brought)).toEqual(["warning known-bad-combination 5", "warning pins-not-met 5"]);
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
  [["torch==2.1.2", "torch==2.4.0", "--no-build-isolation causal-conv1d==1.5.2"]],
])("silent: %j", async (lines) => {
  expect(short(await judged(...lines))).toEqual([]);
});

test("a build that asks for torch gets the newest, apart from the one that is there", async () => {
  const upon = (line: string) => declared("Dockerfile", `FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\nRUN ${line}\n`);
  const answer = await upon("pip install causal-conv1d==1.5.2");
  expect(short(answer)).toEqual(["warning pins-not-met 2"]);
  expect(answer.check.findings[0]!.advice[0]!.words).toBe(
    "install causal-conv1d with --no-build-isolation, in a command after torch (Dockerfile:2)",
  );
  expect(short(await declared("requirements.txt", "torch==2.5.1\ncausal-conv1d==1.5.2\n"))).toEqual(["warning pins-not-met 2"]);
  expect(short(await upon("pip install --no-build-isolation causal-conv1d==1.5.2"))).toEqual([]);
  // No pyproject.toml: pip builds it with the torch that is there.
  expect(short(await upon("pip install causal-conv1d==1.4.0"))).toEqual([]);
  expect(short(await declared("requirements.txt", "torch\ncausal-conv1d\n"))).toEqual([]);
});

test("a build apart from what is installed fails where it asks for no torch: by uv, and by pip with a pyproject.toml", async () => {
  const upon = (...lines: string[]) =>
    declared("Dockerfile", ["FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel", ...lines, ""].join("\n"));
  expect(short(await upon("RUN uv pip install --system flash-attn==2.7.0.post2"))).toEqual(["error compiler-missing 2"]);
  expect(short(await upon("RUN pip install flash-attn==2.7.0.post2"))).toEqual([]);
  expect(short(await upon("RUN pip install mamba-ssm==2.3.2.post1 'transformers<5'"))).toEqual(["error compiler-missing 2"]);
  expect(short(await upon("RUN pip install 'mamba-ssm<2' 'transformers<5'"))).toEqual([]);
  expect(short(await upon("ENV UV_NO_BUILD_ISOLATION=1", "RUN uv pip install --system flash-attn==2.7.0.post2"))).toEqual([]);
  expect(short(await upon("RUN uv pip install --system --no-build-isolation flash-attn==2.7.0.post2"))).toEqual([]);
});
