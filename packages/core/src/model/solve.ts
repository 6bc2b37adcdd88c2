/** What can live together, or why nothing can. */
export interface Solution {
  schema: "culprit/solve@1";
  /** The day of the knowledge that it rests on: the newest on which a fact was compared with its source. */
  knowledge?: string;
  /** What was asked, and what the machine added. */
  requirements: { requirement: string; from: "asked" | "option" | "machine" }[];
  /** What could not be told, and stayed free. */
  unknown: { subject: string; reason: string }[];
  /** Best first; empty when there is none. */
  answers: Answer[];
  conflict?: Conflict;
}

export interface Answer {
  /** What sets it apart from the others. */
  title: string;
  /** `likely` when a fact that it rests on is only remembered or worked out. */
  certainty: "certain" | "likely";
  python: string;
  /** What all of it needs, and the GPUs it was solved for. */
  driver: { least: string; given?: string };
  gpus: string[];
  packages: AnsweredPackage[];
  /** What the packages bring with them, or need beside them. */
  libraries: AnsweredLibrary[];
  /** Variables that must be set. */
  settings: { name: string; value: string; because: string }[];
  lines: Line[];
  notes: string[];
  doubts: string[];
  sources: string[];
}

export interface AnsweredPackage {
  name: string;
  version: string;
  /** The CUDA it is built for. */
  cuda?: string;
  /** The index that has it, if it is not PyPI. */
  index?: string;
  /** The newest that would fit if it were alone, where that is another. */
  alone?: string;
}

export interface AnsweredLibrary {
  name: string;
  version: string;
  /** Why it is this version: a requirement of a package, or our choice. */
  because: string;
}

export interface Line {
  tool: "pip" | "uv" | "conda" | "apt" | "docker" | "colab";
  commands: string[];
}

/** Requirements of which all but any one could be met. */
export interface Conflict {
  /** `likely` when a fact that it rests on is only remembered. */
  certainty: "certain" | "likely";
  requirements: { requirement: string; says: string; sources: string[] }[];
  /** What would be possible without one of them. */
  ways: { without: string; possible: string }[];
}
