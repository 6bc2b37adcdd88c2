// pip's list of the files that a package installed (RECORD): the lines that tell its modules.

/** Modules in Python that no package of the same list is around: `rays/__init__.py`, `waves.py`, and `cuda/core/__init__.py` where `cuda` is shared. */
export function outermostModules(lines: string[]): string[] {
  const packages = new Set(lines.flatMap((line) => /^((?:\w+\/)+)__init__\.py,/.exec(line)?.[1] ?? []));
  return lines.filter((line) => {
    const inside = /^((?:[A-Za-z_]\w*\/){0,3})(?:__init__|[A-Za-z_]\w*)\.py,/.exec(line);
    if (!inside) return false;
    const isPackage = packages.has(inside[1]!) && line.startsWith(`${inside[1]}__init__.py,`);
    const around = inside[1]!.split("/").slice(0, -1);
    const outer = isPackage ? around.slice(0, -1) : around;
    if (outer.some((_, index) => packages.has(`${outer.slice(0, index + 1).join("/")}/`))) return false;
    // Beside scripts that lie in a folder, only what is a module of its own.
    return isPackage || around.length < 2;
  });
}
