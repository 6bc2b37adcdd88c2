// The build of PyTorch that `explain` advises: one that exists, and that the driver in the text takes.
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { compareDotted } from "../../packages/core/src/knowledge/dotted.ts";
import { torchBuilds } from "../../packages/core/src/knowledge/frameworks.ts";
import { cudaToolkits } from "../../packages/core/src/knowledge/texts/cuda-toolkits.generated.ts";
import { torchBuildFor } from "../../packages/core/src/knowledge/torch-builds.ts";
import { solved } from "../solve/requests.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** The index that is advised where a text shows a torch without CUDA, and this besides. */
async function advised(besides: string): Promise<string | undefined> {
  const { diagnoses } = await explainLog([encode(`${besides}\nAssertionError: Torch not compiled with CUDA enabled\n`)]);
  return /whl\/(\w+)/.exec(JSON.stringify(diagnoses))?.[1];
}
const smi = (driver: string, cuda: string) =>
  `| NVIDIA-SMI ${driver}             Driver Version: ${driver}     CUDA Version: ${cuda}     |`;

test.each([
  ["550.54.15", "12.4", "cu124"],
  ["535.104.05", "12.2", "cu121"],
  ["525.60.13", "12.0", "cu118"],
  ["570.86.10", "12.8", "cu128"],
  ["580.65.06", "13.0", "cu130"],
])("driver %s (CUDA %s) is advised %s, which solve takes, too", async (driver, cuda, variant) => {
  expect(await advised(smi(driver, cuda))).toBe(variant);
  const { version } = torchBuildFor(cuda)!;
  expect(torchBuilds().map((build) => `${build.version} ${build.variant}`)).toContain(`${version} ${variant}`);
  const solution = await solved(`torch==${version}+${variant}`, `driver==${driver}`);
  expect(solution.answers[0]?.packages.find(({ name }) => name === "torch")).toMatchObject({ version, cuda: torchBuildFor(cuda)!.cuda });
});

test("a driver of older days gets the last build that it runs; solve knows none before 1.13", async () => {
  expect(await advised(smi("440.33.01", "10.2"))).toBe("cu102");
});

test("without a driver in the text it is a build that recent releases have and most drivers take", async () => {
  expect(await advised("")).toBe("cu126");
});

test("a driver that no build runs with is to be replaced", async () => {
  expect(torchBuildFor("8.0")).toBe(undefined);
  const { diagnoses } = await explainLog([encode(`${smi("375.26", "8.0")}\nAssertionError: Torch not compiled with CUDA enabled\n`)]);
  expect(JSON.stringify(diagnoses)).toContain("install a newer NVIDIA driver");
  expect(JSON.stringify(diagnoses)).not.toContain("download.pytorch.org");
});

test("no build is chosen that does not exist, or that is for a newer CUDA than the driver's", () => {
  for (const cuda of new Set(cudaToolkits().toolkits.map((toolkit) => toolkit.cuda))) {
    const build = torchBuildFor(cuda);
    if (!build) continue;
    expect(torchBuilds()).toContain(build);
    expect(compareDotted(build.cuda, cuda)).toBeLessThanOrEqual(0);
  }
});

test("no line names an index whose newest PyTorch has no code for the GPU of the text", async () => {
  const { diagnoses } = await explainLog([new TextEncoder().encode("torch.cuda.is_available() is False on my RTX 5090")]);
  const lines = diagnoses.flatMap(({ fixes }) => fixes.flatMap(({ commands }) => commands));
  expect(lines.filter((line) => /whl\/cu/.test(line)).length).toBeGreaterThan(0);
  expect(lines.filter((line) => /whl\/cu(?:11\d|12[0-6])\b/.test(line))).toEqual([]);
});
