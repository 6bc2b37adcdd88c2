import { expect, test } from "vitest";
import { asked, declared, short } from "./declared.ts";

const dockerfile = `ARG PY=3.11
FROM python:\${PY} AS train
ARG TORCH=2.4.1
COPY requirements/extra.txt /tmp/extra.txt
RUN pip install torch==\${TORCH} torchvision==0.19.1 -r /tmp/extra.txt
FROM train AS broken
RUN pip install nvidia-cudnn-cu12==8.9.7.29
`;

const trained = `x-gpu: &gpu
  deploy:
    resources:
      reservations:
        devices:
          - driver: nvidia
            count: all
            capabilities: [gpu]

services:
  db:
    image: postgres:16
  train:
    <<: *gpu
    image: registry.example.org/train:latest
    build:
      context: .
      dockerfile: docker/gpu/Dockerfile
      target: train
      args:
        TORCH: 2.5.1
    environment:
      - CUDA_VISIBLE_DEVICES=
  serve:
    image: python:\${PYTHON:-3.13}
    command:
      - bash
      - -lc
      - |
        pip install -q uvicorn
        pip install torch==2.3.1
`;
const beside = { "docker/gpu/Dockerfile": dockerfile, "requirements/extra.txt": "numpy<2\n" };

test("every service by itself: its Dockerfile with arguments and target, its variables, its command", async () => {
  const answer = await declared("docker-compose.yml", trained, { beside });
  expect(short(answer)).toEqual(["error requirements-clash 5", "error gpus-hidden 23", "error no-wheel-for-python 31"]);
  const [clash, hidden, wheel] = answer.check.findings;
  expect(clash!.place!.file).toBe("docker/gpu/Dockerfile");
  expect(hidden!.because).toContain("a GPU is asked for at docker-compose.yml:6");
  expect(wheel!.place).toEqual({ file: "docker-compose.yml", line: 31, column: 21, endColumn: 33 });
});

test("what fits is silent, with the list beside it read from the folder that is built", async () => {
  const fine = trained
    .replace("TORCH: 2.5.1", "TORCH: 2.4.1")
    .replace("torch==2.3.1", "torch==2.5.1")
    .replace("CUDA_VISIBLE_DEVICES=", "A=b");
  const answer = await declared("docker-compose.yml", fine, { beside });
  expect([short(answer), answer.check.unknown, answer.check.status]).toEqual([[], [], "ok"]);
  expect(asked(answer).join()).toContain("numpy 1.26");
  expect(answer.check.judged.map(({ program, version }) => `${program} ${version}`)).toEqual(["torch 2.4.1+cu121", "torch 2.5.1+cu124"]);
});

test("a build without CUDA where a GPU is handed in, in every way to write it", async () => {
  for (const gpu of ["runtime: nvidia", "gpus: all", "devices:\n      - nvidia.com/gpu=all"]) {
    const text = `services:\n  a:\n    image: python:3.12\n    ${gpu}\n    command: sh -c "pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cpu"\n`;
    const lines = text.split("\n").findIndex((line) => line.includes("command")) + 1;
    expect(short(await declared("compose.yaml", text))).toEqual([`warning cpu-only-build ${lines}`]);
    expect(short(await declared("compose.yaml", text.replace(`    ${gpu}\n`, "")))).toEqual([]);
  }
});

test("what is not seen is said with its place, and is never green", async () => {
  const text = `include:
  - other.yml
services:
  torch:
    image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
    gpus: all
  a:
    image: \${IMAGE}
  b:
    build: https://github.com/a/b.git
  c:
    build: .
  d:
    image: vllm/vllm-openai:v0.6.3
    gpus: all
  e:
    extends:
      service: torch
      file: other.yml
`;
  const { check } = await declared("docker-compose.yml", text);
  expect(check.status).toBe("incomplete");
  expect(check.unknown.map(({ subject, reason }) => `${subject} ${reason}`)).toEqual([
    "docker-compose.yml:1:1 `include` takes more from elsewhere, which is not read",
    "docker-compose.yml:8:12 which image `${IMAGE}` is depends on a variable",
    "docker-compose.yml:10:12 what `https://github.com/a/b.git` builds is not known",
    "docker-compose.yml:14:12 what `vllm/vllm-openai:v0.6.3` brings is not known here",
    "docker-compose.yml:17:5 `extends` takes more from elsewhere, which is not read",
    "docker-compose.yml:12 what it brings is not known: `Dockerfile` is not there",
  ]);
});

test("packages of every service are judged or told, not only those of the first", async () => {
  const text = `services:
  a:
    image: python:3.12
    command: pip install torch==2.5.1
  b:
    image: python:3.12
    command: pip install torch==2.99.0
`;
  const { check } = await declared("docker-compose.yml", text);
  expect([check.status, check.unknown.map(({ subject }) => subject)]).toEqual(["incomplete", ["torch 2.99.0"]]);
});

test.each([
  ["a tab", "services:\n\ta: b\n", "line 2, column 1"],
  ["a bracket", "services:\n  a: [\n", "line 3, column 1"],
  ["an unknown anchor", "services:\n  a: *b\n", "line 2"],
  ["deep brackets", `services: ${"[".repeat(5000)}`, "line 1, column"],
])("%s is told with its line", async (_, text, words) => {
  await expect(declared("docker-compose.yml", text)).rejects.toThrow(`\`docker-compose.yml\` cannot be read: ${words}`);
});

test("nothing, and what anchors multiply, end soon", async () => {
  expect((await declared("docker-compose.yml", "")).check.status).toBe("nothing-to-check");
  const doubled = Array.from({ length: 30 }, (_, index) => `x${index + 1}: &x${index + 1} [*x${index}, *x${index}]`);
  const bomb = `x0: &x0 [a]\n${doubled.join("\n")}\nservices:\n  a:\n    image: python:3.12\n    command: *x30\n`;
  expect((await declared("docker-compose.yml", bomb)).check.status).toBe("nothing-to-check");
  const merged = Array.from({ length: 30 }, (_, index) => `x${index + 1}: &x${index + 1}\n  <<: [*x${index}, *x${index}]\n  k${index}: 1`);
  const answer = declared("docker-compose.yml", `x0: &x0 {a: 1}\n${merged.join("\n")}\nservices: {}\n`);
  expect((await answer).check.status).toBe("nothing-to-check");
});

test("extends: what a service takes from another one of the file, and what it has instead", async () => {
  const text = `services:
  gpu-base:
    build:
      context: .
      args:
        TORCH: torch==2.5.1
        VISION: torchvision==0.19.1
    command: pip install onnxruntime onnxruntime-gpu
  good:
    extends: gpu-base
    build:
      args:
        VISION: torchvision==0.20.1
    command: python train.py
  better:
    extends:
      service: good
`;
  const beside = { Dockerfile: "FROM python:3.11\nARG TORCH\nARG VISION\nRUN pip install $TORCH $VISION\n" };
  const answer = await declared("docker-compose.yml", text, { beside });
  expect([short(answer), answer.check.unknown, answer.check.status]).toEqual([[], [], "ok"]);
  // A service that nobody extends counts by itself, and one of another file is not seen.
  expect(short(await declared("docker-compose.yml", text.replaceAll("extends: gpu-base", "x: 1"), { beside }))).not.toEqual([]);
  const elsewhere = await declared("docker-compose.yml", text.replace("service: good", "service: good\n      file: other.yml"), { beside });
  expect(elsewhere.check.unknown.map(({ reason }) => reason)).toEqual(["`extends` takes more from elsewhere, which is not read"]);
  const itself = await declared("docker-compose.yml", "services:\n  a:\n    extends: b\n  b:\n    extends: a\n    image: python:3.11\n");
  expect(itself.check.findings).toEqual([]);
});

test("what a service takes from another file, what is included, and what .env says", async () => {
  const common =
    "services:\n  gpu:\n    build: .\n    deploy:\n      resources:\n        reservations:\n          devices:\n            - driver: nvidia\n              capabilities: [gpu]\n";
  const docker = "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN apt-get install -y python3-pip\nRUN pip install tensorflow==2.19.0\n";
  const beside = { "base/common.yml": common, "base/Dockerfile": docker };
  const found = ["error library-missing 3"];
  const extending = "services:\n  app:\n    extends:\n      file: base/common.yml\n      service: gpu\n";
  expect(short(await declared("compose.yml", extending, { beside }))).toEqual(found);
  expect(short(await declared("compose.yml", "include:\n  - base/common.yml\n", { beside }))).toEqual(found);
  expect((await declared("compose.yml", extending)).check.unknown).toMatchObject([{ subject: "compose.yml:3:5" }]);
  const told =
    "services:\n  app:\n    image: nvidia/cuda:${CUDA}-runtime-ubuntu22.04\n    command: pip install tensorflow==${TF}\n    gpus: all\n";
  const answer = await declared("compose.yml", told, { beside: { ".env": 'CUDA=12.4.1\nexport TF="2.19.0"\nAPI_KEY=sk-1\n' } });
  expect(short(answer)).toEqual(["error library-missing 4"]);
  expect((await declared("compose.yml", told)).check.status).toBe("incomplete");
  // A loop ends.
  const loop = "services:\n  app:\n    extends:\n      file: other.yml\n      service: app\n";
  const back = loop.replace("other.yml", "compose.yml");
  expect((await declared("compose.yml", loop, { beside: { "other.yml": back, "compose.yml": loop } })).check.status).toBe("incomplete");
});
