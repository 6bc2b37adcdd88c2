// In the place of node:path, within a browser: what tests use of it.
export const join = (...parts: string[]): string =>
  parts
    .filter((part) => part !== "")
    .join("/")
    .replace(/\/(?:\.?\/)+/g, "/");
export const basename = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const dirname = (path: string): string => path.slice(0, path.lastIndexOf("/")) || ".";

export default { join, basename, dirname, posix: { join, basename, dirname } };
