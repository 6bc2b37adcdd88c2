import type { Draft } from "./fact.ts";

/**
 * A way in which any program may say something: what stands there whoever speaks. Only lines that no signature took are tried, and what a
 * frame makes of them is marked, so that nothing that rests on it is ever certain.
 */
export interface Frame {
  id: string;
  /** In small letters; every line that the frame understands holds one of them. */
  literals: string[];
  /** Says less than the others do of the same line: tried behind them. */
  vague?: true;
  /** Lines of nobody's program, which it understands. */
  examples: string[];
  /** What it hears stands beside what the line says otherwise, also where a signature took it. */
  beside?: true;
  read: (text: string) => Draft[];
}
