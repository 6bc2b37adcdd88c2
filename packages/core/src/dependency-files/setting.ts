import type { Install } from "../model/dependency-file.ts";
import type { Place } from "../model/finding.ts";
import type { Conditions } from "./conditions.ts";
import type { ImagePip } from "./image-pip.ts";
import type { Variables, Word } from "./shell.ts";

/** Where a command stands: what a reader of it may ask and tell. */
export interface Setting {
  variables: Variables;
  /** A word's place in the file. */
  place: (word: Word) => Place;
  /** Where a file that a command names may lie, relative to the file that holds the command. */
  candidates: (path: string) => string[];
  /** Where files of the project in a folder lie, relative to the file that holds the command; absent where nobody knows what a folder holds. */
  project?: (folder: string, names: readonly string[]) => string[];
  /** What was cloned so far: folder → repository; each as seen from where `base` is. */
  clones?: Map<string, string>;
  /** What `pip wheel` was asked for, by the folder that its wheels were put into. */
  wheels?: Map<string, Install>;
  /** What is known of the pip of an image, where its commands are followed. */
  imagePip?: ImagePip;
  /** The folder that commands begin in. */
  base?: string;
  /** The folder that a command is run in, from `base` on. */
  folder?: string;
  /** Nobody knows in which folder. */
  isLost?: boolean;
  /** Variables that are set stay set only for the rest of the line. */
  isOwnShell: boolean;
  /** No POSIX shell reads it: its quotes and blocks are others. */
  hasOtherGrammar?: boolean;
  /** In how many shells within shells it is. */
  depth?: number;
  /** What the text does not decide. */
  conditions: Conditions;
  tell: (place: Place, reason: string) => void;
}
