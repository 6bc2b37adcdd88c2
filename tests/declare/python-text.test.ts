import { expect, test } from "vitest";
import { asked, declared, short } from "./declared.ts";

const noxfile = `"""Sessions: session.install("tensorflow==1.15")"""
import nox

TORCH = ["torch==2.5.1", "torchvision==0.20.1"]  # session.install("x")


@nox.session(python=["3.10", "3.13"])
def old(session: nox.Session) -> None:
    session.install("-q", "torch==2.3.1")
    session.run("pytest", *session.posargs)


@nox.session(python="3.11")
def gpu(session):
    session.install(*TORCH, "-r", "requirements.txt")
    session.run(
        "python", "-m", "pip", "install",
        "torchvision==0.19.1",
        "torch==2.5.1",
    )


@nox.session
def maybe(session):
    if session.posargs:
        session.install("onnxruntime")
    session.install(f"torch=={VERSION}")
    session.install(*chosen())
    session.conda_install("numpy")
`;

test("noxfile.py: every session and each of its Pythons; what is worked out is told", async () => {
  const answer = await declared("noxfile.py", noxfile, { beside: { "requirements.txt": "pandas\n" } });
  expect(short(answer)).toEqual(["error no-wheel-for-python 9", "error requirements-clash 19"]);
  expect(answer.check.unknown.map(({ subject, reason }) => `${subject} ${reason}`)).toEqual([
    "noxfile.py:27:22 which version this is depends on a variable",
    "noxfile.py:28:22 what stands here is worked out by the program: it is not known",
    "noxfile.py:26 judged both where `if session.posargs:` comes to it and where not",
  ]);
});

test("noxfile.py that fits is silent", async () => {
  const fine = noxfile.slice(0, noxfile.indexOf("    session.run(\n")).replace('"3.13"', '"3.12"');
  const answer = await declared("noxfile.py", fine, { beside: { "requirements.txt": "pandas\n" } });
  expect([short(answer), answer.check.unknown, answer.check.status]).toEqual([[], [], "ok"]);
  expect(answer.check.judged.map(({ version }) => version)).toEqual(["2.3.1+cu121", "2.5.1+cu124"]);
});

test("setup.py: literals of install_requires and extras_require", async () => {
  const text = `from setuptools import setup, find_packages

REQUIRES = [
    "torch==2.5.1",
    "numpy" "<2",
]

setup(
    name="x",
    packages=find_packages(exclude=["tests"]),
    python_requires=">=3.10",
    install_requires=REQUIRES,
    extras_require={"vision": ["torchvision==0.19.1"], "dev": ["pytest"]},
)
`;
  const answer = await declared("setup.py", text);
  expect(short(answer)).toEqual(["error requirements-clash 13"]);
  expect(asked(answer).map((each) => each.split(" ")[0])).toEqual(["torch", "numpy"]);
  const open = await declared("setup.py", text.replace("=REQUIRES", '=open("requirements.txt").read().split()'));
  expect([open.check.status, open.check.unknown[0]!.subject]).toEqual(["incomplete", "setup.py:12"]);
});

test("what never ends, ends", async () => {
  for (const text of ["", "A = [A, A]\n".repeat(100), `session.install(${"(".repeat(10_000)}${")".repeat(10_000)})`])
    expect((await declared("noxfile.py", text)).check.findings).toEqual([]);
  for (const text of ["(".repeat(10_000), '"""', "session.install(".repeat(500), "setup(\\"])
    await expect(declared(/setup/.test(text) ? "setup.py" : "noxfile.py", text)).rejects.toThrow("is no Python");
  await expect(declared("noxfile.py", `${"a(".repeat(60_000)}${")".repeat(60_000)}`)).rejects.toThrow(
    "it is more entangled than anybody writes",
  );
});

test("what is no Python says its line and column", async () => {
  const session = (body: string) => declared("noxfile.py", `import nox\n@nox.session\ndef a(session):\n    session.install(${body}\n`);
  await expect(session("'torch==2.3.1)")).rejects.toThrow("line 4, column 21 is no Python: the text that begins here is never closed");
  await expect(session("'torch==2.3.1'")).rejects.toThrow("line 4, column 20 is no Python: `(` is never closed");
  await expect(session("['torch==2.3.1')")).rejects.toThrow("line 4, column 36 is no Python: `)` closes nothing");
  expect(short(await session(`f"{x["a"]}", '''it's''', "torch==2.3.1")`))).toEqual([]);
});

test("noxfile.py: what parametrize gives is put in, each combination is a session of its own, and a session has any name", async () => {
  const written = (...lines: string[]) =>
    declared("noxfile.py", ["import nox", "@nox.session(python='3.11')", ...lines, ""].join("\n"), {});
  const both = await written(
    "@nox.parametrize('torch', ['2.5.1', '2.3.9'])",
    "def t(s, torch):",
    "    s.install(f'torch=={torch}', 'numpy')",
  );
  expect(both.check.findings.map(({ rule, subject }) => `${rule} ${subject}`)).toEqual(["version-not-published torch==2.3.9"]);
  const paired = await written(
    "@nox.parametrize('tf,np', [('2.15.0', '1.26.4'), ('2.9.0', '1.23.5')])",
    "def t(session, tf, np):",
    "    session.install('tensorflow==' + tf, f'numpy=={np}')",
  );
  // 2.9 has no wheel for Python 3.11, 2.15 has one.
  expect(paired.check.findings.map(({ rule, subject }) => `${rule} ${subject}`)).toEqual([
    "no-wheel-for-python tensorflow==2.9.0 on Python 3.11",
  ]);
  const fine = await written(
    "@nox.parametrize('what', ['torch==2.5.1', 'jax==0.5.0'])",
    "def t(session, what):",
    "    session.install(what)",
  );
  expect([fine.check.status, fine.check.findings]).toEqual(["ok", []]);
  const workedOut = await written("@nox.parametrize('v', versions())", "def t(session, v):", "    session.install(f'torch=={v}')");
  expect(workedOut.check.status).toBe("incomplete");
});
