import type { Place } from "../model/finding.ts";

/** Lines of a text, whatever ends them. */
export const splitLines = (text: string): string[] => text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);

/** Where something is in a file, from numbers that begin with 1. */
export const placeAt = (file: string, line: number, column?: number, length?: number): Place => ({
  file,
  line,
  ...(column === undefined ? {} : { column, ...(length === undefined ? {} : { endColumn: column + length }) }),
});

/** `a/b/../c.txt` → `a/c.txt`; a path that begins with `/` stays where it is. */
export function joinedPath(folder: string, path: string): string {
  const parts: string[] = [];
  const isAbsolute = path.startsWith("/") || (folder.startsWith("/") && !path.startsWith("/"));
  for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && 0 < parts.length && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return `${isAbsolute ? "/" : ""}${parts.join("/")}`;
}

export const folderOf = (file: string): string => (file.includes("/") ? file.slice(0, file.lastIndexOf("/")) || "/" : "");
