import { describe, expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const cu121 = "https://download.pytorch.org/whl/cu121";
const uvProject = (torch: string, settings: string) => `[project]\nname = "x"\ndependencies = ["${torch}"]\n\n${settings}`;
const uvIndex = (more = "") => `[[tool.uv.index]]\nname = "pt"\nurl = "${cu121}"\n${more}`;

// pip and uv were given two local indexes with such releases: pip takes the newest of both, uv that of the extra index.
describe("another-index-wins", () => {
  test("what is got, why, and what to write", async () => {
    const { check } = await declared("requirements.txt", `--extra-index-url ${cu121}\ntorch\ntorchvision\n`);
    expect(check.findings).toHaveLength(1);
    expect(check.findings[0]).toMatchObject({ rule: "another-index-wins", severity: "warning", place: { line: 2 } });
    expect(check.findings[0]!.message).toMatch(
      /^pip takes torch 2\.\d+\.\d of PyPI \(for CUDA 1\d\.\d\), not a build of the index for cu121 that is named$/,
    );
    expect(check.findings[0]!.because[0]).toBe("the newest torch of the index for cu121 is 2.5.1");
    expect(check.findings[0]!.advice.map(({ words }) => words)).toEqual([
      "to have the build for cu121, ask for torch==2.5.1+cu121",
      `or name its index alone: --index-url ${cu121}`,
    ]);
  });

  test.each([
    ["a page of wheels", "requirements.txt", `--find-links ${cu121}/torch_stable.html\ntorch\n`, 2],
    ["a lower bound", "requirements.txt", `--extra-index-url ${cu121}\nnumpy\ntorch>=2.1\n`, 3],
    ["a pin that came after", "requirements.txt", `--extra-index-url ${cu121}\ntorch==2.7.0\n`, 2],
    ["a command", "Dockerfile", `FROM python:3.11-slim\nRUN pip install torch --extra-index-url ${cu121}\n`, 2],
    [
      "uv, told to compare",
      "Dockerfile",
      `FROM python:3.11\nRUN uv pip install --index-strategy unsafe-best-match torch --extra-index-url ${cu121}\n`,
      2,
    ],
    [
      "uv's project, told to compare",
      "pyproject.toml",
      uvProject("torch", `${uvIndex()}[tool.uv]\nindex-strategy = "unsafe-best-match"\n`),
      3,
    ],
  ])("%s", async (_, file, text, line) => {
    expect(short(await declared(file, text))).toEqual([`warning another-index-wins ${line}`]);
  });

  test("advice takes the bounds along, and names no index alone that the others are not on", async () => {
    const advice = async (text: string) => (await declared("requirements.txt", text)).check.findings[0]!.advice.map(({ words }) => words);
    expect(await advice(`--extra-index-url ${cu121}\ntorch!=2.5.1\nsome-package\n`)).toEqual([
      "to have the build for cu121, ask for torch==2.5.0+cu121",
    ]);
    expect(await advice(`--extra-index-url ${cu121}\ntorch>=2.6\n`)).toEqual([
      "leave that index out, or ask for torch==2.5.1+cu121: nothing newer was built for cu121",
    ]);
  });

  test.each([
    ["a release that the index has", "requirements.txt", `--extra-index-url ${cu121}\ntorch==2.5.1\n`],
    ["the label", "requirements.txt", `--extra-index-url ${cu121}\ntorch==2.5.1+cu121\n`],
    ["an upper bound", "requirements.txt", `--extra-index-url ${cu121}\ntorch>=2.0,<2.6\n`],
    ["the index alone", "requirements.txt", `--index-url ${cu121}\ntorch\n`],
    [
      "the build without CUDA is there of every release",
      "requirements.txt",
      "--extra-index-url https://download.pytorch.org/whl/cpu\ntorch\n",
    ],
    ["an index that is still built for", "requirements.txt", "--extra-index-url https://download.pytorch.org/whl/cu126\ntorch\n"],
    ["a label that nothing is known of", "requirements.txt", "--extra-index-url https://download.pytorch.org/whl/cu999\ntorch\n"],
    ["the page of all builds", "requirements.txt", "-f https://download.pytorch.org/whl/torch_stable.html\ntorch\n"],
    ["no torch at all", "requirements.txt", `--extra-index-url ${cu121}\nnumpy\n`],
    ["uv", "Dockerfile", `FROM python:3.11\nRUN uv pip install torch --extra-index-url ${cu121}\n`],
    ["uv as a module", "Dockerfile", `FROM python:3.11\nRUN python3 -m uv pip install torch --extra-index-url ${cu121}\n`],
    ["uv's project", "pyproject.toml", uvProject("torch", uvIndex())],
    ["uv's project, by its older names", "pyproject.toml", uvProject("torch", `[tool.uv]\nextra-index-url = ["${cu121}"]\n`)],
    [
      "a source of its own",
      "pyproject.toml",
      uvProject("torch", `${uvIndex("explicit = true\n")}[tool.uv.sources]\ntorch = { index = "pt" }\n`),
    ],
  ])("silence: %s", async (_, file, text) => {
    expect(short(await declared(file, text))).toEqual([]);
  });

  test("uv takes the first index that has it", async () => {
    const build = { name: "torch", version: "2.5.1", variant: "cu121" };
    const command = await declared("Dockerfile", `FROM python:3.11\nRUN uv pip install torch --extra-index-url ${cu121}\n`);
    expect(command.predicted.frameworks[0]).toMatchObject(build);
    expect((await declared("pyproject.toml", uvProject("torch", uvIndex()))).predicted.frameworks[0]).toMatchObject(build);
    const own = uvProject("torch", `${uvIndex("explicit = true\n")}[tool.uv.sources]\ntorch = { index = "pt" }\n`);
    expect((await declared("pyproject.toml", own)).predicted.frameworks[0]).toMatchObject(build);
  });

  test("each reads its own variables", async () => {
    const file = (command: string) => `FROM python:3.11\nENV UV_EXTRA_INDEX_URL=${cu121}\nRUN ${command} install torch\n`;
    const version = async (command: string) => (await declared("Dockerfile", file(command))).predicted.frameworks[0]!.variant;
    expect(await version("uv pip")).toBe("cu121");
    expect(await version("pip")).not.toBe("cu121");
  });
});

describe("version-not-published: the only index has no more of them", () => {
  test.each([
    ["a pin", "requirements.txt", "--index-url https://download.pytorch.org/whl/cu118\ntorch==2.8.0\n", 2],
    ["a bound", "requirements.txt", `--index-url ${cu121}\ntorch>=2.6\n`, 2],
    ["a label", "requirements.txt", "--extra-index-url https://download.pytorch.org/whl/cu118\ntorch==2.8.0+cu118\n", 2],
    ["a label that came later", "requirements.txt", "--extra-index-url https://download.pytorch.org/whl/cu129\ntorch==2.5.1+cu129\n", 2],
    ["an index that came later", "requirements.txt", `--index-url ${cu121}\ntorch==2.0.1\n`, 2],
    ["uv asks no other", "pyproject.toml", uvProject("torch>=2.6", uvIndex()), 3],
    [
      "a source of its own",
      "pyproject.toml",
      uvProject("torch>=2.6", `${uvIndex("explicit = true\n")}[tool.uv.sources]\ntorch = { index = "pt" }\n`),
      3,
    ],
  ])("%s", async (_, file, text, line) => {
    const { check } = await declared(file, text);
    expect(check.findings.map(({ rule, severity, certainty, place }) => [rule, severity, certainty, place!.line])).toEqual([
      ["version-not-published", "error", "likely", line],
    ]);
  });

  test("what was built instead is said", async () => {
    const { check } = await declared("requirements.txt", "--index-url https://download.pytorch.org/whl/cu118\ntorch==2.8.0\n");
    expect(check.findings[0]!.because).toEqual(["the newest there is torch==2.7.1+cu118", "torch 2.8.0 was built for cu128, cu126, cu129"]);
    expect(check.findings[0]!.advice[0]!.words).toBe(
      "ask for torch==2.7.1+cu118, or name the index for cu128: https://download.pytorch.org/whl/cu128",
    );
  });

  test("a label that came later: the first with it, and what this release was built for", async () => {
    const { check } = await declared("requirements.txt", `--extra-index-url ${cu121}\ntorch==2.0.1+cu121\n`);
    expect(check.findings[0]!.because).toEqual(["the oldest there is torch==2.1.0+cu121", "torch 2.0.1 was built for cu117, cu118"]);
    expect(check.findings[0]!.advice[0]!.words).toBe(
      "ask for torch==2.1.0+cu121, or for the label +cu117 from its index: https://download.pytorch.org/whl/cu117",
    );
  });

  test("a build that may be there, and of which nothing is known, is neither green nor without CUDA", async () => {
    const { check } = await declared("requirements.txt", "--extra-index-url https://download.pytorch.org/whl/cu133\ntorch==2.13.0+cu133\n");
    expect(check.status).toBe("incomplete");
    expect(check.judged).toEqual([]);
    expect(check.unknown.map(({ subject, reason }) => `${subject}: ${reason}`)).toEqual([
      "torch 2.13.0: nothing is known of a build with the label +cu133",
    ]);
  });

  test.each([
    ["what is there", `--index-url ${cu121}\ntorch==2.3.1\ntorchvision\n`],
    ["a release whose other builds are not known", "--index-url https://download.pytorch.org/whl/cu126\ntorch==2.14.1\n"],
    ["a release that is not known", `--index-url ${cu121}\ntorch==99.1\n`],
  ])("silence: %s", async (_, text) => {
    expect(short(await declared("requirements.txt", text))).toEqual([]);
  });
});

test("version-not-published: what the index of a framework does not have, where it is the only one", async () => {
  const only = "--index-url https://download.pytorch.org/whl/cu121";
  const image = (line: string) => `FROM python:3.11\nRUN pip install ${line}\n`;
  expect(short(await declared("Dockerfile", image(`torch==2.3.1 accelerate flask ${only}`)))).toEqual(["error version-not-published 2"]);
  expect(short(await declared("requirements.txt", `${only}\ntorch==2.3.1\nscikit-learn\n`))).toEqual(["error version-not-published 3"]);
  for (const fine of [
    `torch==2.3.1 torchvision==0.18.1 numpy pillow ${only}`,
    `torch==2.3.1 accelerate ${only} --extra-index-url https://pypi.org/simple`,
    `torch==2.3.1 accelerate --extra-index-url https://download.pytorch.org/whl/cu121`,
    `accelerate && pip install torch==2.3.1 ${only}`,
  ])
    expect(short(await declared("Dockerfile", image(fine))), fine).toEqual([]);
  // It has some releases of this one.
  const { check } = await declared("Dockerfile", image(`torch==2.3.1 transformers==4.44.0 ${only}`));
  expect(check.unknown.map(({ subject }) => subject)).toEqual(["transformers==4.44.0"]);
});

test("a release by its beginning of which nothing is known is not judged", async () => {
  const { check } = await declared("requirements.txt", "cudf-cu12==24.8.*\ntorch==2.4.0\nnumpy<2\n");
  expect(check.unknown.map(({ subject }) => subject)).toEqual(["cudf-cu12==24.8.*"]);
});

test("cupy-cuda12x is judged for its own CUDA, whichever others have the same version", async () => {
  const { check } = await declared("requirements.txt", "cupy-cuda12x==14.0.1\n");
  expect(check.judged).toEqual([{ program: "cupy", version: "14.0.1", activities: ["import"] }]);
});

// As uv lowers them: a source with `extra` counts for what that extra itself asks for, one with a marker where it holds, else the usual index.
describe("uv's sources for an extra, a group or a marker", () => {
  const cu130 = "https://download.pytorch.org/whl/cu130";
  const project = (source: string, torch = "torch==2.5.1", more = "") =>
    `[project]\nname = "x"\ndependencies = ["${torch}"]\n${more}
[[tool.uv.index]]\nname = "pt"\nurl = "${cu130}"\nexplicit = true\n[tool.uv.sources]\ntorch = [${source}]\n`;
  const extra = (torch: string) => `[project.optional-dependencies]\ngpu = ["${torch}"]\n`;

  test.each([
    ["another extra", project('{ index = "pt", extra = "gpu" }')],
    ["a group", project('{ index = "pt", group = "gpu" }')],
    ["a marker that does not hold", project(`{ index = "pt", marker = "sys_platform == 'win32'" }`)],
    ["an extra that nobody chose", project(`{ index = "pt", marker = "extra == 'gpu'" }`)],
    ["its own extra, and a release that is there", project('{ index = "pt", extra = "gpu" }', "requests", extra("torch==2.10.0"))],
  ])("%s leaves the rest to the usual index", async (_, text) => {
    const answer = await declared("pyproject.toml", text);
    expect([short(answer), answer.check.status]).toEqual([[], "ok"]);
  });

  test.each([
    ["its own extra", project('{ index = "pt", extra = "gpu" }', "requests", extra("torch==2.5.1"))],
    ["a group", project('{ index = "pt", group = "gpu" }', "requests", '[dependency-groups]\ngpu = ["torch==2.5.1"]\n')],
    ["a marker for an extra", project(`{ index = "pt", marker = "extra == 'gpu'" }`, "torch==2.5.1", extra("requests"))],
  ])("%s has that index alone", async (_, text) => {
    expect((await declared("pyproject.toml", text)).check.findings.map(({ rule }) => rule)).toEqual(["version-not-published"]);
  });
});

test("an index of PyTorch that is called as none is", async () => {
  const asked = (option: string) => declared("requirements.txt", `${option} https://download.pytorch.org/whl/cuda129\ntorch\n`);
  expect(short(await asked("--index-url"))).toEqual(["error version-not-published 2"]);
  expect(short(await asked("--extra-index-url"))).toContain("warning version-not-published 2");
  for (const folder of ["cu129", "cpu", "rocm6.4", "xpu", "nightly/cu129", "torch_stable.html"])
    expect(
      short(await declared("requirements.txt", `--index-url https://download.pytorch.org/whl/${folder}\ntorch\n`)).join(),
      folder,
    ).not.toContain("version-not-published");
});

test("built-for-another-cuda: the one index of a command decides for what it brings", async () => {
  const whl = "https://download.pytorch.org/whl";
  const two = (second: string) =>
    declared(
      "Dockerfile",
      `FROM python:3.11\nRUN pip install torch==2.3.1 --index-url ${whl}/cu121\nRUN pip install torchaudio==2.3.1 --index-url ${whl}/${second}\n`,
    );
  expect(short(await two("cu118"))).toEqual(["warning built-for-another-cuda 3"]);
  expect(short(await two("cu121"))).toEqual([]);
  expect(short(await two("cpu"))).toEqual(["warning built-for-another-cuda 3"]);
});
