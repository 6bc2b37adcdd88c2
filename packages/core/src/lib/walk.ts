/** What a walker must know about one path, links not followed. */
export type Entry = { kind: "absent" | "folder" | "file" | "special" } | { kind: "link"; to: string } | { kind: "hidden"; code: string };

export type Walk<T> =
  | { found: string; entry: T; links: number }
  | { error: string } // ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, or what the file system said
  | { ask: string };

const maximumLinks = 40; // Linux gives ELOOP at the 41st link of one walk.

/**
 * Follows a path as the kernel does, over entries that are known one by one: `entryAt` gets paths whose folders are real.
 * An entry that is not known ends the walk with the path to ask for. `..` at the top stays at the top and a link never
 * leads out of the tree, so the same walk serves a machine, a root folder and an image.
 */
export function createWalker<T extends Entry>(entryAt: (path: string) => T | undefined, top: T): (path: string) => Walk<T> {
  function follow(start: string, linksBefore: number, path: string): Walk<T> {
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
        entry = here === "" ? top : (entryAt(here) ?? top);
        continue;
      }
      const next = `${here}/${name}`;
      const found = entryAt(next);
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
  }

  // The same paths are asked for again and again, once per program that needs a library, and most of them share their folders.
  // What was found stays found: facts are only ever added.
  const answers = new Map<string, Walk<T>>();

  function walk(path: string): Walk<T> {
    const known = answers.get(path);
    if (known !== undefined) return known;
    const slash = path.lastIndexOf("/");
    const answer = slash <= 0 ? follow("", 0, path) : walkFrom(walk(path.slice(0, slash)), path.slice(slash + 1));
    if (!("ask" in answer)) answers.set(path, answer);
    return answer;
  }

  function walkFrom(folder: Walk<T>, name: string): Walk<T> {
    if (!("found" in folder)) return folder;
    if (folder.entry.kind !== "folder") return { error: "ENOTDIR" };
    if (name === "" || name === ".") return folder;
    return follow(folder.found === "/" ? "" : folder.found, folder.links, name);
  }

  return (path) => (path === "" ? { error: "ENOENT" } : 4095 < path.length ? { error: "ENAMETOOLONG" } : walk(path));
}
