import { kindAt, textAt } from "../../survey/python.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { tooMuchJson } from "../../lib/json-size.ts";
import type { Failure } from "../../model/loads.ts";
import type { View } from "../../resolve/view.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { loadWithPathfinder, notFound } from "../pathfinder.ts";
import { nvrtcBuiltins, nvrtcBuiltinsName } from "../library-habits.ts";
import { pinnedVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

export default defineFramework({
  ...names,
  compiledFor,
  // cupy/cuda/compiler.py: cubins since NVRTC 11.1, for the GPU or the newest one that NVRTC knows.
  compiler: ({ snapshot }) => ({
    name: "NVRTC",
    library: "nvrtc",
    newer: snapshot.environment["CUPY_COMPILE_WITH_PTX"] === "1" ? "ptx" : "cubin",
    ...(snapshot.environment["CUPY_COMPILE_WITH_PTX"] === "1" ? { always: "ptx" } : {}),
  }),
  steps: {
    import(process, copy) {
      const folder = process.folders("cupy_backends")[0];
      if (folder === undefined) return;
      // cuTENSOR is optional; looking for it brings in what it depends on.
      if (usesPathfinder(copy)) loadWithPathfinder(process, "cutensor");
      else process.ctypesLadder(expected(process.view, copy)["cutensor"]?.filenames ?? []);
      process.extension(`${folder}/cuda/api`, "runtime", { required: true });
      if (compareDotted(copy.package.version, "13") < 0)
        for (const name of ["cublas", "cusolver", "cusparse", "curand"]) process.extension(`${folder}/cuda/libs`, name, { required: true });
      process.extension(`${folder}/cuda/libs`, "nvrtc");
      if (looksForNvcc(process, copy)) loadWithPathfinder(process, "nvrtc");
    },
    device(process, copy) {
      // Up to 13 the runtime is part of the extension module, and asks by itself.
      const runtime = usesPathfinder(copy) ? undefined : process.loadedLike("runtime.");
      if (runtime) process.ladder(runtime, ["libcuda.so.1"]);
      else process.ctypes("libcuda.so.1");
      const problem = driverProblem(process);
      if (problem && !process.process.pending) process.stop(driverFailure(process, "cupy", problem));
    },
    compile,
    matmul(process, copy) {
      // Filling an array compiles a kernel first.
      compile(process, copy);
      if (usesPathfinder(copy) && !loadWithPathfinder(process, "cublas") && !process.process.pending)
        process.stop(unfound(process, copy, "cublas"));
      const folder = process.folders("cupy_backends")[0];
      if (folder !== undefined) process.extension(`${folder}/cuda/libs`, "cublas", { required: !usesPathfinder(copy) });
    },
  },
  after: {
    matmul: ["device"],
    compile: ["device"],
    convolution: ["device"],
    rnn: ["device"],
    profile: ["device", "matmul"],
    "train-distributed": ["device"],
  },
});

/**
 * CuPy 14 finds libraries with cuda-pathfinder. Up to 13 it knows no wheels: its modules need cuBLAS and the like (up to 12 also the runtime,
 * NVRTC and the driver) without a search path of their own, and NVRTC is asked for by its soname.
 */
const usesPathfinder = ({ package: { version } }: FrameworkCopy) => 0 <= compareDotted(version, "14");

/** 14.0 looks for nvcc while it is imported, beside the NVRTC that it finds; unless variables say where CUDA is. */
function looksForNvcc({ view }: PythonProcess, { package: { version } }: FrameworkCopy): boolean {
  const { NVCC, CUDA_PATH = "" } = view.snapshot.environment;
  const isThere = CUDA_PATH !== "" && kindAt(view, CUDA_PATH) !== "none";
  return version.startsWith("14.0.") && NVCC === undefined && !isThere;
}

function compile(process: PythonProcess, copy: FrameworkCopy): void {
  const nvrtc = usesPathfinder(copy) ? loadWithPathfinder(process, "nvrtc") : process.ctypesLadder([nvrtcSoname(copy)]);
  const { activity, pending } = process.process;
  if (!nvrtc && pending) return;
  if (!nvrtc) process.stop(usesPathfinder(copy) ? unfound(process, copy, "nvrtc") : notThere(process, nvrtcSoname(copy)));
  const builtins = nvrtcBuiltins(process);
  if (!builtins && !pending) {
    const name = nvrtcBuiltinsName(nvrtc);
    const message = `nvrtc: error: failed to open ${name}.`;
    process.stop({ name, requestedBy: nvrtc.path, activity, reason: "not-found", message, tried: [] });
  }
}

function unfound(process: PythonProcess, copy: FrameworkCopy, library: string): Failure {
  const { name, message } = notFound(process, library, majorOf(copy.package.name));
  return notThere(process, name, message);
}

function notThere(
  { process: { activity, missed } }: PythonProcess,
  name: string,
  message = `${name}: cannot open shared object file: No such file or directory`,
): Failure {
  const tried = missed.findLast((miss) => miss.name === name)?.tried ?? [];
  return { name, requestedBy: "cupy", activity, reason: "not-found", message, tried };
}

function nvrtcSoname({ package: { name } }: FrameworkCopy): string {
  const major = majorOf(name);
  return major === "11" ? "libnvrtc.so.11.2" : `libnvrtc.so.${major ?? "12"}`;
}

const majorOf = (name: string) => /^cupy-cuda(\d+)x$/.exec(name)?.[1];

type Expected = { [library: string]: { version?: string; filenames?: string[] } | undefined };

/** What the wheel was built with, and the names by which it asks for it. */
function expected(view: View, { package: { folder } }: FrameworkCopy): Expected {
  const text = textAt(view, `${folder}/cupy/.data/_wheel.json`);
  try {
    return text && tooMuchJson(text) === undefined ? (JSON.parse(text) as Expected) : {};
  } catch {
    return {};
  }
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const major = majorOf(copy.package.name);
  const found: CompiledFor = { ...pinnedVersions(view, copy.package) };
  if (major !== undefined) found["cuda"] = { version: major, evidence: `package ${copy.package.name}` };
  for (const library of ["cutensor", "nccl", "cudnn"]) {
    const version = expected(view, copy)[library]?.version;
    if (version !== undefined) found[library] = { version, evidence: `${copy.package.folder}/cupy/.data/_wheel.json` };
  }
  return found;
}
