// Bundles src/ into dist/ (or the folder after --out), writes the library's types, and with --binary makes one executable that needs no Node.
// The same sources give the same bytes, wherever they lie.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { knowledgeApart } from "./knowledge-apart.mjs";
import { bundledPackages, licences } from "./licences.mjs";

const out = process.argv.includes("--out") ? resolve(process.argv[process.argv.indexOf("--out") + 1]) : "dist";
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
// A package that was installed from a registry brings dist/ and no sources.
if (process.argv.includes("--if-sources") && !existsSync("src/cli/main.ts")) process.exit(0);

const { build } = await import("esbuild");
const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  logLevel: "warning",
  legalComments: "none",
  minify: true,
  metafile: true,
  // The names of the library's parts come from where their sources are seen, which must not tell where node_modules really lies.
  preserveSymlinks: true,
  // Files apart are required, like the rest.
  supported: { "dynamic-import": false },
};

// The command is one CommonJS file: Node reads and links the parts of an ES module one by one, which costs more than the rest of the start.
// What is large and not always needed stays in files of its own: what checks a snapshot, what knows frameworks, what reads error texts, and what reads images.
const apart = ([name, entry]) => ({
  name: `${name}-apart`,
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`/${name}\\.ts$`) }, ({ kind, path, resolveDir }) =>
      kind === "entry-point" || resolve(resolveDir, path) !== resolve(entry) ? undefined : { path: `./${name}.js`, external: true },
    ),
});
const parts = {
  validate: "src/snapshot/validate.ts",
  stack: "src/stack.ts",
  judgement: "src/judgement.ts",
  difference: "src/difference.ts",
  reports: "src/reports.ts",
  log: "src/log.ts",
  traces: "src/traces.ts",
  solving: "src/solving.ts",
  image: "src/target/image.ts",
  keep: "src/collect/keep.ts",
  declaration: "src/declaration.ts",
};
// Whatever an earlier build left is gone, but for the stand-alone executable, which takes longer to make.
for (const stale of existsSync(out) ? readdirSync(out).filter((name) => name !== "culprit") : [])
  rmSync(`${out}/${stale}`, { recursive: true });
mkdirSync(out, { recursive: true });
writeFileSync(`${out}/package.json`, `{ "type": "commonjs" }\n`);
const built = await Promise.all([
  build({
    ...common,
    format: "cjs",
    entryPoints: ["src/cli/main.ts"],
    outfile: `${out}/main.js`,
    plugins: [...Object.entries(parts).map(apart), knowledgeApart(out)],
  }),
  ...Object.entries(parts).map(([name, entry]) =>
    build({
      ...common,
      format: "cjs",
      entryPoints: [entry],
      outfile: `${out}/${name}.js`,
      // What a notebook printed is explained by the part that reads error texts.
      plugins: [...(name === "declaration" ? [apart(["log", parts.log])] : []), knowledgeApart(out)],
    }),
  ),
  build({
    ...common,
    format: "esm",
    supported: {},
    splitting: true,
    entryPoints: { index: "src/index.ts", targets: "src/target/index.ts" },
    outdir: out,
    outExtension: { ".js": ".mjs" },
  }),
]);
writeFileSync(`${out}/THIRD-PARTY-LICENSES.txt`, licences(bundledPackages(built.map(({ metafile }) => metafile))));
copyFileSync("tools/start.cjs", `${out}/cli.js`);
chmodSync(`${out}/cli.js`, 0o755);
if (process.argv.includes("--types"))
  execFileSync("node_modules/.bin/tsc", ["-p", "tsconfig.types.json", "--outDir", `${out}/types`], { stdio: "inherit" });

if (process.argv.includes("--binary")) {
  // bun's own launcher wants an install script; the executable inside its platform package does not.
  const platform = { x64: "bun-linux-x64", arm64: "bun-linux-aarch64" }[process.arch];
  const compiler = `tools/binary/node_modules/@oven/${platform}/bin/bun`;
  if (!existsSync(compiler)) {
    const install = ["ci", "--prefix", "tools/binary", "--ignore-scripts", "--no-audit", "--no-fund"];
    execFileSync("npm", install, { stdio: ["ignore", "ignore", "inherit"] });
  }
  if (!existsSync(compiler)) {
    console.error(`the stand-alone executable needs the npm package @oven/${platform}, which could not be installed`);
    process.exit(2);
  }
  const bundle = `${out}/culprit.bundle.cjs`;
  await build({ ...common, format: "cjs", entryPoints: ["src/cli/main.ts"], outfile: bundle });
  execFileSync(compiler, ["build", "--compile", "--minify", "--bytecode", bundle, "--outfile", `${out}/culprit`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(bundle);
  console.error(`${out}/culprit is ready; it needs glibc 2.17 or newer and no Node`);
}
