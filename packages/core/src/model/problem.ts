/** Why a question was not answered, by what whoever asked can do about it. */
export type ProblemCode =
  /** The question makes no sense or cannot be read: ask it otherwise. */
  | "bad-question"
  /** It names something that nothing is known of: a framework, a package, a release, a GPU. */
  | "not-known"
  /** It names something that is not there: a file, a Python environment, a finding. */
  | "not-found"
  /** The framework is not in the environment that is meant. */
  | "not-installed"
  /** Something may not be read: ask with more rights, or from inside. */
  | "unreadable"
  /** What was given is not what it should be: no JSON, or not as its schema says. */
  | "damaged"
  /** What was given is whole, and of a kind or a release that is not read here. */
  | "unsupported"
  /** What was given is larger than anything that is read. */
  | "too-large";

/** An answer that is none. */
export interface Problem {
  code: ProblemCode;
  /** One sentence for people: what is wrong, and where. */
  problem: string;
}

export const problemOf = (code: ProblemCode, problem: string): Problem => ({ code, problem });
