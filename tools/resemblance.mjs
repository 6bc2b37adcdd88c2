// Learns from texts which causes a text resembles, for those in which `explain` knows no message (packages/core/src/log/resemblance).
// The texts are written for this: none is anybody's, and none states a fact.
//   node tools/resemblance.mjs           writes what was learnt
//   node tools/resemblance.mjs --check   learns again, and compares
//   node tools/resemblance.mjs --score   learns from four fifths, and asks about the last, five times
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { learn } from "./resemblance/learn.mjs";
import { written } from "./resemblance/write.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const target = "packages/core/src/log/resemblance/weights.generated.ts";

const folder = mkdtempSync(join(tmpdir(), "resemblance-"));
const outfile = join(folder, "read.mjs");
const parts = {
  "log/resemblance/features": "featuresOf",
  "log/resemblance/rank": "rank",
  "model/cause": "causes",
};
await build({
  stdin: {
    contents: Object.entries(parts)
      .map(([part, name]) => `export { ${name} } from "./packages/core/src/${part}.ts";`)
      .join("\n"),
    resolveDir: ".",
  },
  bundle: true,
  format: "esm",
  platform: "node",
  outfile,
  logLevel: "error",
});
const { featuresOf, rank, causes: all } = await import(pathToFileURL(outfile).href);
rmSync(folder, { recursive: true });

// What is harmless is not told apart from what is no matter of releases.
const causes = all.filter((cause) => cause !== "benign-warning");

function textsOf(file) {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line, at) => {
      const { cause, accept, text } = JSON.parse(line);
      if (!causes.includes(cause)) throw new Error(`${file}:${at + 1}: no cause: ${cause}`);
      return { cause, accept, features: featuresOf(text.split("\n")) };
    });
}

const from = "tools/resemblance/texts";
const texts = readdirSync(from)
  .sort()
  .flatMap((file) => textsOf(join(from, file)));

if (process.argv.includes("--score")) score();
else {
  const now = written(learn(texts, causes));
  const before = readFileSync(target, "utf8");
  console.log(`${texts.length} texts`);
  if (!process.argv.includes("--check")) writeFileSync(target, now);
  else if (before !== now) {
    console.error(`${target} is not what these texts teach: run \`node tools/resemblance.mjs\``);
    process.exitCode = 1;
  }
}

function score() {
  const folds = 5;
  let [first, three] = [0, 0];
  const bins = new Map();
  for (let fold = 0; fold < folds; fold += 1) {
    const learned = learn(
      texts.filter((_, at) => at % folds !== fold),
      causes,
    );
    texts.forEach(({ cause, accept, features }, at) => {
      if (at % folds !== fold) return;
      const fits = (each) => each.cause === cause || accept.includes(each.cause);
      const ranked = rank(learned, features);
      const right = fits(ranked[0]);
      first += right;
      three += ranked.slice(0, 3).some(fits);
      const bin = Math.min(9, Math.floor(ranked[0].share * 10));
      const [count, hits] = bins.get(bin) ?? [0, 0];
      bins.set(bin, [count + 1, hits + right]);
    });
  }
  const percent = (part, whole) => `${Math.round((100 * part) / whole)} %`;
  console.log(
    `${texts.length} texts, each asked about by what was learnt without it: ${percent(first, texts.length)} first right, ${percent(three, texts.length)} among three`,
  );
  for (const [bin, [count, hits]] of [...bins].sort(([a], [b]) => a - b))
    console.log(`  share from 0.${bin}: ${count} texts, ${percent(hits, count)} right`);
}
