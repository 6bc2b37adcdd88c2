// A dynamic loader carries its own rules as strings: system folders, $LIB, the names of its cache and preload file.
import type { LoaderFact } from "../model/snapshot.ts";
import { decode } from "../lib/text.ts";

/** Reads the rules out of a whole ld.so file. Better than a table of distributions: it is what that loader does. */
export function parseLoader(bytes: Uint8Array, path: string): LoaderFact {
  const texts = printableTexts(bytes);
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
    folders: systemFolders(bytes),
    hwcaps: hwcaps?.split(":") ?? [],
    ...(has.has("tls") ? { legacy: has.has("haswell") ? ("haswell" as const) : ("platform" as const) } : {}),
    ...(lib === undefined ? {} : { lib }),
    cache: texts.find((text) => /^\/.*\/ld(-[a-z]+)?\.so\.cache$/.test(text)) ?? "/etc/ld.so.cache",
    preload: texts.find((text) => /^\/.*\/ld(-[a-z]+)?\.so\.preload$/.test(text)) ?? "/etc/ld.so.preload",
  };
}

// `system_dirs` is one array of NUL-separated folders that end in a slash (glibc elf/dl-load.c).
function systemFolders(bytes: Uint8Array): string[] {
  let best: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const run: string[] = [];
    let next = at;
    for (;;) {
      const end = bytes.indexOf(0, next);
      if (end < 0 || end === next || 4096 < end - next || bytes[next] !== 0x2f || bytes[end - 1] !== 0x2f) break;
      const text = decode(bytes, next, end);
      if (!/^\/[\x21-\x7e]*\/$/.test(text)) break;
      run.push(text);
      next = end + 1;
    }
    if (best.length < run.length) best = run;
    const found = bytes.indexOf(0, next);
    if (found < 0) break;
    at = found + 1;
  }
  return best;
}

function printableTexts(bytes: Uint8Array): string[] {
  const texts: string[] = [];
  let start = -1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (0x20 <= byte && byte <= 0x7e) {
      if (start < 0) start = at;
    } else {
      if (byte === 0 && 0 <= start && 2 < at - start) texts.push(decode(bytes, start, at));
      start = -1;
    }
  }
  return texts;
}
