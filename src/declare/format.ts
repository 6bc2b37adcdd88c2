import type { Declaration, DeclarationFormat } from "../model/declaration.ts";
import { readCondaExplicit } from "./formats/conda-explicit.ts";
import { readRequirements } from "./formats/requirements.ts";

/** One reader for each format; each takes any text and never throws. */
const readers: Partial<{ [Format in DeclarationFormat]: (text: string, file: string) => Declaration }> = {
  requirements: readRequirements,
  "conda-explicit": readCondaExplicit,
};

export function readFormat(format: DeclarationFormat, text: string, file: string): Declaration {
  return readers[format]!(text, file);
}
