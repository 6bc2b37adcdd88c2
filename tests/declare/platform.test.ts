import { expect, test } from "vitest";
import { declared } from "./declared.ts";

const reasons = async (file: string, text: string) => (await declared(file, text)).check.unknown.map(({ reason }) => reason).join("\n");
const other = "it is made for arm64";

test("what is made for another processor is unknown", async () => {
  const upon = (from: string) => reasons("Dockerfile", `${from}\nRUN pip install torch==2.5.1\n`);
  expect(await upon("FROM --platform=linux/arm64 python:3.11-slim")).toContain(other);
  expect(await upon("FROM arm64v8/python:3.11-slim")).toContain("it is made for arm64v8");
  for (const from of [
    "FROM --platform=linux/amd64 python:3.11-slim",
    "FROM --platform=$BUILDPLATFORM python:3.11-slim",
    "FROM python:3.11-slim",
  ])
    expect(await upon(from)).toBe("");
  const service = "services:\n  a:\n    image: python:3.11\n    platform: linux/arm64\n    command: pip install torch==2.5.1\n";
  expect(await reasons("compose.yml", service)).toContain(other);
});

test("an image of a framework that a service runs is not nothing", async () => {
  const { check } = await declared("compose.yml", "services:\n  a:\n    image: vllm/vllm-openai:v0.6.3\n");
  expect(check.status).toBe("incomplete");
  expect((await declared("compose.yml", "services:\n  a:\n    image: postgres:16\n")).check.status).toBe("nothing-to-check");
});

test("what is compiled for a torch of another CUDA than the image's nvcc is unknown", async () => {
  const upon = (cuda: string, label: string) =>
    reasons(
      "Dockerfile",
      `FROM nvidia/cuda:${cuda}-devel-ubuntu22.04\nRUN apt-get update && apt-get install -y python3-pip\nRUN pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/${label}\nRUN pip install flash-attn --no-build-isolation\n`,
    );
  expect(await upon("12.1.0", "cu118")).toContain("torch refuses to compile with it");
  expect(await upon("12.4.1", "cu121")).not.toContain("torch refuses");
});
