// What the page and its worker say to each other.
import type { Asked } from "../../../core/src/lib/asked.ts";
import type { Acceptance } from "../../../core/src/model/project.ts";
import type { Via } from "../../../core/src/model/loads.ts";
import type { Question } from "../../../core/src/judge/question.ts";
import type { Experiment } from "./experiment.ts";

/** What the page was made for. */
export interface Made {
  question: Question;
  asked: Asked;
  /** Findings that are accepted, as the project or the command line says. */
  accepted: Acceptance[];
}

export type ToWorker = { kind: "begin"; facts: string; made: Made } | { kind: "ask"; id: number; experiment: Experiment };

/** One finding, as far as a comparison shows it. */
export interface Told {
  key: string;
  severity: string;
  headline: string;
}

export interface LoadedLibrary {
  folders: string[];
  versions: string[];
  /** Its files by the names under which they were asked for: where each lies, what led there, and who asked. */
  files: { [name: string]: { folder: string; via: Via; by: string } };
}

export interface Answer {
  status: string;
  findings: Told[];
  /** The GPU libraries that every program would load: `torch 2.11.0` → `cudnn` → where its files lie, and of which versions they are. */
  loads: { [program: string]: { [library: string]: LoadedLibrary } };
  verdict: string;
  /** Its first section, as markup: what is wrong. The others come after it. */
  wrong: string;
  /** The variables as the experiment leaves them. */
  variables: { [name: string]: string };
  /** Milliseconds of judging. */
  took: number;
}

export type FromWorker =
  | { kind: "answer"; id: number; answer: Answer }
  /** The sections below what is wrong, each as markup, if nothing else was asked meanwhile: those that are as before need not be drawn. */
  | { kind: "rest"; id: number; sections: string[] }
  | { kind: "problem"; id: number; words: string };
