// Facts that are addressed by what they say, so that a thousand like nodes are stored once: each fact is a text, each folder a text that names
// the facts and folders in it, and the stack is the text that names the topmost folder. What is small lies in the text of its folder.
import { readJson } from "../lib/read-json.ts";
import { jsonText } from "../lib/visible.ts";
import type { DeclaredFiles, OwnFacts, Told } from "../model/fleet.ts";
import { factsIn } from "../model/overlay.ts";
import type { FileFact, RegularFileFact, Snapshot } from "../model/snapshot.ts";

/** The digest of a text, as hexadecimal digits; handed in, since the core has no means of its own. */
export type Digest = (text: string) => string;

export interface Split {
  /** The digest of the stack's own text. */
  stack: string;
  /** All texts by their digests, the stack's among them. */
  texts: Map<string, string>;
  own: OwnFacts;
}

/** A name in a folder: what is known of it, and what lies in it; either by digest, or in place where that is shorter. */
export type Entry = [name: string, fact: string | FileFact | null, folder: string | Entry[] | null];
export type StackText = [head: { [key: string]: unknown }, folder: string | Entry[]];

// A digest has 64 characters: what is hardly longer is not worth a row of its own.
const smallFact = 96;
const smallFolder = 512;

/** The facts of a node as texts. `joinTold` makes them whole again, byte for byte. */
export function splitTold(told: Told, digest: Digest): Split {
  const { told: common, own } = withoutOwn(told);
  const texts = new Map<string, string>();
  const keep = (text: string): string => {
    const name = digest(text);
    texts.set(name, text);
    return name;
  };
  const { files, ...head } = common;
  const odd = Object.fromEntries(factsIn({ files }).filter(([path]) => !isPlain(path)));
  const top = foldersOf(factsIn({ files }).filter(([path]) => isPlain(path)));
  const text: StackText = [Object.keys(odd).length === 0 ? head : { ...head, odd }, keptFolder(top, keep)];
  return { stack: keep(jsonText(text)), texts, own };
}

/** The same facts in the same group have the same digest: a node that sends it need not send more. Numbers of processes do not count. */
export const manifestDigest = (stack: string, { pid: _pid, self: _self, ...own }: OwnFacts, group: string, digest: Digest): string =>
  digest(jsonText([stack, own, group]));

interface Folder {
  fact?: FileFact;
  names: Map<string, Folder>;
}

/** From the root on, every name once. A path that says more, or less, is kept as it is. */
const isPlain = (path: string): boolean => path === "/" || (path.startsWith("/") && !path.endsWith("/") && !path.includes("//"));

function foldersOf(facts: [string, FileFact][]): Folder {
  const top: Folder = { names: new Map() };
  for (const [path, fact] of facts) {
    let at = top;
    for (const name of path === "/" ? [] : path.slice(1).split("/")) {
      const next = at.names.get(name) ?? { names: new Map() };
      at.names.set(name, next);
      at = next;
    }
    at.fact = fact;
  }
  return { names: new Map([["", { ...(top.fact ? { fact: top.fact } : {}), names: new Map() }], ...top.names]) };
}

function keptFolder({ names }: Folder, keep: (text: string) => string): string | Entry[] {
  const entries = [...names]
    .filter(([, each]) => each.fact !== undefined || 0 < each.names.size)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]): Entry => {
      const text = each.fact === undefined ? undefined : jsonText(each.fact);
      return [
        name,
        text === undefined ? null : text.length <= smallFact ? each.fact! : keep(text),
        each.names.size === 0 ? null : keptFolder(each, keep),
      ];
    });
  const text = jsonText(entries);
  return text.length <= smallFolder ? entries : keep(text);
}

/** What is said of texts that do not go together, or of one that is not there. */
export class Unjoinable extends Error {}

/** Where many small texts make a large whole. */
export interface JoinLimits {
  facts: number;
  characters: number;
}

export type ReadTexts = (digests: string[]) => Promise<Map<string, string>>;

/** What a stack leads to: every path with its fact, by digest or in place. */
export interface Walked {
  head: { [key: string]: unknown };
  found: [path: string, fact: FileFact | string][];
  /** Digests of the stack and its folders. */
  folders: string[];
}

/**
 * Reads folders by their digests, many at once: round by round, since a folder must be read to know what is in it. Whoever wrote them may
 * have written them to grow without end, so how many facts there are has a bound.
 */
export async function walkStack(stack: string, read: ReadTexts, limits: JoinLimits): Promise<Walked> {
  const count = counting(limits);
  const [head, top] = (await readRoots([stack], read)).get(stack)!;
  const found: Walked["found"] = [];
  let open: [string, string | Entry[]][] = [["", top]];
  const folders = new Map<string, Entry[]>();
  while (0 < open.length) {
    const lengths = await readFolders(
      open.map(([, folder]) => folder),
      folders,
      read,
    );
    count(0, lengths);
    const next: typeof open = [];
    for (const [path, folder] of open) {
      for (const [name, fact, inner] of typeof folder === "string" ? folders.get(folder)! : folder) {
        const at = path === "" && name === "" ? "/" : `${path}/${name}`;
        // Long names above many others are short to write, and long once each path is a text of its own.
        count(1, at.length);
        if (fact !== null) found.push([at, fact]);
        if (inner !== null) next.push([at, inner]);
      }
    }
    open = next;
  }
  return { head, found, folders: [stack, ...folders.keys()] };
}

/** The facts as well; how long they are together has a bound, too. */
export async function joinStack(
  stack: string,
  read: ReadTexts,
  limits: JoinLimits,
): Promise<{ head: { [key: string]: unknown }; files: { [path: string]: FileFact } }> {
  const { head, found } = await walkStack(stack, read, limits);
  const texts = await readAll([...new Set(found.flatMap(([, fact]) => (typeof fact === "string" ? [fact] : [])))], read);
  const count = counting(limits);
  for (const [, fact] of found) if (typeof fact === "string") count(0, texts.get(fact)!.length);
  const facts = new Map([...texts].map(([digest, text]) => [digest, parsed(text) as FileFact]));
  const { odd = {}, ...rest } = head as { odd?: { [path: string]: FileFact } };
  const all = found.map(([path, fact]): [string, FileFact] => [path, typeof fact === "string" ? facts.get(fact)! : fact]);
  return { head: rest, files: Object.fromEntries([...all, ...Object.entries(odd)]) };
}

/** Throws where more was counted than a stack may hold. */
export function counting({ facts, characters }: JoinLimits): (amount: number, length: number) => void {
  let [counted, long] = [0, 0];
  return (amount, length) => {
    counted += amount;
    long += length;
    if (facts < counted || characters < long) throw new Unjoinable("it holds more than a snapshot may");
  };
}

/** What each stack says before it names any folder, and its topmost folder. */
export async function readRoots(stacks: string[], read: ReadTexts): Promise<Map<string, StackText>> {
  const roots = new Map<string, StackText>();
  for (const [stack, text] of await readAll(stacks, read)) {
    const root = parsed(text);
    const isRoot = Array.isArray(root) && root.length === 2 && isRecord(root[0]) && isFolder(root[1]);
    if (!isRoot) throw new Unjoinable("its first text names no head and no folder");
    roots.set(stack, root as StackText);
  }
  return roots;
}

/** Adds the folders that are named by their digests to those that are known; how long their texts are together is the answer. */
export async function readFolders(open: (string | Entry[])[], known: Map<string, Entry[]>, read: ReadTexts): Promise<number> {
  const wanted = new Set(open.flatMap((folder) => (typeof folder === "string" && !known.has(folder) ? [folder] : [])));
  let lengths = 0;
  for (const [name, text] of await readAll([...wanted], read)) {
    const entries = parsed(text);
    if (!Array.isArray(entries) || !entries.every(isEntry)) throw new Unjoinable("a text that should name what is in a folder does not");
    known.set(name, entries);
    lengths += text.length;
  }
  return lengths;
}

async function readAll(digests: string[], read: ReadTexts): Promise<Map<string, string>> {
  if (digests.length === 0) return new Map();
  const texts = await read(digests);
  const missing = digests.find((each) => !texts.has(each));
  if (missing !== undefined) throw new Unjoinable(`the text ${missing.slice(0, 12)} is not there`);
  return texts;
}

const isRecord = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isFolder = (value: unknown): boolean => typeof value === "string" || (Array.isArray(value) && value.every(isEntry));
const isEntry = (value: unknown): value is Entry =>
  Array.isArray(value) &&
  value.length === 3 &&
  typeof value[0] === "string" &&
  (value[1] === null || typeof value[1] === "string" || isRecord(value[1])) &&
  (value[2] === null || isFolder(value[2]));

// Bounded in depth, too: whoever wrote it may have meant harm.
function parsed(text: string): unknown {
  const read = readJson(text);
  if ("problem" in read) throw new Unjoinable("one of its texts is no JSON that can be read");
  return read.value;
}

/** The facts of a node, whole again. */
export async function joinTold(stack: string, own: OwnFacts | undefined, read: ReadTexts, limits: JoinLimits): Promise<Told> {
  const { head, files } = await joinStack(stack, read, limits);
  const told = { ...head, files } as Told;
  return own === undefined ? told : withOwn(told, own);
}

/**
 * Without what is one node's own. Identities of GPUs stay where a variable names one: it decides what is seen then. Values change in their
 * places, so that the order of all stays what it was.
 */
function withoutOwn(told: Told): { told: Told; own: OwnFacts } {
  const { kind, called } = told.target;
  const own: OwnFacts = { culprit: told.culprit, target: told.target };
  let common = { ...told, culprit: "", target: { kind, ...(called === undefined ? {} : { called }) } };
  if (!isSnapshot(common)) return { told: common, own };
  if (common.running) {
    own.pid = common.running.pid;
    common = { ...common, running: { ...common.running, pid: 0 } };
  }
  const self = common.files["/proc/self"];
  if (self?.kind === "link" && /^\d+$/.test(self.to) && self.to !== "0" && common.files["/proc/0"] === undefined) {
    own.self = self.to;
    common = asProcess(common, self.to, "0");
  }
  const changed = withoutIdentities(common);
  if (0 < changed.length) {
    own.files = Object.fromEntries(changed.map(({ path, fact }) => [path, fact]));
    common = { ...common, files: Object.fromEntries([...factsIn(common), ...changed.map(({ path, other }) => [path, other] as const)]) };
  }
  return { told: common, own };
}

function withoutIdentities(snapshot: Snapshot): { path: string; fact: FileFact; other: FileFact }[] {
  if (Object.values(snapshot.environment).some((value) => /\b(?:GPU|MIG)-/.test(value))) return [];
  return factsIn(snapshot).flatMap(([path, fact]) => {
    const other = isAboutGpu.test(path) && fact.kind === "file" && fact.text !== undefined ? withoutIdentity(fact, fact.text) : undefined;
    return other === undefined ? [] : [{ path, fact, other }];
  });
}

/** The same facts, where the process that took them has another number: every run has its own. */
function asProcess(snapshot: Snapshot, from: string, to: string): Snapshot {
  const place = `/proc/${from}`;
  const renamed = (path: string) => (path === place || path.startsWith(`${place}/`) ? `/proc/${to}${path.slice(place.length)}` : path);
  const renamedFacts = factsIn(snapshot).map(([path, fact]): [string, FileFact] => [renamed(path), fact]);
  return { ...snapshot, files: Object.fromEntries([...renamedFacts, ["/proc/self", { kind: "link", to }]]) };
}

function withOwn(told: Told, own: OwnFacts): Told {
  const whole = { ...told, culprit: own.culprit, target: own.target };
  if (!isSnapshot(whole)) return whole;
  const running = whole.running && own.pid !== undefined ? { running: { ...whole.running, pid: own.pid } } : {};
  const files = Object.fromEntries([...factsIn(whole), ...factsIn({ files: own.files ?? {} })]);
  const snapshot = { ...whole, ...running, files };
  return own.self === undefined ? snapshot : asProcess(snapshot, "0", own.self);
}

export const isSnapshot = (told: Told): told is Snapshot => told.schema !== ("culprit/declared@1" satisfies DeclaredFiles["schema"]);

const isAboutGpu = /^\/proc\/driver\/nvidia\/gpus\/[^/]+\/information$/;

function withoutIdentity(fact: RegularFileFact, text: string): RegularFileFact | undefined {
  const other = text
    .replace(/^(IRQ:\s*)\d+$/m, "$10")
    .replace(/^(GPU UUID:\s*)GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/m, "$1GPU-00000000-0000-0000-0000-000000000000");
  return other === text ? undefined : { ...fact, size: other.length, text: other };
}
