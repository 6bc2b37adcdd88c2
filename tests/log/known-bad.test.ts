import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { isWithin } from "../../packages/core/src/lib/pep440.ts";
import type { KnownBad } from "../../packages/core/src/model/knowledge.ts";

const { withdrawn, combinations, profilers } = JSON.parse(readFileSync("knowledge/known-bad.json", "utf8")) as KnownBad;
const explain = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses;

test("at least sixty defects are known, and no release is offered that has the defect", () => {
  expect(withdrawn.length + combinations.length).toBeGreaterThanOrEqual(60);
  for (const { id, package: name, versions, instead } of withdrawn) {
    expect(isWithin(instead, versions), id).toBe(false);
    for (const other of withdrawn)
      if (other.package === name && !other.platform) expect(isWithin(instead, other.versions), `${id} and ${other.id}`).toBe(false);
  }
});

const refused =
  'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\venv\\torch\\lib\\fbgemm.dll" or one of its dependencies.';

test("a release with a defect that the error shows comes first, with a release that has it not", async () => {
  const [first] = await explain(`torch==2.4.0\n${refused}`);
  expect(first).toMatchObject({ cause: "upstream-bug", name: "torch", certainty: "likely" });
  expect(first!.fixes[0]!.commands.join()).toContain("torch>=2.4.1");
  expect((await explain(`torch==2.5.1\n${refused}`)).map(({ cause }) => cause)).not.toContain("upstream-bug");
  expect((await explain(refused)).find(({ cause }) => cause === "upstream-bug")).toMatchObject({ certainty: "possible" });
});

test("a release that was taken back is named where something fails, and not where nothing does", async () => {
  expect((await explain("jax==0.4.32\nRuntimeError: something odd"))[0]).toMatchObject({
    cause: "upstream-bug",
    name: "jax",
    certainty: "possible",
  });
  expect(await explain("Collecting jax==0.4.32\nSuccessfully installed jax-0.4.32")).toEqual([]);
});

test("no release is offered to somebody who profiles that has the defect, and each is told only by its release", async () => {
  for (const { id, versions, instead } of profilers) expect(isWithin(instead, versions), id).toBe(false);
  const told = "CUPTI does not trace kernels any more";
  expect((await explain(`Since CUDA 12.4.1 ${told}`))[0]).toMatchObject({
    cause: "upstream-bug",
    found: "CUDA 12.4.1",
    certainty: "likely",
  });
  expect((await explain(`With CUDA 12.4 ${told}`))[0]).toMatchObject({ cause: "upstream-bug", certainty: "possible" });
  expect((await explain(`With CUDA 12.8 ${told}`)).map(({ cause }) => cause)).not.toContain("upstream-bug");
});

test("a profiler's defect on Windows is none on Linux", async () => {
  const text = "torch.profiler does not record CUDA kernels, torch 2.4.1+cu121";
  expect((await explain(`Windows 11: ${text}`))[0]).toMatchObject({ cause: "profiler-platform-unsupported", found: "PyTorch 2.4.1+cu121" });
  expect((await explain(`Ubuntu: ${text}`))[0]!.cause).not.toBe("profiler-platform-unsupported");
});
