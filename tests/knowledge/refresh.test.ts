// What `npm run refresh` makes of what its sources answer: news become rows, and what is no answer changes nothing.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
// @ts-expect-error A tool, without types.
import { frameworksIn } from "../../tools/refresh/frameworks.mjs";
// @ts-expect-error A tool, without types.
import { Unreachable } from "../../tools/refresh/get.mjs";
// @ts-expect-error A tool, without types.
import { listingOf, listingText } from "../../tools/refresh/published.mjs";
// @ts-expect-error A tool, without types.
import { inWords, refreshed } from "../../tools/refresh/refresh.mjs";
// @ts-expect-error A tool, without types.
import { knowledgeText } from "../../tools/refresh/write.mjs";
import { laws } from "../../packages/core/src/knowledge/laws.ts";
import type { KnowledgeFiles } from "../../packages/core/src/knowledge/laws/law.ts";
import type { Colab, CudaToolkits, Cudnn, Published, Torch } from "../../packages/core/src/model/knowledge.ts";
import { file, names } from "./files.ts";

const answer = (name: string) => readFileSync(`tests/knowledge/answers/${name}`, "utf8");
const today = "2026-11-20";

const cuda = "https://developer.download.nvidia.com/compute/cuda/redist/";
const cudnn = "https://developer.download.nvidia.com/compute/cudnn/redist/";
const notes = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html";
const torchIndex = "https://download.pytorch.org/whl/torch/";
const colabRaw = "https://raw.githubusercontent.com/googlecolab/backend-info/";
const sha = "a72407924822ea377410b69f0a290150bcb5c9c2";
const newSha = "b".repeat(40);
const commits = (id: string, day: string) => JSON.stringify([{ sha: id, commit: { committer: { date: `${day}T10:00:00Z` } } }]);
const page = "<!DOCTYPE html><html><head><title>503 Service Unavailable</title></head></html>";

interface Told {
  files: { [subject: string]: unknown };
  changes: string[];
  persons: string[];
  silent: string[];
}

/** Asks one source, of which these addresses answer; of knowledge what is not given is as it is. */
async function asked(only: string, answers: { [address: string]: string }, knowledge: { [subject: string]: unknown } = {}): Promise<Told> {
  return (await refreshed({
    get: async (address: string) => {
      const found = Object.entries(answers).find(
        ([begins]) => address === begins || (begins.endsWith("*") && address.startsWith(begins.slice(0, -1))),
      );
      if (!found) throw new Unreachable(new URL(address).host);
      return found[1];
    },
    read: (subject: string) => structuredClone(knowledge[subject] ?? file(subject)),
    today,
    only: [only],
  })) as Told;
}

/** Laws that hold for knowledge with these files in it. */
function brokenBy(files: { [subject: string]: unknown }): string[] {
  const all = { ...Object.fromEntries(names.map((name) => [name, file(name)])), ...files } as unknown as KnowledgeFiles;
  return laws.flatMap(({ broken }) => broken(all, today));
}

/** A file without the rows of a list that one is not to know yet, and without the sources that nothing else uses. */
function without<T>(subject: string, list: string, isNew: (row: never) => boolean): T {
  const copy = structuredClone(file(subject));
  copy[list] = copy[list]!.filter((row) => !isNew(row as never));
  return copy as unknown as T;
}

const toolkitAnswers = {
  [cuda]: answer("manifests.html"),
  [`${cuda}redistrib_13.4.2.json`]: answer("cuda-manifest.json"),
  [notes]: answer("release-notes.html"),
};

test("a new toolkit becomes a row of what its manifest says, and the release notes tell drivers", async () => {
  const known = without<CudaToolkits>("cuda-toolkits", "toolkits", ({ version }: { version: string }) => version === "13.4.2");
  delete known.toolkits.find(({ version }) => version === "12.9.1")!.driver;
  const told = await asked("toolkits", toolkitAnswers, { "cuda-toolkits": known });
  const now = told.files["cuda-toolkits"] as CudaToolkits;
  const row = now.toolkits.find(({ version }) => version === "13.4.2")!;
  expect(row).toMatchObject({ cuda: "13.4", released: "2026-09-16", nvcc: "13.4.92", cudart: "13.4.92", cupti: "13.4.92", checked: today });
  expect(now.sources[row.source as string]).toBe("NVIDIA's manifest redistrib_13.4.2.json");
  expect(now.toolkits.find(({ version }) => version === "12.9.1")!.driver).toBe("575.57.08");
  expect(told.changes).toEqual(["CUDA toolkit 13.4.2 (2026-09-16)", "CUDA toolkit 12.9.1 goes with driver 575.57.08"]);
  expect(told.silent).toEqual([]);
  expect(now.toolkits.map(({ version }) => version)).toEqual(
    (file("cuda-toolkits") as unknown as CudaToolkits).toolkits.map(({ version }) => version),
  );
});

test("a toolkit of a new minor is left to a person: what its libraries are called no manifest says", async () => {
  const manifest = answer("cuda-manifest.json").replaceAll("13.4.2", "13.9.0");
  const told = await asked("toolkits", {
    [cuda]: '<a href="redistrib_13.9.0.json">',
    [`${cuda}redistrib_13.9.0.json`]: manifest,
    [notes]: answer("release-notes.html"),
  });
  expect(told.files).toEqual({});
  expect(told.persons.join()).toContain("CUDA 13.9.0 is of a new minor release");
});

test("a new cuDNN becomes a row, and what its files hold is left to a person", async () => {
  const known = without<Cudnn>("cudnn", "releases", ({ version }: { version: string }) => version.startsWith("9.27"));
  const told = await asked(
    "cudnn",
    { [cudnn]: '<a href="redistrib_9.27.0.json">', [`${cudnn}redistrib_9.27.0.json`]: answer("cudnn-manifest.json") },
    { cudnn: known },
  );
  expect((told.files["cudnn"] as Cudnn).releases.at(-1)).toMatchObject({
    version: "9.27.0.42",
    number: 92700,
    cudaMajors: [12, 13],
    inferred: ["layout"],
  });
  expect(told.changes).toEqual(["cuDNN 9.27.0.42 (2026-09-29)"]);
});

const colabAnswers = (id: string, day: string, pip = answer("pip-freeze.gpu.txt")) => ({
  "https://api.github.com/repos/googlecolab/backend-info/commits*": commits(id, day),
  [`${colabRaw}${id}/pip-freeze.gpu.txt`]: pip,
  [`${colabRaw}${id}/apt-list-gpu.txt`]: answer("apt-list-gpu.txt"),
  [`${colabRaw}${id}/os-info-gpu.txt`]: answer("os-info-gpu.txt"),
});

test("Colab's image is read as it was written down by hand, and one that changed becomes a row", async () => {
  const known = without<Colab>("colab", "images", ({ date }: { date: string }) => date === "2026-08-19");
  const last = (file("colab") as unknown as Colab).images.at(-1)!;
  const first = await asked("colab", colabAnswers(newSha, "2026-08-19"), { colab: known });
  expect((first.files["colab"] as Colab).images.at(-1)).toMatchObject({
    date: last.date,
    ubuntu: last.ubuntu,
    python: last.python,
    pip: last.pip,
    apt: last.apt,
  });
  const pip = answer("pip-freeze.gpu.txt").replace(/^torch==.*$/m, "torch==2.14.1+cu130");
  const next = await asked("colab", colabAnswers(newSha, "2026-11-18", pip));
  expect(next.changes).toEqual([`Colab's image of 2026-11-18: torch ${last.pip["torch"]} → 2.14.1+cu130`]);
  expect(brokenBy(next.files)).toEqual([]);
  expect((await asked("colab", colabAnswers(sha, "2026-08-19"))).changes).toEqual([]);
});

test("a build on PyTorch's own index becomes a row of what its metadata say", async () => {
  const told = await asked("builds", {
    [torchIndex]: answer("torch-index.html"),
    "https://download.pytorch.org/whl/cu126/*": answer("torch-metadata.txt"),
  });
  expect((told.files["frameworks/torch"] as Torch).releases.at(-1)).toMatchObject({
    version: "2.99.0",
    variant: "cu126",
    cuda: "12.6",
    default: false,
    bundled: false,
    cudnn: "9.10.2.21",
    nccl: "2.29.3",
    pins: { "cuda-toolkit[cudart,nvrtc]": "==12.6.3", "nvidia-cudnn-cu12": "==9.10.2.21", "nvidia-nccl-cu12": "==2.29.3" },
  });
  expect(told.changes).toEqual(["torch 2.99.0+cu126"]);
  expect(brokenBy(told.files)).toEqual([]);
});

test("an issue that was closed since is a question to a person", async () => {
  const issue = (closed: string) => JSON.stringify({ state: "closed", closed_at: `${closed}T00:00:00Z` });
  const told = await asked("defects", { "https://api.github.com/repos/*": issue("2026-11-19") });
  expect(told.persons.join("\n")).toMatch(/pytorch\/pytorch#166643 was closed on 2026-11-19: does `.*` in known-bad\.json still hold\?/);
  expect((await asked("defects", { "https://api.github.com/repos/*": issue("2020-01-01") })).persons).toEqual([]);
});

test.each([
  ["toolkits", { [cuda]: page }],
  ["toolkits", { ...toolkitAnswers, [notes]: page }],
  ["toolkits", { ...toolkitAnswers, [cuda]: '<a href="redistrib_13.4.9.json">', [`${cuda}redistrib_13.4.9.json`]: page }],
  ["cudnn", { [cudnn]: page }],
  ["cudnn", { [cudnn]: '<a href="redistrib_9.99.0.json">', [`${cudnn}redistrib_9.99.0.json`]: "{}" }],
  ["builds", { [torchIndex]: page }],
  ["builds", { [torchIndex]: answer("torch-index.html"), "https://download.pytorch.org/whl/cu126/*": page }],
  ["colab", { "https://api.github.com/*": page }],
  ["colab", { "https://api.github.com/*": "[]" }],
  ["colab", { ...colabAnswers(newSha, "2026-11-18"), [`${colabRaw}${newSha}/pip-freeze.gpu.txt`]: page }],
  ["defects", { "https://api.github.com/*": page }],
  ...["toolkits", "cudnn", "builds", "colab", "defects"].map((id) => [id, {}] as const),
] as [string, { [address: string]: string }][])(
  "what is no answer leaves the rows of %s as they are, and is told (%#)",
  async (id, answers) => {
    const told = await asked(id, answers);
    expect({ files: told.files, changes: told.changes }).toEqual({ files: {}, changes: [] });
    expect(told.silent).toHaveLength(1);
    expect(inWords({ ...told, day: today })).toContain("## What could not be asked (rows as they were)");
  },
);

const release = (version: string, more = {}) => ({ version, ...more });
const listing = (name: string, ...versions: string[]) => ({
  name,
  source: "pypi",
  checked: today,
  releases: versions.map((version) => release(version)),
});

test("of two listings of PyPI the news are told; a page without files empties nothing", () => {
  const before = [listing("torch", "2.0", "2.1", "2.2"), listing("jax", "0.4", "0.5", "0.6", "0.7")];
  const after = [listing("torch", "2.0", "2.1", "2.2", "2.3"), listing("jax", "0.4", "0.6", "0.7"), listing("vllm", "0.9")];
  expect(listingOf(before, after)).toMatchObject({
    changes: ["torch 2.3", "jax 0.5: gone from PyPI", "vllm is new here, with 1 releases"],
    doubts: [],
  });
  const yanked = [{ ...before[0]!, releases: [release("2.0"), release("2.1", { yanked: true }), release("2.2")] }, before[1]!];
  expect(listingOf(before, yanked).changes).toEqual(["torch 2.1: yanked"]);
  const severalAtOnce = [{ name: "chex", releases: [{ versions: ["0.1", "0.2"] }, { versions: ["0.3", "0.4"], yanked: true }] }];
  expect(listingOf(severalAtOnce, severalAtOnce)).toEqual({ packages: severalAtOnce, changes: [], doubts: [] });
  const yankedLater = [{ name: "chex", releases: [{ versions: ["0.1"] }, { versions: ["0.2", "0.3", "0.4"], yanked: true }] }];
  expect(listingOf(severalAtOnce, yankedLater).changes).toEqual(["chex 0.2: yanked"]);
  // A name that never had a release that counts has lost none.
  expect(listingOf([listing("tensorrt-libs")], [listing("tensorrt-libs")])).toMatchObject({ changes: [], doubts: [] });
  const emptied = listingOf(before, [listing("torch"), before[1]!]);
  expect(emptied.packages).toEqual([before[1], before[0]]);
  expect(emptied.doubts).toEqual(["torch: 3 of 3 releases would be gone at once; its row is as it was"]);
  expect(listingOf(before, [before[0]!])).toMatchObject({
    packages: [before[1], before[0]],
    doubts: ["jax would be gone; its row is as it was"],
  });
});

test("a release of torch that is new on PyPI becomes a row of its requirements, and harvesting and watching it are left to a person", () => {
  const published = structuredClone(file("published")) as unknown as Published;
  const { releases } = published.packages.find(({ name }) => name === "torch")!;
  releases.push({ ...releases.at(-1)!, version: "2.99.0" });
  const read = (subject: string) => (subject === "published" ? published : structuredClone(file(subject)));
  const told = frameworksIn({ read, today }) as Told;
  expect(told.changes).toEqual(["torch 2.99.0 is built for CUDA 13.2"]);
  expect(told.persons[0]).toBe(
    "torch 2.99.0: `npm run harvest -- torch==2.99.0` reads its files, `npm run watch -- torch==2.99.0` what it loads",
  );
  expect((told.files["frameworks/torch"] as Torch).releases.at(-1)).toMatchObject({
    variant: "cu132",
    cuda: "13.2",
    default: true,
    bundled: false,
  });
  expect(brokenBy({ ...told.files, published })).toEqual([]);
});

test("what is written is the same knowledge, with a row on lines of its own", () => {
  const text = knowledgeText(file("cuda-toolkits")) as string;
  expect(JSON.parse(text)).toEqual(file("cuda-toolkits"));
  expect(text.split("\n").filter((line) => /^ {2}\{/.test(line)).length).toBeGreaterThan(100);
});

test.each(["published", "required"])("the listing of %s is written as the tool that makes it writes it", (subject) => {
  expect(listingText(file(subject))).toBe(readFileSync(`knowledge/${subject}.json`, "utf8"));
});
