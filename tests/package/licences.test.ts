import fs from "node:fs";
import { build } from "esbuild";
import { expect, test } from "vitest";
// @ts-expect-error A tool, without types.
import { bundledPackages, licences } from "../../tools/licences.mjs";

const shipped = fs.readFileSync("dist/THIRD-PARTY-LICENSES.txt", "utf8");

test("every npm package whose code is in the bundles is there with its version and its licence", async () => {
  // All of it in one bundle, and nothing left out: what is not in here is in none.
  const { metafile } = await build({
    entryPoints: [
      "packages/cli/src/main.ts",
      "packages/core/src/index.ts",
      "packages/machine/src/target/index.ts",
      "packages/page/src/for-node/*.ts",
    ],
    bundle: true,
    platform: "node",
    format: "esm",
    outdir: "unwritten",
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const packages = new Set(Object.keys(metafile.inputs).flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
  expect(packages.size).toBeGreaterThan(3);
  const names = [...shipped.matchAll(/^-{80}\n\n(\S+) (\S+) \((.+)\)\n\n/gm)].map(([, name, version]) => `${name} ${version}`);
  const expected = [...packages].map((name) => {
    const { version } = JSON.parse(fs.readFileSync(`node_modules/${name}/package.json`, "utf8")) as { version: string };
    return `${name} ${version}`;
  });
  expect(names).toEqual(expected.sort());
  // The words that each licence asks to be kept.
  for (const name of packages) {
    const file = fs.readdirSync(`node_modules/${name}`).find((each) => /^licen[cs]e/i.test(each))!;
    const copyright = /^.*copyright \(c\).*$/im.exec(fs.readFileSync(`node_modules/${name}/${file}`, "utf8"))![0].trim();
    expect(shipped).toContain(copyright);
  }
});

test("what is bundled in a folder of its own counts, what is left out does not, and no licence is no build", () => {
  const used = { bytesInOutput: 5 };
  const inputs = { "src/a.ts": {}, "node_modules/@a/b/c.js": {}, "node_modules/d/node_modules/e/f.js": {}, "node_modules/unused/g.js": {} };
  const outputs = {
    out: {
      inputs: {
        "src/a.ts": used,
        "node_modules/@a/b/c.js": used,
        "node_modules/d/node_modules/e/f.js": used,
        "node_modules/unused/g.js": { bytesInOutput: 0 },
      },
    },
  };
  expect((bundledPackages as (given: unknown[]) => string[])([{ inputs, outputs }])).toEqual([
    "node_modules/@a/b",
    "node_modules/d/node_modules/e",
  ]);
  expect(() => (licences as (folders: string[]) => string)(["tests/package/without-licence"])).toThrow(/brings no text of its licence/);
});
