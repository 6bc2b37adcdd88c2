import type { FileFact, Snapshot, TargetDescription } from "./snapshot.ts";

/** A dependency file with the files that it names: what a fleet is told of a lock file, in the place of a snapshot. */
export interface DeclaredFiles {
  schema: "culprit/declared@1";
  culprit: string;
  target: TargetDescription;
  /** The dependency file, as it is named below. */
  file: string;
  /** What was asked for beside it: a text, a file that is only known to be there, or (`hidden`) why it could not be read. */
  files: { [path: string]: FileFact };
}

/** What a node tells a fleet: its facts, whole. */
export type Told = Snapshot | DeclaredFiles;

/** What is this node's own and decides nothing: it is kept beside the stack, so that like nodes share one. */
export interface OwnFacts {
  culprit: string;
  target: TargetDescription;
  pid?: number;
  /** The process that took the facts, where `/proc/self` led. */
  self?: string;
  /** As they are on this node; the stack has them without identities. */
  files?: { [path: string]: FileFact };
}

/** What a node says of itself before any fact is sent. */
export interface Manifest {
  /** Of stack, own facts, kind and group together: the same digest, nothing changed. */
  digest: string;
  /** When the facts were taken; a node never goes back in time. */
  taken: string;
  stack: string;
  own: OwnFacts;
  group: string;
}

/** What the server says to it. */
export interface PushAnswer {
  /** `unknown`: the manifest is wanted; `lacking`: facts are; the other two are the end. */
  state: "unchanged" | "unknown" | "lacking" | "stored";
  /** Of the facts that were named, those that the server does not have. */
  lacking?: string[];
}
