import type { Store, LayerEntry, Content } from "./image-store.ts";
import { Refusal, shown } from "./tar.ts";

/** What is at a path of the merged layers. Two names of one file share one node. */
export type Node = FolderNode | FileNode | { kind: "link"; to: string } | { kind: "special" };

export interface FolderNode {
  kind: "folder";
  below: Map<string, Node>;
}

export interface FileNode {
  kind: "file";
  size: number;
  id: number;
  setuid?: number;
  setgid?: number;
  content: Content;
}

const newFolder = (): FolderNode => ({ kind: "folder", below: new Map() });

/** Layers from the lowest to the uppermost, each laid over those below. */
export async function mergeLayers(store: Store, layers: string[]): Promise<FolderNode> {
  const root = newFolder();
  let id = 0;
  for (const layer of layers) {
    const entries = await store.layer(layer);
    // What a layer takes away is taken from those below, wherever in the layer it says so.
    for (const entry of entries) takeAway(root, entry);
    for (const entry of entries) add(root, entry, (id += 1));
  }
  return root;
}

const longestName = 4096;

/** The parts of a name. All runtimes read /etc/x and ./etc/x as etc/x; none lets one lead out of the image. */
function partsOf(name: string): string[] {
  const all = name.split("/");
  const parts = all.includes("") || all.includes(".") ? all.filter((part) => part !== "" && part !== ".") : all;
  if (parts.includes("..")) throw new Refusal(`a name in it leads out of the image: \`${shown(name)}\``);
  if (longestName < name.length) throw new Refusal(`a name in it is longer than ${longestName} bytes: \`${shown(name)}\``);
  return parts;
}

const whiteout = ".wh.";

function takeAway(root: FolderNode, { name }: LayerEntry): void {
  const slash = name.lastIndexOf("/");
  if (!name.startsWith(whiteout, slash + 1)) return;
  const last = name.slice(slash + 1);
  const folder = folderAt(root, partsOf(name.slice(0, slash + 1)));
  if (last === ".wh..wh..opq") folder?.below.clear();
  else folder?.below.delete(last.slice(whiteout.length));
}

function add(root: FolderNode, entry: LayerEntry, id: number): void {
  const parts = partsOf(entry.name);
  const last = parts.pop();
  if (last === undefined || last.startsWith(whiteout)) return;
  const { below } = folderAt(root, parts, true)!;
  if (entry.kind === "folder") {
    // One that is there stays, with what is in it; anything else gives way.
    if (below.get(last)?.kind !== "folder") below.set(last, newFolder());
  } else if (entry.kind === "link") {
    if (longestName < entry.to.length) throw new Refusal(`\`${shown(entry.name)}\` is a link longer than ${longestName} bytes`);
    below.set(last, { kind: "link", to: entry.to });
  } else if (entry.kind === "special") below.set(last, { kind: "special" });
  else if (entry.kind === "hard-link") {
    const to = partsOf(entry.to);
    const node = folderAt(root, to.slice(0, -1))?.below.get(to.at(-1) ?? "");
    if (node === undefined || node.kind === "folder")
      throw new Refusal(`\`${shown(entry.name)}\` is a hard link to \`${shown(entry.to)}\`, which is no file in it`);
    below.set(last, node);
  } else {
    const { size, mode, uid, gid, content } = entry;
    below.set(last, {
      kind: "file",
      size,
      id,
      ...(mode & 0o4000 ? { setuid: uid } : {}),
      ...(mode & 0o2000 && mode & 0o10 ? { setgid: gid } : {}),
      content: content!,
    });
  }
}

/**
 * The folder at a path, made where it is not there if `make`. Links on the way are followed, inside the image: where a layer says
 * `lib/x` and /lib is a link to usr/lib, containerd writes usr/lib/x (Docker's own store would hide /lib, and nothing would run).
 */
export function folderAt(root: FolderNode, parts: string[], make: true): FolderNode;
export function folderAt(root: FolderNode, parts: string[], make?: boolean): FolderNode | undefined;
export function folderAt(root: FolderNode, parts: string[], make = false): FolderNode | undefined {
  const way: FolderNode[] = [root];
  const todo = parts.toReversed();
  let links = 0;
  while (0 < todo.length) {
    const part = todo.pop()!;
    if (part === "..") {
      if (1 < way.length) way.pop();
      continue;
    }
    if (part === "" || part === ".") continue;
    const folder = way.at(-1)!;
    const node = folder.below.get(part);
    if (node?.kind === "link") {
      links += 1;
      if (40 < links) {
        if (make) throw new Refusal(`links in it go round in a circle, at \`${shown(parts.join("/"))}\``);
        return undefined;
      }
      if (node.to.startsWith("/")) way.length = 1;
      todo.push(...node.to.split("/").toReversed());
    } else if (node?.kind === "folder") way.push(node);
    else if (make) {
      const made = newFolder();
      folder.below.set(part, made);
      way.push(made);
    } else return undefined;
  }
  return way.at(-1)!;
}
