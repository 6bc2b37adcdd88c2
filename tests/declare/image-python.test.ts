import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const python = async (text: string, request: Parameters<typeof declared>[2] = {}) =>
  (await declared("Dockerfile", text, request)).predicted.python;
const upon = (tag: string, ...lines: string[]) => `FROM nvidia/cuda:${tag}\n${lines.map((line) => `RUN ${line}\n`).join("")}`;
const focal = (...lines: string[]) => upon("11.3.1-cudnn8-devel-ubuntu20.04", ...lines, "pip install torch==1.10.1");
const jammy = (...lines: string[]) => upon("12.4.1-devel-ubuntu22.04", ...lines, "pip install torch==2.4.1");

test("the Python of an image is the one that apt names, or that its packages need", async () => {
  expect(await python(focal("apt-get install -y python3.8 python3.8-dev"))).toBe("3.8");
  expect(await python(focal("apt-get install -y software-properties-common python3-pip"))).toBe("3.8");
  expect(await python(focal("add-apt-repository ppa:deadsnakes/ppa", "apt-get install -y python3.9 python3.9-venv"))).toBe("3.9");
  const argument = (line: string) =>
    `FROM nvidia/cuda:11.3.1-devel-ubuntu20.04\n${line}\nRUN apt-get install -y python\${PYTHON_VERSION}\n`;
  expect(await python(argument("ARG PYTHON_VERSION=3.9"))).toBe("3.9");
  // An argument without a value, a copied system, images that have a Python of their own.
  expect(await python(`${argument("ARG PYTHON_VERSION")}RUN apt-get install -y python3-pip\n`)).toBeUndefined();
  expect(await python("FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel\nRUN apt-get install -y python3.8\n")).toBeUndefined();
  expect(await python("FROM mine/base:1\nRUN apt-get install -y python3.8\n")).toBeUndefined();
  expect(await python("FROM debian:12\nRUN apt-get install -y python3-pip\n")).toBeUndefined();
});

test("of two Pythons it is the one that commands mean, or either", async () => {
  const both = "apt-get install -y python3-pip python3.11 python3.11-dev";
  expect(await python(jammy(both))).toBeUndefined();
  expect(await python(jammy(both), { python: "3.12" })).toBe("3.12");
  for (const choice of [
    "update-alternatives --install /usr/bin/python3 python3 /usr/bin/python3.11 1",
    "ln -sf /usr/bin/python3.11 /usr/bin/python",
    "python3.11 -m pip install --upgrade pip",
    "curl -sS https://bootstrap.pypa.io/get-pip.py | python3.11",
    "python3.11 -m venv /venv",
    "pip3.11 install wheel",
    "virtualenv -p python3.11 /venv",
    "uv venv --python 3.11",
    "uv pip install --python=/usr/bin/python3.11 wheel",
    "pyenv global 3.11.4",
    "conda create -n x python=3.11",
    "wget https://repo.anaconda.com/miniconda/Miniconda3-py311_24.1.2-0-Linux-x86_64.sh -O x.sh",
  ])
    expect(await python(jammy(both, choice)), choice).toBe("3.11");
  // Neither has a wheel of torch 1.10 for it: 3.10 and 3.11 came later.
  const neither = await declared("Dockerfile", jammy(both).replace("torch==2.4.1", "torch==1.10.1"));
  expect(short(neither).filter((line) => line.startsWith("error"))).not.toEqual([]);
  // 3.10 has one.
  expect(short(await declared("Dockerfile", jammy(both).replace("torch==2.4.1", "torch==1.12.1+cu113 -f x")))).toEqual([]);
});

test("an installer of conda brings a Python that nobody can name, unless its own name does", async () => {
  const apt = "apt-get install -y python3-pip wget";
  expect(await python(jammy(apt))).toBe("3.10");
  const installer = (name: string) => `wget -q https://repo.anaconda.com/miniconda/${name}-Linux-x86_64.sh -O x.sh && bash x.sh -b`;
  expect(await python(jammy(apt, installer("Miniconda3-latest")))).toBeUndefined();
  expect(await python(jammy(apt, installer("Miniconda3-py38_4.10.3")))).toBe("3.8");
  expect(await python(jammy(apt, "ln -s /usr/bin/gcc-11 /usr/bin/gcc", "bash x.sh"))).toBe("3.10");
});

test("old pins upon the old Python of their image are not judged by what newer Pythons get", async () => {
  const lines = (install: string) => `ARG PYTHON_VERSION=3.8
ARG CUDA_DOCKER_VERSION=11.3.1-devel-ubuntu20.04
FROM nvidia/cuda:\${CUDA_DOCKER_VERSION}
ARG PYTHON_VERSION
RUN apt-get update && apt-get install -y software-properties-common ${install}
RUN ln -s /usr/bin/python\${PYTHON_VERSION} /usr/bin/python
RUN wget https://bootstrap.pypa.io/get-pip.py && python get-pip.py
RUN pip install --no-cache-dir torch==1.10.1 torchvision==0.11.2
RUN pip install pytorch_lightning==1.5.9
`;
  expect(short(await declared("Dockerfile", lines("python${PYTHON_VERSION} python${PYTHON_VERSION}-dev")))).toEqual([]);
  // Where pip takes what a newer Python gets, torch is replaced.
  const newer = lines("python${PYTHON_VERSION}").replace("PYTHON_VERSION=3.8", "PYTHON_VERSION=3.9");
  expect(short(await declared("Dockerfile", newer)).filter((line) => line.endsWith(" 9"))).not.toEqual([]);
});
