import type { Failure, SearchStep, Via } from "./loads.ts";
import type { Unknown } from "./snapshot.ts";

/** One library: who asked for it, where the loader looked, who won, and what would change that. */
export interface Why {
  schema: "culprit/why@1";
  library: string;
  program?: { file: string; path: string };
  /** What the program imports, where it is Python. */
  frameworks?: string[];
  requests: WhyRequest[];
  /** With frameworks: the activity that asks for it, where none was named; absent where the import does. */
  activity?: string;
  /** As if the host provided a driver, because nothing shows one. */
  driverAssumed?: true;
  /** Other copies, and why each of them loses: first those that would be found next, in that order. */
  losers: WhyLoser[];
  /** Parts of the same library that the process would load of another release than the winner. */
  apart?: WhyPart[];
  changes: WhyChange[];
  unknown: Unknown[];
}

export interface WhyRequest {
  name: string;
  requestedBy: string;
  /** Why one step of the search was left out: a RUNPATH that switches the RPATHs off, for example. */
  notes: string[];
  steps: SearchStep[];
  /** The winner; absent when nothing was found. */
  file?: string;
  /** Of a copy of a known GPU library, where the file tells: `cuDNN 9.14.0`. */
  version?: string;
  path?: string;
  via?: Via;
  /** Answered by an object that was loaded before. */
  reused?: "name" | "soname" | "file";
  failure?: Failure;
  /** The program does not ask for it when it starts; this is what it would get with dlopen. */
  hypothetical?: true;
}

export interface WhyLoser {
  file: string;
  /** `cuDNN 9.14.0`. */
  version?: string;
  because: string;
}

export interface WhyPart {
  name: string;
  file: string;
  /** `cuDNN 9.14.0`. */
  version: string;
}

export interface WhyChange {
  what: string;
  /** What would happen then, in words. */
  outcome: string;
  /** The file that would win then, where it is one that is there now. */
  file?: string;
  version?: string;
  because: string;
}
