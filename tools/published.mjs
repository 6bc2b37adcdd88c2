// Writes knowledge/published.json: what PyPI has of the packages that `culprit solve` answers with. Everything is read with pip,
// which fetches the metadata of a wheel without the wheel. Requirements that are known are not asked for again; `--again` forgets them.
// `npm run published -- torch jax` looks at these packages only.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const file = "knowledge/published.json";
const pip = process.env.PIP ?? "pip";
const temporary = mkdtempSync(join(tmpdir(), "published-"));
process.on("exit", () => rmSync(temporary, { recursive: true, force: true }));
const run = (args) => promisify(execFile)(pip, args, { maxBuffer: 1 << 28 });

/** Packages whose requirements count, and the first release that is worth knowing. */
const asked = {
  torch: "1.13",
  torchvision: "0.14",
  torchaudio: "0.13",
  xformers: "0.0.20",
  tensorflow: "2.4",
  jax: "0.4.8",
  jaxlib: "0.4.7",
  "jax-cuda12-plugin": "0.4.26",
  "jax-cuda12-pjrt": "0.4.26",
  "jax-cuda13-plugin": "0",
  "jax-cuda13-pjrt": "0",
  "cupy-cuda11x": "11",
  "cupy-cuda12x": "11",
  "cupy-cuda13x": "13",
  "onnxruntime-gpu": "1.10",
  "cuda-toolkit": "11",
};
const nvidia = (suffix, ...names) => names.map((name) => `nvidia-${name}${suffix}`);
const parts = ["cublas", "cuda-cupti", "cuda-nvcc", "cuda-nvrtc", "cuda-runtime", "cufft", "curand", "cusolver", "cusparse"];
/** Packages of which only the versions count. */
const listed = [
  ...nvidia("-cu11", ...parts, "cudnn", "nccl", "nvtx"),
  ...nvidia("-cu12", ...parts, "cudnn", "nccl", "nvtx", "nvjitlink", "nvshmem", "cufile", "cusparselt"),
  ...nvidia("", ...parts, "nvtx", "nvjitlink", "nvvm", "cufile", "cuda-crt"),
  ...nvidia("-cu13", "cudnn", "nccl", "nvshmem", "cusparselt"),
  "numpy",
  "ml-dtypes",
  "triton",
  "tensorrt",
  "tensorrt-bindings",
  "tensorrt-libs",
];
const linux = {
  implementation_name: "cpython",
  platform_python_implementation: "CPython",
  os_name: "posix",
  sys_platform: "linux",
  platform_system: "Linux",
  platform_machine: "x86_64",
};
// Extras that have nothing to do with GPUs.
const extrasOfUse = /^(and-cuda|cuda|cuda1[123]([_-](pip|local|cudnn\d+))?|with[_-]cuda|ctk|cudnn)$/;

const { comparePythonVersions, parsePythonVersion, isWithin, markerHolds, parseRequirement } = await loadReaders();
const before = !process.argv.includes("--again") && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : [];
const today = new Date().toISOString().slice(0, 10);

const platformsOf = new Map();
const packages = [];
const only = process.argv.slice(2).filter((word) => !word.startsWith("--"));
for (const name of [...Object.keys(asked), ...listed].sort()) {
  const known = before.find((each) => each.name === name);
  if (known && 0 < only.length && !only.includes(name)) {
    packages.push(known);
    continue;
  }
  const found = await releasesOf(name);
  const row = { name, releases: [], source: "pypi", checked: today };
  const work = [...found.values()].filter(({ version }) => asked[name] === undefined || comparePythonVersions(version, asked[name]) >= 0);
  await inParallel(5, work, async (release) => {
    const same = known?.releases.find(({ version }) => version === release.version);
    if (asked[name] !== undefined) release.requires = same?.requires ?? (await requirementsOf(name, release));
  });
  row.releases = work.sort((a, b) => comparePythonVersions(a.version, b.version));
  packages.push(row);
  // After each package: an interrupted run goes on where it stopped.
  write();
  console.error(`${name}: ${row.releases.length} releases`);
}

function write() {
  const about =
    "What PyPI has for Linux on x86_64 of the packages that `culprit solve` answers with: releases with wheels, without pre-releases. `pythons` are those that a wheel was built for, `python` is what its metadata asks for, `requires` its requirements on Linux on x86_64 (of extras only those that bring GPU packages). `npm run published` writes this file.";
  const sources = { pypi: "the file lists and the metadata of wheels on https://pypi.org, read with pip" };
  const rest = before.filter(({ name }) => !packages.some((row) => row.name === name) && (name in asked || listed.includes(name)));
  const lines = [...packages, ...rest].map(({ releases, ...row }) => {
    const inner = releases.map((release) => `   ${JSON.stringify(release)}`).join(",\n");
    return `  ${JSON.stringify({ ...row, releases: [] }).slice(0, -3)}[\n${inner}\n  ]}`;
  });
  writeFileSync(
    file,
    `{\n "about": ${JSON.stringify(about)},\n "sources": ${JSON.stringify(sources)},\n "packages": [\n${lines.join(",\n")}\n ]\n}\n`,
  );
}

async function loadReaders() {
  const { build } = await import("esbuild");
  const out = join(temporary, "readers.mjs");
  const contents = `export * from "./packages/core/src/lib/pep440.ts"; export * from "./packages/core/src/lib/pep508.ts";`;
  await build({
    stdin: { contents, resolveDir: process.cwd(), loader: "ts" },
    bundle: true,
    format: "esm",
    outfile: out,
    logLevel: "error",
  });
  return import(pathToFileURL(out).href);
}

/** Releases with a wheel for Linux on x86_64, by version; the very verbose pip names every file of the index. */
async function releasesOf(name) {
  const { stdout, stderr } = await run(["index", "versions", name, "-vvv", "--pre"]);
  const found = new Map();
  for (const line of `${stdout}\n${stderr}`.split("\n")) {
    const wheel = /\/([^/\s]+)\.whl/.exec(line)?.[1];
    if (wheel === undefined) continue;
    const [, raw, ...rest] = decodeURIComponent(wheel).split("-");
    const [pythonTags, abiTags, platforms] = rest.slice(-3);
    const version = raw && parsePythonVersion(raw);
    if (!version || version.pre || version.dev !== undefined) continue;
    if (!platforms.split(".").some((tag) => tag === "any" || /^(many)?linux\w*_x86_64$/.test(tag))) continue;
    const release = found.get(raw) ?? { version: raw };
    found.set(raw, release);
    platformsOf.set(release, platforms.split("."));
    const asks = /requires-python:([^)]*)\)/.exec(line)?.[1] ?? /not in: '([^']*)'/.exec(line)?.[1];
    if (asks) release.python = asks.replaceAll("&gt;", ">").replaceAll("&lt;", "<");
    for (const tag of pythonTags.split(".")) {
      const [, major, minor] = /^cp(\d)(\d+)$/.exec(tag) ?? [];
      if (minor === undefined) continue;
      release.pythons ??= new Set();
      if (major !== "3" || /^cp\d+t$/.test(abiTags)) continue;
      // A wheel for the stable ABI serves every later Python.
      for (let each = Number(minor); each <= (abiTags === "abi3" ? 15 : Number(minor)); each += 1) release.pythons.add(each);
    }
  }
  for (const [version, release] of found) {
    if (!release.pythons) continue;
    if (release.pythons.size === 0) found.delete(version);
    release.pythons = [...release.pythons]
      .sort((a, b) => a - b)
      .map((minor) => `3.${minor}`)
      .filter((python) => release.python === undefined || isWithin(`${python}.99`, release.python) !== false);
  }
  return found;
}

async function requirementsOf(name, release) {
  const { version, pythons } = release;
  const report = join(temporary, `${name}-${version}.json`);
  const args = ["install", "--dry-run", "--quiet", "--no-deps", "--use-feature=fast-deps", "--report", report, "--target", temporary];
  const python = (pythons ?? ["3.12"]).at(-1);
  let problem;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      await run([
        ...args,
        "--only-binary=:all:",
        "--ignore-requires-python",
        "--python-version",
        python,
        ...platformsOf.get(release).flatMap((tag) => ["--platform", tag]),
        `${name}==${version}`,
      ]);
      const { metadata } = JSON.parse(readFileSync(report, "utf8")).install[0];
      return simplified(name, metadata.requires_dist ?? []);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

/** Requirements that can hold on Linux on x86_64, without the parts of markers that always do there. */
function simplified(name, requirements) {
  const kept = [];
  for (const text of requirements) {
    const extra = /\bextra\s*==\s*["']([^"']+)["']/.exec(text)?.[1];
    if (extra !== undefined && (name === "cuda-toolkit" ? extra === "all" : !extrasOfUse.test(extra))) continue;
    const parsed = parseRequirement(text);
    if ("problem" in parsed) throw new Error(`${text}: ${parsed.problem}`);
    if (name === "cuda-toolkit" && !listed.includes(parsed.name)) continue;
    const pythons = Array.from({ length: 11 }, (_, index) => `3.${index + 6}`);
    const holds = (python) =>
      parsed.marker === undefined ||
      markerHolds(parsed.marker, { ...linux, python_version: python, python_full_version: `${python}.0`, extra: extra ?? "" }) !== false;
    const held = pythons.filter(holds);
    if (held.length === 0) continue;
    const bare = text.split(";")[0].trim();
    const conditions = [
      ...(held.length === pythons.length ? [] : [/\bpython_(full_)?version\b[^()]*/.test(text) ? pythonCondition(held, pythons) : ""]),
      ...(extra === undefined ? [] : [`extra == "${extra}"`]),
    ].filter((condition) => condition !== "");
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

async function inParallel(workers, items, work) {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}
