import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

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

test("a list of conda with the builds of another system is unknown", async () => {
  const list = (...lines: string[]) => reasons("environment.yml", `dependencies:\n${lines.map((line) => `  - ${line}\n`).join("")}`);
  expect(await list("python=3.9.0=h6244533_2", "vc=14.2=h21ff451_1", "tensorflow=2.6.0=gpu_py39he88c5ba_0")).toContain("those of Windows");
  expect(await list("python=3.10.13=h5ee71fb_0", "libcxx=14.0.6=h9765a3e_0", "pytorch=2.1.0=py3.10_0")).toContain("those of macOS");
  expect(await list("python=3.10.13=h955ad1f_0", "libgcc-ng=11.2.0=h1234567_1", "libcxx=14.0.6=h1_0")).not.toContain("conda finds none");
  expect(await list("python=3.10", "libcxx")).not.toContain("conda finds none");
});

test("an image of PyTorch for a CUDA that it was never built for is unknown", async () => {
  const upon = (tag: string) => reasons("Dockerfile", `FROM pytorch/pytorch:${tag}\nRUN pip install einops\n`);
  expect(await upon("2.2.0-cuda12.4-cudnn9-runtime")).toContain("was not built for CUDA 12.4");
  for (const tag of [
    "2.2.0-cuda12.1-cudnn8-runtime",
    "1.13.1-cuda11.6-cudnn8-devel",
    "1.7.1-cuda11.0-cudnn8-runtime",
    "2.7.1-cuda12.8-cudnn9-runtime",
  ])
    expect(await upon(tag), tag).not.toContain("was not built");
});

test("numpy-too-new: what replaces the NumPy of an image under its torch", async () => {
  const upon = async (line: string) =>
    short(await declared("Dockerfile", `FROM pytorch/pytorch:2.2.2-cuda12.1-cudnn8-runtime\nRUN pip install ${line}\n`));
  // The newest opencv-python asks for NumPy 2.
  expect(await upon('"opencv-python>=4.9.0.80"')).toEqual(["warning numpy-too-new 2"]);
  expect(await upon('"opencv-python<4.12"')).toEqual([]);
  expect(await upon("pandas")).toEqual([]);
});

test("a setup.cfg with settings of tools alone does not hide setup.py", async () => {
  const text = "FROM nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04\nWORKDIR /app\nCOPY . /app\nRUN pip3 install .\n";
  const beside = {
    "setup.cfg": "[flake8]\nmax-line-length = 100\n",
    "setup.py": 'setup(name="x", install_requires=["torch==2.1.0", "numpy"])\n',
  };
  expect(short(await declared("Dockerfile", text, { beside }))).toEqual(["warning numpy-too-new 1"]);
});

test("a module whose libraries may come before those of the wheels is unknown", async () => {
  const script = (modules: string, torch: string) =>
    reasons("job.sbatch", `#!/bin/bash\n#SBATCH --gres=gpu:1\nmodule load ${modules}\npip install torch==${torch}\nsrun python train.py\n`);
  // torch 2.5.1 is for CUDA 12.4 with cuDNN 9.1.0.
  expect(await script("cuda/12.1", "2.5.1")).toContain("libnvJitLink.so.12 of CUDA 12.1");
  expect(await script("cuda/12.4", "2.5.1")).toBe("");
  expect(await script("cuda/11.8 cudnn/8.6", "2.5.1")).toBe("");
  expect(await script("cuda/12.6 cudnn/9.5.1", "2.5.1")).toContain("cuDNN 9.5.1");
  expect(await script("cuda/12.1", "2.7.1")).toBe("");
});

test("version-not-published: the one index that a project takes a package from never had it", async () => {
  const project = (label: string) =>
    `[project]\nname = "x"\nversion = "1"\ndependencies = []\n[project.optional-dependencies]\ngpu = ["torch==2.9.1"]\n[tool.uv.sources]\ntorch = [{ index = "own", extra = "gpu" }]\n[[tool.uv.index]]\nname = "own"\nurl = "https://download.pytorch.org/whl/${label}"\nexplicit = true\n`;
  expect(short(await declared("pyproject.toml", project("cu118")))).toContain("error version-not-published 6");
  expect(
    (await declared("pyproject.toml", project("cu128"))).check.findings.filter(({ rule }) => rule === "version-not-published"),
  ).toEqual([]);
});
