// Real machines, as snapshots, with what was really loaded there.
import fs from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  openTarget,
  checkStack,
  loadsOfFrameworks,
  listStack,
  readSnapshot,
  type Activity,
  type Snapshot,
} from "../packages/core/src/index.ts";

interface Observed {
  runs: { framework: string; activity: Activity; files: string[] }[];
}

const isGpuLibrary = /\/(libcu[a-z]|libnv|libnccl|libtorch|libc10|xla_cuda)/;
const python = ["/opt/torch/.venv"];

async function caseOf(name: string): Promise<{ snapshot: Snapshot; observed: Observed }> {
  const read = await readSnapshot(gunzipSync(fs.readFileSync(`cases/${name}/snapshot.json.gz`)).toString());
  if ("problem" in read) throw new Error(read.problem);
  return { snapshot: read.snapshot, observed: JSON.parse(fs.readFileSync(`cases/${name}/observed.json`, "utf8")) as Observed };
}

const { snapshot, observed } = await caseOf("h200-healthy");

test.each(observed.runs.map((run) => [run.framework, run.activity, run.files] as const))(
  "on the H200 machine, %s loads at %s what was mapped there",
  async (framework, activity, files) => {
    const answer = await loadsOfFrameworks(await openTarget(snapshot), { frameworks: [framework], activities: [activity], python });
    if ("problem" in answer) throw new Error(answer.problem);
    const predicted = answer.loads.filter(({ file, unmapped }) => !unmapped && isGpuLibrary.test(file) && !file.includes("ptxjit"));
    expect([...new Set(predicted.map(({ file }) => file))].sort()).toEqual(files);
    expect(answer.failures).toEqual([]);
  },
);

test("with the system's cuDNN on LD_LIBRARY_PATH, cuDNN 9.19 would run on parts of 9.14", async () => {
  const examination = await openTarget(snapshot, { environment: { LD_LIBRARY_PATH: "/usr/lib/x86_64-linux-gnu" } });
  const answer = await loadsOfFrameworks(examination, { frameworks: ["torch"], activities: ["convolution"], python });
  if ("problem" in answer) throw new Error(answer.problem);
  const parts = answer.loads.filter(({ library }) => library === "cudnn").map(({ file }) => file);
  expect(parts).toEqual([
    "/opt/torch/.venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9",
    ...["graph", "engines_precompiled", "heuristic", "engines_runtime_compiled"].map(
      (part) => `/usr/lib/x86_64-linux-gnu/libcudnn_${part}.so.9.14.0`,
    ),
  ]);
});

test("the list knows what torch was compiled for, and both cuDNNs with their owners", async () => {
  const { frameworks, copies, gpus, driver } = await listStack(await openTarget(snapshot), python);
  expect(driver.kernel).toBe("580.159.04");
  expect(gpus).toMatchObject([{ name: "NVIDIA H200", architecture: "sm_90" }]);
  const torch = frameworks.find(({ framework }) => framework === "torch");
  expect(torch?.compiledFor).toMatchObject({ cuda: { version: "13.0" }, cudnn: { version: "9.19.0.56" } });
  const owners = copies
    .filter(({ file }) => /\/libcudnn\.so/.test(file))
    .map(({ version, owner }) => `${version} ${owner?.kind} ${owner?.name}`);
  expect(owners).toEqual(["9.19.0.56 pip nvidia-cudnn-cu13", "9.14.0 dpkg libcudnn9-cuda-13"]);
});

test("the machine itself with the system's cuDNN first: one finding, and none without the variable", async () => {
  const read = await readSnapshot(gunzipSync(fs.readFileSync("cases/h200-system-cudnn-first/snapshot.json.gz")).toString());
  if ("problem" in read) throw new Error(read.problem);
  const check = await checkStack(read.snapshot);
  expect(check.findings.filter(({ severity }) => severity !== "info")).toMatchObject([
    {
      rule: "cudnn-parts-from-two-releases",
      severity: "error",
      certainty: "certain",
      breaks: [{ framework: "torch", activity: "rnn" }],
      endangers: [
        { framework: "jax", activity: "convolution" },
        { framework: "jax", activity: "rnn" },
        { framework: "torch", activity: "convolution" },
      ],
    },
  ]);
  // It was taken before anybody asked about these.
  expect(check.unknown.map(({ subject, kind }) => `${kind} ${subject}`)).toEqual([
    "package cuda-bindings 13.3.1",
    "package torchaudio 2.11.0",
    "package torchvision 0.26.0",
  ]);
  const calm = await checkStack(read.snapshot, { unset: ["LD_LIBRARY_PATH"] });
  expect(calm.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
});

test("a wheel's folder that may not be entered is not taken for one whose files are gone", async () => {
  const folder = "/opt/torch/.venv/lib/python3.12/site-packages/nvidia/cudnn/lib";
  const files = Object.fromEntries(Object.entries(snapshot.files).filter(([path]) => !path.startsWith(`${folder}/`)));
  const missingIn = async (fact: Snapshot["files"][string]) =>
    (await listStack(await openTarget({ ...snapshot, files: { ...files, [folder]: fact } }), python)).missing;
  expect(await missingIn({ kind: "hidden", code: "EACCES" })).toEqual([]);
  expect((await missingIn({ kind: "folder", names: [] })).map((missing) => missing.package)).toEqual(["nvidia-cudnn-cu13"]);
});
