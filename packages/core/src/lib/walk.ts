/** What a walker must know about one path, links not followed. */
export type Entry = { kind: "absent" | "folder" | "file" | "special" } | { kind: "link"; to: string } | { kind: "hidden"; code: string };

export type Walk<T> =
  | { found: string; entry: T; links: number }
  | { error: string } // ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, or what the file system said
  | { ask: string };

const maximumLinks = 40; // Linux gives ELOOP at the 41st link of one walk.

/** What was read on the way to an answer, and on the way to the folder before that. */
export interface Trail {
  readonly reads: string[];
  readonly before?: Trail | undefined;
}

/** Where a path leads, and by which trail. */
export interface Walked<T> {
  readonly answer: Walk<T>;
  readonly trail: Trail;
}

/**
 * Follows a path as the kernel does, over entries that are known one by one: `entryAt` gets paths whose folders are real.
 * An entry that is not known ends the walk with the path to ask for. `..` at the top stays at the top and a link never
 * leads out of the tree, so the same walk serves a machine, a root folder and an image.
 */
export function createWalker<T extends Entry>(entryAt: (path: string) => T | undefined, top: T): (path: string) => Walk<T> {
  const walk = createTrails(entryAt, top);
  return (path) => walk(path).answer;
}

type EntryAt<T> = (path: string, reads: string[]) => T | undefined;

/** From a folder on, after so many links. */
function following<T extends Entry>(
  entryAt: EntryAt<T>,
  top: T,
): (start: string, linksBefore: number, path: string, reads: string[]) => Walk<T> {
  return (start, linksBefore, path, reads) => {
    let here = start;
    let entry: T | undefined = top;
    let links = linksBefore;
    const todo = path.split("/").reverse();
    while (0 < todo.length) {
      const name = todo.pop()!;
      if (entry.kind !== "folder") return { error: "ENOTDIR" };
      if (name === "" || name === ".") continue;
      if (255 < name.length) return { error: "ENAMETOOLONG" };
      if (name === "..") {
        here = here.slice(0, Math.max(0, here.lastIndexOf("/")));
        // What is above a folder is a folder, and was walked through.
        entry = here === "" ? top : (entryAt(here, reads) ?? top);
        continue;
      }
      const next = `${here}/${name}`;
      const found = entryAt(next, reads);
      if (found === undefined) return { ask: next };
      if (found.kind === "absent") return { error: "ENOENT" };
      if (found.kind === "hidden") return { error: found.code };
      if (found.kind === "link") {
        links += 1;
        if (maximumLinks < links) return { error: "ELOOP" };
        if (found.to === "") return { error: "ENOENT" };
        if (4095 < found.to.length) return { error: "ENAMETOOLONG" };
        if (found.to.startsWith("/")) here = "";
        todo.push(...found.to.split("/").reverse());
        continue;
      }
      here = next;
      entry = found;
    }
    return { found: here === "" ? "/" : here, entry, links };
  };
}

/** The same, with the trails: `entryAt` notes what it reads to answer. */
export function createTrails<T extends Entry>(entryAt: EntryAt<T>, top: T): (path: string) => Walked<T> {
  const follow = following(entryAt, top);

  // The same paths are asked for again and again, once per program that needs a library, and most of them share their folders.
  // What was found stays found: facts are only ever added.
  const answers = new Map<string, Walked<T>>();

  function walk(path: string): Walked<T> {
    const known = answers.get(path);
    if (known !== undefined) return known;
    const slash = path.lastIndexOf("/");
    const walked = slash <= 0 ? fresh(path) : walkFrom(walk(path.slice(0, slash)), path.slice(slash + 1));
    if (!("ask" in walked.answer)) answers.set(path, walked);
    return walked;
  }

  function fresh(path: string): Walked<T> {
    const reads: string[] = [];
    return { answer: follow("", 0, path, reads), trail: { reads } };
  }

  function walkFrom(folder: Walked<T>, name: string): Walked<T> {
    const { answer, trail: before } = folder;
    if (!("found" in answer)) return folder;
    if (answer.entry.kind !== "folder") return { answer: { error: "ENOTDIR" }, trail: before };
    if (name === "" || name === ".") return folder;
    const reads: string[] = [];
    return { answer: follow(answer.found === "/" ? "" : answer.found, answer.links, name, reads), trail: { reads, before } };
  }

  const nowhere: Trail = { reads: [] };
  return (path) => {
    if (path === "") return { answer: { error: "ENOENT" }, trail: nowhere };
    return 4095 < path.length ? { answer: { error: "ENAMETOOLONG" }, trail: nowhere } : walk(path);
  };
}
