// The H200 machine that is kept as a case, with one thing changed each: exactly the right finding, and none without the change.
import { expect, test } from "vitest";
import { diagnose } from "../../packages/core/src/diagnose/diagnose.ts";
import type { FileFact, Snapshot, WhatIf } from "../../packages/core/src/index.ts";
import { h200, judge } from "../report/judged.ts";

const site = "/opt/torch/.venv/lib/python3.12/site-packages";
const system = "/usr/lib/x86_64-linux-gnu";
const toolkit = "/usr/local/cuda-13.0";
const stubs = `${toolkit}/targets/x86_64-linux/lib/stubs`;

function changed(changes: { [path: string]: FileFact }): Snapshot {
  const files = { ...h200.files, ...changes };
  for (const [path, fact] of Object.entries(changes)) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    const name = path.slice(folder.length + 1);
    const listed = files[folder];
    if (listed?.kind !== "folder" || !listed.names) continue;
    const names = listed.names.filter((known) => known !== name);
    files[folder] = { ...listed, names: fact.kind === "absent" ? names : [...names, name].sort() };
  }
  return { ...h200, files };
}

/** What is found above info, and which frameworks it breaks. */
async function found(snapshot: Snapshot, whatIf: WhatIf): Promise<{ rule: string; severity: string; breaks: string[] }[]> {
  const { check } = await judge(snapshot, whatIf, { python: ["/opt/torch/.venv"] });
  return check.findings
    .filter(({ severity }) => severity !== "info")
    .map(({ rule, severity, breaks }) => ({ rule, severity, breaks: [...new Set(breaks.map(({ framework }) => framework))] }));
}

const absent: FileFact = { kind: "absent" };
const path = (value: string): WhatIf => ({ environment: { LD_LIBRARY_PATH: value } });
const all = ["cupy", "jax", "numba", "torch", "triton"];

// A libnvJitLink of CUDA 12 under the name of the next one: the loader finds it, and not the version in it.
const jitLink = h200.files[`${site}/nvidia/cu13/lib/libnvJitLink.so.13`];
if (jitLink?.kind !== "file" || jitLink.object?.kind !== "elf") throw new Error("the case has lost its libnvJitLink");
const olderJitLink: FileFact = { ...jitLink, object: { ...jitLink.object, provides: ["libnvJitLink.so.12", "libnvJitLink.so.12"] } };
const parts = ["", "_graph", "_ops", "_engines_precompiled", "_engines_runtime_compiled", "_heuristic", "_adv", "_cnn"];

test("the machine as it is has nothing wrong", async () => {
  expect(await found(h200, {})).toEqual([]);
});

test.each<{ what: string; snapshot?: Snapshot; whatIf?: WhatIf; rule: string; severity?: string; breaks: string[] }>([
  {
    what: "the system's cuDNN on LD_LIBRARY_PATH",
    whatIf: path(system),
    rule: "cudnn-parts-from-two-releases",
    breaks: ["torch"],
  },
  { what: "every GPU hidden", whatIf: { environment: { CUDA_VISIBLE_DEVICES: "-1" } }, rule: "gpus-hidden", breaks: all },
  { what: "a compat library older than the driver", whatIf: path(`${toolkit}/compat`), rule: "driver-library-mismatch", breaks: all },
  {
    what: "no libcuda.so.1",
    snapshot: changed(
      Object.fromEntries(["/usr/local/nvidia/lib64", "/lib", "/usr/lib"].map((folder) => [`${folder}/libcuda.so.1`, absent])),
    ),
    rule: "driver-not-exposed",
    breaks: all,
  },
  {
    what: "the stub of libcuda first",
    snapshot: changed({ [`${stubs}/libcuda.so.1`]: { kind: "link", to: "libcuda.so" } }),
    whatIf: path(stubs),
    rule: "stub-driver",
    breaks: all,
  },
  {
    what: "an empty library",
    snapshot: changed({
      [`${site}/nvidia/cusparselt/lib/libcusparseLt.so.0`]: { kind: "file", size: 0, object: { kind: "not-elf", starts: "" } },
    }),
    rule: "library-damaged",
    breaks: ["torch", "torchaudio", "torchvision", "triton"],
  },
  {
    what: "the wheel's cuDNN replaced by an older one",
    snapshot: changed(
      Object.fromEntries(
        parts.map((part) => [`${site}/nvidia/cudnn/lib/libcudnn${part}.so.9`, h200.files[`${system}/libcudnn${part}.so.9.14.0`]!]),
      ),
    ),
    rule: "library-wrong-version",
    breaks: ["torch"],
  },
  {
    what: "an older libnvJitLink on LD_LIBRARY_PATH",
    snapshot: changed({ "/opt/old": { kind: "folder", names: ["libnvJitLink.so.13"] }, "/opt/old/libnvJitLink.so.13": olderJitLink }),
    whatIf: path("/opt/old"),
    rule: "library-shadowed",
    breaks: ["jax"],
  },
  {
    // Whether another copy would stand in cannot be told: the snapshot does not hold all folders of that search.
    what: "a file of a wheel gone",
    snapshot: changed({ [`${site}/nvidia/cusparselt/lib/libcusparseLt.so.0`]: absent }),
    rule: "wheel-files-missing",
    severity: "warning",
    breaks: [],
  },
])("$what: $rule, and only that", async ({ snapshot = h200, whatIf = {}, rule, severity = "error", breaks }) => {
  expect(await found(snapshot, whatIf)).toEqual([{ rule, severity, breaks }]);
});

test("two CUPTIs in one process, Triton's and torch's, are only a note", async () => {
  const { check } = await judge(h200, {}, { python: ["/opt/torch/.venv"] });
  expect(check.findings.map(({ rule, severity }) => ({ rule, severity }))).toContainEqual({ rule: "two-copies", severity: "info" });
});

test("a build without CUDA is an error when it was asked for, and a warning where nothing else uses the GPU", async () => {
  const { stack } = await judge(h200, {}, { programs: [["onnxruntime"]], python: ["/opt/torch/.venv"] });
  stack.runs[0]!.programs[0]!.cpuOnly = "the package brings no CUDA provider";
  const severities = [true, false].map((asked) => diagnose({ ...stack, asked }).map(({ rule, severity }) => ({ rule, severity })));
  expect(severities).toEqual([[{ rule: "cpu-only-build", severity: "error" }], [{ rule: "cpu-only-build", severity: "warning" }]]);
});

test("a branch of the driver alone stands for its releases", async () => {
  expect(await found(h200, { driver: "580" })).toEqual([]);
  expect((await found(h200, { driver: "580.10" })).map(({ rule }) => rule)).toEqual(["driver-too-old"]);
  expect((await found(h200, { driver: "575" })).map(({ rule }) => rule)).toEqual(["driver-too-old"]);
});

// Watched there: torch's profiler stays subscribed to CUPTI, that of JAX does not.
test.each([
  [["torch:profile", "jax:profile"], ["second-profiler"]],
  [["jax:profile", "torch:profile"], []],
  [["torch", "jax"], []],
])("%j in one process: %j", async (programs, rules) => {
  const { check } = await judge(h200, {}, { programs: [programs], python: ["/opt/torch/.venv"] });
  expect(check.findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule)).toEqual(rules);
});

test("a cuDNN that is preloaded before the right one is what its variable brings: the variable is what to take away", async () => {
  const { check } = await judge(h200, { environment: { LD_PRELOAD: `${system}/libcudnn.so.9` } }, { python: ["/opt/torch/.venv"] });
  const mixed = check.findings.find(({ rule }) => rule === "cudnn-parts-from-two-releases");
  expect(mixed?.advice.map(({ command }) => command)).toContainEqual(["unset", "LD_PRELOAD"]);
  expect(mixed?.because).toContain(`LD_PRELOAD=${system}/libcudnn.so.9`);
});
