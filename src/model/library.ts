/** A known GPU library, as `knowledge/libraries/<id>.json` describes it. */
export interface Library {
  id: string;
  name: string;
  /** Object names without what follows `.so`: `libcudnn`, `libcudnn_graph`. */
  objects: string[];
  /** How its functions begin; used to say which library an unversioned undefined symbol needs. */
  symbols: string[];
  /** The function that returns its version, and how to read the number. */
  version?: { function: string; form: VersionForm };
  source: string;
  checked: string;
}

/** How a number becomes a version: `cudnn` 91900 → 9.19.0, `thousand` 13000 → 13.0, `stores` two stores → major.minor, `nccl`, `cupti` as is. */
export type VersionForm = "cudnn" | "thousand" | "stores" | "nccl" | "cupti" | "hundred";
