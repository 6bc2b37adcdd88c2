import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const image = "FROM nvidia/cuda:12.1.1-runtime-ubuntu22.04\n";
const path = "ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH\n";
const torch = (version: string, index = "") => `RUN pip install torch==${version}${index}\n`;
const cu124 = " --index-url https://download.pytorch.org/whl/cu124";

test("library-shadowed: a toolkit that is older than the wheels comes before their libnvJitLink", async () => {
  const answer = await declared("Dockerfile", image + path + torch("2.4.1", cu124));
  expect(short(answer)).toEqual(["error library-shadowed 2"]);
  expect(answer.check.findings[0]).toMatchObject({
    cause: "library-shadowed",
    subject: "libnvJitLink.so.12 for torch",
    breaks: [{ framework: "torch", activity: "import" }],
  });
  expect(answer.check.findings[0]!.facts.said).toContain("undefined symbol: __nvJitLinkComplete_12_4");
  expect(
    short(
      await declared("Dockerfile", `${image}ENV LD_LIBRARY_PATH /usr/local/cuda-12.1/lib64:$LD_LIBRARY_PATH\n${torch("2.4.1", cu124)}`),
    ),
  ).toEqual(["error library-shadowed 2"]);
  expect(short(await declared("Dockerfile", image + path + torch("2.5.1")))).toEqual(["error library-shadowed 2"]);
  const jax = await declared("Dockerfile", `${image}${path}RUN pip install "jax[cuda12]==0.6.0"\n`);
  expect(short(jax)).toEqual(["error library-shadowed 2"]);
  const container = `{ "image": "nvidia/cuda:12.1.1-devel-ubuntu22.04",\n "containerEnv": { "LD_LIBRARY_PATH": "/usr/local/cuda/lib64:\${containerEnv:LD_LIBRARY_PATH}" },\n "postCreateCommand": "pip install torch==2.4.1 --index-url https://download.pytorch.org/whl/cu124" }`;
  expect(short(await declared(".devcontainer/devcontainer.json", container))).toEqual(["error library-shadowed 2"]);
});

test("library-shadowed: the parts of a cuDNN that apt brings come before those of the wheel", async () => {
  const apt = (version: string) => `${image}RUN apt-get update && apt-get install -y libcudnn9-cuda-12=${version}\n`;
  const front = "ENV LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu\n";
  const answer = await declared("Dockerfile", apt("9.3.0.75-1") + front + torch("2.5.1"));
  // A newer one serves, at its own risk; an older one is refused by torch at the first recurrent layer.
  expect(short(answer)).toEqual(["warning library-shadowed 3"]);
  expect(answer.check.findings[0]!.message).toContain("cuDNN 9.3.0 before those of 9.1.0.70");
  expect(answer.check.findings[0]).toMatchObject({ breaks: [], endangers: [{ framework: "torch", activity: "convolution" }] });
  const older = await declared("Dockerfile", apt("9.0.0.312-1") + front + torch("2.5.1"));
  expect(short(older)).toEqual(["error library-shadowed 3"]);
  expect(older.check.findings[0]).toMatchObject({ breaks: [{ framework: "torch", activity: "rnn" }] });
  expect(short(await declared("Dockerfile", apt("9.1.0.70-1") + front + torch("2.5.1")))).toEqual([]);
  expect(short(await declared("Dockerfile", apt("9.3.0.75-1") + torch("2.5.1")))).toEqual([]);
});

test.each([
  ["what nvidia/cuda images set themselves", "ENV LD_LIBRARY_PATH=/usr/local/nvidia/lib:/usr/local/nvidia/lib64\n", torch("2.4.1", cu124)],
  ["a toolkit as old as the wheels", path, torch("2.4.1")],
  ["torch since 2.6 loads the right one by its path", path, torch("2.6.0")],
  ["libraries for CUDA 11 do not ask for it", path, torch("2.4.1", " --index-url https://download.pytorch.org/whl/cu118")],
  ["a variable of one command", "RUN LD_LIBRARY_PATH=/usr/local/cuda/lib64 make\n", torch("2.4.1", cu124)],
  ["set anew later", `${path}ENV LD_LIBRARY_PATH=\n`, torch("2.4.1", cu124)],
  ["an image whose `base` has no libraries", path, torch("2.4.1", cu124), "FROM nvidia/cuda:12.1.1-base-ubuntu22.04\n"],
])("silence: %s", async (_, lines, install, from = image) => {
  expect(short(await declared("Dockerfile", from + lines + install))).toEqual([]);
});

test("an address that an argument completes still names an index", async () => {
  const text = `FROM python:3.10\nARG CUDA\nENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/$CUDA\nRUN pip install torch==2.0.1+cu118 "numpy<2"\n`;
  expect(short(await declared("Dockerfile", text))).toEqual([]);
});

test("compat-on-wrong-gpu: only where a GPU is named that refuses it", async () => {
  const text = `${image}ENV LD_LIBRARY_PATH=/usr/local/cuda/compat:/usr/local/cuda/lib64\n`;
  expect(short(await declared("Dockerfile", text, { gpus: ["RTX 4090"] }))).toEqual(["error compat-on-wrong-gpu 2"]);
  expect(short(await declared("Dockerfile", text, { gpus: ["A100"] }))).toEqual([]);
  expect(short(await declared("Dockerfile", text))).toEqual([]);
});

test("gpus-hidden: a variable that stays, in an image that is for GPUs, or where one is asked about", async () => {
  for (const value of ["-1", '""', "none"])
    expect(short(await declared("Dockerfile", `${image}ENV CUDA_VISIBLE_DEVICES=${value}\n`))).toEqual(["warning gpus-hidden 2"]);
  expect(short(await declared("Dockerfile", `${image}ENV CUDA_VISIBLE_DEVICES=-1\n`, { gpus: ["T4"] }))).toEqual(["error gpus-hidden 2"]);
  expect(short(await declared("Dockerfile", `${image}ENV NVIDIA_VISIBLE_DEVICES=void\n`))).toEqual(["warning gpus-hidden 2"]);
  for (const line of [
    "ENV CUDA_VISIBLE_DEVICES=0,1",
    "ARG GPU\nENV CUDA_VISIBLE_DEVICES=$GPU",
    "ENV NVIDIA_VISIBLE_DEVICES=all",
    "RUN CUDA_VISIBLE_DEVICES=-1 pytest",
    "ENV CUDA_VISIBLE_DEVICES=-1\nENV CUDA_VISIBLE_DEVICES=0",
  ])
    expect(short(await declared("Dockerfile", `${image}${line}\n`))).toEqual([]);
  expect(short(await declared("Dockerfile", "FROM python:3.12\nENV CUDA_VISIBLE_DEVICES=-1\nRUN pip install torch\n"))).toEqual([
    "info gpus-hidden 2",
  ]);
});

test("gpus-hidden: devcontainers and jobs with a GPU; a job without one hides nothing", async () => {
  const container = (value: string) =>
    `{ "image": "nvidia/cuda:12.1.1-devel-ubuntu22.04",\n "runArgs": ["--gpus", "all", "-e", "CUDA_VISIBLE_DEVICES=${value}"] }`;
  expect(short(await declared("devcontainer.json", container("-1")))).toEqual(["warning gpus-hidden 2"]);
  expect(short(await declared("devcontainer.json", container("0")))).toEqual([]);
  expect(short(await declared("devcontainer.json", container("${localEnv:GPUS}")))).toEqual([]);
  const job = (options: string) =>
    `on: push\njobs:\n  test:\n    runs-on: self-hosted\n    container:\n      image: nvidia/cuda:12.1.1-devel-ubuntu22.04\n      options: ${options}\n      env:\n        CUDA_VISIBLE_DEVICES: -1\n    steps:\n      - run: pytest\n`;
  expect(short(await declared("w.yml", job("--gpus all")))).toEqual(["warning gpus-hidden 9"]);
  expect(short(await declared("w.yml", job("--cpus 2")))).toEqual([]);
});

test("driver-not-exposed: capabilities without compute, where a framework needs them", async () => {
  const text = (value: string) => `${image}ENV NVIDIA_DRIVER_CAPABILITIES=${value}\n${torch("2.5.1")}`;
  const answer = await declared("Dockerfile", text("video,utility"));
  expect(short(answer)).toEqual(["error driver-not-exposed 2"]);
  expect(answer.check.findings[0]!.advice).toEqual([{ words: "set NVIDIA_DRIVER_CAPABILITIES=compute,utility,video" }]);
  for (const value of ["all", "compute,utility", '""', "graphics,compute"])
    expect(short(await declared("Dockerfile", text(value)))).toEqual([]);
  expect(
    short(await declared("Dockerfile", `${image}ENV NVIDIA_DRIVER_CAPABILITIES=video,utility\nRUN apt-get install -y ffmpeg\n`)),
  ).toEqual([]);
});

test("driver-too-old: what an image requires by itself, as the container toolkit reads it", async () => {
  const text = `${image}ENV NVIDIA_REQUIRE_CUDA="cuda>=12.1 brand=tesla,driver>=470,driver<471"\n`;
  expect(short(await declared("Dockerfile", text, { driver: "470.57.02", gpus: ["RTX 3090"] }))).toEqual(["error driver-too-old 2"]);
  expect(short(await declared("Dockerfile", text, { driver: "470.57.02", gpus: ["T4"] }))).toEqual([]);
  expect(short(await declared("Dockerfile", text, { driver: "535.104.05" }))).toEqual([]);
  expect(short(await declared("Dockerfile", `${text}ENV NVIDIA_DISABLE_REQUIRE=1\n`, { driver: "450.80.02", gpus: ["RTX 3090"] }))).toEqual(
    [],
  );
});
