import type { Draft } from "./fact.ts";
import { frames } from "./index.generated.ts";
import { withoutSupposed } from "./hypothetical.ts";
import { rewordedFacts, unmarked } from "./reworded.ts";

/** Lines that may say something though no signature knows them. */
export const grammarLiterals: string[] = [...new Set(frames.flatMap(({ literals }) => literals))];

// A message is short; and of lines that differ in their numbers alone, the first says it.
const longest = 2000;
const mostShapes = 20_000;

// What somebody leaves out on purpose is no fault of his stack.
const leftOut = /\b(?:skipping|skipped|optional)\b/i;

const inOrder = [...frames.filter(({ vague }) => !vague), ...frames.filter(({ vague }) => vague)];

// What is needed and what is there: of two readings of a line, the one that has both says more.
const tellsBoth = (draft: Draft): boolean => "required" in draft && "found" in draft && draft.found !== undefined;

function framedFacts(text: string): { drafts: Draft[]; by: string } | undefined {
  const lower = text.toLowerCase();
  for (const { id, literals, read } of inOrder) {
    if (!literals.some((literal) => lower.includes(literal))) continue;
    const drafts = read(text);
    if (0 < drafts.length) return { drafts, by: id };
  }
  return undefined;
}

/** The grammar behind the rows: known messages in other words first, then the frames. */
export function behindRows(): (line: string, next?: string) => { drafts: Draft[]; by: string } | undefined {
  const shapes = new Set<string>();
  return (whole, next) => {
    const line = withoutSupposed(whole);
    if (longest < line.length || mostShapes <= shapes.size) return undefined;
    const shape = line.replace(/\d{1,20}/g, "0");
    if (shapes.has(shape)) return undefined;
    shapes.add(shape);
    const known = leftOut.test(line) ? [] : rewordedFacts(line);
    const framed = 0 < known.length && known.some(tellsBoth) ? undefined : framedFacts(unmarked(line));
    if (0 < known.length) return framed?.drafts.some(tellsBoth) ? framed : { drafts: known, by: "reworded" };
    if (framed) return framed;
    // A sentence that goes on in the next line.
    const goesOn = next !== undefined && !/[.!?:;]\s*$/.test(line) && !leftOut.test(line + next);
    const wrapped = goesOn ? rewordedFacts(`${line} ${next.trim()}`, line.length) : [];
    return 0 < wrapped.length ? { drafts: wrapped, by: "reworded" } : undefined;
  };
}
