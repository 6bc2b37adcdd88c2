import { expect, test } from "vitest";
import { checkDependencyFile } from "../../packages/core/src/index.ts";

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
