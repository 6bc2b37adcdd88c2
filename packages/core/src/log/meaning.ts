import type { Cause } from "../model/cause.ts";
import { weights, type Suspect } from "./cause.ts";
import type { Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { fix } from "./fixes.ts";

type Fixes = NonNullable<Suspect["fixes"]>;

/** What a message that says all by itself may mean: a row of its emitter's file, beside the pattern and the example. */
export interface Meaning extends Partial<Omit<Suspect, "cause" | "certainty" | "message" | "evidence" | "fixes">> {
  /** How loudly it speaks; a hint where nothing is said. */
  weight?: number;
  /** What is seen, whichever cause it is. */
  symptom?: string;
  /** Where the text says more than the message, another step speaks. */
  unless?: (facts: Facts, context: Context) => boolean;
  /** What the rest of the text adds to every cause. */
  about?: (facts: Facts, context: Context) => Partial<Pick<Suspect, "found" | "required" | "name">>;
  /** The causes that fit, most likely first. */
  may: May[];
}

/** One cause that fits; what it does not say itself, its row says. Without a certainty it is possible. */
export interface May extends Partial<Omit<Suspect, "cause" | "message" | "evidence" | "fixes">> {
  cause: Cause;
  message: string;
  /** Where the rest of the text leaves it open. */
  when?: (facts: Facts, context: Context) => boolean;
  fixes?: Fixes | ((facts: Facts, context: Context, evidence: Fact<"notice">[]) => Fixes);
}

/** A matter of the host, of the command or of the program that no version changes. */
export const ownMatter = (name: string, message: string, how: string): Meaning => ({
  weight: weights.other + 1,
  name,
  may: [{ cause: "not-a-mismatch", certainty: "likely", message, fixes: [fix(how)] }],
});

/** The driver's library, of which many messages speak. */
export const libcuda = { name: "libcuda.so.1", library: "libcuda" };
