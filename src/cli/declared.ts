import fs from "node:fs";
import { examineDeclaration, recogniseDeclaration, type DeclaredCheck } from "../index.ts";
import { readText } from "../target/index.ts";
import { text, UsageError, type Input } from "./usage.ts";
import { givenMachine } from "./where.ts";

/** What a file says will be installed, and what is wrong with it; undefined where the target is something else. */
export async function examineDeclared(input: Input, word: string | undefined): Promise<DeclaredCheck | undefined> {
  const file = word ?? text(input, "target");
  const colab = text(input, "colab");
  const python = text(input, "python-version");
  const content = file === undefined ? undefined : await contentOf(file);
  if (file === undefined || content === undefined) {
    if (colab !== undefined || python !== undefined)
      throw new UsageError(
        `\`--${colab === undefined ? "python-version" : "colab"}\` needs a file that says what will be installed: a notebook or a requirements.txt`,
      );
    return undefined;
  }
  if (word !== undefined && (text(input, "target") ?? text(input, "root")) !== undefined)
    throw new UsageError("give one target only: a word, `--target` or `--root`");
  const unmeant = ["root", "env", "unset", "cwd", "cpu", "ldconfig", "for", "do", "python"].find(
    (name) => input.options[name] !== undefined,
  );
  if (unmeant !== undefined) throw new UsageError(`\`--${unmeant}\` says nothing about a file of what will be installed`);
  if (python !== undefined && !/^3\.\d+$/.test(python)) throw new UsageError(`\`--python-version ${python}\` is not a Python such as 3.12`);
  const answer = await examineDeclaration({
    file,
    text: content,
    read: readText,
    ...(await givenMachine(input)),
    ...(colab === undefined ? {} : { colab }),
    ...(python === undefined ? {} : { python }),
  });
  if ("problem" in answer) throw new UsageError(answer.problem);
  return answer;
}

// A folder, a process or a snapshot is none; a file that cannot be read is for whoever opens targets to say.
async function contentOf(file: string): Promise<string | undefined> {
  if (/^(pid|image|ssh):/.test(file) || file === "machine") return undefined;
  try {
    if (!fs.statSync(file).isFile()) return undefined;
    const head = Buffer.alloc(4096);
    const descriptor = fs.openSync(file, "r");
    const length = fs.readSync(descriptor, head);
    fs.closeSync(descriptor);
    if ((head[0] === 0x1f && head[1] === 0x8b) || head.subarray(0, length).includes('"culprit/snapshot@')) return undefined;
    if (head.subarray(257, 262).toString("latin1") === "ustar") return undefined;
  } catch {
    return undefined;
  }
  const content = await readText(file);
  if ("problem" in content) throw new UsageError(`\`${file}\` ${content.problem}`);
  // A JSON file that is none of ours may still be a snapshot, damaged or of another version.
  if (file.endsWith(".json") && !(await recogniseDeclaration(file, content.text))) return undefined;
  return content.text;
}
