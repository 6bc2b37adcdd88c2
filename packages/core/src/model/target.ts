import type { FileFact, NotElfFact, RunningFact, TargetDescription, Unknown } from "./snapshot.ts";

/**
 * Where we look. The only door to the outside: nothing after it knows what kind of target it has.
 * Paths are the target's own and absolute; the folders on the way are real folders, never links.
 */
export interface Target {
  readonly description: TargetDescription;
  /** What is at each path, the last link not followed. */
  look(paths: string[]): Promise<FileFact[]>;
  /** A file to read pieces of; a string is the code of the error that opening it gave. */
  open(path: string): Promise<OpenFile | string>;
  /** Names in a folder; a string is the code of the error. */
  list(path: string): Promise<string[] | { code: string }>;
  /** How a program started there would begin. */
  process(): Promise<ProcessStart>;
  /**
   * Only where every question costs a journey there and back: brings in one journey what is about to be asked. Links are followed over
   * there, and what `look` would say is told of every path on the way; `open` and `list` of what lies at its end need no journey then.
   */
  prefetch?(wanted: PrefetchRequest[]): Promise<Map<string, FileFact>>;
  /** Nothing more will be asked. */
  end?(): void;
}

/** A path that may lead through links, and what of its end will be asked: whether it is there, its names, its bytes. */
export interface PrefetchRequest {
  path: string;
  as: "entry" | "listing" | "whole" | "parts";
}

export interface ProcessStart {
  environment: { [name: string]: string };
  cwd: string;
  user: { uid: number; gid: number };
  running?: RunningFact;
  /** What of the target itself could not be told, or had to be chosen. */
  unknown?: Unknown[];
}

export interface OpenFile {
  readonly size: number;
  /** Up to `length` bytes from `offset`; fewer at the end of the file. */
  read(ranges: Range[]): Promise<Uint8Array[]>;
  close(): void;
}

export interface Range {
  offset: number;
  length: number;
  /** It is the head of a record, and the heads of those behind it will be read next. */
  chain?: Chain;
}

/** Records that lie one behind the other: whoever is far away can have all their heads in one journey. */
export interface Chain {
  /** Where the last of them ends. */
  end: number;
  /** How far it is to the next record: numbers in the head, the least byte first, added up. By how the head begins; the first that fits. */
  kinds: { begins: number[]; sum: { at: number; size: number }[] }[];
}

/** Where a file can be read only while it goes by: chooses the bytes that will be asked for. Files come one after the other. */
export type ByteSelector = (path: string, size: number, isExecutable: boolean) => Keeper;

export interface Keeper {
  /** Whether further bytes matter; if not, they need not be given. */
  readonly wants: boolean;
  /** The next bytes; nobody changes them afterwards. */
  push(piece: Uint8Array): void;
  /** The next bytes are zero, this many. */
  zeros(count: number): void;
  /** What to keep, until the next file; and of what is not an ELF file but might be asked for as one, what it is. */
  end(): { pieces: Piece[]; object?: NotElfFact };
}

export interface Piece {
  offset: number;
  bytes: Uint8Array;
}
