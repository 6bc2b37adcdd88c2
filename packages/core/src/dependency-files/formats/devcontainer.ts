// https://containers.dev/implementors/json_reference/
import { filesUnder } from "../project-command.ts";
import type { Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { readShell } from "../commands.ts";
import type { Conditions } from "../conditions.ts";
import { fields, finderOf, list, word } from "../finding-lines.ts";
import { readJson } from "../json.ts";
import { placeAt } from "../lines.ts";
import { defineFormat } from "../format.ts";

export default defineFormat({
  id: "devcontainer",
  words: "devcontainer.json",
  place: 15,
  signs: [{ by: "part of the name", after: ["dockerfile"], is: ({ name }) => /devcontainer.*\.json$/.test(name) }],
  read: readDevcontainer,
  example: { file: ".devcontainer/devcontainer.json", text: '{"image": "python:3.11", "postCreateCommand": "pip install torch==2.4.1"}\n' },
});

function readDevcontainer(text: string, file: string, conditions: Conditions): Declaration {
  const root = fields(readJson(withoutComments(text)));
  if (!root) throw new Error("it is JSON, but not a devcontainer");
  const finder = finderOf(text, file);
  const declaration: Declaration = { format: "devcontainer", file, steps: [], unknown: [] };
  const steps: DeclaredStep[] = declaration.steps;
  const image = word(root["image"]);
  if (image !== undefined) {
    finder.seek(/"image"\s*:/);
    steps.push({ kind: "image", name: image, place: finder.find(image) });
  }
  const build = fields(root["build"]);
  const dockerfile = word(build?.["dockerfile"]) ?? word(root["dockerFile"]);
  if (dockerfile !== undefined) {
    finder.seek(/"docker[Ff]ile"\s*:/);
    const place = finder.find(dockerfile);
    steps.push({ kind: "file", include: { path: dockerfile, candidates: [dockerfile], role: "dockerfile", place }, place });
  }
  for (const [name, given] of Object.entries(fields(root["features"]) ?? {})) {
    const version = word(fields(given)?.["version"]);
    if (/\/features\/python(:|$)/.test(name) && version !== undefined && /^3\.\d+/.test(version))
      steps.push({ kind: "python", specifier: `==${version}`, place: finder.find(version) });
    // The feature brings CUDA's libraries from NVIDIA's repository.
    if (/nvidia-cuda/.test(name)) steps.push({ kind: "unseen", what: name, place: finder.find(name) });
  }
  for (const scope of ["containerEnv", "remoteEnv"])
    for (const [name, each] of Object.entries(fields(root[scope]) ?? {})) {
      // What is put in from outside is not known; of a path the rest is.
      const value = word(each);
      const isKnown = value !== undefined && (name.endsWith("PATH") || !value.includes("${"));
      steps.push({ kind: "variable", name, ...(isKnown ? { value } : {}), isLate: false, place: finder.find(name) });
    }
  const options = list(root["runArgs"]).flatMap((each) => word(each) ?? []);
  for (const { name, value } of environmentIn(options)) {
    finder.seek(/"runArgs"\s*:/);
    steps.push({ kind: "variable", name, value, isLate: false, place: finder.find(`${name}=`) });
  }
  for (const when of ["onCreateCommand", "updateContentCommand", "postCreateCommand"]) {
    const command = root[when];
    finder.seek(new RegExp(`"${when}"\\s*:`));
    const place = finder.find(when);
    const texts = Array.isArray(command)
      ? [
          list(command)
            .flatMap((each) => (word(each) === undefined ? [] : `'${word(each)}'`))
            .join(" "),
        ]
      : fields(command)
        ? Object.values(fields(command)!).flatMap((each) => word(each) ?? [])
        : [word(command) ?? ""];
    for (const script of texts)
      steps.push(
        ...readShell(script, {
          variables: new Map(),
          place: () => placeAt(file, place.line),
          // Commands run where the repository begins; the file lies in its folder .devcontainer.
          candidates: (path) => [`../${path}`, path],
          project: (at, names) => filesUnder("..", at, names),
          isOwnShell: true,
          conditions,
          tell: (at, reason) => declaration.unknown.push({ subject: `${file}:${at.line}`, reason }),
        }),
      );
  }
  return declaration;
}

/** `-e NAME=value` and its like among the options of `docker run`. */
export function environmentIn(options: string[]): { name: string; value: string }[] {
  return options.flatMap((option, index) => {
    const isBefore = /^(?:-e|--env)$/.test(options[index - 1] ?? "");
    const [, name, value] = /^(?:--env=|-e=?)?([A-Za-z_]\w*)=([^]*)$/.exec(isBefore || /^(?:--env=|-e)/.test(option) ? option : "") ?? [];
    return name === undefined || value!.includes("$") ? [] : [{ name, value: value! }];
  });
}

/** JSON with comments and commas at the end, as VS Code takes it: they become spaces, so that everything else stays where it is. */
function withoutComments(text: string): string {
  const parts: string[] = [];
  let at = 0;
  const skip = (found: number) => {
    const end = found < at + 2 ? text.length : found;
    parts.push(text.slice(at, end).replace(/[^\r\n]/g, " "));
    at = end;
  };
  while (at < text.length) {
    const character = text[at]!;
    if (character === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      parts.push(text.slice(at, end + 1));
      at = end + 1;
    } else if (text.startsWith("//", at)) skip(text.indexOf("\n", at));
    else if (text.startsWith("/*", at)) skip(text.indexOf("*/", at + 2) + 2);
    else {
      parts.push(character);
      at += 1;
    }
  }
  // A comma before a bracket that closes: only outside of texts, which are parts of their own.
  for (let index = 0; index < parts.length; index += 1) {
    if (parts[index] !== ",") continue;
    let next = index + 1;
    while (next < parts.length && /^\s+$/.test(parts[next]!)) next += 1;
    if (parts[next] === "}" || parts[next] === "]") parts[index] = " ";
  }
  return parts.join("");
}
