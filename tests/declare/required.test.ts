import { expect, test } from "vitest";
import { declared } from "./declared.ts";

const short = ({ check }: Awaited<ReturnType<typeof declared>>) =>
  check.findings.filter(({ severity }) => severity !== "info").map(({ severity, rule, place }) => `${severity} ${rule} ${place!.line}`);

// `uv pip compile` refuses each of them.
test.each([
  ["xformers is made for one torch", "xformers==0.0.28.post1\ntorch==2.5.1\n"],
  ["and so is vLLM", "vllm==0.7.3\ntorch==2.6.0\n"],
  ["what two bring that neither line names", "whisperx==3.7.4\nvllm==0.7.3\n"],
  ["a framework that is too old for what is built upon it", "torch==1.10.0\npytorch-lightning==2.0.0\n"],
  ["two packages upon one framework", "tensorflow-text==2.15.0\ntensorflow==2.16.1\n"],
])("packages upon frameworks: %s", async (_, text) => {
  expect(short(await declared("requirements.txt", text))).toEqual(["error requirements-clash 2"]);
});

// `uv pip compile` takes each of them.
test.each([
  ["one that brings its torch", "vllm==0.7.3\ntransformers<5\n", "torch 2.5.1"],
  ["a pin that it lets in", "pytorch-lightning==2.0.0\ntorch==2.0.1\nnumpy<2\n", "torch 2.0.1"],
  ["a framework that an extra brings", "accelerate\nsentence-transformers==3.0.0\ntorch==2.3.1\nnumpy<2\n", "torch 2.3.1"],
])("packages upon frameworks: %s is fine", async (_, text, framework) => {
  const answer = await declared("requirements.txt", text);
  expect(short(answer)).toEqual([]);
  expect(answer.check.status).toBe("ok");
  expect(answer.check.judged.map(({ program, version }) => `${program} ${version!.split("+")[0]}`)).toContain(framework);
});

test("what comes as source is built where no wheel serves; a wheel that is missing is an error only where there is nothing else", async () => {
  const text = "torch==2.6.0\nflash-attn==2.7.4.post1\n";
  expect(short(await declared("requirements.txt", text, { python: "3.13" }))).toEqual(["warning compiler-missing 2"]);
  expect(short(await declared("requirements.txt", "torch==2.3.1\nflash-attn==2.5.8\n", { python: "3.13" }))).toEqual([
    "error no-wheel-for-python 1",
    "warning compiler-missing 2",
  ]);
});

test("a release that was taken back is installed where it is pinned, and nowhere else", async () => {
  const chosen = async (text: string) =>
    (await declared("requirements.txt", text)).predicted.packages.find(({ name }) => name === "jax")?.version;
  expect(await chosen("jax==0.4.32\n")).toBe("0.4.32");
  expect(await chosen("jax<=0.4.32\n")).toBe("0.4.31");
});

test("a release that nobody has looked at, and a package that hints at a GPU, are unknown; what does not matter is not", async () => {
  const { check } = await declared("requirements.txt", "torch==0.4.1\nrequests==2.31.0\nsomebodys-cuda-kernels\nsomebodys-library\n");
  expect(check.status).toBe("incomplete");
  expect(check.unknown.map(({ subject, kind, aside }) => [subject, kind, aside ?? false])).toEqual([
    ["torch 0.4.1", "package", false],
    ["somebodys-cuda-kernels", "package", false],
    ["somebodys-library", "package", true],
  ]);
  expect((await declared("requirements.txt", "torch==2.5.1\nsomebodys-library\n")).check.status).toBe("ok");
});

// Its wheels of 4.4.0 and before have the front of cuDNN 8 inside, and search for the rest of it.
test("ctranslate2 opens cuBLAS, and older releases cuDNN, which nothing but the image or a wheel brings", async () => {
  const cuda = (tag: string, line: string) => declared("Dockerfile", `FROM nvidia/cuda:${tag}-ubuntu22.04\nRUN pip install ${line}\n`);
  expect(short(await cuda("12.4.1-runtime", "faster-whisper ctranslate2==4.5.0"))).toEqual(["error library-missing 2"]);
  expect(short(await cuda("12.4.1-cudnn-runtime", "faster-whisper ctranslate2==4.5.0"))).toEqual([]);
  // Releases from 4.6.3 on open no cuDNN.
  expect(short(await cuda("12.4.1-runtime", "faster-whisper"))).toEqual([]);
  expect(short(await cuda("11.8.0-cudnn8-runtime", "faster-whisper"))).toEqual(["error library-missing 2"]);
  expect(short(await cuda("11.8.0-cudnn8-runtime", "faster-whisper==0.10.1"))).toEqual([]);
  // One wheel serves the CPU, too: something has to show that a GPU is meant.
  const slim = "FROM python:3.12-slim\n";
  expect(short(await declared("Dockerfile", `${slim}RUN pip install faster-whisper\n`))).toEqual([]);
  const asking = await declared("Dockerfile", `${slim}ENV NVIDIA_VISIBLE_DEVICES=all\nRUN pip install faster-whisper\n`);
  expect(asking.check.findings.map(({ rule, breaks }) => [rule, breaks])).toEqual([
    ["library-missing", [{ framework: "ctranslate2", activity: "matmul" }]],
  ]);
  const list = (text: string) => declared("requirements.txt", text, { gpus: ["T4"], driver: "580.65.06" });
  expect(short(await list("faster-whisper\n"))).toEqual(["warning library-missing 1"]);
  // The torch of PyPI brings CUDA 13.
  expect(short(await list("faster-whisper\ntorch\n"))).toEqual(["warning library-missing 1"]);
  expect(short(await list("faster-whisper\ntorch==2.5.1\n"))).toEqual([]);
  expect(short(await declared("requirements.txt", "faster-whisper\n", { driver: "470.57.02" }))).toEqual(["error driver-too-old 1"]);
});

test("ctranslate2 beside a cuDNN of another major", async () => {
  const found = await declared("requirements.txt", "ctranslate2==4.3.1\nnvidia-cudnn-cu12==9.1.0.70\n");
  expect(short(found)).toEqual(["warning library-wrong-version 2"]);
  expect(short(await declared("requirements.txt", "faster-whisper==1.0.3\nctranslate2==4.4.0\ntorch==2.5.1\n"))).toEqual([
    "warning library-wrong-version 2",
  ]);
  expect(short(await declared("requirements.txt", "ctranslate2==4.5.0\nnvidia-cudnn-cu12==9.1.0.70\n"))).toEqual([]);
  expect(short(await declared("requirements.txt", "ctranslate2==4.3.1\nnvidia-cudnn-cu12==8.9.7.29\n"))).toEqual([]);
  expect(short(await declared("requirements.txt", "ctranslate2==4.3.1\n"))).toEqual([]);
  // Newer releases use no cuDNN.
  expect(short(await declared("requirements.txt", "ctranslate2==4.7.0\nnvidia-cudnn-cu12==8.9.7.29\n"))).toEqual([]);
  const image = "FROM nvidia/cuda:12.1.1-cudnn8-runtime-ubuntu22.04\nRUN pip install ctranslate2==4.3.1 torch==2.5.1\n";
  expect(short(await declared("Dockerfile", image))).toEqual([]);
});

test("a build without CUDA is judged as that; a framework that comes from elsewhere is unknown; one that PyPI no longer has is an error", async () => {
  const judged = async (text: string) => (await declared("requirements.txt", text)).check.judged;
  expect(await judged("jax==0.4.20\n")).toEqual([{ program: "jax", version: "0.4.20", activities: ["import"], cpuOnly: true }]);
  expect(await judged("tensorflow-cpu==2.15.0\nnumpy<2\n")).toMatchObject([{ program: "tensorflow", cpuOnly: true }]);
  expect((await declared("requirements.txt", "torch @ git+https://github.com/pytorch/pytorch\n")).check.status).toBe("incomplete");
  expect(short(await declared("requirements.txt", "jax==0.3.25\njaxlib==0.3.25\n"))).toContain("error version-not-published 2");
});

test("what is required on some Pythons only excludes nothing on the others", async () => {
  const text = "pytorch-optimizer==3.10.0\nxformers==0.0.34\ntorch==2.10.0\n";
  expect(short(await declared("requirements.txt", text, { python: "3.11" }))).toEqual([]);
  expect(short(await declared("requirements.txt", text))).toEqual([]);
});

// `uv pip compile` names the same two lines.
test("requirements-clash: of many ranges, what fails is found where it is, and not by trying all the others", async () => {
  const lines = ["numpy>=1.26.4,<2.0.0", "faster-whisper>=1.1.1", "whisperx>=3.3.2", "pyannote.audio>=3.3.2", "ctranslate2>=4.4.0"];
  const { check } = await declared("requirements.txt", `${lines.join("\n")}\n`);
  expect(check.findings.map(({ message }) => message)).toEqual(["numpy>=1.26.4,<2.0.0 and whisperx>=3.3.2 cannot go together"]);
  const more = await declared(
    "requirements.txt",
    `${[...lines.slice(1), "openai-whisper>=20240930", "transformers", "accelerate"].join("\n")}\n`,
  );
  expect([short(more), more.check.unknown]).toEqual([[], []]);
});

test.each(["torch", "torch==2.5.1", "torch==2.1.2"])(
  "a marker that holds on every Python there may be counts where nobody tells which it is: %s, then another triton",
  async (torch) => {
    const image = (from: string) => `FROM ${from}\nRUN pip install ${torch}\nRUN pip install triton==3.0.0\n`;
    expect(short(await declared("Dockerfile", image("someone/something:1")))).toEqual(["warning pins-not-met 3"]);
  },
);

test("pins-not-met: what was compiled for another torch, and does not say so", async () => {
  const rules = async (text: string) => short(await declared("requirements.txt", text));
  expect(await rules("torch==2.4.1\ntorchcodec==0.16.0\nnumpy<2\n")).toEqual(["warning pins-not-met 1"]);
  expect(await rules("torch==2.10.0\ntorchaudio==2.11.0\n")).toEqual(["warning pins-not-met 1"]);
  expect(await rules("torch==2.11.0\ntorchaudio==2.11.0\ntorchcodec==0.11.0\n")).toEqual([]);
  expect(await rules("--index-url https://download.pytorch.org/whl/cu121\ntorch\ntorchvision\ntorchaudio\n")).toEqual([]);
});

test("known-bad-combination: an old TensorFlow with the newest protobuf, which nobody names, on every Python that it may be", async () => {
  const rules = async (text: string, question = {}) => short(await declared("requirements.txt", text, question));
  const held = "tensorflow==2.8.0\nnumpy<1.24\n";
  // As its wheel does with protobuf 6.33.6, and does not with 3.20.3.
  expect(await rules(held)).toEqual(["warning known-bad-combination 1"]);
  expect(await rules(`${held}protobuf<3.21\n`)).toEqual([]);
  expect(await rules(`${held}protobuf==4.25.3\n`)).toEqual(["warning known-bad-combination 3"]);
  // It asks for protobuf<3.20 itself.
  expect(await rules("tensorflow==2.8.2\nnumpy<1.24\n")).toEqual([]);
  // pip takes tensorboard 2.11.2 on Python 3.7 and 3.8, which holds protobuf at 3.20.3: watched, it imports.
  const held24 = await declared("requirements.txt", "tensorflow==2.4.0\n");
  expect(short(held24)).toEqual([]);
  expect(held24.check.status).toBe("ok");
  // On Python 3.6 the newest protobuf is 3.19.6; on 3.7 it is not.
  expect((await declared("requirements.txt", "tensorflow==2.1.0\n")).check.unknown.map(({ reason }) => reason).join()).toContain(
    "which protobuf comes goes by the Python",
  );
  expect(await rules("tensorflow==2.1.0\nnumpy<1.24\n")).toEqual([]);
  expect(await rules("tensorflow==2.1.0\nnumpy<1.24\n", { python: "3.7" })).toEqual(["warning known-bad-combination 1"]);
});

test("known-bad-combination: transformers that does not use the PyTorch beside it", async () => {
  const rules = async (text: string, question = {}) => short(await declared("requirements.txt", text, question));
  const warned = ["warning known-bad-combination 2"];
  // `is_torch_available` in the wheels: from 4.52 on 2.1 is the least, from 5.0 2.2, from 5.1 2.4, from 5.15 2.5, from 5.20 2.6.
  expect(await rules("torch==2.0.1\ntransformers==4.51.3\nnumpy<2\n")).toEqual([]);
  expect(await rules("torch==2.0.1\ntransformers==4.52.4\nnumpy<2\n")).toEqual(warned);
  expect(await rules("torch==2.2.2\ntransformers==5.0.0\nnumpy<2\n")).toEqual([]);
  expect(await rules("torch==2.2.2\ntransformers==5.1.0\nnumpy<2\n")).toEqual(warned);
  expect(await rules("torch==2.4.1\ntransformers==5.14.1\n")).toEqual([]);
  expect(await rules("torch==2.4.1\ntransformers==5.15.0\n")).toEqual(warned);
  expect(await rules("torch==2.5.1\ntransformers==5.23.0\n")).toEqual(warned);
  expect(await rules("torch==2.6.0\ntransformers==5.23.0\n")).toEqual([]);
  // What is not held is the newest that the Python lets in: on 3.9 that is 4.57.
  expect(await rules("torch==2.3.1\ntransformers>=4.40\nnumpy<2\n")).toEqual(warned);
  expect(await rules("torch==2.3.1\ntransformers>=4.40\nnumpy<2\n", { python: "3.9" })).toEqual([]);
  // Of the Pythons that PyTorch 1.8 has wheels for only 3.9 gets one that does not use it: 3.6 to 3.8 do not.
  const old = await declared("requirements.txt", "torch==1.8.1\ntransformers\nnumpy<2\n");
  expect(short(old)).toEqual([]);
  expect(old.check.unknown.map(({ subject }) => subject)).toContain("transformers at requirements.txt:2");
  const image = await declared("Dockerfile", "FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-runtime\nRUN pip install -U transformers\n");
  expect(short(image)).toEqual(warned);
  const conda = "dependencies:\n  - python=3.10\n  - pytorch=2.1\n  - pytorch-cuda=12.1\n  - pip:\n    - transformers\n";
  expect(short(await declared("environment.yml", `channels: [pytorch, nvidia, conda-forge]\n${conda}`))).toContain(
    "warning known-bad-combination 7",
  );
});
