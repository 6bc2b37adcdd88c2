// Prints what a wheel really asks for, read from its files: `npm run harvest -- tensorflow==2.10.1`, or a .whl or .so.
// The form is the one of `wheel` in knowledge/frameworks/ and of knowledge/wheels.json. Nothing of the wheel is run.
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { extract, listZip } from "./zip.mjs";

const usage = "usage: npm run harvest -- NAME==VERSION | FILE.whl | FILE.so [--python 3.10] [--platform manylinux2014_x86_64]";
let temporary = "";
process.on("exit", () => temporary && rmSync(temporary, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(2));

// Our own reader of ELF files, from the sources as they are now.
async function loadReader() {
  const { build } = await import("esbuild");
  const root = fileURLToPath(new URL("..", import.meta.url));
  const out = join(temporary, "reader.mjs");
  const contents = `export { openElf, readObject } from "./packages/core/src/elf/elf.ts";
    export { readArchitectures } from "./packages/core/src/elf/fat-binary.ts";
    export { findSymbol } from "./packages/core/src/elf/symbols.ts";
    export { fileOffset } from "./packages/core/src/elf/view.ts";
    export { libraryOf, versionFunctions, versionOf } from "./packages/core/src/knowledge/libraries.ts";`;
  await build({ stdin: { contents, resolveDir: root, loader: "ts" }, bundle: true, format: "esm", outfile: out, logLevel: "error" });
  return import(pathToFileURL(out).href);
}

/** The newest wheel that some Python takes, newest Pythons last: most eras had 3.8 to 3.12. */
function download(spec, { python, platform }) {
  const old = ["manylinux1", "manylinux2010", "manylinux2014"].map((tag) => `${tag}_x86_64`);
  const platforms = platform
    ? [platform]
    : [...old, ...Array.from({ length: 36 }, (_, n) => `manylinux_2_${n + 5}_x86_64`), "linux_x86_64"];
  let problem = "";
  for (const version of python ? [python] : ["3.12", "3.10", "3.9", "3.13", "3.8", "3.7", "3.6", "3.14"]) {
    const options = [
      "download",
      "--quiet",
      "--no-cache-dir",
      "--no-deps",
      "--only-binary=:all:",
      "--implementation",
      "cp",
      "--dest",
      temporary,
    ];
    const tag = `cp${version.replace(".", "")}`;
    const abis = [tag, "abi3", "none", ...(["3.6", "3.7"].includes(version) ? [`${tag}m`] : [])];
    const target = [
      "--python-version",
      version,
      ...abis.flatMap((abi) => ["--abi", abi]),
      ...platforms.flatMap((tag) => ["--platform", tag]),
    ];
    try {
      execFileSync("python3", ["-m", "pip", ...options, ...target, spec], { stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      problem = String(error.stderr ?? error.message);
      continue;
    }
    const wheel = readdirSync(temporary).find((name) => name.endsWith(".whl"));
    if (wheel) return join(temporary, wheel);
  }
  const reason = problem.split("\n").findLast((line) => line.startsWith("ERROR:"));
  throw new Error(`pip finds no wheel for ${spec}: ${(reason ?? problem).replace(/^ERROR:\s*/, "").slice(0, 200)}`);
}

async function readWheel(reader, archive) {
  const fd = openSync(archive, "r");
  try {
    const files = listZip(fd, statSync(archive).size);
    const out = join(temporary, "member");
    const text = async (file) => {
      await extract(archive, fd, file, out);
      return readFileSync(out, "utf8");
    };
    const metadata = files.find(({ name }) => /^[^/]+\.dist-info\/METADATA$/.test(name));
    if (!metadata) throw new Error(`${basename(archive)} has no METADATA: it is not a wheel`);
    const facts = { wheel: basename(archive), ...requirements(await text(metadata)) };
    const compiled = {};
    for (const file of files)
      if (compiledIn[basename(file.name)]) Object.assign(compiled, compiledIn[basename(file.name)](await text(file), file.name));
    const objects = {};
    for (const file of files.filter(({ name, size }) => 64 < size && /\.so(\.|$)/.test(name))) {
      await extract(archive, fd, file, out);
      const found = readElf(reader, out, file.name);
      if (found && isOfInterest(reader, file.name, found)) objects[file.name] = found;
      if (found?.nccl !== undefined) compiled.nccl ??= found.nccl;
      delete found?.nccl;
    }
    if (0 < Object.keys(compiled).length) facts.compiled = compiled;
    facts.objects = withoutRepetition(sorted(objects));
    return facts;
  } finally {
    closeSync(fd);
  }
}

// Dozens of extension modules are linked alike: the first stands for all.
function withoutRepetition(objects) {
  const first = new Map();
  for (const [name, facts] of Object.entries(objects)) {
    const key = JSON.stringify(facts);
    if (facts.library === undefined && first.has(key)) {
      const kept = objects[first.get(key)];
      kept.alike = (kept.alike ?? 0) + 1;
      delete objects[name];
    } else first.set(key, name);
  }
  return objects;
}

// Many small objects name the driver only because a header of their framework does.
const isOfInterest = (reader, name, { needs, opens = [], architectures }) =>
  reader.libraryOf(name) !== undefined ||
  needs !== undefined ||
  architectures !== undefined ||
  opens.some((each) => !/^lib(cuda|nvidia-ml)\.so/.test(each));

const sorted = (set) => Object.fromEntries(Object.entries(set).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Requirements on GPU packages, for Linux on x86_64; those of an extra apart. */
function requirements(metadata) {
  const header = metadata.split(/\r?\n\r?\n/, 1)[0];
  const field = (name) => new RegExp(`^${name}:\\s*(.+)$`, "m").exec(header)?.[1]?.trim();
  const requires = {};
  const extras = {};
  for (const [, line] of header.matchAll(/^Requires-Dist:\s*(.+)$/gm)) {
    const [requirement, marker = ""] = line.split(";");
    if (/win32|windows|darwin|aarch64|arm64/i.test(marker) && !/linux|x86_64|manylinux/i.test(marker)) continue;
    const [, name, , rest] = /^\s*([\w.-]+)\s*(\[[^\]]*\])?\s*(.*)$/.exec(requirement);
    const key = name.toLowerCase().replace(/[-_.]+/g, "-");
    if (!/^(nvidia-|cuda-|tensorrt|triton|jaxlib|jax-cuda|cupy)/.test(key)) continue;
    const extra = /extra\s*==\s*['"]([\w.-]+)['"]/.exec(marker)?.[1];
    const set = extra === undefined ? requires : (extras[extra] ??= {});
    const parts = /\[([^\]]*)\]/.exec(requirement)?.[1];
    set[
      parts === undefined
        ? key
        : `${key}[${parts
            .split(",")
            .map((part) => part.trim())
            .sort()
            .join(",")}]`
    ] = rest.replace(/[()\s]/g, "");
  }
  return {
    package: field("Name")
      .toLowerCase()
      .replace(/[-_.]+/g, "-"),
    version: field("Version"),
    ...(field("Requires-Python") ? { python: field("Requires-Python") } : {}),
    requires: sorted(requires),
    ...(0 < Object.keys(extras).length
      ? { extras: Object.fromEntries(Object.entries(extras).map(([name, set]) => [name, sorted(set)])) }
      : {}),
  };
}

const assigned = (text, name) => new RegExp(`^${name}\\s*(?::[^=\n]*)?=\\s*['"]([^'"]+)['"]`, "m").exec(text)?.[1];
const present = (facts) => Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));

/** Files in which frameworks write down what they were built with. */
const compiledIn = {
  "build_info.py"(text, name) {
    if (!name.endsWith("platform/build_info.py")) return {};
    const value = (key) => new RegExp(`['"]${key}['"]\\s*[,:]\\s*['"]([^'"]*)['"]`).exec(text)?.[1] || undefined;
    const list = /['"]cuda_compute_capabilities['"]\s*[,:]\s*\[([^\]]*)\]/.exec(text)?.[1];
    return present({
      cuda: value("cuda_version"),
      cudnn: value("cudnn_version"),
      capabilities: list
        ?.split(",")
        .map((item) => item.replace(/['"\s]/g, ""))
        .filter(Boolean),
    });
  },
  "version.py"(text, name) {
    return name === "torch/version.py" ? present({ cuda: assigned(text, "cuda"), version: assigned(text, "__version__") }) : {};
  },
  "build_and_package_info.py"(text) {
    return present({ cuda: assigned(text, "cuda_version"), cudnn: assigned(text, "cudnn_version") });
  },
  "_wheel.json"(text) {
    const { cuda, cudnn, nccl, cutensor } = JSON.parse(text);
    return present({ cuda, cudnn: cudnn?.version, nccl: nccl?.version, cutensor: cutensor?.version });
  },
};

function readElf(reader, file, name) {
  const fd = openSync(file, "r");
  try {
    const { size } = statSync(file);
    const run = (reading) => {
      let step = reading.next();
      while (!step.done) {
        const pieces = step.value.map(({ offset, length }) => {
          const bytes = Buffer.alloc(length);
          return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
        });
        step = reading.next(pieces);
      }
      return step.value;
    };
    const view = run(reader.openElf(size));
    if ("kind" in view) return undefined;
    const { fact } = view;
    const architectures = run(reader.readArchitectures(view));
    const library = reader.libraryOf(fact.soname ?? name) ?? reader.libraryOf(name);
    const whole = run(reader.readObject(size, { constants: (object) => reader.versionFunctions(name, object) }));
    const known = (names) => names.filter((each) => reader.libraryOf(each) !== undefined);
    const needs = known(fact.needed);
    const { names, nccl } = scan(fd, size);
    for (const each of madeNames(reader, run, view, fd)) names.add(each);
    const opens = known([...names]).filter((each) => each !== fact.soname && each !== basename(name) && !needs.includes(each));
    return present({
      soname: fact.soname,
      library: library?.id,
      version: library && reader.versionOf(library, whole),
      needs: 0 < needs.length ? needs : undefined,
      opens: 0 < opens.length ? opens.sort() : undefined,
      rpath: withoutRepeats(fact.rpath),
      runpath: withoutRepeats(fact.runpath),
      architectures,
      // A copy of NCCL says so itself; elsewhere the sentence means that one was linked in.
      nccl: library ? undefined : nccl,
    });
  } finally {
    closeSync(fd);
  }
}

// Some builds name one folder a hundred times; only the first counts.
const withoutRepeats = (path) => path && [...new Set(path.split(":"))].join(":");

// TensorFlow puts the names it opens together from a name and a version that its code holds as numbers, not as texts.
const makers = [
  ["CudaRuntime", "cudart"],
  ["Cublas", "cublas"],
  ["CublasLt", "cublasLt"],
  ["Cudnn", "cudnn"],
  ["Cufft", "cufft"],
  ["Cupti", "cupti"],
  ["Curand", "curand"],
  ["Cusolver", "cusolver"],
  ["Cusparse", "cusparse"],
  ["Nccl", "nccl"],
  ["Nvshmem", "nvshmem_host"],
  ["NvInfer", "nvinfer"],
  ["NvInferPlugin", "nvinfer_plugin"],
];

function* madeNames(reader, run, view, fd) {
  for (const [maker, library] of makers) {
    const name = `Get${maker}DsoHandle`;
    for (const space of ["15stream_executor8internal9DsoLoader", "3tsl8internal9DsoLoader"]) {
      const symbol = run(reader.findSymbol(view, `_ZN${space}${name.length}${name}Ev`));
      const offset = symbol && reader.fileOffset(view, symbol.value);
      if (offset === undefined) continue;
      const code = Buffer.alloc(192);
      readSync(fd, code, 0, code.length, offset);
      const version = versionIn(code, (distance) => {
        const place = reader.fileOffset(view, symbol.value + distance);
        const text = Buffer.alloc(16);
        if (place !== undefined) readSync(fd, text, 0, text.length, place);
        return text.toString("latin1").split("\0", 1)[0];
      });
      if (version !== undefined) yield `lib${library}.so.${version}`;
    }
  }
}

// The first of these is the version: a number that is stored or moved and whose bytes read as `11.0`, `12` or `8`
// (followed by another where it is longer, `8.6.` and `1`), or the address of such a text.
function versionIn(code, textAt) {
  let found = "";
  for (let at = 0; at + 12 < code.length; at += 1) {
    const prefix = code[at] === 0x66 ? 1 : 0;
    const opcode = code[at + prefix];
    let operand = -1;
    if (0xb8 <= opcode && opcode <= 0xbf) operand = at + prefix + 1;
    else if (opcode === 0xc7 || opcode === 0xc6) {
      const modrm = at + prefix + 1;
      operand = modrm + 1 + ((code[modrm] & 7) === 4 ? 1 : 0) + [0, 1, 4][code[modrm] >> 6];
    } else if (code[at] === 0x48 && code[at + 1] === 0x8d && (code[at + 2] & 0xc7) === 5) {
      const text = /^\d+(\.\d+)*$/.exec(textAt(at + 7 + code.readInt32LE(at + 3)) ?? "")?.[0];
      if (text !== undefined) return text;
    }
    if (!(0 <= operand)) continue;
    const width = opcode === 0xc6 ? 1 : prefix ? 2 : 4;
    const text = /^(\d[\d.]*)\0*$/.exec(code.toString("latin1", operand, operand + width))?.[1];
    if (text === undefined || (width === 1 && found === "")) continue;
    found += text;
    if (!found.endsWith(".")) return found;
  }
  return undefined;
}

/** Object names among a file's texts: what it may open by name; and the version of an NCCL that was linked in. */
function scan(fd, size) {
  const chunk = 32 << 20;
  const overlap = 256;
  const buffer = Buffer.alloc(chunk + overlap);
  const names = new Set();
  let nccl;
  for (let start = 0; start < size; start += chunk) {
    const bytes = buffer.subarray(0, readSync(fd, buffer, 0, chunk + overlap, start));
    for (let at = bytes.indexOf(".so"); 0 <= at; at = bytes.indexOf(".so", at + 3)) {
      const before = /lib[\w+-]+$/.exec(bytes.toString("latin1", Math.max(0, at - 64), at))?.[0];
      if (before === undefined) continue;
      const after = /^\.so((?:\.\d+)*)(?![\w.])/.exec(bytes.toString("latin1", at, at + 32));
      if (after) names.add(before + after[0]);
    }
    const at = bytes.indexOf("NCCL version 2");
    if (0 <= at) nccl ??= /^NCCL version (\d+(?:\.\d+)+)\+cuda/.exec(bytes.toString("latin1", at, at + 40))?.[1];
  }
  return { names, nccl };
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { python: { type: "string" }, platform: { type: "string" } },
  });
  if (positionals.length !== 1) throw new Error(usage);
  temporary = mkdtempSync(join(tmpdir(), "culprit-harvest-"));
  const reader = await loadReader();
  const [what] = positionals;
  const isFile = /\.whl$|\.so(\.|$)/.test(what) || what.includes("/");
  if (isFile && !existsSync(what)) throw new Error(`there is no file ${what}`);
  const file = isFile ? what : download(what, values);
  const facts = file.endsWith(".whl") ? await readWheel(reader, file) : readElf(reader, file, basename(file));
  if (!facts) throw new Error(`${what} is not an ELF file`);
  console.log(JSON.stringify(facts, null, 1));
} catch (error) {
  console.error(`harvest: ${error.message.trim().split("\n").at(-1)}`);
  process.exitCode = 2;
}
