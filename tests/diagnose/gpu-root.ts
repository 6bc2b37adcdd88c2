// Small roots with a driver, GPUs and frameworks of real versions, judged as `culprit check` does.
import { openTarget, checkTarget, type Activity, type WhatIf } from "../../packages/core/src/index.ts";
import type { Finding } from "../../packages/core/src/model/finding.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { driver as driverFiles, installed, library, module, pythonRoot, site, wheel } from "../frameworks/python-root.ts";
import { asExpected } from "../rules/expected.ts";
import type { Files } from "../loader/tree.ts";

/** What the kernel's module says, and a user-space driver of the same release where the loader looks by itself. */
export function machineWith(version: string, gpus: string[] = []): Files {
  return {
    ...userSpace("/usr/lib", version),
    "/proc/driver/nvidia/version": {
      text: `NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  ${version}  Release Build  (dvs-builder)\nGCC version:  gcc version 12.3.0\n`,
    },
    ...Object.fromEntries(
      gpus.map((name, index) => [
        `/proc/driver/nvidia/gpus/0000:0${index + 1}:00.0/information`,
        { text: `Model: \t\t ${name}\nIRQ:   \t\t 64\nGPU UUID: \t GPU-0000000${index}-1111-2222-3333-444444444444\nBus Type: \t PCIe\n` },
      ]),
    ),
  };
}

export function userSpace(folder: string, version: string): Files {
  return Object.fromEntries(
    Object.entries(driverFiles(folder)).flatMap(([name, entry]) =>
      name.endsWith("libnvidia-ml.so.1")
        ? [
            [name.replace(/\.1$/, `.${version}`), entry],
            [name, { link: `libnvidia-ml.so.${version}` }],
          ]
        : [
            [
              name.replace("580.159.04", version),
              "link" in entry && entry.link.includes("580") ? { link: `libcuda.so.${version}` } : entry,
            ],
          ],
    ),
  ) as Files;
}

/** torch with the runtime and cuDNN from wheels, as those of 2.x for CUDA 12 are. */
export function torch(version: string, cuda: string, { cudnn = "9.1.0.70", kernels = [] as string[] } = {}): Files {
  const rpath = "$ORIGIN/../../nvidia/cuda_runtime/lib:$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN";
  const major = cuda.split(".")[0]!;
  const own = (name: string, needed: string[]) => ({ [`${site}/torch/lib/${name}`]: library(name, { needed, rpath }) });
  const kernelLibrary = library("libtorch_cuda.so", { needed: [`libcudart.so.${major}`, "libcudnn.so.9"], rpath });
  return {
    ...installed("torch", version, [`nvidia-cudnn-cu${major}==${cudnn} ; platform_system == "Linux"`]),
    [`${site}/torch/version.py`]: { text: `from typing import Optional\ncuda: Optional[str] = '${cuda}'\n` },
    [`${site}/torch/_C.so`]: module({ needed: ["libtorch_python.so"], rpath: `${rpath}:$ORIGIN/lib` }),
    ...own("libtorch_global_deps.so", [`libcudart.so.${major}`]),
    ...own("libtorch_python.so", ["libtorch_cuda.so"]),
    [`${site}/torch/lib/libtorch_cuda.so`]: withKernels(kernelLibrary, kernels),
    ...wheel("cuda_runtime", { [`libcudart.so.${major}`]: {} }),
    ...cudnnWheel(major, cudnn),
  };
}

const parts = ["graph", "ops", "adv", "engines_precompiled", "engines_runtime_compiled", "heuristic"].map(
  (part) => `libcudnn_${part}.so.9`,
);

function cudnnWheel(major: string, version: string): Files {
  const files = wheel("cudnn", Object.fromEntries(["libcudnn.so.9", ...parts].map((name) => [name, { runpath: "$ORIGIN" }])));
  return { ...installed(`nvidia-cudnn-cu${major}`, version), ...recordOf(`nvidia-cudnn-cu${major}`, version, files), ...files };
}

/** pip's list of a package's files, by which their owner is known. */
export function recordOf(name: string, version: string, files: Files): Files {
  const lines = Object.keys(files).map((file) => `${file.slice(site.length + 1)},sha256=x,1`);
  return { [`${site}/${name.replaceAll("-", "_")}-${version}.dist-info/RECORD`]: { text: `${lines.join("\n")}\n` } };
}

/** A library with a section of device code behind what is there: `sm_90`, `sm_90a`, `compute_90`. */
export function withKernels(elf: Uint8Array, architectures: string[]): Uint8Array {
  if (architectures.length === 0) return elf;
  const start = Math.ceil(elf.length / 8) * 8;
  const entries = architectures.map((name) => {
    const [, kind, number, letter] = /^(sm|compute)_(\d+)([af]?)$/.exec(name)!;
    const entry = Buffer.alloc(64 + 32);
    entry.writeUInt16LE(kind === "sm" ? 2 : 1, 0);
    entry.writeUInt32LE(64, 4);
    entry.writeBigUInt64LE(32n, 8);
    entry.writeUInt32LE(Number(number), 28);
    entry.writeUInt32LE(letter === "a" ? 0x100000 : letter === "f" ? 0x200000 : 0, 40);
    return entry;
  });
  const body = Buffer.concat(entries);
  const head = Buffer.alloc(16);
  head.writeUInt32LE(0xba55ed50, 0);
  head.writeUInt16LE(1, 4);
  head.writeUInt16LE(16, 6);
  head.writeBigUInt64LE(BigInt(body.length), 8);
  const names = Buffer.from("\0.shstrtab\0.nv_fatbin\0\0\0");
  const fatbin = Buffer.concat([head, body]);
  const table = start + fatbin.length + names.length;
  const sections = Buffer.alloc(3 * 64);
  for (const [index, nameAt, offset, size] of [
    [1, 1, start + fatbin.length, names.length],
    [2, 11, start, fatbin.length],
  ] as const) {
    sections.writeUInt32LE(nameAt, index * 64);
    sections.writeBigUInt64LE(BigInt(offset), index * 64 + 24);
    sections.writeBigUInt64LE(BigInt(size), index * 64 + 32);
  }
  const file = Buffer.concat([elf, Buffer.alloc(start - elf.length), fatbin, names, sections]);
  file.writeBigUInt64LE(BigInt(table), 40);
  file.writeUInt16LE(64, 58);
  file.writeUInt16LE(3, 60);
  file.writeUInt16LE(1, 62);
  return file;
}

interface Asked extends WhatIf {
  /** The root is that of an image, with these variables in its configuration. */
  image?: { [name: string]: string };
  programs?: string[][];
  activities?: Activity[];
}

/** Findings above info, or all. */
export async function judge(
  files: Files,
  { programs = [], activities = [], image, ...whatIf }: Asked = {},
  all = false,
): Promise<Finding[]> {
  const folder = root(pythonRoot(files).folder);
  const beginning = { environment: image ?? {}, cwd: "/", user: { uid: 0, gid: 0 } };
  const target = image ? { ...folder, description: { kind: "image" as const, name: "app.tar" }, process: async () => beginning } : folder;
  const examination = await openTarget(target, { cwd: "/run", cpu: { level: 1 }, ...whatIf });
  const judged = await checkTarget(examination, { programs, activities, python: ["/venv"] });
  if ("problem" in judged) throw new Error(judged.problem);
  return asExpected(judged.check.findings).filter(({ severity }) => all || severity !== "info");
}

/** `rule severity` of each finding. */
export const verdicts = (findings: Finding[]) => findings.map(({ rule, severity }) => `${rule} ${severity}`);

export const affects = ({ breaks }: Finding, framework: string) =>
  breaks.filter((each) => each.framework === framework).map(({ activity }) => activity);
