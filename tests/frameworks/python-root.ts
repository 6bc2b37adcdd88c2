// A small root folder with a Python environment in it, for files of the same names, needs and search paths as real wheels.
import path from "node:path";
import { onTestFinished } from "vitest";
import { openTarget, loadsOfFrameworks, type Activity, type Loads } from "../../packages/core/src/index.ts";
import { environmentAt, packageNamed } from "../../packages/core/src/survey/python.ts";
import type { CompiledFor, Framework } from "../../packages/core/src/frameworks/framework.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { makeElf, type Plan } from "../loader/make-elf.ts";
import { addLoader } from "../loader/roots.ts";
import { build, temporary, type Files } from "../loader/tree.ts";

export const site = "/venv/lib/python3.11/site-packages";

/** A library, by its file's name unless another is said. */
export const library = (soname: string, plan: Plan = {}) => makeElf({ soname, ...plan });
export const module = (plan: Plan = {}) => makeElf(plan);

/** Larger than a library to link against. */
export const driver = (folder: string): Files => ({
  [`${folder}/libcuda.so.580.159.04`]: library("libcuda.so.1", { pages: 300 }),
  [`${folder}/libcuda.so.1`]: { link: "libcuda.so.580.159.04" },
  [`${folder}/libcuda.so`]: { link: "libcuda.so.1" },
  [`${folder}/libnvidia-ml.so.1`]: library("libnvidia-ml.so.1", { pages: 300 }),
});

/** One library of an NVIDIA wheel, in `nvidia/FOLDER/lib`. */
export function wheel(folder: string, libraries: { [soname: string]: Plan }): Files {
  return Object.fromEntries(
    Object.entries(libraries).map(([soname, plan]) => [`${site}/nvidia/${folder}/lib/${soname}`, library(soname, plan)]),
  );
}

/** What pip leaves of a package, with the requirements that matter. */
export function installed(name: string, version: string, requires: string[] = []): Files {
  const lines = [`Name: ${name}`, `Version: ${version}`, ...requires.map((line) => `Requires-Dist: ${line}`)];
  return { [`${site}/${name.replaceAll("-", "_")}-${version}.dist-info/METADATA`]: { text: `${lines.join("\n")}\n` } };
}

/** Some of the files, without those of a name. */
export const without = (files: Files, pattern: RegExp): Files =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !pattern.test(name)));

/** Gone again when the test is over. */
export function pythonRoot(files: Files): { folder: string } {
  const made = temporary();
  onTestFinished(made.remove);
  build(made.folder, {
    "/usr/lib/python3.11/lib-dynload/_ctypes.so": module(),
    "/usr/bin/python3.11": makeElf({ program: true }),
    "/venv/bin/python3": { link: "/usr/bin/python3.11" },
    "/venv/pyvenv.cfg": { text: "home = /usr/bin\nversion = 3.11.2\n" },
    [`${site}/README.txt`]: { text: "" },
    "/run/empty": { text: "" },
    ...files,
  });
  addLoader(made.folder);
  return made;
}

export interface Question {
  do?: Activity[];
  environment?: { [name: string]: string };
}

export async function predict(folder: string, framework: string, question: Question = {}): Promise<Loads> {
  const examination = await openTarget(root(folder), {
    environment: question.environment ?? {},
    unset: ["LD_LIBRARY_PATH", "LD_PRELOAD", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH"].filter((name) => !question.environment?.[name]),
    cwd: "/run",
    cpu: { level: 1 },
  });
  const answer = await loadsOfFrameworks(examination, { frameworks: [framework], activities: question.do ?? [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer;
}

/** Files that stay mapped, without what is Python's own; `~` is site-packages. */
export function mapped({ loads }: Loads, certainty?: "certain" | "possible"): string[] {
  return loads
    .filter((load) => !load.unmapped && (certainty === undefined || load.certainty === certainty))
    .map(({ file }) => file.replace(site, "~"))
    .filter((file) => !file.startsWith("/usr/lib/python3") && !file.includes("ld-linux"));
}

/** `NAME ← requester` of every load and every request that found an object there. */
export function asked({ loads, reused = [] }: Loads, name: string): string[] {
  return [...loads, ...reused].filter((one) => one.name === name).map(({ requestedBy }) => path.posix.basename(requestedBy));
}

export async function compiled(folder: string, { compiledFor }: Framework, name: string): Promise<CompiledFor> {
  const { view, collector } = await openTarget(root(folder), { cwd: "/run" });
  for (;;) {
    view.needs.clear();
    const environment = environmentAt(view, "/venv");
    const found = environment && packageNamed(environment, name);
    const answer = environment && found ? compiledFor(view, { package: found, environment }) : {};
    if (view.needs.size === 0) return answer;
    await collector!.fetch([...view.needs.values()]);
  }
}
