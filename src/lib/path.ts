/** The folder part of a path, purely as text; a path without a slash has none. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : slash === 0 ? "/" : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A path below a folder that ends with or without a slash. */
export function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

export function absolute(path: string, cwd: string): string {
  return path.startsWith("/") ? path : join(cwd, path);
}

/** Splits off `.`, `..` and doubled slashes as text alone, which is only right where no folder is a link. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
