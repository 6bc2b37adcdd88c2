import { parse, TomlError } from "smol-toml";

/** TOML; what is none is thrown with its place, in one line. */
export function readToml(text: string): unknown {
  try {
    return parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message
      .split("\n")[0]!
      .replace(/^Invalid TOML document: /, "")
      // What the file holds is not repeated.
      .replace(/: .*|(?<!\s)\s*["`'].*/s, "");
    throw new Error(`line ${error.line}, column ${error.column} is no TOML: ${why}`, { cause: error });
  }
}
