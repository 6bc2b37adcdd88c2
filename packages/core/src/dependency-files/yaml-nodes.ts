// YAML with its places: where every value stands, also over several documents and behind anchors. Values are texts, as they are written:
// a Python `3.10` stays that.
import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE } from "js-yaml";
import type { Place } from "../model/finding.ts";
import { located } from "./yaml.ts";

export interface YamlText {
  kind: "text";
  text: string;
  /** Where it begins and ends in the file's text. */
  start: number;
  end: number;
  /** Its lines are lines of the file, so many columns to the right. */
  indent?: number;
}

export interface YamlMap {
  kind: "map";
  start: number;
  entries: Map<string, YamlNode>;
  /** Where the names stand. */
  keys: Map<string, number>;
}

export interface YamlList {
  kind: "list";
  start: number;
  items: YamlNode[];
}

export type YamlNode = YamlText | YamlMap | YamlList;

/** Keys that merges may copy: an anchor that doubles itself would fill the memory. */
const mostMerged = 100_000;

/** The documents of a file. What is no YAML is thrown with its place; what anchors name is shared, never copied. */
export function readYamlNodes(source: string): YamlNode[] {
  try {
    return documentsOf(source);
  } catch (error) {
    throw located(error);
  }
}

/** What is open while a file is read. */
interface Composing {
  readonly documents: YamlNode[];
  readonly open: { node: YamlMap | YamlList; key?: { text: string; start: number } }[];
  merged: number;
}

function add(composing: Composing, node: YamlNode): void {
  const holder = composing.open.at(-1);
  if (!holder) composing.documents.push(node);
  else if (holder.node.kind === "list") holder.node.items.push(node);
  else if (!holder.key) holder.key = node.kind === "text" ? { text: node.text, start: node.start } : { text: "", start: node.start };
  else {
    const { text, start } = holder.key;
    delete holder.key;
    if (text === "<<") merge(composing, holder.node, node);
    else {
      holder.node.entries.set(text, node);
      holder.node.keys.set(text, start);
    }
  }
}

function merge(composing: Composing, into: YamlMap, from: YamlNode): void {
  for (const each of from.kind === "list" ? from.items : [from])
    if (each.kind === "map")
      for (const [name, value] of each.entries) {
        composing.merged += 1;
        if (mostMerged < composing.merged) throw new Error("it merges more keys than anybody writes");
        if (into.entries.has(name)) continue;
        into.entries.set(name, value);
        into.keys.set(name, each.keys.get(name)!);
      }
}

function documentsOf(source: string): YamlNode[] {
  const composing: Composing = { documents: [], open: [], merged: 0 };
  let anchors = new Map<string, YamlNode>();
  const name = (event: { anchorStart: number; anchorEnd: number }, node: YamlNode) => {
    if (0 <= event.anchorStart) anchors.set(source.slice(event.anchorStart, event.anchorEnd), node);
  };
  for (const event of parseEvents(source, {})) {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        anchors = new Map();
        break;
      case EVENT_ID.SCALAR: {
        const node = scalarOf(source, event);
        name(event, node);
        add(composing, node);
        break;
      }
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE: {
        const node: YamlMap | YamlList =
          event.type === EVENT_ID.MAPPING
            ? { kind: "map", start: event.start, entries: new Map(), keys: new Map() }
            : { kind: "list", start: event.start, items: [] };
        name(event, node);
        add(composing, node);
        composing.open.push({ node });
        break;
      }
      case EVENT_ID.ALIAS: {
        const known = anchors.get(source.slice(event.anchorStart, event.anchorEnd));
        // A list that is inside itself is nobody's.
        if (!known || composing.open.some(({ node }) => node === known))
          throw new Error(`line ${lineOf(source, event.anchorStart)} names no anchor above it`);
        add(composing, known);
        break;
      }
      default:
        composing.open.pop();
    }
  }
  return composing.documents;
}

type ScalarEvent = Extract<ReturnType<typeof parseEvents>[number], { type: typeof EVENT_ID.SCALAR }>;

function scalarOf(source: string, event: ScalarEvent): YamlText {
  const text = event.valueStart < 0 ? "" : getScalarValue(source, event);
  const node: YamlText = { kind: "text", text, start: event.valueStart, end: event.valueEnd };
  if (event.style === SCALAR_STYLE.LITERAL_BLOCK) return { ...node, indent: Math.max(0, event.indent) };
  return node;
}

const lineOf = (source: string, at: number) => source.slice(0, at).split("\n").length;

/** From offsets of a file's text to lines and columns. */
export function placesIn(source: string, file: string) {
  const starts = [0];
  for (let at = source.indexOf("\n"); 0 <= at; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  const at = (offset: number, length?: number): Place => {
    let [low, high] = [0, starts.length];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    const column = Math.max(0, offset - starts[low]!) + 1;
    return { file, line: low + 1, column, ...(length === undefined ? {} : { endColumn: column + length }) };
  };
  /** Where a word of a text stands, from its line and column within the text. */
  const word = (node: YamlText, { line, column, text }: { line: number; column: number; text: string }): Place => {
    const first = at(node.start);
    if (node.indent !== undefined) {
      const [row, beside] = [first.line + line - 1, column + node.indent];
      return { file, line: row, column: beside, endColumn: beside + text.length };
    }
    const isOneLine = source.indexOf("\n", node.start) < 0 || node.end <= source.indexOf("\n", node.start);
    if (isOneLine && line === 1) return at(node.start + column - 1, text.length);
    // Lines were joined: the word is looked for where it must stand.
    const found = source.slice(node.start, node.end).indexOf(text);
    return found < 0 ? at(node.start) : at(node.start + found, text.length);
  };
  return { at, word };
}

export type Places = ReturnType<typeof placesIn>;

export const entry = (node: YamlNode | undefined, name: string): YamlNode | undefined =>
  node?.kind === "map" ? node.entries.get(name) : undefined;

export const textOf = (node: YamlNode | undefined): YamlText | undefined => (node?.kind === "text" && node.text !== "" ? node : undefined);

export const itemsOf = (node: YamlNode | undefined): YamlNode[] => (node?.kind === "list" ? node.items : []);
