// What `rocprofv3 --output-format json` writes (ROCm's rocprofiler-sdk, source/lib/output/generateJSON.cpp): agents, names of operations and
// kernels first, then the records. It may be gigabytes: one element of a list after the other is taken out, and nothing is kept.
import { copy, createAccount, kernel, type Account } from "./account.ts";
import { emptyFacts, type TraceFacts, type TraceReader } from "./facts.ts";
import { walkElements } from "./json-elements.ts";
import { callKind } from "./kineto.ts";
import type { Timeline } from "./timeline.ts";

// Lists whose elements are taken out, by their path below the tool's own.
const wanted = new Set([
  "agents",
  "strings.buffer_records",
  "kernel_symbols",
  "buffer_records.kernel_dispatch",
  "buffer_records.memory_copy",
  "buffer_records.hip_api",
]);

export function rocprofTrace(timeline?: Timeline): TraceReader {
  const account = createAccount(false, timeline);
  const facts = emptyFacts("rocprofv3", account);
  facts.vendor = "amd";
  const tool: Tool = { account, facts, agents: new Map(), operations: [], kernels: new Map() };
  const walk = walkElements(wanted, (path, text) => takeElement(tool, path, text));
  return {
    push(chunk) {
      if (!walk.push(chunk)) facts.damage ??= { offset: walk.offset, reason: "this is not JSON, or an element of it is too long" };
    },
    end() {
      if (!walk.isWhole) facts.damage ??= { offset: walk.offset, reason: "the file ends in the middle of a list" };
    },
    facts: () => facts,
  };
}

interface Tool {
  account: Account;
  facts: TraceFacts;
  /** Number of the GPU by handle of its agent. */
  agents: Map<number, number>;
  /** Names of operations by number of their kind. */
  operations: string[][];
  /** Number of the name by id of the kernel. */
  kernels: Map<number, number>;
}

interface Handle {
  handle?: number;
}

interface Element {
  id?: Handle;
  type?: number;
  name?: string;
  product_name?: string;
  operations?: string[];
  kernel_id?: number;
  formatted_kernel_name?: string;
  kernel_name?: string;
  kind?: number | string;
  operation?: number;
  thread_id?: number;
  correlation_id?: { internal?: number };
  start_timestamp?: number;
  end_timestamp?: number;
  bytes?: number;
  src_agent_id?: Handle;
  dst_agent_id?: Handle;
  stream_id?: Handle;
  dispatch_info?: { agent_id?: Handle; queue_id?: Handle; kernel_id?: number };
}

function takeElement(tool: Tool, path: string, text: string): void {
  let element: Element;
  try {
    element = JSON.parse(text) as Element;
  } catch {
    return;
  }
  const { account, facts } = tool;
  if (path === "agents") takeAgent(tool, element);
  else if (path === "strings.buffer_records") tool.operations.push(Array.isArray(element.operations) ? element.operations : []);
  else if (path === "kernel_symbols") {
    const name = (element.formatted_kernel_name ?? element.kernel_name ?? "").replace(/\.kd$/, "").slice(0, 8192);
    if (element.kernel_id !== undefined && tool.kernels.size < 2_000_000) tool.kernels.set(element.kernel_id, account.names.numberOf(name));
  } else {
    facts.events += 1;
    takeRecord(tool, path, element);
  }
}

// A type of 1 is a processor, one of 2 a GPU.
function takeAgent({ agents, facts }: Tool, { id, type, name, product_name: product }: Element): void {
  if (type !== 2 || id?.handle === undefined || 1024 <= agents.size) return;
  const number = agents.size;
  agents.set(id.handle, number);
  const model = product === undefined || product === "" ? name : product;
  facts.listed.push({
    id: number,
    kind: "GPU",
    ...(model === undefined ? {} : { name: model }),
    ...(name?.startsWith("gfx") ? { architecture: name } : {}),
  });
}

/** When it was, in microseconds, and which call it belongs to. */
const timesOf = ({ start_timestamp: start = 0, end_timestamp: end = 0, correlation_id: id }: Element) => ({
  start: start / 1e3,
  duration: (end - start) / 1e3,
  correlation: id?.internal ?? Number.NaN,
});

function takeRecord(tool: Tool, path: string, element: Element): void {
  if (path === "buffer_records.kernel_dispatch") takeDispatch(tool, element);
  else {
    const operation = tool.operations[Number(element.kind)]?.[element.operation ?? -1] ?? "";
    if (path === "buffer_records.memory_copy") takeCopy(tool, element, operation);
    else takeCall(tool, element, operation);
  }
}

function takeDispatch({ account, agents, kernels }: Tool, element: Element): void {
  const { agent_id: agent, queue_id: queue, kernel_id: id } = element.dispatch_info ?? {};
  const { start, duration, correlation } = timesOf(element);
  const stream = element.stream_id?.handle || (queue?.handle ?? 0);
  account.gpu(kernel, agents.get(agent?.handle ?? -1) ?? -1, stream, start, duration, kernels.get(id ?? -1) ?? 0, correlation);
}

function takeCopy({ account, agents }: Tool, element: Element, operation: string): void {
  const { start, duration, correlation } = timesOf(element);
  const device = agents.get(element.dst_agent_id?.handle ?? -1) ?? agents.get(element.src_agent_id?.handle ?? -1) ?? -1;
  account.gpu(copy, device, 0, start, duration, account.names.numberOf(operation), correlation);
  const found = /(HOST|DEVICE)_TO_(HOST|DEVICE)/.exec(operation);
  account.copy(found ? `${found[1]![0]}to${found[2]![0]}` : "other", element.bytes ?? 0, duration);
}

function takeCall({ account, facts }: Tool, element: Element, operation: string): void {
  const { start, duration, correlation } = timesOf(element);
  facts.calls += 1;
  account.call(callKind(operation), element.thread_id ?? 0, start, duration, account.names.numberOf(operation), correlation);
}
