import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const tox = `[tox]
envlist =
    py{310,311}-torch{24,25}, lint
    py313-old

[base]
deps =
    numpy<2   ; python_version < "3.13"

[testenv]
deps =
    {[base]deps}
    torch24: torch==2.4.1
    torch25: torch==2.5.1
    # both of them
    !old: torchvision==0.19.1
    old: torch==2.3.1
    -rrequirements.txt
commands =
    pytest {posargs}

[testenv:lint]
deps = ruff
commands = ruff check .

[testenv:gpu]
basepython = python3.11
deps =
    torch=={env:TORCH}{env:NONE:}
commands =
    {envpython} -m pip install tensorflow==2.10.0
`;

test("every environment by its factors and its Python", async () => {
  const answer = await declared("tox.ini", tox, { beside: { "requirements.txt": "pandas\n" } });
  expect(short(answer)).toEqual(["error requirements-clash 16", "error no-wheel-for-python 17", "error no-wheel-for-python 31"]);
  expect(answer.check.unknown.map(({ subject, reason }) => `${subject} ${reason}`)).toEqual([
    "tox.ini:29:5 what tox puts in here is not known",
  ]);
});

test("what fits is silent", async () => {
  const fine = tox.slice(0, tox.indexOf("[testenv:gpu]")).replace("torch{24,25}", "torch24").replace("py313-old", "py312-old");
  const answer = await declared("tox.ini", fine, { beside: { "requirements.txt": "pandas\n" } });
  expect([short(answer), answer.check.unknown, answer.check.status]).toEqual([[], [], "ok"]);
});

test("setup.cfg: what it requires, its extras, and lists of others", async () => {
  const text = `[metadata]
name = x
[options]
python_requires = >=3.10
install_requires =
    torch==2.5.1
    file: more.txt
[options.extras_require]
vision = torchvision==0.19.1
`;
  const answer = await declared("setup.cfg", text, { beside: { "more.txt": "numpy<2\n" } });
  expect(short(answer)).toEqual(["error requirements-clash 9"]);
  expect(answer.check.findings[0]!.because.at(-1)).toBe("only with the extra vision");
});

test("setup.cfg: an extra may stand in another one", async () => {
  const text =
    "[options]\n[options.extras_require]\nold =\n    torch==2.4.1\nall =\n    torchvision==0.20.1\n    %(old)s\nround = %(round)s\n";
  const answer = await declared("setup.cfg", text);
  expect(short(answer)).toEqual(["error requirements-clash 4"]);
  expect(answer.check.findings[0]!.because.at(-1)).toBe("only with the extra all");
  expect(answer.check.unknown.map(({ subject }) => subject)).toEqual(["setup.cfg:8:9"]);
});

test.each([
  ["tox.ini", "envlist = a\n", "line 1, column 1 stands before the first section"],
  ["tox.ini", "[tox]\nenvlist\n", "line 2, column 1 is neither a section nor a value"],
])("%s that is none says where", async (file, text, words) => {
  await expect(declared(file, text)).rejects.toThrow(`\`${file}\` cannot be read: ${words}`);
});

test("what never ends, ends", async () => {
  for (const text of ["", "[testenv]\ndeps = {[testenv]deps}\n", `[tox]\nenvlist = ${"{a,b}".repeat(40)}\n[testenv]\ndeps = x\n`])
    expect((await declared("tox.ini", text)).check.findings).toEqual([]);
});

test("tox.toml says the same in tables", async () => {
  const text = `env_list = ["py311", "old"]
requires = ["tox>=4"]

[env_run_base]
deps = ["torch==2.5.1", "torchvision==0.20.1"]
commands = [["pytest", { replace = "posargs", extend = true }]]

[env.old]
base_python = ["python3.9"]
deps = [
  "tensorflow==2.10.1",
  "tensorflow-text==2.8.1",
]
set_env = { LD_LIBRARY_PATH = "/usr/local/cuda-11.2/lib64" }
commands = [["pip", "install", "numpy==2.0.2"]]
`;
  const answer = await declared("tox.toml", text);
  expect(short(answer)).toEqual(["error requirements-clash 12"]);
  expect(answer.check.findings[0]!.place).toMatchObject({ line: 12, column: 4 });
  expect(short(await declared("tox.toml", text.replace("2.8.1", "2.10.0").replace("numpy==2.0.2", "numpy==1.26.4")))).toEqual([]);
  // What tox puts together by itself is not known.
  const open = await declared("tox.toml", text.replace('"torch==2.5.1"', '{ replace = "ref", of = ["x"] }').replace("2.8.1", "2.10.0"));
  expect(open.check.unknown.map(({ subject, reason }) => `${subject} ${reason}`)).toContain(
    "tox.toml:4:1 what tox puts in here is not known",
  );
  await expect(declared("tox.toml", "deps = [\n")).rejects.toThrow("`tox.toml` cannot be read: line 2, column 1 is no TOML");
});

test.each([
  ["tox.ini", "[tox]\nenvlist = 3.12\n[testenv]\ndeps = torch==1.13.1\n"],
  ["tox.ini", "[testenv]\nbasepython = 3.12\ndeps = torch==1.13.1\n"],
  ["tox.toml", 'env_list = ["3.12"]\n[env_run_base]\ndeps = ["torch==1.13.1"]\n'],
])("an environment may be called like its Python alone: %s", async (file, text) => {
  expect((await declared(file, text)).check.findings.map(({ rule }) => rule)).toEqual(["no-wheel-for-python"]);
  expect((await declared(file, text.replace("3.12", "3.11").replace("1.13.1", "2.5.1"))).check.status).toBe("ok");
});

test("nox gives a session its Python by a parameter, too", async () => {
  const text =
    'import nox\n\n@nox.session\n@nox.parametrize("python,torch", [("3.12", "2.5.1"), ("3.13", "2.3.1")])\ndef tests(session, torch):\n    session.install(f"torch=={torch}")\n';
  expect(short(await declared("noxfile.py", text))).toEqual(["error no-wheel-for-python 6"]);
});

test("the Python of an environment is chosen where it is listed", async () => {
  const { check } = await declared("tox.ini", "[tox]\nenvlist =\n    lint\n    py313\n[testenv]\ndeps =\n    torch==2.3.1\n");
  expect(check.findings[0]!.because).toContain("Python 3.13 is chosen at tox.ini:4");
  const based = await declared("tox.ini", "[testenv:gpu]\nbasepython = python3.13\ndeps =\n    torch==2.3.1\n");
  expect(based.check.findings[0]!.because).toContain("Python 3.13 is chosen at tox.ini:2");
});
