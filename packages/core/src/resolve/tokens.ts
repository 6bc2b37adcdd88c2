// Dynamic string tokens and path lists: glibc elf/dl-load.c (_dl_dst_substitute, fillin_rpath), ld.so(8).
export interface TokenValues {
  origin: string | undefined;
  lib: string | undefined;
  platform: string | undefined;
  /** Secure execution: `$ORIGIN` only at the start, and only into trusted folders when the executable asks. */
  secure?: { isExecutable: boolean; trusted: string[] };
  /** Before 2.28: `$NAME` ends only at a slash or at the end, and the beginning of a name is enough. */
  lax?: boolean;
}

/** The text with its tokens replaced; empty when a token has no value, which drops the whole path. */
export function expandTokens(text: string, values: TokenValues): string {
  if (!text.includes("$")) return text;
  let result = "";
  let checkTrust = false;
  for (let at = 0; at < text.length;) {
    if (text[at] !== "$") {
      result += text[at];
      at += 1;
      continue;
    }
    const token = values.lax ? laxTokenAt(text, at + 1) : tokenAt(text, at + 1);
    if (token === undefined) {
      result += "$";
      at += 1;
      continue;
    }
    let value = token.name === "ORIGIN" ? values.origin : token.name === "LIB" ? values.lib : values.platform;
    if (token.name === "ORIGIN" && values.secure) {
      const after = text[at + 1 + token.length];
      if (at !== 0 || (after !== undefined && after !== "/")) value = undefined;
      checkTrust = values.secure.isExecutable;
    }
    if (value === undefined) return "";
    result += value;
    at += 1 + token.length;
  }
  return checkTrust && !isTrusted(result, values.secure!.trusted) ? "" : result;
}

export const hasToken = (text: string) => [...text.matchAll(/\$/g)].some(({ index }) => tokenAt(text, index + 1) !== undefined);

interface Token {
  name: "ORIGIN" | "LIB" | "PLATFORM";
  length: number;
}

// The longest identifier counts: `$ORIGINX` is not a token, `${ORIGIN}X` is.
function tokenAt(text: string, at: number): Token | undefined {
  const curly = text[at] === "{";
  for (const name of ["ORIGIN", "PLATFORM", "LIB"] as const) {
    if (!text.startsWith(name, curly ? at + 1 : at)) continue;
    const after = text[at + (curly ? 1 : 0) + name.length];
    if (curly ? after === "}" : after === undefined || !/[A-Za-z0-9_]/.test(after)) return { name, length: name.length + (curly ? 2 : 0) };
  }
  return undefined;
}

function laxTokenAt(text: string, at: number): Token | undefined {
  const curly = text[at] === "{";
  const start = curly ? at + 1 : at;
  for (const name of ["ORIGIN", "PLATFORM", "LIB"] as const) {
    let length = 0;
    while (length < name.length && text[start + length] === name[length]) length += 1;
    const after = text[start + length];
    if (curly ? after === "}" : 0 < length && (after === undefined || after === "/")) return { name, length: length + (curly ? 2 : 0) };
  }
  return undefined;
}

function isTrusted(path: string, trusted: string[]): boolean {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const normal = `/${parts.join("/")}/`;
  return trusted.some((folder) => normal.startsWith(folder));
}

/**
 * A search list: its folders with tokens replaced, each ending in one slash; an empty element is the current folder.
 * A wholly empty list is no list.
 */
export function splitSearchPath(text: string, separators: ":" | ":;", values: TokenValues): string[] {
  if (text === "") return [];
  const folders: string[] = [];
  for (const element of text.split(separators === ":" ? ":" : /[:;]/)) {
    const expanded = element === "" ? "" : expandTokens(element, values);
    if (element !== "" && expanded === "") continue;
    const folder = expanded === "" ? "" : `${expanded.replace(/(?<!\/)\/+$/, "")}/`;
    if (!folders.includes(folder)) folders.push(folder);
  }
  return folders;
}
