import type { Stats } from "node:fs";
import type { TargetDescription, Snapshot } from "@culprit/core/model/snapshot";
import type { ByteSelector, Target } from "@culprit/core/model/target";

/**
 * A kind of target: how it is named, what help says of it, and how it is opened. One file each in `kinds/`, which are light: what is large is
 * loaded when one is opened.
 */
export interface TargetKind {
  /** The name of its file. */
  id: string;
  /** What a description of such a target says it is; a snapshot says what it was taken of. */
  kind?: TargetDescription["kind"];
  /** How words begin that name one, or the one word that does. */
  prefix?: string;
  word?: string;
  /** Whether what lies at a path is one; asked in the order of `place`. */
  takes?: (entry: Stats) => boolean;
  /** What to write: `pid:N`, `a root folder`, and the same for several. */
  form: string;
  forms: string;
  /** The sentence of `culprit check --help`, and its place in lists. */
  help: string;
  place: number;
  /** `named` is the word without its prefix. What cannot be opened is thrown, as one sentence. */
  open: (named: string, how: Opening) => Promise<Target | Snapshot> | Target;
}

/** What opening may need, handed in by whoever opens. */
export interface Opening {
  /** The user's own ssh, with its options. */
  ssh: string[];
  /** Seconds to wait for a host that says nothing. */
  patience: number;
  /** Chooses what to hold of files that go by once. */
  keeping: () => Promise<ByteSelector>;
  readSnapshot: (file: string) => Promise<Snapshot>;
  /** Hears how far a long reading is. */
  told?: Told;
}

/** How much of a file has been read, and of an image which of its layers. */
export type Told = (far: { layer?: number; layers?: number; read: number; size: number }) => void;

export const defineTargetKind = (kind: TargetKind) => kind;
