// Bundles src/ into dist/ (lazy chunks), writes its types, and with --binary makes one executable that needs no Node.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
// A package that was installed from a registry brings dist/ and no sources.
if (process.argv.includes("--if-sources") && !existsSync("src/cli/main.ts")) process.exit(0);

const { build } = await import("esbuild");
const common = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
  legalComments: "none",
  minifySyntax: true,
  minifyWhitespace: true,
};
for (const stale of ["chunks", "types"]) rmSync(`dist/${stale}`, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: { cli: "src/cli/main.ts", index: "src/index.ts", targets: "src/target/index.ts" },
  outdir: "dist",
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
});
writeFileSync("dist/cli.js", `#!/usr/bin/env node\n${readFileSync("dist/cli.js", "utf8")}`);
chmodSync("dist/cli.js", 0o755);
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
  const bundle = "dist/culprit.bundle.mjs";
  await build({ ...common, entryPoints: ["src/cli/main.ts"], outfile: bundle });
  execFileSync(compiler, ["build", "--compile", "--minify", bundle, "--outfile", "dist/culprit"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(bundle);
  console.error("dist/culprit is ready; it needs glibc 2.17 or newer and no Node");
}
