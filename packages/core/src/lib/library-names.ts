// Which files of a list may be libraries: by their names, or, of large ones that are called otherwise, for somebody who looks into them.

/** `x.so`, `x.so.1.2`, and what somebody has put behind: `x.so.v2`, `x.so-12`. */
export const isLibraryName = (name: string): boolean =>
  name.includes(".so") && /\.so(?:[._+-][\w.+-]{1,40})?$/.test(name) && !beside.test(name);

/** What lies beside a library under its name. */
const beside = /\.(?:debug|dwp|json|txt|md|py|pyi|pyc|h|hpp|c|cpp|cu|o|a|gz|xz|zst|zip|sig|asc|sha256|ya?ml|toml|cfg|in)$/;

/** Plug-ins of other worlds are called so, and so is data. */
const called = /\.(?:bin|node|plugin|ext|mod|elf)$/;
/** Less than this is no library that is worth a look. */
const least = 1 << 14;

/** A line of a RECORD: a path, its hash, its size. */
export function mayBeLibrary(line: string): boolean {
  const [, path = "", size = ""] = /^(.*?),[^,]*,(\d*)$/.exec(line) ?? [];
  return called.test(path) && least <= Number(size);
}
