import { expect, test } from "vitest";
import { asked, declared, short } from "./declared.ts";

const lock = `version = 1
requires-python = ">=3.10"

[[package]]
name = "x"
version = "0.1.0"
source = { editable = "." }
dependencies = [{ name = "tensorflow" }]

[package.optional-dependencies]
gpu = [{ name = "torch" }]

[[package]]
name = "tensorflow"
version = "2.18.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "torch"
version = "2.4.1"
source = { registry = "https://pypi.org/simple" }
`;
const project = `[project]
name = "x"
requires-python = ">=3.10"
dependencies = ["tensorflow==2.18.0"]

[project.optional-dependencies]
gpu = ["torch==2.4.1", "torchvision==0.18.1"]
`;
const image = (tag: string, ...lines: string[]) =>
  `FROM nvidia/cuda:${tag}\nRUN apt-get install -y python3-pip\nWORKDIR /app\n${lines.map((line) => `${line}\n`).join("")}`;
const base = (...lines: string[]) => image("12.5.1-base-ubuntu22.04", ...lines);
const whole = (...lines: string[]) => image("12.6.3-cudnn-runtime-ubuntu22.04", ...lines);
const loud = (answer: Awaited<ReturnType<typeof declared>>) => short(answer).filter((line) => !line.startsWith("info"));

test("uv sync brings what the lock of the project says", async () => {
  const beside = { "uv.lock": lock, "pyproject.toml": project };
  for (const lines of [
    ["COPY pyproject.toml uv.lock ./", "RUN uv sync --locked --no-dev"],
    ["COPY . .", "RUN uv sync"],
    ["COPY . /app", "RUN uv sync --frozen"],
    ["COPY *.toml uv.* /app/", "RUN uv sync"],
    ["RUN --mount=type=cache,target=/root/.cache --mount=type=bind,source=uv.lock,target=uv.lock uv sync --locked --no-install-project"],
  ]) {
    const broken = await declared("Dockerfile", base(...lines), { beside });
    expect(loud(broken), lines.join()).toEqual(["error library-missing 14"]);
    expect(broken.check.findings[0]!.place!.file).toBe("uv.lock");
    expect(loud(await declared("Dockerfile", whole(...lines), { beside })), lines.join()).toEqual([]);
  }
  const extra = await declared("Dockerfile", base("COPY . .", "RUN uv sync --extra gpu"), { beside });
  expect(asked(extra)).toContain("torch 2.4.1");
  expect(asked(await declared("Dockerfile", base("COPY . .", "RUN uv sync"), { beside }))).not.toContain("torch 2.4.1");
  // The Dockerfile of a folder, and what is built around it.
  const inside = await declared("docker/Dockerfile", base("COPY . .", "RUN uv sync"), { beside });
  expect(loud(inside)).toEqual(["error library-missing 14"]);
});

test("poetry install and pip install . bring what the project asks for", async () => {
  const poetry = '[tool.poetry]\nname = "x"\n\n[tool.poetry.dependencies]\npython = "^3.10"\ntensorflow = "2.18.0"\n';
  const lines = ["COPY . .", "RUN poetry install --no-root"];
  expect(loud(await declared("Dockerfile", base(...lines), { beside: { "pyproject.toml": poetry } }))).toEqual(["error library-missing 6"]);
  expect(loud(await declared("Dockerfile", whole(...lines), { beside: { "pyproject.toml": poetry } }))).toEqual([]);
  const beside = { "pyproject.toml": project };
  for (const command of ["pip install .", "pip3 install -e .", "pip install /app", "pip install --no-cache-dir -e '.[dev]'"])
    expect(loud(await declared("Dockerfile", base("COPY . /app", `RUN ${command}`), { beside })), command).toEqual([
      "error library-missing 4",
    ]);
  const extra = await declared("Dockerfile", whole("COPY . /app", "RUN pip install .[gpu]"), { beside });
  expect(loud(extra)).toEqual(["error requirements-clash 7"]);
});

test("a project that is not seen is unknown; one from elsewhere is not taken for this one", async () => {
  const unseen = await declared("Dockerfile", base("RUN uv sync --locked"));
  expect(unseen.check.status).toBe("incomplete");
  expect(unseen.check.unknown).toEqual([
    expect.objectContaining({
      subject: "Dockerfile:4",
      reason: "what it brings is not known: the uv.lock of the project is not seen here",
    }),
  ]);
  const gone = await declared("Dockerfile", base("COPY . .", "RUN poetry install"));
  expect(gone.check.unknown).toEqual([
    expect.objectContaining({ subject: "Dockerfile:5", reason: "what it brings is not known: `poetry.lock` is not there" }),
  ]);
  const beside = { "pyproject.toml": project };
  for (const lines of [
    ["COPY . /app", "RUN git clone https://github.com/a/b && cd b && pip install ."],
    ["COPY . /app", "WORKDIR /other", "RUN pip install ."],
    ["COPY src /app", "RUN pip install ."],
  ])
    expect(asked(await declared("Dockerfile", base(...lines), { beside })), lines.join()).toEqual(["python3-pip ?"]);
});

test("workflows, scripts and devcontainers know the project around them", async () => {
  const beside = { "pyproject.toml": project, "uv.lock": lock };
  const workflow = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: uv sync --extra gpu\n";
  expect(asked(await declared(".github/workflows/test.yml", workflow, { beside }))).toEqual(["tensorflow 2.18.0", "torch 2.4.1"]);
  const script = "#!/bin/bash\nuv sync\n";
  expect(asked(await declared("setup.sh", script, { beside }))).toEqual(["tensorflow 2.18.0"]);
  expect(asked(await declared("setup.sh", script.replace("uv", "cd other\nuv"), { beside }))).toEqual([]);
  const container = JSON.stringify({ image: "mcr.microsoft.com/devcontainers/python:3.11", postCreateCommand: "uv sync" });
  expect(asked(await declared(".devcontainer/devcontainer.json", container, { beside }))).toEqual(["tensorflow 2.18.0"]);
});

test("a setup.py that reads its requirements from a file", async () => {
  const beside = {
    "requirements.txt": "torch==2.5.1\ntorchvision==0.19.1\n",
    "requirements/run.txt": "torch==2.5.1\ntorchvision==0.19.1\n",
  };
  for (const value of [
    'parse_requirements("requirements.txt")',
    '[line.strip() for line in open("requirements.txt")]',
    'parse_requirements("requirements/run.txt")',
    "required",
  ]) {
    const text = `from setuptools import setup\nwith open("${value === "required" ? "requirements.txt" : "README.md"}") as f:\n    required = f.read().splitlines()\nsetup(name="x", install_requires=${value})\n`;
    expect(short(await declared("setup.py", text, { beside })), value).toEqual(["error requirements-clash 2"]);
  }
  expect(
    (await declared("setup.py", 'setup(install_requires=parse("a-requirements.txt", "b-requirements.txt"))\n', { beside })).check.status,
  ).toBe("incomplete");
});

test("a Makefile installs the project around it", async () => {
  const project = '[project]\nname = "x"\nversion = "1"\ndependencies = ["torch==2.5.1", "torchvision==0.19.1"]\n';
  expect(short(await declared("Makefile", "install:\n\tpip install -e .\n", { beside: { "pyproject.toml": project } }))).toEqual([
    "error requirements-clash 4",
  ]);
});

test("a Dockerfile two folders below finds what it copies; a program about requirements is no list of them", async () => {
  const text = "FROM python:3.11\nCOPY requirements/* ./\nRUN pip install -r run.txt\n";
  const beside = { "requirements/run.txt": "torch==2.5.1\ntorchvision==0.19.1\n" };
  expect(short(await declared("docker/gpu/Dockerfile", text, { beside }))).toEqual(["error requirements-clash 2"]);
  await expect(declared("requirements_test.go", "package main\n")).rejects.toThrow();
});

test("Poetry's extras are judged, each with what is always needed", async () => {
  const text = `[tool.poetry.dependencies]
python = ">=3.10,<3.12"
numpy = "<2"
torch = { version = "2.5.1", optional = true }
torchvision = { version = "0.19.1", optional = true }
zqops = { git = "https://example.org/zqops.git", optional = true }
[tool.poetry.extras]
gpu = ["torch", "torchvision"]
ops = ["torch", "zqops"]
`;
  const answer = await declared("pyproject.toml", text);
  expect(short(answer)).toEqual(["error requirements-clash 5"]);
  expect(answer.check.findings[0]!.because).toContain("only with the extra gpu");
  expect(answer.check.unknown).toEqual([
    expect.objectContaining({
      subject: "zqops at pyproject.toml:6",
      aside: true,
      reason: expect.stringContaining("only with the extra ops"),
    }),
  ]);
  // What is always needed is told once, whatever extras there are.
  const always = await declared("pyproject.toml", text.replace('.git", optional = true', '.git"'));
  expect(always.check.unknown.filter(({ subject }) => subject.startsWith("zqops at"))).toHaveLength(1);
  const plain = text.slice(0, text.indexOf("[tool.poetry.extras]"));
  expect((await declared("pyproject.toml", plain)).check.status).toBe("nothing-to-check");
});
