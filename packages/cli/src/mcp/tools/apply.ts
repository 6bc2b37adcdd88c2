import type { Check } from "@culprit/core";
import { findingWords } from "../finding.ts";
import { boolean, list, object, string, type Tool } from "../tool.ts";
import { briefCheck } from "./check.ts";
import { findingShape } from "../finding.ts";

/** As `culprit fix --apply --json` prints it. */
interface Applied {
  id: string;
  changed: string[];
  notKept: string[];
  before: { errors: number; warnings: number };
  after: Check;
}

/** The words and options come from the plan that the digest names. */
export const apply: Tool<Applied> = {
  name: "apply",
  title: "Apply a plan that was shown",
  description:
    "Does what a plan of `fix` says, with a journal, so that `undo` brings everything back byte for byte. Takes the digest that `fix` returned in this session, and nothing else. If the machine has changed since, nothing is done. Ask the user before you call it.",
  command: "fix",
  fixed: ["--apply", "--yes"],
  words: [{ name: "digest", help: "the digest of the plan, as `fix` returned it", required: true }],
  options: [],
  changes: true,
  data: object({
    journal: string("give it to `undo`"),
    changed: list(string()),
    proofHeld: boolean("what was promised is what is found now"),
    notKept: list(string()),
    findings: list(findingShape, "what is left"),
  }),
  brief: ({ id, changed, notKept, before, after }, told) => ({
    summary: `${notKept.length === 0 ? "applied, and the proof held" : "applied, but the proof did not hold: undo it, or look at what is left"}; before: ${before.errors} errors, ${before.warnings} warnings; now: ${findingWords(after.findings)}`,
    data: {
      journal: id,
      changed,
      proofHeld: notKept.length === 0,
      notKept,
      findings: briefCheck(after, "/after", told)["findings"],
    },
  }),
};
