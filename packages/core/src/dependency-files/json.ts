import { tooMuchJson } from "../lib/json-size.ts";
import { scanJson } from "../lib/json-scan.ts";

/** JSON; what is none is thrown with its place, which JSON.parse does not tell on every Node. */
export function readJson(text: string): unknown {
  const plain = text.replace(/^\ufeff/, "");
  const excess = tooMuchJson(plain);
  if (excess !== undefined) throw new Error(excess);
  try {
    return JSON.parse(plain);
  } catch (error) {
    const offset = scanJson(plain);
    if (offset === undefined) throw error;
    const before = plain.slice(0, offset);
    const why = plain[offset] === undefined ? "it ends too early" : `\`${plain[offset]}\` cannot stand there`;
    throw new Error(`line ${before.split("\n").length}, column ${offset - before.lastIndexOf("\n")} is no JSON: ${why}`, { cause: error });
  }
}
