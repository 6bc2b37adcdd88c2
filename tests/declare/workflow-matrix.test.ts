import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const job = (matrix: string, steps: string, system = "ubuntu-latest") =>
  `on: push\njobs:\n  t:\n    runs-on: ${system}\n    strategy:\n      matrix:\n${matrix.replace(/^/gm, "        ")}\n    steps:\n${steps.replace(/^/gm, "      ")}\n`;
const python = "- uses: actions/setup-python@v5\n  with:\n    python-version: ${{ matrix.python }}\n";
const torch = "- run: pip install torch==${{ matrix.torch }}";
const judged = async (text: string) => {
  const answer = await declared(".github/workflows/ci.yml", text);
  return [answer.check.status, ...short(answer), ...answer.check.unknown.filter(({ aside }) => !aside).map(({ reason }) => reason)];
};

test("every job of a matrix is judged by its own values", async () => {
  const axes = "python: ['3.10', '3.12']\ntorch: ['2.3.1', '2.5.1']";
  expect(await judged(job(axes, python + torch))).toEqual(["ok"]);
  expect(await judged(job(axes.replace("2.3.1", "1.13.1"), python + torch))).toEqual(["findings", "error no-wheel-for-python 13"]);
  const { check } = await declared(".github/workflows/ci.yml", job(axes.replace("2.3.1", "1.13.1"), python + torch));
  expect(check.findings[0]!.because.join()).toContain("3.12");
  // 256 jobs that all install the same are one.
  const many = Array.from({ length: 16 }, (_, index) => index).join(", ");
  expect(await judged(job(`a: [${many}]\nb: [${many}]`, "- run: pip install torch==2.5.1\n- run: echo ${{ matrix.a }}"))).toEqual(["ok"]);
});

test.each([
  ["exclude", "python: ['3.10', '3.12']\ntorch: ['1.13.1', '2.5.1']\nexclude:\n  - python: '3.12'\n    torch: '1.13.1'"],
  ["include alone", "include:\n  - python: '3.10'\n    torch: '1.13.1'\n  - { python: '3.12', torch: '2.5.1' }"],
  ["include adds to the job that it fits", "python: ['3.10']\ninclude:\n  - python: '3.10'\n    torch: '1.13.1'"],
])("%s", async (_, matrix) => {
  expect(await judged(job(matrix, python + torch))).toEqual(["ok"]);
});

test("include that fits no job is one more", async () => {
  const matrix = "python: ['3.10']\ntorch: ['1.13.1']\ninclude:\n  - { python: '3.13', torch: '1.13.1' }";
  expect(await judged(job(matrix, python + torch))).toEqual(["findings", "error no-wheel-for-python 15"]);
});

test("objects, variables, images and systems take their values; what a step's `if` excludes is left out", async () => {
  expect(
    await judged(
      job(
        "v: [{ torch: '2.5.1', vision: '0.19.1' }]",
        "- run: pip install torch==${{ matrix.v.torch }} torchvision==${{ matrix.v.vision }}",
      ),
    ),
  ).toEqual(["findings", "error requirements-clash 9"]);
  expect(await judged(job("t: ['2.5.1']", "- run: pip install torch==$T torchvision==0.19.1\n  env:\n    T: ${{ matrix.t }}"))).toEqual([
    "findings",
    "error requirements-clash 9",
  ]);
  const both =
    "- run: pip install onnxruntime\n  if: matrix.gpu == 'no'\n- run: pip install onnxruntime-gpu[cuda,cudnn]\n  if: ${{ matrix.gpu != 'no' && runner.os == 'Linux' }}";
  expect(await judged(job("gpu: ['no', 'yes']", both))).toEqual(["ok"]);
  expect(await judged(job("os: [windows-latest]", "- run: pip install onnxruntime onnxruntime-gpu", "${{ matrix.os }}"))).toEqual([
    "nothing-to-check",
  ]);
  expect((await judged(job("os: [ubuntu-22.04]", "- run: pip install torch==2.5.1 torchvision==0.19.1", "${{ matrix.os }}")))[1]).toBe(
    "error requirements-clash 9",
  );
});

test("what GitHub works out stays open", async () => {
  expect(await judged(job("torch: ${{ fromJSON(needs.a.outputs.b) }}", torch))).toEqual([
    "incomplete",
    "which version this is depends on a variable",
  ]);
});

// Nixtla/neuralforecast has such a step for macOS alone.
test.each([
  ["one of two systems, none of them this one", "matrix.os == 'macos-13' || matrix.os == 'macos-14'", "ok"],
  ["in brackets", "(matrix.os == 'macos-13' || runner.os == 'Windows') && always()", "ok"],
  ["what does not hold, turned round", "${{ !(matrix.os == 'ubuntu-latest') }}", "ok"],
  ["by how it begins", "${{ startsWith(matrix.os, 'macos') }}", "ok"],
  ["by what it contains, in whatever letters", "contains(matrix.os, 'MACOS') && github.event_name == 'push'", "ok"],
  ["switched off", "false", "ok"],
  ["one of two holds", "matrix.os == 'macos-13' || matrix.os == 'ubuntu-latest'", "findings"],
  ["what GitHub alone knows", "github.event_name == 'push' || matrix.os == 'macos-13'", "findings"],
  ["a question that is not understood", "matrix.os <> 'ubuntu-latest'", "findings"],
])("the `if` of a step: %s", async (_, condition, status) => {
  const steps = `- run: pip install torch==2.5.1\n- run: pip install torchvision==0.19.1 torch==2.5.1\n  if: ${condition}`;
  expect((await judged(job("os: [ubuntu-latest, macos-13]", steps, "${{ matrix.os }}")))[0]).toBe(status);
});
