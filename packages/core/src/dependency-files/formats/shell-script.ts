import { filesUnder } from "../project-command.ts";
import type { Declaration } from "../../model/dependency-file.ts";
import { defineFormat, endsWith } from "../format.ts";
import { placeAt } from "../lines.ts";
import type { Conditions } from "../conditions.ts";
import { readScript } from "../script.ts";

export default defineFormat({
  id: "shell-script",
  words: "a shell script",
  place: 21,
  signs: [
    { by: "ending", is: ({ name }) => endsWith(".sh", ".bash", ".zsh", ".ksh")(name) },
    { by: "text", after: ["dockerfile"], is: ({ name, head }) => !/\.\w+$/.test(name) && /^#!.*\b(?:ba|z|da|k)?sh\b/.test(head) },
  ],
  read: (text, file, conditions) => readShellScript("shell-script", text, file, conditions),
  example: { file: "install.sh", text: "#!/bin/sh\npip install torch==2.4.1\n" },
});

/** A script, started where it lies or in the folder above. */
export function readShellScript(
  format: "shell-script" | "sbatch" | "pbs" | "lsf",
  whole: string,
  file: string,
  conditions: Conditions,
): Declaration {
  const text = whole.replace(/^\ufeff/, "");
  const declaration: Declaration = { format, file, steps: [], unknown: [] };
  const { steps, alternatives } = readScript(text, {
    variables: new Map(),
    place: (word) => placeAt(file, word.line, word.column, word.text.length),
    candidates: (path) => (path.includes("$") || path.startsWith("/") ? [] : [path, `../${path}`]),
    project: (at, names) => [...filesUnder("", at, names), ...filesUnder("..", at, names)],
    // What is exported stays set for what the script starts.
    isOwnShell: false,
    conditions,
    tell: ({ line, column }, reason) =>
      declaration.unknown.push({ subject: `${file}:${line}${column === undefined ? "" : `:${column}`}`, reason }),
  });
  return { ...declaration, steps, ...(alternatives ? { alternatives } : {}) };
}
