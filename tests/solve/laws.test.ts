// Laws that hold for every request, checked without the solver's own machinery: straight from the lists of PyPI.
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { isWithin } from "../../packages/core/src/lib/pep440.ts";
import { markerHolds, parseRequirement } from "../../packages/core/src/lib/pep508.ts";
import type { Published } from "../../packages/core/src/model/knowledge.ts";
import type { Answer } from "../../packages/core/src/model/solve.ts";
import { readRequirement, type Requirement } from "../../packages/core/src/solve/requirement.ts";
import { search } from "../../packages/core/src/solve/search.ts";
import { canMeet, isIn } from "../../packages/core/src/builds/specifier.ts";
import { smallestConflict } from "../../packages/core/src/solve/conflict.ts";
import { commandOf, solved } from "./requests.ts";

const published = JSON.parse(readFileSync("knowledge/published.json", "utf8")) as Published;
const releasesOf = new Map(published.packages.map(({ name, releases }) => [name, new Map(releases.map((each) => [each.version, each]))]));

let state = 3;
const next = (below: number) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const some = <T>(values: T[]) => values[next(values.length)]!;

const pool = [
  ["torch", "torch==2.4.*", "torch>=2.9", "torch<2.2", "torch==1.13.1", "torch==2.7.1+cu128"],
  ["tensorflow", "tensorflow==2.10.*", "tensorflow>=2.18", "tensorflow==2.15.*", "tensorflow<2.5"],
  ["jax", "jax==0.4.35", "jax>=0.7", "jax[cuda13]", "jax<0.4.30"],
  ["cupy", "cupy<14", "cupy-cuda11x", "cupy>=14"],
  ["onnxruntime-gpu", "onnxruntime-gpu==1.18.*", "onnxruntime-gpu>=1.27"],
  ["cudnn<9", "cudnn>=9.5", "cudnn==8.9"],
  ["cuda==12.*", "cuda==11.8", "cuda>=13", "cuda==12.4.*"],
  ["python==3.9", "python==3.12", "python>=3.13", "python==3.7"],
  ["driver==450.80.02", "driver==535.104.05", "driver==470.57.02", "driver==580.82.07"],
  ["gpu=V100", "gpu=RTX 4090", "gpu=H200", "gpu=RTX 5090", "gpu=T4", "gpu=K80"],
  ["numpy<2", "numpy>=2.3"],
];
const frameworks = 5;

function request(): string[] {
  const texts = pool.flatMap((choices, index) => (next(index < frameworks ? 3 : 4) === 0 ? [some(choices)] : []));
  return texts.some((text) => pool.slice(0, frameworks).flat().includes(text)) ? texts : [some(pool[next(frameworks)]!), ...texts];
}

const requests = Array.from({ length: 120 }, request);
let answered = 0;

beforeAll(() => {
  expect(requests.length).toBeGreaterThan(100);
});

test.each(requests.map((each) => [each.join(" "), each] as const))("%s", async (_, texts) => {
  const { answers, conflict } = await solved(...texts);
  for (const answer of answers) expectSound(answer, texts);
  if (conflict)
    expectSmallest(
      texts,
      conflict.requirements.map(({ requirement }) => requirement),
    );
  else answered += 1;
});

test("both kinds of requests were among them", () => {
  expect(answered).toBeGreaterThan(20);
  expect(requests.length - answered).toBeGreaterThan(20);
});

/** Every requirement of every package that is named is met by what is named, on that Python. */
function expectSound(answer: Answer, texts: string[]): void {
  const place = {
    python_version: answer.python,
    python_full_version: `${answer.python}.1`,
    sys_platform: "linux",
    platform_system: "Linux",
  };
  const versions = new Map([...answer.packages, ...answer.libraries].map(({ name, version }) => [name, version]));
  const command = commandOf(answer, "pip");
  const words = [...command.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, bare]) => (quoted ?? bare)!).filter((word) => /[<=>]/.test(word));
  const asked = words.map((word) => parseRequirement(word));
  for (const read of asked) {
    if ("problem" in read) throw new Error(read.problem);
    const release = releasesOf.get(read.name);
    expect(release, read.name).toBeDefined();
    const version =
      versions.get(read.name) ??
      [...release!].findLast(([each, { pythons }]) => isWithin(each, read.specifier) && (!pythons || pythons.includes(answer.python)))?.[0];
    expect(version, `${read.name}${read.specifier}`).toBeDefined();
    if (version !== undefined && release!.has(version)) expect(isWithin(version, read.specifier.replace(/\+\w+/, ""))).toBe(true);
    const found = release!.get(version!);
    // The wheel exists for that Python.
    if (found?.pythons) expect(found.pythons, `${read.name} ${version}`).toContain(answer.python);
    if (read.specifier.includes("+")) continue;
    for (const text of found?.requires ?? []) {
      const need = parseRequirement(text);
      if ("problem" in need) throw new Error(text);
      const counts = ["", ...read.extras].some(
        (extra) => need.marker === undefined || markerHolds(need.marker, { ...place, extra }) === true,
      );
      const chosen = versions.get(need.name);
      if (counts && chosen !== undefined)
        expect(
          isWithin(chosen, need.specifier.replace(/\+cuda[\w.]*/, "") || ">=0"),
          `${read.name} ${version}: ${text}, chosen ${chosen}`,
        ).toBe(true);
      // What a package pins must be among what is named.
      if (counts && need.name.startsWith("nvidia-")) expect(chosen, `${read.name} needs ${need.name}`).toBeDefined();
    }
  }
  for (const text of texts) {
    const read = readRequirement(text) as Requirement;
    if (read.wish.kind === "python") expect(isWithin(`${answer.python}.5`, read.wish.specifier)).toBe(true);
    if (read.wish.kind === "cudnn")
      for (const { name, version } of answer.libraries)
        if (name.startsWith("nvidia-cudnn")) expect(isWithin(version, read.wish.specifier)).toBe(true);
    if (read.wish.kind === "driver")
      expect(Number(answer.driver.least.split(".")[0])).toBeLessThanOrEqual(Number(read.wish.version.split(".")[0]));
  }
}

/** By brute force: the set cannot be met, every smaller set of all requirements can. */
function expectSmallest(texts: string[], core: string[]): void {
  const all = texts.map((text) => readRequirement(text) as Requirement);
  const isPossible = (some: Requirement[]) => search(some, { mayBorrow: true }) !== undefined;
  expect(isPossible(all.filter(({ text }) => core.includes(text)))).toBe(false);
  for (let mask = 0; mask < 1 << all.length; mask += 1) {
    const subset = all.filter((_, index) => mask & (1 << index));
    if (subset.length < core.length) expect(isPossible(subset), subset.map(({ text }) => text).join(" ")).toBe(true);
  }
}

test("the smallest conflict is found whatever the truth is", () => {
  for (let round = 0; round < 300; round += 1) {
    const items = Array.from({ length: 1 + next(6) }, (_, index) => ({ text: String(index) }) as Requirement);
    const bad = Array.from({ length: 1 + next(3) }, () => items.filter(() => next(2) === 0)).filter((set) => 0 < set.length);
    bad.push(items);
    const isPossible = (some: Requirement[]) => !bad.some((set) => set.every((item) => some.includes(item)));
    const found = smallestConflict(items, isPossible);
    expect(isPossible(found)).toBe(false);
    expect(found.length).toBe(Math.min(...bad.map(({ length }) => length)));
  }
});

test("the quick way to compare versions says what the careful one says", () => {
  const number = () => some([0, 1, 2, 9, 10, 12]);
  const version = () => Array.from({ length: 1 + next(4) }, number).join(".");
  for (let round = 0; round < 20_000; round += 1) {
    const specifier = Array.from(
      { length: 1 + next(2) },
      () => `${some(["==", ">=", "<=", "<", ">", "!=", "=="])}${version()}${next(5) === 0 ? ".*" : ""}`,
    ).join(",");
    const candidate = version();
    const careful = isWithin(candidate, specifier);
    if (careful !== undefined) expect(isIn(candidate, specifier), `${candidate} in ${specifier}`).toBe(careful);
  }
});

test("specifiers that some version meets can be met", () => {
  const number = () => some([0, 1, 2, 9, 12]);
  const version = () => Array.from({ length: 1 + next(3) }, number).join(".");
  const clause = () =>
    some([
      `==${version()}`,
      `>=${version()}`,
      `<${version()}`,
      `<=${version()}`,
      `==${version()}.*`,
      `>${version()}`,
      `~=${number()}.${number()}`,
    ]);
  let met = 0;
  for (let round = 0; round < 5000; round += 1) {
    const specifiers = Array.from({ length: 1 + next(3) }, clause);
    const candidates = [version(), version(), version(), version()];
    if (!candidates.some((each) => isWithin(each, specifiers.join(",")) === true)) continue;
    met += 1;
    expect(canMeet(specifiers), specifiers.join(" and ")).toBe(true);
  }
  expect(met).toBeGreaterThan(500);
  expect(canMeet(["==8.9.7.29", ">=9.1,<10"])).toBe(false);
  expect(canMeet(["<2.0,>=1.26", ">=2.0"])).toBe(false);
});
