// Import statements of a Python file that are run whenever it is: those at its left margin.

/** Names as they are written, relative ones with their dots; of `from a import b` both `a` and `a.b`, as `b` may be a module. */
export function importsIn(source: string): string[] {
  const found = new Set<string>();
  // A text over several lines may hold anything at the margin.
  const code = source.replaceAll(/("""|''')[\s\S]*?\1/g, "0").replaceAll(/\\\r?\n/g, " ");
  for (const [, names] of code.matchAll(/^import[ \t]+([^#;\r\n]+)/gm))
    for (const name of names!.split(",")) found.add(name.trim().split(/\s/)[0]!);
  for (const [, from, listed, line] of code.matchAll(/^from[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^#;\r\n]+))/gm)) {
    found.add(from!);
    for (const part of (listed ?? line!).replaceAll(/#.*/g, "").split(",")) {
      const name = part.trim().split(/\s/)[0]!;
      if (/^\w+$/.test(name)) found.add(from!.endsWith(".") ? `${from}${name}` : `${from}.${name}`);
    }
  }
  return [...found].filter((name) => /^[.\w]+$/.test(name)).sort();
}
