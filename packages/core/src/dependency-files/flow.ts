// Which commands of a script are run: `if`, `case`, loops, `&&` and `||`. What the text leaves open is asked of `Conditions`.
import type { Conditions } from "./conditions.ts";
import { isAssignment, readWord, type Variables, type Word } from "./shell.ts";
import { casePattern, testOf } from "./shell-test.ts";

/** Conditions, asked from where a word stands. */
export interface AskedHere {
  holds: (words: string, at: Word, usual?: boolean) => boolean;
  ends: Conditions["ends"];
  /** A quote is never closed: no shell runs a script with it. */
  open?: (quote: Word) => void;
  /** A block is never ended, or ends without having begun: no shell runs it, and `why` says so. */
  refused?: (at: Word, why: string) => void;
}

interface Position {
  at: number;
  line: number;
  lineStart: number;
  newline: number;
}

/** What a command stands in. Whatever is in a branch that is not taken is read and left out. */
interface Frame {
  kind: "if" | "case" | "for" | "while" | "group" | "function";
  /** Whether what stands around is run. */
  outer: boolean;
  /** Whether what is read now is run. */
  isLive: boolean;
  /** The list of `&&` and `||` that it is one member of. */
  list: List;
  /** A condition, the words of `for` or those of a pattern are read; else commands. */
  phase: "head" | "pattern" | "body";
  /** Where the condition begins. */
  from: number;
  /** One of its branches was taken. */
  isDone: boolean;
  asked: string[];
  first: Word;
  /** The word that began it. */
  begin?: Word;
  /** Of `case`: what is compared, and the patterns so far. Of `for`: its words. */
  words: Word[];
  subject?: { text: string; isKnown: boolean; raw: string };
  /** Of `for`: values to come, and where its body begins. */
  loop?: { name: string; values: string[]; body: Position };
}

interface List {
  /** The next command is run. */
  isRun: boolean;
  /** How the last one that was run ended. */
  isGood: boolean;
}

interface Reader extends Position {
  text: string;
  variables: Variables;
  ask: AskedHere;
  commands: Word[][];
  words: Word[];
  /** Where the words of this command begin. */
  from: number;
  /** Only assignments stand before what comes next. */
  isFirst: boolean;
  count: number;
  frames: Frame[];
  list: List;
  /** The script ends by itself before its last line: what is open there need not be. */
  isLeft?: true;
  /** It was told that no shell runs it. */
  isRefused?: true;
}

/** More than any script has that installs something. */
const mostWords = 200_000;

/** Words that stand before a command, and leave it what it is. */
const prefixes = new Set(["!", "time", "exec", "sudo", "command", "nohup"]);

const openings = new Set(["if", "case", "for", "while", "until", "select"]);

/** Commands that install nothing: what they do after `||` is of no interest. */
const idle = /^(?:true|false|:|exit|echo|return|printf|continue|break|die|error|fail|warn|log)$/;

const fresh = (): List => ({ isRun: true, isGood: true });

/** The commands that are run, one after the other. Assignments become known as they are read. */
export function readCommands(text: string, variables: Variables, ask: AskedHere): Word[][] {
  const start: Position = { at: 0, line: 1, lineStart: 0, newline: text.indexOf("\n") };
  const reader: Reader = {
    text,
    variables,
    ask,
    ...start,
    commands: [],
    words: [],
    from: -1,
    isFirst: true,
    count: 0,
    frames: [],
    list: fresh(),
  };
  while (reader.at < text.length) readNext(reader);
  end(reader);
  if (!reader.isLeft) tellUnended(reader, reader.frames);
  return reader.commands;
}

/** Where nobody can be asked, what is open is as it usually is. */
export const unasked: AskedHere = { holds: (_words, _at, usual = false) => usual, ends: () => undefined };

/** The words of a line that is no script. */
export const wordsOf = (text: string, variables: Variables): Word[] => readCommands(text, variables, unasked).flat();

const top = ({ frames }: Reader): Frame | undefined => frames.at(-1);
const isLive = (reader: Reader): boolean => (top(reader)?.isLive ?? true) && reader.list.isRun;

function readNext(reader: Reader): void {
  const { text, at } = reader;
  const character = text[at]!;
  if (character === "\n") {
    end(reader);
    reader.list = fresh();
    nextLine(reader, at + 1);
  } else if (character === "\\" && /[\r\n]/.test(text[at + 1] ?? "")) {
    nextLine(reader, at + (text.startsWith("\r\n", at + 1) ? 3 : 2));
  } else if (/\s/.test(character)) reader.at += 1;
  else if (character === "#") {
    const newline = text.indexOf("\n", at);
    reader.at = newline < 0 ? text.length : newline;
  } else if (!";&|()".includes(character)) takeWord(reader);
  // Within `[[ … ]]` they join tests, not commands.
  else if (reader.words[0]?.text === "[[" && reader.words.at(-1)?.text !== "]]") reader.at += 1;
  else readOperator(reader, character);
}

function readOperator(reader: Reader, character: string): void {
  const { text, at } = reader;
  const frame = top(reader);
  if (frame?.kind === "case" && frame.phase === "pattern") {
    if (character === ")") takePattern(reader, frame);
    reader.at += 1;
    return;
  }
  const operator = /^(?:;;&|;;|;&|&&|\|\||\|&|.)/.exec(text.slice(at, at + 3))![0];
  if (operator === "(" && isDefinition(reader)) return;
  reader.at += operator.length;
  if (operator === "&&" || operator === "||") return join(reader, operator);
  end(reader);
  if (operator.startsWith(";") && 1 < operator.length) {
    const around = reader.frames.findLast(({ kind }) => kind === "case");
    if (around && around === frame) [around.phase, around.words] = ["pattern", []];
    reader.list = fresh();
  } else if (operator === "(") open(reader, "group", reader.from);
  else if (operator === ")") close(reader, here(reader, operator), "group");
  else if (!operator.startsWith("|")) reader.list = fresh();
}

const here = ({ line, lineStart, at }: Reader, text: string): Word => ({ text, isKnown: true, line, column: at - lineStart + 1 });

/** `name()`: what follows is done when it is called. */
function isDefinition(reader: Reader): boolean {
  const [brackets] = /^\([ \t]*\)/.exec(reader.text.slice(reader.at, reader.at + 20)) ?? [];
  if (brackets === undefined || reader.words.length !== 1) return false;
  reader.words = [{ ...reader.words[0]!, text: "function" }, reader.words[0]!];
  reader.isFirst = false;
  reader.at += brackets.length;
  return true;
}

/** `A && B`, `A || B`: B is run where A was good, or was not. */
function join(reader: Reader, operator: "&&" | "||"): void {
  const frame = top(reader);
  const [before, wasRun] = [reader.words, isLive(reader)];
  const raw = reader.text.slice(reader.from, reader.at - operator.length);
  end(reader);
  // The words of a condition are asked about as a whole.
  if (frame?.phase === "head") return;
  const { list } = reader;
  const first = before.find(({ text }) => !prefixes.has(text));
  if (wasRun && first) {
    const isTest = /^(?:\[\[?|test)$/.test(first.text);
    const isIdle = operator === "||" && idle.test(nextWord(reader));
    if (isIdle) list.isGood = true;
    else if (isTest) list.isGood = decide(reader, raw, first);
    else list.isGood = operator === "&&" || !fails(reader, raw, first);
  }
  list.isRun = operator === "&&" ? list.isGood : !list.isGood;
}

const nextWord = ({ text, at }: Reader) => /^[\s\\]*(?:\{[\s\\]+)?([\w:.-]*)/.exec(text.slice(at, at + 200))?.[1] ?? "";

/** Where a command fails, what it would have done is not done. */
function fails(reader: Reader, raw: string, first: Word): boolean {
  const isFailing = reader.ask.holds(`\`${shortened(raw)}\` fails`, first);
  if (isFailing && reader.commands.at(-1)?.includes(first)) reader.commands.pop();
  return isFailing;
}

/** Of longer conditions the beginning is enough. */
const longest = 1000;

const shortened = (raw: string): string => {
  const text = raw
    .slice(0, longest)
    .replace(/\\\r?\n/g, " ")
    .replace(/\s+/g, " ")
    .replace(/(?<![;\s])[;\s]+$/, "")
    .trim()
    .replaceAll("`", "'");
  return 90 < text.length ? `${text.slice(0, 89)}…` : text;
};

/** Whether a condition holds: by its variables, or as this reading takes it. */
function decide(reader: Reader, raw: string, first: Word, asked: string[] = []): boolean {
  const { text, isNegated } = withoutNot(raw.slice(0, longest).replace(/\\\r?\n/g, "  "));
  const test = testOf(text, reader.variables);
  if (test.value !== undefined) return test.value !== isNegated;
  const words = test.words ?? `\`${shortened(text)}\` holds`;
  asked.push(words);
  const isSo = reader.ask.holds(words, first, test.isUsual);
  if (isSo && test.learnt) reader.variables.set(test.learnt.name, test.learnt.value);
  return (isSo !== (test.isInverted ?? false)) !== isNegated;
}

function withoutNot(raw: string): { text: string; isNegated: boolean } {
  let text = raw.replace(/(?<![;\s])[;\s]+$/, "").trim();
  let isNegated = false;
  for (; /^!\s/.test(text); isNegated = !isNegated) text = text.slice(1).trim();
  return { text, isNegated };
}

function begin(reader: Reader): void {
  reader.words = [];
  reader.isFirst = true;
  reader.from = -1;
}

function nextLine(reader: Reader, at: number): void {
  reader.at = at;
  reader.line += 1;
  reader.lineStart = at;
}

/** The words of a command are whole. */
function end(reader: Reader): void {
  const { words, frames } = reader;
  begin(reader);
  const frame = top(reader);
  if (words.length === 0) return;
  if (frame?.kind === "for" && frame.phase === "head") {
    frame.words.push(...words);
    return;
  }
  if (!isLive(reader) || words[0]!.text === "function") return;
  reader.commands.push(words);
  if (words[0]!.text !== "exit") return;
  const around = frames.slice(frames.findLastIndex(({ kind }) => kind === "function") + 1);
  if (around.length === 0) return;
  reader.ask.ends(
    words[1] !== undefined && words[1].text !== "0",
    around.flatMap(({ asked }) => asked),
  );
  reader.at = reader.text.length;
  reader.isLeft = true;
}

/** A shell reads a whole block before it runs any of it: one without its end it refuses. */
function tellUnended(reader: Reader, frames: Frame[]): void {
  const frame = frames.find(({ kind, begin: word }) => word !== undefined && Object.hasOwn(endings, kind));
  if (frame?.begin) refuse(reader, frame.begin, `\`${frame.begin.text}\` is never ended by \`${endings[frame.kind]!}\``);
}

const endings: { [kind: string]: string } = { if: "fi", case: "esac", for: "done", while: "done" };

/** Of several faults the first is the one that a shell names; and what a loop goes through is read again. */
function refuse(reader: Reader, at: Word, why: string): void {
  if (reader.isRefused) return;
  reader.isRefused = true;
  reader.ask.refused?.(at, `${why}: no shell runs this`);
}

function takeWord(reader: Reader): void {
  reader.count += 1;
  if (mostWords < reader.count) throw new Error(`it holds a script of more than ${mostWords} words, which nobody wrote`);
  const { text, at } = reader;
  const { end: after, isQuoted, open: quote, ...read } = readWord(text, at, reader.variables);
  const word: Word = { ...read, line: reader.line, column: at - reader.lineStart + 1 };
  if (reader.from < 0) reader.from = at;
  if (quote !== undefined) tellOpen(reader, quote);
  skipTo(reader, after);
  const frame = top(reader);
  // A variable that holds nothing is no word.
  if (word.text === "" && word.isKnown && text[at] === "$") return;
  if (frame?.kind === "case" && frame.phase !== "body") return takeCaseWord(reader, frame, word, text.slice(at, after));
  if (reader.isFirst && !isQuoted && takeKeyword(reader, word, at)) return;
  if (word.text === "{" && reader.words[0]?.text === "function") {
    end(reader);
    return open(reader, "function", at, word);
  }
  if (reader.words.length === 0 && !isQuoted && takeAssignment(reader, word)) return;
  reader.words.push(word);
  reader.isFirst &&= isAssignment(word.text);
}

/** Where the quote stands, which may be lines below the beginning of its word. */
function tellOpen({ text, at, line, lineStart, ask }: Reader, quote: number): void {
  const above = text.slice(at, quote).split("\n").length - 1;
  const column = above === 0 ? quote - lineStart + 1 : quote - text.lastIndexOf("\n", quote);
  ask.open?.({ text: text[quote]!, isKnown: false, line: line + above, column });
}

/** A word may go over several lines; where lines end is looked for once, as one may have a million words. */
function skipTo(reader: Reader, after: number): void {
  const { text, at } = reader;
  while (0 <= reader.newline && reader.newline < at) reader.newline = text.indexOf("\n", at);
  for (; 0 <= reader.newline && reader.newline < after; reader.newline = text.indexOf("\n", reader.newline + 1))
    nextLine(reader, reader.newline + 1);
  reader.at = after;
}

/** `NAME=value`, alone or before a command that it is for. */
function takeAssignment(reader: Reader, word: Word): boolean {
  const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word.text) ?? [];
  if (name === undefined) return false;
  if (!isLive(reader)) {
    // What a script sets in one branch it does not have from elsewhere.
    if (reader.variables.get(name) === undefined) reader.variables.set(name, "");
  } else if (word.isKnown) reader.variables.set(name, value!);
  else reader.variables.delete(name);
  reader.words.push(word);
  return true;
}

function takeKeyword(reader: Reader, word: Word, at: number): boolean {
  const frame = top(reader);
  const { text } = word;
  if (openings.has(text)) open(reader, kindOf(text), reader.at, word);
  else if (text === "{") open(reader, "group", at, word);
  else if (frame?.kind === "if" && /^(?:then|elif|else)$/.test(text)) takeBranch(reader, frame, word, at);
  else if (text === "do" && (frame?.kind === "for" || frame?.kind === "while")) beginLoop(reader, frame, at);
  else if (text === "done") endLoop(reader, word);
  else if (Object.hasOwn(closings, text)) close(reader, word, ...closings[text]!);
  else return prefixes.has(text);
  return true;
}

const closings: { [word: string]: Frame["kind"][] } = { fi: ["if"], esac: ["case"], "}": ["group", "function"] };

function takeBranch(reader: Reader, frame: Frame, word: Word, at: number): void {
  if (word.text === "then") return branch(reader, frame, at, true);
  frame.isLive = frame.outer && !frame.isDone;
  frame.phase = word.text === "elif" ? "head" : "body";
  [frame.from, frame.first] = [reader.at, word];
}

const kindOf = (word: string): Frame["kind"] =>
  word === "if" || word === "case" ? word : word === "for" || word === "select" ? "for" : "while";

function open(reader: Reader, kind: Frame["kind"], from: number, first?: Word): void {
  const outer = isLive(reader);
  reader.frames.push({
    kind,
    outer,
    isLive: outer,
    list: reader.list,
    from,
    isDone: false,
    asked: [],
    words: [],
    phase: kind === "group" || kind === "function" ? "body" : "head",
    ...(first ? { begin: first } : {}),
    first: first ?? { text: "", isKnown: true, line: reader.line, column: 1 },
  });
  reader.list = fresh();
  begin(reader);
}

/** Ends the innermost of these kinds, and what was left open in it. */
function close(reader: Reader, word: Word, ...kinds: Frame["kind"][]): void {
  const index = reader.frames.findLastIndex(({ kind }) => kinds.includes(kind));
  if (index < 0) {
    if (Object.values(endings).includes(word.text)) refuse(reader, word, `\`${word.text}\` ends nothing`);
    return;
  }
  tellUnended(reader, reader.frames.slice(index + 1));
  reader.list = reader.frames[index]!.list;
  reader.frames.length = index;
  begin(reader);
}

/** What stands between `if` and `then` decides. */
function branch(reader: Reader, frame: Frame, at: number, wanted: boolean): void {
  const isAsked = frame.outer && !frame.isDone;
  const isTaken = isAsked && decide(reader, reader.text.slice(frame.from, at), frame.first, frame.asked) === wanted;
  Object.assign(frame, { phase: "body", isLive: isTaken, isDone: frame.isDone || isTaken });
  reader.list = fresh();
}

function beginLoop(reader: Reader, frame: Frame, at: number): void {
  if (frame.kind === "while") return branch(reader, frame, at, frame.first.text === "while");
  const [name, , ...given] = frame.words;
  frame.phase = "body";
  reader.list = fresh();
  if (!name || !frame.outer) return;
  const { line, lineStart, newline } = reader;
  const values = given.flatMap(({ text }) => text.split(/\s+/)).filter((text) => text !== "");
  const isKnown = given.every((each) => each.isKnown) && !values.some((text) => /[*?[{]/.test(text)) && values.length <= mostRounds;
  if (!isKnown || values.length === 0) return reader.variables.delete(name.text);
  reader.variables.set(name.text, values[0]!);
  frame.loop = { name: name.text, values: values.slice(1), body: { at: reader.at, line, lineStart, newline } };
}

/** Rounds of a loop that are gone through. */
const mostRounds = 40;

function endLoop(reader: Reader, word: Word): void {
  const frame = reader.frames.findLast(({ kind }) => kind === "for" || kind === "while");
  const next = frame === top(reader) ? frame?.loop?.values.shift() : undefined;
  if (next === undefined) return close(reader, word, "for", "while");
  reader.variables.set(frame!.loop!.name, next);
  Object.assign(reader, frame!.loop!.body);
  begin(reader);
}

/** `case WORD in`, then patterns until a bracket closes. */
function takeCaseWord(reader: Reader, frame: Frame, word: Word, raw: string): void {
  if (frame.phase === "head") {
    if (word.text === "in" && frame.subject) frame.phase = "pattern";
    else frame.subject ??= { text: word.text, isKnown: word.isKnown, raw: raw.replace(/["']/g, "") };
  } else if (word.text === "esac" && frame.words.length === 0) close(reader, word, "case");
  else frame.words.push(word);
}

function takePattern(reader: Reader, frame: Frame): void {
  const patterns = frame.words;
  const { subject } = frame;
  frame.words = [];
  frame.phase = "body";
  frame.isLive = false;
  reader.list = fresh();
  begin(reader);
  if (!frame.outer || frame.isDone || patterns.length === 0 || !subject) return;
  const fit = casePattern(subject, patterns);
  let isTaken = fit.value;
  if (isTaken === undefined) {
    frame.asked.push(fit.words);
    isTaken = reader.ask.holds(fit.words, patterns[0]!);
    if (isTaken && fit.learnt) reader.variables.set(fit.learnt.name, fit.learnt.value);
  }
  [frame.isLive, frame.isDone] = [isTaken, isTaken];
}
