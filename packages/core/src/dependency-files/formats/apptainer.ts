// https://apptainer.org/docs/user/latest/definition_files.html
import type { Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import type { Conditions } from "../conditions.ts";
import { defineFormat, endsWith } from "../format.ts";
import { joinedPath, placeAt, splitLines } from "../lines.ts";
import { readScript } from "../script.ts";
import { unasked, readCommands } from "../flow.ts";

export default defineFormat({
  id: "apptainer",
  words: "an Apptainer definition file",
  place: 19,
  signs: [
    {
      by: "part of the name",
      is: ({ name }) =>
        /^(?:singularity|apptainer)(?:file)?(?:\.[\w.-]+)?$/.test(name) &&
        !endsWith(".md", ".rst", ".sif", ".py", ".sh", ".yml", ".yaml", ".json", ".toml", ".conf")(name),
    },
    { by: "text", is: ({ head }) => /^[ \t]*bootstrap[ \t]*:/im.test(head) && /^[ \t]*from[ \t]*:|^%post\b/im.test(head) },
  ],
  read: readDefinition,
  example: { file: "image.def", text: "Bootstrap: docker\nFrom: python:3.11\n%post\n  pip install torch==2.4.1\n" },
});

interface Section {
  name: string;
  /** What stands behind its name. */
  given: string;
  /** The line of its name. */
  line: number;
  lines: string[];
}

interface Stage {
  name: string;
  header: Map<string, { value: string; line: number; column: number }>;
  sections: Section[];
  steps: DeclaredStep[];
}

interface Reading {
  file: string;
  stages: Stage[];
  conditions: Conditions;
  tell: (line: number, column: number, reason: string) => void;
}

/** The last stage is what is built; others only give files to it. */
function readDefinition(whole: string, file: string, conditions: Conditions): Declaration {
  const declaration: Declaration = { format: "apptainer", file, steps: [], unknown: [] };
  const tell = (line: number, column: number, reason: string) =>
    void declaration.unknown.push({ subject: `${file}:${line}:${column}`, reason });
  const stages = stagesOf(whole.replace(/^\ufeff/, ""));
  const reading: Reading = { file, stages, conditions, tell };
  for (const stage of stages) {
    const text = argumentsOf(stage, tell);
    readBase(reading, stage, text);
    for (const section of stage.sections) {
      if (section.name === "environment") readEnvironment(reading, stage, section, text);
      else if (section.name === "files") readFiles(reading, stage, section);
      else if (section.name === "post" || section.name === "appinstall") readPost(reading, stage, section, text);
    }
  }
  return { ...declaration, steps: stages.at(-1)?.steps ?? [] };
}

function readBase({ file, tell }: Reading, { header, steps }: Stage, expand: Expand): void {
  const agent = header.get("bootstrap")?.value.toLowerCase();
  const from = header.get("from");
  if (agent === undefined || !from) return;
  const place = placeAt(file, from.line, from.column, from.value.length);
  const image = expand(from.value, from.line, from.column - 1);
  if (/^(?:docker|docker-daemon|oras|podman)$/.test(agent) && image !== undefined) {
    const registry = header.get("registry")?.value;
    const space = header.get("namespace")?.value;
    steps.push({
      kind: "image",
      name: [registry, space, image.replace(/^\/\//, "")].filter((part) => part !== undefined).join("/"),
      place,
    });
  } else if (image !== undefined) {
    tell(from.line, from.column, `what \`${from.value}\` holds is not known: it is taken by \`${agent}\``);
    steps.push({ kind: "unseen", what: `the image ${from.value}`, place });
  }
}

function readEnvironment({ file }: Reading, { steps }: Stage, section: Section, expand: Expand): void {
  const variables = new Map<string, string>();
  for (const words of readCommands(textOf(section, expand), variables, unasked))
    for (const word of words.slice(/^(?:export|declare)$/.test(words[0]!.text) ? 1 : 0)) {
      const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word.text) ?? [];
      const isKnown = word.isKnown || name?.endsWith("PATH");
      if (name !== undefined)
        steps.push({
          kind: "variable",
          name,
          ...(isKnown ? { value: value! } : {}),
          isLate: false,
          place: placeAt(file, section.line + word.line, word.column, word.text.length),
        });
    }
}

function readFiles({ file, stages }: Reading, { steps }: Stage, { given, line, lines }: Section): void {
  const from = /^from\s+(\S+)/.exec(given)?.[1];
  const source = from === undefined ? undefined : stages.find((each) => each.name === from);
  for (const [index, each] of lines.entries()) {
    const path = each.trim().split(/\s+/)[0]!;
    if (path === "" || path.startsWith("#")) continue;
    if (source && /venv|site-packages|dist-packages|conda|python|^\/opt\/?$|^\/usr\/local\/?$/.test(path))
      steps.push(...source.steps.filter(({ kind }) => kind === "install" || kind === "python"));
    else if (/cuda|cudnn|\.so\b|libnv/i.test(path) || (from !== undefined && /lib|^\/usr|^\/opt/.test(path)))
      steps.push({ kind: "unseen", what: "copied libraries", place: placeAt(file, line + index + 1) });
  }
}

function readPost({ file, conditions, tell }: Reading, stage: Stage, section: Section, expand: Expand): void {
  const copies = stage.sections
    .filter(({ name, given }) => name === "files" && given === "")
    .flatMap(({ lines }) => lines.map((each) => each.trim().split(/\s+/)))
    .map(([source = "", target = source]) => ({ source, target }));
  const script = readScript(textOf(section, expand), {
    variables: new Map(),
    place: (word) => placeAt(file, section.line + word.line, word.column, word.text.length),
    candidates: (path) => {
      const base = path.slice(path.lastIndexOf("/") + 1);
      const copied = copies
        .filter(({ source }) => source.slice(source.lastIndexOf("/") + 1) === base)
        .map(({ source }) => source.replace(/^\.?\/+/, ""));
      const near = [...copied, path.replace(/^\.?\/+/, ""), base];
      return [...new Set([...near, ...near.map((each) => `../${each}`)])];
    },
    project: (folder, names) => projectFiles(folder, names, copies),
    // What %post sets is gone after it, but for what it writes into a file of its own.
    isOwnShell: true,
    conditions,
    tell: (place, reason) => tell(place.line, place.column ?? 1, reason),
  });
  stage.steps.push(...script.steps);
}

/** Where files that lie in a folder of the container come from: the folder that is built is often the one above. */
function projectFiles(folder: string, names: readonly string[], copies: { source: string; target: string }[]): string[] {
  const found = names.flatMap((name) =>
    copies.flatMap(({ source, target }) => {
      const [path, from, to] = [joinedPath(folder, name), joinedPath("", source.replace(/^\/+/, "")), joinedPath("", target)];
      if (path === to || path === `${to}/${from.slice(from.lastIndexOf("/") + 1)}`) return [from];
      return path.startsWith(`${to}/`) ? [joinedPath(from, path.slice(to.length + 1))] : [];
    }),
  );
  return [...new Set(found.flatMap((each) => [each, `../${each}`]))];
}

/** A text with the arguments put in; undefined where one is not known, which is told. */
type Expand = (text: string, line: number, before?: number) => string | undefined;

/** Lines of which nothing is known are empty. */
const textOf = ({ lines, line }: Section, expand: Expand): string =>
  lines.map((each, index) => expand(each, line + index + 1) ?? "").join("\n");

function argumentsOf({ sections }: Stage, tell: (line: number, column: number, reason: string) => void): Expand {
  const values = new Map<string, string>();
  for (const { name, lines } of sections)
    if (name === "arguments")
      for (const each of lines) {
        const [, key, value] = /^\s*([A-Za-z_]\w*)=(.*?)\s*$/.exec(each) ?? [];
        if (key !== undefined) values.set(key, value!.replace(/^(["'])(.*)\1$/, "$2"));
      }
  return (text, line, before = 0) => {
    let isKnown = true;
    const put = text.replace(/\{\{\s*([\w-]+)\s*\}\}/g, (whole, key: string, at: number) => {
      const value = values.get(key);
      if (value === undefined) {
        isKnown = false;
        tell(line, before + at + 1, `which value \`${whole}\` has is not written here`);
      }
      return value ?? whole;
    });
    return isKnown ? put : undefined;
  };
}

/** Every `Bootstrap:` begins a stage. */
function stagesOf(text: string): Stage[] {
  const stages: Stage[] = [];
  let stage: Stage | undefined;
  let section: Section | undefined;
  for (const [index, line] of splitLines(text).entries()) {
    const line1 = index + 1;
    const [, key, value] = /^\s*([A-Za-z]\w*)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    const isHeader = key !== undefined && (!section || key.toLowerCase() === "bootstrap");
    const [, name, given] = /^%(\w+)\s*(.*?)\s*$/.exec(line) ?? [];
    if (isHeader && key.toLowerCase() === "bootstrap") {
      section = undefined;
      stages.push((stage = { name: "", header: new Map(), sections: [], steps: [] }));
    }
    if (!stage) continue;
    if (name !== undefined) stage.sections.push((section = { name: name.toLowerCase(), given: given!, line: line1, lines: [] }));
    else if (isHeader && !line.trimStart().startsWith("#")) {
      stage.header.set(key.toLowerCase(), { value: value!, line: line1, column: line.indexOf(value!, line.indexOf(":") + 1) + 1 });
      if (key.toLowerCase() === "stage") stage.name = value!;
    } else section?.lines.push(line);
  }
  return stages;
}
