// Releases of a package on PyPI as knowledge/ writes them down: what there is for Linux on x86_64, and what each requires.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { filesOf, sourceMetadata, sourceVersion, wheelMetadata, wheelName } from "./pypi.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
export const { comparePythonVersions, parsePythonVersion, isWithin, markerHolds, parseRequirement, normalName } = await loadReaders();

const linux = {
  implementation_name: "cpython",
  platform_python_implementation: "CPython",
  os_name: "posix",
  sys_platform: "linux",
  platform_system: "Linux",
  platform_machine: "x86_64",
};

async function loadReaders() {
  const { build } = await import("esbuild");
  const temporary = mkdtempSync(join(tmpdir(), "readers-"));
  const out = join(temporary, "readers.mjs");
  const contents = `export * from "./packages/core/src/lib/pep440.ts"; export * from "./packages/core/src/lib/pep508.ts";`;
  try {
    await build({ stdin: { contents, resolveDir: root, loader: "ts" }, bundle: true, format: "esm", outfile: out, logLevel: "error" });
    return await import(pathToFileURL(out).href);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The last Python that a wheel for the stable ABI is taken to serve. */
const lastPython = 15;

/**
 * Releases of a package, oldest first, each with the file to read its requirements from; undefined where there is no such package.
 * Pre-releases are left out, and so are releases without a file for Linux; `sources`: what comes only as source counts, too.
 */
export async function releasesOf(name, { sources = false } = {}) {
  const files = await filesOf(name);
  if (!files) return undefined;
  const found = new Map();
  let oldest;
  for (const file of files) {
    const wheel = wheelName(file.name);
    const raw = wheel ? decodeURIComponent(wheel.version) : sourceVersion(name, file.name);
    const version = raw && parsePythonVersion(raw);
    if (!version || version.pre || version.dev !== undefined) continue;
    if (oldest === undefined || comparePythonVersions(raw, oldest) < 0) oldest = raw;
    if (!wheel && !sources) continue;
    if (wheel && !wheel.platforms.some((tag) => tag === "any" || /^(many)?linux\w*_x86_64$/.test(tag))) continue;
    const own = found.get(raw) ?? { row: { version: raw }, wheels: [], isYanked: true };
    found.set(raw, own);
    if (!file.yanked) own.isYanked = false;
    if (file.python) own.row.python = file.python;
    if (wheel) own.wheels.push({ ...wheel, url: file.url });
    else own.source = file.url;
  }
  const releases = [...found.values()].flatMap(({ row, wheels, source, isYanked }) => {
    const pythons = pythonsOf(wheels, row.python);
    if (pythons?.length === 0 && source === undefined) return [];
    if (pythons && 0 < pythons.length) row.pythons = pythons;
    if (sources && source !== undefined && (wheels.length === 0 || row.pythons)) row.sdist = true;
    if (isYanked) row.yanked = true;
    return [{ row, url: newestOf(wheels)?.url, source }];
  });
  const sorted = releases.sort((a, b) => comparePythonVersions(a.row.version, b.row.version));
  // Whether there is any file, for whatever system, that is older than the first of them.
  return Object.assign(sorted, { isWhole: sorted[0]?.row.version === oldest });
}

/** Wheels of one release may require different things: the one for the newest Python speaks for all. */
const newestOf = (wheels) => {
  const minorOf = ({ pythons }) => Math.max(...pythons.map((tag) => Number(/^cp3(\d+)$/.exec(tag)?.[1] ?? 0)));
  const isThreaded = ({ abis }) => abis.every((abi) => /^cp\d+t$/.test(abi));
  return wheels.toSorted((a, b) => Number(isThreaded(b)) - Number(isThreaded(a)) || minorOf(a) - minorOf(b)).at(-1);
};

/** Which Pythons the wheels are for; undefined where one serves all, or there is none. */
function pythonsOf(wheels, asked) {
  const minors = new Set();
  if (wheels.length === 0) return undefined;
  for (const { pythons, abis } of wheels)
    for (const tag of pythons) {
      const [, major, minor] = /^cp(\d)(\d+)$/.exec(tag) ?? [];
      if (minor === undefined) {
        if (/^py[23]/.test(tag)) return undefined;
        continue;
      }
      if (major !== "3" || abis.every((abi) => /^cp\d+t$/.test(abi))) continue;
      for (let each = Number(minor); each <= (abis.includes("abi3") ? lastPython : Number(minor)); each += 1) minors.add(each);
    }
  return [...minors]
    .sort((a, b) => a - b)
    .map((minor) => `3.${minor}`)
    .filter((python) => asked === undefined || isWithin(`${python}.99`, asked) !== false);
}

/** What a release requires on Linux on x86_64, as PEP 508 writes it; undefined where its files do not say. */
export async function requirementsOf({ url, source }, keeps) {
  const metadata = url === undefined ? await sourceMetadata(source) : await wheelMetadata(url);
  return metadata && simplified(metadata.requires, keeps);
}

/** Requirements that can hold on Linux on x86_64, without the parts of markers that always do there. */
export function simplified(requirements, keeps) {
  const kept = [];
  for (const text of requirements) {
    const extra = /\bextra\s*==\s*["']([^"']+)["']/.exec(text)?.[1];
    const parsed = parseRequirement(text);
    // What pip itself could not read is no requirement that anybody meets.
    if ("problem" in parsed || !keeps(parsed.name, extra, parsed)) continue;
    const pythons = Array.from({ length: 11 }, (_, index) => `3.${index + 6}`);
    const held = pythons.filter(
      (python) =>
        parsed.marker === undefined ||
        markerHolds(parsed.marker, { ...linux, python_version: python, python_full_version: `${python}.0`, extra: extra ?? "" }) !== false,
    );
    if (held.length === 0) continue;
    const conditions = [
      ...(held.length === pythons.length ? [] : [/\bpython_(full_)?version\b[^()]*/.test(text) ? pythonCondition(held, pythons) : ""]),
      ...(extra === undefined ? [] : [`extra == "${extra}"`]),
    ].filter((condition) => condition !== "");
    const bare = text.split(";")[0].trim();
    kept.push(conditions.length === 0 ? bare : `${bare}; ${conditions.join(" and ")}`);
  }
  return kept;
}

function pythonCondition(held, all) {
  const [first, last] = [held[0], held.at(-1)];
  return [
    ...(first === all[0] ? [] : [`python_version >= "${first}"`]),
    ...(last === all.at(-1) ? [] : [`python_version <= "${last}"`]),
  ].join(" and ");
}

export async function inParallel(workers, items, work) {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}
