import { allNames } from "../model/frameworks.ts";
// Whose names are in a text: those of homes, and of the system's own list of users.

/** Users of /etc/passwd that are people, by name, by home and by how they are called in full. */
export function peopleInPasswd(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const [name = "", , uid = "", , called = "", home = ""] = line.split(":");
    const isPerson = (1000 <= Number(uid) && Number(uid) < 65_000) || isHome.test(`${home}/`);
    if (name === "" || !isPerson) return [];
    const full = called.split(",")[0]!.trim();
    return [name, home.split("/").findLast((part) => part !== "") ?? "", ...(/\S \S/.test(full) && 5 < full.length ? [full] : [])];
  });
}

// Where sites keep homes: /home, /export/home, /data/users, /nfs/home, /mnt/x/home, /scratch …
const homes =
  /(?:^|[:=\s"'(,;`~])(?:file:\/\/)?(?:\/[\w.-]{1,40}){0,3}\/(?:home|homes|Users|users|people|scratch)\/([^/:;,\s"'`()<>]{2,64})/g;
const isHome = /^(?:\/[\w.-]+){0,3}\/(?:home|homes|Users|users|people|scratch)\/[^/]+\//;

/** Names of folders that are somebody's home. */
export function peopleInPaths(texts: string[]): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    if (!/\/(?:home|Users|users|people|scratch)/.test(text)) continue;
    for (const [path, name] of text.matchAll(homes)) {
      const plain = name!.replace(/(?<!\.)\.+$/, "");
      // Scratch space may be laid out by user or not.
      if (/\/scratch\/[^/]*$/.test(path) && (isSoftware(plain) || isShared(plain) || !/^[A-Za-z][\w.-]*$/.test(plain))) continue;
      found.add(plain);
    }
  }
  return [...found];
}

/** Folder names that are no names of people, wherever they stand; renaming them would change what the loader does. */
export const isOrdinary = (name: string): boolean => ordinary.has(name);

const ordinary = new Set(
  "root lib lib64 lib32 usr bin sbin etc home homes users Users people scratch opt var tmp proc sys dev run srv mnt media data conda cuda local share include site-packages dist-packages linuxbrew runner".split(
    " ",
  ),
);

const isShared = (name: string) =>
  /^(?:shared?|public|common|projects?|groups?|datasets?|models?|software|apps?|modules?|envs?|containers?|images?|work|jobs?|cache|build|src|tools?|archive|backup|users?|home)$/i.test(
    name,
  );

/** A person may be called like a package. */
export const isSoftware = (name: string): boolean =>
  allNames("modules").includes(name.toLowerCase()) ||
  /^(?:nvidia|python[\d.]*|keras|numpy|site-packages|dist-packages|cuda.*|cudnn.*|nccl.*|tensorrt.*|(?:mini|ana)?conda\d*|miniforge\d*|mambaforge|venv|\.venv|env)$/i.test(
    name,
  );
