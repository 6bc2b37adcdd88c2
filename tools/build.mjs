// Bundles packages/ into packages/cli/dist (or the folder after --out), the fleet's server into packages/fleet/dist (or fleet/ in that folder), writes the library's types, and with --binary makes one executable
// that needs no Node. The same sources give the same bytes, wherever they lie.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writeHostScript } from "./host-script.mjs";
import { knowledgeApart } from "./knowledge-apart.mjs";
import { writeKnowledgeTexts } from "./knowledge-texts.mjs";
import { compileBinary, hostPlatform } from "./binary.mjs";
import { common } from "./bundling.mjs";
import { bundledPackages, licences } from "./licences.mjs";
import { pageFiles, pageFilesApart } from "./page-files.mjs";

/** Whoever installs a package has no workspaces: what our packages import of each other is named by its place. */
function placeTypes(folder, door) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((each) => each.endsWith(".d.ts"))) {
    const text = readFileSync(`${folder}/${name}`, "utf8");
    const placed = text.replace(/"@culprit\/(core|machine)(?:\/([^"]*?))?"/g, (_, room, path = door) => {
      const to = relative(dirname(name), join("packages", room, "src", `${path}.js`));
      return `"${to.startsWith(".") ? to : `./${to}`}"`;
    });
    if (placed !== text) writeFileSync(`${folder}/${name}`, placed);
  }
}

const given = process.argv.includes("--out") ? resolve(process.argv[process.argv.indexOf("--out") + 1]) : undefined;
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const out = given ?? "packages/cli/dist";

writeKnowledgeTexts();
writeHostScript();
if (process.argv.includes("--knowledge")) process.exit(0);
const { build } = await import("esbuild");

// The command is one CommonJS file: Node reads and links the parts of an ES module one by one, which costs more than the rest of the start.
// What a file called parts.ts imports is large and not always needed: each becomes a file beside it.
const partName = (file) => `${basename(dirname(file))}${basename(file) === "part.ts" ? "" : `-${basename(file, ".ts")}`}`;
const partsApart = (parts) => ({
  name: "parts-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ importer, kind, path, resolveDir }) => {
      if (kind !== "dynamic-import" || basename(importer) !== "parts.ts") return undefined;
      const file = relative(".", resolve(resolveDir, path));
      const name = partName(file);
      if ((parts.get(name) ?? file) !== file) throw new Error(`two parts would be called ${name}.js: ${file} and ${parts.get(name)}`);
      parts.set(name, file);
      return { path: `./${name}.js`, external: true };
    }),
});
/** Bundles a file and, round by round, all that it imports when asked for. */
async function buildCommand(entry) {
  const parts = new Map([["main", entry]]);
  const done = new Map();
  while (done.size < parts.size) {
    const round = [...parts].filter(([name]) => !done.has(name));
    const results = await Promise.all(
      round.map(([name, file]) =>
        build({
          ...common,
          format: "cjs",
          entryPoints: [file],
          outfile: `${out}/${name}.js`,
          plugins: [partsApart(parts), knowledgeApart(out), pageFilesApart()],
        }),
      ),
    );
    for (const [index, [name]] of round.entries()) done.set(name, results[index]);
  }
  return [...done.values()];
}
// Whatever an earlier build left is gone, but for the stand-alone executable, which takes longer to make.
for (const stale of existsSync(out) ? readdirSync(out).filter((name) => name !== "culprit") : [])
  rmSync(`${out}/${stale}`, { recursive: true });
mkdirSync(out, { recursive: true });
writeFileSync(`${out}/package.json`, `{ "type": "commonjs" }\n`);
const libraryDoors = {
  index: "packages/core/src/index.ts",
  model: "packages/core/src/model/index.ts",
  report: "packages/core/src/report/index.ts",
  log: "packages/core/src/log/part.ts",
  trace: "packages/core/src/trace/part.ts",
  targets: "packages/machine/src/target/index.ts",
};
const built = [
  ...(await buildCommand("packages/cli/src/main.ts")),
  await build({
    ...common,
    format: "esm",
    supported: {},
    splitting: true,
    entryPoints: libraryDoors,
    outdir: out,
    outExtension: { ".js": ".mjs" },
  }),
];
// The server has packages of its own, which npm installs beside it: the embedded PostgreSQL brings files that no bundle can hold.
const fleetOut = given ? `${given}/fleet` : "packages/fleet/dist";
const { dependencies } = JSON.parse(readFileSync("packages/fleet/package.json", "utf8"));
rmSync(fleetOut, { recursive: true, force: true });
const fleet = await build({
  ...common,
  format: "esm",
  supported: {},
  splitting: true,
  entryPoints: { main: "packages/fleet/src/main.ts", worker: "packages/fleet/src/judge/worker.ts", client: "packages/fleet/src/client.ts" },
  outdir: fleetOut,
  outExtension: { ".js": ".mjs" },
  external: Object.keys(dependencies),
  // js-yaml and others ask for Node's own modules as CommonJS does.
  banner: { js: `import{createRequire as culpritRequire}from"node:module";const require=culpritRequire(import.meta.url);` },
});
mkdirSync(`${fleetOut}/page`, { recursive: true });
for (const [name, text] of Object.entries(await pageFiles(undefined, "fleet"))) writeFileSync(`${fleetOut}/page/${name}`, text);
writeFileSync(`${fleetOut}/THIRD-PARTY-LICENSES.txt`, licences(bundledPackages([fleet.metafile])));
const page = await pageFiles((metafile) => built.push({ metafile }));
mkdirSync(`${out}/page`, { recursive: true });
for (const [name, text] of Object.entries(page)) writeFileSync(`${out}/page/${name}`, text);
writeFileSync(`${out}/THIRD-PARTY-LICENSES.txt`, licences(bundledPackages(built.map(({ metafile }) => metafile))));
cpSync("schema", `${out}/schema`, { recursive: true });
copyFileSync("tools/start.cjs", `${out}/cli.js`);
chmodSync(`${out}/cli.js`, 0o755);
// With several threads the order of a union's members depends on which of them comes first.
if (process.argv.includes("--types")) {
  const types = (project, to) =>
    execFileSync("node_modules/.bin/tsc", ["-p", project, "--singleThreaded", "--outDir", to], { stdio: "inherit" });
  types("tsconfig.types.json", `${out}/types`);
  placeTypes(`${out}/types`, "index");
  // The fleet's client speaks of the nouns alone: of the library's types it takes those.
  const whole = `${fleetOut}/types/whole`;
  types("packages/fleet/tsconfig.types.json", whole);
  for (const room of ["packages/core/src/model", "packages/fleet/src"])
    cpSync(`${whole}/${room}`, `${fleetOut}/types/${room}`, { recursive: true });
  rmSync(whole, { recursive: true });
  placeTypes(`${fleetOut}/types`, "model/index");
}
if (process.argv.includes("--types")) {
  // Manual pages come from the table of commands, which the command itself prints.
  const manual = (...given) =>
    execFileSync(process.execPath, [`${out}/cli.js`, "help", "--man", ...given], {
      encoding: "utf8",
      env: { NODE_DISABLE_COMPILE_CACHE: "1" },
    });
  mkdirSync(`${out}/man`);
  writeFileSync(`${out}/man/culprit.1`, manual());
  for (const [, name] of manual().matchAll(/^\\fBculprit\\-(\S+)\\fP\(1\)$/gm))
    writeFileSync(`${out}/man/culprit-${name.replaceAll("\\", "")}.1`, manual(name.replaceAll("\\", "")));
}
if (!given) {
  // What is published beside the code lies in the root of the repository, for who reads it there.
  for (const name of ["README.md", "LICENSE", "CHANGELOG.md"]) copyFileSync(name, `packages/cli/${name}`);
  copyFileSync("LICENSE", "packages/fleet/LICENSE");
  copyFileSync("docs/fleet.md", "packages/fleet/README.md");
  // At hand in the root of a clone: dist/cli.js.
  if (lstatSync("dist", { throwIfNoEntry: false })?.isSymbolicLink() === false) rmSync("dist", { recursive: true });
  if (!existsSync("dist")) {
    rmSync("dist", { force: true });
    symlinkSync(out, "dist");
  }
}

if (process.argv.includes("--binary")) {
  await compileBinary(`${out}/culprit`, hostPlatform());
  console.error(`${out}/culprit is ready; it needs glibc 2.17 or newer and no Node`);
}
