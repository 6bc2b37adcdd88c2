/** The folder part of a path, purely as text; a path without a slash has none. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : slash === 0 ? "/" : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function absolute(path: string, cwd: string): string {
  return path.startsWith("/") ? path : cwd.endsWith("/") ? cwd + path : `${cwd}/${path}`;
}

/** `/a/b/../c` as `/a/c`, purely as text. */
export function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === ".." && 1 < parts.length) parts.pop();
    else if (part !== "." && part !== "..") parts.push(part);
  }
  return parts.join("/");
}

/** Without the slashes at its end; a pattern would look at each of many slashes once for each of them. */
export function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (0 < end && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}
