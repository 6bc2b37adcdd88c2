import { decode } from "../lib/text.ts";
import type { TraceVersions } from "../model/trace.ts";
import {
  beginCaptureCall,
  copy,
  endCaptureCall,
  graphLaunchCall,
  kernel,
  launchCall,
  memset,
  plainCall,
  onHost,
  type Account,
} from "./account.ts";
import type { ChromeEvent } from "./chrome-event.ts";
import { eachMember, numberIn, skipValue, stringEnd } from "./json-bytes.ts";
import type { TraceFacts } from "./facts.ts";
import { collectiveOf, isUntoldCollective } from "./kernel-names.ts";
import { cuptiToolkit, dottedCuda, dottedHip } from "./versions.ts";
import { modulePrefix } from "./scope-tree.ts";
import type { Threads } from "./threads.ts";
import type { Timeline } from "./timeline.ts";

// What torch's profiler (Kineto) writes: libkineto/src/output_json.cpp, categories in libkineto/include/ActivityType.h; those of 2021 had
// other names. AMD's kernels and calls come under the same names as NVIDIA's.
const roles: { [category: string]: Role } = {
  kernel: "kernel",
  Kernel: "kernel",
  gpu_memcpy: "copy",
  Memcpy: "copy",
  gpu_memset: "memset",
  Memset: "memset",
  cuda_runtime: "call",
  cuda_driver: "call",
  hip_runtime: "call",
  Runtime: "call",
  xpu_runtime: "xpu-call",
  xpu_driver: "xpu-call",
  privateuse1_runtime: "custom-call",
  privateuse1_driver: "custom-call",
  cpu_op: "operator",
  Operator: "operator",
  user_annotation: "annotation",
  python_function: "python",
  cuda_profiler_range: "range",
  mtia_ccp_events: "mtia",
  mtia_runtime: "mtia-call",
  mtia_insight: "ignored",
  hpu_op: "hpu",
  glow_runtime: "host",
  gpu_user_annotation: "ignored",
  cuda_sync: "ignored",
  cuda_event: "ignored",
  xpu_sync: "ignored",
  overhead: "ignored",
  Trace: "ignored",
  ac2g: "ignored",
  fwdbwd: "ignored",
  async_cpu_to_gpu: "ignored",
  async_gpu: "ignored",
  cpu_instant_event: "memory",
  collective_comm: "host",
};

type Role =
  | "kernel"
  | "copy"
  | "memset"
  | "call"
  | "xpu-call"
  | "custom-call"
  | "host"
  | "operator"
  | "python"
  | "memory"
  | "annotation"
  | "range"
  | "mtia"
  | "mtia-call"
  | "hpu"
  | "ignored";

/** The role of a category that Kineto writes; undefined for those of other programs. */
export const kinetoRole = (category: string): Role | undefined => (Object.hasOwn(roles, category) ? roles[category] : undefined);

/** What a call does, told from its name: of CUDA's runtime and driver, of HIP, of SYCL and Level Zero. */
export function callKind(name: string): number {
  if (/GraphLaunch|GraphExecLaunch/.test(name)) return graphLaunchCall;
  // cudaLaunchKernel, cudaLaunchKernelExC, cudaLaunchCooperativeKernel, cuLaunchKernelEx, hipExtModuleLaunchKernel, urEnqueueKernelLaunch, …
  if (/^(?:cuda|cu|hip|ur|ze|pi)\w*(?:Launch\w*Kernel|KernelLaunch|AppendLaunch)/.test(name) || /^(?:cuda|cu|hip)Launch(?:_|$)/.test(name))
    return launchCall;
  if (/^(?:cuda|cu|hip)StreamBeginCapture/.test(name)) return beginCaptureCall;
  if (/^(?:cuda|cu|hip)StreamEndCapture/.test(name)) return endCaptureCall;
  return plainCall;
}

/** Counts one event that has a category of Kineto's. */
export function kinetoReader(account: Account, facts: TraceFacts, threads: Threads, timeline?: Timeline) {
  const { names } = account;
  // By number of the name, plus one; 0 is not asked yet.
  let kinds = new Uint8Array(1 << 10);
  const found = emptyFound();

  const kindOf = (name: number): number => {
    if (kinds.length <= name) {
      const larger = new Uint8Array(Math.max(name + 1, kinds.length * 2));
      larger.set(kinds);
      kinds = larger;
    }
    if (kinds[name] === 0) kinds[name] = callKind(names.text(name)) + 1;
    return kinds[name]! - 1;
  };
  // Kernels have few names: by number of the name.
  const untold = new Map<number, boolean>();
  const isUntold = (name: number): boolean => {
    let known = untold.get(name);
    if (known === undefined) untold.set(name, (known = isUntoldCollective(names.text(name))));
    return known;
  };
  const nameOf = ({ bytes, nameStart, nameEnd }: ChromeEvent) =>
    nameStart < 0 ? names.numberOf("(no name)") : names.number(bytes, nameStart, nameEnd);

  const threadOf = ({ process, thread }: ChromeEvent) => threads.number(process, thread);

  const device = (event: ChromeEvent, kind: number) => {
    readArguments(event, found, kind === kernel ? "correlation" : "bytes");
    const id = Number.isNaN(found.device) ? event.process : found.device;
    const stream = Number.isNaN(found.stream) ? event.thread : found.stream;
    const name = nameOf(event);
    const duration = event.duration || 0;
    const collective = kind === kernel && isUntold(name) ? collectiveIn(event) : undefined;
    account.gpu(kind, id, stream, event.time, duration, name, found.correlation, collective);
    if (kind === kernel) {
      account.operators.ran(found.operator, duration);
      account.scopes.ran(found.correlation, duration);
      occupancy(account, name, duration, lastPercentage(event));
      return;
    }
    const what = copyKind(names.text(name));
    if (/Pageable/.test(names.text(name))) account.pageable.add(what);
    account.copy(what, found.bytes, duration);
  };

  return (event: ChromeEvent, role: Role): void => {
    if (role === "memory") countMemory(event, facts, timeline);
    if (event.phase !== 0x58 /* X */) return;
    switch (role) {
      case "kernel":
        device(event, kernel);
        break;
      case "copy":
        device(event, copy);
        break;
      case "memset":
        device(event, memset);
        break;
      case "xpu-call":
        facts.vendor ??= "intel";
        call(event);
        break;
      case "custom-call":
        facts.vendor ??= "other";
        call(event);
        break;
      case "call":
        call(event);
        break;
      // In 2021 steps were operators, too.
      case "operator":
      case "annotation": {
        const name = nameOf(event);
        account.hostEvent(threadOf(event), event.time, event.duration || 0, name);
        if (isStep(event)) account.step(name, event.time, event.duration, onHost);
        else operator(event, role, name);
        break;
      }
      case "python":
        python(event);
        break;
      case "host":
        account.hostEvent(threadOf(event), event.time, event.duration || 0, account.wantsHost(event.duration) ? nameOf(event) : -1);
        break;
      case "mtia":
      case "hpu":
        facts.otherDevices.set(role.toUpperCase(), (facts.otherDevices.get(role.toUpperCase()) ?? 0) + 1);
        break;
      case "mtia-call":
        facts.otherDevices.set("MTIA", (facts.otherDevices.get("MTIA") ?? 0) + 1);
        break;
      case "range":
        facts.profilerRanges += 1;
        break;
      case "memory":
      case "ignored":
        break;
    }
  };

  function call(event: ChromeEvent): void {
    const name = nameOf(event);
    readArguments(event, found, "correlation");
    facts.calls += 1;
    const thread = threadOf(event);
    account.call(kindOf(name), thread, event.time, event.duration || 0, name, found.correlation);
    account.scopes.launched(found.correlation, thread, event.time);
  }

  function operator(event: ChromeEvent, role: "operator" | "annotation", name: number): void {
    readArguments(event, found, "operator");
    account.operators.named(found.operator, name);
    const thread = threadOf(event);
    if (role === "annotation") account.scopes.entered("ranges", thread, event.time, event.duration || 0, name);
    else if (0 <= found.sequence) account.scopes.numbered(found.sequence, found.forward, thread, event.time, event.duration || 0);
  }

  function python(event: ChromeEvent): void {
    account.pythonEvents += 1;
    const isModule = startsWith(event, modulePrefix);
    const thread = threadOf(event);
    const name = isModule || account.wantsHost(event.duration) ? nameOf(event) : -1;
    account.hostEvent(thread, event.time, event.duration || 0, name);
    if (isModule) account.scopes.entered("modules", thread, event.time, event.duration || 0, name);
  }
}

function startsWith({ bytes, nameStart, nameEnd }: ChromeEvent, prefix: string): boolean {
  if (nameEnd - nameStart < prefix.length) return false;
  for (let at = 0; at < prefix.length; at += 1) if (bytes[nameStart + at] !== prefix.charCodeAt(at)) return false;
  return true;
}

function occupancy({ sums }: Account, name: number, duration: number, percentage: number): void {
  // 0 is what Kineto writes where it could not tell.
  if (!(0 < percentage && percentage <= 100) || sums.measured.length <= name) return;
  sums.measured[name]! += duration;
  sums.occupied[name]! += duration * percentage;
}

/** "est. achieved occupancy %" is the last argument of a kernel: what is before it need not be gone through. */
function lastPercentage({ bytes, argsStart, argsEnd }: ChromeEvent): number {
  let end = argsEnd - 1;
  while (argsStart < end && (bytes[end]! <= 0x20 || bytes[end] === 0x7d)) end -= 1;
  let start = end;
  while (argsStart < start && ((0x30 <= bytes[start]! && bytes[start]! <= 0x39) || bytes[start] === 0x2e)) start -= 1;
  let key = start;
  while (argsStart < key && (bytes[key]! <= 0x20 || bytes[key] === 0x3a)) key -= 1;
  const isIt = bytes[key] === 0x22 && bytes[key - 1] === 0x25 && decode(bytes, Math.max(argsStart, key - 11), key - 1) === "occupancy ";
  return isIt ? numberIn(bytes, start + 1, end + 1) : Number.NaN;
}

// torch of 2.4 and later writes the call beside the kernels that it started: "Collective name": "allreduce".
function collectiveIn({ bytes, argsStart, argsEnd }: ChromeEvent): string | undefined {
  let found: string | undefined;
  if (0 <= argsStart)
    eachMember(bytes, argsStart, argsEnd, (keyStart, keyEnd, start, end) => {
      if (decode(bytes, keyStart, keyEnd) === "Collective name") found = collectiveOf(decode(bytes, start, end));
    });
  return found;
}

// `[memory]`, with `profile_memory`: Device Type 1 is CUDA (c10/core/DeviceType.h), which on ROCm is AMD's.
function countMemory({ bytes, argsStart, argsEnd, time }: ChromeEvent, facts: TraceFacts, timeline?: Timeline): void {
  if (argsStart < 0) return;
  const found = { type: Number.NaN, device: 0, allocated: Number.NaN, reserved: Number.NaN };
  eachMember(bytes, argsStart, argsEnd, (keyStart, keyEnd, start, end) => {
    const key = decode(bytes, keyStart, keyEnd);
    if (key === "Device Type") found.type = valueOf(bytes, start, end);
    else if (key === "Device Id") found.device = valueOf(bytes, start, end);
    else if (key === "Total Allocated") found.allocated = valueOf(bytes, start, end);
    else if (key === "Total Reserved") found.reserved = valueOf(bytes, start, end);
  });
  if (found.type !== 1) return;
  const peak = facts.memory.get(found.device) ?? { events: 0, allocated: 0, reserved: 0 };
  peak.events += 1;
  timeline?.counter(`GPU ${found.device}: bytes in use`, time, found.allocated);
  timeline?.counter(`GPU ${found.device}: bytes reserved`, time, found.reserved);
  if (peak.allocated < found.allocated) peak.allocated = found.allocated;
  if (peak.reserved < found.reserved) peak.reserved = found.reserved;
  if (facts.memory.size < 1024) facts.memory.set(found.device, peak);
}

// ProfilerStep#12
const isStep = (event: ChromeEvent) => startsWith(event, "ProfilerStep#");

// "Memcpy HtoD (Pageable -> Device)" and "Memset (Device)" of NVIDIA, "Memcpy HtoD (Host -> Device)", "CopyHostToDevice" of AMD.
function copyKind(name: string): string {
  const kind = /\b(HtoD|DtoH|DtoD|HtoH|PtoP|HtoA|AtoH)\b/.exec(name)?.[1];
  if (kind) return kind;
  if (/HostToDevice/i.test(name)) return "HtoD";
  if (/DeviceToHost/i.test(name)) return "DtoH";
  if (/DeviceToDevice/i.test(name)) return "DtoD";
  return /memset|fill/i.test(name) ? "memset" : "other";
}

interface Found {
  correlation: number;
  device: number;
  stream: number;
  bytes: number;
  operator: number;
  /** Autograd's number of an operator, and that of the thread of its forward operator; 0 where it is one itself. */
  sequence: number;
  forward: number;
}

const emptyFound = (): Found => ({
  correlation: Number.NaN,
  device: Number.NaN,
  stream: Number.NaN,
  bytes: Number.NaN,
  operator: Number.NaN,
  sequence: Number.NaN,
  forward: Number.NaN,
});

// Only the few numbers that are wanted are taken out of the arguments.
function readArguments({ bytes, argsStart, argsEnd }: ChromeEvent, found: Found, last: "correlation" | "bytes" | "operator"): void {
  found.correlation = found.device = found.stream = found.bytes = found.operator = found.sequence = found.forward = Number.NaN;
  if (argsStart < 0) return;
  if (last === "operator") {
    readOperator(bytes, argsStart, argsEnd, found);
    return;
  }
  let at = argsStart + 1;
  while (at < argsEnd) {
    while (at < argsEnd && bytes[at] !== 0x22) at += 1;
    const key = at + 1;
    at = key;
    while (at < argsEnd && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
    const length = at - key;
    at += 1;
    while (at < argsEnd && (bytes[at]! <= 0x20 || bytes[at] === 0x3a)) at += 1;
    if (argsEnd <= at) return;
    const next = skipValue(bytes, at, argsEnd);
    if (next < 0) return;
    // Length and some letters tell these names from all others that Kineto writes.
    if (length === 11 && bytes[key] === 0x63 && bytes[key + 5] === 0x6c && bytes[key + 10] === 0x6e) {
      found.correlation = valueOf(bytes, at, next);
      // What comes after it is not wanted of a kernel or call; the device and stream come before.
      if (last === "correlation") return;
    } else if (length === 11 && (bytes[key]! | 0x20) === 0x65 && bytes[key + 8] === 0x20) {
      // External id, in either case.
      found.operator = valueOf(bytes, at, next);
    } else if (length === 6 && bytes[key] === 0x64 && bytes[key + 2] === 0x76) found.device = valueOf(bytes, at, next);
    else if (length === 6 && bytes[key] === 0x73 && bytes[key + 2] === 0x72) found.stream = valueOf(bytes, at, next);
    else if (length === 5 && bytes[key] === 0x62 && bytes[key + 1] === 0x79) found.bytes = valueOf(bytes, at, next);
    at = next;
  }
}

/** The numbers of an operator. Shapes of its inputs may be long, and are not gone through where nothing can come after them. */
function readOperator(bytes: Uint8Array, from: number, to: number, found: Found): void {
  let at = from + 1;
  let isLast = false;
  while (at < to) {
    while (at < to && bytes[at] !== 0x22) at += 1;
    if (to <= at) return;
    const key = at + 1;
    at = stringEnd(bytes, key);
    const length = at - key;
    at += 1;
    while (at < to && (bytes[at]! <= 0x20 || bytes[at] === 0x3a)) at += 1;
    if (to <= at) return;
    const isNested = bytes[at] === 0x5b || bytes[at] === 0x7b;
    // Since 2023 what autograd numbers is beside the number of the function, and shapes come after both.
    if (isNested && isLast) return;
    const next = skipValue(bytes, at, to);
    if (next < 0) return;
    const part = operatorPart(bytes, key, length);
    if (part === "function") isLast = true;
    else if (part !== undefined) found[part] = valueOf(bytes, at, next);
    at = next;
  }
}

/** Which of an operator's numbers has this name: External id (in either case), Sequence number, Fwd thread id, Record function id. */
function operatorPart(bytes: Uint8Array, key: number, length: number): "operator" | "sequence" | "forward" | "function" | undefined {
  const first = bytes[key]! | 0x20;
  if (length === 11 && first === 0x65 && bytes[key + 8] === 0x20) return "operator";
  if (length === 15 && first === 0x73 && bytes[key + 8] === 0x20) return "sequence";
  if (length === 13 && first === 0x66 && bytes[key + 3] === 0x20) return "forward";
  return length === 18 && first === 0x72 && bytes[key + 6] === 0x20 ? "function" : undefined;
}

const valueOf = (bytes: Uint8Array, start: number, end: number) =>
  bytes[start] === 0x22 ? numberIn(bytes, start + 1, end - 1) : numberIn(bytes, start, end);

interface DeviceProperties {
  id?: number;
  name?: string;
  computeMajor?: number;
  computeMinor?: number;
}

/** Counts one member of the outermost object. */
export function kinetoMember(facts: TraceFacts, name: string, value: unknown): void {
  const { versions } = facts;
  switch (name) {
    case "deviceProperties":
      if (!Array.isArray(value)) return;
      for (const given of (value as unknown[]).slice(0, 1024)) {
        if (typeof given !== "object" || given === null) continue;
        const { id, name: model, computeMajor, computeMinor } = given as DeviceProperties;
        const amd = typeof model === "string" && /\bAMD\b|Instinct|Radeon|gfx\d/i.test(model);
        if (typeof model === "string" && /NVIDIA|Tesla|GeForce|Quadro/.test(model)) facts.vendor ??= "nvidia";
        if (amd) facts.vendor ??= "amd";
        facts.listed.push({
          id: typeof id === "number" ? id : facts.listed.length,
          kind: typeof model === "string" && /MTIA/i.test(model) ? "MTIA" : "GPU",
          ...(typeof model === "string" ? { name: model } : {}),
          ...(typeof computeMajor === "number" && !amd ? { architecture: `sm_${computeMajor}${computeMinor ?? 0}` } : {}),
        });
      }
      return;
    case "cupti_version": {
      const api = Number(value);
      if (!Number.isFinite(api)) return;
      const toolkit = cuptiToolkit(api);
      versions.cupti = { api, ...(toolkit === undefined ? {} : { toolkit }) };
      facts.vendor ??= "nvidia";
      return;
    }
    case "cuda_runtime_version":
      version(versions, "runtime", dottedCuda(Number(value)));
      return;
    case "cuda_driver_version":
      version(versions, "driver", dottedCuda(Number(value)));
      return;
    case "hip_runtime_version":
    case "hip_driver_version":
      facts.vendor ??= "amd";
      version(versions, "hip", dottedHip(Number(value)));
      return;
    case "roctracer_version":
    case "rocprofiler-sdk_version":
      facts.vendor ??= "amd";
      version(versions, "roctracer", String(value));
      return;
    case "distributedInfo": {
      if (typeof value !== "object" || value === null) return;
      const { rank, world_size, nccl_version, backend } = value as { [key: string]: unknown };
      // `cpu:gloo,cuda:nccl` is what torch chooses by itself, whatever the tensors are on.
      if (backend === "nccl") facts.gpuSigns.push("backend: nccl");
      if (rank !== undefined && Number.isInteger(Number(rank))) facts.rank = Number(rank);
      if (world_size !== undefined && Number.isInteger(Number(world_size))) facts.worldSize = Number(world_size);
      if (typeof nccl_version === "string" && nccl_version !== "unknown") versions.nccl = nccl_version;
      return;
    }
    case "host_name":
    case "hostName":
      if (typeof value === "string") facts.host = value;
      return;
    case "INFO":
    case "WARNING":
    case "ERROR":
      if (Array.isArray(value)) messages(facts, name, value.map(String));
      return;
  }
}

function version(versions: TraceVersions, key: "runtime" | "driver" | "hip" | "roctracer", text: string | undefined): void {
  if (text !== undefined && text !== "NaN") versions[key] ??= text;
}

// Kineto appended its own log between 2021-11 and 2026-07.
function messages(facts: TraceFacts, level: string, texts: string[]): void {
  for (const text of texts.slice(0, 10_000)) {
    const dropped = /[Dd]ropped (\d+) activity records/.exec(text);
    if (dropped) {
      facts.dropped.events += Number(dropped[1]);
      facts.dropped.reasons.push(text.trim());
    } else if (/Exceeded max GPU buffer count|stopped by GPU profiler|stopped early\? = [1-9]/.test(text))
      facts.dropped.reasons.push(text.trim());
    const list = level === "ERROR" ? facts.errors : level === "WARNING" ? facts.warnings : undefined;
    if (list && list.length < 50) list.push(text.trim().slice(0, 500));
  }
}
