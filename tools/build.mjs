// Bundles src/ into dist/, writes the library's types, and with --binary makes one executable that needs no Node.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { knowledgeApart } from "./knowledge-apart.mjs";

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
  // Files apart are required: code that was kept cannot import.
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
rmSync("dist/types", { recursive: true, force: true });
for (const stale of existsSync("dist") ? readdirSync("dist").filter((name) => /^[\w-]+-[A-Z0-9]{8}\.mjs$|\.code$/.test(name)) : [])
  rmSync(`dist/${stale}`);
mkdirSync("dist", { recursive: true });
writeFileSync("dist/package.json", `{ "type": "commonjs" }\n`);
await Promise.all([
  build({
    ...common,
    format: "cjs",
    entryPoints: ["src/cli/main.ts"],
    outfile: "dist/main.js",
    plugins: [...Object.entries(parts).map(apart), knowledgeApart("dist")],
  }),
  ...Object.entries(parts).map(([name, entry]) =>
    build({
      ...common,
      format: "cjs",
      entryPoints: [entry],
      outfile: `dist/${name}.js`,
      // What a notebook printed is explained by the part that reads error texts.
      plugins: [...(name === "declaration" ? [apart(["log", parts.log])] : []), knowledgeApart("dist")],
    }),
  ),
  build({
    ...common,
    format: "esm",
    supported: {},
    splitting: true,
    entryPoints: { index: "src/index.ts", targets: "src/target/index.ts" },
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
  }),
]);
copyFileSync("tools/start.cjs", "dist/cli.js");
chmodSync("dist/cli.js", 0o755);
// Node compiles a function when it is first called; what a typical run compiled is kept for the next ones (see tools/start.cjs).
const keepCode = (part, ...run) =>
  execFileSync(process.execPath, ["dist/cli.js", ...run], { stdio: "ignore", env: { ...process.env, CULPRIT_KEEP_CODE: part } });
keepCode("main", "loads", process.execPath, "--json");
// A root folder that has a whole stack is not at hand; a snapshot of one asks the same of this part.
keepCode("stack", "list", "--target", "cases/h200-healthy/snapshot.json.gz");
keepCode("log", "explain", "README.md");
keepCode("judgement", "check", "--target", "cases/h200-healthy/snapshot.json.gz", "--fail-on", "never");
if (process.argv.includes("--types")) execFileSync("node_modules/.bin/tsc", ["-p", "tsconfig.types.json"], { stdio: "inherit" });

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
  const bundle = "dist/culprit.bundle.cjs";
  await build({ ...common, format: "cjs", entryPoints: ["src/cli/main.ts"], outfile: bundle });
  execFileSync(compiler, ["build", "--compile", "--minify", "--bytecode", bundle, "--outfile", "dist/culprit"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(bundle);
  console.error("dist/culprit is ready; it needs glibc 2.17 or newer and no Node");
}
