// A dynamic loader carries its own rules as strings: system folders, $LIB, the names of its cache and preload file.
import type { LoaderFact } from "../model/snapshot.ts";
import { characters } from "../lib/text.ts";

/** Reads the rules out of a whole ld.so file. Better than a table of distributions: it is what that loader does. */
export function parseLoader(bytes: Uint8Array, path: string): LoaderFact {
  const constants = constantsOf(bytes);
  const texts = textsIn(constants);
  const has = new Set(texts);
  // Debian's and Void's ld-musl-x86_64.so.1 is a link to a file called libc.so.
  if (/\/ld-musl-[^/]*$/.test(path) || (constants.includes("musl libc") && !has.has("/etc/ld.so.cache"))) {
    const release = texts.find((text) => /^[01]\.\d+\.\d+$/.test(text));
    return { flavour: "musl", ...(release === undefined ? {} : { version: release }), folders: [], hwcaps: [] };
  }
  const hwcaps = texts.find((text) => /^x86-64-v\d(:x86-64-v\d)*$/.test(text) || /^(z\d\d|power\d+)(:(z\d\d|power\d+))+$/.test(text));
  const version = versionIn(texts) ?? /\/ld-(2\.\d+)(?:\.\d+)?\.so$/.exec(path)?.[1];
  const lib = libIn(texts, has);
  // 2.37 dropped the older subfolders; in later loaders `tls` is a word of LD_DEBUG.
  const legacy = has.has("tls") && Number(version?.slice(2) ?? 0) < 37;
  return {
    flavour: "glibc",
    ...(version === undefined ? {} : { version }),
    folders: systemFolders(constants, texts) ?? usualFolders(path),
    hwcaps: hwcaps?.split(":") ?? subfoldersSince233(bytes, texts),
    ...(legacy ? { legacy: has.has("haswell") ? ("haswell" as const) : ("platform" as const) } : {}),
    ...(lib === undefined ? {} : { lib }),
    cache: texts.find((text) => text.endsWith(".so.cache") && /^\/.*\/ld(-[a-z]+)?\.so\.cache$/.test(text)) ?? "/etc/ld.so.cache",
    preload: texts.find((text) => text.endsWith(".so.preload") && /^\/.*\/ld(-[a-z]+)?\.so\.preload$/.test(text)) ?? "/etc/ld.so.preload",
  };
}

// A loader that lost its constants (a reduced copy in a snapshot of a system) still has its symbols: those of 2.34 tell that it is newer than 2.33.
const subfoldersSince233 = (bytes: Uint8Array, texts: string[]): string[] =>
  bytes[18] === 62 && bytes[5] === 1 && texts.some((text) => /^GLIBC_2\.(3[4-9]|[4-9]\d)$/.test(text))
    ? ["x86-64-v4", "x86-64-v3", "x86-64-v2"]
    : [];

// Since 2.33 a loader says it: `ld.so (Debian GLIBC 2.36-9) stable release version 2.36.` and, for LD_DEBUG and others, `2.36` alone.
function versionIn(texts: string[]): string | undefined {
  return (
    texts
      .map((text) => (text.includes("release version") ? /release version (2\.\d{1,2})(?:\.\d+)?\.?/.exec(text)?.[1] : undefined))
      .find(Boolean) ?? texts.map((text) => (text.startsWith("2.") ? /^(2\.\d{1,2})(?:\.\d+)?$/.exec(text)?.[1] : undefined)).find(Boolean)
  );
}

// $LIB is one of the system folders without its slashes.
function libIn(texts: string[], has: Set<string>): string | undefined {
  const names = texts.filter((text) => text.startsWith("lib") && /^lib(32|64|x32)?(\/[a-z0-9_]+-linux-[a-z0-9_]+)?$/.test(text));
  return names.find((text) => has.has(`/${text}/`)) ?? names.find((text) => !text.includes("/") && has.has(`/usr/${text}/`));
}

// `system_dirs` is one array of NUL-separated folders that end in a slash (glibc elf/dl-load.c).
function systemFolders(constants: string, texts: string[]): string[] | undefined {
  let best: string[] = [];
  let run: string[] = [];
  let end = 0;
  for (const text of texts) {
    const start = constants.indexOf(`${text}\0`, end);
    if (start !== end) run = [];
    end = start + text.length + 1;
    if (text.endsWith("/") && text.startsWith("/") && text.length <= 4096 && !text.includes(" ")) run.push(text);
    else run = [];
    if (best.length < run.length) best = run;
  }
  return 0 < best.length ? best : undefined;
}

/** Every loader names them; one that lost its constants lies in one of them. */
function usualFolders(path: string): string[] {
  const triplet = /\/lib\/([a-z0-9_]+-linux-[a-z0-9_]+)\/[^/]+$/.exec(path)?.[1];
  const all = (name: string) => [`/${name}/`, `/usr/${name}/`];
  if (triplet !== undefined) return [...all(`lib/${triplet}`), ...all("lib")];
  return all(path.includes("/lib64/") ? "lib64" : "lib");
}

// Every text ends with a NUL and begins after the last byte that cannot be printed. No pattern: one that runs to the end of a text
// of megabytes keeps a way back for each character, and the engine's stack for that is bounded.
function textsIn(constants: string): string[] {
  const texts: string[] = [];
  for (const part of constants.split("\0").slice(0, -1)) {
    let start = part.length;
    while (0 < start && isPrintable(part.charCodeAt(start - 1))) start -= 1;
    if (3 <= part.length - start) texts.push(part.slice(start));
  }
  return texts;
}

const isPrintable = (code: number): boolean => 0x20 <= code && code <= 0x7e;

/** The mapped parts of a file that are not code, one character a byte; all of it where code and constants are not apart. */
function constantsOf(bytes: Uint8Array): string {
  return constantParts(bytes)
    .map(({ start, end }) => `${characters(bytes, start, end)}\0`)
    .join("");
}

function constantParts(bytes: Uint8Array): { start: number; end: number }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = [{ start: 0, end: bytes.length }];
  if (bytes.length < 64) return whole;
  const little = bytes[5] !== 2;
  const wide = bytes[4] === 2;
  const address = (at: number) => (wide ? Number(view.getBigUint64(at, little)) : view.getUint32(at, little));
  const table = address(wide ? 32 : 28);
  const size = wide ? 56 : 32;
  const end = table + view.getUint16(wide ? 56 : 44, little) * size;
  if (bytes.length < end) return whole;
  const parts: { start: number; end: number }[] = [];
  let readOnly = 0;
  for (let at = table; at < end; at += size) {
    const flags = view.getUint32(at + (wide ? 4 : 24), little);
    if (view.getUint32(at, little) !== 1 || flags & 1) continue;
    const start = address(at + (wide ? 8 : 4));
    parts.push({ start, end: Math.min(start + address(at + (wide ? 32 : 16)), bytes.length) });
    if (!(flags & 2)) readOnly += 1;
  }
  // Linkers before 2018, and some machines' today, put constants and code into one segment.
  return 1 < readOnly && parts.length < 16 ? parts : whole;
}
