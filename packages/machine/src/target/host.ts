import type { FileFact } from "@culprit/core/model/snapshot";
import type { ProcessStart, Chain, OpenFile, Range, Target, PrefetchRequest } from "@culprit/core/model/target";
import { hostScript } from "./host-script.generated.ts";
import { openShell, quoted, sshOptions, type Shell } from "./shell.ts";

const blockSize = 4096;
/** Bytes are fetched and kept in windows: readers come back to the same places. */
const windowBlocks = 4;
const windowSize = windowBlocks * blockSize;
const mostAhead = 64;
/** What comes when a file is opened: of an object both ends, because its headers are at the start and what they lead to is mostly at the end. */
type Ends = readonly [head: number, tail: number];
const bothEnds: Ends = [16, 16];
const wholeFile: Ends = [(32 << 20) / blockSize, 0];
/** What answers can be at most, in bytes. A name has 255, a path 4095, and every path is told twice or three times. */
const mostOfProcess = 16 << 20;
const mostOfLook = 2 << 20;
const mostOfHeads = 4 << 20;
/** All that is told of names and paths, together: a host that makes up folders without end fills the memory with them. */
const mostFacts = 512 << 20;
const mostNames = 1_000_000;
/** Bytes that are kept of files which nobody has open; they may be opened again for something else. */
const mostKept = 32 << 20;

/** Another host, seen through the user's own ssh. Nothing is installed or written there, and nothing is run but a shell. */
export async function host(name: string, ssh: string[] = ["ssh"], patience = 20): Promise<Target> {
  refuseNoHost(name);
  return lookThrough(openShell([...ssh, ...sshOptions(patience), "--", name, "exec sh"], hostScript, { patience, name }), name);
}

/** What is on the other side of a shell that knows the script. Nothing of what it says is believed to be well formed. */
export async function lookThrough(shell: Shell, name: string): Promise<Target> {
  const refuse = (reason: string) => {
    shell.end();
    return new Error(`cannot look at ${name}: ${reason}`);
  };
  // What start-up files over there print comes before the first answer.
  const [, able, process] = await Promise.all([shell.ask(":"), shell.ask("able", 4096), shell.ask("process", mostOfProcess)]);
  const [stat, ...programs] = able.toString("latin1").trim().split("\n");
  const without = programs.filter((program) => program !== "od");
  if (!/^[0-9a-f]+$/.test(stat!)) throw refuse("it has no `stat` that understands `-c`");
  if (without.some((line) => !/^no (readlink|dd|id|cat)$/.test(line))) throw refuse(senseless);
  if (0 < without.length) throw refuse(`it has ${without.join(" and ")}`);
  const beginning = beginningOf(process);
  if (!beginning) throw refuse(senseless);
  const { target, spent } = overShell(shell, programs.includes("od"));
  const bounded =
    <A extends unknown[], T>(act: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      const answer = await act(...given);
      if (mostFacts < spent()) throw refuse("it names more files than any machine has");
      return answer;
    };
  return {
    description: { kind: "host", name: `ssh:${name}` },
    ...target,
    look: bounded(target.look),
    list: bounded(target.list),
    prefetch: bounded(target.prefetch!),
    process: async () => beginning,
    end: () => shell.end(),
  };
}

const senseless = "what it answers makes no sense";

/** What ssh would take for an option, or for several words, is no name. */
export function refuseNoHost(name: string): void {
  if (name === "" || name.startsWith("-") || /[\s\0]/.test(name)) throw new Error(`\`ssh:${name}\` does not name a host`);
}

function beginningOf(answer: Buffer): ProcessStart | undefined {
  const text = answer.toString("utf8");
  const [ids = "", cwd = ""] = text.split("\n", 2);
  if (!/^\d{1,10} \d{1,10}$/.test(ids) || !cwd.startsWith("/") || 4095 < cwd.length) return undefined;
  const environment: { [name: string]: string } = {};
  for (const pair of text.slice(ids.length + cwd.length + 2).split("\0")) {
    const equals = pair.indexOf("=");
    if (0 < equals) environment[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  const [uid = 0, gid = 0] = ids.split(" ").map(Number);
  return { environment, cwd, user: { uid, gid } };
}

/** The code of an error, as the script tells it; whatever else stands in its place says only that something went wrong. */
const codeIn = (word: string) => (/^E[A-Z0-9]{2,14}$/.test(word) ? word : "EIO");

/** A target seen through any shell. */
function overShell(shell: Shell, hasOd: boolean): { target: Pick<Target, "look" | "open" | "list" | "prefetch">; spent(): number } {
  const files = keptFiles();
  let told = 0;
  const askFacts = async (command: string, most?: number) => {
    const answer = await shell.ask(command, most);
    told += answer.length;
    return answer;
  };
  const listings = new Map<string, Listing>();
  let together: PrefetchRequest[] = [];
  let journey = Promise.resolve(new Map<string, FileFact>());
  const target: ReturnType<typeof overShell>["target"] = {
    async look(paths) {
      const facts = inGroups(paths).map(async (group) => factsOf(group, await askFacts(`look ${group.map(quoted).join(" ")}`, mostOfLook)));
      return (await Promise.all(facts)).flat();
    },
    async open(path) {
      const known = files.get(path);
      if (known !== undefined) return known;
      const file = openFile(
        shell,
        path,
        await shell.ask(`begin ${quoted(path)} ${bothEnds.join(" ")}`, mostOfEnds(bothEnds)),
        bothEnds,
        hasOd,
      );
      files.keep(path, file);
      return file;
    },
    async list(path) {
      const known = listings.get(path);
      listings.delete(path);
      return known ?? namesOf(new Words(await askFacts(`names ${quoted(path)}`)).all());
    },
    prefetch(wanted) {
      const isHere = ({ path, as }: PrefetchRequest) =>
        as === "listing" ? listings.has(path) : as !== "entry" && files.get(path) !== undefined;
      const missing = wanted.filter((each) => !isHere(each));
      if (missing.length === 0) return Promise.resolve(new Map<string, FileFact>());
      // Whoever asks at the same moment shares the journey.
      const isFirst = together.length === 0;
      together.push(...missing);
      if (isFirst)
        journey = Promise.resolve().then(() => {
          const all = together;
          together = [];
          return travel(all);
        });
      return journey;
    },
  };
  return { target, spent: () => told };

  async function travel(wanted: PrefetchRequest[]): Promise<Map<string, FileFact>> {
    const facts = new Map<string, FileFact>();
    const folders = new Map<string, Map<string, Set<PrefetchRequest["as"]>>>();
    for (const { path, as } of wanted) {
      // A path may end in what is no name of its own.
      const slash = path.lastIndexOf("/");
      const name = path.slice(slash + 1);
      const [folder, last] = ["", ".", ".."].includes(name) ? [path, "."] : [path.slice(0, slash) || "/", name];
      const names = folders.get(folder) ?? new Map<string, Set<PrefetchRequest["as"]>>();
      folders.set(folder, names.set(last, (names.get(last) ?? new Set()).add(as)));
    }
    await Promise.all(
      [...folders].flatMap(([folder, names]) =>
        inGroups([...names]).flatMap((group) => [
          askFacts(`trail ${[folder, ...group.map(([name]) => name)].map(quoted).join(" ")}`).then((answer) =>
            addTrail(facts, listings, answer),
          ),
          ...group.flatMap(([, all], index) =>
            all.has("whole") || all.has("parts") ? [bring(`"$end${index + 1}"`, all.has("whole") ? wholeFile : bothEnds)] : [],
          ),
        ]),
      ),
    );
    return facts;
  }

  // What a path led to is known only over there, until its answer comes.
  async function bring(end: string, ends: Ends): Promise<void> {
    const answer = await shell.ask(`printf '%s\\0' ${end}; begin ${end} ${ends.join(" ")}`, mostOfEnds(ends) + 4096);
    const nul = answer.indexOf(0);
    if (nul < 0) return;
    const path = answer.toString("utf8", 0, nul);
    // Another path may have led here, and what was read since is worth more.
    if (files.get(path) === undefined || ends === wholeFile) files.keep(path, openFile(shell, path, answer.subarray(nul + 1), ends, hasOd));
  }
}

const inGroups = <T>(all: T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / 100) }, (_, at) => all.slice(at * 100, at * 100 + 100));

type Listing = string[] | { code: string };

/** Goes through all the words. A folder of a million names is none that a loader searches: it counts as one that cannot be listed. */
function namesOf(words: Iterable<string>): Listing {
  const names: string[] = [];
  let code: string | undefined;
  let first: string | undefined;
  for (const word of words) {
    if (first === undefined) first = word;
    else if (code !== undefined) continue;
    else if (mostNames <= names.length) code = "EFBIG";
    else if (word === "" || word === "." || word === ".." || word.includes("/") || 1024 < word.length) code = "EIO";
    else names.push(word);
  }
  if (first !== ".") return { code: codeIn(first ?? "") };
  return code === undefined ? names : { code };
}

/** The words of an answer, each of which ends with a NUL; the last may end with the answer. */
class Words {
  #at = 0;
  constructor(readonly answer: Buffer) {}
  get rest(): Buffer {
    return this.answer.subarray(this.#at);
  }
  next(): string | undefined {
    if (this.answer.length < this.#at) return undefined;
    const nul = this.answer.indexOf(0, this.#at);
    const end = nul < 0 ? this.answer.length : nul;
    const word = this.answer.toString("utf8", this.#at, end);
    this.#at = end + 1;
    return word;
  }
  *all(): Generator<string, void> {
    for (let word = this.next(); word !== undefined; word = this.next()) yield word;
  }
  *untilEmpty(): Generator<string, void> {
    for (let word = this.next(); word !== undefined && word !== ""; word = this.next()) yield word;
  }
}

function addTrail(facts: Map<string, FileFact>, listings: Map<string, Listing>, answer: Buffer): void {
  const words = new Words(answer);
  const paths: string[] = [];
  for (const path of words.untilEmpty()) if (mostSteps <= paths.push(path)) return;
  for (const folder of words.untilEmpty()) listings.set(folder, namesOf(words.untilEmpty()));
  factsOf(paths, words.rest).forEach((fact, index) => facts.set(paths[index]!, fact));
}

/** A hundred names, forty links each, and the folders on the way. */
const mostSteps = 50_000;

function factsOf(paths: string[], answer: Buffer): FileFact[] {
  const [listing = "", ...words] = answer.toString("utf8").split("\0", paths.length + 1);
  // By places, and not by cutting off what was read: that would copy the rest for every path.
  let at = 0;
  return paths.map((path, index): FileFact => {
    const word = words[index] ?? "";
    // What is there has its line, in the order of the paths; a name may hold anything but what a line of ours begins with.
    statLine.lastIndex = at;
    const stat = statLine.exec(listing);
    if (!stat || !listing.startsWith(`${path}\n`, at + stat[0].length))
      return word === "ENOENT" ? { kind: "absent" } : { kind: "hidden", code: codeIn(word) };
    at += stat[0].length + path.length + 1;
    const mode = Number.parseInt(stat[1]!, 16);
    const kind = mode & 0o170000;
    if (kind === 0o040000) return { kind: "folder" };
    if (kind === 0o120000) return word.length <= 4095 ? { kind: "link", to: word } : { kind: "hidden", code: "EIO" };
    if (kind !== 0o100000) return { kind: "special" };
    const fact: FileFact = { kind: "file", size: Number(stat[2]), id: stat[3]! };
    if (mode & 0o4000) fact.setuid = Number(stat[4]);
    if (mode & 0o2000 && mode & 0o10) fact.setgid = Number(stat[5]);
    return fact;
  });
}

// No file is larger than a number can tell exactly.
const statLine = /([0-9a-f]{1,8}) (\d{1,15}) (\d{1,20}:\d{1,20}) (\d{1,10}) (\d{1,10}) /y;

type Opened = OpenFile & { readonly kept: number };

const mostOfEnds = ([head, tail]: Ends) => (head + tail + 4) * blockSize + 64;

/** Files that were opened, until their bytes are too many. */
function keptFiles(): { get(path: string): Opened | string | undefined; keep(path: string, file: Opened | string): void } {
  const files = new Map<string, Opened | string>();
  return {
    get: (path) => files.get(path),
    keep(path, file) {
      files.delete(path);
      files.set(path, file);
      const sizeOf = (each: Opened | string) => (typeof each === "string" ? 0 : each.kept);
      let kept = [...files.values()].reduce((sum, each) => sum + sizeOf(each), 0);
      for (const [other, each] of files) {
        if (kept <= mostKept) break;
        if (other === path) continue;
        files.delete(other);
        kept -= sizeOf(each);
      }
    },
  };
}

// The rule of a chain as a function of a shell, which is given the bytes of a head.
function furtherBy({ kinds }: Chain): string {
  const sum = (fields: Chain["kinds"][number]["sum"]) =>
    fields.flatMap(({ at, size }) => Array.from({ length: size }, (_, index) => `(\${${at + index + 1}:-0} << ${index * 8})`)).join(" + ");
  const cases = kinds.map(({ begins, sum: fields }) => `${begins.map((byte) => `${byte}\\ `).join("")}*) step=$((${sum(fields)})) ;;`);
  return `further() { case "$* " in ${cases.join(" ")} *) step=0 ;; esac; }`;
}

function addHeads(heads: Map<number, Uint8Array>, answer: string): void {
  for (const line of answer.trim().split("\n")) {
    const [offset = NaN, ...bytes] = line.split(/\s+/, 65).map(Number);
    if (Number.isSafeInteger(offset)) heads.set(offset, Uint8Array.from(bytes));
  }
}

/** A file of which so many blocks came with the answer, from the start and from the end; or the code of an error. */
function openFile(shell: Shell, path: string, answer: Buffer, [head, tail]: Ends, hasOd: boolean): Opened | string {
  const newline = answer.indexOf(10);
  const first = answer.toString("latin1", 0, Math.min(newline < 0 ? answer.length : newline, 64));
  if (newline < 0 || !/^\d{1,15}$/.test(first)) return codeIn(first);
  const size = Number(first);
  const bytes = answer.subarray(newline + 1);
  const last = Math.max(head, Math.floor((Math.ceil(size / blockSize) - tail) / windowBlocks) * windowBlocks);
  const headSize = Math.min(size, head * blockSize);
  const tailSize = tail === 0 ? 0 : Math.max(0, size - last * blockSize);
  // A disk that fails over there must not look like a file that ends.
  if (bytes.length < headSize + tailSize) return "EIO";
  const windows = new Map<number, () => Promise<Buffer>>();
  const touched = new Set<number>();
  let kept = bytes.length;
  const add = (from: number, some: Promise<Buffer>, length: number) => {
    // Whoever waits for one hears of a lost connection; many were only fetched ahead.
    some.catch(() => {});
    for (let at = 0; at * windowSize < length; at += 1)
      windows.set(from / windowBlocks + at, () => some.then((all) => all.subarray(at * windowSize, (at + 1) * windowSize)));
  };
  add(0, Promise.resolve(bytes.subarray(0, headSize)), headSize);
  add(last, Promise.resolve(bytes.subarray(headSize)), tailSize);
  let ahead = 1;
  const heads = new Map<number, Uint8Array>();
  const readRange = async ({ offset, length, chain }: Range): Promise<Uint8Array> => {
    // Files below /proc say that they are empty; what is there came with the first blocks.
    if (size === 0) return bytes.subarray(offset, offset + length);
    const end = Math.min(offset + length, size);
    if (end <= offset) return new Uint8Array(0);
    const [from, to] = [Math.floor(offset / windowSize), Math.ceil(end / windowSize)];
    if (chain && hasOd && !heads.has(offset) && !windows.has(from) && windowSize < chain.end - offset)
      addHeads(
        heads,
        (await shell.ask(`${furtherBy(chain)}; heads ${quoted(path)} ${offset} ${chain.end}`, mostOfHeads)).toString("latin1"),
      );
    const known = heads.get(offset);
    if (chain && known && end - offset <= known.length) return known.subarray(0, end - offset);
    for (let at = from; at < to; at += 1) {
      if (windows.has(at)) continue;
      // Whoever goes through a file from one end to the other is given more each time.
      ahead = windows.has(at - 1) ? Math.min(ahead * 2, mostAhead) : 1;
      let count = 1;
      while (!windows.has(at + count) && (at + count < to || count < ahead) && (at + count) * windowSize < size) count += 1;
      kept += count * windowSize;
      // Whole blocks, because no dd can do without them and every dd can do with them.
      add(
        at * windowBlocks,
        shell.ask(`blocks ${quoted(path)} ${at * windowBlocks} ${count * windowBlocks}`, count * windowSize),
        count * windowSize,
      );
    }
    const pieces = await Promise.all(
      Array.from({ length: to - from }, (_, index) => {
        touched.add(from + index);
        return windows.get(from + index)!();
      }),
    );
    const found = (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)).subarray(offset - from * windowSize, end - from * windowSize);
    if (found.length < end - offset) throw Object.assign(new Error(`${path} could not be read to its end`), { code: "EIO" });
    return found;
  };
  return {
    size,
    get kept() {
      return kept;
    },
    read: (ranges) => Promise.all(ranges.map(readRange)),
    // Whoever opens it again will come back to the same places, and hardly to others.
    close() {
      if (tail === 0) return;
      kept = touched.size * windowSize;
      for (const [at, window] of windows) {
        if (touched.has(at)) {
          const own = window().then((some) => (some.length < some.buffer.byteLength ? Buffer.from(some) : some));
          own.catch(() => {});
          windows.set(at, () => own);
        } else windows.delete(at);
      }
    },
  };
}
