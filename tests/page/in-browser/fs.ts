// In the place of node:fs, within a browser: files of the repository that were put into the page.
const files = (globalThis as unknown as { givenFiles?: { [path: string]: string } }).givenFiles ?? {};
const clean = (path: string) => path.replace(/^\.\//, "").replace(/\/+/g, "/").replace(/\/$/, "");

export function readFileSync(path: string, how?: string | { encoding?: string }): string | Uint8Array {
  const packed = files[clean(path)];
  if (packed === undefined) throw new Error(`${path} was not put into the page`);
  const bytes = Uint8Array.from(atob(packed), (character) => character.codePointAt(0)!);
  return how === undefined ? bytes : new TextDecoder().decode(bytes);
}

export const existsSync = (path: string): boolean =>
  clean(path) in files || Object.keys(files).some((each) => each.startsWith(`${clean(path)}/`));

export function readdirSync(folder: string, { withFileTypes = false, recursive = false } = {}): unknown[] {
  const below = Object.keys(files).flatMap((each) => (each.startsWith(`${clean(folder)}/`) ? [each.slice(clean(folder).length + 1)] : []));
  const names = [...new Set(below.flatMap((each) => (recursive ? withFolders(each) : [each.split("/")[0]!])))].sort();
  if (!withFileTypes) return names;
  return names.map((name) => {
    const isFile = () => `${clean(folder)}/${name}` in files;
    return { name, parentPath: folder, isFile, isDirectory: () => !isFile() };
  });
}

const withFolders = (path: string): string[] => {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
};

export default { readFileSync, existsSync, readdirSync };
