import { decode } from "../lib/text.ts";
import { copy, kernel, launchCall, memset, onHost, plainCall, type Account } from "./account.ts";
import type { ChromeEvent } from "./chrome-event.ts";
import type { TraceFacts } from "./facts.ts";
import { eachMember, numberIn } from "./json-bytes.ts";
import { callKind } from "./kineto.ts";
import { unescaped } from "./names.ts";
import type { Threads } from "./threads.ts";
import type { Timeline } from "./timeline.ts";

/** What a line of a device plane is: a stream with real events, a line that was derived from them, or steps. */
export type LineRole = "stream" | "derived" | "steps";

// Device lines are `Stream #14(Compute)`; all others on a device are computed from them (xla/tsl/profiler/utils/xplane_schema.cc).
export function lineRole(name: string): LineRole {
  if (/^Steps\b/.test(name)) return "steps";
  return /^(?:Stream\b|stream:)/i.test(name) ? "stream" : "derived";
}

/** Which device a process or plane of this name is. */
export function deviceOf(name: string): { kind: string; id: number } | undefined {
  const found = /\/device:([A-Za-z]+):(\d+)/.exec(name);
  if (found) return { kind: found[1]!.toUpperCase(), id: Number(found[2]) };
  const custom = /^\/device:CUSTOM:([^:]+)(?::(\d+))?/.exec(name);
  if (custom) return { kind: custom[1]!, id: Number(custom[2] ?? 0) };
  return undefined;
}

interface Process {
  name: string;
  device?: { kind: string; id: number };
  lines: Map<number, LineRole>;
}

/** Counts events as TensorFlow's and JAX's trace viewer files have them: no categories; names of processes and threads tell what is what. */
export function xlaJsonReader(account: Account, facts: TraceFacts, threads: Threads, timeline?: Timeline) {
  const { names } = account;
  const processes = new Map<number, Process>();
  let details = noDetails();

  const readDetails = ({ bytes, argsStart, argsEnd }: ChromeEvent) => {
    details = noDetails();
    if (argsStart < 0) return;
    eachMember(bytes, argsStart, argsEnd, (keyStart, keyEnd, start, end) => {
      const quoted = bytes[start] === 0x22 ? 1 : 0;
      const text = () => decode(bytes, start + quoted, end - quoted);
      const key = decode(bytes, keyStart, keyEnd);
      switch (key) {
        case "kernel_details":
          details.kernel = true;
          break;
        case "memcpy_details":
          details.copy = text();
          break;
        case "tf_op":
        case "hlo_op":
        case "hlo_module":
        case "name":
          details[key] = unescaped(text());
          break;
        case "memset_details":
        case "Memset_details":
          details.memset = true;
          break;
        case "step_num":
          details.step = true;
          break;
        case "correlation_id":
          details.correlation = numberIn(bytes, start + quoted, end - quoted);
          break;
      }
    });
  };
  const nameOf = ({ bytes, nameStart, nameEnd }: ChromeEvent) =>
    nameStart < 0 ? names.numberOf("(no name)") : names.number(bytes, nameStart, nameEnd);

  return {
    processes,
    metadata(event: ChromeEvent): void {
      const { bytes, nameStart, nameEnd } = event;
      if (nameStart < 0) return;
      const what = decode(bytes, nameStart, nameEnd);
      if (what !== "process_name" && what !== "thread_name") return;
      const text = nameArgument(event);
      if (text === undefined) return;
      let process = processes.get(event.process);
      if (!process) {
        if (processes.size === 4096) return;
        process = { name: "", lines: new Map() };
        processes.set(event.process, process);
      }
      if (what === "thread_name") {
        if (process.lines.size < 65_536) process.lines.set(event.thread, lineRole(text));
        if (!process.device) timeline?.threadName(threads.number(event.process, event.thread), text, event.process);
        return;
      }
      process.name = text;
      timeline?.processName(event.process, text);
      const device = deviceOf(text);
      if (!device) return;
      process.device = device;
      if (!facts.listed.some(({ kind, id }) => kind === device.kind && id === device.id)) facts.listed.push(device);
    },
    event(event: ChromeEvent): void {
      if (event.phase !== 0x58 /* X */) return;
      const process = processes.get(event.process);
      const duration = event.duration || 0;
      if (process?.device) {
        const { kind, id } = process.device;
        const role = process.lines.get(event.thread) ?? "derived";
        if (role === "steps") account.step(nameOf(event), event.time, duration, id);
        if (kind !== "GPU") {
          facts.otherDevices.set(kind, (facts.otherDevices.get(kind) ?? 0) + 1);
          return;
        }
        if (role !== "stream") return;
        readDetails(event);
        const name = nameOf(event);
        const what = details.kernel ? kernel : details.memset ? memset : details.copy !== undefined ? copy : kindByName(names.text(name));
        account.gpu(what, id, event.thread, event.time, duration, name, details.correlation);
        if (what === kernel) countOperator(account, details, duration);
        if (details.copy !== undefined) account.copy(copyName(names.text(name)), bytesIn(details.copy), duration);
        return;
      }
      // Calls of the driver lie among the host's events; only they have a correlation.
      if (process?.name.startsWith("/host:") && 0 <= event.argsStart) {
        readDetails(event);
        if (!Number.isNaN(details.correlation)) {
          const name = nameOf(event);
          facts.calls += 1;
          account.call(
            hostCallKind(names.text(name)),
            threads.number(event.process, event.thread),
            event.time,
            duration,
            name,
            details.correlation,
          );
          return;
        }
        if (details.step) account.step(nameOf(event), event.time, duration, onHost);
      }
      account.hostEvent(threads.number(event.process, event.thread), event.time, duration, nameOf(event));
    },
  };
}

/** What the arguments of an event say. */
interface Details {
  kernel: boolean;
  copy: string | undefined;
  memset: boolean;
  step: boolean;
  correlation: number;
  tf_op?: string;
  /** JAX's name of the operator. */
  name?: string;
  hlo_op?: string;
  hlo_module?: string;
}

const noDetails = (): Details => ({ kernel: false, copy: undefined, memset: false, step: false, correlation: Number.NaN });

function countOperator({ names, operators }: Account, { tf_op, name, hlo_op, hlo_module }: Details, duration: number): void {
  const text = operatorName(tf_op, name, hlo_op, hlo_module);
  // Names are kept as JSON has them.
  if (text !== "") operators.add(names.numberOf(JSON.stringify(text).slice(1, -1)), duration);
}

/** The name that people know best: TensorFlow's, which says nothing within XLA's modules; then JAX's, then XLA's own. */
export function operatorName(tf = "", jax = "", op?: string, module?: string): string {
  if (tf !== "" && !tf.startsWith("XlaModule")) return tf;
  if (jax.includes("/") && (tf !== "" || op !== undefined)) return jax;
  return op === undefined ? "" : `${op}${module === undefined ? "" : ` of ${module}`}`;
}

/** What an event on a stream is that has no details: only copies are told by their names. */
export function kindByName(name: string): number {
  return /^Mem(?:cpy|Cpy)/.test(name) ? copy : /^Memset/i.test(name) ? memset : 3;
}

/**
 * What a call in a profile of TensorFlow or JAX does. On NVIDIA a launch bears the name of its kernel, other calls that of the function
 * or of what they do (`MemcpyH2D`); on AMD all bear the function's.
 */
export function hostCallKind(name: string): number {
  if (/^(?:cu|cuda|hip)[A-Z]/.test(name)) return callKind(name);
  return /^(?:Mem(?:cpy|set|ory)|Synchroni|Overhead|NVTX|<UNKNOWN>|Generic|Unsupported|CudaGraph)/i.test(name) ? plainCall : launchCall;
}

export const copyName = (name: string) => /^Memcpy([HDP])(?:to|2)([HDP])/i.exec(name)?.slice(1).join("to") ?? "other";

/** `kind_src:pageable kind_dst:device size:4096 dest:0 async:1` */
export const bytesIn = (details: string) => Number(/\bsize:(\d+)/.exec(details)?.[1] ?? 0);

function nameArgument({ bytes, argsStart, argsEnd }: ChromeEvent): string | undefined {
  let text: string | undefined;
  if (argsStart < 0) return undefined;
  eachMember(bytes, argsStart, argsEnd, (keyStart, keyEnd, start, end) => {
    if (keyEnd - keyStart === 4 && decode(bytes, keyStart, keyEnd) === "name" && bytes[start] === 0x22)
      text = decode(bytes, start + 1, end - 1);
  });
  return text;
}
