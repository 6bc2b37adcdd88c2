// Whole scripts for a shell: heredocs, functions, and the environments that they install into.
import type { Alternative, DeclaredStep } from "../model/dependency-file.ts";
import { askedIn, readCommand } from "./commands.ts";
import { tellFetched } from "./fetched-script.ts";
import { readCommands } from "./flow.ts";
import { withoutHeredocs } from "./heredocs.ts";
import { joinedPath, splitLines } from "./lines.ts";
import type { Setting } from "./setting.ts";
import type { Word } from "./shell.ts";
import { followed } from "./whereabouts.ts";

interface Script {
  steps: DeclaredStep[];
  /** Where it installs into several environments: each with what all share. */
  alternatives?: Alternative[];
}

/** `candidates` of the setting are for paths from where the script is started. */
export function readScript(text: string, setting: Setting): Script {
  const all = readCommands(withoutHeredocs(text), setting.variables, askedIn(setting));
  const isLive = liveCommands(text, all, setting);
  const commands = all.filter((_, index) => isLive[index]);
  let folder = "";
  let environment = "";
  const at = followed(setting);
  const candidates = (path: string) => {
    const here = path.startsWith("/") || folder === "" ? [] : setting.candidates(joinedPath(folder, path));
    return [...new Set([...here, ...setting.candidates(path)])];
  };
  const found: { step: DeclaredStep; environment?: string }[] = [];
  for (const words of commands) {
    const [first, second] = words;
    if (first?.text === "cd") folder = second?.isKnown && !second.text.startsWith("/") ? joinedPath(folder, second.text) : "";
    environment = activatedBy(words) ?? environment;
    tellFetched(words, text, setting);
    for (const step of readCommand(words, { ...at(words), candidates })) {
      const isOfPython = step.kind === "install" ? step.manager !== "apt" : step.kind === "uninstall" || step.kind === "python";
      found.push(isOfPython ? { step, environment: namedIn(words) ?? environment } : { step });
    }
  }
  const names = [...new Set(found.flatMap(({ step, environment: own }) => (step.kind === "install" && own !== undefined ? [own] : [])))];
  const steps = found.map(({ step }) => step);
  // What is done before the one environment is begun is for it, too.
  if (names.filter((name) => name !== "").length < 2) return { steps };
  const alternatives = names.map((name) => ({
    name: name === "" ? "the first environment" : `virtual environment ${name}`,
    steps: found.flatMap(({ step, environment: own }) => (own === undefined || own === name ? [step] : [])),
  }));
  return { steps: alternatives[0]!.steps, alternatives };
}

/** The environment that a command makes the present one; undefined for all others. */
function activatedBy(words: Word[]): string | undefined {
  const [first, second, third] = words.map(({ text }) => text);
  if (first === "deactivate" || (second === "deactivate" && /^(?:conda|mamba|micromamba)$/.test(first!))) return "";
  if (first === "source" || first === ".") {
    const folder = /^(.*?)\/bin\/activate$/.exec(second ?? "")?.[1];
    return folder ?? (second?.endsWith("activate") && third !== undefined ? third : undefined);
  }
  return second === "activate" && /^(?:conda|mamba|micromamba)$/.test(first!) ? (third ?? "") : undefined;
}

/** The environment that a command names for itself: `conda install -n NAME`, `venv/bin/pip`. */
function namedIn(words: Word[]): string | undefined {
  const first = words.find(({ text }) => !/^[A-Za-z_]\w*=/.test(text))?.text ?? "";
  if (/^(?:conda|mamba|micromamba)$/.test(first)) {
    const at = words.findIndex(({ text }) => /^(?:-n|-p|--name|--prefix)$/.test(text));
    return at < 0 ? undefined : words[at + 1]?.text;
  }
  const folder = /^(.+)\/bin\/(?:pip|python|uv)[\d.]*$/.exec(first)?.[1];
  return folder === undefined || /^\/usr(?:\/local)?$|conda\d?$/.test(folder) ? undefined : folder;
}

/** For each command whether it is run: what stands in a function is, where the function is called by something that is run; else by others. */
function liveCommands(text: string, commands: Word[][], { conditions, place }: Setting): boolean[] {
  const functions = functionsIn(text);
  if (functions.length === 0) return commands.map(() => true);
  const holders = holdersOf(functions, commands);
  const names = new Set(functions.map(({ name }) => name));
  const called = new Set<string>();
  for (let size = -1; size < called.size;) {
    size = called.size;
    for (const [index, [first]] of commands.entries()) {
      const holder = holders[index];
      if (holder === first!.text || (holder !== undefined && !called.has(holder))) continue;
      if (names.has(first!.text)) called.add(first!.text);
    }
  }
  for (const [index, holder] of holders.entries())
    if (holder !== undefined && !called.has(holder) && conditions.holds(`\`${holder}\` is called`, place(commands[index]![0]!)))
      called.add(holder);
  return holders.map((holder) => holder === undefined || called.has(holder));
}

/** The innermost function that each command stands in; both are in the order of the file. */
function holdersOf(functions: ReturnType<typeof functionsIn>, commands: Word[][]): (string | undefined)[] {
  const around: { name: string; to: number }[] = [];
  let next = 0;
  return commands.map(([first]) => {
    for (; next < functions.length && functions[next]!.from <= first!.line; next += 1) {
      while (0 < around.length && around.at(-1)!.to < functions[next]!.from) around.pop();
      around.push(functions[next]!);
    }
    while (0 < around.length && around.at(-1)!.to < first!.line) around.pop();
    return around.at(-1)?.name;
  });
}

/** Lines of functions, from the one that names it to the bracket below its name. */
function functionsIn(text: string): { name: string; from: number; to: number }[] {
  const lines = splitLines(text);
  const found: { name: string; from: number; to: number }[] = [];
  // Where the next bracket of an indent stands, from the end.
  const ends = new Map<string, number>();
  for (let index = lines.length - 1; 0 <= index; index -= 1) {
    const line = lines[index]!;
    const closing = /^([ \t]*)\}/.exec(line);
    if (closing) ends.set(closing[1]!, index + 1);
    const [, indent, one, other, rest] =
      /^([ \t]*)(?:function[ \t]+([\w:.-]+)[ \t]*(?:\(\))?|([\w:.-]+)[ \t]*\(\))[ \t]*(\{.*)?$/.exec(line) ?? [];
    const name = one ?? other;
    if (name !== undefined)
      found.push({ name, from: index + 1, to: rest?.trimEnd().endsWith("}") ? index + 1 : (ends.get(indent!) ?? lines.length) });
  }
  return found.reverse();
}
