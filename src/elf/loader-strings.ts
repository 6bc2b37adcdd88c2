// A dynamic loader carries its own rules as strings: system folders, $LIB, the names of its cache and preload file.
import type { LoaderFact } from "../model/snapshot.ts";

/** Reads the rules out of a whole ld.so file. Better than a table of distributions: it is what that loader does. */
export function parseLoader(bytes: Uint8Array, path: string): LoaderFact {
  const all = printableTexts(bytes);
  const texts = all.filter((text) => 2 < text.length);
  const has = new Set(texts);
  const isMusl = /\/ld-musl-[^/]*$/.test(path) || (texts.some((text) => text.startsWith("musl libc (")) && !has.has("/etc/ld.so.cache"));
  if (isMusl) {
    const release = texts.find((text) => /^[01]\.\d+\.\d+$/.test(text));
    return { flavour: "musl", ...(release === undefined ? {} : { version: release }), folders: [], hwcaps: [] };
  }
  const hwcaps = texts.find((text) => /^x86-64-v\d(:x86-64-v\d)*$/.test(text) || /^(z\d\d|power\d+)(:(z\d\d|power\d+))+$/.test(text));
  const version =
    texts
      .map(
        (text) => /^(?:ld\.so \(.*\) stable release version |GNU C Library .* release version )?(2\.\d{1,2})(?:\.\d+)?\.?$/.exec(text)?.[1],
      )
      .find(Boolean) ?? texts.map((text) => /stable release version (2\.\d+)/.exec(text)?.[1]).find(Boolean);
  const lib =
    texts.find((text) => /^lib(32|64|x32)?(\/[a-z0-9_]+-linux-[a-z0-9_]+)?$/.test(text) && has.has(`/${text}/`)) ??
    texts.find((text) => /^lib(32|64|x32)?$/.test(text) && has.has(`/usr/${text}/`));
  return {
    flavour: "glibc",
    ...(version === undefined ? {} : { version }),
    folders: systemFolders(all),
    hwcaps: hwcaps?.split(":") ?? [],
    ...(has.has("tls") ? { legacy: has.has("haswell") ? ("haswell" as const) : ("platform" as const) } : {}),
    ...(lib === undefined ? {} : { lib }),
    cache: texts.find((text) => /^\/.*\/ld(-[a-z]+)?\.so\.cache$/.test(text)) ?? "/etc/ld.so.cache",
    preload: texts.find((text) => /^\/.*\/ld(-[a-z]+)?\.so\.preload$/.test(text)) ?? "/etc/ld.so.preload",
  };
}

// `system_dirs` is one array of NUL-separated folders that end in a slash (glibc elf/dl-load.c).
function systemFolders(texts: string[]): string[] {
  let best: string[] = [];
  let run: string[] = [];
  for (const text of texts) {
    if (text.length <= 4096 && text.endsWith("/") && text.startsWith("/") && !text.includes(" ")) run.push(text);
    else {
      if (best.length < run.length) best = run;
      // What comes before the array may be data of any kind, without a NUL of its own.
      run = [];
    }
  }
  return best.length < run.length ? run : best;
}

// The printable end of everything before a NUL; an empty text where there is none, so that neighbours stay neighbours.
// One native split over one long text: this runs once, cold, at every start.
function printableTexts(bytes: Uint8Array): string[] {
  let all = "";
  const piece = 8192;
  for (const { start, end } of constantParts(bytes)) {
    for (let at = start; at < end; at += piece) all += String.fromCharCode(...bytes.subarray(at, Math.min(at + piece, end)));
    all += "\0";
  }
  const texts = all.split("\0");
  texts.pop();
  for (let index = 0; index < texts.length; index += 1) {
    const text = texts[index]!;
    let start = text.length;
    while (0 < start && isPrintable(text.charCodeAt(start - 1))) start -= 1;
    if (0 < start) texts[index] = text.slice(start);
  }
  return texts;
}

const isPrintable = (code: number) => 0x20 <= code && code <= 0x7e;

/** The mapped parts of a file that are not code, where there are such parts; otherwise all of it. */
function constantParts(bytes: Uint8Array): { start: number; end: number }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = [{ start: 0, end: bytes.length }];
  if (bytes.length < 64) return whole;
  const little = bytes[5] !== 2;
  const wide = bytes[4] === 2;
  const table = wide ? Number(view.getBigUint64(32, little)) : view.getUint32(28, little);
  const count = view.getUint16(wide ? 56 : 44, little);
  const size = wide ? 56 : 32;
  if (bytes.length < table + count * size) return whole;
  const parts: { start: number; end: number }[] = [];
  let readOnly = 0;
  for (let at = table; at < table + count * size; at += size) {
    const flags = view.getUint32(at + (wide ? 4 : 24), little);
    if (view.getUint32(at, little) !== 1 || flags & 1) continue;
    const start = wide ? Number(view.getBigUint64(at + 8, little)) : view.getUint32(at + 4, little);
    const length = wide ? Number(view.getBigUint64(at + 32, little)) : view.getUint32(at + 16, little);
    parts.push({ start, end: Math.min(start + length, bytes.length) });
    if (!(flags & 2)) readOnly += 1;
  }
  // Linkers before 2018 put constants and code into one segment.
  return 1 < readOnly ? parts : whole;
}
