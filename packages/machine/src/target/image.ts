// A container image in a file: what `docker save` writes, an OCI archive, or the folder of an OCI layout; nothing is unpacked to disk.
// https://github.com/opencontainers/image-spec, https://github.com/moby/docker-image-spec
import { reasonOfCode } from "@culprit/core/lib/reason";
import fs from "node:fs";
import process from "node:process";
import type { ProcessStart, ByteSelector, Target } from "@culprit/core/model/target";
import { codeOf } from "./disk.ts";
import { chooseImage, type ChosenImage } from "./image-manifest.ts";
import { openStore, readContent, usualLimits, type Limits } from "./image-store.ts";
import { folderAt, mergeLayers, type FolderNode, type Node, type Rights } from "./image-tree.ts";
import { Refusal, shown } from "./tar.ts";
import type { Told } from "./target-kind.ts";

/**
 * The tree of an image, with its layers merged, and the variables that its configuration sets. `given` is the file or folder; with
 * `#NAME` behind it, one of several images in it. What lies plainly in the file is read where it lies. What is packed goes by once, and
 * `keeperOf` chooses what is kept of it; what was not kept is fetched by going through its layer again.
 */
export async function image(given: string, keeperOf: ByteSelector, limits: Partial<Limits> = {}, told?: Told): Promise<Target> {
  const { file, name } = splitName(given);
  const handles: number[] = [];
  // Once all has gone by, whatever it remembers is let go.
  let keeping: ByteSelector | undefined = keeperOf;
  try {
    const at: { layer?: number; layers?: number } = {};
    const tell = (read: number, size: number) => told?.({ ...at, read, size });
    const store = await openStore(file, (...given) => keeping!(...given), { ...usualLimits, ...limits }, handles, tell);
    const chosen = chooseImage(store, name, { x64: "amd64" }[process.arch as string] ?? process.arch);
    const root = await mergeLayers(store, chosen.layers, (layer) => Object.assign(at, { layer, layers: chosen.layers.length }));
    keeping = undefined;
    const { beginning, person } = await beginningOf(root, chosen);
    const called = whatItIs(chosen, beginning.environment);
    return {
      description: { kind: "image", name: given, ...(called === "" ? {} : { called }) },
      ...tree(root, person),
      process: async () => beginning,
    };
  } catch (error) {
    for (const handle of handles) fs.closeSync(handle);
    if (error instanceof Refusal) throw new Error(`cannot use \`${file}\` as an image: ${error.message}`, { cause: error });
    const code = codeOf(error);
    if (code === "EIO" && !(error instanceof Error && "code" in error)) throw error;
    const known: { [code: string]: string } = { ENOENT: "there is no such file", ENXIO: "it is neither a file nor a folder" };
    const why = known[code] ?? `it cannot be read: ${reasonOfCode(code)}`;
    throw new Error(`cannot use \`${file}\` as an image: ${why}`, { cause: error });
  }
}

// A file may have a # in its name.
function splitName(given: string): { file: string; name?: string } {
  const at = given.lastIndexOf("#");
  return at <= 0 || fs.existsSync(given) ? { file: given } : { file: given.slice(0, at), name: given.slice(at + 1) };
}

/** Who looks. */
interface Person {
  uid: number;
  groups: number[];
}

/** What the system would refuse to this user; to root it refuses nothing, in a container either. */
const isRefused = ({ uid, groups }: Person, { mode, ...owner }: Rights, right: 4 | 1) =>
  uid !== 0 && ((mode >> (owner.uid === uid ? 6 : groups.includes(owner.gid) ? 3 : 0)) & right) === 0;

function tree(root: FolderNode, person: Person): Pick<Target, "look" | "open" | "list"> {
  /** What is at a path, or the code that the system would give. */
  const at = (path: string): Node | string => {
    let node: Node = root;
    for (const part of path.split("/")) {
      if (part === "") continue;
      if (node.kind !== "folder") return node.kind === "link" ? "ELOOP" : "ENOTDIR";
      if (isRefused(person, node, 1)) return "EACCES";
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
      if (isRefused(person, node, 4)) return "EACCES";
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
      if (node.kind !== "folder") return { code: "ENOTDIR" };
      return isRefused(person, node, 4) ? { code: "EACCES" } : [...node.below.keys()];
    },
  };
}

/** What a container starts with, and as whom: as Docker and runc do it. */
async function beginningOf(root: FolderNode, { config, unknown }: ChosenImage): Promise<{ beginning: ProcessStart; person: Person }> {
  const environment: { [name: string]: string } = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
  for (const pair of config.environment) {
    const equals = pair.indexOf("=");
    if (0 < equals) environment[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  const [user = "", group = ""] = config.user.split(":");
  const lines = async (name: string) => ((await textAt(root, name)) ?? "").split("\n").map((line) => line.trim().split(":"));
  // A number is never taken for a name.
  const called = (given: string) => (isNumber(given) ? (line: string[]) => line[2] === given : (line: string[]) => line[0] === given);
  const person = (await lines("passwd")).find(called(user === "" ? "0" : user));
  const groups = await lines("group");
  const named = group === "" ? undefined : groups.find(called(group));
  // Only who names no group is in all of theirs.
  const further = group === "" && person ? groups.filter(([, , , members = ""]) => members.split(",").includes(person[0]!)) : [];
  const nobody = [
    ...(user === "" || person || isNumber(user) ? [] : [`user \`${shown(user)}\`, who is not in its /etc/passwd`]),
    ...(group === "" || named || isNumber(group) ? [] : [`group \`${shown(group)}\`, which is not in its /etc/group`]),
  ];
  const uid = numberOf(person?.[2] ?? user);
  const gid = numberOf(group === "" ? person?.[3] : (named?.[2] ?? group));
  environment["HOME"] ??= person?.[5] || "/";
  return {
    beginning: {
      environment,
      cwd: config.workingDir.startsWith("/") ? config.workingDir : "/",
      user: { uid, gid },
      unknown: [
        ...unknown,
        ...nobody.map((who) => ({
          subject: "the image's user",
          reason: `its configuration names ${who}: no container starts like that; it was examined as root`,
          decides: true as const,
        })),
      ],
    },
    person: { uid, groups: [gid, ...further.map((line) => numberOf(line[2]))] },
  };
}

/** What an image says it is: its tag or title, and what NVIDIA's images, and all that are built upon them, say of their content. */
function whatItIs({ tag, config: { labels } }: ChosenImage, environment: { [name: string]: string }): string {
  const title = labels["org.opencontainers.image.title"];
  const name = tag ?? (title === undefined ? "" : `${title} ${labels["org.opencontainers.image.version"] ?? ""}`.trim());
  const product = environment["NVIDIA_PRODUCT_NAME"] ?? "";
  const content = [
    [product, environment[`NVIDIA_${product.toUpperCase().replaceAll(" ", "_")}_VERSION`] ?? ""],
    ["CUDA", environment["CUDA_VERSION"] ?? labels["com.nvidia.cuda.version"] ?? ""],
    ["cuDNN", environment["NV_CUDNN_VERSION"] ?? labels["com.nvidia.cudnn.version"] ?? ""],
  ].flatMap(([what, version]) => (what === "" || version === "" ? [] : [`${what} ${version}`]));
  const said = content.join(", ");
  return shown(name === "" || said === "" ? name + said : `${name} (${said})`);
}

const isNumber = (given: string) => /^\d{1,10}$/.test(given);
const numberOf = (text: string | undefined) => (text !== undefined && isNumber(text) ? Number(text) : 0);

async function textAt(root: FolderNode, name: string): Promise<string | undefined> {
  const node = folderAt(root, ["etc"])?.below.get(name);
  if (node?.kind !== "file" || 1 << 20 < node.size) return undefined;
  return Buffer.from((await readContent(node, [{ offset: 0, length: node.size }]))[0]!).toString();
}
