import { decode } from "../lib/text.ts";
import { copy, createAccount, kernel, memset } from "./account.ts";
import { emptyFacts, type TraceFacts, type TraceReader } from "./facts.ts";
import { cursorOver, eachField, ProtobufError, readVarint, signed, skipField, unsigned, type Cursor } from "./protobuf.ts";
import type { Timeline } from "./timeline.ts";
import { bytesIn, copyName, deviceOf, hostCallKind, kindByName, lineRole, type LineRole } from "./trace-viewer.ts";
import { dottedCuda } from "./versions.ts";

/*
 * XSpace, what TensorFlow, JAX and torch_xla write (tsl/profiler/protobuf/xplane.proto): planes of lines of events. Names stand in two
 * maps of each plane, and these come after the lines: so the file is read twice, first everything but the lines, then the lines.
 * Where the bytes are dear (they have to be unpacked), the lines of a plane are held until its names are there, as long as they fit.
 */

/** Any single value other than a line is kept whole while it is read, up to this size. */
const longestValue = 16 << 20;

interface Plane {
  name: string;
  device: { kind: string; id: number } | undefined;
  host: boolean;
  /** Number of the name by id of the event's metadata. */
  eventNames: IdMap;
  statNames: Map<number, string>;
  stats: Map<string, string | number>;
  /** Ids of the values that matter here. */
  kernelDetails: number;
  copyDetails: number;
  memsetDetails: number;
  correlation: number;
  /** Its lines have been read; they were more than could be held. */
  done: boolean;
  tooLong: boolean;
}

/** `most`: how many bytes of a plane's lines may be held in memory. */
export function xplaneTrace(timeline?: Timeline, most = 0): TraceReader {
  const account = createAccount(false, timeline);
  const facts = emptyFacts("xplane", account);
  const { names } = account;
  const planes: Plane[] = [];
  let pass = 1;
  let again = false;
  let buffer: Uint8Array = new Uint8Array(0);
  let left = 0;
  // Where `buffer` begins in the file, and up to where nothing is to be looked at.
  let offset = 0;
  let skipTo = 0;
  let planeEnd = -1;
  let lineEnd = -1;
  let planeIndex = -1;
  let plane: Plane | undefined;
  let finished = false;
  /** The field that is being read: where it breaks if it does. */
  let broke = 0;
  let mangled = 0;
  // By number of the name: what the call does, plus one; 0 not asked yet.
  let kinds = new Uint8Array(1 << 10);
  let line: { role: LineRole; low: number; high: number; id: number; start: number } = {
    role: "derived",
    low: 0,
    high: 0,
    id: 0,
    start: 0,
  };
  let base: { low: number; high: number } | undefined;
  const hostnames: string[] = [];
  // Lines of the plane that is being read, one after the other; `holding`: bytes of the last that are still to come.
  let held = new Uint8Array(0);
  let heldSize = 0;
  let holding = 0;
  let heldLines: { at: number; offset: number }[] = [];
  /** A line was damaged: what comes after it is not to be trusted, but names are still worth having. */
  let linesEnd = false;

  const hold = (bytes: Uint8Array, start: number, end: number) => {
    const size = heldSize + end - start;
    if (held.length < size) {
      const larger = new Uint8Array(Math.min(most, Math.max(size, held.length * 2, 1 << 20)));
      larger.set(held.subarray(0, heldSize));
      held = larger;
    }
    held.set(bytes.subarray(start, end), heldSize);
    heldSize = size;
    holding -= end - start;
  };
  const drop = () => {
    heldSize = 0;
    heldLines = [];
  };

  const inside = cursorOver(held);
  const nextInLine = (end: number) => {
    const isThere = readVarint(inside, end);
    const wire = inside.low & 7;
    const field = inside.low >>> 3;
    if (isThere && (field === 0 || wire === 3 || wire === 4 || 5 < wire)) throw new ProtobufError("bytes that are no field of a profile");
    if (!isThere || (wire === 2 ? !readVarint(inside, end) : !skipField(inside, wire, end)))
      throw new ProtobufError("a field longer than what it is in");
    if (wire === 0) lineNumber(field, inside);
    if (wire !== 2) return;
    const start = inside.at;
    inside.at += unsigned(inside);
    if (end < inside.at) throw new ProtobufError("a field longer than what it is in");
    if (field === 4) event(held, start, inside.at);
    else if (field === 2) nameLine(decode(held, start, inside.at));
  };
  const readLine = (start: number, end: number, origin: number) => {
    line = { role: "derived", low: 0, high: 0, id: 0, start: 0 };
    inside.bytes = held;
    inside.at = start;
    while (inside.at < end) {
      const { at } = inside;
      broke = origin + at;
      // An event of less than 16 kB, which all but a few are.
      if (held[at] === 0x22 && held[at + 2]! < 0x80) {
        const first = held[at + 1]!;
        const from = first < 0x80 ? at + 2 : at + 3;
        const stop = from + (first < 0x80 ? first : (first & 0x7f) | (held[at + 2]! << 7));
        if (end < stop) throw new ProtobufError("a field longer than what it is in");
        event(held, from, stop);
        inside.at = stop;
      } else nextInLine(end);
    }
  };

  /** The names of a plane are there: its lines can be read. */
  const readHeld = () => {
    try {
      for (const [index, { at, offset: origin }] of heldLines.entries()) readLine(at, heldLines[index + 1]?.at ?? heldSize, origin - at);
    } catch (error) {
      if (!(error instanceof ProtobufError)) throw error;
      facts.damage ??= damageAt(error.message);
      linesEnd = true;
    }
    plane!.done = true;
    drop();
  };

  const damageAt = (reason: string) => {
    const where = planeEnd < 0 ? "between planes" : plane?.name ? `in the plane \`${plane.name}\`` : "in a plane";
    return { offset: broke, reason: `${reason}, ${where}` };
  };

  const parse = (bytes: Uint8Array, length: number): number => {
    const cursor = cursorOver(bytes);
    for (;;) {
      const here = cursor.at;
      const position = offset + here;
      broke = position;
      if (lineEnd === position) lineEnd = -1;
      if (planeEnd === position) {
        if (pass === 1 && 0 < heldLines.length) readHeld();
        planeEnd = -1;
        plane = undefined;
      }
      if (length <= here) return here;
      const level = 0 <= lineEnd ? "line" : 0 <= planeEnd ? "plane" : "space";
      const limit = level === "line" ? lineEnd : level === "plane" ? planeEnd : Infinity;
      if (!readVarint(cursor, length)) return here;
      const field = cursor.low >>> 3;
      const wire = cursor.low & 7;
      if (field === 0 || wire === 3 || wire === 4 || 5 < wire) throw new ProtobufError("bytes that are no field of a profile");
      if (wire !== 2) {
        if (!skipField(cursor, wire, length)) return here;
        if (limit < offset + cursor.at) throw new ProtobufError("a field longer than what it is in");
        if (wire === 0 && level === "line") lineNumber(field, cursor);
        continue;
      }
      if (!readVarint(cursor, length)) return here;
      const start = cursor.at;
      const stop = start + unsigned(cursor);
      if (limit < offset + stop) throw new ProtobufError("a field longer than what it is in");
      if (level === "space" && field === 1) {
        planeEnd = offset + stop;
        planeIndex += 1;
        plane = pass === 1 ? newPlane() : planes[planeIndex];
        if (pass === 1 && plane) planes.push(plane);
        if (pass === 2 && !plane) throw new ProtobufError("a plane that was not there before");
        continue;
      }
      if (level === "plane" && field === 3) {
        const current = plane!;
        if (pass === 2 && wantsLines(current) && !current.done) {
          lineEnd = offset + stop;
          line = { role: "derived", low: 0, high: 0, id: 0, start: 0 };
          continue;
        }
        if (linesEnd) current.done = true;
        else if (pass === 1 && wantsLines(current) && !current.tooLong) {
          if (heldSize + stop - start <= most) {
            heldLines.push({ at: heldSize, offset: offset + start });
            holding = stop - start;
            hold(bytes, start, Math.min(stop, length));
            skipTo = offset + stop;
            if (length < stop) return length;
            cursor.at = stop;
            continue;
          }
          // All of its lines are left for the second time.
          current.tooLong = true;
          drop();
        }
        skipTo = offset + stop;
        if (length < stop) return length;
        cursor.at = stop;
        continue;
      }
      const wanted = pass === 1 ? level !== "line" : level === "line";
      if (!wanted || (level === "line" && field !== 2 && field !== 4)) {
        skipTo = offset + stop;
        if (length < stop) return length;
        cursor.at = stop;
        continue;
      }
      if (length < stop) {
        if (longestValue < stop - here) {
          skipTo = offset + stop;
          return length;
        }
        return here;
      }
      if (level === "line") {
        if (field === 4) event(bytes, start, stop);
        else nameLine(decode(bytes, start, stop));
      } else if (level === "plane") planeField(plane!, field, bytes, start, stop);
      else spaceField(field, decode(bytes, start, stop));
      cursor.at = stop;
    }
  };

  const lineNumber = (field: number, cursor: Cursor) => {
    if (field === 1) line.id = signed(cursor);
    if (field === 3) {
      base ??= { low: cursor.low, high: cursor.high };
      // Nanoseconds since 1970 are more than a double holds: the difference is taken first.
      line.start = ((cursor.high - base.high) * 0x1_0000_0000 + (cursor.low - base.low)) / 1000;
    }
  };

  const nameLine = (name: string) => {
    line.role = lineRole(name);
    if (!plane!.device) timeline?.threadName(line.id, name);
  };

  const spaceField = (field: number, text: string) => {
    if (field === 2 && facts.errors.length < 100) facts.errors.push(text);
    else if (field === 3 && facts.warnings.length < 100) facts.warnings.push(text);
    else if (field === 4) hostnames.push(text);
  };

  const planeField = (into: Plane, field: number, bytes: Uint8Array, start: number, stop: number) => {
    const cursor = cursorOver(bytes);
    cursor.at = start;
    if (field === 2) {
      into.name = decode(bytes, start, stop);
      into.device = deviceOf(into.name);
      into.host = /^\/host:(?:CPU|CUPTI|ROCTRACER|python-tracer)/.test(into.name);
    } else if (field === 4) {
      let id = 0;
      let name = 0;
      eachField(cursor, stop, (entry, _wire, from, to) => {
        if (entry === 1) id = signed(cursor);
        if (entry !== 2) return;
        eachField(cursor, to, (member, _inner, textStart, textEnd) => {
          if (member === 2) name = names.number(bytes, textStart, Math.min(textEnd, textStart + 8192));
        });
        void from;
      });
      into.eventNames.set(id, name);
    } else if (field === 5) {
      let id = 0;
      let name = "";
      eachField(cursor, stop, (entry, _wire, _from, to) => {
        if (entry === 1) id = signed(cursor);
        if (entry !== 2) return;
        eachField(cursor, to, (member, _inner, textStart, textEnd) => {
          if (member === 2) name = decode(bytes, textStart, Math.min(textEnd, textStart + 4096));
        });
      });
      if (into.statNames.size < mostStatNames) into.statNames.set(id, name);
      if (name === "kernel_details") into.kernelDetails = id;
      else if (name === "memcpy_details") into.copyDetails = id;
      else if (name === "memset_details" || name === "Memset_details") into.memsetDetails = id;
      else if (name === "correlation_id") into.correlation = id;
    } else if (field === 6) {
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
      if (value !== undefined && into.stats.size < 1000) into.stats.set(`#${id}`, value);
    }
  };

  const kindOf = (name: number): number => {
    if (kinds.length <= name) {
      const larger = new Uint8Array(Math.max(name + 1, kinds.length * 2));
      larger.set(kinds);
      kinds = larger;
    }
    if (kinds[name] === 0) {
      kinds[name] = hostCallKind(names.text(name)) + 1;
    }
    return kinds[name]! - 1;
  };

  const cursor = cursorOver(new Uint8Array(0));
  /** Numbers of more than seven bytes are negative, or of no use here. Leaves `cursor` behind it. */
  const longNumber = (bytes: Uint8Array, at: number, stop: number): number => {
    cursor.bytes = bytes;
    cursor.at = at;
    if (!readVarint(cursor, stop)) throw new ProtobufError("a number that is cut off");
    return signed(cursor);
  };

  // Nine tenths of a profile are events: this is written so that nothing but local numbers is touched on the way.
  const event = (bytes: Uint8Array, from: number, stop: number) => {
    const current = plane!;
    const { correlation: correlationId, copyDetails, kernelDetails, memsetDetails } = current;
    let at = from;
    let metadata = 0;
    let start = 0;
    let duration = 0;
    let isKernel = false;
    let isMemset = false;
    let copied = -1;
    let correlation = Number.NaN;
    // Values are read only where one of them may matter.
    const reads = current.device ? line.role === "stream" : 0 <= correlationId;
    facts.events += 1;
    while (at < stop) {
      const tag = bytes[at]!;
      if (0x80 <= tag || (tag & 5) !== 0) {
        cursor.bytes = bytes;
        cursor.at = at;
        if (!readVarint(cursor, stop) || !skipField(cursor, cursor.low & 7, stop)) throw new ProtobufError("a field longer than its event");
        at = cursor.at;
        continue;
      }
      at += 1;
      // Every other field begins with a number: its value, or its length.
      const first = at;
      let byte = bytes[at]!;
      let value = byte & 0x7f;
      at += 1;
      if (0x80 <= byte) {
        byte = bytes[at]!;
        value |= (byte & 0x7f) << 7;
        at += 1;
        if (0x80 <= byte) {
          byte = bytes[at]!;
          value |= (byte & 0x7f) << 14;
          at += 1;
          for (let scale = 2 ** 21; 0x80 <= byte; scale *= 128) {
            if (scale === 2 ** 49) {
              value = longNumber(bytes, first, stop);
              at = cursor.at;
              break;
            }
            byte = bytes[at]!;
            value += (byte & 0x7f) * scale;
            at += 1;
          }
        }
      }
      if (stop < at) throw new ProtobufError("a number that is cut off");
      if (tag === 0x22) {
        const end = at + value;
        if (value < 0 || stop < end) throw new ProtobufError("a value longer than its event");
        if (reads && bytes[at] === 0x08) {
          const id = bytes[at + 1]! < 0x80 ? bytes[at + 1]! : longNumber(bytes, at + 1, end);
          if (id === correlationId || id === copyDetails) {
            const tagAt = bytes[at + 1]! < 0x80 ? at + 2 : cursor.at;
            const stat = tagAt < end && (bytes[tagAt]! & 7) === 0 ? longNumber(bytes, tagAt + 1, end) : 0;
            if (id === correlationId) correlation = stat;
            else copied = stat;
          } else if (id === kernelDetails) isKernel = true;
          else if (id === memsetDetails) isMemset = true;
        }
        at = end;
      } else if (tag === 0x08) metadata = value;
      else if (tag === 0x10) start = value / 1e6;
      else if (tag === 0x18) duration = value / 1e6;
      else if ((tag & 7) === 2) {
        at += value;
        if (value < 0 || stop < at) throw new ProtobufError("a field longer than its event");
      }
    }
    const name = current.eventNames.get(metadata);
    const begin = line.start + start;
    if (current.device) {
      const { kind, id } = current.device;
      if (line.role === "steps") account.step(name, begin, duration, true);
      if (kind !== "GPU") facts.otherDevices.set(kind, (facts.otherDevices.get(kind) ?? 0) + 1);
      else if (line.role !== "stream") account.device(id).events += 1;
      else {
        const what = isKernel ? kernel : isMemset ? memset : 0 <= copied ? copy : kindByName(names.text(name));
        account.gpu(what, id, line.id, begin, duration, name, correlation);
        if (what === copy && 0 <= copied) account.copy(copyName(names.text(name)), bytesIn(current.statNames.get(copied) ?? ""), duration);
      }
      return;
    }
    // Calls of the driver lie among the host's events; only they have a correlation.
    if (Number.isNaN(correlation)) account.hostEvent(line.id, begin, duration, account.wantsHost(duration) ? name : -1);
    else {
      facts.calls += 1;
      account.call(kindOf(name), line.id, begin, duration, name, correlation);
    }
  };

  const guarded = (bytes: Uint8Array, length: number): number => {
    try {
      return parse(bytes, length);
    } catch (error) {
      if (!(error instanceof ProtobufError)) throw error;
      facts.damage ??= damageAt(error.message);
      finished = true;
      return length;
    }
  };

  return {
    get again() {
      return again;
    },
    get skip() {
      return left === 0 && holding === 0 ? Math.max(0, skipTo - offset) : 0;
    },
    skipped(count) {
      offset += count;
    },
    push(chunk) {
      if (finished) return;
      if (pass === 1 && mangled < 1000) mangled += replacementCharacters(chunk);
      // Bytes to be skipped need not be kept; nothing waits while some are.
      const skip = left === 0 && offset < skipTo ? Math.min(skipTo - offset, chunk.length) : 0;
      if (0 < holding && 0 < skip) hold(chunk, 0, Math.min(skip, holding));
      offset += skip;
      const length = left + chunk.length - skip;
      if (length === 0) return;
      if (buffer.length < length) {
        const larger = new Uint8Array(Math.max(length, buffer.length * 2));
        larger.set(buffer.subarray(0, left));
        buffer = larger;
      }
      buffer.set(skip === 0 ? chunk : chunk.subarray(skip), left);
      const used = guarded(buffer, length);
      offset += used;
      buffer.copyWithin(0, used, length);
      left = length - used;
    },
    end() {
      if (!finished && (0 < left || 0 <= planeEnd || offset < skipTo)) {
        const whole = Math.max(planeEnd, skipTo);
        const at = plane?.name ? ` in the plane \`${plane.name}\`` : 0 <= planeEnd ? " in a plane" : "";
        const lacking = offset + left < whole ? `; ${whole - offset - left} bytes or more are missing` : "";
        facts.damage ??= { offset: Math.min(offset + left, whole < 0 ? Infinity : whole), reason: `the file ends${at}${lacking}` };
      }
      if (facts.damage && 20 < mangled)
        facts.damage.reason = "the file was copied as text: bytes that are not UTF-8 were replaced by U+FFFD, and cannot be brought back";
      if (pass === 1) {
        for (const each of planes) nameStats(each);
        readPlanes(planes, facts, hostnames, names);
        pass = 2;
        holding = 0;
        drop();
        held = new Uint8Array(0);
        again = !linesEnd && planes.some((each) => wantsLines(each) && !each.done);
        left = 0;
        offset = 0;
        skipTo = 0;
        planeEnd = lineEnd = planeIndex = -1;
        plane = undefined;
        finished = false;
      } else again = false;
    },
    facts: () => facts,
  };
}

const mostStatNames = 400_000;

const wantsLines = ({ device, host }: Plane) => device !== undefined || host;

function newPlane(): Plane {
  return {
    name: "",
    device: undefined,
    host: false,
    eventNames: createIdMap(),
    statNames: new Map(),
    stats: new Map(),
    kernelDetails: -1,
    copyDetails: -1,
    memsetDetails: -1,
    correlation: -1,
    done: false,
    tooLong: false,
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

// Values of a plane are stored before their names are known.
function nameStats(plane: Plane): void {
  for (const [key, value] of plane.stats) {
    if (!key.startsWith("#")) continue;
    const name = plane.statNames.get(Number(key.slice(1)));
    if (name !== undefined) plane.stats.set(name, value);
  }
}

function readPlanes(planes: Plane[], facts: TraceFacts, hostnames: string[], names: { text(number: number): string; count: number }): void {
  if (hostnames[0] !== undefined) facts.host = hostnames[0];
  for (const { name, device, stats, statNames } of planes) {
    const text = (key: string) => {
      const value = stats.get(key);
      // Texts may be kept once and referred to.
      return typeof value === "number" ? (statNames.get(value) ?? String(value)) : value;
    };
    if (device && !facts.listed.some(({ kind, id }) => kind === device.kind && id === device.id)) {
      const major = Number(stats.get("compute_cap_major"));
      const vendor = text("device_vendor");
      const model = text("gpu_device_name") ?? text("device_type_string");
      if (device.kind === "GPU") {
        if (vendor !== undefined && /amd/i.test(vendor)) facts.vendor = "amd";
        else if (vendor !== undefined && /nvidia/i.test(vendor)) facts.vendor = "nvidia";
      }
      facts.listed.push({
        ...device,
        ...(model === undefined ? {} : { name: model }),
        ...(Number.isInteger(major) && facts.vendor !== "amd"
          ? { architecture: `sm_${major}${Number(stats.get("compute_cap_minor")) || 0}` }
          : {}),
      });
    }
    if (name === "/host:metadata") {
      if (stats.has("jax_version") || stats.has("jaxlib_version")) facts.framework = "jax";
      // JAX names the backends that the program has, whether the profiler saw them or not.
      const backend = text("gpu_version");
      if (backend !== undefined) facts.gpuSigns.push(`gpu_version: ${backend}`);
      const runtime = dottedCuda(Number(text("cuda_runtime_version")));
      const driver = dottedCuda(Number(text("cuda_driver_version")));
      const compiled = dottedCuda(Number(text("cuda_version")));
      if (runtime !== undefined) facts.versions.runtime = runtime;
      if (driver !== undefined) facts.versions.driver = driver;
      if (compiled !== undefined) facts.versions.compiledFor = compiled;
    }
    if (name === "Task Environment") readOptions(stats.get("profile_options"), facts);
  }
  for (const text of facts.warnings) readDrops(text, facts);
  readSigns(names, facts);
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
export function readDrops(text: string, facts: TraceFacts): void {
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
  /:GPU:\d|^Gpu(?:Executable|CommandBuffer|CompiledProgram|Timer)|GpuExecutable|StreamExecutorGpu|\bCUDA\b|[Cc]uda(?:Stream|Executor|Malloc)|cu(?:blas|dnn|solver|fft)[A-Z_]|ncclAllReduce|NcclAll|command_buffer|se_gpu|rocm|MIOpen/;

function readSigns(names: { text(number: number): string; count: number }, facts: TraceFacts): void {
  for (let number = 1; number < Math.min(names.count, 100_000); number += 1) {
    const text = names.text(number);
    if (facts.framework !== "jax" && /^PjitFunction|^\$?(?:jax|pjit)\.py:|\bjax[._]|^jit_/.test(text)) facts.framework = "jax";
    if (facts.gpuSigns.length < 5 && signs.test(text)) facts.gpuSigns.push(text.slice(0, 100));
  }
  if (1 < names.count) facts.framework ??= "tensorflow";
}

// EF BF BD is what an editor or a text-mode copy leaves where a byte was not UTF-8.
function replacementCharacters(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0xef); 0 <= at && count < 1000; at = bytes.indexOf(0xef, at + 1))
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) count += 1;
  return count;
}

const decodeBytes = (bytes: Uint8Array, start: number, end: number) => {
  let text = "";
  for (let at = start; at < end; at += 1) text += String.fromCharCode(bytes[at]!);
  return text;
};
