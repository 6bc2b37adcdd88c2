import { characters } from "../lib/text.ts";
import { cursorOver, readVarint, skipField, unsigned } from "./protobuf.ts";

/** Who reads a file. */
export type Reader = "chrome" | "xplane" | "trace-proto" | "sqlite" | "pickle" | "rocprof";

/** What a file is, told by its first bytes (unpacked); its name helps only where bytes of other tools say nothing about themselves. */
export type TraceKind = { reader: Reader } | { format: string; words: string; damaged?: true };

export function sniff(bytes: Uint8Array, name: string): TraceKind {
  if (bytes.length === 0) return emptyFile(name);
  const first = bytes.find((byte, at) => !blanks.has(byte) && !(at < 3 && byte === byteOrderMark[at]));
  if (first === undefined) return { format: "empty", words: "it holds nothing but blanks", damaged: true };
  if (bytes.every((byte) => byte === 0))
    return { format: "empty", words: "it holds nothing but zeros: the copy was not finished", damaged: true };
  const tool = pages.exec(name)?.[1];
  if (tool !== undefined && !looksLikeEvents(bytes)) return legacyPage(tool);
  if (first === 0x7b && characters(bytes.subarray(0, 256)).includes('"rocprofiler-sdk-tool"')) return { reader: "rocprof" };
  if (first === 0x7b || first === 0x5b) return { reader: "chrome" };
  return byMagic(bytes) ?? byContent(bytes, name);
}

/** What says so in its first letters. */
function byMagic(bytes: Uint8Array): TraceKind | undefined {
  if (startsWith(bytes, sqlite)) return { reader: "sqlite" };
  if (bytes[0] === 0x80 && 2 <= bytes[1]! && bytes[1]! <= 5) return { reader: "pickle" };
  const known = magics.find(({ magic, at }) => startsWith(bytes, magic, at));
  return known && { format: known.format, words: known.words };
}

/** What only its fields tell, or its name. */
function byContent(bytes: Uint8Array, name: string): TraceKind {
  if (looksLikeSpace(bytes)) return { reader: "xplane" };
  if (name.endsWith(".qdstrm"))
    return {
      format: "qdstrm",
      words:
        "it is raw data of Nsight Systems that was never turned into a report: its `QdstrmImporter` does that, on a machine that has the whole of it",
    };
  if (name.endsWith(".hlo_proto.pb"))
    return { format: "hlo-proto", words: "it is a compiled XLA program (HLO), which lies beside a profile" };
  if (looksLikeTraceProto(bytes)) return { reader: "trace-proto" };
  if (looksLikePprof(bytes))
    return {
      format: "pprof",
      words:
        "it is a profile in pprof's form, such as JAX's `save_device_memory_profile` writes (who holds the memory of a device): sums, and no events of a GPU. `pprof -top FILE` shows it",
    };
  if (262 <= bytes.length && startsWith(bytes, letters("ustar"), 257))
    return { format: "tar", words: "it is a tar archive without a profile in it" };
  const text = characters(bytes);
  if (/^\s*<(?:!doctype|html)/i.test(text)) return { format: "html", words: "it is an HTML page" };
  // An editor or a text-mode copy leaves EF BF BD where a byte was not UTF-8; names are still readable.
  if (text.includes("\u00ef\u00bf\u00bd") && /\/(?:host|device):/.test(text)) return { reader: "xplane" };
  if (name.endsWith(".xplane.pb")) return { reader: "xplane" };
  return { format: "unknown", words: "its bytes are of no kind that a profiler writes" };
}

const blanks = new Set([0x20, 0x09, 0x0a, 0x0d]);
const byteOrderMark = [0xef, 0xbb, 0xbf];

// Pages of TensorBoard's profile plugin, before 2.4 stored as files.
const pages =
  /\.(overview_page|input_pipeline|tensorflow_stats|kernel_stats|memory_profile|op_profile|memory_viewer|pod_viewer|tracetable|framework_op_stats|roofline_model|inference_profile)\.(?:pb|json)(?:\.gz)?$/;

const legacyPage = (tool: string): TraceKind => ({
  format: "legacy-tf",
  words: `it is the page \`${tool}\` that TensorFlow 2.1 to 2.3 computed from a profile: sums, and no events. Today's TensorBoard plugin does not read it; \`.trace.json.gz\` or \`.xplane.pb\` beside it is the profile`,
});

// Somebody may give a trace any name.
const looksLikeEvents = (bytes: Uint8Array) => characters(bytes.subarray(0, 4096)).includes('"traceEvents"');

const letters = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));
const sqlite = letters("SQLite format 3\0");
const startsWith = (bytes: Uint8Array, magic: number[], at = 0) => magic.every((byte, index) => bytes[at + index] === byte);

const magics: { magic: number[]; at?: number; format: string; words: string }[] = [
  {
    magic: [0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f],
    format: "riegeli",
    words:
      "it is a Riegeli file, the form in which XLA since 2026-07 stores profiles of more than 2 GB; culprit does not read it yet, `xprof` does",
  },
  {
    magic: [0x50, 0x4b, 3, 4],
    format: "zip",
    words: "it is a zip archive without a profile in it (torch saves models so)",
  },
  { magic: [0x42, 0x5a, 0x68], format: "bzip2", words: "it is packed with bzip2, which culprit does not unpack: `bzip2 -dk FILE` does" },
  // Seen in reports of 2022 to 2025.
  {
    magic: letters("NVIDIA Tegra Profiler Report"),
    format: "nsys-rep",
    words:
      "it is a report of Nsight Systems, which only NVIDIA's own tools read: `nsys export --type sqlite FILE` writes one that culprit reads",
  },
  {
    magic: letters("NVR\0"),
    format: "ncu-rep",
    words: "it is a report of Nsight Compute: counters of single kernels, no timeline; `ncu --import FILE` shows them",
  },
  // A record of length 24 (8 bytes, then a checksum), in it the time and the version.
  {
    magic: letters("brain.Event:"),
    at: 12 + 9 + 2,
    format: "tfevents",
    words: "it is an event file of TensorBoard (scalars and graphs); profiles lie in `plugins/profile/` beside it",
  },
];

function emptyFile(name: string): TraceKind {
  if (name.endsWith(".xplane.pb"))
    return {
      format: "xplane",
      words:
        "the file is empty: so it looks when a profile grew over 2 GB, which protobuf cannot store, or when the program was killed while writing",
      damaged: true,
    };
  return { format: "empty", words: "the file is empty", damaged: true };
}

/** Whether an XSpace begins here: texts and planes, and the first plane has only its own fields, with their own types. */
function looksLikeSpace(bytes: Uint8Array): boolean {
  const cursor = cursorOver(bytes);
  const end = bytes.length;
  try {
    while (cursor.at < end) {
      const tag = bytes[cursor.at];
      if (tag !== 0x0a && tag !== 0x12 && tag !== 0x1a && tag !== 0x22) return false;
      cursor.at += 1;
      if (!readVarint(cursor, end)) return false;
      const start = cursor.at;
      const stop = start + unsigned(cursor);
      if (tag === 0x0a) return looksLikePlane(bytes, start, Math.min(stop, end), end < stop);
      // Errors, warnings and hosts are texts.
      if (!isText(bytes, start, Math.min(stop, end))) return false;
      cursor.at = stop;
    }
    return true;
  } catch {
    return false;
  }
}

function looksLikePlane(bytes: Uint8Array, start: number, end: number, cut: boolean): boolean {
  const cursor = cursorOver(bytes);
  cursor.at = start;
  let named = false;
  for (let fields = 0; fields < 16 && cursor.at < end; fields += 1) {
    const tag = bytes[cursor.at]!;
    cursor.at += 1;
    if (tag === 0x08) {
      if (!readVarint(cursor, end)) return cut;
      continue;
    }
    if (tag !== 0x12 && tag !== 0x1a && tag !== 0x22 && tag !== 0x2a && tag !== 0x32) return false;
    if (!readVarint(cursor, end)) return cut;
    const from = cursor.at;
    const stop = from + unsigned(cursor);
    if (tag === 0x12) {
      if (!isText(bytes, from, Math.min(stop, end))) return false;
      named = true;
    }
    if (end < stop) return cut && named;
    cursor.at = stop;
  }
  return named || end - start < 4;
}

/** pprof's profile.proto: kinds of samples (1), each two numbers of texts, then samples (2) of packed numbers. */
function looksLikePprof(bytes: Uint8Array): boolean {
  let at = 0;
  while (bytes[at] === 0x0a && bytes[at + 1] === 4 && bytes[at + 2] === 0x08 && bytes[at + 4] === 0x10) at += 6;
  return 0 < at && bytes[at] === 0x12 && bytes[at + 2] === 0x0a;
}

function isText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1)
    if (bytes[at]! < 0x20 && bytes[at] !== 0x0a && bytes[at] !== 0x09 && bytes[at] !== 0x0d) return false;
  return true;
}

/** TensorFlow's own trace of 2.0 to 2.2 (`.trace`): a map of devices (1), then events (4). */
function looksLikeTraceProto(bytes: Uint8Array): boolean {
  const cursor = cursorOver(bytes);
  try {
    if (bytes[0] !== 0x0a) return false;
    cursor.at = 1;
    if (!readVarint(cursor, bytes.length)) return false;
    const stop = cursor.at + unsigned(cursor);
    // An entry: its key (1), a number, and its value (2), a device, which begins with its name (1): a path.
    if (bytes[cursor.at] !== 0x08) return false;
    cursor.at += 1;
    if (!skipField(cursor, 0, bytes.length) || bytes[cursor.at] !== 0x12) return false;
    cursor.at += 1;
    if (!readVarint(cursor, bytes.length) || cursor.at + unsigned(cursor) !== stop) return false;
    return bytes[cursor.at] === 0x0a && bytes[cursor.at + 2] === 0x2f;
  } catch {
    return false;
  }
}
