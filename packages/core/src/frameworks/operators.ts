// Operators that packages bring for torch.
import { cudaKeyOf } from "../knowledge/built-for-torch.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import { packageNamed, textAt } from "../survey/python.ts";
import { nameOf } from "../lib/path.ts";
import type { LoadedObject } from "../resolve/process.ts";
import type { View } from "../resolve/view.ts";
import type { CompiledFor, FrameworkCopy } from "./framework.ts";
import type { PythonProcess } from "./python-process.ts";
import torch from "./torch/model.ts";

/** torch::Library::Library, by which a library registers its operators at keys that the compiler has made numbers of. */
const registering = "_ZN5torch7LibraryC";

/**
 * Every symbol of a library may be there, and its operators still be nowhere: releases of torch count the keys differently. Watched with
 * torchvision 0.19.1, xformers 0.0.27 and torchcodec 0.0.3, which are for torch 2.4, on 2.5.1: what they have for CUDA is registered for the CPU,
 * and what they have for the CPU for nobody.
 */
export function checkOperators(
  process: PythonProcess,
  library: LoadedObject | undefined,
  {
    framework,
    operator,
    builtFor,
    backend = "CUDA",
  }: { framework: string; operator: string; builtFor: string | undefined; backend?: string },
): void {
  const found = packageNamed(process.environment, "torch")?.version;
  if (!library || builtFor === undefined || found === undefined || process.process.pending) return;
  const [own, there] = [builtFor, found].map(cudaKeyOf);
  if (own === undefined || there === undefined || own === there) return;
  if (!library.fact.undefined?.some(({ name }) => name.startsWith(registering))) return;
  process.stop({
    name: operator,
    requestedBy: framework,
    activity: process.process.activity,
    reason: "not-found",
    message: `Could not run '${operator}' with arguments from the '${backend}' backend`,
    refusal: { kind: "built-for", library: "torch", required: builtFor, found },
    file: library.file,
    tried: [],
  });
}

/**
 * torch.library.custom_op reads the types of a function's parameters, and knows `typing.List[int]` alone before 2.7 (torch/_library/infer_schema.py
 * of 2.5.1, 2.6.0 and 2.7.1). Tried with comfy-kitchen 0.2.40 on 2.5.1 and 2.6.0.
 */
export function checkOperatorTypes({ environment, process, stop }: PythonProcess, operators: Map<string, string>): void {
  const version = packageNamed(environment, "torch")?.version;
  if (version === undefined || 0 <= compareDotted(version, "2.7")) return;
  for (const [file, parameter] of operators) {
    const [name, type] = parameter.split(": ");
    const message = `infer_schema(func): Parameter ${name} has unsupported type ${type}.`;
    stop({ name: `torch:${type}`, requestedBy: file, activity: process.activity, reason: "no-name", message, tried: [] });
  }
}

/** Packages compare the CUDA that they were built for with torch's when they are imported, and refuse. */
export function checkSameCuda(
  process: PythonProcess,
  library: LoadedObject | undefined,
  { framework, own, digits, message }: { framework: string; own: string | undefined; digits: 1 | 2; message: string },
): void {
  const environment = process.environment;
  const found = packageNamed(environment, "torch");
  const there = found && torch.compiledFor(process.view, { package: found, environment })["cuda"]?.version;
  if (!library || own === undefined || there === undefined || process.process.pending) return;
  const [required, given] = [own, there].map((version) => version.split(".").slice(0, digits).join("."));
  if (required === given) return;
  process.stop({
    name: nameOf(library.path),
    requestedBy: framework,
    activity: process.process.activity,
    reason: "not-found",
    message,
    refusal: { kind: "built-for", library: "torch", required: `CUDA ${own}`, found: `CUDA ${there}` },
    file: library.file,
    tried: [],
  });
}

/** The same of a package without a model, which says so in its version (`2.1.2+pt25cpu`) or in its name (`open3d-cpu`). */
export function packageWithoutCuda(view: View, copy: FrameworkCopy, upon: string[]): string | undefined {
  const { name, version } = copy.package;
  if (/\+[^+]{0,100}cpu\b/.test(version)) return `its version is ${version}`;
  if (/[-_.]cpu$/.test(name)) return `it is the package ${name}`;
  return upon.includes(torch.id) ? withoutCuda(view, copy) : undefined;
}

/** With a torch without CUDA whatever stands upon it has none; else where its own label says so. */
export function withoutCuda(view: View, { environment }: FrameworkCopy, own?: { label: string; file: string }): string | undefined {
  const found = packageNamed(environment, "torch");
  const because = found && torch.cpuOnly?.(view, { package: found, environment });
  if (because !== undefined) return `it takes torch's CUDA, and torch ${found!.version} has none: ${because}`;
  return own && /\+cpu\b/.test(own.label) ? `${own.file} says ${own.label}` : undefined;
}

/** Packages that describe their operators to torch.compile import torch._dynamo along, which imports Triton. Watched with torch 2.5.1. */
export function importDynamo(process: PythonProcess): void {
  const found = packageNamed(process.environment, "torch");
  if (found) torch.steps.compile?.(process, { package: found, environment: process.environment });
}

/** `12.4` of `__version__ = '0.20.1+cu124'`; undefined for a build without CUDA, or one that does not say. */
export function cudaOfLabel(text: string): string | undefined {
  const [, major, minor] = /\+cu(\d+)(\d)\b/.exec(text) ?? [];
  return major === undefined ? undefined : `${major}.${minor}`;
}

/** What a package upon torch says of its build in its version.py: `2.5.1+cu124`. The wheels of PyPI leave the label out of their own version. */
export function labelledBuild(module: string) {
  const file = ({ package: { folder } }: FrameworkCopy) => `${folder}/${module}/version.py`;
  const label = (view: View, copy: FrameworkCopy) =>
    /^__version__ = '([^']*)'/m.exec(textAt(view, file(copy)) ?? "")?.[1] ?? copy.package.version;
  const cudaOf = (view: View, copy: FrameworkCopy) => cudaOfLabel(label(view, copy));
  return {
    cudaOf,
    compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
      const cuda = cudaOf(view, copy);
      return cuda === undefined ? {} : { cuda: { version: cuda, evidence: file(copy) } };
    },
    cpuOnly: (view: View, copy: FrameworkCopy) => withoutCuda(view, copy, { label: label(view, copy), file: file(copy) }),
  };
}
