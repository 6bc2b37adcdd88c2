import { builtInDay } from "../knowledge-day.generated.ts";

/** Newer knowledge than the program's own, by subject; checked before it comes here. */
export interface BroughtKnowledge {
  day: string;
  files: { [subject: string]: unknown };
}

// Which knowledge a process has is a fact of that process, as its variables are, and it never changes: whoever comes first, the user's
// file or a question, settles it, and the language holds it (docs/decisions/0012-knowledge-of-a-process.md). The command is several
// bundles, each with modules of its own: only the process is common to them.
const place = Symbol.for("culprit/knowledge@1");

const settled = (value: BroughtKnowledge | undefined) =>
  Object.defineProperty(globalThis, place, { value, writable: false, configurable: false });

/** What the user brought; undefined where that is nothing. Nothing can be brought any more once somebody has asked. */
export function settledKnowledge(): BroughtKnowledge | undefined {
  if (!(place in globalThis)) settled(undefined);
  return (globalThis as { [place]?: BroughtKnowledge })[place];
}

/** From now on this process knows that; false where it is too late, because a question was asked with what was there. */
export function settleKnowledge(brought: BroughtKnowledge): boolean {
  if (place in globalThis) return false;
  settled(brought);
  return true;
}

/** The day of what is known here: the newest on which a fact was compared with its source. */
export const knowledgeDay = (): string => settledKnowledge()?.day ?? builtInDay;
