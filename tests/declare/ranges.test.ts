import { describe, expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const project = (python: string, dependencies: string[], more = "") =>
  `[project]\nname = "x"\nversion = "1"\nrequires-python = "${python}"\ndependencies = [\n${dependencies.map((each) => `  "${each}",\n`).join("")}]\n${more}`;

const poetry = (python: string, torch: string) =>
  `[tool.poetry]\nname = "x"\n\n[tool.poetry.dependencies]\npython = "${python}"\ntorch = "${torch}"\n`;

// What `uv lock` says of the same projects is noted behind.
describe("no-wheel-for-python: a range of Pythons", () => {
  test.each([
    ["requires-python", project(">=3.13", ["torch==2.3.1"]), 6],
    ["requires-python with a space and an end", project(">= 3.13, < 4", ["torch==2.3.1"]), 6],
    ["Poetry", poetry(">=3.13", "2.3.1"), 6],
    ["Poetry's caret", poetry("^3.13", "2.3.1"), 6],
    ["two bounds that leave one Python", project(">=3.13,<3.14", ["torch==2.3.1"]), 6],
    ["a second package", project(">=3.13", ["torch>=2.3", "tensorflow==2.17.0"]), 7],
    ["environments of uv", project(">=3.10", ["torch==2.3.1"], "[tool.uv]\nenvironments = [\"python_version >= '3.13'\"]\n"), 6],
  ])("no Python that it lets in has a wheel: %s", async (_, text, line) => {
    const { check } = await declared("pyproject.toml", text);
    expect(check.findings.map(({ rule, severity, place }) => [rule, severity, place!.line])).toEqual([
      ["no-wheel-for-python", "error", line],
    ]);
  });

  test("it is said which Pythons, where they are written, and what would do", async () => {
    const { check } = await declared("pyproject.toml", project(">=3.13", ["torch==2.3.1"]));
    expect(check.findings[0]).toMatchObject({
      message: "torch==2.3.1 has no wheel for Python >=3.13",
      because: ["torch 2.3.1 has wheels for Python 3.8 to 3.12", "Python >=3.13 is chosen at pyproject.toml:4"],
    });
    expect(check.findings[0]!.advice[0]!.words).toMatch(/^ask for torch 2\.5\.0 to .*; or let Python 3\.12 in$/);
  });

  test.each([
    ["some of them have one: pip takes the Python that is there", project(">=3.9", ["torch==2.3.1"])],
    ["Poetry, the same", poetry("^3.9", "2.3.1")],
    ["a range that ends in time", project(">=3.8,<3.13", ["torch==2.3.1"])],
    ["a marker leaves it out", project(">=3.13", ["torch==2.3.1; python_version < '3.13'", "torch>=2.6; python_version >= '3.13'"])],
    ["a range that no known Python is in", project(">=3.99", ["torch==2.3.1"])],
    ["what cannot be read as a range", project("three", ["torch==2.3.1"])],
    ["environments that are not Linux", project(">=3.9", ["torch==2.3.1"], "[tool.uv]\nenvironments = [\"sys_platform == 'darwin'\"]\n")],
  ])("silence: %s", async (_, text) => {
    expect(short(await declared("pyproject.toml", text))).toEqual([]);
  });

  test("a range in a list of conda counts for pip below it", async () => {
    const list = "name: x\ndependencies:\n  - python>=3.13\n  - pip\n  - pip:\n      - torch==2.3.1\n";
    expect(short(await declared("environment.yml", list))).toEqual(["error no-wheel-for-python 6"]);
    expect(short(await declared("environment.yml", list.replace("3.13", "3.9")))).toEqual([]);
  });

  test("the Python of the file beside counts, as long as the project lets it in", async () => {
    const beside = { ".python-version": "3.13\n" };
    const found = await declared("pyproject.toml", project(">=3.9", ["torch==2.3.1"]), { beside });
    expect(short(found)).toEqual(["error no-wheel-for-python 6"]);
    expect(found.check.findings[0]!.because).toContain("Python 3.13 is chosen at .python-version:1");
    expect(short(await declared("pyproject.toml", project(">=3.9,<3.13", ["torch==2.3.1"]), { beside }))).toEqual([]);
    expect(
      short(await declared("pyproject.toml", project(">=3.9", ["torch==2.3.1"]), { beside: { ".python-version": "3.11.4\n" } })),
    ).toEqual([]);
  });

  test("a range chooses the release, too", async () => {
    const { predicted } = await declared("pyproject.toml", project(">=3.8,<3.10", ["torch"]));
    expect(predicted.frameworks[0]).toMatchObject({ name: "torch", version: "2.8.0" });
  });

  // `uv lock`: "the requested Python version (>=3.8) does not satisfy Python>=3.10".
  test("what uv and Poetry would refuse to lock is a note; pip does not mind", async () => {
    const text = project(">=3.8", ["torch==2.10.0"]);
    expect(short(await declared("pyproject.toml", text))).toEqual([]);
    expect(short(await declared("pyproject.toml", `${text}[tool.uv]\n`))).toEqual(["info no-wheel-for-python 6"]);
    expect(short(await declared("pyproject.toml", poetry("^3.8", "2.10.0")))).toEqual(["info no-wheel-for-python 6"]);
    expect(short(await declared("pyproject.toml", `${text.replace("3.8", "3.10")}[tool.uv]\n`))).toEqual([]);
    expect(short(await declared("pyproject.toml", `${project(">=3.8", ["torch==2.10.0; python_version >= '3.10'"])}[tool.uv]\n`))).toEqual(
      [],
    );
  });
});
