import { reasonOfCode } from "@culprit/core/lib/reason";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { problemOf, type Problem } from "@culprit/core/model/problem";

/** Larger than what people or their tools write to say what is to be installed, in megabytes; notebooks hold pictures. */
const mostOf = (file: string) => (file.endsWith(".ipynb") ? 64 : 16);

type Read = { text: string } | Problem;

/** A file as text, whole. Only plain files are opened: a pipe would never end. */
export async function readText(file: string): Promise<Read> {
  return guarded(() => readPlain(fs.realpathSync(file), file));
}

/**
 * Reads the files that a dependency file names, and only those of its own project: whoever wrote it must not make us read, and report,
 * what else lies on the machine. The project is the git work tree that the file is in, or its folder.
 */
export function besideReader(file: string): (candidate: string, only?: "where") => Promise<Read> {
  let project: string | undefined;
  return async (candidate, only) =>
    guarded(() => {
      project ??= projectOf(file);
      // First where it would be, then where it is: of what lies outside not even that it exists is told.
      const named = withRealFolder(path.resolve(candidate));
      if (!isInside(project, named)) return outside;
      const real = fs.realpathSync(named);
      if (!isInside(project, real)) return outside;
      return only === "where" ? { text: "" } : readPlain(real, candidate, project);
    });
}

/** The path with every link of its folders followed, as far as there are folders. */
function withRealFolder(file: string): string {
  const folder = path.dirname(file);
  if (folder === file) return file;
  try {
    return path.join(fs.realpathSync(folder), path.basename(file));
  } catch {
    return path.join(withRealFolder(folder), path.basename(file));
  }
}

const outside = problemOf("unreadable", "is outside the project: not read");
const notPlain = problemOf("unsupported", "is not a plain file");

/** Whether a file is a link out of the project that it lies in. */
export function leadsOut(file: string): boolean {
  try {
    return !isInside(projectOf(file), fs.realpathSync(file));
  } catch {
    return false;
  }
}

function projectOf(file: string): string {
  const folder = fs.realpathSync(path.dirname(file));
  const home = os.homedir();
  for (let above = folder; above !== path.dirname(above) && above !== home; above = path.dirname(above))
    if (fs.existsSync(path.join(above, ".git"))) return above;
  // These lie in a folder of their own, and speak of the one around it.
  return /^(.+)\/(?:\.devcontainer(?:\/[^/]+)?|\.github\/workflows)$/.exec(folder)?.[1] ?? folder;
}

const isInside = (folder: string, file: string) => file.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** The file at a path without links. What was put there since the path was looked at is not opened. */
function readPlain(real: string, named: string, project?: string): Read {
  // These are made when they are read, from what our own process knows.
  if (/^\/(?:proc|sys|dev)\//.test(real)) return notPlain;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;
  const handle = fs.openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  try {
    const stat = fs.fstatSync(handle);
    if (!stat.isFile()) return notPlain;
    if (project !== undefined && !isInside(project, pathOf(handle) ?? real)) return outside;
    const most = mostOf(named);
    if (most << 20 < stat.size)
      return problemOf("too-large", `is too large to be read: it has ${Math.ceil(stat.size / 2 ** 20)} MB, ${most} MB are the most`);
    const bytes = Buffer.alloc(stat.size);
    let length = 0;
    for (let read; length < bytes.length && 0 < (read = fs.readSync(handle, bytes, length, bytes.length - length, length));) length += read;
    return { text: decoded(bytes.subarray(0, length)) };
  } finally {
    fs.closeSync(handle);
  }
}

/** Where an open file lies now; undefined where the system does not say. */
function pathOf(handle: number): string | undefined {
  try {
    return fs.readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    return undefined;
  }
}

function guarded(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const known: { [code: string]: Problem } = {
      ENOENT: problemOf("not-found", "is not there"),
      ENOTDIR: problemOf("not-found", "is not there"),
      EACCES: problemOf("unreadable", "may not be read"),
      ELOOP: problemOf("unreadable", "is a link that leads in a circle"),
      ENXIO: notPlain,
    };
    return known[code] ?? problemOf("unreadable", `cannot be read: ${reasonOfCode(code)}`);
  }
}

/** Windows' own shell writes UTF-16 with a mark in front (`pip freeze > requirements.txt`); pip reads that, too. */
function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.subarray(2).toString("utf16le");
  if (first !== 0xfe || second !== 0xff) return bytes.toString("utf8");
  return Buffer.from(bytes.subarray(2, bytes.length & ~1))
    .swap16()
    .toString("utf16le");
}
