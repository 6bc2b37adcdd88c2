// Small roots with a Python environment, its packages as pip leaves them, judged as `culprit check` does.
import { createHash } from "node:crypto";
import { openTarget, checkTarget, type WhatIf } from "../../packages/core/src/index.ts";
import type { Judgement } from "../../packages/core/src/judge/question.ts";
import type { Finding } from "../../packages/core/src/model/finding.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { library, module, pythonRoot, site } from "../frameworks/python-root.ts";
import { asExpected } from "../rules/expected.ts";
import type { Plan } from "../loader/make-elf.ts";
import type { Entry, Files } from "../loader/tree.ts";

/** A package with its files below site-packages, METADATA and RECORD. */
export function packaged(name: string, version: string, files: { [path: string]: Uint8Array } = {}, requires: string[] = []): Files {
  const metadata = `${site}/${name.replaceAll("-", "_")}-${version}.dist-info`;
  const lines = Object.entries(files).map(([path, bytes]) => {
    const hash = createHash("sha256").update(bytes).digest("base64url");
    return `${path},sha256=${hash},${bytes.length}`;
  });
  return {
    [`${metadata}/METADATA`]: {
      text: [`Name: ${name}`, `Version: ${version}`, ...requires.map((each) => `Requires-Dist: ${each}`), ""].join("\n"),
    },
    [`${metadata}/RECORD`]: { text: `${lines.join("\n")}\n` },
    ...Object.fromEntries(Object.entries(files).map(([path, bytes]) => [`${site}/${path}`, bytes as Entry])),
  };
}

/** An NVIDIA wheel: libraries in `nvidia/FOLDER/lib`. `pages` makes one release larger than another. */
export function nvidia(name: string, version: string, folder: string, libraries: { [soname: string]: Plan }, pages = 0): Files {
  const files = Object.entries(libraries).map(([soname, plan]) => [`nvidia/${folder}/lib/${soname}`, library(soname, { pages, ...plan })]);
  return packaged(name, version, Object.fromEntries(files) as { [path: string]: Uint8Array });
}

export const cudnnParts = ["graph", "ops", "engines_precompiled", "engines_runtime_compiled", "heuristic", "adv"];

/** cuDNN 9 from its wheel. */
export function cudnn(version: string, major = "12", pages = 0): Files {
  const objects = ["libcudnn.so.9", ...cudnnParts.map((part) => `libcudnn_${part}.so.9`)];
  const plans = Object.fromEntries(objects.map((name) => [name, { runpath: "$ORIGIN" }]));
  return nvidia(`nvidia-cudnn-cu${major}`, version, "cudnn", plans, pages);
}

const rpath = ["cublas", "cuda_runtime", "cudnn", "cusparse"].map((name) => `$ORIGIN/../../nvidia/${name}/lib`).join(":");

/** torch-2.6.0 for CUDA 12.4 in small, without cuDNN: needs, search paths and pins of the real wheel. */
export function torch(version = "2.6.0", { cuda = "'12.4'" } = {}): Files {
  const own = (name: string, needed: string[]) => ({ [`torch/lib/${name}`]: library(name, { needed, rpath: `${rpath}:$ORIGIN` }) });
  return {
    ...packaged(
      "torch",
      version,
      {
        "torch/_C.so": module({ needed: ["libtorch_python.so"], rpath: `${rpath}:$ORIGIN:$ORIGIN/lib` }),
        ...own("libtorch_global_deps.so", ["libcudart.so.12"]),
        ...own("libtorch_python.so", ["libtorch_cuda.so"]),
        ...own("libtorch_cuda.so", ["libcudart.so.12", "libcublasLt.so.12", "libcudnn.so.9"]),
      },
      [
        'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux" and platform_machine == "x86_64"',
        'nvidia-cublas-cu12==12.4.5.8; platform_system == "Linux" and platform_machine == "x86_64"',
        'triton==3.2.0; platform_system == "Linux" and platform_machine == "x86_64"',
      ],
    ),
    [`${site}/torch/version.py`]: {
      text: `from typing import Optional\n__version__ = '${version}'\ncuda: Optional[str] = ${cuda}\nhip: Optional[str] = None\n`,
    },
    ...nvidia("nvidia-cuda-runtime-cu12", "12.4.127", "cuda_runtime", { "libcudart.so.12": {} }),
    ...nvidia("nvidia-cublas-cu12", "12.4.5.8", "cublas", { "libcublasLt.so.12": { runpath: "$ORIGIN" } }),
  };
}

/** It imports setuptools before 3.3. */
export const triton = (version: string): Files => ({
  ...packaged("triton", version, { "triton/_C/libtriton.so": module() }),
  ...packaged("setuptools", "80.9.0", { "setuptools/__init__.py": new Uint8Array() }),
});

/** torch and all that it asks for. */
export const healthy = (): Files => ({ ...torch(), ...cudnn("9.1.0.70"), ...triton("3.2.0") });

/** jax for CUDA 12 in small: the versions of its packages, or that one is not there. */
interface JaxPackages {
  jaxlib?: string;
  plugin?: string | false;
  pjrt?: string | false;
}

export function jax(version: string, { jaxlib = version, plugin = version, pjrt = plugin }: JaxPackages = {}): Files {
  return {
    ...packaged("jax", version, {}, [
      `jaxlib<=${version},>=${version}`,
      `jaxlib==0.7.1; extra == "ci"`,
      `jax-cuda12-plugin[with-cuda]<=${version},>=${version}; extra == "cuda12"`,
    ]),
    ...packaged("jaxlib", jaxlib, { "jaxlib/_jax.so": module(), "jaxlib/libjax_common.so": library("libjax_common.so") }),
    ...(plugin === false
      ? {}
      : packaged("jax-cuda12-plugin", plugin, { "jax_cuda12_plugin/_versions.so": module() }, [`jax-cuda12-pjrt==${plugin}`])),
    ...(pjrt === false ? {} : packaged("jax-cuda12-pjrt", pjrt, { "jax_plugins/xla_cuda12/xla_cuda_plugin.so": module() })),
  };
}

/** A CUDA toolkit in its usual place. */
export const toolkit = (version: string, { compiler = true } = {}): Files => ({
  [`/usr/local/cuda-${version}/version.json`]: { text: `{"cuda":{"name":"CUDA SDK","version":"${version}.1"}}` },
  [`/usr/local/cuda-${version}/lib64/libcudart.so.${version.split(".")[0]}`]: library(`libcudart.so.${version.split(".")[0]}`),
  ...(compiler ? { [`/usr/local/cuda-${version}/bin/nvcc`]: module() } : {}),
});

export interface Asked extends WhatIf {
  programs?: string[][];
}

/** What rules look at, whole. */
export async function judged(files: Files, asked: Asked = {}): Promise<Judgement["stack"]> {
  return (await judge(files, asked)).stack;
}

/** All findings, those that are only unusual included. */
export async function findings(files: Files, asked: Asked = {}): Promise<Finding[]> {
  return (await judge(files, asked)).check.findings;
}

/** What the answer leaves open. */
export async function unknownIn(files: Files, asked: Asked = {}): Promise<Judgement["check"]["unknown"]> {
  return (await judge(files, asked)).check.unknown;
}

async function judge(files: Files, { programs = [], ...whatIf }: Asked): Promise<Judgement> {
  const { folder } = pythonRoot(files);
  const examination = await openTarget(root(folder), { cwd: "/run", cpu: { level: 1 }, ...whatIf });
  const answer = await checkTarget(examination, { programs, activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  asExpected(answer.check.findings);
  return answer;
}

/** `severity rule` of each. */
export const named = (found: Finding[]) => found.map(({ severity, rule }) => `${severity} ${rule}`);

/** Those that are printed by default. */
export const loud = (found: Finding[]) => found.filter(({ severity }) => severity !== "info");
