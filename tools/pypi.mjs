// What PyPI tells of a package: its files, and the metadata of each, without the files themselves.
import { createGunzip, inflateRawSync } from "node:zlib";
import { Readable } from "node:stream";

const index = process.env.PYPI ?? "https://pypi.org/simple";

/** Asked again where it fails on the way: 404 is an answer. */
async function get(url, headers = {}, attempts = 4) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(120_000) });
      if (answer.ok || answer.status === 404) return answer;
      throw new Error(`${url}: ${answer.status}`);
    } catch (error) {
      if (attempt === attempts) throw new Error(`${url}: ${error.message}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 1000 * attempt));
    }
  }
}

const plain = (text) => text.replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll("&amp;", "&").replaceAll("&quot;", '"');

/** Every file of a package; undefined where there is no such package. */
export async function filesOf(name) {
  const answer = await get(`${index}/${name}/`);
  if (answer.status === 404) return undefined;
  const page = await answer.text();
  const files = [...page.matchAll(/<a\s([^>]*)>([^<]+)<\/a>/g)].flatMap(([, attributes, text]) => {
    const url = /href="([^"#]+)/.exec(attributes)?.[1];
    if (url === undefined) return [];
    const python = /data-requires-python="([^"]*)"/.exec(attributes)?.[1];
    return [
      {
        name: plain(text.trim()),
        url: new URL(plain(url), `${index}/${name}/`).href,
        ...(python ? { python: plain(python) } : {}),
        ...(/\sdata-yanked/.test(` ${attributes}`) ? { yanked: true } : {}),
      },
    ];
  });
  // A page without a single file is an error page, or a package that was emptied: neither is worth forgetting what is known.
  if (files.length === 0) throw new Error(`${index}/${name}/ lists no files`);
  return files;
}

/** The names of all packages, as the index spells them. */
export async function namesOnPypi() {
  const page = await (await get(`${index}/`)).text();
  const names = [...page.matchAll(/<a href="[^"]*">([^<]+)<\/a>/g)].map(([, name]) => plain(name.trim()));
  if (names.length === 0) throw new Error(`${index}/ lists no packages`);
  return names;
}

/** `name-1.2-cp311-cp311-manylinux1_x86_64.whl` in its parts. */
export function wheelName(file) {
  if (!file.endsWith(".whl")) return undefined;
  const parts = file.slice(0, -".whl".length).split("-");
  const [pythons, abis, platforms] = parts.slice(-3);
  return { version: parts[1], pythons: pythons.split("."), abis: abis.split("."), platforms: platforms.split(".") };
}

/** The version in the name of a source distribution. */
export function sourceVersion(name, file) {
  const bare = /^(.+)\.(?:tar\.gz|zip|tgz)$/.exec(file)?.[1];
  if (bare === undefined) return undefined;
  const normal = (text) => text.replace(/[-_.]+/g, "-").toLowerCase();
  const start = bare.slice(0, name.length);
  return normal(start) === normal(name) && bare[name.length] === "-" ? bare.slice(name.length + 1) : undefined;
}

/** METADATA of a wheel as fields. Of old wheels the index does not hand it out: then the end of the file tells where it lies. */
export async function wheelMetadata(url) {
  const answer = await get(`${url}.metadata`);
  if (answer.ok) return fieldsOf(await answer.text());
  await answer.body?.cancel();
  const text = await wheelMember(url, /^[^/]+\.dist-info\/METADATA$/);
  if (text === undefined) throw new Error(`${url} has no METADATA`);
  return fieldsOf(text);
}

/** The first file of a wheel with such a name, without the rest of the wheel; undefined where it has none. */
export async function wheelMember(url, wanted) {
  const end = await bytesOf(url, "-70000");
  const last = end.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (last < 0) throw new Error(`${url} is no zip file`);
  const [size, start] = [end.readUInt32LE(last + 12), end.readUInt32LE(last + 16)];
  const entries = size <= last ? end.subarray(last - size, last) : await bytesOf(url, `${start}-${start + size - 1}`);
  for (let at = 0; at + 46 <= entries.length;) {
    const [packed, length, extra, comment] = [20, 28, 30, 32].map((offset) =>
      offset === 20 ? entries.readUInt32LE(at + 20) : entries.readUInt16LE(at + offset),
    );
    const name = entries.toString("utf8", at + 46, at + 46 + length);
    if (wanted.test(name)) {
      const from = entries.readUInt32LE(at + 42);
      const piece = await bytesOf(url, `${from}-${from + 30 + length + 1000 + packed}`);
      const data = piece.subarray(30 + piece.readUInt16LE(26) + piece.readUInt16LE(28)).subarray(0, packed);
      return (entries.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data)).toString("utf8");
    }
    at += 46 + length + extra + comment;
  }
  return undefined;
}

async function bytesOf(url, range) {
  const answer = await get(url, { Range: `bytes=${range}` });
  if (answer.status !== 206) {
    await answer.body?.cancel();
    throw new Error(`${url} is not handed out in pieces`);
  }
  return Buffer.from(await answer.arrayBuffer());
}

export function fieldsOf(text) {
  const head = text.split(/\r?\n\r?\n/)[0].replace(/\r?\n[ \t]+/g, " ");
  const all = (key) => head.split(/\r?\n/).flatMap((line) => (line.startsWith(`${key}: `) ? [line.slice(key.length + 2).trim()] : []));
  return { requires: all("Requires-Dist"), python: all("Requires-Python")[0], dynamic: all("Dynamic").map((each) => each.toLowerCase()) };
}

/** Some have a hundred megabytes before the page that says what they are. */
const mostBytes = 12_000_000;

/** What a source distribution says that it requires: read until that is known, and no further; undefined where it comes too late. */
export async function sourceMetadata(url) {
  if (!/\.(?:tar\.gz|tgz)$/.test(url)) return undefined;
  const answer = await get(url);
  if (!answer.ok) return undefined;
  let found;
  if (mostBytes < Number(answer.headers.get("content-length") ?? 0)) {
    await answer.body?.cancel();
    return undefined;
  }
  const stream = Readable.fromWeb(answer.body);
  const bytes = stream.pipe(createGunzip());
  stream.on("error", () => bytes.destroy());
  try {
    for await (const { path, text } of textsIn(bytes, (each) =>
      /^[^/]+\/(?:[^/]+\/)?(?:PKG-INFO|[^/]+\.egg-info\/requires\.txt)$/.test(each),
    )) {
      if (path.endsWith("requires.txt")) {
        found = { python: found?.python, requires: fromRequiresTxt(text), dynamic: [] };
        break;
      }
      const fields = fieldsOf(text);
      if (0 < fields.requires.length) {
        found = fields;
        break;
      }
      found ??= fields;
    }
  } finally {
    stream.destroy();
    bytes.destroy();
  }
  return found;
}

/** Old form of requirements: sections for extras and markers. */
export function fromRequiresTxt(text) {
  let condition = "";
  return text.split("\n").flatMap((line) => {
    const [, section] = /^\[(.*)\]$/.exec(line.trim()) ?? [];
    if (section !== undefined) {
      const [extra, marker] = section.split(/:(.*)/s);
      condition = [extra === "" ? "" : `extra == "${extra}"`, marker ? `(${marker})` : ""].filter((each) => each !== "").join(" and ");
      return [];
    }
    if (line.trim() === "") return [];
    return [condition === "" ? line.trim() : `${line.trim()}; ${condition}`];
  });
}

async function* textsIn(bytes, wants) {
  let held = Buffer.alloc(0);
  let skip = 0;
  let taking;
  for await (const piece of bytes) {
    held = Buffer.concat([held, piece]);
    for (;;) {
      if (0 < skip) {
        const step = Math.min(skip, held.length);
        held = held.subarray(step);
        skip -= step;
        if (0 < skip) break;
      }
      if (taking) {
        if (held.length < taking.padded) break;
        yield { path: taking.path, text: held.subarray(0, taking.size).toString("utf8") };
        held = held.subarray(taking.padded);
        taking = undefined;
      }
      if (held.length < 512) break;
      const header = held.subarray(0, 512);
      held = held.subarray(512);
      const field = (from, length) => header.toString("utf8", from, from + length).split("\0")[0];
      const size = Number.parseInt(field(124, 12).trim() || "0", 8);
      const prefix = header.toString("latin1", 257, 262) === "ustar" ? field(345, 155) : "";
      const path = (prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`).replace(/^\.\//, "");
      const padded = Math.ceil(size / 512) * 512;
      if (/^[0\0]?$/.test(field(156, 1)) && wants(path) && size < 4_000_000) taking = { path, size, padded };
      else skip = padded;
    }
  }
}
