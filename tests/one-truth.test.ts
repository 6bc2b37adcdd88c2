// One truth: `check` of a machine, `check` of a dependency file, `solve`, `explain`, `diff` and `--colab` are asked the same questions (a driver, a
// GPU, a release, a day), and none may contradict another. The questions come from knowledge/, a sample of them that is the same every time.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkTarget, diffDependencyFiles, explainLog, openTarget, solveRequest, type Finding } from "../packages/core/src/index.ts";
import { gpuNamed } from "../packages/core/src/knowledge/gpus.ts";
import { compareDotted } from "../packages/core/src/knowledge/dotted.ts";
import { torchBuilds } from "../packages/core/src/knowledge/frameworks.ts";
import { colab } from "../packages/core/src/knowledge/texts/colab.generated.ts";
import { cudaToolkits } from "../packages/core/src/knowledge/texts/cuda-toolkits.generated.ts";
import { gpus } from "../packages/core/src/knowledge/texts/gpus.generated.ts";
import { architecture } from "../packages/core/src/knowledge/toolkits.ts";
import { root } from "../packages/machine/src/target/index.ts";
import { machineWith, torch } from "./diagnose/gpu-root.ts";
import { tensorflow } from "./diagnose/tensorflow-root.ts";
import { declared, notebook } from "./declare/declared.ts";
import { driver as driverFiles, pythonRoot } from "./frameworks/python-root.ts";
import { glibcLoader } from "./loader/answers.ts";
import type { Files } from "./loader/tree.ts";
import { needs } from "./needs.ts";

/** The same numbers in every run: a small generator of our own. */
function sampler(seed: number): <T>(list: T[]) => T {
  let state = seed;
  return (list) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return list[Math.floor((state / 2147483648) * list.length)]!;
  };
}

// Drivers at every edge that the tables have: the one itself, and the branch before it.
const edges = [
  ...cudaToolkits().toolkits.flatMap(({ driver }) => driver ?? []),
  ...cudaToolkits().driverFloors.map(({ driver }) => driver),
  ...cudaToolkits().architectures.flatMap(({ firstDriver, lastDriver }) => [firstDriver ?? [], lastDriver ?? []].flat().map(String)),
];
const drivers = [...new Set(edges.flatMap((edge) => [edge, `${Number(edge.split(".")[0]) - 5}.99`, `${edge.split(".")[0]}`]))]
  .filter((driver) => compareDotted("418", driver) < 0)
  .sort(compareDotted);
// A product of every architecture, and the architecture itself.
// `solve` does not answer for boards with an arm64 processor.
const products = [
  ...new Map(gpus().gpus.flatMap(({ sm, name, kind }): [string, string][] => (kind === "jetson" ? [] : [[sm, name]]))).values(),
];
const allGpus = [...products, ...new Set(gpus().gpus.map(({ sm }) => sm))];

/** What can be wrong between a driver, a GPU and a build; whoever is asked says it in these words. */
type Verdict = "driver and GPU" | "driver and CUDA" | "no code" | "newer PTX";

const verdictOf = ({ rule, severity, facts }: Finding): Verdict[] => {
  if (severity !== "error") return [];
  if (rule === "driver-too-old") return [facts.gpus && facts.driver?.cuda === undefined ? "driver and GPU" : "driver and CUDA"];
  if (rule === "library-dropped-gpu" && facts.driver) return ["driver and GPU"];
  if (rule === "gpu-not-in-build") return ["no code"];
  return rule === "ptx-newer-than-driver" ? ["newer PTX"] : [];
};
const verdictsOf = (findings: Finding[]) => [...new Set(findings.flatMap(verdictOf))].sort();

interface Asked {
  driver: string;
  gpu: string;
}

const written = async (text: string, { driver, gpu }: Asked, python = "3.11") =>
  (await declared("requirements.txt", text, { driver, gpus: [gpu], ...(python === "any" ? {} : { python }) })).check.findings;

const request = (text: string, { driver, gpu }: Asked) => ({
  file: "requirements.txt",
  text,
  python: "3.11",
  driver,
  gpus: [gpu],
  read: async () => ({ problem: "is not there" }),
});

/** A root with a driver that `--driver` takes the place of. */
function machine(files: Parameters<typeof pythonRoot>[0]) {
  return root(pythonRoot({ ...files, ...driverFiles("/usr/lib") }).folder);
}

const installedThere = async (target: ReturnType<typeof root>, { driver, gpu }: Asked) => {
  const examination = await openTarget(target, { cwd: "/run", cpu: { level: 1 }, driver, gpus: [gpu] });
  const judged = await checkTarget(examination, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in judged) throw new Error(judged.problem);
  return judged.check.findings;
};

const solved = async (text: string, { driver, gpu }: Asked, python = "3.11") => {
  const answer = await solveRequest({ requirements: [text], driver, gpus: [gpu], ...(python === "any" ? {} : { python }) });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer;
};

/** The first branch that knows a GPU: no advice may name an older driver. */
const firstBranch = (gpu: string) => architecture(gpuNamed(gpu)!.sm)?.firstDriver ?? 0;

/** What a finding advises must do: never a driver that does not know the GPU, and with the one that it asks for, it is gone. */
async function adviceHolds(findings: Finding[], asked: Asked, again: (asked: Asked) => Promise<Finding[]>): Promise<void> {
  for (const { advice, facts, rule } of findings.filter((each) => 0 < verdictOf(each).length)) {
    for (const { words } of advice)
      for (const [, named] of words.matchAll(/driver (?:of )?(\d{3}(?:\.\d+)*) or newer/g))
        expect(Number(named!.split(".")[0]), `${rule}: ${words}`).toBeGreaterThanOrEqual(firstBranch(asked.gpu));
    const needed = facts.driver?.needed;
    if (needed === undefined) continue;
    const left = verdictsOf(await again({ ...asked, driver: needed })).filter((verdict) => verdict !== "no code");
    expect(left, `${rule}: driver ${needed} on ${asked.gpu}`).toEqual([]);
  }
}

interface Written {
  /** What `solve` is asked for, and the line of a file that says the same. */
  requirement: string;
  line: string;
}

const writtenBuilds: Written[] = [
  ...torchBuilds()
    .filter(({ version, cuda }) => /^(1\.13|2)\./.test(version) && !cuda.startsWith("10"))
    .map(({ version, variant }) => ({
      requirement: `torch==${version}+${variant}`,
      line: `--extra-index-url https://download.pytorch.org/whl/${variant}\ntorch==${version}+${variant}\n`,
    })),
  ...["2.14.1", "2.16.2", "2.17.1", "2.18.1", "2.19.1", "2.20.0", "2.21.0"].map((version) => ({
    requirement: `tensorflow[and-cuda]==${version}`,
    line: `tensorflow[and-cuda]==${version}\n`,
  })),
  ...["0.4.30", "0.4.38", "0.5.3", "0.6.2"].map((version) => ({
    requirement: `jax[cuda12]==${version}`,
    line: `jax[cuda12]==${version}\n`,
  })),
];

// PTX that a driver does not know is rare: none of the GPUs that have first drivers of their own can meet it.
const ofPtx = ["525.60.13", "535.104.05", "550.54.14", "555.42.02"].flatMap((driver) =>
  writtenBuilds.filter(({ requirement }) => /tensorflow.*==2\.(18|20)/.test(requirement)).map((of) => ({ driver, gpu: "sm_110", of })),
);

const cases = <T>(count: number, seed: number, list: T[]) => {
  const pick = sampler(seed);
  return Array.from({ length: count }, () => ({ driver: pick(drivers), gpu: pick(allGpus), of: pick(list) }));
};
const named = (each: { requirement: string } & Asked) => `${each.requirement}, ${each.gpu}, driver ${each.driver}`;

describe("a file and `solve`", () => {
  test.each([...ofPtx, ...cases(45, 7, writtenBuilds)].map(({ of, ...asked }) => [named({ ...of, ...asked }), of, asked] as const))(
    "%s",
    async (_name, { requirement, line }, asked) => {
      const findings = await written(line, asked);
      const verdicts = verdictsOf(findings);
      const { conflict, answers } = await solved(requirement, asked);
      if (0 < verdicts.length) expect(answers, verdicts.join()).toEqual([]);
      // What is refused because of the driver or the GPU is at least warned of, which is what a pinned library of its time gets.
      else if (conflict?.requirements.some(({ requirement: each }) => /^(driver|gpu)/.test(each)))
        expect(findings.filter(({ facts, severity }) => facts.gpus && severity === "warning")).not.toEqual([]);
      await adviceHolds(findings, asked, (other) => written(line, other));
      for (const { says } of conflict?.requirements ?? [])
        for (const [, least] of says.matchAll(/(?:driver|branch) (\d{3}(?:\.\d+)*) or newer/g))
          expect(Number(least!.split(".")[0]), says).toBeGreaterThanOrEqual(firstBranch(asked.gpu));
    },
  );
});

test("the sample has every verdict in it", async () => {
  const all = new Set<string>();
  for (const { of, ...asked } of [...ofPtx.slice(0, 2), ...cases(12, 7, writtenBuilds)])
    for (const verdict of verdictsOf(await written(of.line, asked))) all.add(verdict);
  expect([...all].sort()).toEqual(["driver and CUDA", "driver and GPU", "newer PTX", "no code"]);
});

describe("what `solve` chooses, `check` finds nothing wrong with", () => {
  test.each(
    cases(12, 3, ["torch", "tensorflow", "jax"]).map(({ of, ...asked }) => [named({ requirement: of, ...asked }), of, asked] as const),
  )("%s", async (_name, requirement, asked) => {
    const [answer] = (await solved(requirement, asked, "any")).answers;
    if (!answer) return;
    const commands = answer.lines.find(({ tool }) => tool === "docker")!.commands;
    const { check } = await declared("Dockerfile", `${commands.join("\n")}\n`, { driver: asked.driver, gpus: [asked.gpu] });
    expect(check.findings.filter(({ severity }) => severity === "error").map(({ message }) => message)).toEqual([]);
    expect(compareDotted(answer.driver.least.split(".")[0]!, String(firstBranch(asked.gpu)))).toBeGreaterThanOrEqual(0);
  });
});

const roots: { line: string; files: Files }[] = [
  { line: "torch==2.1.2+cu118", files: torch("2.1.2+cu118", "11.8", { cudnn: "8.7.0.84" }) },
  { line: "torch==2.4.1", files: torch("2.4.1", "12.1", { cudnn: "9.1.0.70" }) },
  { line: "torch==2.7.1", files: torch("2.7.1", "12.6", { cudnn: "9.5.1.17" }) },
  { line: "torch==2.9.1", files: torch("2.9.1", "12.8", { cudnn: "9.10.2.21" }) },
  { line: "torch==2.11.0", files: torch("2.11.0", "13.0", { cudnn: "9.19.0.56" }) },
  { line: "tensorflow[and-cuda]==2.20.0", files: tensorflow },
];

describe("a machine and a file", needs({ glibc: glibcLoader }), () => {
  test.each(roots.map(({ line, files }) => [line, files] as const))("%s", async (line, files) => {
    const target = machine(files);
    const variant = /\+(cu\d+)/.exec(line)?.[1];
    const text = `${variant === undefined ? "" : `--extra-index-url https://download.pytorch.org/whl/${variant}\n`}${line}\n`;
    const ptx = line.startsWith("tensorflow") ? ofPtx.filter(({ of }) => of.line.startsWith(line)) : [];
    for (const { of: _of, ...asked } of [...ptx, ...cases(3, line.length, [line])]) {
      const there = await installedThere(target, asked);
      const findings = await written(text, asked);
      expect(verdictsOf(there), named({ requirement: line, ...asked })).toEqual(verdictsOf(findings));
      await adviceHolds(there, asked, (other) => installedThere(target, other));
    }
  });
});

describe("a GPU that the driver itself names", needs({ glibc: glibcLoader }), () => {
  // What was looked up outweighs it, what is only remembered does not; both for `check` and for `solve`.
  test.each([
    ["NVIDIA GeForce RTX 5090", "535.104.05", true],
    ["NVIDIA GeForce RTX 5090", "570.124.06", false],
    ["NVIDIA GB10", "575.57.08", false],
  ])("%s on driver %s", async (gpu, version, isUnknown) => {
    const files = { ...torch("2.9.1", "12.8", { cudnn: "9.10.2.21" }), ...machineWith(version, [gpu]) };
    const examination = await openTarget(root(pythonRoot(files).folder), { cwd: "/run", cpu: { level: 1 } });
    const judged = await checkTarget(examination, { programs: [], activities: [], python: ["/venv"] });
    if ("problem" in judged) throw new Error(judged.problem);
    expect(verdictsOf(judged.check.findings).includes("driver and GPU")).toBe(isUnknown);
    const answer = await solveRequest({ requirements: ["torch==2.9.1+cu128"] }, examination);
    if ("problem" in answer) throw new Error(answer.problem);
    const refused = answer.conflict?.requirements.some(({ requirement }) => requirement.startsWith("driver")) ?? false;
    expect(refused).toBe(isUnknown);
  });
});

test("what decides is read in one place", () => {
  const core = "packages/core/src";
  const readers = readdirSync(core, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".generated.ts"))
    .filter((file) => /[.{ ](firstDriver|lastDriver)\b|\bdriverFloors\b|\.openModuleOnly\b/.test(readFileSync(`${core}/${file}`, "utf8")));
  // The types, the laws of the table, the reader of its floors, and the functions that all others ask.
  expect(readers.sort()).toEqual([
    "knowledge/goes-together.ts",
    "knowledge/laws/rows.ts",
    "knowledge/laws/toolkits.ts",
    "knowledge/toolkits.ts",
    "model/knowledge.ts",
  ]);
});

describe("`diff` finds in each what `check` finds there", () => {
  test.each(cases(8, 11, writtenBuilds).map(({ of, ...asked }) => [named({ ...of, ...asked }), of, asked] as const))(
    "%s",
    async (_name, { line }, asked) => {
      const other = { ...asked, driver: "580.65.06" };
      const [mine, theirs] = [await written(line, asked), await written(line, other)];
      const answer = await diffDependencyFiles(request(line, asked), request(line, other));
      if ("problem" in answer) throw new Error(answer.problem);
      const missing = (some: Finding[], rest: Finding[]) =>
        some
          .filter((each) => !rest.some(({ rule, subject }) => rule === each.rule && subject === each.subject))
          .map(({ message }) => message);
      expect(answer.findings.onlyInA.map(({ message }) => message)).toEqual(missing(mine, theirs));
      expect(answer.findings.onlyInB.map(({ message }) => message)).toEqual(missing(theirs, mine));
    },
  );
});

/** What torch's own report of an environment says, and the error that such a combination ends with. */
function texts({ version, variant, cuda, architectures = [] }: ReturnType<typeof torchBuilds>[number], { driver, gpu }: Asked) {
  const { sm, name = gpu } = gpuNamed(gpu)!;
  const capability = sm.replace(/^sm_(\d+)(\d)$/, "$1.$2");
  return {
    report: [
      "Collecting environment information...",
      `PyTorch version: ${version}+${variant}`,
      `CUDA used to build PyTorch: ${cuda}`,
      "OS: Ubuntu 22.04.4 LTS (x86_64)",
      `GPU models and configuration: GPU 0: NVIDIA ${name}`,
      `Nvidia driver version: ${driver}`,
    ],
    "driver and CUDA": ["RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version"],
    "no code": [
      `NVIDIA ${name} with CUDA capability ${sm} is not compatible with the current PyTorch installation.`,
      `The current PyTorch install supports CUDA capabilities ${architectures.join(" ")}.`,
    ],
    "newer PTX": ["RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain."],
    capability,
  };
}

const causeOf = {
  "driver and CUDA": "driver-too-old",
  "no code": "arch-unsupported",
  "newer PTX": "ptx-newer-than-driver",
};

describe("`explain` of the text that comes, and `check` of the file", () => {
  const builds = torchBuilds().filter(({ version, cuda }) => version.startsWith("2.") && /^1[23]/.test(cuda));
  test.each(
    cases(30, 5, builds)
      .filter(({ driver, gpu }) => driver.includes(".") && !gpu.startsWith("sm_"))
      .map(({ of, ...asked }) => [named({ requirement: `torch ${of.version}+${of.variant}`, ...asked }), of, asked] as const),
  )("%s", async (_name, build, asked) => {
    const line = `--extra-index-url https://download.pytorch.org/whl/${build.variant}\ntorch==${build.version}+${build.variant}\n`;
    const findings = await written(line, asked, "any");
    const verdicts = verdictsOf(findings);
    const text = texts(build, asked);
    const explained = async (lines: string[]) => (await explainLog([Buffer.from(`${lines.join("\n")}\n`)])).diagnoses;
    // The report alone is no error: it may say only what `check` says, too.
    for (const { cause, certainty, message } of await explained(text.report)) {
      const said = Object.entries(causeOf).find(([, each]) => each === cause)?.[0];
      if (said !== undefined && certainty !== "possible") expect(verdicts, message).toContain(said);
    }
    for (const verdict of ["driver and CUDA", "no code", "newer PTX"] as const) {
      const diagnoses = await explained([...text[verdict], ...text.report]);
      if (verdicts.includes(verdict)) expect(diagnoses[0]?.cause).toBe(causeOf[verdict]);
      // torch itself says that it has no code; about the driver, numbers that are fine are not called too old.
      else if (verdict === "driver and CUDA") expect(diagnoses[0]).not.toMatchObject({ cause: "driver-too-old", certainty: "certain" });
      for (const { required, fixes } of diagnoses)
        for (const [, least] of `${required} ${fixes.map((each) => JSON.stringify(each)).join(" ")}`.matchAll(
          /(\d{3}(?:\.\d+)+) or newer/g,
        ))
          expect(Number(least!.split(".")[0]), `${required}`).toBeGreaterThanOrEqual(firstBranch(asked.gpu));
    }
  });
});

describe("a day of Colab that is said to have worked did work", () => {
  const days = colab().images.flatMap(({ date, image, python }) => (image === "cpu" || python === undefined ? [] : [date]));
  const pick = sampler(9);
  const notebooks = [
    ["!pip install tensorflow==2.12.0", "import tensorflow"],
    ["!pip install tensorflow==2.8.0", "import tensorflow"],
    ["!pip install torch==2.1.0 torchvision==0.16.0", "import torch, torchvision"],
    ["!pip install jax==0.4.13 jaxlib==0.4.13", "import jax"],
    ["!pip install nvidia-cudnn-cu12==8.9.7.29", "import torch"],
  ];
  test.each(notebooks.flatMap((cells, index) => [index < 2 ? days.at(-1)! : pick(days)].map((day) => [cells[0]!, day, cells] as const)))(
    "%s on %s",
    async (_cell, day, cells) => {
      const on = async (colabDay: string) => (await declared("n.ipynb", notebook(cells), { colab: colabDay })).check.findings;
      const faults = (findings: Finding[]) => findings.filter(({ severity }) => severity !== "info").map(({ rule }) => rule);
      for (const { because, rule } of await on(day))
        for (const words of because) {
          const worked = /worked with Colab of (\d{4}-\d\d-\d\d)/.exec(words)?.[1];
          if (worked !== undefined) expect(faults(await on(worked)), words).toEqual([]);
          const since = /breaks since (\d{4}-\d\d-\d\d)/.exec(words)?.[1];
          if (since !== undefined) expect(faults(await on(since)), words).toContain(rule);
        }
    },
  );
});
