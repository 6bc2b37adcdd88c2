import { compareDotted } from "../../knowledge/dotted.ts";
import { kindAt, namesIn } from "../../survey/python.ts";
import type { View } from "../../resolve/view.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { neededVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import torch from "../torch/model.ts";
import { installedIn } from "../installed.ts";
import names from "./names.ts";

// transformer_engine/common/__init__.py, read in 1.13.0 to 2.20.2. libtransformer_engine.so says nothing about where its libraries lie: they
// are loaded before it, from a toolkit or from wheels, and before torch, which `transformer_engine.pytorch` imports only then. What is
// loaded by neither (NCCL) has to be where the loader looks.
export default defineFramework({
  ...names,
  compiledFor,
  steps: {
    import(process, copy) {
      if (compareDotted(copy.package.version, "2.12") < 0) preloadEarly(process, copy);
      else preload(process, copy);
      const core = coreOf(process.view, copy);
      if (core === undefined) return;
      const opened = process.ctypes(core, { global: true });
      if ("failure" in opened) process.stop(opened.failure);
      importTorch(process, copy);
    },
  },
});

/** The folder of the environment's packages: all that it looks for by itself is looked for there. */
const siteOf = ({ package: { folder } }: FrameworkCopy) => folder;

/** `transformer_engine.pytorch`, which its own import tries as well: torch first, and then the module that was compiled for it, if any. */
function importTorch(process: PythonProcess, copy: FrameworkCopy): void {
  const library = installedIn(copy.environment, torch);
  if (!library) return;
  torch.steps.import?.(process, library);
  const site = siteOf(copy);
  for (const place of [site, `${site}/transformer_engine`, `${site}/transformer_engine/wheel_lib`])
    process.extension(place, "transformer_engine_torch", { required: true });
}

/** Up to 2.10: each from where it is found first, and then whatever wheels there are of cuBLAS and of the runtime. */
function preloadEarly(process: PythonProcess, copy: FrameworkCopy): void {
  const { version } = copy.package;
  const wanted = ["cudnn", "nvrtc", ...(0 <= compareDotted(version, "2.8") ? ["curand"] : [])];
  for (const name of wanted) if (name !== "cudnn" || !fromWheels(process, copy, name)) need(process, copy, name);
  if (0 <= compareDotted(version, "2.0"))
    for (const folder of ["cublas", "cuda_runtime"]) openAll(process, [`${siteOf(copy)}/nvidia/${folder}/lib`]);
}

/**
 * Since 2.12 a toolkit comes first. Only where it has neither NVRTC nor cuRAND are the wheels loaded, and then all must be there; the
 * wheel of the runtime is found in the layout of CUDA 13 only (`nvidia/cu13/lib`, not `nvidia/cuda_runtime/lib`).
 */
function preload(process: PythonProcess, copy: FrameworkCopy): void {
  const bySystem = ["cudnn", "nvrtc", "curand"].map((name) => need(process, copy, name) === "system");
  if (bySystem[1] || bySystem[2]) return;
  for (const name of ["cublas", "cudart", "cudnn"]) if (!fromWheels(process, copy, name)) notFound(process, name, true);
}

function need(process: PythonProcess, copy: FrameworkCopy, name: string): "system" | "wheels" | undefined {
  if (fromSystem(process, name)) return "system";
  if (fromWheels(process, copy, name)) return "wheels";
  notFound(process, name);
  return undefined;
}

function notFound({ process, stop }: PythonProcess, name: string, onlyOfToolkit = false): void {
  if (process.pending) return;
  stop({
    name: `lib${name}.so`,
    requestedBy: "transformer-engine",
    activity: process.activity,
    reason: "not-found",
    message: `${name} shared object not found.`,
    ...(onlyOfToolkit && name === "cudart" ? { refusal: { kind: "toolkit" as const, library: name } } : {}),
    tried: process.missed.findLast((miss) => miss.name === `lib${name}.so`)?.tried ?? [],
  });
}

/** Anywhere below the folders that variables name, or below /usr/local/cuda, the last by name; else by the loader's own search. */
function fromSystem(process: PythonProcess, name: string): boolean {
  const { view } = process;
  const variables = view.snapshot.environment;
  const said = [`${name.toUpperCase()}_HOME`, `${name.toUpperCase()}_PATH`, "CUDA_HOME", "CUDA_PATH"].flatMap(
    (each) => variables[each] || [],
  );
  for (const root of [...said, "/usr/local/cuda"]) {
    const below = ["", "lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
    const wheels = (namesIn(view, root) ?? []).map((folder) => `${folder}/lib`);
    const files = [...new Set([...below, ...wheels])].flatMap((folder) =>
      librariesIn(view, `${root}/${folder}`.replace(/\/$/, ""), `lib${name}.so`),
    );
    const file = files.sort((a, b) => (baseOf(a) < baseOf(b) ? 1 : -1))[0];
    if (file === undefined) continue;
    const opened = process.ctypes(file, { global: true });
    if ("failure" in opened) process.stop({ ...opened.failure, ...(said.includes(root) ? { steeredBy: "CUDA_HOME" } : {}) });
    return true;
  }
  return process.ctypesLadder([`lib${name}.so`], { global: true }) !== undefined;
}

const baseOf = (file: string) => file.slice(file.lastIndexOf("/") + 1);

const librariesIn = (view: View, folder: string, start: string) =>
  (namesIn(view, folder) ?? []).filter((name) => name === start || name.startsWith(`${start}.`)).map((name) => `${folder}/${name}`);

/** Everything in the wheel of a library, wherever that lies. */
function fromWheels(process: PythonProcess, copy: FrameworkCopy, name: string): boolean {
  const nvidia = `${siteOf(copy)}/nvidia`;
  const inCuda13 = (namesIn(process.view, `${nvidia}/cu13/lib`) ?? []).filter(
    (file) => file.startsWith(`lib${name}`) && file.includes(".so.") && /\d$/.test(file),
  );
  if (0 < inCuda13.length && kindAt(process.view, `${nvidia}/cu13/${name}`) !== "folder") {
    for (const file of inCuda13) openOne(process, `${nvidia}/cu13/lib/${file}`);
    return true;
  }
  return openAll(process, [`${nvidia}/cu13/${name}/lib`, `${nvidia}/${name}/lib`, `${nvidia}/cuda_${name}/lib`]);
}

/** All libraries of the first folder that has any. */
function openAll(process: PythonProcess, folders: string[]): boolean {
  for (const folder of folders) {
    const files = (namesIn(process.view, folder) ?? []).filter((name) => /^lib.*\.so\..*[0-9]$/.test(name));
    for (const file of files) openOne(process, `${folder}/${file}`);
    if (0 < files.length) return true;
  }
  return false;
}

function openOne(process: PythonProcess, file: string): void {
  const opened = process.ctypes(file, { global: true });
  if ("failure" in opened) process.stop(opened.failure);
}

function coreOf(view: View, copy: FrameworkCopy): string | undefined {
  const site = siteOf(copy);
  return [
    `${site}/libtransformer_engine.so`,
    `${site}/transformer_engine/libtransformer_engine.so`,
    `${site}/transformer_engine/wheel_lib/libtransformer_engine.so`,
  ].find((path) => kindAt(view, path) === "file");
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const core = coreOf(view, copy);
  return core === undefined ? {} : neededVersions(view, core);
}
