// A container image in a file: what `docker save` writes, an OCI archive, or the folder of an OCI layout; nothing is unpacked to disk.
// https://github.com/opencontainers/image-spec, https://github.com/moby/docker-image-spec
import fs from "node:fs";
import process from "node:process";
import type { KeeperOf, Target } from "../model/target.ts";
import { codeOf } from "./disk.ts";
import { chooseImage, type ChosenImage } from "./image-manifest.ts";
import { openStore, readContent, usualLimits, type Limits } from "./image-store.ts";
import { folderAt, mergeLayers, type FolderNode, type Node } from "./image-tree.ts";
import { Refusal } from "./tar.ts";

/**
 * The tree of an image, with its layers merged, and the variables that its configuration sets. `given` is the file or folder; with
 * `#NAME` behind it, one of several images in it. What lies plainly in the file is read where it lies. What is packed goes by once, and
 * `keeperOf` chooses what is kept of it; what was not kept is fetched by going through its layer again.
 */
export async function image(given: string, keeperOf: KeeperOf, limits: Partial<Limits> = {}): Promise<Target> {
  const { file, name } = splitName(given);
  const handles: number[] = [];
  // Once all has gone by, whatever it remembers is let go.
  let keeping: KeeperOf | undefined = keeperOf;
  try {
    const store = await openStore(file, (...given) => keeping!(...given), { ...usualLimits, ...limits }, handles);
    const chosen = chooseImage(store, name, { x64: "amd64" }[process.arch as string] ?? process.arch);
    const root = await mergeLayers(store, chosen.layers);
    keeping = undefined;
    return { description: { kind: "image", name: given }, ...tree(root), process: () => beginningOf(root, chosen) };
  } catch (error) {
    for (const handle of handles) fs.closeSync(handle);
    if (error instanceof Refusal) throw new Error(`cannot use \`${file}\` as an image: ${error.message}`, { cause: error });
    const code = codeOf(error);
    if (code === "EIO" && !(error instanceof Error && "code" in error)) throw error;
    const why = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
    throw new Error(`cannot use \`${file}\` as an image: ${why}`, { cause: error });
  }
}

// A file may have a # in its name.
function splitName(given: string): { file: string; name?: string } {
  const at = given.lastIndexOf("#");
  return at <= 0 || fs.existsSync(given) ? { file: given } : { file: given.slice(0, at), name: given.slice(at + 1) };
}

function tree(root: FolderNode): Pick<Target, "look" | "open" | "list"> {
  /** What is at a path, or the code that the system would give. */
  const at = (path: string): Node | string => {
    let node: Node = root;
    for (const part of path.split("/")) {
      if (part === "") continue;
      if (node.kind !== "folder") return node.kind === "link" ? "ELOOP" : "ENOTDIR";
      const below = node.below.get(part);
      if (below === undefined) return "ENOENT";
      node = below;
    }
    return node;
  };
  return {
    async look(paths) {
      return paths.map((path) => {
        const node = at(path);
        if (typeof node === "string") return node === "ENOENT" ? { kind: "absent" } : { kind: "hidden", code: node };
        if (node.kind === "link") return { kind: "link", to: node.to };
        if (node.kind !== "file") return { kind: node.kind };
        const { size, source, at: place, mode, uid, gid, object } = node;
        return {
          kind: "file",
          size,
          id: `${source.number}:${place}`,
          ...(mode & 0o4000 ? { setuid: uid } : {}),
          ...(mode & 0o2000 && mode & 0o10 ? { setgid: gid } : {}),
          // Of a packed file that is none, all that will be asked about it as an object is known.
          ...(object ? { object } : {}),
        };
      });
    },
    async open(path) {
      const node = at(path);
      if (typeof node === "string") return node;
      if (node.kind === "link") return "ELOOP";
      if (node.kind !== "file") return node.kind === "folder" ? "EISDIR" : "ENXIO";
      const { size } = node;
      return {
        size,
        read: async (ranges) =>
          readContent(
            node,
            ranges.map(({ offset, length }) => ({ offset: Math.min(offset, size), length: Math.max(0, Math.min(length, size - offset)) })),
          ),
        close: () => undefined,
      };
    },
    async list(path) {
      const node = at(path);
      if (typeof node === "string") return { code: node };
      return node.kind === "folder" ? [...node.below.keys()] : { code: "ENOTDIR" };
    },
  };
}

/** What a container starts with, as Docker does it. */
async function beginningOf(root: FolderNode, { config, unknown }: ChosenImage): ReturnType<Target["process"]> {
  const environment: { [name: string]: string } = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
  for (const pair of config.environment) {
    const equals = pair.indexOf("=");
    if (0 < equals) environment[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  const [user = "", group = ""] = config.user.split(":");
  const lines = async (name: string) => ((await textAt(root, name)) ?? "").split("\n").map((line) => line.split(":"));
  const people = await lines("passwd");
  const person = people.find(([name, , uid]) => (user === "" ? uid === "0" : name === user || uid === user));
  const groups = group === "" ? [] : await lines("group");
  const gid = group === "" ? person?.[3] : (groups.find(([name]) => name === group)?.[2] ?? group);
  const home = person?.[5];
  if (home) environment["HOME"] ??= home;
  const number = (text: string | undefined) => (text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : 0);
  return {
    environment,
    cwd: config.workingDir.startsWith("/") ? config.workingDir : "/",
    user: { uid: number(person?.[2] ?? user), gid: number(gid) },
    unknown,
  };
}

async function textAt(root: FolderNode, name: string): Promise<string | undefined> {
  const node = folderAt(root, ["etc"])?.below.get(name);
  if (node?.kind !== "file" || 1 << 20 < node.size) return undefined;
  return Buffer.from((await readContent(node, [{ offset: 0, length: node.size }]))[0]!).toString();
}
