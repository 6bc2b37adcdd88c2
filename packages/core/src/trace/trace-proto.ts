import { decode } from "../lib/text.ts";
import { createAccount, kernel } from "./account.ts";
import { emptyFacts, type TraceReader } from "./facts.ts";
import { cursorOver, eachField, ProtobufError, readVarint, unsigned } from "./protobuf.ts";
import type { Timeline } from "./timeline.ts";
import { deviceOf, kindByName, lineRole, type LineRole } from "./xla-json.ts";

/*
 * The trace of TensorFlow 2.0 to 2.2 (`.trace`, tensorflow/core/profiler/protobuf/trace_events.proto): devices = 1 (a map; Device: name = 1,
 * device_id = 2, resources = 3, a map; Resource: name = 1), trace_events = 4 (device_id = 1, resource_id = 2, name = 3,
 * timestamp_ps = 9, duration_ps = 10). It holds no details of kernels: what runs on a stream and is no copy is one.
 */
export function traceProto(timeline?: Timeline): TraceReader {
  const account = createAccount(false, timeline);
  const facts = emptyFacts("legacy-tf", account);
  facts.framework = "tensorflow";
  const devices = new Map<number, { device: ReturnType<typeof deviceOf>; lines: Map<number, LineRole> }>();
  let buffer: Uint8Array = new Uint8Array(0);
  let offset = 0;
  let finished = false;

  const readDevice = (bytes: Uint8Array, start: number, end: number) => {
    const cursor = cursorOver(bytes);
    cursor.at = start;
    let key = 0;
    let name = "";
    const lines = new Map<number, LineRole>();
    eachField(cursor, end, (field, _wire, _from, to) => {
      if (field === 1) key = unsigned(cursor);
      if (field !== 2) return;
      eachField(cursor, to, (member, wire, from, stop) => {
        if (member === 1 && wire === 2) name = decode(bytes, from, stop);
        if (member !== 3 || wire !== 2) return;
        let id = 0;
        let line = "";
        eachField(cursor, stop, (entry, _inner, _begin, last) => {
          if (entry === 1) id = unsigned(cursor);
          if (entry === 2)
            eachField(cursor, last, (part, _kind, textStart, textEnd) => {
              if (part === 1) line = decode(bytes, textStart, textEnd);
            });
        });
        lines.set(id, lineRole(line));
      });
    });
    const device = deviceOf(name);
    if (devices.size < 4096) devices.set(key, { device, lines });
    if (device && !facts.listed.some(({ kind, id }) => kind === device.kind && id === device.id)) facts.listed.push(device);
  };

  const readEvent = (bytes: Uint8Array, start: number, end: number) => {
    const cursor = cursorOver(bytes);
    cursor.at = start;
    let device = 0;
    let resource = 0;
    let name = 0;
    let begin = 0;
    let duration = 0;
    eachField(cursor, end, (field, _wire, from, to) => {
      if (field === 1) device = unsigned(cursor);
      else if (field === 2) resource = unsigned(cursor);
      else if (field === 3) name = account.names.number(bytes, from, to);
      else if (field === 9) begin = unsigned(cursor) / 1e6;
      else if (field === 10) duration = unsigned(cursor) / 1e6;
    });
    facts.events += 1;
    const found = devices.get(device);
    if (!found?.device) {
      account.hostEvent(resource, begin, duration, name);
      return;
    }
    if (found.device.kind !== "GPU") {
      if (found.device.kind !== "CPU") facts.otherDevices.set(found.device.kind, (facts.otherDevices.get(found.device.kind) ?? 0) + 1);
      return;
    }
    const role = found.lines.get(resource);
    if (role === "steps") account.step(name, begin, duration, found.device.id);
    if (role !== "stream") return;
    const byName = kindByName(account.names.text(name));
    account.gpu(byName === 3 ? kernel : byName, found.device.id, resource, begin, duration, name, Number.NaN);
  };

  const parse = (bytes: Uint8Array): number => {
    const cursor = cursorOver(bytes);
    for (;;) {
      const here = cursor.at;
      if (!readVarint(cursor, bytes.length)) return here;
      const field = cursor.low >>> 3;
      if ((cursor.low & 7) !== 2 || field === 0) throw new ProtobufError("bytes that are no field of a trace");
      if (!readVarint(cursor, bytes.length)) return here;
      const start = cursor.at;
      const end = start + unsigned(cursor);
      if (1 << 28 < end - start) throw new ProtobufError("a field longer than any event");
      if (bytes.length < end) return here;
      if (field === 1) readDevice(bytes, start, end);
      else if (field === 4) readEvent(bytes, start, end);
      cursor.at = end;
    }
  };

  return {
    push(chunk) {
      if (finished) return;
      let bytes = chunk;
      if (0 < buffer.length) {
        bytes = new Uint8Array(buffer.length + chunk.length);
        bytes.set(buffer);
        bytes.set(chunk, buffer.length);
      }
      try {
        const used = parse(bytes);
        buffer = new Uint8Array(bytes.subarray(used));
        offset += used;
      } catch (error) {
        if (!(error instanceof ProtobufError)) throw error;
        facts.damage = { offset, reason: error.message };
        finished = true;
      }
    },
    end() {
      if (!finished && 0 < buffer.length)
        facts.damage ??= { offset: offset + buffer.length, reason: "the file ends in the middle of an event" };
    },
    facts: () => facts,
  };
}
