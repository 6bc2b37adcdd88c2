// The outputs in docs: a block ```console holds commands and what they print, and nothing else. They are re-made from the page itself:
// every block with a file name after its language (```text error.log) is that file, and `NAME=PATH` after `console` is a file of this repository.
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const fence = /^```(\S+)(?: (.+))?\n([\s\S]*?)^```$/gm;

/** Pages that have outputs. */
export const pagesWithOutputs = () =>
  readdirSync("docs", { recursive: true })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .filter((file) => /^```console/m.test(readFileSync(file, "utf8")))
    .sort();

/**
 * The page with every output as it is today.
 * @param {string} source @returns {Promise<string>}
 */
export async function remade(source) {
  const folder = mkdtempSync(join(tmpdir(), "culprit-docs-"));
  try {
    const blocks = [...source.matchAll(fence)];
    for (const [, language, name, text] of blocks) if (language !== "console" && name) writeFileSync(join(folder, name), text);
    const outputs = new Map();
    for (const [whole, language, files = "", text] of blocks) {
      if (language !== "console") continue;
      for (const pair of files.split(" ").filter(Boolean)) {
        const [name, from] = pair.split("=");
        copyFileSync(from, join(folder, name));
      }
      outputs.set(whole, `\`\`\`console${files && ` ${files}`}\n${await printed(text, folder)}\`\`\``);
    }
    return source.replace(fence, (whole) => outputs.get(whole) ?? whole);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * What one command prints beside these files of the repository.
 * @param {string} line @param {{ [name: string]: string }} files
 */
export async function printedBy(line, files) {
  const folder = mkdtempSync(join(tmpdir(), "culprit-docs-"));
  try {
    for (const [name, from] of Object.entries(files)) copyFileSync(from, join(folder, name));
    return await answer(line, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function printed(text, folder) {
  const commands = text.split("\n").filter((line) => line.startsWith("$ "));
  if (commands.length === 0) throw new Error("a console block without a command: begin it with `$ culprit …`");
  let all = "";
  for (const command of commands) all += `${command}\n${await answer(command.slice(2), folder)}`;
  return all;
}

/** Of the built command, as on a machine of which nothing is known: what it prints depends on the page alone. */
async function answer(line, folder) {
  const [name, ...words] = wordsOf(line);
  if (name !== "culprit") throw new Error(`\`${line}\` is not culprit's: only its outputs can be re-made; use a block \`\`\`sh`);
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    NO_COLOR: "1",
    // A notebook's cell has 80 columns: what is no terminal and no notebook has no width at all.
    JPY_PARENT_PID: "1",
  };
  const command = [resolve("packages/cli/bin/culprit.cjs"), ...words];
  const { stdout, stderr, code = 0 } = await run(process.execPath, command, { cwd: folder, env }).catch((error) => error);
  if (code !== 0 && code !== 1) throw new Error(`\`${line}\` ends with ${code}: ${stderr}`);
  return `${stdout}${stderr}`.replaceAll(`${folder}/`, "");
}

/** Words of a line, with quotes; nothing else of a shell is used on a page. */
const wordsOf = (line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
