// Where a text does not say enough: the question that would decide, the nearest known message, and what to hand on.
import { expect, test } from "vitest";
import { askReport, explainLog, explainReport } from "../../packages/core/src/index.ts";

const explain = (text: string, excerpt = false) => explainLog([new TextEncoder().encode(text)], {}, { excerpt });

test.each([
  ["failed with error CUPTI_ERROR_UNKNOWN", "in a container, in a virtual machine or under WSL"],
  ["RuntimeError: the flux engine gave up\ntorch 2.4.1", "nvidia-smi"],
  ["RuntimeError: the flux engine gave up", "pip list"],
  ["| NVIDIA-SMI 535.54.03   Driver Version: 535.54.03   CUDA Version: 12.2     |", "last twenty lines"],
])("%s", async (text, asked) => {
  const explanation = await explain(text);
  expect(explanation.question).toContain(asked);
  expect(explainReport(explanation)).toContain(asked);
});

test("nothing is asked where the text says enough, or nothing at all", async () => {
  for (const text of ["hello", "AssertionError: Torch not compiled with CUDA enabled"])
    expect(await explain(text)).not.toHaveProperty("question");
});

test("the nearest known message is shown where none is recognised", async () => {
  const { diagnoses, alike } = await explain("CUDA driver version is quite sufficient for every CUDA runtime");
  expect(diagnoses).toEqual([]);
  expect(alike?.known).toContain("CUDA driver version is insufficient for CUDA runtime version");
});

test.each([
  ["FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'", "a file of the program's own"],
  ["AssertionError: batch must be even", "an assertion of the program"],
])("a plain error is called that: %s", async (text, words) => {
  const explanation = await explain(`Traceback (most recent call last):\n${text}`);
  expect(explanation.diagnoses).toEqual([]);
  expect(explanation.plain?.what).toContain(words);
  const report = explainReport(explanation);
  expect(report).toContain(words);
  expect(report).not.toMatch(/[✓✗]/);
});

test.each([
  ["IndexError: list index out of range", "an IndexError of Python"],
  ["ConnectionRefusedError: [Errno 111] Connection refused", "could not be reached"],
])("one that is known is no mismatch, and carries no mark of ours: %s", async (text, words) => {
  const explanation = await explain(`Traceback (most recent call last):\n${text}`);
  expect(explanation.diagnoses.map(({ cause }) => cause)).toEqual(["not-a-mismatch"]);
  const report = explainReport(explanation);
  expect(report).toContain(words);
  expect(report).not.toMatch(/[✓✗]/);
});

test("an evidence pack holds twenty lines at most, and neither secrets nor names", async () => {
  const noise = Array.from({ length: 200 }, (_, at) => `step ${at} of /home/joe/run`).join("\n");
  const token = `hf_${"aBcD1234".repeat(5)}`;
  const text = `${noise}\nHF_TOKEN=${token}\nFile "/home/joe/train.py", mail joe@example.org\nImportError: libcudnn.so.9: cannot open shared object file`;
  const explanation = await explain(text, true);
  expect(explanation.excerpt!.length).toBeLessThanOrEqual(20);
  expect((await explain(text)).excerpt).toBeUndefined();
  const pack = askReport(explanation);
  expect(pack).toContain("ImportError: libcudnn.so.9");
  expect(pack).toContain("library-missing");
  for (const hidden of [token, "joe"]) expect(pack).not.toContain(hidden);
});
