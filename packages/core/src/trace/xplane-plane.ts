// What the planes of an XSpace say about themselves: their names, the names of their events and values, and the machine.
import { decode } from "../lib/text.ts";
import type { Account } from "./account.ts";
import type { TraceFacts } from "./facts.ts";
import { readHloNames, type HloNames } from "./hlo-names.ts";
import type { Names } from "./names.ts";
import { cursorOver, eachField, signed, unsigned } from "./protobuf.ts";
import { deviceOf, operatorName } from "./xla-json.ts";
import { dottedCuda } from "./versions.ts";

export interface Plane {
  name: string;
  device: { kind: string; id: number } | undefined;
  host: boolean;
  /** Number of the name by id of the event's metadata. */
  eventNames: IdMap;
  statNames: Map<number, string>;
  /** Numbers of the names of operators, by the texts that they are made of. */
  operatorNames: Map<string, number>;
  /** What the instructions of XLA's modules are in the program. */
  modules: HloNames;
  stats: Map<string, string | number>;
  /** Ids of the values that matter here. */
  kernelDetails: number;
  copyDetails: number;
  memsetDetails: number;
  correlation: number;
  /** The operator that a kernel belongs to: of TensorFlow, of JAX (`jit(step)/dot_general`), and of XLA (with its module). */
  tfOp: number;
  jaxOp: number;
  hloOp: number;
  hloModule: number;
  /** Which step of the program the event is (JAX's StepTraceAnnotation, Keras). */
  stepNumber: number;
  /** What the values with the smallest ids are; of 128 and above, `asked`: their ids are longer than a byte. */
  roles: Uint8Array;
  /** Its lines have been read; all of them were left for the second time. */
  done: boolean;
  left: boolean;
}

/** What a value of an event tells. */
export const nothing = 0;
export const kernelDetails = 1;
export const copyDetails = 2;
export const memsetDetails = 3;
export const correlation = 4;
export const stepNumber = 5;
export const operatorParts = ["tfOp", "jaxOp", "hloOp", "hloModule"] as const;
export const firstOperatorPart = 6;
const asked = 255;

/** The role of a value of any id. */
export function roleOf(plane: Plane, id: number): number {
  if (id === plane.correlation) return correlation;
  if (id === plane.kernelDetails) return kernelDetails;
  if (id === plane.copyDetails) return copyDetails;
  if (id === plane.memsetDetails) return memsetDetails;
  if (id === plane.stepNumber) return stepNumber;
  const part = operatorParts.findIndex((each) => plane[each] === id);
  return part < 0 ? nothing : firstOperatorPart + part;
}

const mostStatNames = 400_000;

export const wantsLines = ({ device, host }: Plane) => device !== undefined || host;

export function newPlane(): Plane {
  return {
    name: "",
    device: undefined,
    host: false,
    eventNames: createIdMap(),
    statNames: new Map(),
    operatorNames: new Map(),
    modules: new Map(),
    stats: new Map(),
    kernelDetails: -1,
    copyDetails: -1,
    memsetDetails: -1,
    correlation: -1,
    tfOp: -1,
    jaxOp: -1,
    hloOp: -1,
    hloModule: -1,
    stepNumber: -1,
    roles: new Uint8Array(256).fill(asked, 128),
    done: false,
    left: false,
  };
}

/** Ids are small and dense in nearly every file. */
interface IdMap {
  set(id: number, value: number): void;
  get(id: number): number;
}

function createIdMap(): IdMap {
  let dense = new Int32Array(64);
  const sparse = new Map<number, number>();
  return {
    set(id, value) {
      if (0 <= id && id < dense.length * 4 && id < 1 << 24) {
        if (dense.length <= id) {
          const larger = new Int32Array(Math.max(id + 1, dense.length * 2));
          larger.set(dense);
          dense = larger;
        }
        dense[id] = value;
      } else if (sparse.size < 2_000_000) sparse.set(id, value);
    },
    get: (id) => (0 <= id && id < dense.length && dense[id] !== 0 ? dense[id]! : (sparse.get(id) ?? 0)),
  };
}

/** One field of a plane other than its lines. */
export function planeField(plane: Plane, field: number, bytes: Uint8Array, start: number, stop: number, names: Names): void {
  if (field === 2) {
    plane.name = decode(bytes, start, stop);
    plane.device = deviceOf(plane.name);
    plane.host = /^\/host:(?:CPU|CUPTI|ROCTRACER|python-tracer)/.test(plane.name);
  } else if (field === 4) {
    eventName(plane, bytes, start, stop, names);
    // Compiled modules are kept as metadata of events that never happen.
    if (plane.name === "/host:metadata") readHloNames(plane.modules, bytes, start, stop);
  } else if (field === 5) statName(plane, bytes, start, stop);
  else if (field === 6) stat(plane, bytes, start, stop);
}

/** An entry of one of the two maps: its id, and where the name of its metadata lies. */
function eachName(bytes: Uint8Array, start: number, stop: number, take: (from: number, to: number) => void): number {
  const cursor = cursorOver(bytes);
  cursor.at = start;
  let id = 0;
  eachField(cursor, stop, (entry, _wire, _from, to) => {
    if (entry === 1) id = signed(cursor);
    if (entry !== 2) return;
    eachField(cursor, to, (member, _inner, textStart, textEnd) => {
      if (member === 2) take(textStart, textEnd);
    });
  });
  return id;
}

function eventName(plane: Plane, bytes: Uint8Array, start: number, stop: number, names: Names): void {
  let name = 0;
  const id = eachName(bytes, start, stop, (from, to) => {
    name = names.number(bytes, from, Math.min(to, from + 8192));
  });
  plane.eventNames.set(id, name);
}

function statName(plane: Plane, bytes: Uint8Array, start: number, stop: number): void {
  let name = "";
  const id = eachName(bytes, start, stop, (from, to) => {
    name = decode(bytes, from, Math.min(to, from + 4096));
  });
  if (plane.statNames.size < mostStatNames) plane.statNames.set(id, name);
  const value = valuesByName.get(name as "name");
  if (value === undefined) return;
  const before = plane[value];
  plane[value] = id;
  for (const each of [before, id]) if (0 <= each && each < 128) plane.roles[each] = roleOf(plane, each);
}

const valuesByName = new Map([
  ["kernel_details", "kernelDetails"],
  ["memcpy_details", "copyDetails"],
  ["memset_details", "memsetDetails"],
  ["Memset_details", "memsetDetails"],
  ["correlation_id", "correlation"],
  ["tf_op", "tfOp"],
  ["name", "jaxOp"],
  ["hlo_op", "hloOp"],
  ["hlo_module", "hloModule"],
  ["step_num", "stepNumber"],
] as const);

function stat(plane: Plane, bytes: Uint8Array, start: number, stop: number): void {
  const cursor = cursorOver(bytes);
  cursor.at = start;
  let id = 0;
  let value: string | number | undefined;
  eachField(cursor, stop, (member, _wire, from, to) => {
    if (member === 1) id = signed(cursor);
    else if (member === 2) value = new DataView(bytes.buffer, bytes.byteOffset + from, 8).getFloat64(0, true);
    else if (member === 3 || member === 7) value = unsigned(cursor);
    else if (member === 4) value = signed(cursor);
    else if (member === 5) value = decode(bytes, from, Math.min(to, from + 4096));
    else if (member === 6) value = decodeBytes(bytes, from, Math.min(to, from + 65_536));
  });
  // Values are stored before their names are known.
  if (value !== undefined && plane.stats.size < 1000) plane.stats.set(`#${id}`, value);
}

const decodeBytes = (bytes: Uint8Array, start: number, end: number) => {
  let text = "";
  for (let at = start; at < end; at += 1) text += String.fromCharCode(bytes[at]!);
  return text;
};

/** Gives the values of a plane their names. */
function nameStats(plane: Plane): void {
  for (const [key, value] of plane.stats) {
    if (!key.startsWith("#")) continue;
    const name = plane.statNames.get(Number(key.slice(1)));
    if (name !== undefined) plane.stats.set(name, value);
  }
}

/** A value of a plane as text, which may be kept once and referred to. */
function textOf({ stats, statNames }: Plane, key: string): string | undefined {
  const value = stats.get(key);
  return typeof value === "number" ? (statNames.get(value) ?? String(value)) : value;
}

/** Kernels that name an instruction of XLA are those of the operation that it was made from, where the file says so. */
export function nameOperations(planes: Plane[], { names, operators }: Account): void {
  const modules = planes.find(({ modules: { size } }) => 0 < size)?.modules;
  if (!modules) return;
  for (const { operatorNames, statNames } of planes)
    for (const [key, number] of operatorNames) {
      const [op, module] = key
        .split(" ")
        .slice(2)
        .map((id) => statNames.get(Number(id)) ?? "");
      const operation = modules.get(module!)?.get(op!);
      if (operation !== undefined && operation !== "" && names.text(number) === operatorName("", "", op, module))
        operators.rename(number, names.numberOf(operation));
    }
}

/** What all planes say, when all of them have been read but for their lines. */
export function readPlanes(planes: Plane[], facts: TraceFacts, hostnames: string[], names: Names): void {
  for (const plane of planes) nameStats(plane);
  if (hostnames[0] !== undefined) facts.host = hostnames[0];
  for (const plane of planes) {
    if (plane.device) listDevice(plane, plane.device, facts);
    if (plane.name === "/host:metadata") readMetadata(plane, facts);
    if (plane.name === "Task Environment") readOptions(plane.stats.get("profile_options"), facts);
  }
  for (const text of facts.warnings) readDrops(text, facts);
  readSigns(names, facts);
}

function listDevice(plane: Plane, device: NonNullable<Plane["device"]>, facts: TraceFacts): void {
  if (facts.listed.some(({ kind, id }) => kind === device.kind && id === device.id)) return;
  const major = Number(plane.stats.get("compute_cap_major"));
  const vendor = textOf(plane, "device_vendor");
  const model = textOf(plane, "gpu_device_name") ?? textOf(plane, "device_type_string");
  if (device.kind === "GPU" && vendor !== undefined) {
    if (/amd/i.test(vendor)) facts.vendor = "amd";
    else if (/nvidia/i.test(vendor)) facts.vendor = "nvidia";
  }
  facts.listed.push({
    ...device,
    ...(model === undefined ? {} : { name: model }),
    ...(Number.isInteger(major) && facts.vendor !== "amd"
      ? { architecture: `sm_${major}${Number(plane.stats.get("compute_cap_minor")) || 0}` }
      : {}),
  });
}

function readMetadata(plane: Plane, facts: TraceFacts): void {
  if (plane.stats.has("jax_version") || plane.stats.has("jaxlib_version")) facts.framework = "jax";
  // JAX names the backends that the program has, whether the profiler saw them or not.
  const backend = textOf(plane, "gpu_version");
  if (backend !== undefined) facts.gpuSigns.push(`gpu_version: ${backend}`);
  const runtime = dottedCuda(Number(textOf(plane, "cuda_runtime_version")));
  const driver = dottedCuda(Number(textOf(plane, "cuda_driver_version")));
  const compiled = dottedCuda(Number(textOf(plane, "cuda_version")));
  if (runtime !== undefined) facts.versions.runtime = runtime;
  if (driver !== undefined) facts.versions.driver = driver;
  if (compiled !== undefined) facts.versions.compiledFor = compiled;
}

// ProfileOptions: device_tracer_level = 3 (0: the user switched the GPU off), device_type = 6 (1: CPU).
function readOptions(options: string | number | undefined, facts: TraceFacts): void {
  if (typeof options !== "string") return;
  const bytes = Uint8Array.from(options, (letter) => letter.charCodeAt(0));
  const cursor = cursorOver(bytes);
  // A proto3 number that is 0 is not written.
  let level = 0;
  let type = 0;
  let version = 0;
  try {
    eachField(cursor, bytes.length, (field, wire) => {
      if (wire !== 0) return;
      if (field === 3) level = cursor.low;
      if (field === 5) version = cursor.low;
      if (field === 6) type = cursor.low;
    });
  } catch {
    return;
  }
  if (version === 0) return;
  if (level === 0) facts.switchedOff = "the device tracer was switched off (`device_tracer_level` 0)";
  else if (type === 1) facts.switchedOff = "the recording was of the CPU alone (`device_type` CPU)";
}

/** `Detected GPU events dropped on host: … K events dropped because total device(activity) events reaches max; …` */
function readDrops(text: string, facts: TraceFacts): void {
  if (!/dropped/i.test(text)) return;
  let found = false;
  for (const [, count, reason] of text.matchAll(/(?<!\d)(\d+) events? dropped because ([^;.]+)/gi)) {
    facts.dropped.events += Number(count);
    facts.dropped.reasons.push(`${count} events: ${reason!.trim()}`);
    found = true;
  }
  for (const [, reason, count] of text.matchAll(/(Activity Event dropped [^:;]+):\s*(\d+)/gi)) {
    facts.dropped.events += Number(count);
    facts.dropped.reasons.push(`${count} events: ${reason!.trim()}`);
    found = true;
  }
  if (!found && /GPU events dropped/i.test(text)) facts.dropped.reasons.push(text.slice(0, 300));
}

const signs =
  /:GPU:\d|^Gpu(?:Executable|CommandBuffer|CompiledProgram|Timer)|GpuExecutable|StreamExecutorGpu|\bCUDA\b|[Cc]uda(?:Stream|Executor|Malloc)|cu(?:blas|dnn|solver|fft)[A-Z_]|ncclAllReduce|NcclAll|command_buffer|^PjRtCApi|se_gpu|rocm|MIOpen/;

/** Names of the host's that only a program with a GPU has, and those that tell the framework. */
export function readSigns(names: Names, facts: TraceFacts): void {
  for (let number = 1; number < Math.min(names.count, 100_000); number += 1) {
    const text = names.text(number);
    if (facts.framework !== "jax" && /^PjitFunction|^\$?(?:jax|pjit)\.py:|\bjax[._]|^jit_/.test(text)) facts.framework = "jax";
    if (facts.gpuSigns.length < 5 && signs.test(text)) facts.gpuSigns.push(text.slice(0, 100));
  }
  if (1 < names.count) facts.framework ??= "tensorflow";
}
