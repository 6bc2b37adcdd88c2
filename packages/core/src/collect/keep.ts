// What of a file will be asked for, decided while it goes by: texts that are read whole, and of ELF files the pieces that the very
// readers ask for, who run along with the bytes. What is not kept costs another pass, never a wrong answer.
import { openElf, readObject } from "../elf/elf.ts";
import { containerMagic, readArchitectures, readContainers } from "../elf/fat-binary.ts";
import { Image, type Reading } from "../elf/image.ts";
import { loadHashTable, readSymbols } from "../elf/symbols.ts";
import { isCopy } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { ObjectFact } from "../model/snapshot.ts";
import type { Keeper, ByteSelector, Piece } from "../model/target.ts";
import { advanceAll, follow, mostKept, noFollowers, readPiece, type Follower, type Followers } from "./followers.ts";
import { interestIn } from "./interest.ts";
import { isRpmDatabase, ownsGpuLibraries } from "../knowledge/package-databases.ts";
import { beginPassing, headSize, isAt, known, passPiece, passZeros, passingBytes, type PassingBytes } from "./passing-bytes.ts";
import { readRpmDatabase } from "./rpm.ts";

/** How a container of GPU code begins, with the length of its header; and a name that every list of sections holds. */
const magic = Uint8Array.from([0, 8, 16, 24].map((shift) => (containerMagic >>> shift) & 0xff).concat(1, 0, 16, 0));
const names = Uint8Array.from(".shstrtab\0", (character) => character.charCodeAt(0));
/** How libc, libm and libstdc++ end. */
const needed = Uint8Array.from(".so.6\0", (character) => character.charCodeAt(0));
const mostWindows = 64;
const noBytes: Uint8Array = new Uint8Array(0);

/** Texts that collecting reads whole, by where they lie or what they are called, and the largest that is kept. */
const texts: { path: RegExp; most: number }[] = [
  { path: /^\/(etc|proc|sys)\//, most: 1 << 20 },
  { path: /\.(dist|egg)-info\/(METADATA|PKG-INFO|RECORD|WHEEL|[^/]+\.(txt|json))$|\.egg-info$/, most: 32 << 20 },
  { path: /\.(pth|egg-link)$|\/pyvenv\.cfg$|\/\.pyenv\/version$/, most: 1 << 20 },
  { path: /\/[^/]*(version|build|wheel)[^/]*\.(py|json|txt|h)$/, most: 1 << 18 },
  { path: /\/CMakeCache\.txt$/, most: 4 << 20 },
  {
    path: /\/\.(bash|zsh|profile|pam_)[^/]*$|\/\.config\/environment\.d|\/(environment|profile|activate)\.d\/|\/bin\/activate$/,
    most: 1 << 18,
  },
  { path: /^\/var\/lib\/dpkg\/status$/, most: 32 << 20 },
];

function isWantedWhole(path: string, size: number): boolean {
  if (texts.some((text) => size <= text.most && text.path.test(path))) return true;
  const list = /(?:^\/var\/lib\/dpkg\/info\/([^/]+)\.list|\/conda-meta\/([^/]+)\.json)$/.exec(path);
  return list !== null && size <= 32 << 20 && ownsGpuLibraries.test(list[1] ?? nameOf(path));
}

/** Loaders are read whole, for the rules written into them; musl's is its libc. */
const isLoader = (path: string, soname = "") => [nameOf(path), soname].some((name) => /^ld([-.]|64)|^libc\.(so$|musl)/.test(name));

/** What is kept of the file that is going by. */
interface Keeping {
  readonly file: PassingBytes;
  readonly followers: Followers;
  path: string;
  isExecutable: boolean;
  state: "undecided" | "whole" | "following" | "over";
  isElf: boolean;
  /** Of what is no ELF file, but may be loaded or run: how it begins. */
  begin: ReturnType<Keeper["end"]>["object"];
  /** The reader of the container of GPU code that was found last. */
  walker: Follower | undefined;
  /** Where the part that is mapped ends, when that is known. */
  loadedEnd: number;
}

/** Chooses for the files of one target. They come one after the other, hundreds of thousands of them: all that is needed for one is used again. */
export function keeping(): ByteSelector {
  const file = passingBytes();
  const keeping: Keeping = {
    file,
    followers: noFollowers(file),
    path: "",
    isExecutable: false,
    state: "undecided",
    isElf: false,
    begin: undefined,
    walker: undefined,
    loadedEnd: Number.POSITIVE_INFINITY,
  };
  const keeper: Keeper = {
    get wants() {
      return keeping.state !== "over";
    },
    push(piece) {
      const before = file.position;
      passPiece(file, piece, keeping.state === "whole");
      arrived(keeping, before);
    },
    zeros(count) {
      passZeros(file, count);
      arrived(keeping);
    },
    end: () => end(keeping),
  };
  return (path, size, isExecutable) => {
    begin(keeping, path, size, isExecutable);
    return keeper;
  };
}

function begin(keeping: Keeping, path: string, size: number, isExecutable: boolean): void {
  keeping.path = path;
  keeping.isExecutable = isExecutable;
  keeping.state = "undecided";
  keeping.isElf = false;
  keeping.begin = undefined;
  keeping.walker = undefined;
  keeping.loadedEnd = Number.POSITIVE_INFINITY;
  keeping.followers.all.clear();
  beginPassing(keeping.file, size);
}

/** Bytes have come, or zeros; `before` is where bytes begin. */
function arrived(keeping: Keeping, before?: number): void {
  const { file, followers } = keeping;
  if (keeping.state === "undecided" && Math.min(64, file.size) <= file.position) decide(keeping);
  if (keeping.state !== "following") return;
  advanceAll(followers);
  if (before !== undefined && headSize < file.size && keeping.isElf && 0 < followers.all.size) {
    lookForGpuCode(keeping, Math.max(0, before - 8));
    if (keeping.loadedEnd < file.position) lookForNames(keeping, before - names.length);
    else if (keeping.loadedEnd === Number.POSITIVE_INFINITY && headSize < file.position) lookForNeeded(keeping, before - needed.length);
  }
  if (followers.all.size === 0) keeping.state = "over";
}

function end(keeping: Keeping): ReturnType<Keeper["end"]> {
  const { file, followers } = keeping;
  if (keeping.state === "undecided") decide(keeping);
  if (keeping.begin) return { pieces: [], object: keeping.begin };
  const pieces = keeping.state === "whole" ? [{ offset: 0, bytes: file.head.subarray(0, file.size) }] : merged(file.recorded);
  followers.keptInAll += pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return { pieces };
}

/** The beginning of the file is there: what it is, and what will be asked of it. */
function decide(keeping: Keeping): void {
  const { file, followers, path } = keeping;
  const { head, size } = file;
  keeping.isElf = head[0] === 0x7f && head[1] === 0x45 && head[2] === 0x4c && head[3] === 0x46 && 4 <= file.position;
  if (mostKept < followers.keptInAll) keeping.state = "over";
  else if (isRpmDatabase(path)) {
    keeping.state = "following";
    follow(
      followers,
      readRpmDatabase(size, (name) => ownsGpuLibraries.test(name)),
    );
  } else if (isWantedWhole(path, size) || (keeping.isElf && size <= 4 << 20 && isLoader(path))) keeping.state = "whole";
  else if (keeping.isElf) followObject(keeping);
  else {
    keeping.state = "over";
    // Only of what may be loaded or run will anyone ask what it is.
    if (keeping.isExecutable || nameOf(path).includes(".so")) readBegin(keeping);
  }
}

function followObject(keeping: Keeping): void {
  const { followers, path } = keeping;
  const { size } = keeping.file;
  keeping.state = "following";
  follow(followers, readObject(size, interestIn(path)), (object) => readFurther(keeping, object));
  follow(
    followers,
    openAnd(size, function* (view) {
      keeping.loadedEnd = Math.max(0, ...view.segments.map(({ type, offset, fileSize }) => (type === 1 ? offset + fileSize : 0)));
      yield* readArchitectures(view);
    }),
  );
}

// What is asked next depends on what the object is.
function readFurther({ file: { size }, followers, path }: Keeping, object: ObjectFact): void {
  if (object.kind !== "elf") return;
  if (isCopy(path, object))
    follow(
      followers,
      openAnd(size, (view) => readSymbols(view, { exports: true })),
    );
  else follow(followers, openAnd(size, loadHashTable));
  if (isLoader(path, object.soname) && size <= 4 << 20) follow(followers, readPiece(0, size));
}

function readBegin(keeping: Keeping): void {
  const { head, position, size } = keeping.file;
  const reading = openElf(size);
  const first = reading.next();
  const { value } = first.done ? first : reading.next([head.slice(0, Math.min(position, 64))]);
  if ("starts" in value) keeping.begin = value;
}

// Where GPU code lies is said at the end of a file, when it has gone by: so every container is followed that looks like one.
function lookForGpuCode(keeping: Keeping, from: number): void {
  const { file, followers } = keeping;
  for (let at = from; at < file.position && !(keeping.walker && followers.all.has(keeping.walker));) {
    const bytes = known(file, at, 1);
    if (bytes === undefined) return;
    if (typeof bytes === "number") {
      at += bytes;
      continue;
    }
    let next = bytes.indexOf(magic[0]!);
    while (0 <= next && ((at + next) % 8 !== 0 || !isAt(file, magic, at + next, bytes, next))) next = bytes.indexOf(magic[0]!, next + 1);
    if (next < 0) {
      at += bytes.length;
      continue;
    }
    keeping.walker = follow(followers, readContainers(new Image(file.size), at + next, file.size, new Map()));
    // When all of these have gone by already: look on behind them.
    at = Math.max(at + next + 8, ...(keeping.walker?.asked.map(({ offset, length }) => offset + length) ?? []));
  }
}

// So are the names of sections, which linkers put before the symbols that nobody loads.
const lookForNames = (keeping: Keeping, from: number) => lookFor(keeping, names, Math.max(from, keeping.loadedEnd), 4096);

// Where a library has very many symbols, the names that it needs lie behind all of theirs, and long before what says where: those of
// libtensorflow_cc.so.2 end at 98 MB, and its dynamic section is at 960 MB.
const lookForNeeded = (keeping: Keeping, from: number) => lookFor(keeping, needed, Math.max(from, headSize), 16384);

/** Keeps what is around each place where something is found. */
function lookFor({ file, followers, loadedEnd }: Keeping, wanted: Uint8Array, from: number, around: number): void {
  const { windows } = file;
  for (let at = Math.max(0, from); at < file.position && windows.length < mostWindows;) {
    const bytes = known(file, at, 1);
    if (bytes === undefined) return;
    const next = typeof bytes === "number" ? -1 : bytes.indexOf(wanted[0]!);
    if (typeof bytes === "number" || next < 0) {
      at += typeof bytes === "number" ? bytes : bytes.length;
      continue;
    }
    at += next + 1;
    if (!isAt(file, wanted, at - 1, bytes, next) || windows.some(({ start, end }) => start < at && at < end)) continue;
    const start = Math.max(loadedEnd < at ? loadedEnd : 0, at - 1 - around);
    const window = { start, end: Math.min(file.size, start + 2 * around), bytes: noBytes };
    windows.push(window);
    follow(followers, readPiece(start, window.end - start), (piece) => void (window.bytes = piece));
  }
}

function* openAnd(size: number, next: (view: Exclude<ReturnOf<typeof openElf>, { kind: "not-elf" }>) => Reading<unknown>): Reading<void> {
  const view = yield* openElf(size);
  if (!("kind" in view)) yield* next(view);
}

type ReturnOf<F> = F extends (...given: never[]) => Reading<infer T> ? T : never;

/** Pieces in order, those that overlap or touch as one. */
function merged(recorded: Map<number, Uint8Array>): Piece[] {
  const sorted = [...recorded].sort(([a], [b]) => a - b);
  const spans: { start: number; end: number; from: number }[] = [];
  sorted.forEach(([start, { length }], from) => {
    const last = spans.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, start + length);
    else spans.push({ start, end: start + length, from });
  });
  return spans.map(({ start, end, from }, index) => {
    const first = sorted[from]![1];
    // Most lie alone.
    if (first.length === end - start) return { offset: start, bytes: first };
    const bytes = new Uint8Array(end - start);
    for (let at = from; at < (spans[index + 1]?.from ?? sorted.length); at += 1) bytes.set(sorted[at]![1], sorted[at]![0] - start);
    return { offset: start, bytes };
  });
}
