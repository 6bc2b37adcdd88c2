import { expect, test } from "vitest";
import { conditionWords, plainlyHolds } from "../../packages/core/src/dependency-files/python-blocks.ts";
import { declared, short } from "./declared.ts";

const head = "from setuptools import setup\nimport os, platform, sys\n";
const clash = '"torch==2.5.1", "torchvision==0.19.0"';
const sound = '"torch==2.5.1", "torchvision==0.20.1"';
const judged = async (text: string) => {
  const answer = await declared("setup.py", head + text);
  return [answer.check.status, ...short(answer).map((each) => each.replace(/ \d+$/, ""))].join(", ");
};

test.each([
  ["append", `R = ["torch==2.5.1"]\nR.append("torchvision==0.19.0")\nsetup(install_requires=R)\n`],
  [
    "+=, behind a condition",
    `R = ["torch==2.5.1"]\nif os.getenv("V"):\n    R += [\n        "torchvision==0.19.0",\n    ]\nsetup(install_requires=R)\n`,
  ],
  ["in the line of its condition", `R = ["torch==2.5.1"]\nif os.getenv("V"): R.append("torchvision==0.19.0")\nsetup(install_requires=R)\n`],
  ["lists that are added", `A = ["torch==2.5.1"]\nB = ["torchvision==0.19.0"]\nsetup(install_requires=A + B)\n`],
  ["one of two values", `setup(install_requires=["torch==2.5.1", "torchvision==0.19.0" if os.getenv("V") else "torchvision==0.20.1"])\n`],
  ["one of two calls", `if os.getenv("A"):\n    setup(install_requires=[${sound}])\nelse:\n    setup(install_requires=[${clash}])\n`],
  [
    "the branch for Linux",
    `if sys.platform == "darwin":\n    R = []\nelif platform.system() == "Linux":\n    R = [${clash}]\nelse:\n    R = []\nsetup(install_requires=R)\n`,
  ],
  ["in a function", `def main():\n    setup(install_requires=[${clash}])\nif __name__ == "__main__":\n    main()\n`],
  [
    "an extra that is set by its name",
    `E = {}\nE["gpu"] = ["torchvision==0.19.0"]\nsetup(install_requires=["torch==2.5.1"], extras_require=E)\n`,
  ],
])("setup.py is followed: %s", async (_, text) => {
  expect(await judged(text)).toBe("findings, error requirements-clash");
});

test.each([
  [
    "the branch of another system",
    `if sys.platform == "darwin":\n    R = [${clash}]\nelse:\n    R = [${sound}]\nsetup(install_requires=R)\n`,
  ],
  ["a Python that nobody has", `R = [${sound}]\nif sys.version_info < (3, 7):\n    R = [${clash}]\nsetup(install_requires=R)\n`],
  [
    "a condition of something else",
    `if os.path.exists("README.md"):\n    long = open("README.md").read()\nsetup(install_requires=[${sound}])\n`,
  ],
  [
    "what another import would need",
    `try:\n    import numpy\n    R = [${sound}]\nexcept ImportError:\n    R = [${clash}]\nsetup(install_requires=R)\n`,
  ],
])("setup.py is silent: %s", async (_, text) => {
  expect(await judged(text)).toBe("ok");
});

test("what setup.py works out is told, and never green", async () => {
  for (const text of [
    `R = ["torch==2.5.1"]\nfor line in open("more.txt"):\n    R.append(line)\nsetup(install_requires=R)\n`,
    `setup(install_requires=requirements())\n`,
  ])
    expect(await judged(text)).toBe("incomplete");
});

test("which branch it was is said", async () => {
  const { check } = await declared(
    "setup.py",
    `${head}R = ["torch==2.5.1"]\nif os.getenv("V"):\n    R += ["torchvision==0.19.0"]\nsetup(install_requires=R)\n`,
  );
  expect(check.findings[0]!.certainty).toBe("likely");
  expect(check.findings[0]!.because.join()).toContain('only where `os.getenv("V")` holds');
});

test.each([
  ['sys.platform == "linux"', true],
  ['sys.platform.startswith("win")', false],
  ['not sys.platform.startswith("win")', true],
  ['platform.system() != "Darwin"', true],
  ['os.name == "nt"', false],
  ["sys.version_info >= (3, 6)", true],
  ["sys.version_info < (3, 8)", false],
  ["sys.version_info >= (3, 12)", undefined],
  ["sys.version_info[0] < 3", false],
  ['"sdist" in sys.argv', false],
  ['os.environ.get("CUDA")', undefined],
])("%s holds: %s", (words, value) => {
  expect(plainlyHolds(words)).toBe(value);
  const tokens = [...words.matchAll(/"([^"]*)"|\w+|[^\s\w]/g)].map(([text, quoted]) => ({
    kind: quoted === undefined ? (/^[A-Za-z_]/.test(text) ? ("name" as const) : ("sign" as const)) : ("text" as const),
    text: quoted ?? text,
    line: 1,
    column: 1,
  }));
  expect(conditionWords(tokens)).toBe(words);
});
