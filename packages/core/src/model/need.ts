/** Which aspect of a path must be known before an answer can be given. */
export type Aspect =
  | "entry"
  | "object"
  | "loader"
  | "cache"
  | "text"
  | "listing"
  | "symbols"
  | "undefined"
  | "bindings"
  | "architectures"
  | "module";

export interface Need {
  path: string;
  as: Aspect;
  /** For `symbols`, `bindings` and `module`: the names that are asked about. */
  names?: string[];
}

/** Tells two rounds of needs apart: a round that asks for the same again will not get more. */
export const keyOfNeeds = (needs: Need[]) => needs.map(({ as, path, names }) => `${as} ${path} ${names?.join(" ") ?? ""}`).join("\n");
