import type { Asked } from "../lib/asked.ts";
import type { Check } from "../model/check.ts";
import type { Inventory } from "../model/inventory.ts";
import type { Load, Loads } from "../model/loads.ts";

/** What the long reports are made from: the findings and what they rest on. */
export interface Judged {
  check: Check;
  /** For commands that ask again. */
  asked?: Asked;
  stack: {
    variables: { [name: string]: string };
    inventory: Inventory;
    runs: JudgedRun[];
  };
}

export interface JudgedRun {
  programs: { id: string; package?: { version: string } }[];
  environment?: { prefix: string };
  activities: string[];
  loads: Loads;
  stops: { program: string; activity: string; failure: Loads["failures"][number] }[];
  /** The same without LD_LIBRARY_PATH and LD_PRELOAD. */
  undisturbed?: { loads: Load[] };
}
