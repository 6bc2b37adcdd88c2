import type { Draft } from "./fact.ts";
import { frames } from "./index.generated.ts";
import { withoutSupposed } from "./hypothetical.ts";
import { rewordedFacts, unmarked } from "./reworded.ts";
import { persons, sentencesOf } from "./sentence.ts";

/** Lines that may say something though no signature knows them. */
export const grammarLiterals: string[] = [...new Set(frames.flatMap(({ literals }) => literals))];

// A message is short; and of lines that differ in their numbers alone, the first says it.
const longest = 2000;
const mostShapes = 20_000;

// What somebody leaves out on purpose is no fault of his stack.
const leftOut = /\b(?:skipping|skipped|optional)\b/i;

const alone = frames.filter(({ beside }) => !beside);
const inOrder = [...alone.filter(({ vague }) => !vague), ...alone.filter(({ vague }) => vague)];
const besideOthers = frames.filter(({ beside }) => beside);

// What is needed and what is there: of two readings of a line, the one that has both says more.
const tellsBoth = (draft: Draft): boolean => "required" in draft && "found" in draft && draft.found !== undefined;

/** People put several things into one line: each of their sentences is heard, too. */
function framedFacts(text: string): Heard[] {
  const whole = heardIn(text);
  const sentences = sentencesOf(text);
  if (sentences.length < 2 || (whole && !persons.test(text))) return whole ? [whole] : [];
  const parts = sentences.flatMap((sentence) => heardIn(sentence.text) ?? []);
  return [...(whole ? [whole] : []), ...parts];
}

function heardBeside(line: string): Heard[] {
  const text = unmarked(line);
  const lower = text.toLowerCase();
  return besideOthers
    .filter(({ literals }) => literals.some((literal) => lower.includes(literal)))
    .map(({ id, read }) => ({ drafts: read(text), by: id }));
}

function heardIn(text: string): Heard | undefined {
  const lower = text.toLowerCase();
  for (const { id, literals, read } of inOrder) {
    if (!literals.some((literal) => lower.includes(literal))) continue;
    const drafts = read(text);
    if (0 < drafts.length) return { drafts, by: id };
  }
  return undefined;
}

/** What a way of saying made of a line. */
interface Heard {
  drafts: Draft[];
  by: string;
}

/** The grammar behind the rows: known messages in other words first, then the frames. */
export function behindRows(): (line: string, next?: string, isTaken?: boolean) => Heard[] {
  const shapes = new Set<string>();
  return (whole, next, isTaken = false) => {
    const line = withoutSupposed(whole);
    if (longest < line.length || mostShapes <= shapes.size) return [];
    const shape = line.replace(/\d{1,20}/g, "0");
    if (shapes.has(shape)) return [];
    shapes.add(shape);
    const besides = heardBeside(line);
    if (isTaken) return besides;
    const known = leftOut.test(line) ? [] : rewordedFacts(line);
    const framed = known.some(tellsBoth) ? [] : framedFacts(unmarked(line));
    if (0 < known.length)
      return framed.some(({ drafts }) => drafts.some(tellsBoth)) ? framed : [{ drafts: known, by: "reworded" }, ...besides];
    if (0 < framed.length) return [...framed, ...besides];
    // A sentence that goes on in the next line.
    const goesOn = next !== undefined && !/[.!?:;]\s*$/.test(line) && !leftOut.test(line + next);
    const wrapped = goesOn ? rewordedFacts(`${line} ${next.trim()}`, line.length) : [];
    return [...(0 < wrapped.length ? [{ drafts: wrapped, by: "reworded" }] : []), ...besides];
  };
}
