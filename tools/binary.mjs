// One executable that needs no Node, for the machine that builds it or for another: bun is the compiler, and the runtime inside.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import process from "node:process";
import { common } from "./bundling.mjs";

/** What we call a platform, and bun's package of it. The ones for musl need libstdc++ there, as bun itself does (seen to start with musl 1.2.5). */
export const platforms = {
  x64: "bun-linux-x64",
  arm64: "bun-linux-aarch64",
  "x64-musl": "bun-linux-x64-musl",
  "arm64-musl": "bun-linux-aarch64-musl",
};

export const hostPlatform = () => process.arch;

// bun's own launcher wants an install script; the executable inside its platform package does not.
const runtimeOf = (platform) => `tools/binary/node_modules/@oven/${platforms[platform]}/bin/bun`;

function install(platform) {
  const common = ["--prefix", "tools/binary", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { bun } = JSON.parse(readFileSync("tools/binary/package.json", "utf8")).dependencies;
  // npm leaves packages of other platforms out unless it is forced.
  const all = Object.values(platforms).map((name) => `@oven/${name}@${bun}`);
  const words = platform === hostPlatform() ? ["ci", ...common] : ["install", ...common, "--no-save", "--force", ...all];
  execFileSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] });
}

/** Writes the executable for a platform. */
export async function compileBinary(file, platform) {
  for (const needed of [hostPlatform(), platform]) {
    if (!existsSync(runtimeOf(needed))) install(needed);
    if (existsSync(runtimeOf(needed))) continue;
    console.error(`the stand-alone executable needs the npm package @oven/${platforms[needed]}, which could not be installed`);
    process.exit(2);
  }
  const { build } = await import("esbuild");
  const { pageFiles, pageFilesApart } = await import("./page-files.mjs");
  const bundle = `${file}.bundle.cjs`;
  await build({
    ...common,
    format: "cjs",
    entryPoints: ["packages/cli/src/main.ts"],
    outfile: bundle,
    plugins: [pageFilesApart(await pageFiles())],
  });
  // Bytecode is 4 of the 43 MB that `xz -9` leaves (bun itself: 38), and makes the start some five times as fast.
  const words = [
    "build",
    "--compile",
    "--minify",
    "--bytecode",
    `--compile-executable-path=${runtimeOf(platform)}`,
    bundle,
    "--outfile",
    file,
  ];
  execFileSync(runtimeOf(hostPlatform()), words, { stdio: ["ignore", "ignore", "inherit"] });
  rmSync(bundle);
}
