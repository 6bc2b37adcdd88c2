import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Wheel, WheelObject } from "../../packages/core/src/model/knowledge.ts";
import { needs } from "../needs.ts";

const folder = mkdtempSync(join(tmpdir(), "culprit-wheels-"));
// Its temporary files go here, so that what it leaves behind can be seen.
const temporary = mkdtempSync(join(tmpdir(), "culprit-temporary-"));
afterAll(() => [folder, temporary].forEach((path) => rmSync(path, { recursive: true, force: true })));

function harvest(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ["tools/harvest.mjs", ...args], {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: temporary, PIP_NO_INDEX: "1", PIP_FIND_LINKS: folder },
  });
}

const python = (script: string, ...args: string[]) => spawnSync("python3", ["-c", script, ...args], { encoding: "utf8" });
const hasPython = python("import zipfile").status === 0;
const hasCompiler = spawnSync("gcc", ["--version"]).status === 0;

/** A wheel of these files, packed by Python, as real ones are. */
function makeWheel(name: string, files: { [path: string]: string | { from: string } }): string {
  const path = join(folder, name);
  const script = `import json,sys,zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
    for name, content in json.loads(sys.argv[2]).items():
        z.write(content["from"], name) if isinstance(content, dict) else z.writestr(name, content)`;
  expect(python(script, path, JSON.stringify(files)).status).toBe(0);
  return path;
}

function compile(output: string, source: string, ...options: string[]): string {
  const path = join(folder, output);
  writeFileSync(`${path}.c`, source);
  expect(spawnSync("gcc", ["-shared", "-fPIC", "-o", path, `${path}.c`, ...options]).status).toBe(0);
  return path;
}

const metadata = (name: string, ...requires: string[]) =>
  `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n${requires.map((each) => `Requires-Dist: ${each}\n`).join("")}\nA text that says Requires-Dist: nvidia-nothing\n`;

test("a wheel's requirements, compiled-in versions and objects are read", needs({ python3: hasPython, gcc: hasCompiler }), () => {
  compile("libcudart.so.12", "int cudaRuntimeGetVersion(int *v) { *v = 12040; return 0; }", "-Wl,-soname,libcudart.so.12");
  const main = compile(
    "_C.so",
    'extern int cudaRuntimeGetVersion(int *); const char *name = "libcudnn.so.9"; const char *other = "libpng.so.16"; int f(void) { int v; return cudaRuntimeGetVersion(&v); }',
    "-L",
    folder,
    "-l:libcudart.so.12",
    "-Wl,-rpath,$ORIGIN/../nvidia/cuda_runtime/lib:$ORIGIN/../nvidia/cuda_runtime/lib:$ORIGIN",
  );
  const path = makeWheel("torch-1.0-py3-none-any.whl", {
    "torch/version.py": "__version__ = '1.0+cu124'\ncuda: Optional[str] = '12.4'\nhip = None\n",
    "torch/_C.so": { from: main },
    "torch/lib/libcudart-0a1b2c3d.so.12": { from: join(folder, "libcudart.so.12") },
    "torch/readme.so.txt": "no object",
    "torch-1.0.dist-info/METADATA": metadata(
      "Torch",
      'nvidia-cudnn-cu12 (==9.1.0.70) ; platform_system == "Linux" and platform_machine == "x86_64"',
      'nvidia_cublas.cu12==12.4.5.8; platform_system == "Linux"',
      'cuda-toolkit[nvrtc,cudart]==12.4.1 ; extra == "all"',
      'nvidia-only-windows==1; sys_platform == "win32"',
      "numpy>=1",
    ),
  });
  const { status, stdout, stderr } = harvest(path);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const wheel = JSON.parse(stdout) as Wheel;
  expect(wheel).toMatchObject({
    wheel: "torch-1.0-py3-none-any.whl",
    package: "torch",
    version: "1.0",
    requires: { "nvidia-cublas-cu12": "==12.4.5.8", "nvidia-cudnn-cu12": "==9.1.0.70" },
    extras: { all: { "cuda-toolkit[cudart,nvrtc]": "==12.4.1" } },
    compiled: { cuda: "12.4", version: "1.0+cu124" },
  });
  expect(Object.keys(wheel.requires)).toHaveLength(2);
  expect(wheel.objects["torch/_C.so"]).toMatchObject({ needs: ["libcudart.so.12"], opens: ["libcudnn.so.9"] });
  expect(Object.values(wheel.objects["torch/_C.so"]!)).toContain("$ORIGIN/../nvidia/cuda_runtime/lib:$ORIGIN");
  expect(wheel.objects["torch/lib/libcudart-0a1b2c3d.so.12"]).toMatchObject({ library: "cudart", version: "12.4" });
  expect(readdirSync(temporary)).toEqual([]);
});

test("a single object is read, too", needs({ gcc: hasCompiler }), () => {
  const path = compile("libnccl.so.2", "int ncclGetVersion(int *v) { *v = 21805; return 0; }", "-Wl,-soname,libnccl.so.2");
  const { status, stdout } = harvest(path);
  expect(status).toBe(0);
  expect(JSON.parse(stdout) as WheelObject).toMatchObject({ soname: "libnccl.so.2", library: "nccl", version: "2.18.5" });
});

test("what cannot be had or read ends with one sentence and 2", needs({ python3: hasPython }), () => {
  const cut = join(folder, "cut-1.0-py3-none-any.whl");
  writeFileSync(cut, "PK\u0003\u0004 and then nothing");
  const empty = makeWheel("empty-1.0-py3-none-any.whl", { "empty/x.txt": "x" });
  for (const [args, words] of [
    [[], /^harvest: usage: /],
    [["a", "b"], /^harvest: usage: /],
    [["./missing.whl"], /^harvest: there is no file \.\/missing\.whl$/],
    [[cut], /^harvest: .*not a zip archive, or was cut off$/],
    [[empty], /^harvest: empty-1\.0-py3-none-any\.whl has no METADATA: it is not a wheel$/],
    [["package.json/x.so"], /^harvest: there is no file/],
    [["no-such-package==1.0", "--python", "3.12"], /^harvest: pip finds no wheel for no-such-package==1\.0: /],
  ] as const) {
    const { status, stdout, stderr } = harvest(...args);
    expect({ status, stdout }, args.join(" ")).toEqual({ status: 2, stdout: "" });
    expect(stderr.trimEnd(), args.join(" ")).toMatch(words);
    expect(stderr.trimEnd()).not.toContain("\n");
  }
  expect(readdirSync(temporary)).toEqual([]);
});

test("a package is fetched with pip", needs({ python3: hasPython }), () => {
  makeWheel("nvidia_thing_cu12-1.0-py3-none-manylinux2014_x86_64.whl", {
    "nvidia_thing_cu12-1.0.dist-info/METADATA": metadata("nvidia-thing-cu12"),
    "nvidia_thing_cu12-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\n",
  });
  const { status, stdout, stderr } = harvest("nvidia-thing-cu12==1.0");
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ package: "nvidia-thing-cu12", version: "1.0", requires: {}, objects: {} });
  expect(readdirSync(temporary)).toEqual([]);
});
