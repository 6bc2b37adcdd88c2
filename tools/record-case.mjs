// The case book: writes down what culprit says now.
//   npm run record-case [NAME…]                                      all cases, or these
//   npm run record-case NAME -- --from FILE [--question JSON]        a new case, from a snapshot, log, dependency file or trace
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const book = "cases";
// The tests answer with the same functions.
const source = "tests/cases/book.ts";

const { names, from, question } = readArguments(process.argv.slice(2));
const { answerOf, casesIn, indexOf, mismatches, openCase, readmeTemplate, readQuestion } = await bundled(source);

if (from !== undefined) makeCase();
const known = casesIn(book);
for (const name of names)
  if (!known.includes(name)) fail(`there is no case ${name}: \`npm run record-case ${name} -- --from FILE\` makes one`);

const snapshots = new Map();
let changed = 0;
for (const name of names.length === 0 ? known : names) {
  const asked = openCase(book, name);
  const different = mismatches(asked, await answerOf(asked, snapshots));
  for (const { golden, expected, now } of different) {
    fs.writeFileSync(path.join(asked.folder, golden), now);
    console.log(`${expected === undefined ? "new" : "changed"}: ${path.join(asked.folder, golden)}`);
    changed += 1;
  }
}
const index = path.join(book, "README.md");
const listed = indexOf(book);
if (!fs.existsSync(index) || fs.readFileSync(index, "utf8") !== listed) {
  fs.writeFileSync(index, listed);
  console.log(`changed: ${index}`);
}
console.log(changed === 0 ? "every golden is as it was" : `${changed} of ${2 * known.length} goldens written: read the diff`);

function readArguments(words) {
  const given = { names: [], from: undefined, question: undefined };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === "--from" || word === "--question") given[word.slice(2)] = words[(at += 1)] ?? fail(`\`${word}\` needs a value`);
    else if (word.startsWith("-")) fail(`there is no option \`${word}\`: there is --from FILE and --question JSON`);
    else given.names.push(word);
  }
  if (given.from !== undefined && given.names.length !== 1) fail("`--from` makes one case: give its name");
  if (given.question !== undefined && given.from === undefined) fail("`--question` is for a new case: give `--from`, too");
  return given;
}

/** A folder with the input under the name that says what it is, and a README.md to fill in. */
function makeCase() {
  const [name] = names;
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) fail(`\`${name}\` is not a name such as torch-on-old-driver`);
  const folder = path.join(book, name);
  if (fs.existsSync(folder)) fail(`${folder} is there already`);
  try {
    if (question !== undefined) readQuestion(question, name);
  } catch (error) {
    fail(error.message);
  }
  const input = inputOf(from);
  fs.mkdirSync(folder);
  if (input.bytes) fs.writeFileSync(path.join(folder, input.name), input.bytes);
  const asked = { ...(input.bytes ? {} : { input: path.relative(folder, from) }), ...(question === undefined ? {} : JSON.parse(question)) };
  if (0 < Object.keys(asked).length) fs.writeFileSync(path.join(folder, "question.json"), `${JSON.stringify(asked, null, 1)}\n`);
  fs.writeFileSync(path.join(folder, "README.md"), readmeTemplate);
  console.log(`new: ${folder}; tell its story in README.md`);
}

/** The bytes to keep and their name; no bytes where they are those of another case. */
function inputOf(file) {
  if (!fs.existsSync(file)) fail(`there is no file ${file}`);
  const isOfBook = !path.relative(path.resolve(book), path.resolve(file)).startsWith("..");
  if (isOfBook) return {};
  const bytes = fs.readFileSync(file);
  const name = path.basename(file);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isPacked ? gunzipSync(bytes) : bytes;
  if (plain.subarray(0, 4096).includes('"culprit/snapshot@')) return { name: "snapshot.json.gz", bytes: gzipSync(plain, { level: 9 }) };
  if (/\.(log|err|out)$/.test(name)) return { name: "log.txt", bytes: plain };
  return { name, bytes };
}

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "warning",
  });
  // From a file, so that an error of ours has lines that can be read.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-record-case-"));
  try {
    const file = path.join(folder, "book.mjs");
    fs.writeFileSync(file, outputFiles[0].text);
    return await import(pathToFileURL(file).href);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
