// How much a JSON text would unfold to. A reader of JSON makes a value of every bracket: 64 MB of `[` are gigabytes, and whoever goes over
// such a value goes as deep as it is. So it is measured before it is read.

/** Deeper than anything that this program reads: a snapshot has 8 levels. */
const deepest = 500;
/** A value takes some 16 to 64 bytes. */
const mostValues = 20_000_000;

/** What keeps a text from being read, as the end of a sentence; undefined where nothing does. Texts that are no JSON are not its business. */
export function tooMuchJson(text: string): string | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      // Most texts are short and without a backslash.
      for (at += 1; at < text.length; at += 1) {
        const inner = text.charCodeAt(at);
        if (inner === quote) break;
        if (inner === backslash) at += 1;
      }
    } else if (code === openBracket || code === openBrace) {
      depth += 1;
      values += 1;
      if (deepest < depth) return `it is nested more than ${deepest} levels deep`;
    } else if (code === closeBracket || code === closeBrace) depth -= 1;
    else if (code === comma) values += 1;
  }
  return mostValues < values ? `it holds more than ${mostValues} values` : undefined;
}

const [quote, backslash, comma, openBracket, closeBracket, openBrace, closeBrace] = [34, 92, 44, 91, 93, 123, 125] as const;
