import fs from "node:fs";
import type { FileFact } from "@culprit/core/model/snapshot";
import type { OpenFile, Range, Target } from "@culprit/core/model/target";

/**
 * The part that a machine and a root folder share: a tree on this disk. `prefix` is put before every path.
 * It never follows a link: the folders of a path are real (see Target), and the last part is looked at with lstat and opened
 * with O_NOFOLLOW. So nothing outside the prefix can be read, whatever the links in it say.
 */
export function disk(prefix: string): Pick<Target, "look" | "open" | "list"> {
  const real = (path: string) => (prefix === "" ? path : path === "/" ? prefix : prefix + path);
  return {
    async look(paths) {
      return paths.map((path) => lookAt(real(path)));
    },
    async open(path) {
      try {
        const handle = fs.openSync(real(path), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
        return openFile(handle);
      } catch (error) {
        return codeOf(error);
      }
    },
    async list(path) {
      try {
        return fs.readdirSync(real(path));
      } catch (error) {
        return { code: codeOf(error) };
      }
    },
  };
}

const absent: FileFact = { kind: "absent" };

function lookAt(path: string): FileFact {
  try {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return absent;
    if (stat.isDirectory()) return { kind: "folder" };
    if (stat.isSymbolicLink()) return { kind: "link", to: fs.readlinkSync(path) };
    if (!stat.isFile()) return { kind: "special" };
    const fact: FileFact = { kind: "file", size: stat.size, id: `${stat.dev}:${inodeOf(path, stat)}` };
    if (stat.mode & 0o4000) fact.setuid = stat.uid;
    if (stat.mode & 0o2000 && stat.mode & 0o10) fact.setgid = stat.gid;
    return fact;
  } catch (error) {
    return { kind: "hidden", code: codeOf(error) };
  }
}

// Overlay and network file systems number files beyond what a double holds: two files must not become one by rounding.
function inodeOf(path: string, { ino }: fs.Stats): number | bigint {
  return ino <= Number.MAX_SAFE_INTEGER ? ino : fs.lstatSync(path, { bigint: true }).ino;
}

function openFile(handle: number): OpenFile {
  const { size } = fs.fstatSync(handle);
  return {
    size,
    async read(ranges: Range[]) {
      return ranges.map(({ offset, length }) => readAt(handle, offset, length));
    },
    close: () => fs.closeSync(handle),
  };
}

// Small pieces are cut from one large block: thousands of buffers of their own would keep the garbage collector busy.
const blockSize = 1 << 18;
let block = new Uint8Array(0);

function pieceOf(length: number): Uint8Array {
  if (blockSize / 4 < length) return new Uint8Array(length);
  if (block.length < length) block = new Uint8Array(blockSize);
  const piece = block.subarray(0, length);
  block = block.subarray(length);
  return piece;
}

function readAt(handle: number, offset: number, length: number): Uint8Array {
  const bytes = pieceOf(length);
  let done = 0;
  while (done < length) {
    const count = fs.readSync(handle, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return done === length ? bytes : bytes.subarray(0, done);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EIO";
}
