import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

// What pip, uv, conda or Docker refuse is never silence.
test.each([
  ["a text in the place of a list", "pyproject.toml", '[project]\nname = "x"\ndependencies = "torch"\n', "pyproject.toml:3"],
  ["numbers in the place of texts", "pyproject.toml", '[project]\nname = "x"\ndependencies = [1, 2]\n', "pyproject.toml:3"],
  ["an extra that is no list", "pyproject.toml", '[project.optional-dependencies]\ngpu = "torch"\n', "pyproject.toml:2"],
  ["dependencies of conda that are no list", "environment.yml", "name: x\ndependencies: 5\n", "environment.yml:2"],
  ["a number below pip", "environment.yml", "dependencies:\n- pip:\n  - 5\n", "environment.yml:3"],
  ["a lock of a later version", "uv.lock", 'version = 99\nrequires-python = ">=3.11"\n', "uv.lock:1"],
  [
    "a package of a lock without a version",
    "uv.lock",
    'version = 1\n[[package]]\nname = "torch"\nversion = ["a"]\nsource = { registry = "https://pypi.org/simple" }\n',
    "uv.lock:3",
  ],
  ["a heredoc that nothing ends", "Dockerfile", "FROM python:3.11\nRUN <<EOF\npip install torch==2.5.1\n", "Dockerfile:2"],
  [
    "what a template is made into",
    "Dockerfile",
    "FROM python:{{ tag }}\nRUN pip install torch==2.5.1\nRUNN pip install jax\n",
    "Dockerfile:3",
  ],
  ["a list that may be conda's", "requirements.txt", "torch=2.4.0\nno-such-thing=1.0\n", "requirements.txt:1"],
])("never green: %s", async (_, file, text, subject) => {
  const { check } = await declared(file, text);
  expect(check.status).toBe("incomplete");
  expect(check.unknown.map((each) => each.subject)).toContain(subject);
});

// `pip install` ends with "Invalid requirement", docker with "unknown instruction" or "no build stage in current context".
test.each([
  ["one sign before a version", "requirements.txt", "numpy<2\ntorch=2.4.0\n", 2],
  ["none", "requirements.txt", "torch 2.4.0\n", 1],
  ["one sign in a command", "Dockerfile", "FROM python:3.11\nRUN pip install torch=2.4.0\n", 2],
  ["what is no instruction", "Dockerfile", "FROM python:3.11\nRUN pip install torch==2.5.1\nRUNN pip install jax\n", 3],
  ["a word that is nearly one", "Dockerfile", "FORM python:3.11\nRUN pip install torch\n", 1],
  ["a command before any image", "Dockerfile", "ARG A=1\nRUN pip install torch\n", 2],
])("refused-line: %s", async (_, file, text, line) => {
  expect(short(await declared(file, text))).toEqual([`error refused-line ${line}`]);
});

test("refused-line: what other programs read, or nobody, is none", async () => {
  for (const [file, text] of [
    ["requirements.txt", "python=3.9\npytorch=1.7\nnumpy=1.19\ntorchvision=0.8\ntqdm=4.0\nscipy=1.5\n"],
    ["notes.txt", "torch is 2.4.0\n"],
    ["Dockerfile.j2", "FROM python:3.11\nINCLUDE base\nRUN pip install torch\n"],
    ["Dockerfile", "# syntax=devthefuture/dockerfile-x\nFROM python:3.11\nINCLUDE base\nRUN pip install torch\n"],
  ] as const)
    expect(short(await declared(file, text))).toEqual([]);
});

test("what `pip list` printed is there already, as what `pip freeze` did", async () => {
  const { check, predicted } = await declared(
    "list.txt",
    "Package    Version   Location\n---------- --------- --------\ntorch      2.0.1\nnumpy      1.24.4\n",
  );
  expect(check.status).toBe("ok");
  expect(predicted.packages.map(({ name, version }) => `${name} ${version}`)).toContain("torch 2.0.1");
});

test("two signs in a row are not always a heredoc", async () => {
  const { check } = await declared("Dockerfile", 'FROM python:3.11\nRUN cat <<< "x" && pip install torch==2.5.1\nRUN echo $((1<<SHIFT))\n');
  expect(check.status).toBe("ok");
});
