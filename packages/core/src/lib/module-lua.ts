// Module files in Lua, as Lmod and EasyBuild have them, as far as they only say what is set. What is anything else is told as unclear.
import { joined, versionIn, type ModuleContext, type UnclearLine } from "./module-script.ts";

interface Token {
  kind: "name" | "text" | "sign" | "end";
  text: string;
  line: number;
}

/** undefined: cannot be told; null: nil. */
type Value = string | boolean | null | undefined;

const acting = new Set([
  "prepend_path",
  "append_path",
  "remove_path",
  "setenv",
  "unsetenv",
  "pushenv",
  "load",
  "try_load",
  "always_load",
  "depends_on",
  "load_any",
  "unload",
  "swap",
]);
const opening = new Set(["if", "for", "while", "function", "do", "repeat"]);
const paths: { [name: string]: "prepend" | "append" | "remove" } = {
  prepend_path: "prepend",
  append_path: "append",
  remove_path: "remove",
};

export function readLuaModule(text: string, context: ModuleContext): UnclearLine[] {
  const reader = new Reader(tokensOf(text), context);
  reader.block(true);
  return reader.unclear;
}

class Reader {
  readonly unclear: UnclearLine[] = [];
  private readonly variables = new Map<string, Value>();
  private readonly functions = new Set<string>();
  private at = 0;

  constructor(
    private readonly tokens: Token[],
    private readonly context: ModuleContext,
  ) {}

  /** Statements up to what closes their block, which is left. `isRun`: they are come to; undefined: perhaps. */
  block(isRun: boolean | undefined, why = ""): void {
    while (this.peek().kind !== "end" && !["end", "else", "elseif", "until"].includes(this.peek().text)) this.statement(isRun, why);
  }

  private peek(ahead = 0): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)]!;
  }

  private next(): Token {
    const token = this.peek();
    this.at += 1;
    return token;
  }

  private isNext(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind !== "text" && token.text === text;
  }

  private statement(isRun: boolean | undefined, why: string): void {
    const first = this.peek();
    if (this.isNext("if")) return this.condition(isRun, why);
    if (this.isNext("local") && this.isNext("function", 1)) this.next();
    if (this.isNext("function")) return this.definition();
    if (first.kind !== "text" && opening.has(first.text)) return this.loop(isRun);
    if (this.isNext("local")) this.next();
    if (this.peek().kind === "name" && this.isNext("=", 1)) {
      const name = this.next().text;
      this.next();
      const value = this.expression();
      this.variables.set(name, isRun === true ? value : undefined);
      return undefined;
    }
    return this.call(isRun, why);
  }

  private call(isRun: boolean | undefined, why: string): void {
    const { text: name, line } = this.next();
    const start = this.at - 1;
    if (this.peek().kind !== "text" && !this.isNext("(") && !this.isNext("{")) return;
    const given = this.words();
    if (isRun === false || (!acting.has(name) && !this.functions.has(name))) return;
    const source = this.sourceFrom(start);
    const unclear = (about: string) => void this.unclear.push({ line, text: source, about });
    if (this.functions.has(name)) return unclear("it calls a function of its own");
    if (isRun === undefined) return unclear(why);
    if (given.some((value) => typeof value !== "string")) return unclear("its value is not known here");
    this.act(name, given as string[], line);
  }

  private act(name: string, given: string[], line: number): void {
    const { act } = this.context;
    const [first = "", second = ""] = given;
    if (paths[name] !== undefined) {
      const separator = given[2] && !/^\d+$/.test(given[2]) ? given[2] : ":";
      act({ do: paths[name], name: first, values: second.split(separator), separator, line });
    } else if (name === "setenv" || name === "pushenv") act({ do: "set", name: first, value: second, line });
    else if (name === "unsetenv") act({ do: "unset", name: first, line });
    else if (name === "unload") act({ do: "unload", modules: given, line });
    else if (name === "swap")
      [
        { do: "unload" as const, modules: [first], line },
        { do: "load" as const, modules: [second], line },
      ].forEach(act);
    else act({ do: "load", modules: name === "load_any" ? [first] : given, line });
  }

  private condition(isRun: boolean | undefined, before: string): void {
    let isOpen: boolean | undefined = isRun;
    let why = before;
    for (;;) {
      this.next();
      const start = this.at;
      const value = this.isNext("else") ? true : this.expression();
      const test = truthOf(value);
      const source = this.sourceFrom(start);
      if (test === undefined && isOpen === true) why = `it depends on \`${source.slice(0, 80)}\``;
      if (this.isNext("then")) this.next();
      this.block(isOpen === false || test === false ? false : isOpen === true && test === true ? true : undefined, why);
      if (test === true && isOpen === true) isOpen = false;
      else if (test === undefined && isOpen === true) isOpen = undefined;
      if (this.isNext("else")) {
        this.next();
        this.block(isOpen, why);
      }
      if (!this.isNext("elseif")) break;
    }
    if (this.isNext("end")) this.next();
  }

  private definition(): void {
    this.next();
    this.functions.add(this.next().text);
    this.skipBlock();
  }

  private loop(isRun: boolean | undefined): void {
    const start = this.at;
    const { line, text } = this.next();
    // `for` and `while` go up to their `do`, which opens the block.
    if (text === "for" || text === "while") this.skipTo("do");
    this.skipBlock();
    const inside = this.tokens.slice(start, this.at);
    if (isRun !== false && inside.some((token) => token.kind === "name" && acting.has(token.text)))
      this.unclear.push({ line, text: this.sourceFrom(start), about: `it stands in a \`${text}\`` });
  }

  private skipTo(word: string): void {
    while (this.peek().kind !== "end" && this.next().text !== word);
  }

  private skipBlock(): void {
    for (let depth = 1; 0 < depth && this.peek().kind !== "end";) {
      const { kind, text } = this.next();
      if (kind === "name" && (text === "if" || text === "function" || text === "do" || text === "repeat")) depth += 1;
      else if (kind === "name" && (text === "end" || text === "until")) depth -= 1;
    }
  }

  /** What stands in the parentheses of a call, or behind its name. */
  private words(): Value[] {
    if (this.peek().kind === "text") return [this.next().text];
    const close = this.next().text === "{" ? "}" : ")";
    const given: Value[] = [];
    while (this.peek().kind !== "end" && !this.isNext(close)) {
      // `delim = ":"` of a table.
      if (this.peek().kind === "name" && this.isNext("=", 1)) this.at += 2;
      const before = this.at;
      given.push(this.expression());
      if (this.isNext(",")) this.next();
      else if (this.at === before) this.next();
    }
    this.next();
    return given;
  }

  private expression(): Value {
    let value = this.comparison();
    while (this.isNext("or") || this.isNext("and")) {
      const { text } = this.next();
      const right = this.comparison();
      const test = truthOf(value);
      if (text === "or") value = test === true ? value : test === false ? right : undefined;
      else value = test === false ? value : test === true ? right : undefined;
    }
    return value;
  }

  private comparison(): Value {
    const left = this.concatenation();
    if (!this.isNext("==") && !this.isNext("~=")) return left;
    const isEqual = this.next().text === "==";
    const right = this.concatenation();
    return left === undefined || right === undefined ? undefined : (left === right) === isEqual;
  }

  private concatenation(): Value {
    let value = this.operand();
    while (this.isNext("..")) {
      this.next();
      const right = this.operand();
      value = typeof value === "string" && typeof right === "string" ? value + right : undefined;
    }
    return value;
  }

  private operand(): Value {
    if (this.isNext("not")) {
      this.next();
      const test = truthOf(this.operand());
      return test === undefined ? undefined : !test;
    }
    if (this.isNext("(")) {
      this.next();
      const value = this.expression();
      if (this.isNext(")")) this.next();
      return value;
    }
    const { kind, text } = this.peek();
    if (kind === "text") return this.next().text;
    if (kind !== "name") return undefined;
    this.next();
    if (this.isNext("(") || this.isNext("{") || this.peek().kind === "text") return this.worked(text, this.words());
    if (text === "true" || text === "false") return text === "true";
    if (text === "nil") return null;
    return /^\d/.test(text) ? text : this.variables.get(text);
  }

  private worked(name: string, given: Value[]): Value {
    const { context } = this;
    const texts = given.filter((value) => typeof value === "string");
    if (name === "mode") return "load";
    if (name === "myModuleFullName") return context.name;
    if (name === "myModuleVersion") return versionIn(context.name);
    if (name === "myModuleName") return context.name.replace(/\/[^/]*$/, "");
    if (texts.length !== given.length || texts.length === 0) return undefined;
    if (name === "pathJoin") return joined(texts.map((part, index) => (index === 0 ? part : part.replace(/^\/+/, ""))));
    if (name === "os.getenv") return context.variable(texts[0]!) ?? (texts[1] !== undefined ? texts[1] : context.variable(texts[0]!));
    if (name === "isloaded") return context.isLoaded(texts[0]!);
    return name === "isDir" || name === "isFile" || name === "exists" ? context.exists(texts[0]!) : undefined;
  }

  private sourceFrom(start: number): string {
    return this.tokens
      .slice(start, this.at)
      .map(({ kind, text }) => (kind === "text" ? JSON.stringify(text) : text))
      .join(" ")
      .replace(/ ?([(),]) ?/g, "$1")
      .slice(0, 120);
  }
}

const truthOf = (value: Value): boolean | undefined => (value === undefined ? undefined : value !== null && value !== false);

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  const sign =
    /\s+|--\[(=*)\[|--[^\n]*|\[(=*)\[|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|[A-Za-z_][\w.:]*|\d[\w.]*|==|~=|<=|>=|\.\.|[^]/y;
  while (sign.lastIndex < text.length) {
    const start = sign.lastIndex;
    const match = sign.exec(text);
    if (!match) break;
    const [whole, comment, long] = match;
    const level = comment ?? long;
    if (level !== undefined) {
      const close = `]${level}]`;
      const found = text.indexOf(close, sign.lastIndex);
      const end = found < 0 ? text.length : found;
      if (comment === undefined) tokens.push({ kind: "text", text: text.slice(sign.lastIndex, end).replace(/^\n/, ""), line });
      sign.lastIndex = Math.min(text.length, end + close.length);
    } else if (/^["']/.test(whole) && 1 < whole.length)
      tokens.push({ kind: "text", text: whole.slice(1, -1).replace(/\\([^])/g, "$1"), line });
    else if (/^\w/.test(whole)) tokens.push({ kind: "name", text: whole, line });
    else if (!/^\s|^--/.test(whole)) tokens.push({ kind: "sign", text: whole, line });
    line += text.slice(start, sign.lastIndex).split("\n").length - 1;
  }
  tokens.push({ kind: "end", text: "", line });
  return tokens;
}
