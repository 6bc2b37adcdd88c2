import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const judged = async (lines: string[], question = {}) =>
  short(await declared("Dockerfile", `${lines.join("\n")}\n`, { withPip: false, ...question }));
const pip = "RUN apt-get update && apt-get install -y --no-install-recommends python3-pip";

test("pip-refused: images without a Python", async () => {
  for (const image of ["nvidia/cuda:12.1.0-runtime-ubuntu22.04", "ubuntu:22.04", "ubuntu", "debian:bookworm-slim"]) {
    expect(await judged([`FROM ${image}`, "RUN pip install torch==2.5.1"])).toEqual(["error pip-refused 2"]);
    expect(
      await judged([`FROM ${image}`, "RUN apt-get update && apt-get install -y python3", "RUN python3 -m pip install torch==2.5.1"]),
    ).toEqual(["error pip-refused 3"]);
  }
  // What may have brought one: another package, a download, a script, a stage, a folder of programs, a PATH; and images that have one.
  for (const line of [
    "RUN apt-get update && apt-get install -y python3-pip",
    "RUN apt-get update && apt-get install -y pipx",
    "RUN apt-get install -y $PACKAGES",
    "RUN curl -sS https://bootstrap.pypa.io/get-pip.py | python3",
    "RUN ./install.sh",
    "COPY --from=python:3.11-slim /usr/local /usr/local",
    "COPY python /opt/python",
    "ENV PATH=/opt/conda/bin:$PATH",
  ])
    expect(await judged(["FROM ubuntu:22.04", line, "RUN pip install torch==2.5.1"]), line).toEqual([]);
  for (const image of [
    "python:3.11-slim",
    "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime",
    "nvcr.io/nvidia/pytorch:24.05-py3",
    "acme/base:1",
    "ubuntu:$TAG",
  ])
    expect((await judged([`FROM ${image}`, "RUN pip install einops"])).join()).not.toContain("pip-refused");
});

test("pip-refused: from Debian 12 and Ubuntu 23.04 on, apt's Python is apt's alone", async () => {
  const upon = (image: string, ...lines: string[]) => judged([`FROM ${image}`, pip, ...lines]);
  for (const image of [
    "ubuntu:24.04",
    "ubuntu:noble-20240801",
    "nvidia/cuda:12.6.3-runtime-ubuntu24.04",
    "debian:12-slim",
    "debian:trixie",
  ])
    expect(await upon(image, "RUN pip3 install torch==2.5.1"), image).toEqual(["error pip-refused 3"]);
  for (const image of ["ubuntu:22.04", "debian:11", "debian:bullseye-slim", "nvidia/cuda:12.6.3-runtime-ubuntu22.04"])
    expect(await upon(image, "RUN pip3 install torch==2.5.1"), image).toEqual([]);
  for (const lines of [
    ["RUN pip3 install --break-system-packages torch==2.5.1"],
    ["RUN PIP_BREAK_SYSTEM_PACKAGES=1 pip3 install torch==2.5.1"],
    ["ENV PIP_BREAK_SYSTEM_PACKAGES=1", "RUN pip3 install torch==2.5.1"],
    ["RUN rm /usr/lib/python3.12/EXTERNALLY-MANAGED", "RUN pip3 install torch==2.5.1"],
    ["RUN python3 -m venv /opt/venv", "ENV PATH=/opt/venv/bin:$PATH", "RUN pip install torch==2.5.1"],
    ["RUN python3 -m venv /opt/venv && . /opt/venv/bin/activate && pip install torch==2.5.1"],
    ["RUN /opt/venv/bin/pip install torch==2.5.1"],
    ["RUN pip3 install torch==2.5.1 || pip3 install --break-system-packages torch==2.5.1"],
    ["RUN pip config set global.break-system-packages true", "RUN pip install torch==2.5.1"],
  ])
    expect(await upon("ubuntu:24.04", ...lines), lines.join()).toEqual([]);
});

test("no-wheel-for-musl: Alpine has no wheels of frameworks", async () => {
  expect(await judged(["FROM python:3.11-alpine", "RUN pip install torch"])).toEqual(["error no-wheel-for-musl 2"]);
  expect(await judged(["FROM python:3.12-alpine3.20", "RUN pip install numpy tensorflow==2.18.0"])).toEqual(["error no-wheel-for-musl 2"]);
  expect(await judged(["FROM alpine:3.20", "RUN apk add py3-pip", "RUN pip install onnxruntime-gpu==1.20.0"])).toEqual([
    "error no-wheel-for-musl 3",
  ]);
  for (const lines of [
    ["FROM python:3.11-alpine", "RUN pip install numpy"],
    ["FROM python:3.11-slim", "RUN pip install torch==2.5.1"],
    ["FROM python:3.11-alpine", "RUN pip install --index-url https://wheels.example.org/musl torch"],
  ])
    expect((await judged(lines)).join()).not.toContain("no-wheel-for-musl");
});
