// What of a file will be asked for, decided while it goes by: texts that are read whole, and of ELF files the pieces that the very
// readers ask for, who run along with the bytes. What is not kept costs another pass, never a wrong answer.
import { openElf, readObject } from "../elf/elf.ts";
import { containerMagic, readArchitectures, readContainers } from "../elf/fat-binary.ts";
import { Image, type Range, type Reading } from "../elf/image.ts";
import { loadHashTable, readSymbols } from "../elf/symbols.ts";
import { isCopy } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { ObjectFact } from "../model/snapshot.ts";
import type { Keeper, KeeperOf, Piece } from "../model/target.ts";
import { interestIn } from "./interest.ts";
import { isRpmDatabase, ownsGpuLibraries } from "../knowledge/package-databases.ts";
import { readRpmDatabase } from "./rpm.ts";

/** Readers go back: to symbols, strings and code in the first part of a file, and a little from where they are. */
const headSize = 32 << 20;
const recentSize = 16 << 20;
const mostKeptOfFile = 48 << 20;
const mostKept = 256 << 20;

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
  { path: /\.(dist|egg)-info\/(METADATA|PKG-INFO|RECORD|[^/]+\.(txt|json))$|\.egg-info$/, most: 32 << 20 },
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

/** One reader that runs along, and what it waits for. */
interface Follower {
  reading: Reading<unknown>;
  asked: Range[];
  got: Uint8Array[];
  filled: number[];
  onAnswer?: (answer: never) => void;
}

/** Chooses for the files of one target. They come one after the other, hundreds of thousands of them: all that is needed for one is used again. */
export function keeping(): KeeperOf {
  let head = new Uint8Array(0);
  let ring = new Uint8Array(0);
  let keptInAll = 0;

  let path = "";
  let size = 0;
  let isExecutable = false;
  let position = 0;
  let state: "undecided" | "whole" | "following" | "over" = "undecided";
  let isElf = false;
  let begin: NonNullable<ReturnType<Keeper["end"]>["object"]> | undefined;
  const followers = new Set<Follower>();
  const windows: { start: number; end: number; bytes: Uint8Array }[] = [];
  const holes: { start: number; end: number }[] = [];
  const recorded = new Map<number, Uint8Array>();
  let recordedBytes = 0;
  let walker: Follower | undefined;
  /** Where the part that is mapped ends, when that is known. */
  let loadedEnd = Number.POSITIVE_INFINITY;

  function next(nextPath: string, nextSize: number, nextIsExecutable: boolean): void {
    [path, size, isExecutable] = [nextPath, nextSize, nextIsExecutable];
    [position, state, isElf, begin] = [0, "undecided", false, undefined];
    followers.clear();
    windows.length = 0;
    holes.length = 0;
    recorded.clear();
    recordedBytes = 0;
    walker = undefined;
    loadedEnd = Number.POSITIVE_INFINITY;
    if (head.length < Math.min(size, headSize)) head = new Uint8Array(Math.min(headSize, Math.max(size, 2 * head.length)));
  }

  /** The bytes from `at` on that are still at hand; a number is that many zeros. */
  function known(at: number, length: number): Uint8Array | number | undefined {
    if (at < headSize) return head.subarray(at, Math.min(position, headSize));
    if (position - ring.length <= at) return ring.subarray(at % ring.length, Math.min((at % ring.length) + position - at, ring.length));
    const window = windows.find(({ start, bytes }) => start <= at && at < start + bytes.length);
    if (window) return window.bytes.subarray(at - window.start);
    const hole = holes.findLast(({ start, end }) => start <= at && at < end);
    if (hole) return hole.end - at;
    const before = recorded.get(at);
    return before && length <= before.length ? before : undefined;
  }

  // Copied, and not held: what was unpacked is soon gone, and makes room for the next.
  function remember(piece: Uint8Array): void {
    if (ring.length === 0) ring = new Uint8Array(recentSize);
    for (let done = Math.max(0, piece.length - ring.length); done < piece.length;) {
      const at = (position + done) % ring.length;
      const part = piece.subarray(done, done + ring.length - at);
      ring.set(part, at);
      done += part.length;
    }
  }

  function forget(zeros: number): void {
    if (ring.length === 0) ring = new Uint8Array(recentSize);
    const at = position % ring.length;
    ring.fill(0, at, Math.min(ring.length, at + zeros));
    ring.fill(0, 0, Math.min(at, Math.max(0, at + zeros - ring.length)));
  }

  /** Goes on with a reader as far as the bytes go; false when one that it wants has gone by, or it wants too much. */
  function advance(follower: Follower): boolean {
    for (;;) {
      let isWaiting = false;
      for (const [index, { offset, length }] of follower.asked.entries()) {
        while (follower.filled[index]! < length) {
          const at = offset + follower.filled[index]!;
          if (position <= at) {
            isWaiting = true;
            break;
          }
          const bytes = known(at, length - follower.filled[index]!);
          if (bytes === undefined) return false;
          const part = typeof bytes === "number" ? Math.min(bytes, length - follower.filled[index]!) : bytes.length;
          if (typeof bytes !== "number") follower.got[index]!.set(bytes.subarray(0, length - follower.filled[index]!), at - offset);
          follower.filled[index]! += part;
        }
      }
      if (isWaiting) return true;
      follower.asked.forEach(({ offset, length }, index) => {
        if (length <= (recorded.get(offset)?.length ?? 0)) return;
        recordedBytes += length;
        recorded.set(offset, follower.got[index]!);
      });
      const step = follower.reading.next(follower.got);
      if (step.done) {
        follower.onAnswer?.(step.value as never);
        followers.delete(follower);
        return true;
      }
      if (!ask(follower, step.value)) return false;
    }
  }

  function ask(follower: Follower, ranges: Range[]): boolean {
    const wanted = ranges.reduce((sum, { length }) => sum + length, recordedBytes);
    if (mostKeptOfFile < wanted || mostKept < keptInAll + wanted) return false;
    follower.asked = ranges;
    follower.got = ranges.map(({ length }) => new Uint8Array(length));
    follower.filled = ranges.map(() => 0);
    return true;
  }

  function follow<T>(reading: Reading<T>, onAnswer?: (answer: T) => void): Follower | undefined {
    const step = reading.next();
    const follower: Follower = { reading, asked: [], got: [], filled: [], ...(onAnswer ? { onAnswer } : {}) };
    if (step.done || !ask(follower, step.value)) return undefined;
    followers.add(follower);
    if (!advance(follower)) followers.delete(follower);
    return follower;
  }

  function decide(): void {
    isElf = head[0] === 0x7f && head[1] === 0x45 && head[2] === 0x4c && head[3] === 0x46 && 4 <= position;
    if (mostKept < keptInAll) state = "over";
    else if (isRpmDatabase(path)) {
      state = "following";
      follow(readRpmDatabase(size, (name) => ownsGpuLibraries.test(name)));
    } else if (isWantedWhole(path, size) || (isElf && size <= 4 << 20 && isLoader(path))) state = "whole";
    else if (isElf) {
      state = "following";
      follow(readObject(size, interestIn(path)), (object) => readFurther(object));
      follow(
        openAnd(size, function* (view) {
          loadedEnd = Math.max(0, ...view.segments.map(({ type, offset, fileSize }) => (type === 1 ? offset + fileSize : 0)));
          yield* readArchitectures(view);
        }),
      );
    } else {
      state = "over";
      // Only of what may be loaded or run will anyone ask what it is.
      if (!isExecutable && !nameOf(path).includes(".so")) return;
      const reading = openElf(size);
      const first = reading.next();
      const { value } = first.done ? first : reading.next([head.slice(0, Math.min(position, 64))]);
      if ("starts" in value) begin = value;
    }
  }

  // What is asked next depends on what the object is.
  function readFurther(object: ObjectFact): void {
    if (object.kind !== "elf") return;
    if (isCopy(path, object)) follow(openAnd(size, (view) => readSymbols(view, { exports: true })));
    else follow(openAnd(size, loadHashTable));
    if (isLoader(path, object.soname) && size <= 4 << 20) follow(readPiece(0, size));
  }

  // Where GPU code lies is said at the end of a file, when it has gone by: so every container is followed that looks like one.
  function lookForGpuCode(from: number): void {
    for (let at = from; at < position && !(walker && followers.has(walker));) {
      const bytes = known(at, 1);
      if (bytes === undefined) return;
      if (typeof bytes === "number") {
        at += bytes;
        continue;
      }
      let next = bytes.indexOf(magic[0]!);
      while (0 <= next && ((at + next) % 8 !== 0 || !isAt(magic, at + next, bytes, next))) next = bytes.indexOf(magic[0]!, next + 1);
      if (next < 0) {
        at += bytes.length;
        continue;
      }
      walker = follow(readContainers(new Image(size), at + next, size, new Map()));
      // When all of these have gone by already: look on behind them.
      at = Math.max(at + next + 8, ...(walker?.asked.map(({ offset, length }) => offset + length) ?? []));
    }
  }

  // So are the names of sections, which linkers put before the symbols that nobody loads.
  const lookForNames = (from: number) => lookFor(names, Math.max(from, loadedEnd), 4096);

  // Where a library has very many symbols, the names that it needs lie behind all of theirs, and long before what says where: those of
  // libtensorflow_cc.so.2 end at 98 MB, and its dynamic section is at 960 MB.
  const lookForNeeded = (from: number) => lookFor(needed, Math.max(from, headSize), 16384);

  /** Keeps what is around each place where something is found. */
  function lookFor(wanted: Uint8Array, from: number, around: number): void {
    for (let at = Math.max(0, from); at < position && windows.length < mostWindows;) {
      const bytes = known(at, 1);
      if (bytes === undefined) return;
      const next = typeof bytes === "number" ? -1 : bytes.indexOf(wanted[0]!);
      if (typeof bytes === "number" || next < 0) {
        at += typeof bytes === "number" ? bytes : bytes.length;
        continue;
      }
      at += next + 1;
      if (!isAt(wanted, at - 1, bytes, next) || windows.some(({ start, end }) => start < at && at < end)) continue;
      const start = Math.max(loadedEnd < at ? loadedEnd : 0, at - 1 - around);
      const window = { start, end: Math.min(size, start + 2 * around), bytes: noBytes };
      windows.push(window);
      follow(readPiece(start, window.end - start), (piece) => void (window.bytes = piece));
    }
  }

  function isAt(wanted: Uint8Array, at: number, bytes: Uint8Array, index: number): boolean {
    for (let other = 1; other < wanted.length; other += 1) {
      const byte = index + other < bytes.length ? bytes[index + other] : byteAt(at + other);
      if (byte !== wanted[other]) return false;
    }
    return true;
  }

  const byteAt = (at: number) => {
    const bytes = at < position ? known(at, 1) : undefined;
    return bytes === undefined || typeof bytes === "number" ? 0 : bytes[0];
  };

  function arrived(before?: number): void {
    if (state === "undecided" && Math.min(64, size) <= position) decide();
    if (state !== "following") return;
    for (const follower of followers) if (!advance(follower)) followers.delete(follower);
    if (before !== undefined && headSize < size && isElf && 0 < followers.size) {
      lookForGpuCode(Math.max(0, before - 8));
      if (loadedEnd < position) lookForNames(before - names.length);
      else if (loadedEnd === Number.POSITIVE_INFINITY && headSize < position) lookForNeeded(before - needed.length);
    }
    if (followers.size === 0) state = "over";
  }

  const keeper: Keeper = {
    get wants() {
      return state !== "over";
    },
    push(piece) {
      const before = position;
      if (position < headSize) head.set(piece.subarray(0, headSize - position), position);
      if (headSize < size && state !== "whole") remember(piece);
      position += piece.length;
      arrived(before);
    },
    zeros(count) {
      const before = position;
      if (position < headSize) head.fill(0, position, Math.min(headSize, position + count));
      position += count;
      if (headSize < size) forget(count);
      if (headSize < position) holes.push({ start: Math.max(before, headSize), end: position });
      arrived();
    },
    end() {
      if (state === "undecided") decide();
      if (begin) return { pieces: [], object: begin };
      const pieces = state === "whole" ? [{ offset: 0, bytes: head.subarray(0, size) }] : merged(recorded);
      keptInAll += pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
      return { pieces };
    },
  };
  return (...file) => {
    next(...file);
    return keeper;
  };
}

function* openAnd(size: number, next: (view: Exclude<ReturnOf<typeof openElf>, { kind: "not-elf" }>) => Reading<unknown>): Reading<void> {
  const view = yield* openElf(size);
  if (!("kind" in view)) yield* next(view);
}

type ReturnOf<F> = F extends (...given: never[]) => Reading<infer T> ? T : never;

function* readPiece(offset: number, length: number): Reading<Uint8Array> {
  const [bytes] = yield [{ offset, length }];
  return bytes!;
}

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
