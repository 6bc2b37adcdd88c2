import type { Diagnosis } from "../model/explain.ts";
import type { Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";

/** One cause that fits; `evidence` are the facts that speak for it. */
export type Suspect = Pick<Diagnosis, "cause" | "certainty" | "message"> &
  Partial<Pick<Diagnosis, "name" | "library" | "required" | "found" | "because" | "next" | "fixes">> & { evidence: Fact[] };

/** One thing that went wrong, and the causes that fit, most likely first. */
export interface Problem {
  weight: number;
  /** What is seen, in words that are true whichever of the suspects it is; shown where the first of them is only possible. */
  symptom?: string;
  suspects: Suspect[];
}

/** How loudly a problem speaks. What is said outright comes before what is concluded, and that before a hint. */
export const weights = {
  /** A program compared, and said what it wants and has. */
  said: 90,
  /** A program says what it cannot do, and why. */
  refused: 80,
  /** A program failed in a way that has few causes. */
  failed: 70,
  /** It went on without. */
  warned: 60,
  /** Follows from what a dump holds. */
  concluded: 50,
  /** Something is not as it should be, and more would have to be known. */
  hint: 30,
  /** A real problem, but no mismatch. */
  other: 25,
  harmless: 10,
};

/** One reasoned step: from facts to what may be wrong. */
export type Step = (facts: Facts, context: Context) => Problem[];
