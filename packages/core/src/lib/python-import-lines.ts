// What a line of Python imports, and by which names the file has it then.
import type { PythonLine } from "./python-lines.ts";

/** `import a.b, c` → `a.b` and `c`; `from a import b, c as d` → `a:b,c`. */
export function importsOf({ code }: PythonLine): string[] {
  return code.split(";").flatMap((statement) => {
    const text = statement.trim();
    const plain = /^import\s+(.+)$/.exec(text)?.[1];
    if (plain !== undefined) return namesOf(plain);
    const [, from, listed] = /^from\s+([.\w]+)\s+import\s*(.+)$/.exec(text) ?? [];
    return from === undefined ? [] : [`${from}:${namesOf(listed!.replaceAll(/[()]/g, " ")).join()}`];
  });
}

const namesOf = (listed: string) =>
  listed
    .split(",")
    .map((part) => part.trim().split(/\s/)[0]!)
    .filter((name) => /^(?:[.\w]+|\*)$/.test(name));
