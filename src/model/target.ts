import type { FileFact, RunningFact, TargetDescription } from "./snapshot.ts";

/**
 * Where we look. The only door to the outside: nothing after it knows what kind of target it has.
 * Paths are the target's own and absolute; the folders on the way are real folders, never links.
 */
export interface Target {
  readonly description: TargetDescription;
  /** Every question costs a journey there and back: whoever asks does better to ask many at once. */
  readonly distant?: true;
  /** What is at each path, the last link not followed. */
  look(paths: string[]): Promise<FileFact[]>;
  /** A file to read pieces of; a string is the code of the error that opening it gave. */
  open(path: string): Promise<OpenFile | string>;
  /** Names in a folder; a string is the code of the error. */
  list(path: string): Promise<string[] | { code: string }>;
  /** How a program started there would begin. */
  process(): Promise<{ environment: { [name: string]: string }; cwd: string; user: { uid: number; gid: number }; running?: RunningFact }>;
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
}
