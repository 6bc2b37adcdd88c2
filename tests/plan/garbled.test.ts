// Nothing decides by reading a sentence: with every letter of every message made an x, plans, exit codes and order are the same.
import { describe, expect, test, vi } from "vitest";
import {
  openTarget,
  diffDependencyFiles,
  fixTarget,
  explainLog,
  joinWithCheck,
  type Plan,
  type Snapshot,
  type WhatIf,
} from "../../packages/core/src/index.ts";
import { declared } from "../declare/declared.ts";
import type { Judgement } from "../../packages/core/src/judge/question.ts";
import type { Finding } from "../../packages/core/src/model/finding.ts";
import { sarifReport } from "../../packages/core/src/report/check-sarif.ts";
import { fixReport } from "../../packages/core/src/report/fix.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { codeLibrary } from "../elf/code-library.ts";
import { machineWith, torch as gpuTorch } from "../diagnose/gpu-root.ts";
import { cuda11, cupti, machine, tensorflow, torch as profiledTorch } from "../diagnose/profiled-root.ts";
import { cudnn, healthy, jax, nvidia, packaged, toolkit, torch, triton } from "../diagnose/python-stack.ts";
import { library, module, pythonRoot, site, without } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { makeElf } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";
import { h200, mixedCudnn, withSetter } from "../report/judged.ts";
import { needs } from "../needs.ts";

const state = vi.hoisted(() => ({ isGarbled: false }));
vi.mock("../../packages/core/src/model/finding.ts", async (original) => {
  const real = await original<typeof import("../../packages/core/src/model/finding.ts")>();
  return {
    ...real,
    findingOf: (...given: Parameters<typeof real.findingOf>) => {
      const made = real.findingOf(...given);
      return state.isGarbled ? garbled(made) : made;
    },
  };
});

const garble = (text: string) => text.replace(/\S/g, "x");

/** A finding whose words say nothing any more. */
function garbled(finding: Finding): Finding {
  return {
    ...finding,
    message: garble(finding.message),
    because: finding.because.map(garble),
    evidence: finding.evidence.map(garble),
    advice: finding.advice.map((each) => ({ ...each, words: garble(each.words) })),
    facts: { ...finding.facts, ...(finding.facts.said === undefined ? {} : { said: garble(finding.facts.said) }) },
  };
}

interface Asked {
  whatIf?: WhatIf;
  python?: string;
  programs?: string[][];
}

type Answer = Judgement & { plan: Plan };

async function ask(target: Files | Snapshot, { whatIf = {}, python = "/venv", programs = [] }: Asked, isGarbled: boolean): Promise<Answer> {
  state.isGarbled = isGarbled;
  try {
    const isSnapshot = "schema" in target && typeof target.schema === "string";
    const place = isSnapshot ? (target as unknown as Snapshot) : root(pythonRoot(target as Files).folder);
    const given = isSnapshot ? whatIf : { environment: {}, cwd: "/run", cpu: { level: 1 }, ...whatIf };
    const answer = await fixTarget(await openTarget(place, given), { programs, activities: [], python: [python] });
    if ("problem" in answer) throw new Error(answer.problem);
    return answer;
  } finally {
    state.isGarbled = false;
  }
}

/** A plan without what is said in it: what advice in words says is left out, what is typed stays. */
function plain({ plan, check }: Answer): unknown {
  const said = new Set(check.findings.flatMap(({ advice }) => advice.map(({ words, command }) => (command ? "" : words))));
  const mute = ({ title: _title, warning: _warning, commands, ...fix }: Plan["chosen"][number]) => ({
    ...fix,
    // Words before a command are words.
    commands:
      fix.fix === "by-hand" ? [] : commands.filter((line) => !said.has(line) && !/^x[x ]*(: |$)/.test(line) && !isAdvice(check, line)),
  });
  return {
    findings: plan.findings.map(({ message: _message, fixes, ...finding }) => ({ ...finding, fixes: fixes.map(mute) })),
    chosen: plan.chosen.map(mute),
    proof: plan.proof,
    conflicts: plan.conflicts.length,
  };
}

const isAdvice = ({ findings }: Answer["check"], line: string) =>
  findings.some(({ advice }) => advice.some(({ words, command }) => command && line.startsWith(`${words}: `)));

/** What reports and other programs go by. */
const marks = ({ check, stack }: Answer): unknown => {
  const { runs } = JSON.parse(sarifReport([{ check, stack }], [], "0")) as { runs: { results: { [field: string]: unknown }[] }[] };
  return runs[0]!.results.map(({ ruleId, level, locations, partialFingerprints }) => ({ ruleId, level, locations, partialFingerprints }));
};

/** Findings that one cure is told for stand together. */
const groups = ({ plan }: Answer) => fixReport(plan).match(/^ {4}one fix for (?:both|all \d+):/gm) ?? [];

const provider = (needed: string[], runpath?: string, version = "1.20.2") =>
  packaged("onnxruntime-gpu", version, {
    "onnxruntime/capi/onnxruntime_pybind11_state.so": module({ runpath: "$ORIGIN" }),
    "onnxruntime/capi/libonnxruntime_providers_shared.so": library("libonnxruntime_providers_shared.so"),
    "onnxruntime/capi/libonnxruntime_providers_cuda.so": module({
      needed: [...needed, "libcuda.so.1"],
      ...(runpath === undefined ? {} : { runpath }),
    }),
  });
const dpkg: Files = { "/var/lib/dpkg/status": { text: "" }, "/var/lib/dpkg/info/base-files.list": { text: "" } };
const old: Files = Object.fromEntries(
  ["", "_graph", "_ops", "_adv", "_engines_precompiled", "_engines_runtime_compiled", "_heuristic"].flatMap((part) => [
    [`/opt/old/libcudnn${part}.so.9.0.0`, library(`libcudnn${part}.so.9`)],
    [`/opt/old/libcudnn${part}.so.9`, { link: `libcudnn${part}.so.9.0.0` }],
  ]),
) as Files;
const setIn = (text: string): Files => ({ "/etc/profile.d/cuda.sh": { text: `${text}\n` } });
const container = { ...healthy(), ...machineWith("580.159.04", ["NVIDIA L4"]), "/.dockerenv": { text: "" } };
const conda = "/opt/conda/envs/gpu";
const moved = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, entry]) => [name.replace("/venv/", `${conda}/`), entry]));
const condaPython: Files = {
  [`${conda}/bin/python3.11`]: makeElf({ program: true }),
  [`${conda}/bin/python3`]: { link: "python3.11" },
  [`${conda}/lib/python3.11/lib-dynload/_ctypes.so`]: module(),
  [`${conda}/conda-meta/history`]: { text: "" },
};
const cublasLt = codeLibrary({
  machine: 62,
  soname: "libcublasLt.so.12",
  symbols: [{ name: "cublasLtGetVersion", code: "b827d50100 c3" }],
});

/** What is wrong; the kinds of fixes that speak of it; the facts. */
const stacks: [what: string, kinds: string[], target: () => Files | Snapshot, asked?: Asked][] = [
  [
    "a driver that is too old",
    ["driver-upgrade", "choose-build"],
    () => ({ ...gpuTorch("2.4.1", "12.4"), ...machineWith("470.256.02", ["Tesla T4"]) }),
  ],
  [
    "a GPU that the build has no code for",
    ["choose-build"],
    () => ({
      ...gpuTorch("2.8.0", "12.8", { kernels: ["sm_70", "sm_75", "sm_80", "sm_86", "sm_90"] }),
      ...machineWith("570.26", ["Tesla P100"]),
    }),
  ],
  [
    "CUDA_HOME that leads nowhere",
    ["export-cuda-home"],
    () => ({ ...healthy(), ...toolkit("12.4"), ...setIn("export CUDA_HOME=/opt/gone") }),
    { whatIf: { environment: { CUDA_HOME: "/opt/gone" } } },
  ],
  [
    "closed counters",
    ["profiling-rights"],
    () => ({
      ...tensorflow("2.10.1"),
      ...cuda11,
      ...cupti("/usr/lib", "libcupti.so.10.1", "libcupti.so.10.1.208"),
      ...machine("NVIDIA GeForce RTX 2080 Ti", { RmProfilingAdminOnly: 1 }),
      "/proc/self/status": { text: "Name:\tcat\nCapInh:\t0000000000000000\nCapEff:\t0000000000000000\n" },
    }),
  ],
  [
    "a toolkit that ldconfig was never told of",
    ["search-folder", "ldconfig-entry"],
    () => ({ ...provider(["libcurand.so.10"]), "/usr/local/cuda-12.4/lib64/libcurand.so.10": library("libcurand.so.10") }),
  ],
  [
    "a program of one's own, whose RUNPATH is not inherited",
    ["search-folder", "program-rpath"],
    () => ({
      "/src/prog": makeElf({ program: true, needed: ["libown.so"], runpath: "/src/lib:/opt/nccl" }),
      "/src/lib/libown.so": library("libown.so", { needed: ["libnccl.so.2"] }),
      "/opt/nccl/libnccl.so.2": library("libnccl.so.2"),
    }),
    { programs: [["/src/prog"]] },
  ],
  [
    "a module that sets LD_LIBRARY_PATH",
    ["unload-module", "drop-from-path"],
    () => {
      const text = "#%Module\nprepend-path LD_LIBRARY_PATH /usr/lib/x86_64-linux-gnu\n";
      const folders = { "/mf": { kind: "folder" as const }, "/mf/cudnn": { kind: "folder" as const } };
      return { ...h200, files: { ...h200.files, ...folders, "/mf/cudnn/9.14": { kind: "file", size: text.length, text } } };
    },
    {
      whatIf: { environment: { ...mixedCudnn.environment, LOADEDMODULES: "cudnn/9.14", _LMFILES_: "/mf/cudnn/9.14" } },
      python: "/opt/torch/.venv",
    },
  ],
  ["a library that is nowhere, with dpkg", ["system-package", "by-hand"], () => ({ ...provider(["libnccl.so.2"]), ...dpkg })],
  ["a library that is nowhere", ["by-hand"], () => provider(["libnccl.so.2"])],
  [
    "a container without the driver",
    ["container-flags"],
    () => Object.fromEntries(Object.entries(container).filter(([name]) => !/libcuda\.so|libnvidia-ml/.test(name))) as Files,
  ],
  [
    "a damaged library of conda",
    ["conda-package"],
    () => ({
      ...moved(provider(["libcurand.so.10"], "$ORIGIN/../../../..")),
      ...condaPython,
      [`${conda}/conda-meta/libcurand-10.3.5.147-he02047a_0.json`]: { text: '{"files": ["lib/libcurand.so.10"]}' },
      [`${conda}/lib/libcurand.so.10`]: library("libcurand.so.10").subarray(0, 100),
    }),
    { python: conda },
  ],
  [
    "a tilde in LD_LIBRARY_PATH",
    ["mend-path"],
    () => ({
      ...provider(["libcurand.so.10"]),
      "/root/lib/libcurand.so.10": library("libcurand.so.10"),
      "/etc/environment": { text: 'LD_LIBRARY_PATH="~/lib:/opt/a"\n' },
      "/opt/a": { folder: true },
    }),
    { whatIf: { environment: { HOME: "/root", LD_LIBRARY_PATH: "~/lib:/opt/a" } } },
  ],
  ["wheels that lost files", ["install-wheel"], () => without(healthy(), /libcudart\.so\.12$|libcudnn_heuristic\.so\.9$/)],
  [
    "an empty library of a wheel",
    ["install-wheel"],
    () => ({ ...healthy(), [`${site}/nvidia/cublas/lib/libcublasLt.so.12`]: { text: "" } }),
  ],
  ["a library put over a wheel's", ["install-wheel"], () => ({ ...healthy(), [`${site}/nvidia/cublas/lib/libcublasLt.so.12`]: cublasLt })],
  ["a cuDNN older than pinned", ["install-wheel"], () => ({ ...torch(), ...cudnn("9.0.0.312"), ...triton("3.2.0") })],
  [
    "a cuDNN of another major",
    ["install-wheel"],
    () => ({ ...torch(), ...nvidia("nvidia-cudnn-cu12", "8.9.7.29", "cudnn", { "libcudnn.so.8": {} }), ...triton("3.2.0") }),
  ],
  ["no cuDNN at all", ["install-libraries"], () => ({ ...torch(), ...triton("3.2.0") })],
  ["a plugin of another jax", ["install-wheel"], () => jax("0.7.2", { plugin: "0.7.1" })],
  ["two packages that overwrite each other", ["remove-wheel"], () => ({ ...healthy(), ...cudnn("9.0.0.312", "13", 3) })],
  [
    "one of two that was uninstalled with the other's files",
    ["remove-wheel"],
    () => without({ ...healthy(), ...cudnn("9.12.0.46", "13", 3) }, /nvidia\/cudnn\/lib/),
  ],
  [
    "an older cuDNN on LD_LIBRARY_PATH",
    ["drop-from-path"],
    () => ({ ...healthy(), ...old, ...setIn("export LD_LIBRARY_PATH=/opt/old:/usr/share") }),
    { whatIf: { environment: { LD_LIBRARY_PATH: "/opt/old:/usr/share" } } },
  ],
  [
    "an older cuDNN in LD_PRELOAD",
    ["unset-variable"],
    () => ({ ...healthy(), ...old, ...setIn("export LD_PRELOAD=/opt/old/libcudnn_graph.so.9") }),
    { whatIf: { environment: { LD_PRELOAD: "/opt/old/libcudnn_graph.so.9" } } },
  ],
  [
    "an older cuDNN in /etc/ld.so.preload",
    ["preload-file"],
    () => ({ ...healthy(), ...old, "/etc/ld.so.preload": { text: "/opt/old/libcudnn_graph.so.9\n" } }),
  ],
  [
    "every GPU hidden",
    ["unset-variable"],
    () => ({ ...healthy(), ...machineWith("580.159.04", ["NVIDIA L4"]), ...setIn("export CUDA_VISIBLE_DEVICES=") }),
    { whatIf: { environment: { CUDA_VISIBLE_DEVICES: "" } } },
  ],
  [
    "an injected profiler",
    ["unset-variable"],
    () => ({ ...profiledTorch(), ...machine("NVIDIA H200") }),
    { whatIf: { environment: { LD_PRELOAD: "/opt/nvidia/nsight-systems/target-linux-x64/libToolsInjectionProxy64.so" } } },
  ],
  [
    "a real machine with the system's cuDNN first",
    ["drop-from-path"],
    () => withSetter,
    { whatIf: mixedCudnn, python: "/opt/torch/.venv" },
  ],
];

/** What is in it; the text; the stack that shows the same. */
const texts: [what: string, text: string, stack: string][] = [
  [
    "cuDNN",
    "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found runtime version (9, 0, 0). PyTorch already comes bundled with cuDNN.",
    "a real machine with the system's cuDNN first",
  ],
  [
    "a missing library",
    "ImportError: libnccl.so.2: cannot open shared object file: No such file or directory",
    "a library that is nowhere",
  ],
  [
    "the driver",
    "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver",
    "a driver that is too old",
  ],
];

const printed = (text: string) => ({ output_type: "stream", name: "stderr", text });
const files: [file: string, text: string, request: Parameters<typeof declared>[2]][] = [
  ["requirements.txt", "torch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29\nonnxruntime\nonnxruntime-gpu\n", { driver: "470.57.02" }],
  [
    "Dockerfile",
    "FROM nvidia/cuda:12.1.0-base-ubuntu22.04\nENV LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs\nENV NVIDIA_DRIVER_CAPABILITIES=video\nRUN pip install tensorflow==2.17.0\n",
    {},
  ],
  [
    "n.ipynb",
    JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [
        {
          cell_type: "code",
          metadata: {},
          execution_count: 1,
          source: "!pip install torch==2.4.1 nvidia-cudnn-cu12==8.9.7.29",
          outputs: [
            printed(
              'ERROR: Cannot install nvidia-cudnn-cu12==8.9.7.29 and torch==2.4.1 because these package versions have conflicting dependencies.\n\nThe conflict is caused by:\n    The user requested nvidia-cudnn-cu12==8.9.7.29\n    torch 2.4.1 depends on nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"\n',
            ),
          ],
        },
      ],
    }),
    { colab: "2024-10-21" },
  ],
];

describe("without its words", needs({ glibc: glibcLoader }), () => {
  test.each(stacks)("%s: the same plan", async (_what, kinds, target, asked = {}) => {
    const files = target();
    const [before, after] = [await ask(files, asked, false), await ask(files, asked, true)];
    const spoken = new Set(before.plan.findings.flatMap(({ fixes }) => fixes.map(({ fix }) => fix)));
    expect([...spoken], "the stack is one that these speak of").toEqual(expect.arrayContaining(kinds));
    expect(after.check.findings.every(({ message }) => /^[x\s]*$/.test(message))).toBe(true);
    expect(after.check.findings.map(({ rule, subject }) => `${rule} ${subject}`)).toEqual(
      before.check.findings.map(({ rule, subject }) => `${rule} ${subject}`),
    );
    expect(plain(after)).toEqual(plain(before));
    expect(marks(after)).toEqual(marks(before));
    expect(groups(after)).toEqual(groups(before));
  });

  test.each(texts)("an error text is joined with the same findings: %s", async (_what, text, kinds) => {
    const { diagnoses } = await explainLog([new TextEncoder().encode(text)]);
    const joined = (findings: Finding[]) => joinWithCheck(diagnoses, findings).map(({ cause, findings: same }) => ({ cause, same }));
    const [, , target, asked = {}] = stacks.find(([what]) => what === kinds)!;
    const files = target();
    const [before, after] = [await ask(files, asked, false), await ask(files, asked, true)];
    expect(joined(before.check.findings).flatMap(({ same }) => same)).not.toEqual([]);
    expect(joined(after.check.findings)).toEqual(joined(before.check.findings));
  });

  test.each(files)("%s: the same findings, in the same order, at the same places", async (file, text, request) => {
    const judged = async (isGarbled: boolean) => {
      state.isGarbled = isGarbled;
      try {
        const { check } = await declared(file, text, request);
        const said = check.findings.every(({ message }) => /^[x\s]*$/.test(message));
        return {
          said,
          status: check.status,
          found: check.findings.map(({ rule, subject, severity, place }) => ({ rule, subject, severity, place })),
        };
      } finally {
        state.isGarbled = false;
      }
    };
    const [before, after] = [await judged(false), await judged(true)];
    expect(after.said).toBe(true);
    expect(before.found).not.toEqual([]);
    expect({ ...after, said: false }).toEqual(before);
  });

  test("two files differ in the same things, for the same reasons", async () => {
    const request = (text: string) => ({ file: "requirements.txt", text, read: async () => ({ problem: "is not there" }) });
    const compared = async (isGarbled: boolean) => {
      state.isGarbled = isGarbled;
      try {
        const many = Array.from({ length: 70 }, (_, index) => `package-${index}`).join("\n");
        const answer = await diffDependencyFiles(
          request(`torch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29\n`),
          request(`torch==2.4.1\nnvidia-cudnn-cu12==9.1.0.70\n${many}\n`),
        );
        if ("problem" in answer) throw new Error(answer.problem);
        return answer.changes.filter(({ explains }) => 0 < explains.length);
      } finally {
        state.isGarbled = false;
      }
    };
    const before = await compared(false);
    expect(before.map(({ subject }) => subject)).toEqual(["nvidia-cudnn-cu12"]);
    expect(await compared(true)).toEqual(before);
  });

  test("every kind of fix is among them", async () => {
    const { fixes } = await import("../../packages/core/src/plan/fixes/index.generated.ts");
    const tried = new Set(stacks.flatMap(([, kinds]) => kinds));
    expect(fixes.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });
});
