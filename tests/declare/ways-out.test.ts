import { expect, test } from "vitest";
import { checkDependencyFile } from "../../packages/core/src/index.ts";
import { notebook } from "./declared.ts";

const nothing = async () => ({ code: "unreadable" as const, problem: "no such file" });

test("a way out of a clash keeps the Python and the other lines; a companion of a torch that is not there is no torch", async () => {
  const text = "torchvision==0.15.2\noptimum==1.20.0\ntransformers==4.50.0\n";
  const answer = await checkDependencyFile({ file: "requirements.txt", text, read: nothing, python: "3.10" });
  if ("problem" in answer) throw new Error(answer.problem);
  const [clash] = answer.check.findings;
  expect(clash).toMatchObject({ rule: "requirements-clash" });
  const ways = clash!.advice.map(({ words }) => words);
  expect(ways).toHaveLength(2);
  for (const way of ways) {
    expect(way).toContain("Python 3.10");
    expect(way).toContain("torchvision 0.15.2");
    expect(way).toContain("torch 2.0.1");
  }
  expect(answer.check.judged.filter(({ program }) => program === "torch")).toEqual([]);
});

test("what no line asks for stays, too: no way out of a clash on Colab names another Python than Colab's", async () => {
  const text = notebook(["!pip install 'datasets' 'gradio==3.50.2' 'whisperx>=3.1.1'"], { colab: {} });
  const answer = await checkDependencyFile({ file: "n.ipynb", text, read: nothing, colab: "2026-08-19" });
  if ("problem" in answer) throw new Error(answer.problem);
  const [clash] = answer.check.findings;
  expect(clash).toMatchObject({ rule: "requirements-clash" });
  const ways = clash!.advice.map(({ words }) => words);
  const others = ways.filter((way) => !way.startsWith("drop or change Python"));
  expect(others.length).toBeGreaterThan(0);
  for (const way of others) expect(way).toContain("Python 3.13");
});

test("why packages that bring packages do not fit is told in a moment, however many releases they have", { timeout: 20_000 }, async () => {
  const text = notebook(["!pip install huggingface_hub==0.22.2 'whisperx>=3.1.1'"], { colab: {} });
  const answer = await checkDependencyFile({ file: "n.ipynb", text, read: nothing, colab: "2026-08-19" });
  if ("problem" in answer) throw new Error(answer.problem);
  expect(answer.check.findings.map(({ rule }) => rule)).toEqual(["requirements-clash"]);
  expect(answer.check.findings[0]!.because.join("\n")).toContain("huggingface-hub>=0.28.1");
});
