import type { Draft } from "./fact.ts";

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
  /** Tried at every place of the line, not only at the first. */
  every?: true;
}

/** A message that says all by itself. */
export const notice = (id: string, literals: string | string[], pattern: RegExp, ...examples: string[]): Signature => ({
  literals: [literals].flat(),
  pattern,
  examples,
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
