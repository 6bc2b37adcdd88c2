import { expect, test } from "vitest";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { declared, notebook, short } from "./declared.ts";

const text = notebook(["!pip install -q tensorflow==2.12.0", "import tensorflow as tf"], { colab: { provenance: [] } });

test("since when a notebook breaks, and which change of the image did it", async () => {
  const { check } = await declared("n.ipynb", text, { colab: "latest" });
  expect(check.findings[0]).toMatchObject({ rule: "no-wheel-for-python", place: { cell: 1, line: 1 } });
  expect(check.findings[0]!.because.at(-1)).toBe(
    "this breaks since 2025-08-15: Python 3.11.13 became 3.12.11; other things broke before, and all of it worked with Colab of 2023-11-15 last",
  );
  expect(short(await declared("n.ipynb", text, { colab: "2023-11-15" }))).toEqual([]);
  expect(short(await declared("n.ipynb", text, { colab: "2025-07-30" }))).toEqual(["error library-missing 1:1"]);
  expect(short(await declared("n.ipynb", text, { colab: "2025-08-20" }))).toEqual(["error no-wheel-for-python 1:1"]);
});

test("a notebook made for Colab is judged by the latest, which is said; another one by itself", async () => {
  const { check } = await declared("n.ipynb", text);
  expect(check.findings).toHaveLength(1);
  expect(check.unknown[0]!.reason).toMatch(/^it is made for Colab: judged by Colab of \d{4}-\d\d-\d\d$/);
  expect(short(await declared("n.ipynb", notebook(["!pip install -q tensorflow==2.12.0"])))).toEqual([]);
});

test("condacolab puts another Python in the place of Colab's, which nobody here knows", async () => {
  const cells = [
    "!pip install -q condacolab\nimport condacolab\ncondacolab.install()",
    "!pip install torch==1.12.1+cu113 -f https://download.pytorch.org/whl/torch_stable.html",
  ];
  for (const colab of [undefined, "latest"]) {
    const { check } = await declared("n.ipynb", notebook(cells, { colab: {} }), colab === undefined ? {} : { colab });
    expect(check.findings).toEqual([]);
    expect(check.unknown.map(({ reason }) => reason).join("\n")).toContain("condacolab puts a Python of conda's in the place of Colab's");
  }
  const { check } = await declared("n.ipynb", notebook(cells.slice(1), { colab: {} }));
  expect(check.findings[0]).toMatchObject({ rule: "no-wheel-for-python" });
});

test("what Colab has and will do stays; what replaces a part of it is said", async () => {
  const kept = await declared("n.ipynb", notebook(["!pip install torch==2.0.1"]), { colab: "2023-10-10" });
  expect(short(kept)).toEqual([]);
  expect(kept.predicted.frameworks).toContainEqual(expect.objectContaining({ name: "torch", version: "2.0.1", variant: "cu118" }));
  const broken = await declared("n.ipynb", notebook(["!pip install nvidia-cudnn-cu12==8.9.7.29", "import torch"]), {
    colab: "latest",
  });
  expect(broken.check.findings[0]).toMatchObject({ rule: "pins-not-met" });
  expect(broken.check.findings[0]!.because.join()).toContain("is in Colab of");
  expect(adviceLine(broken.check.findings[0]!.advice[0]!)).toMatch(/^this cell fixes it: %pip install nvidia-cudnn-cu12==/);
  // Nobody in this notebook would notice.
  expect(short(await declared("n.ipynb", notebook(["!pip install nvidia-cudnn-cu12==8.9.7.29"]), { colab: "latest" }))).toEqual([]);
});

test("a list of requirements can be judged by a day, too", async () => {
  expect(short(await declared("requirements.txt", "tensorflow==2.12.0\n", { colab: "2026-01-10" }))).toEqual([
    "error no-wheel-for-python 1",
  ]);
});

test.each([
  ["2019-01-01", "is known from"],
  ["yesterday", "is no day of Colab such as"],
  ["2024-13-01", "is no day of Colab such as"],
])("--colab %s is refused in one sentence", async (colab, words) => {
  await expect(declared("n.ipynb", text, { colab })).rejects.toThrow(words);
});

test("the NumPy that an image has stays, so nothing is said about the newest one", async () => {
  const cells = ["!pip install tensorflow==2.8.0"];
  expect(short(await declared("n.ipynb", notebook(cells)))).toEqual(["warning known-bad-combination 1:1", "warning numpy-too-new 1:1"]);
  expect(short(await declared("n.ipynb", notebook(cells), { colab: "2023-06-01" }))).toEqual([]);
  expect(short(await declared("n.ipynb", notebook(["!pip install numpy tensorflow==2.8.0"]), { colab: "2023-06-01" }))).toEqual([]);
  // It is replaced where only a newer one will do.
  expect(short(await declared("n.ipynb", notebook(['!pip install "numpy>=2" tensorflow==2.8.0']), { colab: "2023-06-01" }))).toEqual([
    "warning numpy-too-new 1:1",
  ]);
});

test("a TensorFlow that was built for the CUDA that Colab had goes on without the GPU since it has another", async () => {
  const cells = ["!pip install tensorflow==2.8.0", "import tensorflow as tf"];
  expect(short(await declared("n.ipynb", notebook(cells), { colab: "2023-11-15" }))).toEqual([]);
  const { check } = await declared("n.ipynb", notebook(cells), { colab: "2024-10-21" });
  expect(check.findings).toHaveLength(1);
  const [finding] = check.findings;
  expect(finding).toMatchObject({
    rule: "library-missing",
    cause: "library-missing",
    breaks: [{ framework: "tensorflow", activity: "device" }],
  });
  expect(finding!.message).toContain("libcudart.so.11.0");
  expect(finding!.because.at(-1)).toMatch(/worked with Colab of 2023-11-15, and breaks since 2023-12-12: CUDA 11\.8 .* became CUDA 12\.2/);
  // The one that is there, and one that brings its own libraries, are fine.
  expect(short(await declared("n.ipynb", notebook(["!pip install transformers", "import tensorflow"]), { colab: "2024-10-21" }))).toEqual(
    [],
  );
  expect(
    short(await declared("n.ipynb", notebook(['!pip install "tensorflow[and-cuda]==2.15.1"']), { colab: "2023-11-15" })),
  ).not.toContain("error library-missing 1:1");
});

test("what pip takes today has no history: only what is pinned is said to have worked on a day", async () => {
  const today = await declared("n.ipynb", notebook(["!pip install onnxruntime-gpu"]), { colab: "2026-08-19" });
  expect(short(today)).toEqual(["error library-missing 1:1"]);
  expect(today.check.findings[0]!.because.join("\n")).not.toContain("it worked");
  const pinned = await declared("n.ipynb", notebook(["!pip install tensorflow==2.15.0"]), { colab: "2026-08-19" });
  expect(pinned.check.findings[0]!.because.join("\n")).toContain("it worked with Colab of");
});

test("--upgrade gives up what is named, and nothing of what that asks for", async () => {
  const answer = await declared("a.ipynb", notebook(["!pip install -U accelerate\n"]), { colab: "2025-08-15" });
  expect(short(answer).filter((each) => !each.startsWith("info"))).toEqual([]);
  expect(answer.predicted.packages.find(({ name }) => name === "torch")?.version).toMatch(/^2\.8\./);
});

test("what Colab has upon jax stays: a package that asks for flax does not bring the newest one, nor its jax", async () => {
  const answer = await declared("n.ipynb", notebook(["!pip install clu"], { colab: {} }));
  expect(short(answer)).toEqual([]);
});
