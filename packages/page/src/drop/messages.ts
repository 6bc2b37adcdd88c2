// What the page and its worker say to each other.
import type { PageData } from "../trace/data.ts";
import type { Experiment } from "../stack/experiment.ts";
import type { Answer, Made, FromWorker as Answering } from "../stack/messages.ts";

export type Kind = "machine" | "log" | "dependency-file" | "trace" | "difference" | "unknown";

/** One thing that was dropped, or two beside each other, as the page lists and shows it. */
export interface Item {
  id: string;
  name: string;
  kind: Kind;
  /** What it was taken for: `snapshot`, `container image`, `requirements.txt`. */
  taken: string;
  look: "good" | "warning" | "error" | "info";
  /** The verdict in a line. */
  told: string;
  /** What it was joined with. */
  joined?: string;
}

export interface Shown extends Item {
  verdict: string;
  answer: string;
  /** Of a machine: where its experiments begin. */
  base?: Answer;
  made?: Made;
  /** Of a profile: what is drawn. */
  drawing?: { data: PageData; words: Uint32Array };
}

/** Something that was dropped, and what the page calls it: two files may have one name. */
export interface Named {
  id: string;
  name: string;
}

export type ToWorker =
  | { kind: "take"; id: string; name: string; file: Blob }
  | { kind: "leave"; id: string }
  | { kind: "compare"; id: string; a: Named; b: Named }
  | { kind: "ask"; turn: number; id: string; experiment: Experiment };

export type FromWorker =
  | { kind: "ready" }
  | { kind: "shown"; shown: Shown }
  | { kind: "progress"; id: string; words: string }
  /** It is an archive: these are in it, and take its place. */
  | { kind: "within"; id: string; files: { name: string; file: Blob }[] }
  /** What lies below the answer about a machine. */
  | { kind: "below"; id: string; sections: string[] }
  | { kind: "experiment"; answering: Answering };
