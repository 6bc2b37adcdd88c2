import fs from "node:fs";
import { checkDependencyFile, type DependencyFileRequest, type DependencyFileCheck } from "@culprit/core";
import { besideReader, leadsOut, readText } from "@culprit/machine/target/beside";
import { text, UsageError, type Input } from "./usage.ts";
import { givenMachine } from "./where.ts";
import { isDependencyFile, kindOfBytes } from "./file-kind.ts";
import { kindOf } from "@culprit/machine/target/kinds";

/** What a file says will be installed, or what Colab had on a day, and what is wrong with it; undefined where the target is something else. */
export async function examineDeclared(input: Input, word: string | undefined): Promise<DependencyFileCheck | undefined> {
  const request = await declarationOf(input, word);
  if (!request) return undefined;
  const answer = await checkDependencyFile(request);
  if ("problem" in answer) throw new UsageError(answer.problem);
  return answer;
}

/** The file, or the day of Colab, that a word or the options name. */
export async function declarationOf(input: Input, word: string | undefined): Promise<DependencyFileRequest | undefined> {
  const given = word ?? text(input, "target");
  const day = given?.startsWith("colab:") ? given.slice(6) : undefined;
  const python = text(input, "python-version");
  if (day !== undefined && text(input, "colab") !== undefined) throw new UsageError(`give one day of Colab: \`${given}\` or \`--colab\``);
  const colab = day ?? text(input, "colab");
  const isColabAlone = day !== undefined || (given === undefined && colab !== undefined && text(input, "root") === undefined);
  const file = given ?? `colab:${colab}`;
  const content = isColabAlone || given === undefined ? undefined : await contentOf(given);
  if (!isColabAlone && content === undefined) {
    if (colab !== undefined || python !== undefined)
      throw new UsageError(
        `\`--${colab === undefined ? "python-version" : "colab"}\` needs a dependency file: a notebook or a requirements.txt`,
      );
    return undefined;
  }
  if (word !== undefined && (text(input, "target") ?? text(input, "root")) !== undefined)
    throw new UsageError("give one target only: a word, `--target` or `--root`");
  const unmeant = ["root", "env", "unset", "cwd", "cpu", "ldconfig", "with", "replace", "without", "for", "do", "python"].find(
    (name) => input.options[name] !== undefined,
  );
  if (unmeant !== undefined) throw new UsageError(`\`--${unmeant}\` says nothing about a dependency file, nor about Colab`);
  if (python !== undefined && !/^3\.\d+$/.test(python)) throw new UsageError(`\`--python-version ${python}\` is not a Python such as 3.12`);
  return {
    file,
    ...(content === undefined ? {} : { text: content }),
    read: besideReader(file),
    ...(await givenMachine(input)),
    ...(colab === undefined ? {} : { colab }),
    ...(python === undefined ? {} : { python }),
  };
}

// A folder, a process or a snapshot is none; a file that cannot be read is for whoever opens targets to say.
async function contentOf(file: string): Promise<string | undefined> {
  const kind = kindOf(file)?.kind;
  if (kind?.prefix !== undefined || kind?.kind === "machine") return undefined;
  try {
    if (!fs.statSync(file).isFile()) return undefined;
    const head = Buffer.alloc(4096);
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const length = fs.readSync(descriptor, head);
    fs.closeSync(descriptor);
    if (kindOfBytes(head.subarray(0, length)) !== "text") return undefined;
  } catch {
    return undefined;
  }
  const content = await readText(file);
  if ("problem" in content) throw new UsageError(`\`${file}\` ${content.problem}`);
  // A JSON file that is none of ours may still be a snapshot, damaged or of another version.
  if (file.endsWith(".json") && !(await isDependencyFile(file, content.text))) return undefined;
  // Whoever wrote a project must not make us report what else lies on the machine.
  if (leadsOut(file)) throw new UsageError(`\`${file}\` is a link that leads out of its project: name the file itself`);
  return content.text;
}
