import type { Cause } from "./cause.ts";
import type { Finding } from "./finding.ts";

/** A line of the text that was explained, as it stands there without colours and prefixes. */
export interface LogLine {
  /** From 1; 0 for what was given beside the text (`GivenMachine`). */
  line: number;
  text: string;
}

export interface Diagnosis {
  cause: Cause;
  /** The object to blame, as programs ask for it (`libcudnn.so.9`), or the package, tool or device. */
  name?: string;
  /** Id of a known GPU library. */
  library?: string;
  required?: string;
  found?: string;
  certainty: Finding["certainty"];
  /** Which fault it may explain, where the text holds several that have nothing to do with each other; 1 where nothing is said. */
  fault?: number;
  /** What is seen, where the text cannot choose among the causes that fit: all that have the same are equally open. */
  symptom?: string;
  message: string;
  because: string[];
  evidence: LogLine[];
  /** What a machine showed, when the text was joined with one. */
  machine?: string[];
  /** What to run to be sure. */
  next: string[];
  fixes: Finding["fixes"];
}

/** What is known about the machine of a text besides what the text says. */
export interface GivenMachine {
  /** A release of the NVIDIA driver: `470.57.02`, or a branch: `470`. */
  driver?: string;
  /** Names or architectures: `T4`, `sm_75`. */
  gpus?: string[];
}

/** Advice or code in the text that cannot work or does harm. */
export interface AdviceWarning extends LogLine {
  advice: string;
  message: string;
}

/** A library of a process that was watched, and whether it was predicted. */
export interface LoadedLibrary {
  library: string;
  file: string;
  version?: string;
  /** `loaded` where nothing could be predicted; `not-loaded`: predicted for certain, and not seen. */
  state: "loaded" | "as-foreseen" | "not-foreseen" | "not-loaded";
}

export interface Explanation {
  schema: "culprit/explain@1";
  /** The day of the knowledge that it rests on: the newest on which a fact was compared with its source. */
  knowledge?: string;
  /** Most likely first, then what the text cannot rule out; empty: cannot tell. */
  diagnoses: Diagnosis[];
  /** Lines that look alarming and are not. */
  noise: (LogLine & { reason: string })[];
  warnings: AdviceWarning[];
  /** What the text says about the machine. */
  seen: {
    drivers: string[];
    toolkits: string[];
    gpus: string[];
    frameworks: string[];
    platforms: string[];
  };
  /** Whether a framework says that it went on without the GPU. */
  fellBackToCpu: boolean;
  /** The last line with which a program ended, where no diagnosis speaks of it. */
  unexplained?: LogLine;
  /** A plain error of the program that ended it: sizes, memory, network, files, code. It has nothing to do with a GPU stack. */
  plain?: LogLine & { what: string };
  /** The one question whose answer would decide, where the text alone cannot. */
  question?: string;
  /** Where nothing was recognised: a line, and the known message that it is most like. */
  alike?: LogLine & { known: string };
  /** The lines that say most, twenty at most: only where they are asked for. */
  excerpt?: LogLine[];
  /** What to do when nothing was recognised, or to become certain. */
  next: string[];
  lines: number;
}
