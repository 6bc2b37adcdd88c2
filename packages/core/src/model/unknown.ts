import type { Unknown } from "./snapshot.ts";

export type UnknownKind = "package" | "release" | "file" | "folder" | "driver" | "gpu" | "variable" | "processor";

/** What could not be told, what kind of thing it is, and why. */
export interface UnknownThing extends Unknown {
  kind: UnknownKind;
  /** No verdict rests on it: nobody asked about it. */
  aside?: true;
  /** Of a release: the newest that is known, which this one is beyond. */
  newerThan?: string;
}
