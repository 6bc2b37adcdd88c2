import { createAccount } from "./account.ts";
import { readChrome } from "./chrome-scanner.ts";
import type { ChromeEvent } from "./chrome-event.ts";
import { argumentsOf } from "./event-arguments.ts";
import { emptyFacts, type TraceFacts, type TraceReader } from "./facts.ts";
import { kinetoMember, kinetoReader, kinetoRole } from "./kineto.ts";
import { createThreads } from "./threads.ts";
import type { Timeline } from "./timeline.ts";
import { xlaJsonReader } from "./xla-json.ts";
import { createNames, type Names } from "./names.ts";
import { readSigns } from "./xplane-plane.ts";

/** A Chrome trace of any origin. Each event tells by its category whether Kineto wrote it; the rest is read as TensorFlow's and JAX's. */
export function chromeTrace(timeline?: Timeline): TraceReader {
  const account = createAccount(true, timeline);
  const facts = emptyFacts("chrome", account);
  const threads = createThreads((number, process, thread) => timeline?.threadName(number, `thread ${thread}`, process));
  const kineto = kinetoReader(account, facts, threads, timeline);
  const viewer = xlaJsonReader(account, facts, threads, timeline);
  const categories = createNames(false, 1 << 20);
  // By number of the category.
  const roles: (NonNullable<ReturnType<typeof kinetoRole>> | "none")[] = [];
  const members: string[] = [];
  let ofKineto = 0;
  let ofOthers = 0;
  let withPhase = 0;

  // Categories are few: length and two letters nearly always tell which it is, and one comparison makes it sure.
  const recent: ({ role: NonNullable<ReturnType<typeof kinetoRole>> | null; letters: Uint8Array } | undefined)[] = Array.from({
    length: 64,
  });
  const roleOf = ({ bytes, categoryStart, categoryEnd }: ChromeEvent) => {
    const length = categoryEnd - categoryStart;
    const slot = (length + 3 * bytes[categoryStart]! + 5 * bytes[categoryEnd - 1]!) & 63;
    const known = recent[slot];
    if (known && known.letters.length === length) {
      const { letters } = known;
      let at = 0;
      while (at < length && letters[at] === bytes[categoryStart + at]) at += 1;
      if (at === length) return known.role;
    }
    const number = categories.number(bytes, categoryStart, categoryEnd);
    roles[number] ??= kinetoRole(categories.text(number)) ?? "none";
    const role = roles[number] === "none" ? null : roles[number];
    recent[slot] = { role, letters: bytes.slice(categoryStart, categoryEnd) };
    return role;
  };

  let told: ChromeEvent | undefined;
  const tell = () => (told ? argumentsOf(told) : "");
  const reader = readChrome({
    event(event: ChromeEvent) {
      if (event.phase !== 0) withPhase += 1;
      if (event.phase === 0x4d /* M */) {
        viewer.metadata(event);
        return;
      }
      if (0 <= event.categoryStart) {
        const role = roleOf(event);
        if (role !== null) {
          ofKineto += 1;
          if (timeline) {
            told = event;
            timeline.about(tell);
          }
          kineto(event, role);
          timeline?.about(undefined);
          return;
        }
      }
      ofOthers += 1;
      viewer.event(event);
    },
    member(name, text) {
      if (members.length < 64) members.push(name);
      if (text === undefined || 1 << 20 < text.length) return;
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        return;
      }
      kinetoMember(facts, name, value);
    },
  });

  return {
    push: reader.push,
    end: reader.end,
    facts(): TraceFacts {
      facts.events = reader.events;
      if (reader.damage) facts.damage = reader.damage;
      const instead = whatInstead(reader, members, withPhase);
      if (instead) {
        facts.format = instead.format;
        facts.notATrace = instead.words;
        return facts;
      }
      const isKineto = 0 < ofKineto || (ofOthers === 0 && members.includes("schemaVersion") && members.includes("deviceProperties"));
      const isXla = [...viewer.processes.values()].some(({ name }) => name.startsWith("/host:") || name.startsWith("/device:"));
      if (isKineto) settleKineto(facts);
      else if (isXla) settleViewer(facts, reader.events);
      else settleOthers(facts, categories);
      return facts;
    },
  };
}

function settleKineto(facts: TraceFacts): void {
  facts.format = "kineto";
  facts.framework = "torch";
  const held = [...facts.memory.keys()].map((id) => `memory of GPU ${id}`);
  facts.gpuSigns = [...new Set([...facts.gpuSigns, ...facts.account.signs, ...held])].slice(0, 5);
  if (facts.vendor === undefined && looksAmd(facts.account.names)) facts.vendor = "amd";
}

function settleViewer(facts: TraceFacts, events: number): void {
  const { names } = facts.account;
  facts.framework = usesJax(names) ? "jax" : "tensorflow";
  if (facts.gpuSigns.length === 0) readSigns(names, facts);
  // The writer's own bound (xla, until 2026-06 and since).
  if (1_000_000 <= events) facts.capped = events < 5_000_000 ? 1_000_000 : 5_000_000;
}

// Browsers, compilers and other programs write the same form.
function settleOthers(facts: TraceFacts, categories: Names): void {
  facts.format = "chrome";
  if (facts.damage) return;
  if (facts.events === 0) {
    facts.notATrace = "it has the form of a trace, and not one event";
    return;
  }
  const some = Array.from({ length: Math.min(categories.count - 1, 200) }, (_, index) => categories.text(index + 1));
  const browser = some.some((category) => /devtools\.timeline|\b(?:blink|v8|cc|toplevel|loading|navigation)\b/.test(category));
  facts.notATrace = browser
    ? "it is a trace of a browser (Chrome's DevTools or `chrome://tracing`), not of TensorFlow, JAX or torch"
    : "it is a trace in Chrome's form, but not of TensorFlow, JAX or torch: there is neither a category of torch's profiler in it, nor a `/host:CPU` or `/device:…`";
}

const someNames = 50_000;

function usesJax(names: { count: number; text(number: number): string }): boolean {
  for (let number = 1; number < Math.min(names.count, someNames); number += 1)
    if (/^PjitFunction|^\$?(?:jax|pjit|api|profiler)\.py:|^jit_|XlaModule:.*jit_/.test(names.text(number))) return true;
  return false;
}

function looksAmd(names: { count: number; text(number: number): string }): boolean {
  for (let number = 1; number < Math.min(names.count, someNames); number += 1) if (/^hip[A-Z]/.test(names.text(number))) return true;
  return false;
}

interface Seen {
  shape: "object" | "array" | undefined;
  hasEvents: boolean;
  events: number;
  firstElement: string | undefined;
}

// Files that lie beside profiles and are taken for them.
function whatInstead(reader: Seen, members: string[], withPhase: number): { format: string; words: string } | undefined {
  const has = (...names: string[]) => names.every((name) => members.includes(name));
  if (reader.shape === "array" && reader.events === 0) {
    if (reader.firstElement === undefined) return { format: "json", words: "it is an empty list" };
    return /^\[\s*-?\d+\s*,\s*-?\d+\s*,\s*-?\d+\s*,/.test(reader.firstElement)
      ? {
          format: "torch-memory-timeline",
          words: "it is a memory timeline of torch (`export_memory_timeline`): sizes of tensors over time, no events of a GPU",
        }
      : { format: "json", words: "it is a list of something else than events" };
  }
  // Elements without a phase are no events: rows of a table, say. An object that is empty, or a last one, is nothing to stumble over.
  if (reader.shape === "array" && withPhase === 0) return { format: "json", words: "it is a list of something else than events" };
  if (reader.hasEvents) return undefined;
  if (has("schema", "nodes"))
    return {
      format: "torch-execution-trace",
      words: "it is an execution trace of torch (ExecutionTraceObserver): the graph of operators, without times of a GPU",
    };
  if (has("segments") || has("device_traces"))
    return { format: "torch-memory-snapshot", words: "it is a memory snapshot of torch: allocations, no events of a GPU" };
  if (
    members.some((name) =>
      /^(?:byProgram|byCategory|hloInfoMap|hloModule|podStatsSequence|memoryProfilePerAllocator|bySizeToMaxHeap|cols)$/.test(name),
    )
  )
    return {
      format: "legacy-tf",
      words:
        "it is a page that TensorBoard's profile plugin computed from a profile, not the profile: look for `.xplane.pb` or `.trace.json.gz` beside it",
    };
  return { format: "json", words: "it is JSON, but there are no `traceEvents` in it" };
}
