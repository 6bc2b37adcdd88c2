/** A known GPU library, as `knowledge/libraries/<id>.json` describes it. */
export interface Library {
  id: string;
  name: string;
  /** Object names without what follows `.so`: `libcudnn`, `libcudnn_graph`. */
  objects: string[];
  /** How its functions begin; used to say which library an unversioned undefined symbol needs. */
  symbols: string[];
  /** The functions or variables that hold its version, best first, and how to read the number. */
  version?: { symbols: string[]; form: VersionForm };
  source: string;
  checked: string;
}

/**
 * How numbers become a version: `cuda` 12090 → 12.9; `dotted` 11401 → 11.4.1 or 91900 → 9.19.0, by the major number in the
 * object's name; `pair` two numbers → major.minor; `cupti` as it is, a number of its own.
 */
export type VersionForm = "cuda" | "dotted" | "pair" | "cupti";
