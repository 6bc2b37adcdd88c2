import { explainLog } from "../../packages/core/src/culprit.ts";
import { Dice } from "../fuzz/fuzz.ts";

/** One way in which a message comes changed: by hand, by a web page, by another release of its program. */
export interface Mutation {
  of: "markdown" | "case" | "quotes" | "word left out" | "word replaced" | "word put in";
  text: string;
}

// Without these a sentence says the opposite, or nothing.
const turns =
  /^(?:no|not|non|none|cannot|can't|couldn't|didn't|isn't|un\w+|in\w+|without|fail\w*|error\w*|missing|mis\w+|too|older|newer|less|least|only|requires?|required|needs?|old|new|before|after|than|refused|closed|denied|out|insufficient|fatal|but|lacks?|found|built|compiled)$/i;

const others: { [word: string]: string } = {
  could: "may",
  load: "read",
  open: "load",
  find: "locate",
  library: "module",
  file: "path",
  version: "release",
  versions: "releases",
  device: "card",
  devices: "cards",
  installed: "present",
  supported: "allowed",
  please: "kindly",
  the: "that",
  is: "was",
  was: "is",
  are: "were",
  your: "the",
  this: "that",
  with: "by",
  for: "of",
};

/** Every message in several changed forms; the same ones each time. */
export function mutationsOf(text: string): Mutation[] {
  const dice = new Dice(text.length * 7919 + text.charCodeAt(0));
  const found: Mutation[] = [
    { of: "markdown", text: `_${text}_` },
    { of: "markdown", text: `**${text}**` },
    { of: "markdown", text: `- \`${text}\`` },
    { of: "case", text: text.toLowerCase() },
    { of: "case", text: text.charAt(0).toUpperCase() + text.slice(1) },
  ];
  if (/["'`]/.test(text))
    found.push(
      { of: "quotes", text: text.replace(/["'`]/g, "") },
      { of: "quotes", text: text.replace(/['`]/g, '"') },
      { of: "quotes", text: text.replace(/["']/g, "`") },
      { of: "quotes", text: text.replace(/["'`]([^"'`]{1,80})["'`]/g, "\u201c$1\u201d") },
    );
  const words = [...text.matchAll(/(?<![\w./\\'"`=[(-])[A-Za-z]{2,}(?![\w./\\'"`=\](-])/g)].filter(([word]) => !turns.test(word));
  // As many of a long message as of a short one.
  for (let round = 0; round < 3 && 0 < words.length; round += 1) {
    const [match] = words.splice(dice.below(words.length), 1);
    const [before, after] = [text.slice(0, match!.index), text.slice(match!.index + match![0].length)];
    found.push(
      { of: "word left out", text: `${before}${after}`.replace(/ {2,}/g, " ").trim() },
      { of: "word replaced", text: `${before}${others[match![0].toLowerCase()] ?? "certain"}${after}` },
      { of: "word put in", text: `${before}${dice.pick(["really", "currently", "also", "indeed"])} ${match![0]}${after}` },
    );
  }
  return found.filter((mutation) => mutation.text !== text);
}

const causeOf = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses[0]?.cause;

/** How many changed messages have the same first cause as before, or at least an answer; of those that had one. */
export async function heardOf(examples: string[]): Promise<{ tried: number; same: number; answered: number }> {
  const heard = { tried: 0, same: 0, answered: 0 };
  for (const example of examples) {
    const cause = await causeOf(example);
    if (cause === undefined) continue;
    for (const { text } of mutationsOf(example)) {
      const now = await causeOf(text);
      heard.tried += 1;
      heard.same += now === cause ? 1 : 0;
      heard.answered += now === undefined ? 0 : 1;
    }
  }
  return heard;
}
