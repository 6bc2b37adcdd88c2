import { DockerfileParser } from "dockerfile-ast";
import { expect, test } from "vitest";
import { instructionsOf } from "../../packages/core/src/dependency-files/formats/dockerfile.ts";
import { poetrySpecifier } from "../../packages/core/src/dependency-files/poetry-spec.ts";
import { recognise } from "../../packages/core/src/dependency-files/recognise.ts";
import { asked, declared, notebook, short } from "./declared.ts";

test.each([
  ["requirements.txt", "torch\n", "requirements"],
  ["requirements/gpu.in", "torch\n", "requirements"],
  ["constraints.txt", "torch==2.4.1\n", "requirements"],
  ["requirements.txt", "_libgcc_mutex=0.1=main\npytorch=1.4.0=py3.7_cuda10.1_0\n", "conda-explicit"],
  ["spec-file.txt", "# platform: linux-64\n@EXPLICIT\nhttps://conda.anaconda.org/x/linux-64/python-3.11.4-0.conda\n", "conda-explicit"],
  ["pyproject.toml", "[project]\n", "pyproject"],
  ["uv.lock", "version = 1\n", "uv-lock"],
  ["poetry.lock", "", "poetry-lock"],
  ["pdm.lock", "", "pdm-lock"],
  ["backend.lock", '[metadata]\nlock_version = "4.5.0"\n\n[[package]]\n', "pdm-lock"],
  ["pylock.toml", "", "pylock"],
  ["pylock.gpu.toml", "", "pylock"],
  ["Pipfile", "", "pipfile"],
  ["Pipfile.lock", "{}", "pipfile-lock"],
  ["environment.yml", "name: x\ndependencies:\n - python\n", "conda-environment"],
  ["gpu.yaml", "dependencies:\n - python\n", "conda-environment"],
  ["conda-lock.yml", "version: 1\n", "conda-lock"],
  ["pixi.lock", "version: 6\n", "pixi-lock"],
  ["Dockerfile", "", "dockerfile"],
  ["docker/gpu.Dockerfile", "", "dockerfile"],
  ["Dockerfile.cuda12", "", "dockerfile"],
  ["Containerfile", "", "dockerfile"],
  ["build", "FROM ubuntu:22.04\nRUN true\n", "dockerfile"],
  ["a.ipynb", "{}", "notebook"],
  [".devcontainer/devcontainer.json", "{}", "devcontainer"],
  [".github/workflows/ci.yml", "on: push\njobs:\n  a:\n    steps: []\n", "workflow"],
  ["docker-compose.yml", "", "compose"],
  ["compose.gpu.yaml", "services: {}\n", "compose"],
  ["stack.yml", "services:\n  a:\n    image: python:3.11\n", "compose"],
  ["pod.yaml", "apiVersion: v1\nkind: Pod\nspec:\n  containers: []\n", "kubernetes"],
  ["job.sbatch", "", "sbatch"],
  ["job.pbs", "", "pbs"],
  ["train.sh", "#!/bin/bash\n#PBS -l ngpus=1\n", "pbs"],
  ["job.bsub", "", "lsf"],
  ["submit", "#!/bin/bash\n#BSUB -gpu num=1\n", "lsf"],
  ["tox.toml", "", "tox"],
  ["train.sh", "#!/bin/bash\n#SBATCH --gpus=1\n", "sbatch"],
  ["submit", "#!/bin/bash\n#SBATCH -G 1\n", "sbatch"],
  ["slurm.md", "#!/bin/bash\n#SBATCH -G 1\n", undefined],
  ["install_requirements.sh", "pip install torch\n", "shell-script"],
  ["entrypoint", "#!/usr/bin/env bash\npip install torch\n", "shell-script"],
  ["program", "#!/usr/bin/env python3\nprint()\n", undefined],
  ["Makefile", "", "makefile"],
  ["build/gpu.mk", "", "makefile"],
  ["Makefile.am", "bin_PROGRAMS = x\n", undefined],
  ["image.def", "Bootstrap: docker\nFrom: python:3.11\n", "apptainer"],
  ["Singularity", "", "apptainer"],
  ["library.def", "EXPORTS\n  f\n", undefined],
  ["tox.ini", "", "tox"],
  ["noxfile.py", "", "nox"],
  ["setup.cfg", "[options]\ninstall_requires = torch\n", "setup-cfg"],
  ["setup.cfg", "[flake8]\nmax-line-length = 100\n", undefined],
  ["setup.py", "from setuptools import setup\nsetup()\n", "setup-py"],
  ["train.py", "import torch\n", undefined],
  ["service.yaml", "apiVersion: v1\nkind: Service\nspec:\n  ports: []\n", undefined],
  ["kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n", undefined],
  ["mkdocs.yml", "site_name: x\nnav:\n  - index.md\nplugins:\n  - search\n", undefined],
  ["values.yaml", "image:\n  repository: x\nservices:\n  web: 80\n", undefined],
  ["composer.json", '{"require": {}}', undefined],
  ["Dockerfile.dockerignore", ".git\n", undefined],
  ["notes.md", "torch==2.4.1\n", undefined],
  ["data.json", '{"a": 1}', undefined],
  ["values.yaml", "replicas: 3\n", undefined],
  ["picture-dockerfile.png", "\u0089PNG\r\n\0\0", undefined],
])("%s is recognised", (file, text, format) => {
  expect(recognise(file, text)).toBe(format);
});

test("requirements.txt: every shape of a line, as pip reads it", async () => {
  const text = [
    "\ufeff# a comment",
    "--extra-index-url https://download.pytorch.org/whl/cu121 # the index",
    "torch == 2.4.1 \\",
    "    --hash=sha256:0123 \\",
    "    --hash=sha256:4567",
    "Torch_Vision>=0.19 ; python_version >= '3.8'  # via x",
    'jax [cuda12] ~= 0.4.30; sys_platform == "linux"',
    "-e git+https://github.com/a/b.git#egg=b",
    "./local/package",
    "https://example.org/cupy_cuda12x-13.3.0-cp311-cp311-manylinux2014_x86_64.whl",
    "onnxruntime-gpu @ https://example.org/onnxruntime_gpu-1.20.0-cp311-cp311-manylinux_2_28_x86_64.whl",
    'https://example.org/triton-3.0.0-cp311-cp311-win_amd64.whl; sys_platform == "win32"',
    'https://example.org/bitsandbytes-0.44.1-py3-none-manylinux_2_24_x86_64.whl ; sys_platform == "linux"',
    "numpy==1.26.*",
    "tensorflow${SUFFIX}==2.15.0",
    "torch   2.4.1   pip list",
    "-r more/gpu.txt",
    "--requirement=absent.txt",
    "-c pins.txt",
  ].join("\r\n");
  const beside = {
    "more/gpu.txt": "triton==3.0.0\n-r ../requirements.txt\n-r deeper.txt\n",
    "more/deeper.txt": "pycuda\n",
    "pins.txt": "nvidia-nccl-cu12==2.20.5\n",
  };
  const answer = await declared("requirements.txt", text, { beside, python: "3.11" });
  expect(asked(answer)).toEqual([
    "torch 2.4.1+cu121",
    "torch-vision ?",
    expect.stringMatching(/^jax 0\.4\.\d+$/),
    "b ?",
    "cupy-cuda12x 13.3.0",
    "onnxruntime-gpu 1.20.0",
    "bitsandbytes 0.44.1",
    "numpy ?",
    "triton 3.0.0",
    expect.stringMatching(/^pycuda \d/),
  ]);
  expect(answer.check.unknown.map(({ subject, reason }) => `${subject} ${reason}`)).toEqual([
    expect.stringMatching(/^requirements\.txt:15 it names a variable/),
    expect.stringMatching(/^requirements\.txt:16 pip cannot read/),
    "requirements.txt:9 what it brings is not known: `local/package/pyproject.toml` is not there",
    "more/gpu.txt:2 `../requirements.txt` is the file that names it, or one above: it is not read again",
    "requirements.txt:18 what it brings is not known: `absent.txt` is not there",
    "torch-vision what it brings and asks for is not known here; once it is installed, `culprit check` reads its files",
    expect.stringMatching(/^b at requirements\.txt:8 it is built from its source/),
  ]);
  expect(answer.check.findings).toEqual([]);
});

test("pyproject.toml: dependencies, extras and groups are judged one by one, each with what all share", async () => {
  const text = `[project]
name = "x"
requires-python = ">=3.10"
dependencies = [
  "torch==2.4.1",
]
[project.optional-dependencies]
cpu = ["onnxruntime==1.20.0"]
gpu = ["onnxruntime-gpu==1.20.0"]
broken = ["nvidia-cudnn-cu12==8.9.7.29"]
[dependency-groups]
base = ["numpy<2"]
dev = [{ include-group = "base" }, "torchvision==0.20.0"]
`;
  expect(short(await declared("pyproject.toml", text))).toEqual(["error requirements-clash 10", "error requirements-clash 13"]);
});

test("pyproject.toml of uv: an index of its own for one package", async () => {
  const text = `[project]
dependencies = ["torch==2.5.1", "nvidia-cudnn-cu12==8.9.7.29"]
[tool.uv.sources]
torch = { index = "cpu" }
[[tool.uv.index]]
name = "cpu"
url = "https://download.pytorch.org/whl/cpu"
explicit = true
`;
  expect(short(await declared("pyproject.toml", text))).toEqual([]);
  expect(short(await declared("pyproject.toml", text.replace(/\[tool[^]*/, "")))).toEqual(["error requirements-clash 2"]);
});

test("pyproject.toml of Poetry: its notation, its groups, its sources", async () => {
  const text = `[tool.poetry.dependencies]
python = "^3.10"
torch = { version = "~2.4.1", source = "pytorch" }
tensorflow = { version = "^2.15", optional = true }
numpy = "^1.26"
[tool.poetry.group.gpu.dependencies]
nvidia-cudnn-cu12 = "8.9.7.29"
[[tool.poetry.source]]
name = "pytorch"
url = "https://download.pytorch.org/whl/cu121"
`;
  const answer = await declared("pyproject.toml", text);
  expect(short(answer)).toEqual(["error requirements-clash 7"]);
  expect(answer.check.findings[0]!.because.join()).toContain('torch = "~2.4.1" (pyproject.toml:3)');
});

// As poetry-core's parse_constraint answers.
test.each([
  ["^2.1", ">=2.1,<3"],
  ["^0.4.30", ">=0.4.30,<0.5"],
  ["^0.0.3", ">=0.0.3,<0.0.4"],
  ["^0", ">=0,<1"],
  ["~2.1.3", ">=2.1.3,<2.2"],
  ["~2", ">=2,<3"],
  ["2.1.*", "==2.1.*"],
  ["2.1", "==2.1"],
  ["*", ""],
  ["^2.1,!=2.2", ">=2.1,<3,!=2.2"],
  ["^1 || ^2", undefined],
  ["latest", undefined],
])("Poetry's `%s`", (text, specifier) => {
  expect(poetrySpecifier(text)).toBe(specifier);
});

test("uv.lock: exact versions; what only an extra brings, or a marker chooses, clashes with nothing", async () => {
  const text = `version = 1
requires-python = ">=3.10"

[[package]]
name = "app"
version = "0.1.0"
source = { virtual = "." }
dependencies = [{ name = "torch" }]
[package.optional-dependencies]
cu12 = [{ name = "nvidia-nccl-cu12" }]
cu13 = [{ name = "nvidia-nccl-cu13" }]

[[package]]
name = "torch"
version = "2.11.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "nvidia-nccl-cu12"
version = "2.27.7"

[[package]]
name = "nvidia-nccl-cu13"
version = "2.27.7"
`;
  const answer = await declared("uv.lock", text, { driver: "535.104.05" });
  expect(short(answer)).toEqual(["error driver-too-old 14"]);
  expect(asked(answer)).toEqual(["torch 2.11.0"]);
});

test("pyproject.toml of Poetry: of several entries those count whose conditions hold", async () => {
  const text = (torch: string) => `[tool.poetry.dependencies]\npython = "~3.10"\ntorch = [\n${torch}]\n`;
  const wheel = (platform: string) => `https://download.pytorch.org/whl/cpu/torch-1.13.0%2Bcpu-cp310-cp310-${platform}.whl`;
  const byAddress = `  {markers = "sys_platform == 'win32'", url = "${wheel("win_amd64")}"},\n  {markers = "sys_platform == 'linux'", url = "${wheel("linux_x86_64")}"},\n`;
  expect(asked(await declared("pyproject.toml", text(byAddress)))).toEqual(["torch 1.13.0+cpu"]);
  const byPython = '  {version = "2.4.1", python = "<3.9"},\n  {version = "2.5.1", python = ">=3.9,<3.13"},\n';
  expect(asked(await declared("pyproject.toml", text(byPython)))).toEqual(["torch 2.5.1+cu124"]);
  const byPlatform = '  {version = "2.4.1", platform = "darwin"},\n  {version = "2.5.1", platform = "linux"},\n';
  expect(asked(await declared("pyproject.toml", text(byPlatform)))).toEqual(["torch 2.5.1+cu124"]);
});

test("poetry.lock: an entry with files for other platforms alone is not installed", async () => {
  const entry = (version: string, platform: string) =>
    `[[package]]\nname = "torch"\nversion = "${version}"\noptional = false\nfiles = [\n    {file = "torch-${version}-cp310-cp310-${platform}.whl", hash = "sha256:0"},\n]\n\n`;
  const lock = `${entry("1.13.0", "macosx_11_0_arm64")}${entry("1.13.0+cpu", "linux_x86_64")}${entry("1.13.0+cpu", "win_amd64")}[metadata]\nlock-version = "2.0"\npython-versions = "^3.10"\n`;
  expect(asked(await declared("poetry.lock", lock))).toEqual(["torch 1.13.0+cpu"]);
});

test("poetry.lock and Pipfile.lock: exact versions and their lines", async () => {
  const poetry =
    '[[package]]\nname = "torch"\nversion = "2.11.0"\noptional = false\n\n[[package]]\nname = "jax"\nversion = "0.7.2"\noptional = true\n\n[metadata]\nlock-version = "2.0"\npython-versions = "^3.10"\n';
  expect(asked(await declared("poetry.lock", poetry))).toEqual(["torch 2.11.0"]);
  const pipfile = JSON.stringify(
    {
      _meta: { requires: { python_version: "3.12" }, sources: [{ name: "pypi", url: "https://pypi.org/simple" }] },
      default: { torch: { version: "==2.11.0", index: "pypi" } },
      develop: { onnxruntime: { version: "==1.20.0", markers: "python_version >= '3.10'" }, "onnxruntime-gpu": { version: "==1.20.0" } },
    },
    null,
    4,
  );
  const answer = await declared("Pipfile.lock", pipfile, { gpus: ["GTX 1080"] });
  expect(short(answer)).toEqual(["error gpu-not-in-build 14", "error packages-overwrite-each-other 24"]);
  expect(answer.predicted.python).toBe("3.12");
});

test("Pipfile: sources, extras, anything", async () => {
  const text =
    '[[source]]\nurl = "https://pypi.org/simple"\nname = "pypi"\n[packages]\ntorch = "==2.5.1"\ntensorflow = {extras = ["and-cuda"], version = "==2.17.0"}\nrequests = "*"\n[requires]\npython_version = "3.11"\n';
  expect(short(await declared("Pipfile", text))).toEqual(["error requirements-clash 6"]);
});

test("environment.yml: conda's notation, and pip's lines within it", async () => {
  const text = `name: x
channels: [pytorch, conda-forge]
dependencies:
  - python=3.11
  - conda-forge::cudatoolkit=11.8
  - numpy>=1.20,<2
  - pip
  - pip:
      - -r more.txt
      - torch==2.4.1
      - nvidia-cudnn-cu12==8.9.7.29
variables:
  LD_LIBRARY_PATH: /usr/local/cuda/lib64/stubs
`;
  const answer = await declared("environment.yml", text, { beside: { "more.txt": "onnxruntime\n" } });
  expect(short(answer)).toEqual(["error requirements-clash 11", "info stub-driver 13"]);
  expect(answer.predicted.python).toBe("3.11");
  expect(asked(answer)).toContain("onnxruntime ?");
});

test("conda's lock files: exact packages of Linux, conda's and pip's", async () => {
  const lock = `version: 1
metadata:
  platforms: [linux-64, osx-64]
package:
  - name: python
    version: 3.11.4
    manager: conda
    platform: linux-64
  - name: torch
    version: 2.11.0
    manager: pip
    platform: osx-64
  - name: torch
    version: 2.4.1
    manager: pip
    platform: linux-64
`;
  const answer = await declared("conda-lock.yml", lock);
  expect([answer.predicted.python, asked(answer)]).toEqual(["3.11", ["torch 2.4.1"]]);
  const explicit =
    "@EXPLICIT\nhttps://conda.anaconda.org/conda-forge/linux-64/python-3.10.12-hd12c33a_0_cpython.conda#abc\nhttps://conda.anaconda.org/pytorch/linux-64/pytorch-cuda-11.8-h7e8668a_5.tar.bz2\n";
  const second = await declared("linux.txt", explicit);
  expect([second.predicted.python, asked(second)]).toEqual(["3.10", ["pytorch-cuda 11.8"]]);
  const pixi =
    "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n      - conda: https://conda.anaconda.org/conda-forge/linux-64/python-3.12.3-hab00c5b_0_cpython.conda\n      - pypi: https://files.example.org/torch-2.4.1-cp312-cp312-manylinux1_x86_64.whl\npackages:\n- conda: https://conda.anaconda.org/conda-forge/linux-64/python-3.12.3-hab00c5b_0_cpython.conda\n- pypi: https://files.example.org/torch-2.4.1-cp312-cp312-manylinux1_x86_64.whl\n  name: torch\n  version: 2.4.1\n- pypi: https://files.example.org/torch-2.4.1-none-macosx_11_0_arm64.whl\n  name: torch\n  version: 2.4.1\n";
  const third = await declared("pixi.lock", pixi);
  expect([third.predicted.python, asked(third)]).toEqual(["3.12", ["torch 2.4.1"]]);
});

const dockerfile = `# syntax=docker/dockerfile:1
ARG CUDA=12.4.1
FROM nvidia/cuda:\${CUDA}-devel-ubuntu22.04 AS build
ENV TORCH="2.4.1" OTHER=x
RUN apt-get update && apt-get install -y --no-install-recommends \\
    # compilers
    build-essential \\

    python3 python3-pip && \\
    rm -rf /var/lib/apt/lists/*
RUN --mount=type=cache,target=/root/.cache/pip \\
    python3 -m venv /opt/venv && /opt/venv/bin/pip install "torch==\${TORCH}"
FROM build AS test
RUN pip install onnxruntime
FROM python:3.11-slim
COPY --from=build /opt/venv /opt/venv
COPY docker/requirements.txt /tmp/
RUN if [ -n "$X" ]; then pip install tensorflow==2.10.0; fi; pip install -r /tmp/requirements.txt
RUN ["pip", "install", "cupy-cuda12x==13.3.0"]
RUN <<EOF
set -e
pip install 'nvidia-cudnn-cu12==8.9.7.29'
EOF
SHELL ["/bin/bash", "-c"]
CMD python3
`;

test("Dockerfile: stages, arguments, comments within lines, mounts, heredocs, copied lists", async () => {
  const answer = await declared("Dockerfile", dockerfile, { beside: { "docker/requirements.txt": "numpy<2\n" } });
  expect(asked(answer)).toEqual([
    // What apt brought to the stage that builds stays there.
    "torch 2.4.1+cu121",
    "nvidia-cudnn-cu12 8.9.7.29",
    "numpy ?",
    "cupy-cuda12x 13.3.0",
  ]);
  expect(answer.predicted).toMatchObject({ base: "python:3.11-slim", python: "3.11" });
  expect(short(answer)).toEqual(["error no-wheel-for-python 18", "warning pins-not-met 22"]);
  expect(answer.check.findings[0]).toMatchObject({ certainty: "likely", because: expect.arrayContaining(["not where `$X` is empty"]) });
  expect(answer.check.unknown).toEqual([
    { kind: "file", subject: "Dockerfile:18", reason: "judged both where `$X` is empty and where not", aside: true },
  ]);
});

test.each([
  ["ours", dockerfile],
  ["a heredoc with a copy", "FROM a\nCOPY <<EOF /x\nRUN no\nEOF\nRUN <<-A <<B\n\tx\n\tA\ny\nB\nCMD x\n"],
  ["another escape", "# escape=`\nFROM a\nRUN x `\n  y\nENV A b\n"],
  ["spaces after the sign, empty lines, no end", "from a\nrun x \\  \n\n  y \\\n# z\nENV A=b\nRUN a \\"],
  ["Windows", "FROM a\r\nRUN x \\\r\n  y\r\nCMD z\r\n"],
])("Dockerfile: instructions and their lines are those of another reader: %s", (_, text) => {
  const theirs = DockerfileParser.parse(text).getInstructions();
  expect(instructionsOf(text).map(({ name, line }) => `${line} ${name}`)).toEqual(
    theirs.map((each) => `${each.getRange().start.line + 1} ${each.getKeyword()}`),
  );
});

test("notebook: shells, magics, calls of pip from Python, texts that only look like it", async () => {
  const text = notebook([
    "%pip install -q torch==2.4.1 \\\n  torchvision==0.19.1",
    "import sys\n!{sys.executable} -m pip install cupy-cuda12x==13.3.0 {extra}\n# !pip install onnxruntime",
    "%%bash\npip install triton==3.0.0\n",
    "%%writefile x.sh\npip install onnxruntime",
    '"""\n!pip install onnxruntime\nimport tensorflow\n"""\nsubprocess.check_call([sys.executable, "-m", "pip", "install", "numpy==1.26.4"])',
    "os.system('pip install pycuda')\nprint('pip install x')",
    "pip install jax==0.4.30",
  ]);
  expect(asked(await declared("n.ipynb", text)).sort()).toEqual([
    "cupy-cuda12x 13.3.0",
    "jax 0.4.30",
    "numpy 1.26.4",
    expect.stringMatching(/^pycuda \d/),
    "torch 2.4.1+cu121",
    "torchvision 0.19.1",
    "triton 3.0.0",
  ]);
});

test("devcontainer.json: comments, an image or a Dockerfile, features, commands", async () => {
  const image =
    '{\n // ours\n "image": "mcr.microsoft.com/devcontainers/python:1-3.12-bookworm", /* x */\n "postCreateCommand": "pip install tensorflow==2.10.0",\n}\n';
  expect(short(await declared(".devcontainer/devcontainer.json", image))).toEqual(["error no-wheel-for-python 4"]);
  const build = '{ "build": { "dockerfile": "Dockerfile" }, "postCreateCommand": ["pip", "install", "-r", "requirements.txt"] }';
  const beside = { ".devcontainer/Dockerfile": "FROM python:3.12\n", "requirements.txt": "tensorflow==2.10.0\n" };
  expect(short(await declared(".devcontainer/devcontainer.json", build, { beside }))).toEqual(["error no-wheel-for-python 1"]);
});

test("workflow: every job by itself, its container, its Python; what GitHub puts in stays open", async () => {
  const text = `on: [push]
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: |
          python -m pip install -U pip
          pip install tensorflow==2.10.0
  b:
    runs-on: [
      self-hosted
    ]
    container: nvidia/cuda:12.4.1-runtime-ubuntu22.04
    steps:
      - run: pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cpu
      - run: pip install tensorflow==\${{ matrix.tensorflow }}
  c:
    runs-on: windows-latest
    steps:
      - run: pip install onnxruntime onnxruntime-gpu
`;
  expect(short(await declared(".github/workflows/ci.yml", text))).toEqual(["error no-wheel-for-python 11", "warning cpu-only-build 18"]);
});

test.each([
  ["pyproject.toml", '[project]\nname = "a"\ndependencies = ["torch",\n  oops\n]\n', "line 4, column 3 is no TOML"],
  ["uv.lock", 'version = 1\n[[package]]\nname = "x\n', "line 3, column 10 is no TOML"],
  ["poetry.lock", '[[package]]\nname = "x"\nname = "y"\n', "line 3, column 1 is no TOML"],
  ["Pipfile", "[packages\n", "line 1, column 10 is no TOML"],
  ["environment.yml", "dependencies:\n  - pip:\n    - torch\n   - x: [\n", "line 4, column 4 is no YAML"],
  ["n.ipynb", '{\n "cells": [\n  {"cell_type": "code",, "source": []}\n ]\n}', "line 3, column 24 is no JSON: `,` cannot stand there"],
  ["devcontainer.json", '{\n // it {\n "image": "a",\n /* two\n lines */ "x": }\n', "line 5, column 16 is no JSON: `}` cannot stand there"],
  ["Pipfile.lock", '{"_meta": {', "line 1, column 12 is no JSON: it ends too early"],
])("%s that is none says where", async (file, text, words) => {
  await expect(declared(file, text)).rejects.toThrow(`\`${file}\` cannot be read: ${words}`);
});

test("a list that another one names and that cannot be read says where, too", async () => {
  const { check } = await declared("requirements.txt", "-r pyproject.toml\ntorch\n", { beside: { "pyproject.toml": "a = 1\nb = = 2\n" } });
  expect(check.unknown[0]!.reason).toContain("line 2, column 5 is no TOML");
});

test("what nobody writes ends soon, in one sentence", async () => {
  const many = "torch==2.4.1\nnumpy==1.26.0\n".repeat(15_000);
  await expect(declared("requirements.txt", many)).rejects.toThrow(
    "`requirements.txt` cannot be read: it names 30000 packages, more than any project has",
  );
  // A variable that doubles itself would fill the memory.
  const doubled = `FROM ubuntu\n${"ENV A=x$A$A\n".repeat(100)}RUN pip install torch==$A\n`;
  expect((await declared("Dockerfile", doubled)).check.findings).toEqual([]);
  const jobs = Array.from(
    { length: 300 },
    (_, index) => `  j${index}:\n    runs-on: x\n    steps:\n      - run: pip install torch==2.4.1\n`,
  );
  const workflow = await declared(".github/workflows/ci.yml", `on: push\njobs:\n${jobs.join("")}`);
  expect(workflow.check.unknown[0]!.reason).toBe("it is judged by the first 200 of 300 alternatives");
  const again = await declared("Dockerfile", `FROM ubuntu:22.04\n${"RUN pip install torch==2.4.1 torchvision\n".repeat(502)}`);
  expect(again.check.unknown.filter(({ reason }) => reason.includes("more than 500 installations"))).toHaveLength(1);
});

test("requirements as Poetry and pip-compile export them: a line for some Pythons counts where none is told", async () => {
  const range = '; python_version >= "3.9" and python_version < "3.13"';
  const both = await declared("requirements.txt", `torch==2.2.2 ${range}\nnumpy==2.1.0 ${range}\n`);
  expect(asked(both)).toEqual(["torch 2.2.2+cu121", "numpy 2.1.0"]);
  expect(short(both)).toEqual(["warning numpy-too-new 2"]);
  const none = await declared("requirements.txt", `torch==2.2.2 ${range}\n`, { python: "3.13" });
  expect(asked(none)).toEqual([]);
});

test("which of two lines counts is open where no Python is told, and said to be", async () => {
  const text = 'torch==2.0.1; python_version < "3.11"\ntorch==2.5.1; python_version >= "3.11"\n';
  const { check } = await declared("requirements.txt", text);
  expect(check.unknown.map(({ reason }) => reason)).toEqual([expect.stringContaining("which `torch` is installed depends on the Python")]);
  const told = await declared("requirements.txt", text, { python: "3.11" });
  expect(asked(told)).toEqual(["torch 2.5.1+cu124"]);
  expect(told.check.unknown).toEqual([]);
});

test("--no-dependencies is --no-deps", async () => {
  const text = "RUN pip install torch==2.1.0 'numpy<2'\nRUN pip install xformers==0.0.23 --no-dependencies\n";
  const answer = await declared("Dockerfile", `FROM python:3.10\n${text}`);
  expect(asked(answer)).toContain("torch 2.1.0+cu121");
});

const inExtras = (sources: string) => `[project]
name = "x"
[project.optional-dependencies]
cuda = ["torch (==2.7.1+cu126)"]
${sources}`;

test("pyproject: Poetry's sources tell where [project] gets its packages", async () => {
  const sources = (url: string) => `[[tool.poetry.source]]
name = "cpu"
url = "https://download.pytorch.org/whl/cpu"
priority = "explicit"
[[tool.poetry.source]]
name = "gpu"
url = "${url}"
priority = "explicit"
[tool.poetry.dependencies]
torch = [
  { markers = "extra == 'cpu' and extra != 'cuda'", source = "cpu" },
  { markers = "extra == 'cuda' and extra != 'cpu'", source = "gpu" },
]
`;
  expect(short(await declared("pyproject.toml", inExtras("")))).toEqual(["error version-not-published 4"]);
  expect(short(await declared("pyproject.toml", inExtras(sources("https://download.pytorch.org/whl/cu126"))))).toEqual([]);
});

test("pyproject: of uv's sources by marker the one for Linux counts", async () => {
  const text = inExtras(`[[tool.uv.index]]
name = "gpu"
url = "https://download.pytorch.org/whl/cu126"
explicit = true
[tool.uv.sources]
torch = [{ index = "gpu", marker = "sys_platform == 'linux'" }, { index = "other", marker = "sys_platform == 'darwin'" }]
`);
  const answer = await declared("pyproject.toml", text);
  expect(short(answer)).toEqual([]);
  expect(answer.check.judged.map(({ program, version }) => `${program} ${version}`)).toEqual(["torch 2.7.1+cu126"]);
});
