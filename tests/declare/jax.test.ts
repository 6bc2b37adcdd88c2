import { describe, expect, test } from "vitest";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { declared, notebook, short } from "./declared.ts";

// jax 0.5.0 and 0.4.13 were imported with such parts from PyPI.
describe("pins-not-met: the parts of jax", () => {
  test("a plugin of another release, which pip does not see", async () => {
    const { check } = await declared("requirements.txt", "jax==0.5.0\njaxlib==0.5.0\njax-cuda12-plugin==0.4.35\n");
    expect(check.findings).toHaveLength(1);
    expect(check.findings[0]).toMatchObject({
      rule: "pins-not-met",
      severity: "warning",
      place: { line: 3 },
      message: "jax 0.5.0 needs jax-cuda12-plugin==0.5.0, and jax-cuda12-plugin 0.4.35 would be there",
      endangers: [{ framework: "jax", activity: "device" }],
    });
    expect(check.findings[0]!.advice.map(({ words }) => words)).toEqual([
      "ask for jax-cuda12-plugin==0.5.0, or in its place for jax[cuda12]==0.5.0, which brings it",
    ]);
  });

  test("a jaxlib that is newer than jax is refused when jax is imported", async () => {
    const { check } = await declared("requirements.txt", "jax==0.4.16\njaxlib==0.4.30\nnumpy<2\n");
    expect(check.findings).toHaveLength(1);
    expect(check.findings[0]).toMatchObject({
      rule: "pins-not-met",
      severity: "error",
      place: { line: 2 },
      message: "jax 0.4.16 refuses jaxlib 0.4.30 when it is imported: it is newer",
      breaks: [{ framework: "jax", activity: "import" }],
    });
  });

  test("the jaxlib that Colab has stays where jax asks for none", async () => {
    const pinned = notebook(["!pip install jax==0.4.13", "import jax"]);
    const { check } = await declared("n.ipynb", pinned, { colab: "latest" });
    expect(check.findings).toHaveLength(1);
    expect(check.findings[0]).toMatchObject({ rule: "pins-not-met", severity: "error", place: { cell: 1, line: 1 } });
    expect(check.findings[0]!.advice[0]!.words).toMatch(
      /^ask for a newer jax: no jaxlib that 0\.4\.13 takes has a wheel for Python 3\.\d+$/,
    );
    // Its own jaxlib is of that release.
    expect(short(await declared("n.ipynb", pinned, { colab: "2023-07-17" }))).toEqual([]);
  });

  test("Colab's plugin stays, too, and one cell brings the right one", async () => {
    const { check } = await declared("n.ipynb", notebook(["!pip install jax==0.6.0", "import jax"]), { colab: "latest" });
    expect(check.findings[0]).toMatchObject({ rule: "pins-not-met", severity: "warning" });
    expect(adviceLine(check.findings[0]!.advice[0]!)).toBe("this cell fixes it: %pip install 'jax[cuda12]==0.6.0'");
    // Nobody asked for jax: what another package brought along is not what this notebook is about.
    const other = await declared("n.ipynb", notebook(["!pip install tensorflow==2.12.0"]), { colab: "2025-07-30" });
    expect(short(other)).toEqual(["error library-missing 1:1"]);
  });

  test.each([
    ["all of one release", "jax==0.5.0\njaxlib==0.5.0\njax-cuda12-plugin==0.5.0\njax-cuda12-pjrt==0.5.0\n"],
    ["extras that differ: one of them would bring it", "jax==0.4.35\njaxlib==0.4.35\njax-cuda12-plugin==0.4.35\njax-cuda12-pjrt==0.4.35\n"],
    ["the extra", "jax[cuda12]==0.5.0\n"],
    ["an older jaxlib that jax takes", "jax==0.4.35\njaxlib==0.4.34\n"],
    ["no plugin", "jax==0.5.0\njaxlib==0.5.0\n"],
  ])("silence: %s", async (_, text) => {
    expect(short(await declared("requirements.txt", text))).toEqual([]);
  });
});

describe("version-not-published: builds of jaxlib with a label", () => {
  const page = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";

  test.each([
    ["a pin", "jaxlib==0.4.23+cuda12.cudnn89\njax==0.4.23\nnumpy<2\n"],
    ["an extra that asks for one", "jax[cuda12_pip]==0.4.20\nnumpy<2\n"],
  ])("%s without the page that has it", async (_, text) => {
    const { check } = await declared("requirements.txt", text);
    expect(check.findings).toHaveLength(1);
    expect(check.findings[0]).toMatchObject({ rule: "version-not-published", severity: "warning", place: { line: 1 } });
    expect(check.findings[0]!.message).toContain("cuda12.cudnn89");
    expect(check.findings[0]!.advice[0]!.words).toBe(`add a line to the file: --find-links ${page}`);
    expect(short(await declared("requirements.txt", `-f ${page}\n${text}`))).toEqual([]);
  });

  test("in a command it is an error", async () => {
    const text = "FROM python:3.11\nRUN pip install 'jax[cuda12_pip]==0.4.20' 'numpy<2'\n";
    expect(short(await declared("Dockerfile", text))).toEqual(["error version-not-published 2"]);
  });
});

describe("colab-magic-removed", () => {
  const cells = (line: string) => notebook([`${line}\nimport tensorflow as tf`]);

  test.each(["%tensorflow_version 1.x", "%tensorflow_version 1.15"])("%s", async (line) => {
    expect(short(await declared("n.ipynb", cells(line), { colab: "latest" }))).toEqual(["error colab-magic-removed 1:1"]);
  });

  test.each([
    ["it only prints", cells("%tensorflow_version 2.x"), "latest"],
    ["it is caught", notebook(["try:\n  %tensorflow_version 1.x\nexcept Exception:\n  pass"]), "latest"],
    ["a comment", cells("# %tensorflow_version 1.x"), "latest"],
    ["not on Colab", cells("%tensorflow_version 1.x"), undefined],
  ])("silence: %s", async (_, text, colab) => {
    expect(short(await declared("n.ipynb", text, colab === undefined ? {} : { colab }))).toEqual([]);
  });
});

test("what stands behind the plus sign of Colab's jaxlib tells its cuDNN, and is listed", async () => {
  const { predicted } = await declared("n.ipynb", notebook(["import jax"]), { colab: "2023-07-17" });
  expect(predicted.packages.find(({ name }) => name === "jaxlib")!.version).toBe("0.4.13+cuda11.cudnn86");
});

test("a jaxlib of jax's own page is built with CUDA, whoever asks for it by its label", async () => {
  const text =
    "-f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html\njax==0.4.23\njaxlib==0.4.23+cuda12.cudnn89\nnumpy<2\n";
  const answer = await declared("requirements.txt", text, { gpus: ["L4"] });
  expect(short(answer)).toEqual([]);
  expect(answer.check.judged.map(({ program, cpuOnly }) => [program, cpuOnly === true])).toEqual([["jax", false]]);
  // The same without a label is for processors.
  expect(short(await declared("requirements.txt", "jax==0.4.23\njaxlib==0.4.23\nnumpy<2\n", { gpus: ["L4"] }))).toEqual([
    "warning cpu-only-build 1",
  ]);
});
