import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
// @ts-expect-error A tool, without types.
import { knowledgeApart } from "../../tools/knowledge-apart.mjs";

test("the command carries no knowledge, and reads a file of it only when asked", async () => {
  const folder = mkdtempSync(join(tmpdir(), "culprit-apart-"));
  try {
    const contents = `import { cudnnFor } from "./packages/core/src/knowledge/cudnn.ts";
      import { frameworkRelease } from "./packages/core/src/knowledge/frameworks.ts";
      const { readFileSync } = require("node:fs");
      require("node:fs").readFileSync = (path, ...rest) => { console.log(require("node:path").basename(path)); return readFileSync(path, ...rest); };
      console.log("start");
      console.log(cudnnFor("9.1.0").release.number);
      console.log(cudnnFor("9.3.0").release.number);
      if (false) frameworkRelease("jax", "0.7.2");`;
    const outfile = join(folder, "command.cjs");
    await build({
      stdin: { contents, resolveDir: process.cwd(), loader: "ts" },
      bundle: true,
      platform: "node",
      format: "cjs",
      outfile,
      plugins: [knowledgeApart(folder) as never],
      logLevel: "error",
    });
    expect(statSync(outfile).size).toBeLessThan(20_000);
    expect(execFileSync(process.execPath, [outfile], { encoding: "utf8" }).split("\n")).toEqual([
      "start",
      "cudnn.json",
      "90100",
      "90300",
      "",
    ]);
    for (const name of readdirSync(join(folder, "knowledge"))) {
      const kept = JSON.parse(readFileSync(join(folder, "knowledge", name), "utf8")) as unknown;
      const original = existsSync(`knowledge/frameworks/${name}`) ? `knowledge/frameworks/${name}` : `knowledge/${name}`;
      expect(kept).toEqual(JSON.parse(readFileSync(original, "utf8")));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
