import { expect, test } from "vitest";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { declared, short } from "./declared.ts";

const python = "RUN apt-get update && apt-get install -y python3 python3-pip\n";
const cuda = (tag: string, ...lines: string[]) => `FROM nvidia/cuda:${tag}\n${python}${lines.map((line) => `${line}\n`).join("")}`;
const judged = async (text: string, request: Parameters<typeof declared>[2] = {}) => short(await declared("Dockerfile", text, request));
const loud = async (text: string, request: Parameters<typeof declared>[2] = {}) =>
  (await judged(text, request)).filter((line) => !line.startsWith("info"));

test("library-missing: TensorFlow upon another CUDA, upon a base image, upon images without CUDA", async () => {
  const list = { beside: { "requirements.txt": "tensorflow\n" } };
  const old = await declared("Dockerfile", cuda("10.0-cudnn7-runtime-ubuntu18.04", "RUN pip3 install tensorflow==2.6.0"));
  expect(old.check.findings[0]).toMatchObject({ rule: "library-missing", severity: "error", place: { line: 3 } });
  expect(old.check.findings[0]!.advice[0]!.words).toBe(
    "take a base image for CUDA 11.2 with cuDNN 8: nvidia/cuda:11.2.2-cudnn8-runtime-ubuntu18.04",
  );
  expect(
    await loud(`FROM nvidia/cuda:10.0-cudnn7-devel-ubuntu18.04\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n`, list),
  ).toEqual(["error library-missing 1"]);
  expect(await loud(cuda("12.5.1-base-ubuntu22.04", "RUN pip3 install tensorflow==2.18.0"))).toEqual(["error library-missing 3"]);
  // libcusolver.so.10 is of CUDA 11.0 only.
  expect(await loud(cuda("11.2.2-cudnn8-runtime-ubuntu20.04", "RUN pip3 install tensorflow==2.4.0"))).toEqual(["error library-missing 3"]);
  expect(await loud(cuda("11.0.3-cudnn8-devel-ubuntu20.04", "RUN pip3 install tensorflow==2.4.0"))).toEqual([]);
  expect(await loud(cuda("12.6.3-cudnn-runtime-ubuntu22.04", "RUN pip3 install tensorflow==2.18.0"))).toEqual([]);
});

test("library-missing: in an image without CUDA, where something shows that a GPU is meant", async () => {
  const plain = "FROM python:3.11-slim\nRUN pip install tensorflow==2.17.0 'numpy<2'\n";
  expect(await judged(plain)).toEqual([]);
  expect(await judged(plain, { gpus: ["L4"] })).toEqual(["error library-missing 2"]);
  expect(await judged(plain.replace("RUN", "ENV NVIDIA_VISIBLE_DEVICES=all\nRUN"))).toEqual(["error library-missing 3"]);
  expect(await judged(plain.replace("RUN", "ENV NVIDIA_VISIBLE_DEVICES=void\nRUN"))).toEqual(["info gpus-hidden 2"]);
  expect(await judged(plain.replace("tensorflow==", "tensorflow[and-cuda]=="), { gpus: ["L4"] })).toEqual([]);
  const answer = await declared("Dockerfile", plain, { gpus: ["L4"] });
  expect(answer.check.findings[0]!.because).toEqual([
    "the base image python:3.11-slim has nothing of CUDA",
    "`tensorflow==2.17.0` at Dockerfile:2",
    "a GPU is asked about: L4",
    "TensorFlow then goes on without the GPU, and says so in one line",
  ]);
  expect(adviceLine(answer.check.findings[0]!.advice[0]!)).toContain("pip install 'tensorflow[and-cuda]==2.17.0'");
});

test("library-wrong-version: the cuDNN of an image is of an older minor than TensorFlow takes", async () => {
  const answer = await declared("Dockerfile", cuda("12.4.1-cudnn-devel-ubuntu22.04", "RUN pip3 install tensorflow==2.18.0"));
  expect(short(answer)).toEqual(["error library-wrong-version 3"]);
  expect(answer.check.findings[0]!.message).toBe(
    "tensorflow 2.18.0 is built for cuDNN 9.3, and nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04 has the older 9.1.0",
  );
  expect(await loud(`FROM nvidia/cuda:11.4.3-cudnn8-devel-ubuntu20.04\nRUN pip3 install\\\n tensorflow==2.12.0\n`)).toEqual([
    "error library-wrong-version 3",
  ]);
  expect(await loud(cuda("11.8.0-cudnn8-devel-ubuntu22.04", "RUN pip3 install tensorflow==2.12.0"))).toEqual([]);
  expect(await loud(cuda("12.4.1-cudnn-devel-ubuntu22.04", "RUN pip3 install 'tensorflow[and-cuda]==2.18.0'"))).toEqual([]);
  expect(await loud(cuda("12.4.1-cudnn-devel-ubuntu22.04", "RUN pip3 install torch==2.5.1"))).toEqual([]);
});

test("cupti-missing: the name of TensorFlow's own CUDA is not in a runtime image", async () => {
  const answer = await declared(
    "Dockerfile",
    cuda("11.4.3-cudnn8-runtime-ubuntu20.04", 'RUN pip3 install "protobuf<3.20" tensorflow==2.8.0'),
  );
  expect(short(answer)).toEqual(["warning cupti-missing 3"]);
  expect(answer.check.findings[0]).toMatchObject({
    cause: "library-missing",
    endangers: [{ framework: "tensorflow", activity: "profile" }],
    message: expect.stringContaining("libcupti.so.11.2"),
  });
  expect(answer.check.findings[0]!.advice.map(({ words, command }) => command?.join(" ") ?? words)).toEqual([
    "apt-get install -y cuda-cupti-11-2",
    "and let it be found: ENV LD_LIBRARY_PATH=/usr/local/cuda-11.2/extras/CUPTI/lib64:$LD_LIBRARY_PATH",
    "or take the base image nvidia/cuda:11.2.2-cudnn8-devel-ubuntu20.04, which has it",
  ]);
  const with8 = (...lines: string[]) =>
    cuda("11.4.3-cudnn8-runtime-ubuntu20.04", 'RUN pip3 install "protobuf<3.20" tensorflow==2.8.0', ...lines);
  // The own release of the image does not answer to the name; the one that is advised does.
  expect(await loud(with8("RUN apt-get install -y cuda-cupti-11-4"))).toEqual(["warning cupti-missing 3"]);
  for (const fixed of [
    with8("RUN apt-get install -y cuda-cupti-11-2"),
    with8("RUN apt-get install -y cuda-command-line-tools-11-4"),
    cuda("11.4.3-cudnn8-devel-ubuntu20.04", 'RUN pip3 install "protobuf<3.20" tensorflow==2.8.0'),
    cuda("11.2.2-cudnn8-devel-ubuntu20.04", 'RUN pip3 install "protobuf<3.20" tensorflow==2.8.0'),
    cuda("11.4.3-cudnn8-runtime-ubuntu20.04", "RUN pip3 install torch==1.13.1"),
  ])
    expect(await loud(fixed)).toEqual([]);
  // NVIDIA's repository for Ubuntu 22.04 begins with CUDA 11.7.
  const late = await declared("Dockerfile", cuda("11.8.0-cudnn8-runtime-ubuntu22.04", "RUN pip3 install tensorflow==2.10.0"));
  expect(late.check.findings[0]!.advice[0]!.words).toBe("take a base image of CUDA 11.2 with `devel` in its tag");
});

test("cupti-missing: where only the package is left out, it is a note, unless a profiler is installed", async () => {
  const image = (more: string) => cuda("12.2.2-cudnn8-runtime-ubuntu22.04", `RUN pip3 install tensorflow==2.15.0${more}`);
  expect(await judged(image(""))).toEqual(["info cupti-missing 3"]);
  expect(await judged(image(" tensorboard-plugin-profile==2.15.0"))).toEqual(["warning cupti-missing 3"]);
  expect(await judged(`${image(" tensorboard-plugin-profile==2.15.0")}RUN apt-get install -y cuda-cupti-12-2\n`)).toEqual([]);
});

const builder = (from: string) => `FROM ${from} AS builder\nRUN python3 -m venv /venv\nRUN /venv/bin/pip install tensorflow==2.19.0\n`;

test("stages: what was removed before it is copied is not there", async () => {
  const stages = (last: string) =>
    `FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04 AS b\n${python}RUN python3 -m venv /venv && /venv/bin/pip install onnxruntime${last} && /venv/bin/pip install onnxruntime-gpu==1.20.0\nFROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04\nCOPY --from=b /venv /venv\n`;
  expect(await loud(stages(""))).toEqual(["error packages-overwrite-each-other 3"]);
  expect(await loud(stages(" && /venv/bin/pip uninstall -y onnxruntime"))).toEqual([]);
});

test("stages: an environment in the folder that is worked in is copied along with it", async () => {
  const stages = (venv: string, to: string) =>
    `FROM nvidia/cuda:12.5.1-cudnn-devel-ubuntu22.04 AS b\nWORKDIR /app\nRUN ${venv} && ${to}/bin/pip install tensorflow==2.18.0\nFROM ubuntu:22.04\nENV NVIDIA_VISIBLE_DEVICES=all\nCOPY --from=b /app /app\n`;
  for (const text of [stages("python3 -m venv env", "./env"), stages("uv venv", ".venv"), stages("virtualenv -p python3 /app/x", "/app/x")])
    expect(await loud(text)).toEqual(["error library-missing 3"]);
});

test("an image that nothing is known of, with a framework in its name, is told", async () => {
  const told = async (image: string) =>
    (await declared("Dockerfile", `FROM ${image}\nRUN pip install tensorboard\n`)).check.unknown.map(({ subject }) => subject);
  for (const image of ["ghcr.io/nvidia/jax:equinox-2026-03-12", "rocm/pytorch:latest", "acme/base-cuda:3"])
    expect(await told(image)).toEqual([image]);
  for (const image of ["acme/base:3", "acme/pytorch-cpu:3", "nvidia/opengl:1.2-glvnd-runtime-ubuntu20.04", "python:3.11"])
    expect(await told(image)).toEqual([]);
});

test("stages: what is copied keeps its packages and loses the libraries below them", async () => {
  const lost = `${builder("nvidia/cuda:12.6.3-cudnn-devel-ubuntu22.04")}FROM debian:12-slim\nCOPY --from=builder /venv /venv\n`;
  const answer = await declared("Dockerfile", lost);
  expect(short(answer)).toEqual(["error library-missing 3"]);
  expect(answer.check.findings[0]!.because).toContain(
    "what is copied here was installed in a stage upon nvidia/cuda:12.6.3-cudnn-devel-ubuntu22.04",
  );
  expect(await loud(lost.replace("FROM debian:12-slim", "FROM nvidia/cuda:12.6.3-base-ubuntu22.04"))).toEqual(["error library-missing 3"]);
  expect(await loud(lost.replace("FROM debian:12-slim", "FROM nvidia/cuda:12.6.3-cudnn-runtime-ubuntu22.04"))).toEqual([]);
  // The libraries are copied, too, or the stage is gone on with.
  expect(await judged(`${lost}COPY --from=builder /usr/local/cuda /usr/local/cuda\n`)).toEqual([]);
  expect(await loud(`${builder("nvidia/cuda:12.6.3-cudnn-devel-ubuntu22.04")}FROM builder AS final\nCMD x\n`)).toEqual([]);
  // Programs that are copied beside bring no libraries.
  expect(await loud(`${lost}COPY --from=builder /usr/local/bin /usr/local/bin\n`)).toEqual(["error library-missing 3"]);
  // Upon an image without CUDA nobody meant a GPU.
  expect(await loud(`${builder("python:3.11")}FROM debian:12-slim\nCOPY --from=builder /venv /venv\n`)).toEqual([]);
  // A stage that the last one takes nothing from is another image.
  expect(await judged(`${builder("nvidia/cuda:12.6.3-base-ubuntu22.04")}FROM debian:12-slim\nCOPY . /app\n`)).toEqual([]);
});

test("stages: arguments, the platform, a folder beside, an environment within what is copied", async () => {
  const lines = (target: string) =>
    [
      "ARG TARGETARCH",
      "ARG CUDA=12.6.3",
      "FROM nvidia/cuda:${CUDA}-cudnn-devel-ubuntu22.04 AS base-amd64",
      "FROM base-${TARGETARCH} AS build",
      target,
      "FROM nvidia/cuda:${CUDA}-base-ubuntu22.04",
    ].join("\n");
  expect(await loud(`${lines("RUN pip install --prefix=/install tensorflow==2.19.0")}\nCOPY --from=build /install /usr/local\n`)).toEqual([
    "error library-missing 5",
  ]);
  expect(
    await loud(`${lines("RUN python3 -m venv /app/env && /app/env/bin/pip install tensorflow==2.19.0")}\nCOPY --from=build /app /app\n`),
  ).toEqual(["error library-missing 5"]);
  expect(await loud(`${lines("RUN pip install --target=/elsewhere tensorflow==2.19.0")}\nCOPY --from=build /bin/tool /bin/tool\n`)).toEqual(
    [],
  );
});

test("compiler-missing: nvcc in images that have none, by the setup of what is compiled", async () => {
  const torch = "RUN pip3 install torch==2.5.1";
  const flash = "RUN pip3 install flash-attn==2.7.4.post1 --no-build-isolation";
  const answer = await declared("Dockerfile", cuda("12.4.1-cudnn-runtime-ubuntu22.04", torch, flash));
  expect(short(answer)).toEqual(["error compiler-missing 4"]);
  expect(answer.check.findings[0]!.advice[0]!.words).toContain("nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04");
  for (const healthy of [
    cuda("12.4.1-cudnn-devel-ubuntu22.04", torch, flash),
    cuda("12.4.1-cudnn-runtime-ubuntu22.04", "RUN apt-get install -y cuda-nvcc-12-4 cuda-cudart-dev-12-4", torch, flash),
    cuda(
      "12.4.1-cudnn-runtime-ubuntu22.04",
      torch,
      "RUN FLASH_ATTENTION_SKIP_CUDA_BUILD=TRUE pip3 install flash-attn --no-build-isolation",
    ),
    cuda(
      "12.4.1-cudnn-runtime-ubuntu22.04",
      torch,
      "RUN pip3 install https://github.com/Dao-AILab/flash-attention/releases/download/v2.7.4/flash_attn-2.7.4+cu12torch2.5-cp310-cp310-linux_x86_64.whl",
    ),
    // Without the folder of a toolkit it takes a wheel of its own releases.
    "FROM python:3.11\nRUN pip install torch==2.5.1\nRUN pip install flash-attn --no-build-isolation\n",
    "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime\nRUN pip install flash-attn --no-build-isolation\n",
    "FROM nvcr.io/nvidia/pytorch:24.10-py3\nRUN pip install flash-attn --no-build-isolation\n",
    cuda("12.4.1-runtime-ubuntu22.04", torch, "RUN pip3 install torch-scatter -f https://data.pyg.org/whl/torch-2.5.0+cu124.html"),
    cuda("12.4.1-runtime-ubuntu22.04", torch, "RUN pip3 install deepspeed==0.15.4"),
  ])
    expect(await loud(healthy), healthy).toEqual([]);
  expect(await loud(cuda("12.4.1-runtime-ubuntu22.04", torch, "RUN DS_BUILD_OPS=1 pip3 install deepspeed==0.15.4"))).toEqual([
    "warning compiler-missing 4",
  ]);
  const detectron = "pip3 install git+https://github.com/facebookresearch/detectron2.git@v0.6";
  expect(await loud(cuda("12.4.1-runtime-ubuntu22.04", torch, "ENV FORCE_CUDA=1", `RUN ${detectron}`))).toEqual([
    "error compiler-missing 5",
  ]);
  expect(await loud(cuda("12.4.1-devel-ubuntu22.04", torch, "ENV FORCE_CUDA=1", `RUN ${detectron}`))).toEqual([]);
  const tcnn = "RUN pip install 'git+https://github.com/NVlabs/tiny-cuda-nn/#subdirectory=bindings/torch'";
  expect(await loud(`FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime\n${tcnn}\n`)).toEqual(["error compiler-missing 2"]);
  expect(await loud(`FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n${tcnn}\n`)).toEqual([]);
});

test("compiler-missing: a stage that only builds is judged upon its own image, and what it built is not judged again", async () => {
  const stages = (flavour: string) =>
    [
      `FROM nvidia/cuda:12.4.1-${flavour}-ubuntu22.04 AS build`,
      "RUN apt-get update && apt-get install -y python3 python3-venv",
      "RUN python3 -m venv /venv && /venv/bin/pip install torch==2.5.1",
      "RUN /venv/bin/pip install flash-attn==2.7.4.post1 --no-build-isolation",
      "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04",
      "COPY --from=build /venv /venv",
    ].join("\n");
  expect(await loud(stages("devel"))).toEqual([]);
  expect(await loud(stages("runtime"))).toEqual(["error compiler-missing 4"]);
});

test("compiler-missing: torch that is not there yet when the setup imports it", async () => {
  const image = (...lines: string[]) => cuda("12.4.1-cudnn-devel-ubuntu22.04", ...lines);
  const together = await declared("Dockerfile", image("RUN pip3 install torch==2.5.1 flash-attn==2.7.4.post1"));
  expect(short(together)).toEqual(["error compiler-missing 3"]);
  expect(together.check.findings[0]).toMatchObject({
    cause: "package-conflict",
    message: expect.stringContaining("the same command asks for"),
  });
  expect(await loud(image("RUN pip3 install packaging ninja", "RUN pip3 install flash-attn --no-build-isolation"))).toEqual([
    "error compiler-missing 4",
  ]);
  expect(
    await loud(
      image("RUN pip3 install -U pip setuptools", "RUN pip3 install torch==2.5.1", "RUN pip3 install flash-attn --no-build-isolation"),
    ),
  ).toEqual([]);
  // A project of one's own may bring it; what is not read may, too.
  expect(await loud(image("RUN pip3 install -e .", "RUN pip3 install flash-attn --no-build-isolation"))).toEqual([]);
  expect(await loud(image("RUN ./install.sh", "RUN pip3 install flash-attn --no-build-isolation"))).toEqual([]);
});

test.each([
  ["nvidia-driver-560", "warning"],
  ["nvidia-utils-535", "warning"],
  ["libnvidia-compute-550", "warning"],
  ["cuda-drivers", "warning"],
  ["cuda", "warning"],
  ["cuda-12-4", "warning"],
  ["cuda-runtime-12-4", "warning"],
  ["cuda-toolkit-12-4", ""],
  ["cuda-libraries-12-4", ""],
  ["cuda-compat-12-4", ""],
  ["cuda-nvcc-12-4", ""],
  ["cuda-keyring", ""],
  ["nvidia-container-toolkit", ""],
  ["nvidia-cuda-toolkit", ""],
  ["libnvidia-ml-dev", ""],
  ["nvidia-cuda-dev", ""],
])("driver-in-image: apt-get install %s", async (name, severity) => {
  expect(await judged(`FROM ubuntu:22.04\nRUN apt-get update\nRUN apt-get install -y ${name}\n`)).toEqual(
    severity === "" ? [] : [`${severity} driver-in-image 3`],
  );
});

test("driver-in-image: not in a stage that only builds, and not on a machine of a workflow", async () => {
  const text = "FROM ubuntu:22.04 AS build\nRUN apt-get install -y cuda-12-4\nFROM ubuntu:22.04\nCOPY --from=build /app /app\n";
  expect(await judged(text)).toEqual([]);
  const answer = await declared("Dockerfile", "FROM ubuntu:22.04\nRUN apt-get install -y cuda-12-4\n");
  expect(short(answer)).toEqual(["warning driver-in-image 2"]);
  expect(answer.check.findings[0]!.advice[0]!.words).toBe("take cuda-toolkit-12-4 in the place of cuda-12-4: it brings no driver");
  const workflow = "on: push\njobs:\n  a:\n    runs-on: ubuntu-22.04\n    steps:\n      - run: sudo apt-get install -y nvidia-driver-560\n";
  expect(short(await declared(".github/workflows/a.yml", workflow))).toEqual([]);
});

test("toolkit-folder-absent: a CUDA that the image does not have, and what the value loses", async () => {
  const path = (value: string) => cuda("11.8.0-cudnn8-devel-ubuntu22.04", `ENV LD_LIBRARY_PATH=${value}`);
  const answer = await declared("Dockerfile", path("/usr/local/cuda-11.2/lib64:$LD_LIBRARY_PATH"));
  expect(short(answer)).toEqual(["warning toolkit-folder-absent 3"]);
  expect(answer.check.findings[0]!.because).toHaveLength(1);
  const replaced = await declared("Dockerfile", path("/usr/local/cuda-11.2/lib64"));
  expect(replaced.check.findings[0]!.because[1]).toContain("/usr/local/nvidia/lib");
  expect(await judged(path("/usr/local/cuda/lib64"))).toEqual([]);
  expect(await judged(path("/usr/local/cuda/lib64:${LD_LIBRARY_PATH}"))).toEqual([]);
  expect(await judged(path("/usr/local/cuda-11.8/lib64:/usr/local/nvidia/lib64"))).toEqual([]);
  expect(
    await loud(
      cuda("11.8.0-devel-ubuntu22.04", "RUN apt-get install -y cuda-toolkit-11-2", "ENV LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64"),
    ),
  ).toEqual([]);
});

test("library-shadowed: LD_LIBRARY_PATH puts the cuDNN of the image before the wheel's", async () => {
  const path = (tag: string, torch: string) =>
    cuda(tag, "ENV LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu:$LD_LIBRARY_PATH", `RUN pip3 install torch==${torch}`);
  expect(await loud(path("12.4.1-cudnn-runtime-ubuntu22.04", "2.8.0"))).toEqual(["error library-shadowed 3"]);
  expect(await loud(path("12.4.1-cudnn-runtime-ubuntu22.04", "2.5.1"))).toEqual([]);
  expect(await loud(path("12.4.1-runtime-ubuntu22.04", "2.8.0"))).toEqual([]);
});

test("a Dockerfile of many lines, and one that copies the same again and again, take no longer than their lines", async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `RUN pip install package-${index}`).join("\n");
  expect(await loud(`FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\n${many}\n`)).toEqual([]);
  const copies = "COPY --from=0 /venv /venv\n".repeat(3000);
  expect(await loud(`FROM python:3.11\n${many}\nFROM python:3.11\n${copies}`)).toEqual([]);
  expect(await loud(`FROM python:3.11\nRUN ${"venv ".repeat(50_000)}\n`)).toEqual([]);
});

// Which torchmetrics, and so which torch, Lightning 1.5 gets depends on the Python of the image, which nobody knows.
test("what rests on a release that others bring is likely where the Python is not told", async () => {
  const dockerfile = (base: string) =>
    `FROM ${base}\nRUN pip install torch==1.12.1 torchvision==0.13.1 "numpy<2"\nRUN pip install pytorch_lightning==1.5.9\n`;
  const certainties = async (base: string) =>
    (await declared("Dockerfile", dockerfile(base))).check.findings
      .filter(({ rule }) => rule === "pins-not-met")
      .map((each) => each.certainty);
  expect(await certainties("rayproject/ray:nightly-gpu")).toEqual(["likely"]);
  expect(await certainties("python:3.10")).toEqual(["certain"]);
  expect(await certainties("python:3.8")).toEqual([]);
});

test("compiler-missing: nvcc by hand, and builds that are told to use CUDA", async () => {
  const loud = async (text: string) => short(await declared("Dockerfile", text));
  const upon = (flavour: string, line: string) => `FROM nvidia/cuda:12.4.1-${flavour}-ubuntu22.04\n${line}\n`;
  const lines = [
    "RUN nvcc -o /k /k.cu",
    "RUN cd x && /usr/local/cuda/bin/nvcc -O3 -c kernel.cu",
    "RUN cmake -B build -DGGML_CUDA=ON && cmake --build build",
    "RUN make LLAMA_CUBLAS=1",
    'RUN CMAKE_ARGS="-DGGML_CUDA=on -DGGML_AVX2=on" pip install llama-cpp-python',
  ];
  for (const line of lines) {
    expect(await loud(upon("runtime", line)), line).toEqual(["error compiler-missing 2"]);
    expect(await loud(upon("devel", line)), line).toEqual([]);
    expect(await loud(`FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN apt-get install -y cuda-nvcc-12-4\n${line}\n`), line).toEqual([]);
  }
  for (const line of ["RUN nvcc --version || true", "RUN cmake -B build", "RUN make GGML_CUDA=0", "RUN pip install llama-cpp-python"])
    expect(await loud(upon("runtime", line)), line).toEqual([]);
});

test("compiler-missing: what imports torch to be built, in one list with torch", async () => {
  expect(short(await declared("requirements.txt", "torch==2.5.1\nflash-attn==2.7.4.post1\n"))).toEqual(["warning compiler-missing 2"]);
  expect(short(await declared("requirements.txt", "flash-attn==2.7.4.post1\n"))).toEqual([]);
  const wheel =
    "https://github.com/Dao-AILab/flash-attention/releases/download/v2.7.4.post1/flash_attn-2.7.4.post1+cu12torch2.5cxx11abiFALSE-cp311-cp311-linux_x86_64.whl";
  expect(short(await declared("requirements.txt", `torch==2.5.1\n${wheel}\n`))).toEqual([]);
});

test("library-missing: another TensorFlow upon an image of TensorFlow that has the CUDA of its own", async () => {
  const upon = async (tag: string, asked: string) =>
    short(await declared("Dockerfile", `FROM tensorflow/tensorflow:${tag}\nRUN pip install ${asked}\n`));
  expect(await upon("2.14.0-gpu", "tensorflow==2.17.0")).toContain("error library-missing 2");
  expect(await upon("2.8.0-gpu", "tensorflow==2.10.0")).toEqual([]);
  expect(await upon("2.14.0-gpu", "'tensorflow[and-cuda]==2.17.0'")).toEqual([]);
  expect(await upon("2.14.0-gpu", "requests")).toEqual([]);
});

test("cpu-only-build: an image that is for machines without a GPU, where one is asked about or for", async () => {
  const image = (name: string) => `FROM ${name}\nRUN pip install requests\n`;
  const names = [
    "tensorflow/tensorflow:2.14.0",
    "tensorflow/tensorflow:2.14.0-jupyter",
    "pytorch/torchserve:0.9.0-cpu",
    "huggingface/transformers-pytorch-cpu:4.29.1",
  ];
  for (const name of names) {
    expect(short(await declared("Dockerfile", image(name), { gpus: ["L4"] })), name).toEqual(["warning cpu-only-build 1"]);
    expect(short(await declared("Dockerfile", image(name))), name).toEqual([]);
  }
  for (const name of ["tensorflow/tensorflow:2.14.0-gpu", "pytorch/torchserve:0.9.0-gpu", "example/cpuinfo:1"])
    expect(short(await declared("Dockerfile", image(name), { gpus: ["L4"] })), name).toEqual([]);
  const service =
    "services:\n  a:\n    image: tensorflow/tensorflow:2.14.0\n    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}\n";
  expect(short(await declared("compose.yaml", service))).toEqual(["warning cpu-only-build 3"]);
  const { check } = await declared("Dockerfile", image("tensorflow/tensorflow:2.14.0-jupyter"), { gpus: ["L4"] });
  expect(check.findings[0]!.advice[0]!.words).toBe("take tensorflow/tensorflow:2.14.0-gpu-jupyter");
});

test("stub-driver: a stub under the name of the driver's library, unless it is taken away again", async () => {
  const image = (...lines: string[]) => ["FROM nvidia/cuda:12.4.1-devel-ubuntu22.04", ...lines].join("\n");
  const stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
  const found = async (...lines: string[]) => short(await declared("Dockerfile", image(...lines)));
  expect(await found(`RUN ln -s ${stub} /usr/local/cuda/lib64/libcuda.so.1`)).toEqual(["error stub-driver 2"]);
  expect(await found(`RUN cp ${stub} /usr/lib/x86_64-linux-gnu/libcuda.so.1`)).toEqual(["error stub-driver 2"]);
  expect(await found(`RUN ln -sf ${stub} /usr/lib/x86_64-linux-gnu/libcuda.so.1 && ldconfig`)).toEqual(["warning stub-driver 2"]);
  expect(await found(`RUN ln -s ${stub} ${stub}.1`)).toEqual([]);
  expect(await found(`RUN ln -s ${stub} /usr/local/cuda/lib64/libcuda.so.1 && make && rm /usr/local/cuda/lib64/libcuda.so.1`)).toEqual([]);
});

test("a list that lies in a folder which is copied is found in that folder", async () => {
  const beside = { "src/requirements.txt": "torch==2.4.0\ntorchvision==0.20.0\n" };
  for (const lines of [
    "COPY src/ /app/\nRUN pip install -r /app/requirements.txt",
    "WORKDIR /app\nCOPY src .\nRUN pip install -r requirements.txt",
  ])
    expect(short(await declared("Dockerfile", `FROM python:3.11\n${lines}\n`, { beside })), lines).toEqual(["error requirements-clash 2"]);
});

test("library-missing: whoever records profiles, or compiles, is led to an image that can do that, too", async () => {
  const advised = async (tag: string, what: string) => {
    const { check } = await declared("Dockerfile", cuda(tag, `RUN pip3 install ${what}`));
    return /nvidia\/cuda:(\S+)$/.exec(check.findings.find(({ rule }) => rule === "library-missing")?.advice[0]?.words ?? "")?.[1];
  };
  expect(await advised("12.0.0-runtime-ubuntu20.04", "tensorflow==2.4.1")).toBe("11.0.3-cudnn8-runtime-ubuntu20.04");
  expect(await advised("12.0.0-devel-ubuntu20.04", "tensorflow==2.4.1")).toBe("11.0.3-cudnn8-devel-ubuntu20.04");
  const profiled = await advised("12.0.0-runtime-ubuntu20.04", "tensorflow==2.4.1 tensorboard-plugin-profile");
  expect(profiled).toBe("11.0.3-cudnn8-devel-ubuntu20.04");
  expect(await loud(cuda(profiled!, "RUN pip3 install tensorflow==2.4.1 tensorboard-plugin-profile"))).toEqual([]);
});

test("a list that COPY brings under another name is read", async () => {
  const lines = "COPY requirements/cuda.txt /opt/src/requirements.txt\nRUN pip install -r /opt/src/requirements.txt\n";
  const answer = await declared("Dockerfile", `FROM python:3.12-slim\n${lines}`, {
    beside: { "requirements/cuda.txt": "torch==1.13.1\n", "requirements.txt": "torch==2.6.0\n" },
  });
  expect(short(answer)).toEqual(["error no-wheel-for-python 1"]);
});
