// Files of environment modules, and what `module show` prints of them.
import { readLuaModule } from "./module-lua.ts";
import type { ModuleContext, UnclearLine } from "./module-script.ts";
import { readTclModule } from "./module-tcl.ts";

/** One module of a text. */
export interface ModuleText {
  /** Where it lies; of what `module show` printed, as that says. */
  file: string;
  text: string;
  /** The line of the given text before its first one. */
  offset: number;
}

/** `module show` prints the path of each file with a colon, between lines of dashes, and all values worked out. */
export function modulesIn(file: string, text: string): ModuleText[] {
  const lines = text.split("\n");
  const heads = lines.flatMap((line, index) => {
    const path = /^\s*(\/\S.*?):\s*$/.exec(line)?.[1];
    const isHead = path !== undefined && /^-{10,}\s*$/.test(lines[index - 1] ?? "");
    return isHead ? [{ path, index }] : [];
  });
  if (heads.length === 0) return [{ file, text, offset: 0 }];
  return heads.map(({ path, index }, place) => {
    const body = lines.slice(index + 1, heads[place + 1]?.index ?? lines.length).map((line) => (/^-{10,}\s*$/.test(line) ? "" : line));
    return { file: path, text: body.join("\n"), offset: index + 1 };
  });
}

/** `cudnn/9.1` of `/apps/modulefiles/cudnn/9.1.lua`; below which folder it was found is told where that is known. */
export function moduleName(file: string, folder?: string): string {
  const plain = file.replace(/\.lua$/, "");
  if (folder !== undefined && plain.startsWith(`${folder}/`)) return plain.slice(folder.length + 1);
  return plain.split("/").slice(-2).join("/");
}

const isLua = (file: string, text: string) =>
  file.endsWith(".lua") ||
  (!text.startsWith("#%Module") &&
    text.split("\n").some((line) => /^(?:\w{1,20}_path|setenv|whatis|help|local|load|conflict) ?[({ ] ?["'[{]/.test(line.trimStart())));

/** Does what a module does, one after the other; gives back what is not understood. */
export function readModule({ file, text, offset }: ModuleText, context: ModuleContext): UnclearLine[] {
  const placed: ModuleContext = { ...context, act: (action) => context.act({ ...action, line: action.line + offset }) };
  return (isLua(file, text) ? readLuaModule : readTclModule)(text, placed).map((each) => ({ ...each, line: each.line + offset }));
}
