// How many functions of each source file are too long or have too many branches: tests/ratchet.json says how many may be, and
// tests/ratchet.test.ts that none has more, or fewer. `npm run ratchet` writes down what got better; nothing makes the numbers larger.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Where the sources lie that people write. */
const sources = ["packages/core/src", "packages/machine/src", "packages/cli/src", "packages/fleet/src", "packages/page/src"];
const book = join(root, "tests/ratchet.json");

/** What is counted: oxlint measures it (tests/ratchet.oxlintrc.json has the bounds). */
const kinds = {
  long: { code: "eslint(max-lines-per-function)", words: "longer than 60 lines", size: /\((\d+)\)/ },
  complex: { code: "eslint(complexity)", words: "of a complexity above 20", size: /complexity of (\d+)/ },
};

/** @typedef {{ [file: string]: { long?: number, complex?: number } }} Counts */
/** @typedef {{ [file: string]: { long?: string[], complex?: string[] } }} Found by file, which functions */

/** @returns {Found} */
export function measure() {
  const oxlint = join(dirname(createRequire(import.meta.url).resolve("oxlint/package.json")), "bin/oxlint");
  const given = [oxlint, "-c", "tests/ratchet.oxlintrc.json", "--format", "json", ...sources];
  const { stdout, stderr } = spawnSync(process.execPath, given, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  const { diagnostics, number_of_files: files } = JSON.parse(stdout || `{ "diagnostics": [] }`);
  if (!files) throw new Error(`oxlint looked at no file: ${stderr.slice(0, 500)}`);
  /** @type {Found} */
  const found = {};
  for (const { code, filename, labels, message } of diagnostics) {
    const kind = Object.keys(kinds).find((each) => kinds[each].code === code);
    if (kind === undefined) throw new Error(`oxlint says something else: ${filename}: ${message}`);
    const name = /`([^`]+)`/.exec(message)?.[1] ?? "a function without a name";
    ((found[filename] ??= {})[kind] ??= []).push(`${name} (${kinds[kind].size.exec(message)?.[1]}, line ${labels[0].span.line})`);
  }
  return found;
}

/**
 * One sentence for each file that has more than it may, or fewer.
 * @param {Counts} allowed @param {Found} found @returns {string[]}
 */
export function judge(allowed, found) {
  return Object.entries(kinds).flatMap(([kind, { words }]) =>
    [...new Set([...Object.keys(allowed), ...Object.keys(found)])].sort().flatMap((file) => {
      const functions = found[file]?.[kind] ?? [];
      const most = allowed[file]?.[kind] ?? 0;
      if (functions.length === most) return [];
      const counted = `${file}: functions ${words}: ${functions.length}, allowed ${most}`;
      return functions.length < most
        ? [`${counted}; it got better: run \`npm run ratchet\` to keep it so`]
        : [`${counted}; split one of ${functions.join(", ")}`];
    }),
  );
}

/**
 * The numbers after what got better; none is larger than before.
 * @param {Counts} allowed @param {Found} found @returns {Counts}
 */
export function lowered(allowed, found) {
  return Object.fromEntries(
    Object.entries(allowed).flatMap(([file, counts]) => {
      const left = Object.entries(counts).flatMap(([kind, most]) => {
        const count = Math.min(most, found[file]?.[kind]?.length ?? 0);
        return count === 0 ? [] : [[kind, count]];
      });
      return left.length === 0 ? [] : [[file, Object.fromEntries(left)]];
    }),
  );
}

/** @returns {Counts} */
export const readAllowed = () => JSON.parse(readFileSync(book, "utf8"));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = measure();
  const allowed = lowered(readAllowed(), found);
  const counted = (counts) => Object.entries(counts).map(([kind, count]) => `"${kind}": ${count}`);
  const lines = Object.entries(allowed).map(([file, counts]) => `  ${JSON.stringify(file)}: { ${counted(counts).join(", ")} }`);
  writeFileSync(book, `{\n${lines.join(",\n")}\n}\n`);
  const sum = (kind) => Object.values(allowed).reduce((total, counts) => total + (counts[kind] ?? 0), 0);
  console.log(`${sum("long")} functions are ${kinds.long.words}, ${sum("complex")} are ${kinds.complex.words}`);
  const worse = judge(allowed, found);
  for (const line of worse) console.error(line);
  process.exitCode = worse.length === 0 ? 0 : 1;
}
