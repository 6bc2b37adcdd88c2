// A file may have several names (hard links), and nothing on a disk says where: they are looked for where they would be.
import fs from "node:fs";
import path from "node:path";
import { at, reach, type Folder } from "./hold.ts";

/** How many things are looked at, in the file's own folder and below, then from the folder above on. */
const most = 20_000;

/** Other names of a file inside the root folder, as paths; not always all of them. */
export function otherNames(root: string, folder: Folder, name: string, { dev, ino, nlink }: fs.Stats): string[] {
  const own = path.join(folder.path, name);
  const found = new Set<string>();
  let looked = 0;
  const search = (start: string) => {
    const todo = [start];
    for (let next = todo.shift(); next !== undefined && looked < most && found.size < nlink - 1; next = todo.shift()) {
      let names: string[];
      try {
        names = fs.readdirSync(next);
      } catch {
        continue;
      }
      for (const each of names) {
        const file = path.join(next, each);
        const stat = fs.lstatSync(file, { throwIfNoEntry: false });
        looked += 1;
        if (stat?.isDirectory() && stat.dev === dev) todo.push(file);
        else if (stat?.ino === ino && stat.dev === dev && file !== own) found.add(file);
      }
    }
  };
  search(folder.path);
  const above = path.dirname(folder.path);
  if (found.size < nlink - 1 && above !== "/" && `${above}/`.startsWith(`${root}/`)) search(above);
  const isReachable = (file: string) => {
    try {
      return reach("", file, { links: "none" }, (place) => fs.lstatSync(at(place.folder, place.name)).ino === ino);
    } catch {
      return false;
    }
  };
  return [...found].filter(isReachable);
}
