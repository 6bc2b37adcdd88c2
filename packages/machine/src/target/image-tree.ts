import type { Kept, Lay, Source, Store } from "./image-store.ts";
import type { NotElfFact } from "@culprit/core/model/snapshot";
import { nameOf, Refusal, shown, type Extent, type TarEntry } from "./tar.ts";

/** What is at a path of the merged layers. An image has hundreds of thousands of them: each is one small object. */
export type Node = FolderNode | FileNode | LinkNode | SpecialNode;

export interface FolderNode extends Rights, Placed {
  kind: "folder";
  below: Map<string, Node>;
}

/** Two names of one file have the same source, and the same place in it. */
export interface FileNode extends Rights, Placed {
  kind: "file";
  size: number;
  source: Source;
  at: number;
  /** The map of a sparse file that is read where it lies. */
  extents: Extent[] | undefined;
  /** Of a packed one, what was kept; and what it is when it is no ELF file. */
  kept: Kept | undefined;
  object: NotElfFact | undefined;
}

interface LinkNode extends Placed {
  kind: "link";
  to: string;
}

interface SpecialNode extends Placed {
  kind: "special";
}

export type Rights = Pick<TarEntry, "mode" | "uid" | "gid">;

interface Placed {
  /** The uppermost layer that has it, or something in it: what a layer takes away, it takes from those below. */
  layer: number;
}

const newFolder = (layer: number, { mode, uid, gid }: Rights): FolderNode => ({ kind: "folder", layer, mode, uid, gid, below: new Map() });

/** Folders that are named only by what is in them. */
const usual: Rights = { mode: 0o755, uid: 0, gid: 0 };

/** Layers from the lowest to the uppermost, each laid over those below as it goes by. */
export async function mergeLayers(store: Store, layers: string[], begun: (layer: number) => void): Promise<FolderNode> {
  const root = newFolder(0, usual);
  for (const [index, name] of layers.entries()) {
    begun(index + 1);
    await store.layer(name, layOver(root, index + 1));
  }
  return root;
}

const longestName = 4096;

/** The parts of a name. All runtimes read /etc/x and ./etc/x as etc/x; none lets one lead out of the image. */
function partsOf(path: string, name = path): string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new Refusal(`a name in it leads out of the image: \`${shown(name)}\``);
  if (longestName < name.length) throw new Refusal(`a name in it is longer than ${longestName} bytes: \`${shown(name)}\``);
  return parts;
}

const whiteout = ".wh.";

function layOver(root: FolderNode, layer: number): Lay {
  // Most entries lie in the folder of the one before.
  let known: { name: string; folder: FolderNode } | undefined;
  return (entry, source, at, kept, object) => {
    if (entry.last.startsWith(whiteout)) {
      takeAway(folderAt(root, partsOf(entry.folder, nameOf(entry))), entry.last, layer);
      known = undefined;
      return;
    }
    if (known?.name !== entry.folder) known = { name: entry.folder, folder: folderAt(root, partsOf(entry.folder, nameOf(entry)), layer) };
    let { folder } = known;
    let { last } = entry;
    if (last === "" || last === "." || last === ".." || longestName < entry.folder.length + last.length) {
      const parts = partsOf(nameOf(entry));
      last = parts.pop() ?? "";
      folder = folderAt(root, parts, layer);
      if (last === "") {
        if (entry.kind === "folder") setRights(root, entry);
        return;
      }
    }
    const before = folder.below.get(last);
    if (entry.kind === "folder" && before?.kind === "folder") {
      // One that is there stays, with what is in it; anything else gives way.
      before.layer = layer;
      setRights(before, entry);
      return;
    }
    folder.below.set(last, entry.kind === "hard-link" ? sameFile(root, entry, layer) : newNode(entry, layer, source, at, kept, object));
    // What gave way may have been on the way to the known folder.
    if (before) known = undefined;
  };
}

function setRights(folder: FolderNode, { mode, uid, gid }: Rights): void {
  folder.mode = mode;
  folder.uid = uid;
  folder.gid = gid;
}

function newNode(entry: TarEntry, layer: number, source: Source, at: number, kept?: Kept, object?: NotElfFact): Node {
  const { kind, to, size, mode, uid, gid, extents } = entry;
  if (kind === "folder") return newFolder(layer, entry);
  if (kind === "link") {
    if (longestName < to.length) throw new Refusal(`\`${shown(nameOf(entry))}\` is a link longer than ${longestName} bytes`);
    return { kind, layer, to };
  }
  return kind === "file" ? { kind, layer, mode, uid, gid, size, source, at, extents, kept, object } : { kind: "special", layer };
}

function sameFile(root: FolderNode, entry: TarEntry, layer: number): Node {
  const to = partsOf(entry.to);
  const node = folderAt(root, to.slice(0, -1))?.below.get(to.at(-1) ?? "");
  if (node === undefined || node.kind === "folder")
    throw new Refusal(`\`${shown(nameOf(entry))}\` is a hard link to \`${shown(entry.to)}\`, which is no file in it`);
  return node.layer === layer ? node : { ...node, layer };
}

/** A layer hides what is below it, wherever in the layer it says so: what it brings itself stays. */
function takeAway(folder: FolderNode | undefined, mark: string, layer: number): void {
  if (!folder) return;
  const name = mark.slice(whiteout.length);
  const isOpaque = mark === ".wh..wh..opq";
  const node = isOpaque ? folder : folder.below.get(name);
  if (!isOpaque && node && node.layer < layer) folder.below.delete(name);
  else if (node?.kind === "folder") {
    const todo = [node];
    for (let next = todo.pop(); next; next = todo.pop())
      for (const [below, each] of next.below)
        if (each.layer < layer) next.below.delete(below);
        else if (each.kind === "folder") todo.push(each);
  }
}

/**
 * The folder at a path; made where it is not there when a `layer` has something in it. Links on the way are followed, inside the image: where a layer says
 * `lib/x` and /lib is a link to usr/lib, containerd writes usr/lib/x (Docker's own store would hide /lib, and nothing would run).
 */
export function folderAt(root: FolderNode, parts: string[], layer: number): FolderNode;
export function folderAt(root: FolderNode, parts: string[]): FolderNode | undefined;
export function folderAt(root: FolderNode, parts: string[], layer?: number): FolderNode | undefined {
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
        if (layer !== undefined) throw new Refusal(`links in it go round in a circle, at \`${shown(parts.join("/"))}\``);
        return undefined;
      }
      if (node.to.startsWith("/")) way.length = 1;
      todo.push(...node.to.split("/").toReversed());
    } else if (node?.kind === "folder") way.push(node);
    else if (layer !== undefined) {
      const made = newFolder(layer, usual);
      folder.below.set(part, made);
      way.push(made);
    } else return undefined;
  }
  if (layer !== undefined) for (const folder of way) folder.layer = layer;
  return way.at(-1)!;
}
