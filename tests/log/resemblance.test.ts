// Texts without a known message: a short list of what is possible, and silence where nothing is wrong.
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { causes } from "../../packages/core/src/model/cause.ts";
import { featuresOf } from "../../packages/core/src/log/resemblance/features.ts";
import { learned } from "../../packages/core/src/log/resemblance/learned.ts";
import { rank } from "../../packages/core/src/log/resemblance/rank.ts";
import { words } from "../../packages/core/src/log/resemblance/words.ts";

const diagnoses = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses;

test.each([
  [
    "kernel-module-missing",
    "Card gone after the update\nSince last night's update of the kernel the NVIDIA card cannot be used any more, DKMS says nothing and Secure Boot is on.\nHow do I get the module back?",
  ],
  [
    "toolkit-vs-framework-at-build",
    "Extension does not build\nOur own torch extension fails to compile: the toolkit on the build machine is 12.4, and our torch wheel was made with 11.8.\nHow do people deal with that?",
  ],
  [
    "wrong-wheel-platform",
    "Cannot install the package on the new ARM server\nThere seems to be no wheel for aarch64 with CUDA at all: pip only finds the source, and that fails.",
  ],
])("%s is among what a text may be that nobody's message is in", async (cause, text) => {
  const found = await diagnoses(text);
  expect(found.map((each) => each.cause)).toContain(cause);
  expect(found.every(({ certainty }) => certainty === "possible")).toBe(true);
  expect(found.length).toBeLessThanOrEqual(4);
});

test.each([
  "I finished the tutorial on CUDA streams, thank you very much! The GPU stays at 98 percent.",
  "Epoch 3/10 loss 0.4\nUsing device cuda:0\nSaved the model",
  "Which book do you recommend to learn CUDA?",
  "The paper describes how errors of rounding add up on GPUs.",
  "My cat sat on the keyboard and the shell crashed. Why?",
])("nothing is said of: %s", async (text) => expect(await diagnoses(text)).toEqual([]));

const paragraph = "Why does my PyTorch job on the cluster with CUDA 12.1 modules behave in the wrong way, and how do we help it?\n";
test.each([
  [
    "a program's text",
    `import torch\nimport os\n\n\ndef load(model):\n    """${paragraph.trim()}"""\n    model = model.cuda()\n    for each in model:\n        print(each)\n    return model\n\n\ndef save(model):\n    if model is None:\n        return None\n    return model\n`,
  ],
  ["a manual", `# Installation\n\n${paragraph.repeat(3)}\n## Usage\n${paragraph.repeat(6)}`],
  [
    "metadata of a package",
    `Metadata-Version: 2.4\nName: torch-tools\nProject-URL: Issues, https://example.org/issues\n${paragraph.repeat(9)}`,
  ],
  ["what is told late in a long text", `${"The loader puts batches on the GPU by CUDA streams.\n".repeat(80)}${paragraph}`],
])("nothing is said of %s", async (_, text) => expect(await diagnoses(text)).toEqual([]));

test.each([
  "* Distribute #206: AttributeError: 'HTTPMessage' object has no attribute 'getheaders'",
  "x AttributeError: 'Config' object has no attribute 'nms'",
])("no library is blamed for Python's own sentence about any object: %s", async (text) => {
  expect((await diagnoses(text)).map(({ cause, message }) => [cause, /torchvision/.test(message)])).not.toContainEqual([
    "package-conflict",
    true,
  ]);
});

test.each(["- **Breaking change**: Drop support for Python 3.8, require Python >= 3.9", "- Python >=2.7,<3.5: Unsupported"])(
  "a list of changes is no complaint: %s",
  async (text) => expect(await diagnoses(text)).toEqual([]),
);

test("every cause that can be resembled is one, and what its words tell to look at needs nothing of the text", () => {
  expect(learned().causes.toSorted()).toEqual(causes.filter((cause) => cause !== "benign-warning").toSorted());
  // `culprit list` and others take names of frameworks, none of libraries.
  for (const { next } of Object.values(words)) for (const line of next) expect(line).not.toMatch(/^culprit (?!list$|check$)/);
});

test("shares are one together, whatever the text", () => {
  for (const text of ["", "cuda", "a b c", "libcudnn.so.8 not found ".repeat(400)]) {
    const ranked = rank(learned(), featuresOf([text]));
    expect(ranked.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(ranked.every(({ share }) => 0 <= share)).toBe(true);
  }
});

test("releases are one word, files lose their folders and numbers, and signs without spaces go in pairs", () => {
  expect(featuresOf(["/usr/lib/libcudnn.so.8.9.7 wants CUDA 12.4"])).toEqual([
    "libcudnn.so",
    "libcudnn",
    "#.#",
    "libcudnn.so #.#",
    "wants",
    "#.# wants",
    "cuda",
    "wants cuda",
    "cuda #.#",
  ]);
  expect(featuresOf(["无法调用GPU"])).toContain("无法");
});
