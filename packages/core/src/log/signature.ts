import type { Draft } from "./fact.ts";
import type { Meaning } from "./meaning.ts";

/** Named groups of a match; a group that took no part is absent. */
export type Groups = { [name: string]: string | undefined };

/**
 * How one message is recognised. Patterns hold no unbounded quantifier, so each runs in time linear in the line
 * (tests/log/patterns.test.ts holds them to it); only lines with one of the literals are tried at all.
 */
export interface Signature {
  /** In small letters; every line that fits holds one of them. */
  literals: string[];
  pattern: RegExp;
  /** Lines as the program prints them. */
  examples: string[];
  facts: (groups: Groups, match: RegExpExecArray) => Draft | Draft[] | undefined;
  /** A line of a dump stands for itself and is never joined with the next. */
  single?: true;
  /** The notice that it makes, where it makes no other fact. */
  notice?: string;
  /** What that notice may mean by itself (`told.ts`); of several signatures of one notice, one has it. */
  means?: Meaning;
  /** Tried at every place of the line, not only at the first. */
  every?: true;
}

/** A message that says all by itself. */
export const notice = (id: string, literals: string | string[], pattern: RegExp, ...examples: string[]): Signature => ({
  literals: [literals].flat(),
  pattern,
  examples,
  notice: id,
  facts: ({ subject, required, found }) => ({
    kind: "notice",
    id,
    ...(subject === undefined ? {} : { subject }),
    ...(required === undefined ? {} : { required }),
    ...(found === undefined ? {} : { found }),
  }),
});

/** A line that looks alarming and is not. */
export const noise = (reason: string, literals: string | string[], pattern: RegExp, ...examples: string[]): Signature => ({
  literals: [literals].flat(),
  pattern,
  examples,
  facts: () => ({ kind: "noise", reason }),
});
