// Module files in Tcl, as far as they only say what is set: `set`, `setenv`, `prepend-path`, `module load` and plain conditions. What is
// anything else is told as unclear, with its line.
import { joined, versionIn, type ModuleAction, type ModuleContext, type UnclearLine } from "./module-script.ts";

interface Word {
  kind: "braces" | "quotes" | "bare";
  text: string;
  line: number;
}

/** A value that cannot be told. */
class Unclear extends Error {}

const ignored = new Set(
  "module-whatis conflict puts proc set-alias set-function unset-alias module-info module-version module-alias module-virtual family add-property remove-property module-log extensions reportError break return complete uncomplete prereq-any hide-modulefile hide-modules module-tag module-forbid module-hide".split(
    " ",
  ),
);

/** Commands that, wherever they stand, change what a program gets. */
const acting =
  /\b(?:setenv|unsetenv|pushenv|(?:prepend|append|remove)-path|module\s+(?:load|add|unload|rm|swap|switch|use)|depends-on|always-load|load-any)\b/;

const pathCommands: { [command: string]: "prepend" | "append" | "remove" } = {
  "prepend-path": "prepend",
  "append-path": "append",
  "remove-path": "remove",
};

export function readTclModule(text: string, context: ModuleContext): UnclearLine[] {
  const unclear: UnclearLine[] = [];
  const variables = new Map<string, string>([["ModulesCurrentModulefile", ""]]);
  run(text, 1, { context, unclear, variables });
  return unclear;
}

interface Running {
  context: ModuleContext;
  unclear: UnclearLine[];
  variables: Map<string, string>;
}

function run(text: string, line: number, running: Running): void {
  for (const words of commandsIn(text, line)) {
    const [first] = words as [Word];
    try {
      execute(words, running);
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      if (first.text === "set") running.variables.delete(words[1]?.text ?? "");
      else running.unclear.push({ line: first.line, text: sourceOf(words), about: error.message });
    }
  }
}

const sourceOf = (words: Word[]) =>
  words
    .map(({ kind, text }) => (kind === "braces" ? `{${text}}` : kind === "quotes" ? `"${text}"` : text))
    .join(" ")
    .replace(/\s+/g, " ")
    .slice(0, 120);

function execute(words: Word[], running: Running): void {
  const { context, variables } = running;
  const [first, ...rest] = words as [Word, ...Word[]];
  const { text: command, line } = first;
  const value = (word: Word | undefined) => (word ? valueOf(word, running) : refuse(command));
  const { act } = context;
  if (command === "set") {
    if (rest.length === 2) variables.set(rest[0]!.text, value(rest[1]));
  } else if (command === "setenv" || command === "pushenv") {
    const [name, given] = rest.filter(({ text }) => !text.startsWith("--"));
    act({ do: "set", name: value(name), value: value(given), line });
  } else if (command === "unsetenv") act({ do: "unset", name: value(rest[0]), line });
  else if (pathCommands[command] !== undefined) act({ ...pathAction(rest, value), do: pathCommands[command], line });
  else if (command === "module") moduleCommand(rest.map(value), line, act);
  else if (command === "depends-on" || command === "always-load" || command === "depends-on-any")
    act({ do: "load", modules: rest.map(value).filter((name) => !name.startsWith("-")), line });
  else if (command === "prereq" || command === "prereq-all") needed(rest.map(value), running);
  else if (command === "if") condition(words, running);
  else if (!ignored.has(command) && words.some(({ text }) => acting.test(text))) refuse("it is more than a plain setting");
  else if (["source", "eval", "exec", "system", "source-sh"].includes(command)) refuse("it runs or reads something else");
}

function refuse(why: string): never {
  throw new Unclear(why);
}

function pathAction(words: Word[], value: (word: Word | undefined) => string): { name: string; values: string[]; separator: string } {
  let separator = ":";
  const given = [...words];
  while (given[0]?.text.startsWith("-")) {
    const option = given.shift()!.text;
    if (option === "-d" || option === "--delim" || option === "--delimiter") separator = value(given.shift());
    else if (option.startsWith("--delim=")) separator = option.slice(8);
  }
  const [name, ...values] = given.map((word) => value(word));
  if (name === undefined || values.length === 0) refuse("it names no value");
  return { name, values: values.flatMap((each) => each.split(separator)), separator };
}

function moduleCommand([command, ...given]: string[], line: number, act: (action: ModuleAction) => void): void {
  const modules = given.filter((word) => !word.startsWith("-"));
  if (command === "load" || command === "add" || command === "try-load" || command === "load-any")
    act({ do: "load", modules: command === "load-any" ? modules.slice(0, 1) : modules, line });
  else if (command === "unload" || command === "rm" || command === "del") act({ do: "unload", modules, line });
  else if (command === "swap" || command === "switch") {
    if (1 < modules.length) act({ do: "unload", modules: modules.slice(0, 1), line });
    act({ do: "load", modules: modules.slice(-1), line });
  } else if (command === "use")
    act({ do: "use", folders: modules, append: given.some((word) => word === "-a" || word === "--append"), line });
  else if (!["whatis", "help", "list", "avail"].includes(command ?? "")) refuse(`\`module ${command}\``);
}

/** Some releases load what is asked for, some only complain. */
function needed(names: string[], { context }: Running): void {
  const missing = names.filter((name) => !name.startsWith("-"));
  if (0 < missing.length && !missing.some((name) => context.isLoaded(name)))
    refuse(`it asks for the module ${missing.join(" or ")}, which is not loaded`);
}

function condition(words: Word[], running: Running): void {
  const rest = words.slice(1);
  while (0 < rest.length) {
    const test = rest.shift()!;
    if (rest[0]?.text === "then") rest.shift();
    const body = rest.shift();
    const isMet = test.text === "else" ? undefined : truth(test.text, running);
    if (test.text === "else") return body && run(body.text, body.line, running);
    if (isMet === undefined) {
      // Both ways may be taken.
      for (const each of [body, ...rest].filter((word) => word?.kind === "braces")) unclearIn(each!, test.text, running);
      return undefined;
    }
    if (isMet) return body && run(body.text, body.line, running);
    if (rest[0]?.text === "elseif") rest.shift();
    else if (rest[0]?.text === "else") {
      rest.shift();
      const other = rest.shift();
      return other && run(other.text, other.line, running);
    } else if (rest[0] && rest[0].kind === "braces") return run(rest[0].text, rest[0].line, running);
    else return undefined;
  }
  return undefined;
}

function unclearIn(body: Word, test: string, { unclear }: Running): void {
  for (const words of commandsIn(body.text, body.line))
    if (acting.test(sourceOf(words)) || words.some(({ text }) => acting.test(text)))
      unclear.push({
        line: words[0]!.line,
        text: sourceOf(words),
        about: `it depends on \`${test.trim().replace(/\s+/g, " ").slice(0, 80)}\``,
      });
}

/** Whether a condition holds, of the few kinds that can be told. */
function truth(text: string, running: Running): boolean | undefined {
  const plain = text.trim();
  if (plain.startsWith("!")) {
    const inner = truth(plain.slice(1), running);
    return inner === undefined ? undefined : !inner;
  }
  const bare = /^\(([^()]*)\)$/.exec(plain)?.[1];
  if (bare !== undefined) return truth(bare, running);
  const call = /^\[\s*([^[\]]*?)\s*\]$/.exec(plain)?.[1];
  if (call === undefined) return plain === "1" ? true : plain === "0" ? false : undefined;
  try {
    return answerOf(call, running);
  } catch (error) {
    if (error instanceof Unclear) return undefined;
    throw error;
  }
}

/** What a command says that asks. */
function answerOf(call: string, running: Running): boolean | undefined {
  const { context, variables } = running;
  const mode = /^module-info\s+mode\s+(\w+)$/.exec(call)?.[1];
  if (mode !== undefined) return mode === "load";
  const loaded = /^is-loaded\s+(.+)$/.exec(call)?.[1];
  if (loaded !== undefined) return loaded.split(/\s+/).some((name) => context.isLoaded(substituted(name, running)));
  const set = /^info\s+exists\s+(?:::)?env\((\w+)\)$/.exec(call)?.[1];
  const given = set === undefined ? undefined : context.variable(set);
  if (set !== undefined) return given === undefined ? undefined : given !== null;
  const own = /^info\s+exists\s+(\w+)$/.exec(call)?.[1];
  if (own !== undefined) return variables.has(own) ? true : undefined;
  const file = /^file\s+(?:exists|isdirectory|isfile|readable)\s+(.+)$/.exec(call)?.[1];
  return file === undefined ? undefined : context.exists(substituted(file.replaceAll('"', ""), running));
}

const valueOf = ({ kind, text }: Word, running: Running) => (kind === "braces" ? text : substituted(text, running));

/** Variables and the few commands that only put words together. */
function substituted(text: string, running: Running): string {
  let out = "";
  for (let at = 0; at < text.length;) {
    const char = text[at]!;
    if (char === "\\" && at + 1 < text.length) {
      out += text[at + 1];
      at += 2;
    } else if (char === "$") {
      const match = /^\$(?:::)?(?:env\((\w+)\)|\{(?:::)?env\((\w+)\)\}|\{([^{}]+)\}|(\w+(?:::\w+)*))/.exec(text.slice(at));
      if (!match) refuse("it has a `$` that is not understood");
      out += variableValue(match[1] ?? match[2], match[3] ?? match[4], running);
      at += match[0].length;
    } else if (char === "[") {
      const end = closing(text, at, "[", "]");
      out += called(text.slice(at + 1, end), running);
      at = end + 1;
    } else {
      out += char;
      at += 1;
    }
  }
  return out;
}

function variableValue(environment: string | undefined, own: string | undefined, { context, variables }: Running): string {
  const value = environment === undefined ? variables.get(own!) : context.variable(environment);
  return value ?? refuse(environment === undefined ? `the value of ${own} is not known` : `the variable ${environment} is not known here`);
}

function called(text: string, running: Running): string {
  const words = commandsIn(text, 1)[0] ?? [];
  const [command, sub, ...rest] = words.map((word) => valueOf(word, running));
  const { context } = running;
  if (command === "file") return ofFile(sub, rest) ?? refuse(`\`[${text.trim().slice(0, 60)}]\` is not worked out`);
  if (command === "getenv" && sub !== undefined) return context.variable(sub) ?? rest[0] ?? refuse(`the variable ${sub} is not known here`);
  if (command === "module-info" && (sub === "name" || sub === "specified")) return context.name;
  if (command === "module-info" && sub === "version") return versionIn(context.name);
  return refuse(`\`[${text.trim().slice(0, 60)}]\` is not worked out`);
}

function ofFile(what: string | undefined, given: string[]): string | undefined {
  const [path = ""] = given;
  if (what === "join") return joined(given);
  if (what === "dirname") return path.replace(/\/[^/]*$/, "") || "/";
  if (what === "tail") return path.slice(path.lastIndexOf("/") + 1);
  return what === "normalize" && path.startsWith("/") && !/\/(?:\.|$)|\/\//.test(path) ? path : undefined;
}

/** Where a bracket that opens is closed again; the end where it is not. */
function closing(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === open) depth += 1;
    else if (text[at] === close && (depth -= 1) === 0) return at;
  }
  return text.length;
}

/** Commands of a script, each in its words, with the lines where they begin. */
function commandsIn(text: string, firstLine: number): Word[][] {
  const commands: Word[][] = [];
  let words: Word[] = [];
  let line = firstLine;
  const close = () => {
    if (0 < words.length) commands.push(words);
    words = [];
  };
  for (let at = 0; at < text.length;) {
    const char = text[at]!;
    if (char === "\n" || char === ";") {
      close();
      if (char === "\n") line += 1;
      at += 1;
    } else if (char === "\\" && text[at + 1] === "\n") {
      line += 1;
      at += 2;
    } else if (/\s/.test(char)) at += 1;
    else if (char === "#" && words.length === 0) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    } else {
      const { word, end } = wordAt(text, at, line);
      words.push(word);
      line += text.slice(at, end).split("\n").length - 1;
      at = end;
    }
  }
  close();
  return commands;
}

function wordAt(text: string, at: number, line: number): { word: Word; end: number } {
  const char = text[at]!;
  if (char === "{") {
    const end = closing(text, at, "{", "}");
    const inside = text.slice(at + 1, end);
    return { word: { kind: "braces", text: inside, line }, end: end + 1 };
  }
  if (char === '"') {
    let end = at + 1;
    while (end < text.length && text[end] !== '"')
      end += text[end] === "\\" ? 2 : text[end] === "[" ? closing(text, end, "[", "]") - end + 1 : 1;
    return { word: { kind: "quotes", text: text.slice(at + 1, end), line }, end: end + 1 };
  }
  let end = at;
  while (end < text.length && !/[\s;]/.test(text[end]!))
    end = text[end] === "[" ? closing(text, end, "[", "]") + 1 : end + (text[end] === "\\" ? 2 : 1);
  return { word: { kind: "bare", text: text.slice(at, end), line }, end };
}
