// Bundles src/ into dist/ (lazy chunks) and, with --binary, into one executable that needs no Node.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
// A package that was installed from a registry brings dist/ and no sources.
if (process.argv.includes("--if-sources") && !existsSync("src/cli/main.ts")) process.exit(0);

const { build } = await import("esbuild");
const common = { bundle: true, format: "esm", platform: "node", target: "node20", logLevel: "warning", legalComments: "none" };
rmSync("dist", { recursive: true, force: true });
await build({
  ...common,
  entryPoints: { cli: "src/cli/main.ts", index: "src/index.ts", targets: "src/target/index.ts" },
  outdir: "dist",
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: "chunks/[name]-[hash]",
  banner: { js: "" },
});
await build({
  ...common,
  entryPoints: ["src/cli/main.ts"],
  outfile: "dist/culprit.bundle.mjs",
  minifySyntax: true,
  minifyWhitespace: true,
});
const { readFileSync, writeFileSync } = await import("node:fs");
writeFileSync("dist/cli.js", `#!/usr/bin/env node\n${readFileSync("dist/cli.js", "utf8")}`);
chmodSync("dist/cli.js", 0o755);

if (process.argv.includes("--binary")) {
  // bun's own launcher wants an install script; the executable inside its platform package does not.
  const bun = { x64: "bun-linux-x64", arm64: "bun-linux-aarch64" }[process.arch];
  const compiler = `node_modules/@oven/${bun}/bin/bun`;
  if (!existsSync(compiler)) {
    console.error(
      `the stand-alone executable needs the npm package @oven/${bun}, which is not installed: run \`npm ci\` on Linux ${process.arch}`,
    );
    process.exit(2);
  }
  execFileSync(compiler, ["build", "--compile", "--minify", "--bytecode", "dist/culprit.bundle.mjs", "--outfile", "dist/culprit"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  console.error("dist/culprit is ready; it needs glibc 2.17 or newer and no Node");
}
